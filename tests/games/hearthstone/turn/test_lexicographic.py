"""Lexicographic tie-breaking between optimal solutions, and its result when the time runs out."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from planner.games.hearthstone.turn.exact_builder import build_exact
from planner.games.hearthstone.turn.lexicographic import (
    CAPACITY,
    Digit,
    RankedModel,
    easy_bound,
    solve_ranked,
)
from planner.planning.plan import Clock, OutOfTimeError
from planner.solvers import get
from planner.solvers.linear_model import INF, LinearModel
from tests.games.hearthstone.turn.random_states import random_state, random_weights


def two_of_four_items() -> RankedModel:
    """Choose two of four items. The first digit prefers the fourth, and is too large to pack with the objective."""
    model = LinearModel()
    chosen = [model.add_var(f"x{n}") for n in range(4)]
    model.add_row("two", [(var, 1) for var in chosen], -INF, 2)
    digits = [Digit([(chosen[3], -1)], 1, CAPACITY - 1), Digit([(chosen[1], -1)], 1, 1)]
    return RankedModel(model, 1, [(var, 7) for var in chosen], 5, digits)


def test_later_digits_take_further_solves() -> None:
    best = solve_ranked(two_of_four_items(), get("highs"), Clock(None), lambda _: True)
    assert (best.values, best.objective, best.bound, best.proved) == ([0, 1, 0, 1], 19, 19, True)


def test_a_proved_optimum_is_kept_when_the_time_runs_out_in_the_tie_break() -> None:
    checked: list[Sequence[float]] = []

    def check(values: Sequence[float]) -> bool:
        checked.append(values)
        if len(checked) == 2:
            raise OutOfTimeError
        return True

    best = solve_ranked(two_of_four_items(), get("highs"), Clock(None), check)
    assert len(checked) == 2
    assert best.values == checked[0]
    assert (best.objective, best.bound, best.proved) == (19, 19, True)


def test_a_bound_is_kept_when_the_time_runs_out_before_anything_is_accepted() -> None:
    problem = two_of_four_items()

    def check(values: Sequence[float]) -> bool:
        raise OutOfTimeError

    best = solve_ranked(problem, get("highs"), Clock(None), check)
    assert best.values is None
    assert (best.bound, best.proved) == (19, False)
    assert best.bound < easy_bound(problem)


@pytest.mark.parametrize("seed", range(30))
def test_the_easy_bound_lies_between_the_optimum_and_the_sum_of_positive_terms(seed: int) -> None:
    rng = Random(120_000 + seed)
    problem = build_exact(random_state(rng, 4, 4, exact_size=True), random_weights(rng))
    best = solve_ranked(problem, get("highs"), Clock(None), lambda _: True)
    everything = problem.constant + sum(factor for _, factor in problem.objective if factor > 0)
    assert best.objective <= easy_bound(problem) <= everything
