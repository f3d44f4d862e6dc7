"""A game of a tournament once more: from its seed, and compared with what the table, or the journal, says."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from planner.arena.match.record import MatchRecord
from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.experiment_file import read_experiment
from planner.arena.tournament.game_result import Result, result_of
from planner.arena.tournament.game_worker import FixturePlayer
from planner.arena.tournament.journal import find_result
from planner.arena.tournament.result_tables import read_table
from planner.arena.tournament.run_store import JOURNAL, read_manifest
from planner.arena.tournament.schedule import Fixture, schedule
from planner.errors import PlannerError
from planner.formats.documents import shipped_folder

_DECIDED: Final = ("winner", "reason", "rounds", "turns")


def rerun_game(folder: Path, number: int) -> tuple[MatchRecord, str | None]:
    """The game of this number, played again; and where it differs from the table or the journal, if it does."""
    manifest = read_manifest(folder, finished=False)
    finished = bool(manifest["finished"])
    row = _finished_row(folder, number) if finished else _running_row(folder, number)
    experiment = experiment_of(folder, manifest)
    games = schedule(experiment)
    if number >= len(games):
        raise PlannerError(f"{folder}: its experiment has {len(games)} games, so {number} is not one of them")
    fixture = games[number]
    planned: dict[str, Any] = {"seed": fixture.seed, "number": fixture.number}
    planned |= {f"p{seat + 1}": experiment.names[agent] for seat, agent in enumerate(fixture.agents)}
    record = _played(experiment, fixture)
    if problem := _difference(planned, row):
        return record, f"the schedule: {problem}"
    return record, _difference(_row(result_of(number, record, 0.0)), row, "table" if finished else "journal")


def _finished_row(folder: Path, number: int) -> dict[str, Any]:
    """What the table says of this game."""
    if not (folder / "games.parquet").exists():
        raise PlannerError(f"{folder}: has no games.parquet: its games are not known one by one")
    games_played = read_table(folder / "games.parquet")
    rows = games_played[games_played["game"] == number]
    if not len(rows):
        raise PlannerError(f"{folder}: there is no game {number}; they are 0 to {int(games_played['game'].max())}")
    return {str(key): value for key, value in rows.iloc[0].items()}


def _running_row(folder: Path, number: int) -> dict[str, Any]:
    """What the journal of a run that goes on says of it."""
    found = find_result(folder / JOURNAL, number)
    if found is None:
        raise PlannerError(f"{folder}: game {number} is not played yet")
    return _row(found)


def _row(result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {key: getattr(result, key) for key in _DECIDED}
    row |= {f"p{seat + 1}_decisions": count for seat, count in enumerate(result.decisions)}
    return row | dict(result.measures)


def experiment_of(folder: Path, manifest: dict[str, Any]) -> Experiment:
    """The experiment behind a table, from the text that its manifest keeps; files that it names are looked for here."""
    if not isinstance(manifest.get("experiment"), str) or not manifest["experiment"]:
        raise PlannerError(f"{folder}/manifest.json: does not hold the experiment, so no game can be played again")
    name = str(manifest.get("name"))
    ours = shipped_folder("experiments") / f"{name}.yaml"
    experiment = read_experiment(manifest["experiment"], ours if ours.exists() else Path(f"{name}.yaml"))
    return experiment.with_games(int(manifest.get("games_per_pairing", experiment.games)))


def _played(experiment: Experiment, fixture: Fixture) -> MatchRecord:
    player = FixturePlayer(experiment)
    try:
        return player.match(fixture, digests=True)
    finally:
        player.close()


def _difference(actual: dict[str, Any], row: dict[str, Any], source: str = "table") -> str | None:
    for key, value in actual.items():
        if key in row and row[key] != value:
            return f"{key}: the {source} says {row[key]}, played again it is {value}"
    return None
