"""Intervals for a proportion and for a mean; the other modules build on these.

A draw counts as half a win throughout. The Wilson interval then treats the score as if it came from wins and
losses alone, whose variance p(1 - p) is the largest that a score of p can have: with draws it is a little wide,
never narrow.
"""

from __future__ import annotations

import math
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
