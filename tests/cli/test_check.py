"""`planner check`: what an author learns about an agent before a tournament."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import pytest

from planner.cli import main

HOSTILE = "tests.arena.hostile"
SHORT = ["--seconds", "0.1", "--setup", "thesis_paladin thesis_warrior", "--no-color"]
DICE = '''
"""Looks at the clock: equal seeds give different matches."""
import time
from planner.games.hearthstone import GAME

class Bot:
    name = "clock"

    def decide(self, state):
        legal = GAME.legal_actions(state)
        return legal[time.perf_counter_ns() // 1000 % len(legal)]
'''


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["check", *arguments])
    out, err = capsys.readouterr()
    assert "/planner/cli/" not in out + err  # as in a traceback of our own code
    return code, out + err


def test_a_good_agent(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, shown = checked(capsys, f"{HOSTILE}:Honest", *SHORT)
    assert code == 0
    assert re.search(r"^tests.arena.hostile:Honest: \d+ match.* against greedy and random in .*, \d+ won$", shown, re.M)
    assert re.search(r"^decisions +good +\d+, all legal and in time", shown, re.M)
    assert re.search(r"^speed +mean .* ms, 95 % within .* ms, slowest .*; the limit is 60 s", shown, re.M)
    assert re.search(r"^same seed +good", shown, re.M)
    assert re.search(r"^memory +at most \d+ MiB; the limit is 2048 MiB", shown, re.M)


def test_a_program(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    code, shown = checked(capsys, "cmd:sh experiments/face.sh", *SHORT)
    assert code == 0, shown
    assert int(re.search(r"at most (\d+) MiB", shown)[1]) < 20  # type: ignore[index]  # of the shell, not of us
    code, shown = checked(capsys, "cmd:sh -c 'echo oh dear >&2; exit 3'", *SHORT)
    assert code == 1
    assert "by crash: its process ended (exit code 3)" in shown
    assert "oh dear" in shown
    assert "memory" in shown


@pytest.mark.parametrize(
    ("agent", "output"),
    [("Raises", "crash: ZeroDivisionError: oh no"), ("Dies", "crash: its process ended (exit code 3)"),
     ("Slow", "time: no decision within 0.3 s"), ("Hoards", "crash: MemoryError"),
     ("Illegal", "illegal action: your hero has no attack")],
)  # fmt: skip
def test_every_problem_is_printed(capsys: pytest.CaptureFixture[str], agent: str, output: str) -> None:
    move_time = "0.3" if agent == "Slow" else "9"
    code, shown = checked(capsys, f"{HOSTILE}:{agent}", *SHORT, "--move-time", move_time, "--memory", "128")
    assert code == 1
    assert re.search(rf"^decisions +bad +lost \w+( times)? by {re.escape(output)}", shown, re.M)


CRASHES = """
class Bot:
    name = "crashes"

    def decide(self, state):
        return self.choose(state)

    def choose(self, state):
        return {}["nope"]
"""


def test_a_crash_names_the_line_of_the_bot_and_ends_the_trial(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "crash_bot.py").write_text(CRASHES)
    monkeypatch.chdir(tmp_path)
    code, shown = checked(capsys, "crash_bot:Bot", "--setup", "mage warrior", "--seconds", "60")
    assert code == 1
    assert "lost 4 times by crash: KeyError: 'nope' (crash_bot.py:9)" in shown
    assert 'crash_bot.py", line 9, in choose' in shown
    assert "in choose" in next(tmp_path.glob("planner-crash-*.txt")).read_text()

    assert main(["play", "mage", "warrior", "--agents", "crash_bot:Bot,greedy"]) == 0
    shown = capsys.readouterr().out
    assert "by crash of Mage (Bot) after 0 rounds: KeyError: 'nope' (crash_bot.py:9)." in shown
    path = Path(re.search(r"^traceback: (.*)$", shown, re.M)[1])  # type: ignore[index]
    assert 'crash_bot.py", line 9, in choose' in path.read_text()
    assert main(["play", "mage", "warrior", "--agents", "crash_bot:Bot,greedy", "--json", "-"]) == 0
    log = json.loads(capsys.readouterr().out)
    assert log["outcome"]["reason"] == "crash: KeyError: 'nope' (crash_bot.py:9)"
    assert "in choose" in log["stderr"][0]


def test_an_import_that_hangs_takes_no_longer_than_the_trial(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hanging_bot.py").write_text("import time\ntime.sleep(60)\n")
    monkeypatch.chdir(tmp_path)
    code, shown = checked(capsys, "hanging_bot:Bot", "--setup", "mage warrior", "--seconds", "1")
    assert code == 2
    assert "its module is not imported within 5 s" in shown


def test_unequal_matches_from_equal_seeds(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dice_bot.py").write_text(DICE)
    monkeypatch.chdir(tmp_path)
    code, shown = checked(capsys, "dice_bot:Bot", *SHORT)
    assert code == 1
    assert re.search(r"^same seed +bad +decision \d+, in turn \d+: ", shown, re.M)


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        ([f"{HOSTILE}:NoAgent"], "NoAgent is not an agent: it has no decide()"),
        ([f"{HOSTILE}:DiesWhenMade"], "its process ended (exit code 4)"),
        (["no_such_module:Bot"], "cannot be imported"),
        ([f"{HOSTILE}:Honest", "--game", "tests.games.toy:GAME"], "--setup: is required for tests.games.toy:GAME"),
        ([f"{HOSTILE}:Honest", "--setup", "mage"], "a match needs two decks"),
        ([f"{HOSTILE}:Honest", "--setup", "'mage"], '--setup: "\'mage": No closing quotation'),
    ],
)
def test_refused_in_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], output: str) -> None:
    code, shown = checked(capsys, *arguments)
    assert (code, shown.count("\n")) == (2, 1)
    assert output in shown


def test_any_game(capsys: pytest.CaptureFixture[str]) -> None:
    code, shown = checked(capsys, "tests.arena.rude:Rude", "--game", "spire", "--seconds", "0.1", "--move-time", "0.2")
    assert code == 1
    assert "lost once by" in shown


def test_code_that_only_an_experiment_names_does_not_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("words.py").write_text("print('the code ran')\n", encoding="utf-8")
    Path("study.yaml").write_text("game: ./words.py\nagents: [random, first]\ngames: 2\n", encoding="utf-8")
    code, shown = checked(capsys, "study.yaml")
    assert code == 1
    assert "game: './words.py' can run code; if you trust it, name it with --game ./words.py" in shown
    assert "the code ran" not in shown
