"""A tournament of the server's as a page shows it, finished or as far as it has come: only folders below `results/`."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from planner.arena.journal import read_journal
from planner.arena.loaded import read_manifest, read_results, read_table
from planner.arena.rerun import experiment_of
from planner.arena.schedule import schedule
from planner.arena.store import JOURNAL, MANIFEST, SUMMARY
from planner.files import PlannerError, show
from planner.results import homes
from planner.stats.intervals import wilson

GAMES_SHOWN: Final = 60


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
    for home in homes():
        for manifest in sorted(home.glob(f"*/{MANIFEST}")):
            try:
                found.setdefault(manifest.parent.name, bool(read_manifest(manifest.parent, finished=False)["finished"]))
            except PlannerError:
                continue
    return found


def folder_of(name: str) -> Path:
    """The folder of a run that `tournaments` lists; nothing else."""
    if name in tournaments():
        for home in homes():
            if (home / name / MANIFEST).is_file():
                return home / name
    raise PlannerError(f"{show(name)}: no such results")


def standing(name: str) -> Standing:
    """How it stands; read anew when a file has changed."""
    folder = folder_of(name)
    return _standing(folder, _stamp(folder))


def games_of(name: str, row: str, column: str) -> list[GameRow]:
    """The first games of one cell."""
    folder = folder_of(name)
    manifest = read_manifest(folder, finished=False)
    if not manifest["finished"]:
        return []
    table = read_table(folder / "games.parquet")
    first = "p1" if "p2" in table else next(key for key in table.columns if key not in ("game", "p1", "number"))
    second = "p2" if "p2" in table else "p1"
    chosen = table[(table[first] == row) & (table[second] == column)].head(GAMES_SHOWN)
    columns = (chosen[key] for key in ("game", "winner", "reason", "rounds"))
    return [GameRow(int(a), int(b), str(c), int(d)) for a, b, c, d in zip(*columns, strict=True)]


def _stamp(folder: Path) -> tuple[float, ...]:
    files = (folder / MANIFEST, folder / JOURNAL)
    return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in files)


@lru_cache(maxsize=8)
def _standing(folder: Path, stamp: tuple[float, ...]) -> Standing:  # noqa: ARG001  (another stamp, another file)
    manifest = read_manifest(folder, finished=False)
    if not manifest["finished"]:
        return _running(folder, manifest)
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


def _running(folder: Path, manifest: dict[str, Any]) -> Standing:
    """From the journal, which another process is writing."""
    experiment = experiment_of(folder, manifest)
    games = schedule(experiment)
    names = experiment.names
    counted: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0])
    results = read_journal(folder / JOURNAL)
    one_seat = bool(len(games)) and len(games[0].agents) == 1
    for result in results:
        fixture = games[result.place]
        row = f"setup {fixture.setup + 1}" if one_seat else names[fixture.first]
        total = counted[row, names[fixture.second]]
        total[0] += (result.winner == 0) + (0.5 if result.winner < 0 and not one_seat else 0)
        total[1] += result.rounds
        total[2] += 1
    cells = {
        key: Cell(*wilson(points, count), rounds / count, int(count))
        for key, (points, rounds, count) in counted.items()
    }
    rows = list(dict.fromkeys(key[0] for key in cells)) if one_seat else names
    return Standing(folder.name, False, len(results), len(games), rows, names, cells, [], one_seat)
