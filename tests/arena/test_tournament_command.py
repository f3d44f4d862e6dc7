"""The command `planner tournament`: its output, its exit codes and interruptions."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

from planner.arena.tournament.journal import Journal
from planner.arena.tournament.runner import Progress
from planner.cli import app, console, main
from planner.cli import experiment_commands as command
from planner.cli.experiment_commands import standings_table
from tests.arena.test_positions import position_file
from tests.arena.tournaments import small

FILE = """
name: tiny
rules: thesis
decks: {first: thesis_paladin, second: thesis_warrior}
agents: [random, greedy]
games: 2
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "any.yaml"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_tournament_command_plays_and_shows_the_matrix(
    file: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    runner = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
    result = runner.invoke(app, ["tournament", str(file), "--out", str(tmp_path / "out"), "--workers", "1"])
    assert result.exit_code == 0, result.output
    assert "Row agent's score when moving first, %" in result.stdout
    assert "2 greedy" in result.stdout
    lines = result.stdout.splitlines()
    assert lines[0] == "tiny: 8 games to play"
    assert re.search(r"greedy +\+\d+ +[+-]\d+ to \+\d+ +\d+\.\d% +4", result.stdout)  # the ratings
    assert "8 games in " in result.stdout
    assert "games.parquet, matrix.csv, ratings.csv" in result.stdout
    assert "\x1b" not in result.stdout
    header = (tmp_path / "out" / "tiny" / "matrix.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith("p1_profile,p2_profile,p1_wins,p2_wins,draws,avg_turns,")
    assert main(["tournament", str(file), "--out", str(tmp_path / "out")]) == 2
    assert "contains this experiment, already finished; --resume writes its tables again" in capfd.readouterr().err
    assert main(["tournament", str(file), "--out", str(tmp_path / "out"), "--games", "1", "--workers", "1"]) == 0
    assert (tmp_path / "out" / "tiny-1" / "games.parquet").exists()


def test_errors_are_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
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


def test_standings_are_sorted() -> None:
    progress = Progress(100, done=50, seconds=10.0, points=[1.0, 3.5, 0.0], games=[4, 4, 0])
    screen = Console(width=60)
    with screen.capture() as captured:
        screen.print(standings_table(["a", "b", "never met anybody"], progress))
    lines = [line.split() for line in captured.get().splitlines() if "%" in line][1:]
    assert lines == [["b", "87.5%", "39.6%", "to", "98.7%", "4"], ["a", "25.0%", "4.6%", "to", "69.9%", "4"]]


def test_sequential_test_ends_with_its_decision(file: Path, tmp_path: Path) -> None:
    """The decision is in the output of the run, in the report and on the page; the speed counts all played games."""
    file.write_text(
        FILE.replace("[random, greedy]", "[greedy, random]").replace("games: 2", "games: 100")
        + "pairs: gauntlet\nsprt: {elo0: 0, elo1: 200}\n",
        encoding="utf-8",
    )
    runner = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"})
    result = runner.invoke(app, ["tournament", str(file), "--out", str(tmp_path), "--workers", "2"])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == "tiny: at most 200 games to play"
    verdict = re.search(r"^SPRT greedy against random: accept H1, 200 Elo rather than 0 after (\d+) games "
                        r"\(LLR (\d\.\d\d), stops at -2\.94 and 2\.94\)$", result.stdout, re.MULTILINE)  # fmt: skip
    assert verdict is not None, result.stdout
    speed = re.search(r"^(\d+) games in (\d+\.\d) s, (\d+\.\d) a second(?:; (\d+) of them count)?$",
                      result.stdout, re.MULTILINE)  # fmt: skip
    assert speed is not None, result.stdout
    played, counted = int(speed[1]), int(speed[4] or speed[1])
    assert counted == int(verdict[1]) == len(pd.read_parquet(tmp_path / "tiny" / "games.parquet"))
    assert played >= counted
    assert played == len(Journal(tmp_path / "tiny" / "journal.jsonl"))
    assert played / float(speed[3]) == pytest.approx(float(speed[2]), abs=0.1)
    again = runner.invoke(app, ["report", str(tmp_path / "tiny")])
    assert verdict[0] in again.stdout
    assert verdict[0].removeprefix("SPRT ") in (tmp_path / "tiny" / "report.html").read_text(encoding="utf-8")


def lines_of(*progress: Progress) -> list[str]:
    """Return the lines that the progress display prints without a terminal."""
    screen = Console(width=80)
    with screen.capture() as captured:
        view = command._TournamentView(screen, small("greedy", "random"), False)
        for each in progress:
            view.update(each)
    return captured.get().splitlines()


def test_progress_shows_intervals_the_ratio_and_the_remaining_games(monkeypatch: pytest.MonkeyPatch) -> None:
    test = {
        "agent": "greedy",
        "base": "random",
        "decision": "continue",
        "llr": 1.204,
        "lower": -2.944,
        "upper": 2.944,
        "games": 48,
    }
    progress = Progress(40_000_000, done=50, seconds=10.0, points=[12.0, 38.0], games=[50, 50], sprt=[test])
    assert lines_of(Progress(40_000_000, sprt=[test])) == ["small: at most 40,000,000 games to play"]
    monkeypatch.setattr(console, "PROGRESS_SECONDS", 0.0)
    line = lines_of(progress)[-1]
    assert line.split("; ") == [
        "50/40000000 games, 5.0 games/s, about 2,222 hours (93 days) left",
        "random 76.0% (62.6% to 85.7%)",
        "greedy 24.0% (14.3% to 37.4%)",
        "LLR 1.20 (-2.94 to 2.94) after 48 games",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(50, "50 seconds"), (600, "10 minutes"), (41_400, "11.5 hours"), (1e7, "2,778 hours (116 days)")],
)
def test_format_of_remaining_time(seconds: float, text: str) -> None:
    assert console.format_duration(seconds) == text


def test_positions_adjudication_and_sprt_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    position_file(tmp_path)
    words = ["tournament", "--agents", "greedy,random,aggro_face", "--positions", "openings.txt", "--games", "30"]
    words += ["--max-turns", "9", "--resign", "{turns: 2, score: 0.8}", "--sprt", "{elo0: 0, elo1: 200, base: greedy}"]
    assert main([*words, "--workers", "1"]) == 0
    out = capsys.readouterr().out
    assert "SPRT random against greedy: accept H0, 0 Elo rather than 200 after" in out
    assert "SPRT aggro_face against greedy:" in out
    assert re.search(r"adjudicated: \d+ of \d+ games \((\d+ by 9 turns; )?\d+ by estimate of 0.8 or more", out)
    folder = "results/greedy-random-aggro_face"
    assert main(["replay", folder, "--number", "0"]) == 0
    assert main(["report", folder, "--json"]) == 0
    assert '"base": "greedy"' in capsys.readouterr().out
    assert main(["tournament", "quick", "--max-turns", "5", "--sprt", "{}"]) == 2
    assert capsys.readouterr().err == "error: --max-turns, --sprt: write it into the experiment file\n"


def test_a_tournament_without_a_file_and_the_replay_of_its_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["tournament", "--agents", "random,greedy", "--decks", "mage,hunter", "--games", "3", "--workers", "1"]
    assert main([*words, "--seed", "7", "--csv"]) == 0
    first = capsys.readouterr()
    assert first.out.startswith("p1_profile,p2_profile,")
    assert "3 games per pairing over 4 setups: each setup is played 0 or 1 times" in first.err
    assert main(["replay", "results/random-greedy", "--json", "games.jsonl"]) == 0
    assert "12 games with " in capsys.readouterr().out
    assert main(["replay", "games.jsonl"]) == 0
    assert "12 games with " in capsys.readouterr().out
    assert main(["replay", "games.jsonl", "--number", "12"]) == 2
    assert "the games 0 to 11, got 12" in capsys.readouterr().err
    lines = Path("games.jsonl").read_text().splitlines()
    changed = json.loads(lines[4])
    changed["seed"] += 1
    Path("games.jsonl").write_text("\n".join([*lines[:4], json.dumps(changed), *lines[5:]]))
    assert main(["replay", "games.jsonl"]) == 2
    assert capsys.readouterr().err.startswith("games.jsonl, game 4: ")


def test_a_seed_replaces_that_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "agents: [random, greedy]\ndecks: [mage]\ngames: 2\nseed: 1\n"
    Path("mine.yaml").write_text(text)
    Path("other.yaml").write_text(text.replace("seed: 1", "seed: 5"))
    tables = []
    for words in (["mine.yaml", "--seed", "5"], ["other.yaml"], ["mine.yaml", "--out", "first"]):
        assert main(["tournament", *words, "--workers", "1", "--json"]) == 0
        tables.append(json.loads(capsys.readouterr().out)["matrix"])
    assert tables[0] == tables[1] != tables[2]
    assert main(["replay", "results/mine"]) == 0  # the manifest has the new seed


def test_a_seed_replaces_that_of_a_file_in_any_style(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flow.yaml").write_text("{agents: [random, greedy], decks: [mage], games: 1, 'seed': 4}\n")
    assert main(["tournament", "flow.yaml", "--seed", "5", "--workers", "1", "--json"]) == 0
    assert json.loads(Path("results/flow/manifest.json").read_bytes())["seed"] == 5
    assert main(["replay", "results/flow"]) == 0
    assert main(["tournament", "flow.yaml", "--seed", str(2**63)]) == 2
    assert "Invalid value for '--seed'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "give an EXPERIMENT, or --agents and --decks"),
        (["quick", "--agents", "random"], "give an EXPERIMENT, or --agents and --decks"),
        (["quick", "--decks", "mage"], "write it into the experiment file"),
        (["--agents", "random"], "--decks: is missing: the decks of hearthstone"),
        (["nope"], "'nope' is not an experiment; there are dominion_random, dominion_test, effects, exact, "),
    ],
)
def test_wrong_words_are_refused(words: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tournament", *words]) == 2
    assert problem in capsys.readouterr().err
