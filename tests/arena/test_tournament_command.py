"""`planner tournament` from the outside: what it prints, how it ends, how it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from planner.arena.run import Progress
from planner.arena.store import JOURNAL
from planner.cli import app, main
from planner.cli.tournament import _time_left, standings
from tests.arena.test_determinism import PROGRAM
from tests.arena.tournaments import ROOT

FILE = """
name: tiny
rules: thesis
decks: {first: thesis_paladin, second: thesis_warrior}
agents: [random, greedy]
games: 2
"""
# A job in the background of a script is born deaf to interrupts.
LISTENING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "any.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_it_plays_and_shows_the_matrix(file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    result = runner.invoke(app, ["tournament", str(file), "--out", str(tmp_path / "out"), "--workers", "1"])
    assert result.exit_code == 0, result.output
    assert "First seat's score, %" in result.stdout
    assert "2 greedy" in result.stdout
    assert "8 games in " in result.stdout
    assert "games.parquet, matrix.csv, ratings.csv" in result.stdout
    assert "\x1b" not in result.stdout
    header = (tmp_path / "out" / "tiny" / "matrix.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("p1_profile,p2_profile,p1_wins,p2_wins,draws,avg_turns,")
    assert main(["tournament", str(file), "--out", str(tmp_path / "out")]) == 2
    assert "holds this experiment, finished already; --resume writes its tables anew" in capfd.readouterr().err
    assert main(["tournament", str(file), "--out", str(tmp_path / "out"), "--games", "1", "--workers", "1"]) == 0
    assert (tmp_path / "out" / "tiny-1" / "games.parquet").exists()


def test_refusals_are_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for arguments, message in (
        (["thesys"], "'thesys' is not an experiment; did you mean 'thesis'?"),
        (["none.yaml"], "none.yaml: no such file"),
        (["quick", "--workers", "0"], "--workers"),
        (["quick", "--out", "/proc/nothing"], "/proc/nothing"),
    ):
        assert main(["tournament", *arguments]) == 2
        error = capfd.readouterr().err
        assert message in error
        assert len(error.splitlines()) == 1


def test_an_interrupt_keeps_what_is_finished(file: Path, tmp_path: Path) -> None:
    file.write_text(FILE.replace("games: 2", "games: 2000"), encoding="utf-8")
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-c", LISTENING + PROGRAM, "tournament", str(file), "--out", str(out), "--workers", "2"],
        cwd=ROOT, env=os.environ | {"NO_COLOR": "1"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    journal = out / "tiny" / JOURNAL
    while not journal.exists() or journal.read_bytes().count(b"\n") < 10:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error.splitlines() == ["interrupted; the finished games are kept, and --resume continues"]
    assert journal.read_bytes().endswith(b"\n")
    assert not (out / "tiny" / "games.parquet").exists()


def test_standings_are_best_first() -> None:
    progress = Progress(100, done=50, seconds=10.0, points=[1.0, 3.5, 0.0], games=[4, 4, 0])
    screen = Console(width=60)
    with screen.capture() as captured:
        screen.print(standings(["a", "b", "never met anybody"], progress))
    lines = [line.split() for line in captured.get().splitlines() if "%" in line]
    assert lines == [["b", "87.5%", "4"], ["a", "25.0%", "4"]]
    assert _time_left(progress) == "0:10 left"
    assert _time_left(Progress(100_000, done=50, seconds=10.0)) == "5:33:10 left"
    assert _time_left(Progress(100)) == ""
