"""How long decisions take: percentiles from all the times, or from histograms that can be added up."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}
COLUMNS = ("decisions", "mean", *PERCENTILES, "max")


def time_percentiles(seconds: ArrayLike) -> dict[str, float]:
    """Number and mean of the times, p50, p90, p95, p99 (linear between the two nearest) and the longest."""
    values = np.asarray(seconds, np.float64)
    if not values.size:
        return _nothing()
    found = [float(q) for q in np.quantile(values, [*PERCENTILES.values(), 1.0])]
    return dict(zip(COLUMNS, [values.size, float(values.mean()), *found], strict=True))


def histogram_percentiles(edges: ArrayLike, counts: ArrayLike, longest: float | None = None) -> dict[str, float]:
    """The same from a histogram: times are taken to lie evenly within their bin, which `longest` shortens at the top.

    Bins hold edges[k] <= time < edges[k + 1]. Wrong by at most the width of a bin.
    """
    ends, number = np.asarray(edges, np.float64), np.asarray(counts, np.float64)
    if ends.ndim != 1 or number.shape != (len(ends) - 1,) or (np.diff(ends) <= 0).any() or (number < 0).any():
        raise ValueError(f"{len(ends)} rising edges need {len(ends) - 1} counts that are not negative")
    if not number.any():
        return _nothing()
    last = int(np.flatnonzero(number)[-1])
    top = ends[last + 1] if longest is None else min(max(longest, ends[last]), ends[last + 1])
    ends = np.append(ends[: last + 1], top)
    number = number[: last + 1]
    over = np.append(0.0, np.cumsum(number)) / number.sum()
    found = [_where(over, ends, share) for share in PERCENTILES.values()]
    mean = float(number @ (ends[:-1] + ends[1:])) / (2 * float(number.sum()))
    return dict(zip(COLUMNS, [float(number.sum()), mean, *found, float(top)], strict=True))


def time_table(seconds: Mapping[str, ArrayLike]) -> pd.DataFrame:
    """One row per agent, in the order given."""
    rows = [{"agent": agent, **time_percentiles(times)} for agent, times in seconds.items()]
    return pd.DataFrame(rows, columns=["agent", *COLUMNS]).astype({"decisions": int})


def _where(
    over: np.ndarray[tuple[int], np.dtype[np.float64]], ends: np.ndarray[tuple[int], np.dtype[np.float64]], share: float
) -> float:
    """The time by which `share` of the decisions were made."""
    k = int(np.searchsorted(over, share)) - 1
    return float(ends[k] + (ends[k + 1] - ends[k]) * (share - over[k]) / (over[k + 1] - over[k]))


def _nothing() -> dict[str, float]:
    return dict(zip(COLUMNS, [0.0, *[float("nan")] * (len(COLUMNS) - 1)], strict=True))
