"""Whatever is given: one line that says what is wrong, exit code 2, and never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from planner.cli import main

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
    (["play", "mage", "mage", "--agents", "greedy"], "agents: 1, but 2 play this match"),
    (["play", "mage", "mage", "--rules", "standart"], "unknown ruleset 'standart'; did you mean 'standard'?"),
    (["play", "mage", "mage", "--rules", "rules.yaml"], "rules.yaml:1: board_limit: -1"),
    (["play", "mage", "mage", "--seed", "x"], "--seed"),
    (["play", "mage", "mage", "--sede", "1"], "--sede"),
    (["play", "mage", "mage", "--json", "."], "is a folder, not a file"),
    (["play", "mage", "mage", "--json", "no/such/place.json"], "no/such/place.json: No such file"),
    (["replay", "none.json"], "none.json: no such file"),
    (["replay", "folder.yaml"], "folder.yaml: is a folder"),
    (["replay", "cut.json"], "cut.json:1:28: not JSON"),
    (["replay", "other.json"], "other.json: is not the log of a match"),
    (["replay", "escape.json"], "version"),
    (["cards", "no such thing anywhere"], "no card holds 'no such thing anywhere'"),
    (["bench", "rules", "--seconds", "0"], "--seconds"),
    (["bench", "rulse"], "rulse"),
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


def test_a_reader_who_leaves_early_is_no_error() -> None:
    with subprocess.Popen(command("play", "mage", "warrior"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait() == 0


def test_a_terminal_without_the_signs_gets_others() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    found = subprocess.run(command("play", "mage", "warrior"), capture_output=True, env=environment, check=False)
    assert (found.returncode, found.stderr) == (0, b"")
    assert b"wins by" in found.stdout


def test_an_interrupt_ends_it_cleanly() -> None:
    press = "import os, signal, sys, threading; from planner.cli import main; "
    # A job in the background of a script is born deaf to interrupts.
    press += "signal.signal(signal.SIGINT, signal.default_int_handler); "
    press += "threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start(); sys.exit(main())"
    arguments = [sys.executable, "-c", press, "bench", "rules", "--seconds", "60"]
    found = subprocess.run(arguments, capture_output=True, check=False, timeout=60)
    assert (found.returncode, found.stdout, found.stderr) == (130, b"", b"")


def test_a_bare_call_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert "Usage: planner" in out + err
    assert "error" not in out + err
