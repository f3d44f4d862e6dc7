"""Confidence intervals for a proportion, a mean and the difference between two versions.

A draw counts as half a win. The Wilson interval treats the score as if it came from wins and losses alone, whose
variance p(1 - p) is the largest that a score of p can have: with draws the interval is slightly too wide, never too
narrow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

LEVEL = 0.95
_NORMAL = NormalDist()


class Interval(NamedTuple):
    """An estimate and the ends of its interval."""

    estimate: float
    low: float
    high: float

    def scaled(self, factor: float, shift: float = 0.0) -> Interval:
        """The interval of `factor * x + shift`."""
        low, high = sorted((self.low * factor + shift, self.high * factor + shift))
        return Interval(self.estimate * factor + shift, low, high)


def normal_quantile(level: float = LEVEL) -> float:
    """How many standard deviations each side hold `level` of a normal distribution: 1.96 for 0.95."""
    if not 0 < level < 1:
        raise ValueError(f"level {level} is not between 0 and 1")
    return _NORMAL.inv_cdf((1 + level) / 2)


def normal_cdf(z: float) -> float:
    """The share of a standard normal distribution below z."""
    return math.erfc(-z / math.sqrt(2)) / 2


def normal_interval(estimate: float, error: float, level: float = LEVEL) -> Interval:
    """Estimate plus and minus the quantile times its standard error (Wald)."""
    reach = normal_quantile(level) * error
    return Interval(estimate, estimate - reach, estimate + reach)


def wilson(successes: float, trials: float, level: float = LEVEL) -> Interval:
    """The score interval of a proportion (Wilson 1927; Newcombe 1998, method 3). Half successes are welcome.

    The proportions p0 that a test against the observed p would not reject: (p - p0)^2 <= z^2 p0 (1 - p0) / n.
    Without trials nothing is known: (nan, 0, 1).
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials}")
    if trials == 0:
        return Interval(math.nan, 0.0, 1.0)
    z2 = normal_quantile(level) ** 2
    p = successes / trials
    centre = successes + z2 / 2
    reach = math.sqrt(z2 * (successes * (1 - p) + z2 / 4))
    # The ends at 0 and 1 are exact on paper; rounding must not push them past the estimate.
    low = 0.0 if successes == 0 else min(p, (centre - reach) / (trials + z2))
    high = 1.0 if successes == trials else max(p, (centre + reach) / (trials + z2))
    return Interval(p, low, high)


def clustered_wilson(points: ArrayLike, cluster: ArrayLike, level: float = LEVEL) -> Interval:
    """The mean of points from 0 to 1, where those of one cluster share their luck.

    Wilson's interval for as many coins as the mean has precision (Kish's effective sample size): n = p (1 - p) / v,
    where the variance v of the mean counts the points of a cluster together. Where all are alone and none is a draw,
    that is the number of points; where v is 0, the number of clusters.
    """
    values = np.asarray(points, np.float64)
    if not values.size:
        return wilson(0, 0, level)
    mean = float(values.mean())
    surplus = np.bincount(np.asarray(cluster, np.int64), values - mean)
    variance = float(surplus @ surplus) / values.size**2
    worth = mean * (1 - mean) / variance if variance > 1e-15 else len(np.unique(cluster))
    return wilson(mean * worth, worth, level)


def mean_interval(values: ArrayLike, level: float = LEVEL) -> Interval:
    """The mean of independent values with Student's interval; the ends are nan for fewer than two values."""
    array = np.asarray(values, np.float64)
    if array.size == 0:
        return Interval(math.nan, math.nan, math.nan)
    mean = float(array.mean())
    if array.size == 1:
        return Interval(mean, math.nan, math.nan)
    error = float(array.std(ddof=1)) / math.sqrt(array.size)
    reach = float(stdtrit(array.size - 1, (1 + level) / 2)) * error
    return Interval(mean, mean - reach, mean + reach)


@dataclass(frozen=True)
class Shift:
    """The mean before and after the change, and the mean of the differences with its interval."""

    games: int  # that were played in both versions
    before: float
    after: float
    change: Interval

    @property
    def clear(self) -> bool:
        """Is the interval on one side of 0?"""
        return self.change.low > 0 or self.change.high < 0


def shift(before: ArrayLike, after: ArrayLike, max_difference: float | None = None) -> Shift:
    """Values of the same games before and after, game by game; `max_difference` is the most by which two can differ.

    The interval is Student's for the mean of independent differences. Where all of them are the same it would claim to
    be certain; then it is what a share of other games as large as Wilson's interval of none in so many could do at
    most. Where nobody knows how far two can differ, that is the largest value that was seen.
    """
    old, new = np.asarray(before, np.float64), np.asarray(after, np.float64)
    differences = new - old
    change = mean_interval(differences)
    if len(differences) and np.ptp(differences) == 0:
        same, share = float(differences[0]), wilson(0, len(differences)).high
        most = float(max(np.abs(old).max(), np.abs(new).max())) if max_difference is None else max_difference
        change = Interval(same, same - share * (most + same), same + share * (most - same))
    return Shift(len(old), float(old.mean()), float(new.mean()), change)
