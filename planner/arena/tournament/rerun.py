"""Play a game of a tournament again from its seed, and compare it with the table or the journal."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from planner.arena.match.record import MatchRecord
from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.experiment_file import read_experiment
from planner.arena.tournament.game_result import Result, result_of
from planner.arena.tournament.game_worker import FixturePlayer
from planner.arena.tournament.journal import find_result
from planner.arena.tournament.result_tables import read_table
from planner.arena.tournament.run_store import JOURNAL, read_manifest
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError
from planner.formats.documents import shipped_folder

if TYPE_CHECKING:
    import pandas as pd

_COMPARED: Final = ("winner", "reason", "rounds", "turns")


def rerun_game(folder: Path, number: int) -> tuple[MatchRecord, str | None]:
    """Play the game with this number again; also return the first difference from the table or journal, if any."""
    manifest = read_manifest(folder, finished=False)
    finished = bool(manifest["finished"])
    row = _finished_row(folder, number) if finished else _running_row(folder, number)
    experiment = experiment_of(folder, manifest)
    games = schedule(experiment)
    if number >= len(games):
        raise PlannerError(f"{folder}: game {number} does not exist; the experiment has {len(games)} games")
    fixture = games[number]
    scheduled: dict[str, Any] = {"seed": fixture.seed, "number": fixture.number}
    scheduled |= {f"p{seat + 1}": experiment.names[agent] for seat, agent in enumerate(fixture.agents)}
    with closing(FixturePlayer(experiment)) as player:
        record = player.match(fixture, digests=True)
    if problem := _difference(scheduled, row):
        return record, f"the schedule: {problem}"
    return record, _difference(_row(result_of(number, record, 0.0)), row, "table" if finished else "journal")


def game_numbers(folder: Path) -> list[int]:
    """Return the numbers of the games of a finished run."""
    read_manifest(folder)
    return [int(number) for number in _games_table(folder)["game"]]


def _finished_row(folder: Path, number: int) -> dict[str, Any]:
    """Return the row of this game in the table."""
    games = _games_table(folder)
    rows = games[games["game"] == number]
    if not len(rows):
        raise PlannerError(f"{folder}: game {number} does not exist; games are 0 to {int(games['game'].max())}")
    return {str(key): value for key, value in rows.iloc[0].items()}


def _games_table(folder: Path) -> pd.DataFrame:
    if not (folder / "games.parquet").exists():
        raise PlannerError(f"{folder}: has no games.parquet, so its individual games are not known")
    return read_table(folder / "games.parquet")


def _running_row(folder: Path, number: int) -> dict[str, Any]:
    """Return the row of this game from the journal of an unfinished run."""
    result = find_result(folder / JOURNAL, number)
    if result is None:
        raise PlannerError(f"{folder}: game {number} has not been played yet")
    return _row(result)


def _row(result: Result) -> dict[str, Any]:
    row: dict[str, Any] = {key: getattr(result, key) for key in _COMPARED}
    row |= {f"p{seat + 1}_decisions": count for seat, count in enumerate(result.decisions)}
    row |= {f"p{seat + 1}_place": place for seat, place in enumerate(result.places)}
    row |= {f"p{seat + 1}_forfeit": reason for seat, reason in enumerate(result.forfeits or ("",) * len(result.places))}
    return row | dict(result.measures)


def experiment_of(folder: Path, manifest: dict[str, Any]) -> Experiment:
    """Return the experiment of a run from the text in its manifest; files that it names must exist here."""
    if not isinstance(manifest.get("experiment"), str) or not manifest["experiment"]:
        raise PlannerError(f"{folder}/manifest.json: does not contain the experiment, so games cannot be played again")
    name = str(manifest.get("name"))
    shipped = shipped_folder("experiments") / f"{name}.yaml"
    experiment = read_experiment(manifest["experiment"], shipped if shipped.exists() else Path(f"{name}.yaml"))
    experiment = replace(experiment, seed=manifest.get("seed", experiment.seed))  # the file may have had another one
    return experiment.with_games(int(manifest.get("games_per_pairing", experiment.games)))


def _difference(actual: dict[str, Any], row: dict[str, Any], source: str = "table") -> str | None:
    for key, value in actual.items():
        if key in row and row[key] != value:
            return f"{key}: {row[key]} in the {source}, {value} when played again"
    return None
