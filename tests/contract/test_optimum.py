"""`plan_turn` against brute force by a second rulebook: the same best value, and a legal way to it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from planner import PlannerError, plan_turn
from planner.solvers import installed
from tests.contract.boards import FLAVOURS, PROFILES, profile_or_weights, random_state
from tests.contract.naive_game import TERMS, Search, contributions, maximum, play_out, points, start


def check(state: dict[str, Any], given: Any, numbers: dict[str, Any]) -> None:
    """The plan is legal, earns what it says, is the best there is, and is the shortest of the best."""
    best, steps = Search(numbers).best(start(state))
    plan = plan_turn(state, given).to_dict()
    end = play_out(state, plan["actions"])
    about = f"{state}\n{given}\n{plan}"
    earned = {term: float(amount) for term, amount in contributions(end, numbers).items()}
    assert {term: plan["terms"][term] for term in TERMS} == earned, about
    assert plan["objective"] == float(points(end, numbers)), about
    assert plan["lethal"] == (end["foe"]["health"] <= 0), about
    assert plan["objective"] == float(best), about
    assert plan["status"] == "optimal", about
    assert plan["bound"] == plan["objective"], about
    assert len(plan["actions"]) == -steps, about


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
def test_weights_far_apart_are_still_proved(large: int, solver: str) -> None:
    state = {
        "mana": 0,
        "me": {"hero": {"health": 30}, "board": [{"attack": 1, "health": 1}, {"attack": 1, "health": 1}]},
        "enemy": {"hero": {"health": 30}, "board": [{"attack": 1, "health": 1}, {"attack": 1, "health": 1}]},
    }
    weights = {"minion_damage": large, "face_damage": large - 1, "own_survival": 0.000001, "board_clear": 1}
    plan = plan_turn(state, weights, solver=solver)
    assert plan.objective == 2 * large + 1
    # Beyond, a solver's floating point proves nothing; SCIP compares with a relative tolerance of 1e-9.
    if large < (1000 if solver == "scip" else 1000000):
        assert (plan.status, plan.bound) == ("optimal", plan.objective)


@pytest.mark.parametrize("solver", ["auto", *installed()])
def test_weights_beyond_a_solvers_precision_make_no_false_proof(solver: str) -> None:
    # weights as far apart as they may be: a refusal is fine, and so is a plan with an honest bound
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
