"""Intervals agree with textbook values, and have their general properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, sem, t

from planner.stats.intervals import (
    Interval,
    clustered_mean,
    clustered_wilson,
    few_clusters_wilson,
    mean_interval,
    normal_quantile,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # Newcombe (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        # Closed forms: 0 of n ends at z^2 / (n + z^2).
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (50, 100, 0.4038, 0.5962),
    ],
)
def test_wilson_agrees_with_published_intervals(successes: int, trials: int, low: float, high: float) -> None:
    found = wilson(successes, trials)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    assert found.estimate == successes / trials


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("successes", "trials"), [(0, 7), (3, 7), (7, 7), (41, 1000)])
def test_wilson_agrees_with_scipy(successes: int, trials: int, level: float) -> None:
    expected = binomtest(successes, trials).proportion_ci(level, method="wilson")
    found = wilson(successes, trials, level)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_without_games() -> None:
    found = wilson(0, 0)
    assert math.isnan(found.estimate)
    assert (found.low, found.high) == (0, 1)


def test_draw_counts_as_half_a_win() -> None:
    assert wilson(3 + 4 / 2, 10) == wilson(5, 10)


def test_invalid_counts_and_levels_are_refused() -> None:
    with pytest.raises(ValueError, match="successes must be from 0 to 4"):
        wilson(5, 4)
    with pytest.raises(ValueError, match="level"):
        wilson(1, 2, 1.0)


halves = st.integers(0, 400).map(lambda n: n / 2)


@given(halves, halves, st.floats(0.01, 0.99))
def test_wilson_contains_the_estimate_and_is_symmetric(wins: float, losses: float, level: float) -> None:
    trials = wins + losses
    if not trials:
        return
    found, mirrored = wilson(wins, trials, level), wilson(losses, trials, level)
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert mirrored.low == pytest.approx(1 - found.high, abs=1e-12)


@given(halves, halves)
def test_wilson_grows_with_wins_and_narrows_with_games(wins: float, losses: float) -> None:
    trials = wins + losses + 1
    less, more = wilson(wins, trials), wilson(wins + 1, trials)
    assert less.low <= more.low
    assert less.high <= more.high
    tenfold = wilson(10 * wins, 10 * trials)
    assert tenfold.high - tenfold.low <= less.high - less.low + 1e-12


def test_mean_interval_is_students() -> None:
    found = mean_interval([4.0, 6.0, 8.0, 10.0])
    # Mean 7, deviation sqrt(20/3), t with 3 degrees of freedom 3.18245.
    assert found == pytest.approx((7, 7 - 3.182446 * math.sqrt(20 / 3) / 2, 7 + 3.182446 * math.sqrt(20 / 3) / 2))
    values = [3.0, 3.5, 9.0, 1.0, 2.0]
    expected = t.interval(0.9, 4, loc=np.mean(values), scale=sem(values))
    assert mean_interval(values, 0.9)[1:] == pytest.approx(expected, rel=1e-6)


def test_mean_of_one_value_has_no_interval() -> None:
    found = mean_interval([5.0])
    assert found.estimate == 5
    assert math.isnan(found.low)
    assert all(math.isnan(x) for x in mean_interval([]))


def test_normal_distribution() -> None:
    assert normal_quantile() == pytest.approx(1.959963984540054)


def test_scaling_by_a_negative_factor_swaps_the_ends() -> None:
    assert Interval(2, 1, 4).scaled(-2, 1) == Interval(-3, -7, -1)


def test_mean_of_clusters_is_students_over_clusters() -> None:
    values = [4.0, 6.0, 8.0, 10.0]
    assert clustered_mean(values, range(4)) == pytest.approx(mean_interval(values))
    assert clustered_mean(values * 3, [*range(4)] * 3) == pytest.approx(mean_interval(values))  # three times the same
    assert clustered_mean(values, [0] * 4) == pytest.approx((7, math.nan, math.nan), nan_ok=True)
    assert math.isnan(clustered_mean([], []).estimate)


def test_few_clusters_widen_the_interval_and_many_do_not() -> None:
    points = np.array([1.0, 0.0, 1.0, 1.0])
    few, plain = few_clusters_wilson(points, range(4)), clustered_wilson(points, range(4))
    assert few.low < plain.low < few.estimate == 0.75 < plain.high < few.high
    many = np.tile(points, 5000)
    assert few_clusters_wilson(many, range(20_000)) == pytest.approx(clustered_wilson(many, range(20_000)), abs=1e-4)
    assert few_clusters_wilson([1.0, 0.0], [0, 0]) == (0.5, 0, 1)  # one cluster says nothing about others
    assert math.isnan(few_clusters_wilson([], []).estimate)


def test_intervals_of_few_clusters_contain_what_they_should() -> None:
    rng = np.random.default_rng(5)
    clusters, size, inside = np.repeat(np.arange(12), 8), 12, np.zeros(3)
    for _ in range(1500):
        first, second = ((rng.random(96) < rng.beta(3, 3, size)[clusters]).astype(float) for _ in range(2))
        true, again = few_clusters_wilson(first, clusters), few_clusters_wilson(first, clusters, repeated=True)
        inside += (true.low <= 0.5 <= true.high, again.low <= second.mean() <= again.high,
                   true.low <= second.mean() <= true.high)  # fmt: skip
    of_true, of_another, too_narrow = inside / 1500
    assert of_true == pytest.approx(0.95, abs=0.02)
    assert of_another == pytest.approx(0.95, abs=0.02)
    assert too_narrow < 0.90
