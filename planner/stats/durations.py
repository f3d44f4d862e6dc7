"""Match lengths in rounds and decision times in seconds: means, quantiles and distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from planner.stats.games_table import check, in_order, require_columns, seat_columns
from planner.stats.intervals import LEVEL, mean_interval

LENGTH_COLUMNS = ("games", "mean", "low", "high", "deviation", "min", "p10", "q25", "median", "q75", "p90", "max")


def length_summary(rounds: ArrayLike, level: float = LEVEL) -> dict[str, float]:
    """Return the mean with Student's interval, standard deviation, extremes and quantiles; nan without games."""
    values = np.asarray(rounds, np.float64)
    if not values.size:
        return dict(zip(LENGTH_COLUMNS, [0, *[float("nan")] * (len(LENGTH_COLUMNS) - 1)], strict=True))
    deviation = float(values.std(ddof=1)) if values.size > 1 else float("nan")
    quantiles = [float(q) for q in np.quantile(values, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1])]
    return dict(zip(LENGTH_COLUMNS, [values.size, *mean_interval(values, level), deviation, *quantiles], strict=True))


def length_distribution(games: pd.DataFrame) -> pd.DataFrame:
    """Return for each number of rounds that occurred: rounds, games, their share, and the cumulative share."""
    check(games, "rounds")
    rounds, counts = np.unique(games["rounds"].to_numpy(np.int64), return_counts=True)
    share = counts / max(counts.sum(), 1)
    return pd.DataFrame({"rounds": rounds, "games": counts, "share": share, "over": np.cumsum(share)})


def length_by_agent(games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL) -> pd.DataFrame:
    """Return the summary for the games of each agent, from any seat; a mirror match counts once."""
    require_columns(games, "p1", "rounds")
    rows, seats = [], games[seat_columns(games)]
    for agent in in_order(games, order):
        own = games.loc[(seats == agent).any(axis=1), "rounds"]
        rows.append({"agent": agent, **length_summary(own.to_numpy(np.float64), level)})
    return pd.DataFrame(rows, columns=["agent", *LENGTH_COLUMNS]).astype({"games": int})


PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
TIME_COLUMNS = ("decisions", "mean", *PERCENTILES, "max")


def time_percentiles(seconds: ArrayLike) -> dict[str, float]:
    """Return the number and mean of the times, p50, p90, p95, p99 (interpolated linearly) and the maximum."""
    values = np.asarray(seconds, np.float64)
    if not values.size:
        return _no_times()
    percentiles = [float(q) for q in np.quantile(values, [*PERCENTILES.values(), 1.0])]
    return dict(zip(TIME_COLUMNS, [values.size, float(values.mean()), *percentiles], strict=True))


def histogram_percentiles(edges: ArrayLike, counts: ArrayLike, longest: float | None = None) -> dict[str, float]:
    """Return the same from a histogram, assuming that times are uniform within a bin; `longest` is the true maximum.

    Bins contain edges[k] <= time < edges[k + 1]. The error is at most the width of a bin.
    """
    ends, number = np.asarray(edges, np.float64), np.asarray(counts, np.float64)
    if ends.ndim != 1 or number.shape != (len(ends) - 1,) or (np.diff(ends) <= 0).any() or (number < 0).any():
        raise ValueError(f"{len(ends)} increasing edges need {len(ends) - 1} non-negative counts")
    if not number.any():
        return _no_times()
    last = int(np.flatnonzero(number)[-1])
    top = ends[last + 1] if longest is None else min(max(longest, ends[last]), ends[last + 1])
    ends = np.append(ends[: last + 1], top)
    number = number[: last + 1]
    over = np.append(0.0, np.cumsum(number)) / number.sum()
    percentiles = [_quantile(over, ends, share) for share in PERCENTILES.values()]
    mean = float(number @ (ends[:-1] + ends[1:])) / (2 * float(number.sum()))
    return dict(zip(TIME_COLUMNS, [float(number.sum()), mean, *percentiles, float(top)], strict=True))


def time_table(seconds: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """Return one row per agent, in the given order."""
    rows = [{"agent": agent, **time_percentiles(times)} for agent, times in seconds.items()]
    return pd.DataFrame(rows, columns=["agent", *TIME_COLUMNS]).astype({"decisions": int})


def _quantile(
    over: np.ndarray[tuple[int], np.dtype[np.float64]], ends: np.ndarray[tuple[int], np.dtype[np.float64]], share: float
) -> float:
    """Return the time below which `share` of the decisions are."""
    k = int(np.searchsorted(over, share)) - 1
    return float(ends[k] + (ends[k + 1] - ends[k]) * (share - over[k]) / (over[k + 1] - over[k]))


def _no_times() -> dict[str, float]:
    return dict(zip(TIME_COLUMNS, [0.0, *[float("nan")] * (len(TIME_COLUMNS) - 1)], strict=True))
