"""What every command has in common, with one quick call of each: output that fails, terminals without colour."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import typer

from planner import play_match
from planner.cli import app, main
from planner.games.hearthstone import MatchSetup
from tests.games.hearthstone.logs import sample

ROOT = Path(__file__).resolve().parents[2]
LETHAL = str(ROOT / "experiments" / "states" / "lethal.json")
# By command: the arguments of a quick call. Those that take long, or do not end, print their help.
CALLS: dict[str, list[str]] = {
    "plan": [LETHAL, "--explain"],
    "weights": [],
    "play": ["thesis_paladin", "thesis_warrior", "--rules", "thesis", "--agents", "greedy,random"],
    "replay": ["match.json", "--show"],
    "review": ["Power.log"],
    "watch": ["--help"],
    "run": ["--help"],
    "tournament": ["--help"],
    "report": ["--help"],
    "tune": ["--help"],
    "compare": ["--help"],
    "grade": ["--help"],
    "cards": ["wolf"],
    "decks list": [],
    "decks export": ["mage"],
    "decks import": ["--help"],
    "generate": ["--count", "2"],
    "playtest": ["--help"],
    "serve": ["--help"],
    "engine": ["--help"],
    "mcp": ["--help"],
    "check": ["mine.yaml"],
    "schema": ["cards"],
    "spec": [],
    "solvers": ["--help"],
}


def commands() -> Iterator[str]:
    """Yield every command, those of groups with the group's name."""

    def walk(command: object, words: list[str]) -> Iterator[str]:
        inner = getattr(command, "commands", None)
        if inner is None:
            yield " ".join(words)
            return
        for name in inner:
            yield from walk(inner[name], [*words, name])

    yield from walk(typer.main.get_command(app) if isinstance(app, typer.Typer) else app, [])


ALL = sorted(commands())


def call(command: str) -> list[str]:
    return [*command.split(), *CALLS.get(command, ["--help"])]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a folder with the files that the calls name."""
    monkeypatch.chdir(tmp_path)
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis")
    record = play_match(("greedy", "random"), setup, 1, digests=True)
    Path("match.json").write_text(json.dumps(record.to_dict()))
    Path("Power.log").write_text(sample.text())
    Path("mine.yaml").write_text("hero_health: 15\n")


def test_the_calls_are_of_commands() -> None:
    assert set(CALLS) <= set(ALL)
    assert {command for command in ALL if not command.startswith(("bench ", "meta "))} <= set(CALLS)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ALL)
def test_full_disk_is_one_line(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full = open("/dev/full", "w", encoding="utf-8")  # noqa: SIM115  (closing it fails)
    monkeypatch.setattr(sys, "stdout", full)
    code = main(call(command))
    with suppress(OSError):
        full.close()
    assert code == 2
    err = capsys.readouterr().err
    assert err.splitlines()[-1] == "error: cannot write the output: No space left on device"
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ALL)
def test_closed_output_is_one_line(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(call(command)) == 2
    assert capsys.readouterr().err == "error: standard output is closed\n"


class Terminal(io.TextIOWrapper):
    """A terminal as the commands see it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ALL)
def test_narrow_terminal_without_colour_in_the_c_locale(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"NO_COLOR": "1", "COLUMNS": "40", "LC_ALL": "C", "LANG": "C", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    written = io.BytesIO()
    terminal = Terminal(written, encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", terminal)
    code = main(call(command))
    terminal.flush()
    # The C locale has no other characters; the symbols of the Z notation have no ASCII form.
    text = written.getvalue().decode("utf-8" if command == "spec" else "ascii")
    assert code == 0
    assert "\x1b" not in re.sub(r"\x1b\[(\?25[hl]|2K|1A|\d*[A-G])", "", text)  # moving the cursor is not a style
    words = text.split()
    assert text.strip()
    assert "?" * 5 not in text  # frames
    assert sum(word == "..." for word in words) < len(words) / 10
