"""The report of a tournament in a game of one seat: page, plots, intervals, and differences by seed."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest

from planner.arena.report.report_files import write_report
from planner.arena.report.tournament_results import SoloResults
from planner.arena.tournament.experiment_file import read_experiment
from planner.arena.tournament.journal import Journal
from planner.arena.tournament.rerun import rerun_game
from planner.arena.tournament.result_tables import write_tables
from planner.arena.tournament.runner import run_tournament
from planner.cli import main
from planner.stats.intervals import mean_interval, wilson
from tests.arena.tournaments import ROOT

TEXT = """game: spire
agents: [first, lookahead, spire_careful]
scenarios: [starter, suffer_anonymous]
games: 6
seed: 2
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    experiment = read_experiment(TEXT, Path("battles.yaml"))
    return run_tournament(experiment, tmp_path_factory.mktemp("results"), workers=1)


def test_summary_agrees_with_the_games(folder: Path) -> None:
    summary, games = pd.read_csv(folder / "summary.csv"), pd.read_parquet(folder / "games.parquet")
    assert list(summary[["scenario", "agent"]].itertuples(index=False, name=None)) == [
        (scenario, agent)
        for scenario in ("starter", "suffer_anonymous")
        for agent in ("first", "lookahead", "spire_careful")
    ]
    for row in summary.to_dict("records"):
        own = games[(games["scenario"] == row["scenario"]) & (games["p1"] == row["agent"])]
        assert (row["score"], row["low"], row["high"]) == pytest.approx(wilson((own["winner"] == 0).sum(), 6), abs=1e-4)
        health = row["mean_health"], row["health_low"], row["health_high"]
        assert health == pytest.approx(tuple(mean_interval(own["health"])), abs=1e-4)


def test_summary_for_other_programs_needs_no_games(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("manifest.json", "summary.csv"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    assert main(["report", str(tmp_path), "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["name", "summary"]
    assert main(["report", str(tmp_path), "--csv"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + 6


def test_every_agent_has_the_same_seeds(folder: Path) -> None:
    results = SoloResults(folder)
    assert results.measures == ["rounds", "health", "cards"]
    for setup in results.setups:
        seeds = {tuple(sorted(results.games[(results.games["setup"] == setup) & (results.games["p1"] == agent)]["seed"]))
                 for agent in results.agents}  # fmt: skip
        assert len(seeds) == 1


def test_page_and_plots(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, *images = write_report(SoloResults(folder), folder)
    content = page.read_bytes()
    assert [image.name for image in images] == ["wins.png", "rounds.png", "health.png", "cards.png"]
    for words in ("suffer_anonymous", "spire_careful", "Differences in starter", "Experiment file"):
        assert words in content.decode()
    assert write_report(SoloResults(folder), folder)[0].read_bytes() == content
    assert main(["report", str(folder), "--no-color"]) == 0
    shown = capsys.readouterr().out
    assert "spire_careful" in shown
    assert "health.png" in shown


def test_committed_study_can_be_played_again() -> None:
    study = ROOT / "results" / "spire"
    for number in (0, 13, 6789, 13_999):
        _, difference = rerun_game(study, number)
        assert difference is None, difference
    results = SoloResults(study)
    page = (ROOT / "docs" / "reference" / "spire.md").read_text(encoding="utf-8")
    for setup in results.setups[:5]:
        careful, ahead = (results.values(setup, agent, "health") for agent in ("spire_careful", "lookahead"))
        more = mean_interval(careful - ahead)
        row = next(line for line in page.splitlines() if line.startswith(f"| {setup} |"))
        assert row.endswith(f"| {more.low:.1f} to {more.high:.1f} |")
        assert f", {careful.mean():.1f} |" in row
        assert more.low > 0


def test_a_game_without_measures_does_not_hide_those_of_the_others(folder: Path, tmp_path: Path) -> None:
    """An agent that takes its worker process down loses a game of which nothing else is known."""
    experiment = read_experiment(TEXT, Path("battles.yaml"))
    with closing(Journal(folder / "journal.jsonl")) as journal:
        results = {**journal, 0: journal[0]._replace(measures={})}
    write_tables(tmp_path, experiment, results, range(len(results)))
    (tmp_path / "manifest.json").write_bytes((folder / "manifest.json").read_bytes())
    row, before = (pd.read_csv(path / "summary.csv").iloc[0] for path in (tmp_path, folder))
    own = pd.read_parquet(tmp_path / "games.parquet").query("scenario == 'starter' and p1 == 'first'")["health"]
    assert own.isna().sum() == 1
    assert row["mean_health"] == pytest.approx(own.mean(), abs=1e-4)
    assert row["mean_rounds"] == before["mean_rounds"]
    assert "nan" not in re.sub(
        'src="[^"]*"', "", write_report(SoloResults(tmp_path), tmp_path)[0].read_text(encoding="utf-8")
    )
