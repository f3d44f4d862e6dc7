"""What the first seat is worth: overall, and for each agent.

Three views that should agree: `Ratings.first_seat` (the model's, in Elo, corrected for who sat where), the plain score
of the first seat over all games, and per agent the difference between its own scores from the two seats.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from planner.stats.games_table import (
    POINTS,
    UNPAIRED,
    Floats,
    Tally,
    agents_in,
    check,
    first_points,
    pair_ids,
    seats,
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
    """The score of the first seat; 0.5 is no advantage."""

    games: int
    score: Interval
    elo: Interval


def seat_advantage(games: pd.DataFrame, level: float = LEVEL) -> SeatAdvantage:
    """The first seat's score over all games, mirrors included.

    The interval counts the games of a pair together, since they share their luck (`clustered_wilson`). Fair only where
    every agent sat first as often as second.
    """
    check(games)
    points, cluster = first_points(games), _clusters(games)
    if not len(points):
        return SeatAdvantage(0, wilson(0, 0, level), Interval(math.nan, -math.inf, math.inf))
    score = clustered_wilson(points, cluster, level)
    return SeatAdvantage(len(points), score, Interval(*map(elo_of, score)))


def seat_advantage_by_agent(
    games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL
) -> pd.DataFrame:
    """Per agent: the first seat's score in its mirror matches, and its scores from both seats with their difference.

    The difference is taken per opponent met from both seats and averaged with the numbers of games as weights, so the
    strength of the opponents cancels. Its interval is the adjusted Wald interval (`_difference_variance`).
    """
    agents = agents_in(games, order)
    counted = tallies(games, agents)
    rows = []
    for k, agent in enumerate(agents):
        mirror = games[(games["p1"] == agent) & (games["p2"] == agent)]
        own = seat_advantage(mirror, level).score if len(mirror) else Interval(*[math.nan] * 3)
        met = [found if i == k else found.turned() for (i, j), found in counted.items() if k in (i, j)]
        both = [(found, *found.seat_scores()) for found in met]
        both = [entry for entry in both if not math.isnan(entry[1] + entry[2])]
        if not both:
            rows.append((agent, len(mirror), *own, *[math.nan] * 5))
            continue
        weight = np.array([found.trinomial.sum() for found, _, _ in both], np.float64)
        weight /= weight.sum()
        first, second = (float(weight @ np.array([entry[place] for entry in both])) for place in (1, 2))
        variance = float(weight**2 @ np.array([_difference_variance(found) for found, _, _ in both]))
        difference = normal_interval(first - second, math.sqrt(variance), level)
        rows.append((agent, len(mirror), *own, first, second, *difference))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _clusters(games: pd.DataFrame) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Per game the number of its independent sample: its pair's, or its own."""
    ids = pair_ids(games)
    alone = np.where(ids == UNPAIRED, np.arange(len(ids)), -1)
    first, second = seats(games, agents_in(games))
    keys = np.column_stack([np.minimum(first, second), np.maximum(first, second), ids, alone])
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)


def _difference_variance(found: Tally) -> float:
    """The variance of mean(first seat) - mean(second seat) of one pairing, pairs with their covariance.

    A little is added to the counts so that results that are all alike do not claim to be certain: half a pair to each
    of the four decided results (Agresti and Min 2005), a win and a loss to single games (Agresti and Caffo 2000).
    """
    firsts = int(found.pairs.sum() + found.first.sum())
    seconds = int(found.pairs.sum() + found.second.sum())
    decided = np.array([1.0, 0.0, 1.0])
    parts = (
        (found.pairs, np.outer(decided, decided) / 2, POINTS[:, None] / firsts - POINTS[None, :] / seconds),
        (found.first, decided, POINTS / firsts),
        (found.second, decided, POINTS / seconds),
    )
    return sum(_spread(counts + extra, values, int(counts.sum())) for counts, extra, values in parts if counts.any())


def _spread(weights: Floats, values: Floats, samples: int) -> float:
    """The variance of the sum of that many independent values, distributed as the weights say."""
    share = weights / weights.sum()
    mean = float((share * values).sum())
    return samples * float((share * (values - mean) ** 2).sum())
