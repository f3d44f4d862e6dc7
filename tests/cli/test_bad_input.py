"""Invalid input: one line that says what is wrong, exit code 2, and never a traceback."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from planner.cli import main
from planner.errors import PlannerError

DECK = """name: Mine
class: mage
cards:
{cards}
"""


def deck_of(*lines: str) -> str:
    return DECK.format(cards="\n".join(f"  - {line}" for line in lines))


FILES = {
    "unknown.yaml": deck_of("2 x Wolfrinder"),
    "short.yaml": deck_of("2 x Wolfrider"),
    "broken.yaml": "name: [",
    "rules.yaml": "board_limit: -1\n",
    "cut.json": '{"match_log": 1, "turns": [',
    "other.json": "{}",
    "odd.py": "class Odd(BaseException): pass\nraise Odd('boo')\n",
    "deep.py": f"x = {'-' * 100_000}1",
    "escape.json": '{"match_log": "\\u001b[31m\\n\\n"}',
}

CASES = [
    (["play", "mage"], "a match needs two decks, such as mage warrior; got 1"),
    (["play", "mage", "mage", "--game", "herthstone"], "'herthstone' is not a game; did you mean 'hearthstone'?"),
    (["play", "mage", "mge"], "unknown deck 'mge'; did you mean 'mage'?"),
    (["play", "mage", "unknown.yaml"], "unknown.yaml:4: unknown card 'Wolfrinder'; did you mean 'Wolfrider'?"),
    (["play", "mage", "short.yaml"], "short.yaml:3: 2 cards; a deck has 30"),
    (["play", "mage", "many.yaml"], "many.yaml:3: 31 cards; a deck has 30"),
    (["play", "mage", "broken.yaml"], "broken.yaml:"),
    (["play", "mage", "none.yaml"], "none.yaml: no such file"),
    (["play", "mage", "folder.yaml"], "folder.yaml: is a folder, not a file"),
    (["play", "mage", "binary.yaml"], "binary.yaml: is not UTF-8 text"),
    (["play", "mage", "mage", "--agents", "greedy,rondom"], "'rondom' is not an agent; did you mean 'random'?"),
    (["play", "mage", "mage", "--agents", "greedy"], "agents: this match needs 2 agents, got 1"),
    (["play", "mage", "mage", "--rules", "standart"], "unknown ruleset 'standart'; did you mean 'standard'?"),
    (["play", "mage", "mage", "--rules", "rules.yaml"], "rules.yaml:1: board_limit: must be at least 1, got -1"),
    (["play", "mage", "mage", "--seed", "x"], "--seed"),
    (["play", "mage", "mage", "--sede", "1"], "--sede"),
    (["play", "mage", "mage", "--json", "."], "is a folder, not a file"),
    (["play", "mage", "mage", "--json", "no/such/place.json"], "no/such/place.json: No such file"),
    (["replay", "none.json"], "none.json: no such file"),
    (["replay", "folder.yaml"], "folder.yaml: is not a results folder"),
    (["replay", "cut.json"], "cut.json:1:28: invalid JSON"),
    (["replay", "other.json"], "other.json: not a match log"),
    (["replay", "escape.json"], "version"),
    (["cards", "no such thing anywhere"], "no card contains 'no such thing anywhere'"),
    (["bench", "rules", "--seconds", "0"], "--seconds"),
    (["bench", "rules", "--seconds", "nan"], "Invalid value for '--seconds': must be a number, got nan"),
    (["serve", "--time-limit", "nan"], "Invalid value for '--time-limit': must be a number, got nan"),
    (["check", "bot:Bot", "--move-time", "nan"], "Invalid value for '--move-time': must be a number, got nan"),
    (["meta", "trees", "--beta", "nan"], "Invalid value for '--beta': must be a number, got nan"),
    (["meta", "cluster", "--linkage", "x"], "Invalid value for '--linkage': 'x' is not one of 'single', 'complete'"),
    (["meta", "cluster", "--distance", "x"], "Invalid value for '--distance': 'x' is not one of 'jaccard', "),
    (["meta", "predict", "--class", "mage", "--method", "x"], "Invalid value for '--method': 'x' is not one of "),
    (["meta", "predict", "--class", "mage", "--seen", "Wolfrinder"], "--seen: 'Wolfrinder' is not a card"),
    (["meta", "predict", "--class", "mage", "--shown", "Wolfrinder"], "--shown: 'Wolfrinder' is not a card"),
    (["meta", "evaluate", "--held-out", "x"], "Invalid value for '--held-out': 'x' is not one of 'nothing', "),
    (["meta", "evaluate", "--linkage", "x"], "Invalid value for '--linkage': 'x' is not one of "),
    (["play", "mage", "mage", "--seed", "x"], "Invalid value for '--seed': 'x' is not a valid integer"),
    (["bench", "rules", "--seconds", "x"], "Invalid value for '--seconds': 'x' is not a valid number"),
    (["play", "mage", "mage", "--seed", str(2**64)], "Invalid value for '--seed': 18446744073709551616"),
    (["cards", "wolf", "--json", "--csv"], "--json and --csv cannot be combined"),
    (["weights", "--csv", "--json"], "--json and --csv cannot be combined"),
    (["cards", "--real", "Wolfrider", "--json"], "--real cannot be combined with --json"),
    (["cards", "--coverage", "--csv"], "--coverage cannot be combined with --csv"),
    (["cards", "--real", "x", "--coverage"], "--real cannot be combined with --coverage"),
    (["cards", "--game", "spire", "--tokens"], "--game cannot be combined with --tokens"),
    (["decks", "--game", "spire", "--rules", "thesis"], "--game cannot be combined with --rules"),
    (["grade", "random", "--game", "spire", "--plot", "no/such.png"], "no/such.png: No such file or directory"),
    (["grade", "random", "--game", "spire", "--plot", "x.foo"], "x.foo: the name of a picture ends with .svg, .pdf, "),
    (["serve", "--journal", "."], "--journal: .: is a folder, not a file"),
    (["weights", "--game", "./odd.py"], "odd.py:2: Odd: boo"),
    (["weights", "--game", "./deep.py"], "deep.py:1: "),
    (["bench", "rulse"], "rulse"),
    (["run", "act", "--agents", ","], "--agents: must be names separated by commas, got ','"),
    (["play", "mage", "warrior", "--agents", ", ,"], "--agents: must be names separated by commas, got ', ,'"),
    (["plya"], "plya"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from planner.games.hearthstone.cards.catalogue import standard

    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    plain = [card.name for card in standard().values() if card.card_class == "neutral" and not card.token]
    (tmp_path / "many.yaml").write_text(deck_of(*(f'"1 x {name}"' for name in plain[:31])), encoding="utf-8")
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("arguments", "message"), CASES, ids=[" ".join(arguments) for arguments, _ in CASES])
@pytest.mark.usefixtures("folder")
def test_one_line_and_exit_code_2(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert message in err
    assert err.count("\n") == 1
    assert err.endswith("\n")
    assert "\x1b" not in err


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "import sys; from planner.cli import main; sys.exit(main())", *arguments]


def test_as_a_process() -> None:
    found = subprocess.run(command("play", "mage", "mge"), capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert found.stdout == ""
    assert found.stderr == "error: unknown deck 'mge'; did you mean 'mage'? (or give a YAML file, or a deck code)\n"


def test_a_closed_pipe_is_not_an_error() -> None:
    with subprocess.Popen(command("play", "mage", "warrior"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait() == 0


LETHAL = str(Path(__file__).resolve().parents[2] / "experiments" / "states" / "lethal.json")
OUTPUTS = [
    ["--help"], ["--version"], ["plan", "--help"], ["plan", LETHAL], ["plan", LETHAL, "--json"], ["weights"], ["solvers"],
    ["play", "mage", "warrior"], ["play", "mage", "warrior", "--json", "-"], ["cards"], ["decks"], ["schema", "cards"],
    ["generate"], ["meta", "predict", "--class", "mage"],
]  # fmt: skip


@pytest.mark.parametrize("arguments", OUTPUTS, ids=lambda arguments: " ".join(arguments).replace(LETHAL, "STATE"))
def test_output_that_cannot_be_written_is_one_line(arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command(*arguments), stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == b"error: cannot write the output: No space left on device"
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["plan", LETHAL], ["engine"]], ids=["help", "plan", "engine"])
def test_a_closed_standard_output_is_one_line(arguments: list[str]) -> None:
    line = " ".join(["exec", *map(shlex.quote, command(*arguments)), ">&-"])
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (2, b"error: standard output is closed\n")


@pytest.mark.parametrize(
    "arguments", [["plan", "-"], ["engine"], ["decks", "import", "-"], ["check", "-"], ["replay", "-"]], ids=" ".join
)
def test_a_closed_standard_input_is_one_line(arguments: list[str]) -> None:
    line = " ".join(["exec", *map(shlex.quote, command(*arguments)), "<&-"])
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", b"error: standard input is closed\n")


def test_the_engine_cannot_write_its_answers() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command("engine"), input=b"{}\n", stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"error: cannot write the output: No space left on device\n"


def test_a_file_is_written_completely_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from planner.cli.console import write_text

    path = tmp_path / "file.txt"
    path.write_text("first")
    path.chmod(0o640)
    write_text(path, "old")
    assert path.stat().st_mode & 0o777 == 0o640

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(PlannerError, match="No space left on device"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file.txt"]


def test_a_name_that_is_not_utf_8_can_be_written(tmp_path: Path) -> None:
    from planner.cli.console import write_text

    write_text(tmp_path / "page.html", os.fsdecode(b"<h1>log-\xff</h1>"))
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == "<h1>log-\\udcff</h1>"


def test_characters_that_the_terminal_lacks_are_replaced() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    found = subprocess.run(command("play", "mage", "warrior"), capture_output=True, env=environment, check=False)
    assert (found.returncode, found.stderr) == (0, b"")
    assert b"wins by" in found.stdout


def test_an_interrupt_ends_the_command_quietly() -> None:
    press = "import os, signal, sys, threading; from planner.cli import main; "
    # A background job of a script starts with interrupts ignored.
    press += "signal.signal(signal.SIGINT, signal.default_int_handler); "
    press += "threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start(); sys.exit(main())"
    arguments = [sys.executable, "-c", press, "bench", "rules", "--seconds", "60"]
    found = subprocess.run(arguments, capture_output=True, check=False, timeout=60)
    assert (found.returncode, found.stdout, found.stderr) == (130, b"", b"")


def test_no_arguments_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert "Usage: planner" in out + err
    assert "error" not in out + err
