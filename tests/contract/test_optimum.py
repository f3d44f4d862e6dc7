"""`plan_turn` compared with brute force on an independent implementation of the rules."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from planner import PlannerError, plan_turn
from planner.solvers import installed
from tests.contract.boards import FLAVOURS, PROFILES, profile_or_weights, random_state
from tests.contract.naive_game import TERMS, Search, contributions, maximum, play_out, points, start


def check(state: dict[str, Any], weights: Any, numbers: dict[str, Any]) -> None:
    """Check that the plan is legal, scores what it claims, is optimal, and is the shortest optimal plan."""
    best, steps = Search(numbers).best(start(state))
    plan = plan_turn(state, weights).to_dict()
    end = play_out(state, plan["actions"])
    context = f"{state}\n{weights}\n{plan}"
    earned = {term: float(amount) for term, amount in contributions(end, numbers).items()}
    assert {term: plan["terms"][term] for term in TERMS} == earned, context
    assert plan["objective"] == float(points(end, numbers)), context
    assert plan["lethal"] == (end["foe"]["health"] <= 0), context
    assert plan["objective"] == float(best), context
    assert plan["status"] == "optimal", context
    assert plan["bound"] == plan["objective"], context
    assert len(plan["actions"]) == -steps, context


@pytest.mark.parametrize("flavour", sorted(FLAVOURS))
@pytest.mark.parametrize("part", range(3))
def test_small_boards_are_solved_to_the_optimum(part: int, flavour: str) -> None:
    for seed in range(20 * part, 20 * (part + 1)):
        rng = Random(f"{flavour} {seed}")
        state = random_state(rng, mine=3, theirs=3, hand=2, flavour=flavour)
        check(state, *profile_or_weights(rng))


@pytest.mark.parametrize("profile", sorted(PROFILES))
def test_every_profile_by_name_and_by_its_numbers(profile: str) -> None:
    for seed in range(15):
        rng = Random(f"{profile} {seed}")
        state = random_state(rng, mine=2, theirs=3, hand=2)
        check(state, profile, PROFILES[profile])
        by_numbers = plan_turn(state, PROFILES[profile]).to_dict()
        by_thesis = plan_turn(state, {f"W{n}": PROFILES[profile][term] for n, term in enumerate(TERMS, 1)}).to_dict()
        by_name = plan_turn(state, profile).to_dict()
        assert by_name["actions"] == by_numbers["actions"] == by_thesis["actions"]
        assert by_name["objective"] == by_numbers["objective"] == by_thesis["objective"]


@pytest.mark.parametrize("solver", installed())
@pytest.mark.parametrize("large", [1, 1000, 1000000])
def test_plans_with_very_different_weights_are_proved(large: int, solver: str) -> None:
    state = {
        "mana": 0,
        "me": {"hero": {"health": 30}, "board": [{"attack": 1, "health": 1}, {"attack": 1, "health": 1}]},
        "enemy": {"hero": {"health": 30}, "board": [{"attack": 1, "health": 1}, {"attack": 1, "health": 1}]},
    }
    weights = {"minion_damage": large, "face_damage": large - 1, "own_survival": 0.000001, "board_clear": 1}
    plan = plan_turn(state, weights, solver=solver)
    assert plan.objective == 2 * large + 1
    # For larger weights floating point allows no proof; SCIP compares with a relative tolerance of 1e-9.
    if large < (1000 if solver == "scip" else 1000000):
        assert (plan.status, plan.bound) == ("optimal", plan.objective)


@pytest.mark.parametrize("solver", ["auto", *installed()])
def test_weights_beyond_a_solvers_precision_give_no_false_proof(solver: str) -> None:
    # The extreme of the allowed weights: the planner may refuse them, or return a plan with a valid bound.
    state = {
        "mana": 4,
        "me": {
            "hero": {"health": 30},
            "board": [
                {"attack": 17, "health": 8, "keywords": ["windfury", "poisonous", "immune"]},
                {"attack": 5, "health": 19, "keywords": ["windfury", "divine_shield"]},
            ],
            "hand": [{"cost": 2, "attack": 16, "health": 9, "keywords": ["rush", "windfury"]}],
        },
        "enemy": {"hero": {"health": 48}, "board": [{"attack": 43, "health": 14}]},
    }
    weights = {"board_clear": 1e-06, "face_damage": -1000000, "enemy_threat": 999999.999999, "minion_damage": 1000000}
    best = float(maximum(state, weights))
    try:
        plan = plan_turn(state, weights, solver=solver)
    except PlannerError:
        return
    assert plan.bound >= best
    assert plan.status == "feasible" or plan.objective == best


@pytest.mark.long
@pytest.mark.parametrize("flavour", sorted(FLAVOURS))
@pytest.mark.parametrize("part", range(10))
def test_thousands_of_small_boards(part: int, flavour: str) -> None:
    for seed in range(1000 + 50 * part, 1050 + 50 * part):
        rng = Random(f"{flavour} {seed}")
        check(random_state(rng, flavour=flavour), *profile_or_weights(rng))
