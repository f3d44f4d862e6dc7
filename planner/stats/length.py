"""How long matches last: the mean, the spread and the whole distribution of rounds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from planner.stats.frame import agents_in, check
from planner.stats.intervals import LEVEL, mean_interval

COLUMNS = ("games", "mean", "low", "high", "deviation", "min", "p10", "q25", "median", "q75", "p90", "max")


def length_summary(rounds: ArrayLike, level: float = LEVEL) -> dict[str, float]:
    """Mean with Student's interval, standard deviation, extremes and quantiles; nan where there is nothing."""
    values = np.asarray(rounds, np.float64)
    if not values.size:
        return dict(zip(COLUMNS, [0, *[float("nan")] * (len(COLUMNS) - 1)], strict=True))
    deviation = float(values.std(ddof=1)) if values.size > 1 else float("nan")
    quantiles = [float(q) for q in np.quantile(values, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1])]
    return dict(zip(COLUMNS, [values.size, *mean_interval(values, level), deviation, *quantiles], strict=True))


def length_distribution(games: pd.DataFrame) -> pd.DataFrame:
    """Per number of rounds that occurred: rounds, games, share of all games, and the share that was over by then."""
    check(games, "rounds")
    rounds, counts = np.unique(games["rounds"].to_numpy(np.int64), return_counts=True)
    share = counts / max(counts.sum(), 1)
    return pd.DataFrame({"rounds": rounds, "games": counts, "share": share, "over": np.cumsum(share)})


def length_by_agent(games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL) -> pd.DataFrame:
    """The summary for the games of each agent, from either seat; a mirror match counts once."""
    check(games, "rounds")
    rows = []
    for agent in agents_in(games, order):
        own = games.loc[(games["p1"] == agent) | (games["p2"] == agent), "rounds"]
        rows.append({"agent": agent, **length_summary(own.to_numpy(np.float64), level)})
    return pd.DataFrame(rows, columns=["agent", *COLUMNS]).astype({"games": int})
