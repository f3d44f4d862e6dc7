"""The tables of a finished run. The same games give the same bytes; what a clock said stands in tables of its own."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from planner.arena.experiment import Experiment
from planner.arena.journal import write_bytes
from planner.arena.result import Result, bin_edges, read_histogram
from planner.arena.schedule import Fixture
from planner.arena.store import SUMMARY
from planner.files import PlannerError
from planner.games import load_game
from planner.stats.intervals import mean_interval, wilson
from planner.stats.matrix import matchup_matrix
from planner.stats.ratings import rate
from planner.stats.times import histogram_percentiles

Played = Sequence[tuple[Fixture, Result]]

# The thesis's columns come first, under the thesis's names.
MATRIX = ("p1_profile", "p2_profile", "p1_wins", "p2_wins", "draws", "avg_turns", "games", "p1_score", "p1_low",
          "p1_high", "turns_low", "turns_high")  # fmt: skip


def write_tables(folder: Path, experiment: Experiment, played: Played) -> list[str]:
    """Write every table from the games in the order of the schedule; the names of the files."""
    games = games_table(experiment, played)
    frame = games.to_pandas()
    files = {
        "games.parquet": _parquet(games),
        "times.parquet": _parquet(times_table(experiment, played)),
        "decisions.csv": _csv(decision_times(experiment, played), "%.9g"),
    }
    if experiment.seats == 1:
        files[SUMMARY] = _csv(summary(frame, experiment))
    else:
        matrix = matchup_matrix(frame, experiment.names).rename(columns={"p1": "p1_profile", "p2": "p2_profile"})
        files["matrix.csv"] = _csv(matrix[[*MATRIX, *(column for column in matrix if column not in MATRIX)]])
    if any(fixture.first != fixture.second for fixture, _ in played):  # mirrors alone say nothing about strength
        files["ratings.csv"] = _csv(rate(frame, experiment.names).table)
    for name, content in files.items():
        try:
            write_bytes(folder / name, content)
        except OSError as error:
            raise PlannerError(f"{folder / name}: {error.strerror}") from None
    return list(files)


def games_table(experiment: Experiment, played: Played) -> pa.Table:
    """One row per game."""
    names, columns = experiment.names, setup_columns(experiment)
    measures = list(dict.fromkeys(key for _, result in played for key in result.measures))
    seats = [f"p{seat + 1}" for seat in range(experiment.seats)]
    schema = pa.schema(
        {
            "game": pa.int64(), **dict.fromkeys(seats, pa.string()), "number": pa.int64(),
            **dict.fromkeys(columns[0], pa.string()), "seed": pa.uint64(), "pair": pa.int64(),
            "winner": pa.int8(), "reason": pa.string(), "rounds": pa.int32(), "turns": pa.int32(),
            **{f"{seat}_decisions": pa.int32() for seat in seats}, **dict.fromkeys(measures, pa.float64()),
        }
    )  # fmt: skip
    rows = [
        (fixture.place, *(names[agent] for agent in fixture.agents), fixture.number, *columns[fixture.setup].values(),
         fixture.seed, fixture.pair, result.winner, result.reason, result.rounds, result.turns, *result.decisions,
         *(result.measures.get(key) for key in measures))
        for fixture, result in played
    ]  # fmt: skip
    return _table(rows, schema)


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


def times_table(experiment: Experiment, played: Played) -> pa.Table:
    """One row per game: how long it took, and how long each agent thought."""
    seats = [f"p{seat + 1}" for seat in range(experiment.seats)]
    columns = ("game", "seconds", *(f"{seat}_seconds" for seat in seats), *(f"{seat}_slowest" for seat in seats))
    rows = [
        (fixture.place, result.seconds, *(t.seconds for t in result.times), *(t.slowest for t in result.times))
        for fixture, result in played
    ]
    return _table(rows, pa.schema([(name, pa.int64() if name == "game" else pa.float64()) for name in columns]))


def decision_times(experiment: Experiment, played: Played) -> pd.DataFrame:
    """One row per agent: how many decisions it made, and percentiles of the seconds that one took."""
    edges = np.asarray(bin_edges())
    edges[-1] = 10 * edges[-2]
    counts = np.zeros((len(experiment.agents), len(edges) - 1))
    seconds, slowest = np.zeros(len(counts)), np.zeros(len(counts))
    for fixture, result in played:
        for agent, times in zip(fixture.agents, result.times, strict=True):
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
