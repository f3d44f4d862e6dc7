"""A tournament of the server's as a page shows it, finished or as far as it has come: only folders below `results/`."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, NamedTuple

from planner.arena.report.tournament_results import read_results, results_folders
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.journal import JournalReader
from planner.arena.tournament.rerun import experiment_of
from planner.arena.tournament.result_tables import read_table
from planner.arena.tournament.run_store import JOURNAL, MANIFEST, SUMMARY, read_manifest
from planner.arena.tournament.schedule import schedule
from planner.errors import PlannerError, quote
from planner.games import load_game
from planner.stats.intervals import wilson
from planner.user_code import short_error

GAMES_SHOWN: Final = 60
_MOST_RUNNING: Final = 8  # runs that are kept in memory as far as they were counted


class Cell(NamedTuple):
    """What an agent did against another, or alone from one setup."""

    score: float
    low: float
    high: float
    rounds: float
    games: int


@dataclass(frozen=True)
class Standing:
    """A tournament so far. In the square the first seat's agent is the row."""

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


def tournaments() -> dict[str, bool]:
    """The names of the runs below `results/`, and whether each is finished."""
    found: dict[str, bool] = {}
    for home in results_folders():
        for manifest in sorted(home.glob(f"*/{MANIFEST}")):
            try:
                found.setdefault(manifest.parent.name, bool(read_manifest(manifest.parent, finished=False)["finished"]))
            except PlannerError:
                continue
    return found


def folder_of(name: str) -> Path:
    """The folder of a run that `tournaments` lists; nothing else."""
    if name in tournaments():
        for home in results_folders():
            if (home / name / MANIFEST).is_file():
                return home / name
    raise PlannerError(f"{quote(name)}: no such results")


def standing(name: str) -> Standing:
    """How it stands; read anew when a file has changed."""
    folder = folder_of(name)
    manifest = read_manifest(folder, finished=False)
    with _readable(name):
        return _finished(folder, _stamp(folder)) if manifest["finished"] else _growing(folder, manifest).standing()


def games_of(name: str, row: str, column: str) -> list[GameRow]:
    """The first games of one cell."""
    folder = folder_of(name)
    manifest = read_manifest(folder, finished=False)
    with _readable(name):
        if not manifest["finished"]:
            return _growing(folder, manifest).games(row, column)
        if not (folder / "games.parquet").exists():
            raise PlannerError(f"{quote(name)}: has no games.parquet: its games are not known one by one")
        table = read_table(folder / "games.parquet")
        first = "p1" if "p2" in table else next(key for key in table.columns if key not in ("game", "p1", "number"))
        second = "p2" if "p2" in table else "p1"
        chosen = table[(table[first] == row) & (table[second] == column)].head(GAMES_SHOWN)
        columns = (chosen[key] for key in ("game", "winner", "reason", "rounds"))
        return [GameRow(int(a), int(b), str(c), int(d)) for a, b, c, d in zip(*columns, strict=True)]


@contextmanager
def _readable(name: str) -> Iterator[None]:
    """Whatever a broken folder leads to is one line."""
    try:
        yield
    except (LookupError, ValueError, TypeError, StopIteration, OSError) as error:
        raise PlannerError(f"{quote(name)}: cannot be read: {short_error(error)}") from None


def _stamp(folder: Path) -> tuple[float, ...]:
    """What changes when tables are written anew."""
    files = (folder / name for name in (MANIFEST, SUMMARY, "matrix.csv"))
    return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)


