"""The same experiment gives the same tables, for any number of workers, any order and any interruptions."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.game_worker import FixturePlayer
from planner.arena.tournament.run_store import JOURNAL, Store
from planner.arena.tournament.runner import run_tournament
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from planner.games.hearthstone.engine import engine_id
from tests.arena.tournaments import ROOT, left_behind, rows, small, tables

FILE = """
name: killed
rules: thesis
decks: {first: thesis_paladin, second: thesis_warrior}
agents: [random, greedy, {name: other, agent: random}]
games: 30
seed: 3
"""
PROGRAM = "import sys; from planner.cli import main; sys.exit(main(sys.argv[1:]))"


def start(file: Path, out: Path, mark: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "tournament", str(file), "--out", str(out), "--resume", "--workers", "2"],
        env={**os.environ, "PLANNER_TEST_MARK": mark},
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def test_killed_three_times_and_resumed(tmp_path: Path) -> None:
    from planner.arena.tournament.experiment_file import load_experiment

    file, mark = tmp_path / "killed.yaml", uuid.uuid4().hex
    file.write_text(FILE, encoding="utf-8")
    out, journal = tmp_path / "out", tmp_path / "out" / "killed" / JOURNAL
    for number in range(3):
        process = start(file, out, mark)
        goal = lines(journal) + 20 + 15 * number
        while lines(journal) < goal:
            assert process.poll() is None, process.communicate()[0]
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if number == 1:  # as if the power had gone within a line
            content = journal.read_bytes()
            journal.write_bytes(content[: len(content) - 17])
        assert not (out / "killed" / "games.parquet").exists()
    process = start(file, out, mark)
    text, _ = process.communicate(timeout=100)
    assert process.returncode == 0, text
    alone = run_tournament(load_experiment(file), tmp_path / "alone", workers=1)
    assert tables(out / "killed") == tables(alone)
    assert left_behind(mark) == []  # workers end with the process that started them


def test_number_of_workers_does_not_matter(tmp_path: Path) -> None:
    experiment = small("random", "greedy", games=20)
    first, second = (run_tournament(experiment, tmp_path / str(n), workers=n) for n in (1, 2))
    assert tables(first) == tables(second)


@pytest.mark.parametrize("formulation", ["exact", "thesis"])
def test_games_of_planners_do_not_depend_on_earlier_games(formulation: str) -> None:
    """Solvers keep state between solves; it must not affect games."""
    from planner.agents.agent_spec import agent_spec
    from planner.arena.tournament.experiment import Entry

    names = ("aggro_face", "board_clear", "true_balanced")
    agents = tuple(Entry(name, agent_spec(name, formulation=formulation)) for name in names)
    experiment = small(games=1, agents=agents)
    games = schedule(experiment)[1:6]

    def results(order: slice) -> list[tuple[object, ...]]:
        player = FixturePlayer(experiment)
        return sorted(player.play(game)[:6] for game in games[order])

    assert results(slice(None)) == results(slice(None, None, -1))


def test_resume_of_a_finished_run_writes_the_tables_again(tmp_path: Path) -> None:
    experiment = small()
    folder = run_tournament(experiment, tmp_path, workers=1)
    before, manifest = tables(folder), (folder / "manifest.json").read_bytes()
    (folder / "games.parquet").unlink()
    with pytest.raises(PlannerError, match="already finished; --resume writes its tables again"):
        run_tournament(experiment, tmp_path, workers=1)
    run_tournament(experiment, tmp_path, workers=1, resume=True)
    assert tables(folder) == before
    assert (folder / "manifest.json").read_bytes() == manifest


def test_different_experiment_is_refused(tmp_path: Path) -> None:
    def refused(other: Experiment, resume: bool) -> str:
        with pytest.raises(PlannerError, match="different experiment") as caught:
            run_tournament(other, tmp_path, resume=resume)
        return str(caught.value)

    folder = run_tournament(small(), tmp_path, workers=1)
    before = tables(folder)
    for other in (small(seed=8), small(games=3), small("random", "random:Random")):
        if not other.agents[1].spec.is_user_code:
            assert "\n" not in refused(other, resume=True)
            refused(other, resume=False)
    assert tables(folder) == before


def test_only_one_run_at_a_time(tmp_path: Path) -> None:
    with Store(tmp_path / "small", small()), pytest.raises(PlannerError, match="another run is using this folder"):
        run_tournament(small(), tmp_path, resume=True)


@pytest.mark.parametrize(("finished", "how"), [(False, "begun"), (True, "played")])
def test_another_solver_version_is_refused(finished: bool, how: str, tmp_path: Path) -> None:
    with Store(tmp_path / "small", small()) as store:
        store.append([Result(position, 0, "damage", 5, 9, (9, 9)) for position in range(8)], 1.0)
        if finished:
            store.finish(1, 8)
    manifest = tmp_path / "small" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"highspy": "', '"highspy": "0.'), encoding="utf-8")
    with pytest.raises(PlannerError, match=rf"was {how} with highspy 0\.\d.*need the same version"):
        run_tournament(small(), tmp_path, resume=True)


@pytest.mark.parametrize("recorded", [None, "0123456789abcdef"])
def test_another_engine_is_refused(recorded: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from planner.arena.tournament import run_store

    with Store(tmp_path / "small", small()) as store:
        assert store.manifest["engine"] == engine_id()
        store.append([Result(position, 0, "damage", 5, 9, (9, 9)) for position in range(8)], 1.0)
        store.manifest["engine"] = recorded
        store._write_manifest()
    monkeypatch.setattr(run_store, "engine_of", lambda _: "fedcba9876543210")
    before = "with engine 01234567" if recorded else "without an engine"
    with pytest.raises(PlannerError, match=f"was begun {before}, this is a run with engine fedcba98; all games"):
        run_tournament(small(), tmp_path, resume=True)


@pytest.mark.parametrize("damage", [{"versions": 1}, {"versions": []}, {"sources": []}])
def test_damaged_manifest_is_one_line(damage: dict[str, object], tmp_path: Path) -> None:
    with Store(tmp_path / "small", small()) as store:
        store.append([Result(0, 0, "damage", 5, 9, (9, 9))], 1.0)
        store.manifest |= damage
        store._write_manifest()
    with pytest.raises(PlannerError, match="is not the manifest of a run"):
        Store(tmp_path / "small", small(), resume=True)


def test_run_that_does_not_record_its_engine_can_be_resumed(tmp_path: Path) -> None:
    """Manifests did not record the engine at first."""
    with Store(tmp_path / "small", small()) as store:
        store.append([Result(0, 0, "damage", 5, 9, (9, 9))], 1.0)
        del store.manifest["engine"]
        store._write_manifest()
    with Store(tmp_path / "small", small(), resume=True) as store:
        assert len(store.results) == 1


def test_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "thesis.docx").write_text("mine", encoding="utf-8")
    with pytest.raises(PlannerError, match=r"contains thesis\.docx, but no run"):
        run_tournament(small(), tmp_path)


@pytest.mark.parametrize("study", ["thesis", "effects"])
def test_columns_are_those_of_the_committed_studies(study: str, tmp_path: Path) -> None:
    folder = run_tournament(small(), tmp_path, workers=1)
    committed = ROOT / "results" / study
    assert pq.read_schema(folder / "games.parquet") == pq.read_schema(committed / "games.parquet")
    for name in ("matrix.csv", "ratings.csv"):
        headers = [(where / name).read_text(encoding="utf-8").splitlines()[0] for where in (folder, committed)]
        assert headers[0] == headers[1]


def test_games_table(tmp_path: Path) -> None:
    experiment = small("random", "greedy", games=2)
    played = rows(run_tournament(experiment, tmp_path, workers=2))
    assert [row["game"] for row in played] == list(range(8))
    assert {(row["p1_deck"], row["p2_deck"]) for row in played} == {("Thesis paladin", "Thesis warrior")}
    for game, row in zip(schedule(experiment), played, strict=True):
        assert (row["seed"], row["pair"], row["number"]) == (game.seed, game.pair, game.number)
        assert row["winner"] in (0, 1)
        assert row["turns"] in (2 * row["rounds"], 2 * row["rounds"] - 1)
        assert row["p1_decisions"] >= row["rounds"] >= 5
