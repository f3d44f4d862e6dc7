"""The sequential test: the numbers of fastchess, closed forms, and error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.stats.paired_tests import Sprt, log_likelihood_ratio, score_of


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        # fastchess, app/tests/sprt_test.cpp, "logistic": losses, draws, wins; pairs by points.
        ((21184, 40708, 21404), 0.5, 2.5, -1.57),
        ((57030, 106593, 57433), 0, 2, -2.59),
        ((223, 9863, 20279 + 1000, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55003 + 980, 26678, 821), 0, 2, -4.98),
    ],
)
def test_agrees_with_fastchess(counts: tuple[int, ...], elo0: float, elo1: float, llr: float) -> None:
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(llr, abs=0.006)


def test_without_draws_it_is_the_test_of_a_coin() -> None:
    # The likeliest shares with a given score are then that score itself: LLR = W ln(s1/s0) + L ln((1-s1)/(1-s0)).
    s0, s1 = score_of(0), score_of(50)
    expected = 130 * math.log(s1 / s0) + 100 * math.log((1 - s1) / (1 - s0))
    assert log_likelihood_ratio((100, 0, 130), 0, 50) == pytest.approx(expected, abs=1e-3)


def test_the_expansion_that_fastchess_uses() -> None:
    counts, scores = np.array([40, 210, 480, 250, 50]), np.linspace(0, 1, 5)
    s0, s1 = score_of(0), score_of(5)
    squares = [float(counts @ (scores - s) ** 2) for s in (s0, s1)]
    expansion = counts.sum() / 2 * math.log(squares[0] / squares[1])
    assert log_likelihood_ratio([int(n) for n in counts], 0, 5) == pytest.approx(expansion, rel=5e-3)


def test_bounds_are_those_of_wald() -> None:
    test = Sprt(0, 5)
    assert (test.lower, test.upper) == (pytest.approx(-2.944439), pytest.approx(2.944439))
    assert Sprt(0, 5, 0.1, 0.2).upper == pytest.approx(math.log(0.8 / 0.1))


def test_first_decision_is_final() -> None:
    test = Sprt(0, 100)
    assert test.update((0, 0, 0, 0, 0)) == "continue"
    assert test.update((0, 1, 4, 3, 2)) == "continue"
    assert test.update((0, 0, 10, 20, 30)) == "accept H1"
    assert test.llr > test.upper
    assert test.update((200, 0, 0, 0, 0)) == "accept H1"
    assert test.llr < 0
    assert test.counts == (200, 1, 14, 23, 32)
    assert Sprt(0, 100).update((40, 20, 30)) == "accept H0"


def test_invalid_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="elo0 5"):
        Sprt(5, 5)
    with pytest.raises(ValueError, match="alpha"):
        Sprt(0, 5, 0.7, 0.7)
    test = Sprt(0, 5)
    test.update((1, 2, 3))
    with pytest.raises(ValueError, match="cannot be mixed"):
        test.update((1, 2, 3, 4, 5))


counts5 = st.lists(st.integers(0, 500), min_size=5, max_size=5)


@given(counts5, st.floats(-100, 100), st.floats(1, 100))
def test_ratio_is_antisymmetric_and_grows_with_wins(counts: list[int], elo0: float, gap: float) -> None:
    elo1 = elo0 + gap
    llr = log_likelihood_ratio(counts, elo0, elo1)
    assert log_likelihood_ratio(counts, elo1, elo0) == pytest.approx(-llr, abs=1e-6)
    assert log_likelihood_ratio(counts[::-1], -elo1, -elo0) == pytest.approx(-llr, abs=1e-6)
    if sum(counts):
        assert log_likelihood_ratio([*counts[:4], counts[4] + 1], elo0, elo1) >= llr - 1e-3


@pytest.mark.parametrize("runs", [60, pytest.param(3000, marks=pytest.mark.long)])
@pytest.mark.parametrize(("elo", "wrong"), [(0.0, "accept H1"), (80.0, "accept H0")])
def test_error_rates_are_within_alpha_and_beta(elo: float, wrong: str, runs: int) -> None:
    # Pairs with a drawish middle whose score is exactly that of the hypothesis.
    chances = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
    tilt = np.linspace(-1, 1, 5)
    chances = chances * (1 + tilt * (score_of(elo) - 0.5) / float(chances @ (tilt * np.linspace(0, 1, 5))))
    assert float(chances @ np.linspace(0, 1, 5)) == pytest.approx(score_of(elo))
    rng = np.random.default_rng(5)
    decisions = []
    for _ in range(runs):
        test = Sprt(0, 80)
        while test.decision == "continue":
            test.update([int(n) for n in rng.multinomial(4, chances)])
        decisions.append(test.decision)
    allowed = 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
    assert decisions.count(wrong) / runs <= allowed