@lru_cache(maxsize=8)
def _finished(folder: Path, stamp: tuple[float, ...]) -> Standing:  # noqa: ARG001  (another stamp, other tables)
    if (folder / SUMMARY).exists():
        table = read_table(folder / SUMMARY)
        setup = str(table.columns[0])
        cells = {
            (str(one[setup]), str(one["agent"])): _cell(one, "score", "low", "high", "mean_rounds")
            for one in table.to_dict("records")
        }
        rows, columns = (list(dict.fromkeys(key[place] for key in cells)) for place in (0, 1))
        count = sum(cell.games for cell in cells.values())
        return Standing(folder.name, True, count, count, rows, columns, cells, [], one_seat=True)
    results = read_results(folder)
    cells = {
        (str(one["p1_profile"]), str(one["p2_profile"])): _cell(one, "p1_score", "p1_low", "p1_high", "avg_turns")
        for one in results.matrix.to_dict("records")
    }
    ratings = [{str(key): value for key, value in one.items()} for one in results.ratings.to_dict("records")]
    count = sum(cell.games for cell in cells.values())
    return Standing(folder.name, True, count, count, results.agents, results.agents, cells, ratings, one_seat=False)


def _cell(row: Any, *names: str) -> Cell:
    score, low, high, rounds = (float(row[name]) for name in names)
    return Cell(score, low, high, rounds, int(row["games"]))


class _Growing:
    """A run that goes on: its journal, which another process writes, is counted on from where it was left."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self._name, self._reader = folder.name, JournalReader(folder / JOURNAL)
        self._experiment = experiment = experiment_of(folder, manifest)
        self._schedule = schedule(experiment)
        game = load_game(experiment.game, experiment.folders)
        self._setups = ["/".join(game.setup_columns(setup).values()) for setup in experiment.setups]
        self._reading = Lock()  # visitors look at the same time, each in a thread
        self._begin()

    def _begin(self) -> None:
        self._seen = bytearray()  # by place in the schedule: is it counted?
        self._counted: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
        self._games: dict[tuple[str, str], list[GameRow]] = defaultdict(list)
        self._shown: Standing | None = None

    def standing(self) -> Standing:
        """How it stands; the same value where nothing is new."""
        with self._reading:
            anew, results = self._reader.news()
            if anew:
                self._begin()
            for result in results:
                self._count(result)
            if results or self._shown is None:
                self._shown = self._summed_up()
            return self._shown

    def games(self, row: str, column: str) -> list[GameRow]:
        """The first games of one cell."""
        self.standing()
        with self._reading:
            return list(self._games.get((row, column), ()))

    def _count(self, result: Result) -> None:
        place = result.position
        if not 0 <= place < len(self._schedule):
            return
        self._seen.extend(bytes(max(0, place + 1 - len(self._seen))))
        if self._seen[place]:
            return
        self._seen[place] = 1
        fixture, names = self._schedule[place], self._experiment.names
        alone = len(fixture.agents) == 1
        cell = (self._setups[fixture.setup] if alone else names[fixture.first], names[fixture.second])
        total = self._counted[cell]
        total[0] += (result.winner == 0) + (0.5 if result.winner < 0 and not alone else 0)
        total[1] += result.rounds
        total[2] += 1
        if len(self._games[cell]) < GAMES_SHOWN:
            self._games[cell].append(GameRow(place, result.winner, result.reason, result.rounds))

    def _summed_up(self) -> Standing:
        cells = {
            key: Cell(*wilson(points, count), rounds / count, int(count))
            for key, (points, rounds, count) in self._counted.items()
        }
        names, one_seat = self._experiment.names, self._experiment.seats == 1
        rows = self._setups if one_seat else names
        played = sum(cell.games for cell in cells.values())
        return Standing(self._name, False, played, len(self._schedule), rows, names, cells, [], one_seat)


_running: OrderedDict[tuple[Path, str], _Growing] = OrderedDict()
_finding = Lock()


def _growing(folder: Path, manifest: dict[str, Any]) -> _Growing:
    """The run in this folder, as far as it was read before; another experiment in it is another run."""
    key = (folder.resolve(), str(manifest.get("digest")))
    with _finding:
        if key not in _running:
            _running[key] = _Growing(folder, manifest)
        _running.move_to_end(key)
        while len(_running) > _MOST_RUNNING:
            _running.popitem(last=False)
        return _running[key]
