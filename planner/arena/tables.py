"""The tables of a finished run. The same games give the same bytes; what a clock said stands in tables of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planner.arena.card_table import CARDS, DECKS, card_table, deck_matrix
from planner.arena.experiment import Experiment
from planner.arena.journal import replacing, write_bytes
from planner.arena.result import Result, bin_edges, read_histogram
from planner.arena.schedule import Fixture, schedule
from planner.arena.store import SUMMARY
from planner.errors import PlannerError
from planner.games import load_game
from planner.stats.intervals import mean_interval, wilson
from planner.stats.matrix import matchup_matrix
from planner.stats.ratings import rate
from planner.stats.times import histogram_percentiles

_BLOCK: Final = 1 << 15  # games that are rows of Python objects at a time
_ROW_GROUP: Final = 1 << 20  # games in a part of a Parquet file: what the format's own writer takes

# The thesis's columns come first, under the thesis's names.
MATRIX = ("p1_profile", "p2_profile", "p1_wins", "p2_wins", "draws", "avg_turns", "games", "p1_score", "p1_low",
          "p1_high", "turns_low", "turns_high")  # fmt: skip


class FinishedGames:
    """The first `count` games of the schedule with their results, read from where they are kept each time."""

    def __init__(self, experiment: Experiment, results: Mapping[int, Result], count: int) -> None:
        self.games, self.results, self.count = schedule(experiment), results, count

    def __iter__(self) -> Iterator[tuple[Fixture, Result]]:
        return ((game, self.results[game.place]) for game in islice(self.games, self.count))


def write_tables(folder: Path, experiment: Experiment, results: Mapping[int, Result], count: int) -> None:
    """Write every table from the first `count` games in the order of the schedule.

    However many there are, only a block of them is in memory at a time, and of all of them what `matrix.csv` needs.
    """
    played = FinishedGames(experiment, results, count)
    decisions, measures = _survey(experiment, played)
    write_csv(folder / "decisions.csv", decisions, "%.9g")
    games = games_schema(experiment, measures)
    with ExitStack() as files:
        tables = [
            (files.enter_context(parquet(folder / "games.parquet", games)), games_row(experiment, measures)),
            (files.enter_context(parquet(folder / "times.parquet", times_schema(experiment))), times_row),
        ]
        for fixture, result in played:
            for table, row in tables:
                table.add(row(fixture, result))
    unused = {"game", "number", "seed", "pair", "reason", "turns"}
    if experiment.seats > 1:
        unused |= {"p1_decisions", "p2_decisions", *measures}
    columns = [name for name in games.names if name not in unused]
    frame = pq.read_table(folder / "games.parquet", columns=columns).to_pandas()
    if experiment.seats == 1:
        write_csv(folder / SUMMARY, summary(frame, experiment))
    else:
        _write_matrix(folder, experiment, frame)
    for name, found in ((DECKS, deck_matrix(frame)), (CARDS, card_table(experiment, played))):
        if found is not None:
            write_csv(folder / name, found)


def _write_matrix(folder: Path, experiment: Experiment, frame: pd.DataFrame) -> None:
    matrix = matchup_matrix(frame, experiment.names).rename(columns={"p1": "p1_profile", "p2": "p2_profile"})
    write_csv(folder / "matrix.csv", matrix[[*MATRIX, *(column for column in matrix if column not in MATRIX)]])
    if (frame["p1"] != frame["p2"]).any():  # mirrors alone say nothing about strength
        write_csv(folder / "ratings.csv", rate(frame, experiment.names).table)


def games_schema(experiment: Experiment, measures: Iterable[str]) -> pa.Schema:
    """The columns of the games: one row per game."""
    seats = [f"p{seat + 1}" for seat in range(experiment.seats)]
    return pa.schema(
        {
            "game": pa.int64(), **dict.fromkeys(seats, pa.string()), "number": pa.int64(),
            **dict.fromkeys(setup_columns(experiment)[0], pa.string()), "seed": pa.uint64(), "pair": pa.int64(),
            "winner": pa.int8(), "reason": pa.string(), "rounds": pa.int32(), "turns": pa.int32(),
            **{f"{seat}_decisions": pa.int32() for seat in seats}, **dict.fromkeys(measures, pa.float64()),
        }
    )  # fmt: skip


def games_row(experiment: Experiment, measures: Iterable[str]) -> Callable[[Fixture, Result], tuple[Any, ...]]:
    """What makes a row of the games."""
    names, setups = experiment.names, [tuple(columns.values()) for columns in setup_columns(experiment)]

    def row(fixture: Fixture, result: Result) -> tuple[Any, ...]:
        return (
            fixture.place, *(names[agent] for agent in fixture.agents), fixture.number, *setups[fixture.setup],
            fixture.seed, fixture.pair, result.winner, result.reason, result.rounds, result.turns, *result.decisions,
            *(result.measures.get(key) for key in measures),
        )  # fmt: skip

    return row


def setup_columns(experiment: Experiment) -> list[Mapping[str, str]]:
    """What tables say about each setup."""
    return [load_game(experiment.game, experiment.folders).setup_columns(setup) for setup in experiment.setups]


def summary(frame: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Where there is one seat: per setup and agent the share of games won and means of the rest, with intervals."""
    keys = [*setup_columns(experiment)[0], "p1"]
    first = [*frame.columns].index("p1_decisions")
    counted = ["rounds", *frame.columns[first:]]
    rows: list[dict[str, Any]] = []
    for found, group in frame.groupby(keys, sort=False):
        won, games = int((group["winner"] == 0).sum()), len(group)
        score, low, high = wilson(won, games)
        row = {**dict(zip(keys, found, strict=True)), "games": games, "won": won, "score": score, "low": low,
               "high": high}  # fmt: skip
        for column in counted:
            row[f"mean_{column}"], row[f"{column}_low"], row[f"{column}_high"] = mean_interval(group[column])
        rows.append(row)
    return pd.DataFrame(rows).rename(columns={"p1": "agent"})


