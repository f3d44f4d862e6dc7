"""The standings of the tournaments in `results/`, finished or running, as the tournament page shows them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from planner.arena.report.tournament_results import read_results, results_folders
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.journal import JournalReader
from planner.arena.tournament.rerun import experiment_of, rerun_game
from planner.arena.tournament.result_tables import read_table
from planner.arena.tournament.run_store import JOURNAL, MANIFEST, PLACES, SUMMARY, read_manifest
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError, quote
from planner.games import load_game
from planner.match_options import setup_columns
from planner.protocol.match_requests import describe_match
from planner.stats.intervals import wilson
from planner.user_code import short_error

GAMES_SHOWN: Final = 60
# The files of a tournament that visitors may read, and the fields of its manifest that a page shows.
FILES: Final = ("report.html", "matrix.csv", "summary.csv", "ratings.csv", "decisions.csv", "games.parquet")
_FACTS: Final = (
    "game",
    "rules",
    "decks",
    "games",
    "games_per_pairing",
    "seed",
    "date",
    "seconds",
    "experiment",
    "machine",
)


class Cell(NamedTuple):
    """One cell of the matrix: an agent against another, or one agent in one setup."""

    score: float
    low: float
    high: float
    rounds: float
    games: int


@dataclass(frozen=True)
class Standings:
    """A tournament so far. In the matrix, the row is the agent that moves first."""

    name: str
    finished: bool
    played: int
    total: int
    rows: list[str]
    columns: list[str]
    cells: dict[tuple[str, str], Cell]
    ratings: list[dict[str, Any]]  # agent, elo, low, high, games
    one_seat: bool


class GameRow(NamedTuple):
    """One game of a pairing."""

    number: int
    winner: int
    reason: str
    rounds: int


def facts(name: str) -> dict[str, Any]:
    """Return what a reader wants to know about a tournament: what was played, and the files that tell more."""
    folder = folder_of(name)
    manifest = read_manifest(folder, finished=False)
    kept = {key: manifest.get(key) for key in _FACTS if manifest.get(key) is not None}
    return {**kept, "files": [file for file in FILES if (folder / file).is_file()]}


def tournaments() -> dict[str, bool]:
    """Return the names of the tournaments in `results/`, and whether each is finished."""
    finished: dict[str, bool] = {}
    for folder in results_folders():
        for manifest in sorted(folder.glob(f"*/{MANIFEST}")):
            try:
                is_finished = bool(read_manifest(manifest.parent, finished=False)["finished"])
                finished.setdefault(manifest.parent.name, is_finished)
            except PlannerError:
                continue
    return finished


def folder_of(name: str) -> Path:
    """Return the folder of a tournament that `tournaments` lists; any other name is an error."""
    if name in tournaments():
        for folder in results_folders():
            if (folder / name / MANIFEST).is_file():
                return folder / name
    raise PlannerError(f"{quote(name)}: no such results")


def standings(name: str) -> Standings:
    """Return the standings of a tournament; they are read again when a file has changed."""
    folder = folder_of(name)
    manifest = read_manifest(folder, finished=False)
    with _readable(name):
        if manifest["finished"]:
            return _finished(folder, _stamp(folder))
        return _running_tournament(folder.resolve(), manifest.get("digest")).standings()


def pairing_games(name: str, row: str, column: str) -> list[GameRow]:
    """Return the first games of one cell."""
    folder = folder_of(name)
    manifest = read_manifest(folder, finished=False)
    with _readable(name):
        if not manifest["finished"]:
            return _running_tournament(folder.resolve(), manifest.get("digest")).games(row, column)
        if not (folder / "games.parquet").exists():
            raise PlannerError(f"{quote(name)}: has no games.parquet, which lists single games")
        table = read_table(folder / "games.parquet")
        first = "p1" if "p2" in table else next(key for key in table.columns if key not in ("game", "p1", "number"))
        second = "p2" if "p2" in table else "p1"
        chosen = table[(table[first] == row) & (table[second] == column)].head(GAMES_SHOWN)
        columns = (chosen[key] for key in ("game", "winner", "reason", "rounds"))
        return [GameRow(int(a), int(b), str(c), int(d)) for a, b, c, d in zip(*columns, strict=True)]


def replay_game(name: str, number: int) -> dict[str, Any]:
    """Play a game of a tournament again from its seed, and return it as the match page shows it."""
    record, problem = rerun_game(folder_of(name), number)
    return describe_match(record, problem, sum(len(turn.moves) for turn in record.turns), views=True)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Turn whatever a damaged folder raises into an error of one line."""
    try:
        yield
    except (LookupError, ValueError, TypeError, StopIteration, OSError) as error:
        raise PlannerError(f"{quote(name)}: cannot be read: {short_error(error)}") from None


