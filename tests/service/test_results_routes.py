"""Results of tournaments: what the service reads of finished and running ones, and its routes."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.game_worker import FixturePlayer
from planner.arena.tournament.rerun import rerun_game
from planner.arena.tournament.run_store import Store
from planner.arena.tournament.runner import run_tournament
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from planner.service import standings
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
        "no_length": {"manifest.json": b'{"finished": true}',
                      "matrix.csv": b"p1_profile,p2_profile,p1_wins,p2_wins,avg_turns\na,b,1,1,\n"},
        "odd_rating": {"manifest.json": b'{"finished": true}', "ratings.csv": b"agent,elo,low,high,games\na,1,,inf,3\n",
                       "matrix.csv": b"p1_profile,p2_profile,p1_wins,p2_wins,avg_turns\na,b,1,1,3\n"},
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


def test_games_of_more_than_two_seats_have_no_matrix(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither while they are played nor after: who is in the last seat did not play alone against the first."""
    monkeypatch.chdir(results)
    path = results / "three.yaml"
    path.write_text(
        "name: three\ngame: dominion\nagents: [random, bigmoney]\nkingdoms: [First Game]\nplayers: 3\ngames: 1\n"
        "pairs: gauntlet\n",
        encoding="utf-8",
    )
    run_tournament(load_experiment(path), results / "results", workers=1)
    manifest = results / "results" / "three" / "manifest.json"
    for finished in (True, False):
        manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"finished": finished}))
        with pytest.raises(
            PlannerError, match="'three': games of more than two seats have no matrix of pairings; plan"
        ):
            standings.standings("three")


def test_only_listed_tournaments_are_replayed() -> None:
    for folder in ("/tmp", "../results/thesis", "."):
        with pytest.raises(PlannerError, match="no such results"):
            standings.replay_game(folder, 1)


@pytest.fixture(scope="module")
def client(results: Path) -> Iterator[httpx.Client]:
    """The client of a server in that folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(results)
        with served("--workers", "1", "--time-limit", "5") as started:
            yield started.client


def test_the_routes_read_only_results(client: httpx.Client, results: Path) -> None:
    (results / "secret.csv").write_text("secret", encoding="utf-8")
    (results / "results" / "done" / "report.html").write_text("<!doctype html><p>report", encoding="utf-8")
    listed = {entry["name"]: entry["finished"] for entry in client.get("/results").json()["results"]}
    assert listed["done"] is True
    answer = client.get("/results/done").json()
    assert answer["played"] == 16
    assert answer["facts"]["seed"] == 3
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", answer["facts"]["date"])
    assert {"report.html", "matrix.csv"} <= set(answer["facts"]["files"])
    games = client.get("/results/done/games", params={"row": "greedy", "column": "random"}).json()["games"]
    assert len(games) == 4
    match = client.get(f"/results/done/games/{games[0]['number']}").json()
    assert match["agents"] == ["greedy", "random"]
    assert match["problem"] is None
    report = client.get("/results/done/files/report.html")
    assert report.status_code == 200
    assert "script" not in report.headers["content-security-policy"]
    for path in ("/results/nothing", "/results/done/games/99999", "/results/done/files/manifest.json"):
        assert client.get(path).status_code in (404, 422), path
    for path in ("done/files/..%2f..%2f..%2fsecret.csv", "..%2f/files/secret.csv", "done/files/%2e%2e/secret.csv"):
        answer = client.get(f"/results/{path}")
        assert answer.status_code in (404, 422), path
        assert "secret\n" not in answer.text
