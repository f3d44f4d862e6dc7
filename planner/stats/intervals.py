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
    """An estimate and the ends of its confidence interval."""

    estimate: float
    low: float
    high: float

    def scaled(self, factor: float, shift: float = 0.0) -> Interval:
        """Return the interval of `factor * x + shift`."""
        low, high = sorted((self.low * factor + shift, self.high * factor + shift))
        return Interval(self.estimate * factor + shift, low, high)


def normal_quantile(level: float = LEVEL) -> float:
    """Return how many standard deviations on each side contain `level` of a normal distribution: 1.96 for 0.95."""
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    return _NORMAL.inv_cdf((1 + level) / 2)


def normal_interval(estimate: float, error: float, level: float = LEVEL) -> Interval:
    """Return the Wald interval: the estimate plus and minus the quantile times its standard error."""
    reach = normal_quantile(level) * error
    return Interval(estimate, estimate - reach, estimate + reach)


def wilson(successes: float, trials: float, level: float = LEVEL) -> Interval:
    """Return the score interval of a proportion (Wilson 1927; Newcombe 1998, method 3). Successes may be halves.

    It contains the proportions p0 that a test does not reject: (p - p0)^2 <= z^2 p0 (1 - p0) / n. Without trials it is
    (nan, 0, 1).
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"successes must be from 0 to {trials}, got {successes}")
    return _score_interval(successes, trials, normal_quantile(level))


def _score_interval(successes: float, trials: float, quantile: float) -> Interval:
    if trials == 0:
        return Interval(math.nan, 0.0, 1.0)
    z2 = quantile**2
    p = successes / trials
    centre = successes + z2 / 2
    reach = math.sqrt(z2 * (successes * (1 - p) + z2 / 4))
    # The ends 0 and 1 are exact; rounding must not move them past the estimate.
    low = 0.0 if successes == 0 else min(p, (centre - reach) / (trials + z2))
    high = 1.0 if successes == trials else max(p, (centre + reach) / (trials + z2))
    return Interval(p, low, high)


def clustered_wilson(points: ArrayLike, cluster: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the mean of points from 0 to 1 with an interval; the points of one cluster are correlated.

    This is Wilson's interval for the effective sample size (Kish) n = p (1 - p) / v, where the variance v of the mean
    treats a cluster as one sample. If every point is its own cluster and none is a draw, n is the number of points; if
    v is 0, it is the number of clusters.
    """
    mean, size, _ = _effective_sample(points, cluster)
    return wilson(mean * size, size, level)


def few_clusters_wilson(
    points: ArrayLike, cluster: ArrayLike, level: float = LEVEL, *, repeated: bool = False
) -> Interval:
    """Return `clustered_wilson` for few clusters: with Student's quantile, and the variance of a sample of clusters.

    If `repeated`, the interval is where the mean of another sample with as many clusters lies, instead of where the
    true mean lies. It is wider, since both means vary.
    """
    mean, size, clusters = _effective_sample(points, cluster)
    if clusters < 2:
        return Interval(mean if clusters else math.nan, 0.0, 1.0)
    size *= (clusters - 1) / clusters / (2 if repeated else 1)
    return _score_interval(mean * size, size, float(stdtrit(clusters - 1, (1 + level) / 2)))


def clustered_mean(values: ArrayLike, cluster: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the mean with Student's interval; the values of one cluster are correlated.

    The ends are nan for fewer than two clusters.
    """
    array = np.asarray(values, np.float64)
    clusters = len(np.unique(cluster))
    if clusters < 2:
        return Interval(float(array.mean()) if array.size else math.nan, math.nan, math.nan)
    mean = float(array.mean())
    deviations = np.bincount(np.asarray(cluster, np.int64), array - mean)
    error = math.sqrt(float(deviations @ deviations) * clusters / (clusters - 1)) / array.size
    reach = float(stdtrit(clusters - 1, (1 + level) / 2)) * error
    return Interval(mean, mean - reach, mean + reach)


def _effective_sample(points: ArrayLike, cluster: ArrayLike) -> tuple[float, float, int]:
    """Return the mean, the effective sample size, and the number of clusters."""
    values = np.asarray(points, np.float64)
    if not values.size:
        return 0.0, 0.0, 0
    mean, clusters = float(values.mean()), len(np.unique(cluster))
    deviations = np.bincount(np.asarray(cluster, np.int64), values - mean)
    return mean, effective_size(mean, float(deviations @ deviations) / values.size**2, clusters), clusters


def effective_size(mean: float, variance: float, clusters: float) -> float:
    """Return how many wins and losses have a mean of this variance; without variance, the number of clusters."""
    return mean * (1 - mean) / variance if variance > 1e-15 else clusters


def mean_interval(values: ArrayLike, level: float = LEVEL) -> Interval:
    """Return the mean of independent values with Student's interval; the ends are nan for fewer than two values."""
    return clustered_mean(values, np.arange(np.size(np.asarray(values))), level)


@dataclass(frozen=True)
class Shift:
    """A number before and after a change, measured with the same seeds: the means, and the mean difference."""

    games: int  # in each version
    before: float
    after: float
    change: Interval

    @property
    def clear(self) -> bool:
        """Whether the interval does not contain 0."""
        return self.change.low > 0 or self.change.high < 0


def shift(before: ArrayLike, after: ArrayLike, max_difference: float | None = None) -> Shift:
    """Compare the values of the same games before and after; `max_difference` bounds the difference of two values.

    The interval is Student's for the mean of independent differences. If all differences are equal, Student's interval
    would have length 0. Then Wilson's upper bound for 0 in n games limits the share of games that could differ, by
    `max_difference` or, by default, by the largest value that occurred.
    """
    old, new = np.asarray(before, np.float64), np.asarray(after, np.float64)
    differences = new - old
    change = mean_interval(differences)
    if len(differences) and np.ptp(differences) == 0:
        same, share = float(differences[0]), wilson(0, len(differences)).high
        bound = float(max(np.abs(old).max(), np.abs(new).max())) if max_difference is None else max_difference
        change = Interval(same, same - share * (bound + same), same + share * (bound - same))
    return Shift(len(old), float(old.mean()), float(new.mean()), change)