def _stamp(folder: Path) -> tuple[float, ...]:
    """Return a value that changes when the tables are written again."""
    files = (folder / name for name in (MANIFEST, SUMMARY, "matrix.csv"))
    return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)


@lru_cache(maxsize=8)
def _finished(folder: Path, stamp: tuple[float, ...]) -> Standings:  # noqa: ARG001  (a new stamp makes the cache read again)
    if (folder / PLACES).exists():
        raise _no_matrix(folder)
    if (folder / SUMMARY).exists():
        table = read_table(folder / SUMMARY)
        cells = _cells(table, (table.columns[0], "agent"), ("score", "low", "high", "mean_rounds"))
        rows, columns = (list(dict.fromkeys(key[index] for key in cells)) for index in (0, 1))
        ratings = []
    else:
        results = read_results(folder)
        cells = _cells(results.matrix, ("p1_profile", "p2_profile"), ("p1_score", "p1_low", "p1_high", "avg_turns"))
        rows = columns = results.agents
        ratings = [{str(key): value for key, value in entry.items()} for entry in results.ratings.to_dict("records")]
    numbers = [value for row in (*cells.values(), *(entry.values() for entry in ratings)) for value in row]
    if not all(math.isfinite(value) for value in numbers if isinstance(value, float)):
        raise ValueError("a table has a number that is missing or infinite")
    count = sum(cell.games for cell in cells.values())
    return Standings(folder.name, True, count, count, rows, columns, cells, ratings, (folder / SUMMARY).exists())


def _cells(table: Any, key: Sequence[str], values: Sequence[str]) -> dict[tuple[str, str], Cell]:
    """Return a cell for each row of a table: `key` names its two agents or setup and agent, `values` its numbers."""
    cells = {}
    for entry in table.to_dict("records"):
        score, low, high, rounds = (float(entry[name]) for name in values)
        cells[str(entry[key[0]]), str(entry[key[1]])] = Cell(score, low, high, rounds, int(entry["games"]))
    return cells


def _no_matrix(folder: Path) -> PlannerError:
    return PlannerError(
        f"{quote(folder.name)}: games of more than two seats have no matrix of pairings; "
        f"planner report {folder.name} shows places and ratings when they are finished"
    )


class _RunningTournament:
    """A running tournament. Another process writes its journal; each call counts the new entries."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self._name, self._reader = folder.name, JournalReader(folder / JOURNAL)
        self._experiment = experiment = experiment_of(folder, manifest)
        self._schedule = schedule(experiment)
        if experiment.seats > 2:
            raise _no_matrix(folder)
        game = load_game(experiment.game, experiment.folders)
        self._setups = ["/".join(setup_columns(game, setup).values()) for setup in experiment.setups]
        self._lock = Lock()  # each visitor reads in a thread of its own
        self._reset()

    def _reset(self) -> None:
        self._counted: set[int] = set()  # positions in the schedule
        self._totals: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
        self._games: dict[tuple[str, str], list[GameRow]] = defaultdict(list)
        self._current: Standings | None = None

    def standings(self) -> Standings:
        """Return the standings: the same object as before where no game is new."""
        with self._lock:
            restarted, results = self._reader.read_new()
            if restarted:
                self._reset()
            for result in results:
                self._count(result)
            if results or self._current is None:
                self._current = self._summarise()
            return self._current

    def games(self, row: str, column: str) -> list[GameRow]:
        """Return the first games of one cell."""
        self.standings()
        with self._lock:
            return list(self._games.get((row, column), ()))

    def _count(self, result: Result) -> None:
        position = result.position
        if not 0 <= position < len(self._schedule) or position in self._counted:
            return
        self._counted.add(position)
        fixture, names = self._schedule[position], self._experiment.names
        alone = len(fixture.agents) == 1
        cell = (self._setups[fixture.setup] if alone else names[fixture.agents[0]], names[fixture.agents[-1]])
        total = self._totals[cell]
        total[0] += (result.winner == 0) + (0.5 if result.winner < 0 and not alone else 0)
        total[1] += result.rounds
        total[2] += 1
        if len(self._games[cell]) < GAMES_SHOWN:
            self._games[cell].append(GameRow(position, result.winner, result.reason, result.rounds))

    def _summarise(self) -> Standings:
        cells = {
            key: Cell(*wilson(points, count), rounds / count, int(count))
            for key, (points, rounds, count) in self._totals.items()
        }
        names, one_seat = self._experiment.names, self._experiment.seats == 1
        rows = self._setups if one_seat else names
        played = sum(cell.games for cell in cells.values())
        return Standings(self._name, False, played, len(self._schedule), rows, names, cells, [], one_seat)


@lru_cache(maxsize=8)
def _running_tournament(folder: Path, digest: str | None) -> _RunningTournament:  # noqa: ARG001
    """Return the running tournament of this folder with its counts; one with another digest starts from zero."""
    return _RunningTournament(folder, read_manifest(folder, finished=False))
