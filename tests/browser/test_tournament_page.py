"""The tournament page: from the matrix to a game, and a running tournament."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.game_worker import FixturePlayer
from planner.arena.tournament.rerun import rerun_game
from planner.arena.tournament.run_store import Store
from planner.arena.tournament.runner import run_tournament
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from planner.service import standings
from tests.browser.test_table_page import press
from tests.service.conftest import served

EXPERIMENT = """
name: tiny
agents: [random, greedy]
decks: [thesis_paladin, thesis_warrior]
rules: thesis
games: 4
seed: 3
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished and a running tournament."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "tiny.yaml").write_text(EXPERIMENT, encoding="utf-8")
    run_tournament(replace(load_experiment(folder / "tiny.yaml"), name="done"), folder / "results", workers=1)
    grow(folder / "results" / "going", 3)
    return folder


def grow(folder: Path, games: int) -> None:
    """Play the next games of the tournament in this folder, and leave it unfinished."""
    experiment = load_experiment(folder.parents[1] / "tiny.yaml")
    with Store(folder, experiment, resume=folder.exists()) as store:
        player = FixturePlayer(experiment)
        done = len(store.results)
        store.append([player.play(fixture) for fixture in schedule(experiment)[done : done + games]], 1.0)
        player.close()


@pytest.fixture(scope="module")
def address(results: Path) -> Iterator[str]:
    """The address of a server in that folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(results)
        with served("--workers", "1", "--time-limit", "5") as started:
            yield started.url.rstrip("/")


def test_from_the_matrix_to_a_game(page: Page) -> None:
    page.goto("/tournament?results=done")
    cells = page.locator("table.square td button")
    expect(cells).to_have_count(4)
    expect(page.locator("#progress")).to_have_text("16 games")
    expect(page.locator(".interval")).to_have_count(2)
    scores = cells.all_inner_texts()
    press(page, "Show lengths")
    expect(page.get_by_text("Average length in rounds")).to_be_visible()
    assert cells.all_inner_texts() != scores
    page.get_by_role("button", name=re.compile("^greedy against random:")).click()
    expect(page.locator("#pairing")).to_have_text("greedy against random")
    games = page.locator("table.list td a")
    expect(games).to_have_count(4)
    games.nth(1).click()
    expect(page.locator("#who")).to_have_text("Paladin (greedy) against Warrior (random)", timeout=15_000)
    press(page, "Next action")
    expect(page.locator(".banner")).to_contain_text("1 of ")


def test_a_running_tournament_updates_itself(page: Page, results: Path) -> None:
    page.goto("/tournament?results=going")
    expect(page.locator("#progress")).to_have_text("Running: 3 of 16 games")
    page.get_by_role("button", name=re.compile("^random against greedy:")).click()
    games = page.locator("table.list td a")
    expect(games).to_have_count(1)
    page.get_by_role("button", name=re.compile("^random against greedy:")).focus()
    with (results / "results" / "going" / "journal.jsonl").open("ab") as journal:
        journal.write(b'12345678 {"game":[9,0,"dam')  # an incomplete line
    grow(results / "results" / "going", 5)  # removes the incomplete line, as a resumed run does
    expect(page.locator("#progress")).to_have_text("Running: 8 of 16 games", timeout=10_000)
    expect(games).to_have_count(2)
    expect(page.get_by_role("button", name=re.compile("^random against greedy:"))).to_be_focused()
    games.nth(1).click()
    expect(page.locator("#who")).to_have_text("Paladin (random) against Warrior (greedy)")
    expect(page.get_by_role("alert")).to_have_count(0)
    press(page, "Next action")
    expect(page.locator(".banner")).to_contain_text("1 of ")


def test_only_folders_in_results_are_read(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(results)
    assert standings.tournaments()["done"] is True
    assert standings.tournaments()["going"] is False
    for name in ("", ".", "..", "../results/done", "results/done", str(results / "results" / "done"), "missing"):
        with pytest.raises(PlannerError, match="no such results"):
            standings.folder_of(name)


def test_an_incomplete_line_is_read_later(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(results)
    folder = results / "results" / "torn"
    grow(folder, 6)
    journal = folder / "journal.jsonl"
    whole = journal.read_bytes()
    *lines, last = whole.splitlines(keepends=True)
    assert last.partition(b" ")[2].startswith(b'{"game":[5,')
    journal.write_bytes(b"".join(lines) + last[:-9])
    assert standings.standings("torn").played == 5
    with pytest.raises(PlannerError, match="game 5 has not been played yet"):
        rerun_game(folder, 5)
    with journal.open("ab") as file:
        file.write(last[-9:])
    shown = standings.standings("torn")
    assert shown.played == 6
    assert standings.standings("torn") is shown, "no game is new"
    listed = [game.number for row in shown.rows for column in shown.columns
              for game in standings.pairing_games("torn", row, column)]  # fmt: skip
    assert sorted(listed) == [*range(6)]
    for number in listed:
        record, problem = rerun_game(folder, number)
        assert problem is None
        assert record.outcome.rounds > 0
    journal.write_bytes(whole.splitlines(keepends=True)[0])
    assert standings.standings("torn").played == 0, "a shorter journal is a new one"


def test_a_damaged_folder_is_an_error_of_one_line(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(results)
    for name, broken in {
        "empty": {"manifest.json": b""},
        "no_experiment": {"manifest.json": b'{"finished": false}'},
        "odd_experiment": {"manifest.json": b'{"finished": false, "experiment": "agents: 3"}'},
        "odd_games": {"manifest.json": json.dumps({"finished": False, "experiment": EXPERIMENT,
                                                   "games_per_pairing": "x"}).encode()},
        "no_tables": {"manifest.json": b'{"finished": true}'},
        "odd_matrix": {"manifest.json": b'{"finished": true}', "matrix.csv": b"p1_profile\nx\n"},
        "odd_summary": {"manifest.json": b'{"finished": true}', "summary.csv": b"scenario,agent\na,b\n"},
        "no_summary": {"manifest.json": b'{"finished": true}', "summary.csv": b""},
        "odd_parquet": {"manifest.json": b'{"finished": true}', "games.parquet": b"PAR1",
                        "matrix.csv": b"p1_profile,p2_profile,p1_wins,p2_wins,avg_turns\na,b,1,1,3\n"},
    }.items():  # fmt: skip
        folder = results / "results" / name
        folder.mkdir()
        for file, content in broken.items():
            (folder / file).write_bytes(content)
        with pytest.raises(PlannerError) as refused:
            standings.standings(name)
        assert "\n" not in str(refused.value)
        with pytest.raises(PlannerError):
            standings.pairing_games(name, "a", "b")
        shutil.rmtree(folder)


def test_a_running_tournament_counts_its_games(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A running tournament has the numbers of the finished table after the same games."""
    monkeypatch.chdir(results)
    done = standings.standings("done")
    grow(results / "results" / "going", 16)
    going = standings.standings("going")
    assert (going.finished, going.played, going.total) == (False, 16, 16)
    for pairing, cell in done.cells.items():
        assert going.cells[pairing] == pytest.approx(cell, abs=1e-4)  # tables have four decimals
