"""The advantage of moving first: over all games, and for each agent.

There are three measures that should agree: `Ratings.first_seat` (in Elo, corrected for the strength of the agents in
each seat), the score of the first seat over all games, and for each agent the difference of its scores by seat.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from planner.stats.games_table import (
    POINTS,
    Floats,
    Tally,
    agents_in,
    check,
    clusters,
    first_points,
    tallies,
)
from planner.stats.intervals import LEVEL, Interval, clustered_wilson, normal_interval, wilson
from planner.stats.paired_tests import elo_of

COLUMNS = (
    "agent", "mirror_games", "mirror_score", "mirror_low", "mirror_high",
    "first_score", "second_score", "difference", "low", "high",
)  # fmt: skip


@dataclass(frozen=True)
class SeatAdvantage:
    """The score of the first seat; 0.5 means no advantage."""

    games: int
    score: Interval
    elo: Interval


def seat_advantage(games: pd.DataFrame, level: float = LEVEL) -> SeatAdvantage:
    """Return the first seat's score over all games, mirror matches included.

    The interval treats the games of a pair as one sample, since they share a seed (`clustered_wilson`). The score is
    fair only if every agent moved first as often as second.
    """
    check(games)
    points, cluster = first_points(games), clusters(games)
    if not len(points):
        return SeatAdvantage(0, wilson(0, 0, level), Interval(math.nan, -math.inf, math.inf))
    score = clustered_wilson(points, cluster, level)
    return SeatAdvantage(len(points), score, Interval(*map(elo_of, score)))


def seat_advantage_by_agent(
    games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL
) -> pd.DataFrame:
    """Return for each agent the first seat's score in mirror matches, its scores by seat, and their difference.

    The difference is computed for each opponent that was met from both seats and averaged with the numbers of games as
    weights, so that the strength of opponents cancels. The interval is an adjusted Wald interval.
    """
    agents = agents_in(games, order)
    counted = tallies(games, agents)
    rows = []
    for k, agent in enumerate(agents):
        mirror = games[(games["p1"] == agent) & (games["p2"] == agent)]
        own = seat_advantage(mirror, level).score if len(mirror) else Interval(*[math.nan] * 3)
        met = [tally if i == k else tally.from_opponent() for (i, j), tally in counted.items() if k in (i, j)]
        both = [(tally, *tally.seat_scores()) for tally in met]
        both = [entry for entry in both if not math.isnan(entry[1] + entry[2])]
        if not both:
            rows.append((agent, len(mirror), *own, *[math.nan] * 5))
            continue
        weight = np.array([tally.trinomial.sum() for tally, _, _ in both], np.float64)
        weight /= weight.sum()
        first, second = (float(weight @ np.array([entry[seat] for entry in both])) for seat in (1, 2))
        variance = float(weight**2 @ np.array([_difference_variance(tally) for tally, _, _ in both]))
        difference = normal_interval(first - second, math.sqrt(variance), level)
        rows.append((agent, len(mirror), *own, first, second, *difference))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _difference_variance(tally: Tally) -> float:
    """Return the variance of mean(first seat) - mean(second seat) of one pairing, with the covariance of pairs.

    Pseudo-counts keep the variance above 0 if all results are equal: half a pair for each of the four decided results
    (Agresti and Min 2005), a win and a loss for single games (Agresti and Caffo 2000).
    """
    firsts = int(tally.pairs.sum() + tally.first.sum())
    seconds = int(tally.pairs.sum() + tally.second.sum())
    decided = np.array([1.0, 0.0, 1.0])
    parts = (
        (tally.pairs, np.outer(decided, decided) / 2, POINTS[:, None] / firsts - POINTS[None, :] / seconds),
        (tally.first, decided, POINTS / firsts),
        (tally.second, decided, POINTS / seconds),
    )
    return sum(_spread(counts + extra, values, int(counts.sum())) for counts, extra, values in parts if counts.any())


def _spread(weights: Floats, values: Floats, samples: int) -> float:
    """Return the variance of the sum of independent samples of these values, distributed by the weights."""
    share = weights / weights.sum()
    mean = float((share * values).sum())
    return samples * float((share * (values - mean) ** 2).sum())
