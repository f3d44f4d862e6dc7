"""The tables of a finished run. The same games give the same bytes; what a clock said stands in tables of its own."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planner.arena.experiment import Experiment
from planner.arena.journal import write_bytes
from planner.arena.result import Result, bin_edges, read_histogram
from planner.arena.schedule import Game
from planner.files import PlannerError
from planner.stats.matrix import matchup_matrix
from planner.stats.ratings import rate
from planner.stats.times import histogram_percentiles

Played = Sequence[tuple[Game, Result]]

GAMES = pa.schema(
    {
        "game": pa.int64(), "p1": pa.string(), "p2": pa.string(), "number": pa.int64(),
        "p1_deck": pa.string(), "p2_deck": pa.string(), "seed": pa.uint64(), "pair": pa.int64(),
        "winner": pa.int8(), "reason": pa.string(), "rounds": pa.int32(), "turns": pa.int32(),
        "p1_decisions": pa.int32(), "p2_decisions": pa.int32(),
    }
)  # fmt: skip
TIMES = pa.schema(
    {
        "game": pa.int64(), "seconds": pa.float64(), "p1_seconds": pa.float64(), "p2_seconds": pa.float64(),
        "p1_slowest": pa.float64(), "p2_slowest": pa.float64(),
    }
)  # fmt: skip
# The thesis's columns come first, under the thesis's names.
MATRIX = ("p1_profile", "p2_profile", "p1_wins", "p2_wins", "draws", "avg_turns", "games", "p1_score", "p1_low",
          "p1_high", "turns_low", "turns_high")  # fmt: skip


def write_tables(folder: Path, experiment: Experiment, played: Played) -> list[str]:
    """Write every table from the games in the order of the schedule; the names of the files."""
    games = games_table(experiment, played)
    frame = games.to_pandas()
    matrix = matchup_matrix(frame, experiment.names).rename(columns={"p1": "p1_profile", "p2": "p2_profile"})
    files = {
        "games.parquet": _parquet(games),
        "matrix.csv": _csv(matrix[[*MATRIX, *(column for column in matrix if column not in MATRIX)]]),
        "times.parquet": _parquet(times_table(played)),
        "decisions.csv": _csv(decision_times(experiment, played), "%.9g"),
    }
    if any(game.first != game.second for game, _ in played):  # mirrors alone say nothing about strength
        files["ratings.csv"] = _csv(rate(frame, experiment.names).table)
    for name, content in files.items():
        try:
            write_bytes(folder / name, content)
        except OSError as error:
            raise PlannerError(f"{folder / name}: {error.strerror}") from None
    return list(files)


def games_table(experiment: Experiment, played: Played) -> pa.Table:
    """One row per game."""
    names, decks = experiment.names, [deck.name for deck in experiment.decks]
    rows = [
        (game.place, names[game.first], names[game.second], game.number, decks[game.first_deck],
         decks[game.second_deck], game.seed, game.pair, result.winner, result.reason, result.rounds, result.turns,
         *result.decisions)
        for game, result in played
    ]  # fmt: skip
    return _table(rows, GAMES)


def times_table(played: Played) -> pa.Table:
    """One row per game: how long it took, and how long each agent thought."""
    rows = [
        (game.place, result.seconds, *(t.seconds for t in result.times), *(t.slowest for t in result.times))
        for game, result in played
    ]
    return _table(rows, TIMES)


def decision_times(experiment: Experiment, played: Played) -> pd.DataFrame:
    """One row per agent: how many decisions it made, and percentiles of the seconds that one took."""
    edges = np.asarray(bin_edges())
    edges[-1] = 10 * edges[-2]
    counts = np.zeros((len(experiment.agents), len(edges) - 1))
    seconds, slowest = np.zeros(len(counts)), np.zeros(len(counts))
    for game, result in played:
        for agent, times in zip((game.first, game.second), result.times, strict=True):
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
        rows.append({"agent": name, **found, "decisions": int(total), "mean": mean})
    return pd.DataFrame(rows)


def _table(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema)


def _parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


def _csv(frame: pd.DataFrame, numbers: str = "%.4f") -> bytes:
    # Rounded: the last digits of an iteration are nobody's business, and may differ between machines.
    return frame.to_csv(index=False, float_format=numbers, lineterminator="\n").encode()