def times_schema(experiment: Experiment) -> pa.Schema:
    """One row per game: how long it took, and how long each agent thought."""
    seats = [f"p{seat + 1}" for seat in range(experiment.seats)]
    columns = ("seconds", *(f"{seat}_seconds" for seat in seats), *(f"{seat}_slowest" for seat in seats))
    return pa.schema({"game": pa.int64(), **dict.fromkeys(columns, pa.float64())})


def times_row(fixture: Fixture, result: Result) -> tuple[Any, ...]:
    """A row of the times."""
    return fixture.place, result.seconds, *(t.seconds for t in result.times), *(t.slowest for t in result.times)


def _survey(experiment: Experiment, played: FinishedGames) -> tuple[pd.DataFrame, list[str]]:
    """One row per agent: its decisions, those that took thought, and the seconds of these; and what games measure."""
    edges = np.asarray(bin_edges())
    edges[-1] = 10 * edges[-2]
    counts = np.zeros((len(experiment.agents), len(edges) - 1))
    seconds, slowest = np.zeros(len(counts)), np.zeros(len(counts))
    decisions = [0] * len(counts)
    measures: dict[str, None] = {}
    for fixture, result in played:
        measures |= dict.fromkeys(result.measures)
        for agent, made, times in zip(fixture.agents, result.decisions, result.times, strict=True):
            decisions[agent] += made
            seconds[agent] += times.seconds
            slowest[agent] = max(slowest[agent], times.slowest)
            for number, count in read_histogram(times.histogram):
                counts[agent, number] += count
    rows: list[dict[str, Any]] = []
    for agent, name in enumerate(experiment.names):
        total = counts[agent].sum()
        found = histogram_percentiles(edges, counts[agent], slowest[agent])
        # The mean is known exactly, unlike the percentiles.
        mean = seconds[agent] / total if total else math.nan
        thought = {"decisions": decisions[agent], "thought": int(total), "mean": mean}
        rows.append({"agent": name, **thought, **{key: found[key] for key in found if key not in thought}})
    return pd.DataFrame(rows), list(measures)


class ParquetRows:
    """A Parquet file that grows row by row."""

    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self.writer, self.schema = writer, schema
        self.rows: list[tuple[Any, ...]] = []
        self.blocks: list[pa.Table] = []

    def add(self, row: tuple[Any, ...]) -> None:
        """One more row."""
        self.rows.append(row)
        if len(self.rows) == _BLOCK:
            self._pack()
            if len(self.blocks) == _ROW_GROUP // _BLOCK:
                self._write()

    def close(self) -> None:
        """Write what is left."""
        if self.rows:
            self._pack()
        if self.blocks:
            self._write()

    def _pack(self) -> None:
        columns = zip(*self.rows, strict=True)
        arrays = [pa.array(column, kind) for column, kind in zip(columns, self.schema.types, strict=True)]
        self.blocks.append(pa.table(arrays, self.schema))
        self.rows = []

    def _write(self) -> None:
        # In one piece: the bytes must not depend on the size of our blocks.
        self.writer.write_table(pa.concat_tables(self.blocks).combine_chunks())
        self.blocks = []


@contextmanager
def parquet(path: Path, schema: pa.Schema) -> Iterator[ParquetRows]:
    """A Parquet file at `path`, there when all its rows are."""
    with _refused(path), replacing(path) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        rows = ParquetRows(writer, schema)
        yield rows
        rows.close()


def write_csv(path: Path, frame: pd.DataFrame, numbers: str = "%.4f") -> None:
    """A CSV file."""
    # Rounded: the last digits of an iteration are nobody's business, and may differ between machines.
    with _refused(path):
        write_bytes(path, frame.to_csv(index=False, float_format=numbers, lineterminator="\n").encode())


@contextmanager
def _refused(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror or error}; --resume writes the tables anew") from None
