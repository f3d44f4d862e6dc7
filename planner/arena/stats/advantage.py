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

from planner.arena.stats.frame import UNPAIRED, Floats, agents_in, check, first_points, pair_ids
from planner.arena.stats.intervals import LEVEL, Interval, mean_interval, normal_interval
from planner.arena.stats.paired import elo_of
from planner.arena.stats.tally import POINTS, Tally, tally

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

    The games of a pair are averaged before the variance is taken, since they share their luck; the interval is
    Student's over pairs and single games. Fair only where every agent sat first as often as second.
    """
    check(games)
    score = mean_interval(_samples(games), level)
    score = Interval(float(first_points(games).mean()) if len(games) else math.nan, score.low, score.high)
    low, high = max(0.0, score.low), min(1.0, score.high)
    score = Interval(score.estimate, low, high)
    return SeatAdvantage(len(games), score, Interval(*map(elo_of, score)))


def seat_advantage_by_agent(
    games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL
) -> pd.DataFrame:
    """Per agent: the first seat's score in its mirror matches, and its scores from both seats with their difference.

    The difference is taken per opponent met from both seats (from pairs where there are pairs, with their
    covariance) and averaged with the numbers of games as weights, so the strength of the opponents cancels.
    """
    agents = agents_in(games, order)
    rows = []
    for agent in agents:
        mirror = games[(games["p1"] == agent) & (games["p2"] == agent)]
        own = seat_advantage(mirror, level).score if len(mirror) else Interval(*[math.nan] * 3)
        met = [tally(games, agent, opponent) for opponent in agents if opponent != agent]
        both = [(counted, *counted.seat_scores()) for counted in met]
        both = [entry for entry in both if not math.isnan(entry[1] + entry[2])]
        if not both:
            rows.append((agent, len(mirror), *own, *[math.nan] * 5))
            continue
        weight = np.array([counted.trinomial.sum() for counted, _, _ in both], np.float64)
        weight /= weight.sum()
        first, second = (float(weight @ np.array([entry[k] for entry in both])) for k in (1, 2))
        variance = float(weight**2 @ np.array([_difference_variance(counted) for counted, _, _ in both]))
        rows.append((agent, len(mirror), *own, first, second, *normal_interval(first - second, variance**0.5, level)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _samples(games: pd.DataFrame) -> Floats:
    """The independent samples of the first seat's score: the mean of each pair, and every single game."""
    points, ids = first_points(games), pair_ids(games)
    single = ids == UNPAIRED
    _, place = np.unique(ids[~single], return_inverse=True)
    means = np.bincount(place, points[~single]) / np.maximum(np.bincount(place), 1)
    return np.concatenate([points[single], means])


def _difference_variance(counted: Tally) -> float:
    """The variance of mean(first seat) - mean(second seat) of one pairing."""
    firsts = int(counted.pairs.sum() + counted.first.sum())
    seconds = int(counted.pairs.sum() + counted.second.sum())
    within = POINTS[:, None] / firsts - POINTS[None, :] / seconds
    return (
        _spread(counted.pairs, within)
        + _spread(counted.first, POINTS / firsts)
        + _spread(counted.second, POINTS / seconds)
    )


def _spread(counts: Floats | np.ndarray[tuple[int, ...], np.dtype[np.int64]], values: Floats) -> float:
    """The variance of the sum of `values` over independent samples that were counted."""
    total = int(counts.sum())
    if total < 2:
        return 0.0
    mean = float((counts * values).sum()) / total
    return float((counts * (values - mean) ** 2).sum()) * total / (total - 1)
