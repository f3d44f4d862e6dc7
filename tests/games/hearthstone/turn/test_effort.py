"""The effort limit: a legal, reproducible plan with a valid bound. The hint: never changes the objective."""

from __future__ import annotations

import pytest

from planner import PlannerError, plan_turn, plan_turns
from planner.games.hearthstone.rules.actions import Attack, EndTurn
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.scoring import replay
from tests.games.hearthstone.turn.random_effects import effect_case


def test_an_effort_limit_returns_a_legal_plan_with_a_bound() -> None:
    unproved = 0
    for seed in range(60):
        state, weights = effect_case(seed)
        best = plan_turn(state, weights)
        plan = plan_turn(state, weights, effort=3)
        again = plan_turn(state, weights, effort=3)
        assert (plan.actions, plan.objective, plan.bound) == (again.actions, again.objective, again.bound)
        assert plan.objective <= best.objective + 1e-9 <= plan.bound + 2e-9
        earned = replay(observe(state, state.seat), plan.actions)
        assert float(earned.scaled_score(weights)) / weights.integer_scale() == pytest.approx(plan.objective)
        unproved += plan.status == "feasible"
        assert plan.status == "feasible" or plan.objective == pytest.approx(best.objective)
    assert unproved > 20


def test_a_hint_keeps_the_objective_and_the_hard_rules() -> None:
    for seed in range(40):
        state, weights = effect_case(seed)
        plan = plan_turn(state, weights)
        for hint in ([], [EndTurn()], list(plan.actions), [*plan.actions[::-1], EndTurn()]):
            again = plan_turn(state, weights, hint=hint)
            assert again.status == plan.status
            assert again.objective == pytest.approx(plan.objective), (seed, hint)
    ogre = {"hero": {"health": 30}, "board": [{"attack": 6, "health": 7}], "hand": [{"name": "Arcane Shot"}]}
    board = {"mana": 1, "me": ogre, "enemy": {"hero": {"health": 30}, "board": [{"attack": 1, "health": 9}]}}
    peaceful = Weights(minion_damage=10, face_damage=1, forbid=(Rule("attack_on", word="minions"),))
    hit = Attack("me.board.0", "enemy.board.0")
    assert hit not in plan_turn(board, peaceful, hint=[hit]).actions


@pytest.mark.parametrize("hint", [None, 5, "end", [{"type": "end_turn"}], iter(())])
def test_an_invalid_hint_is_refused(hint: object) -> None:
    state, weights = effect_case(0)
    with pytest.raises(PlannerError, match=r"hint: .* is not a list of actions"):
        plan_turn(state, weights, hint=hint)  # type: ignore[arg-type]


@pytest.mark.parametrize("effort", [0, -1, 1.5, True, "much"])
def test_an_invalid_effort_is_refused(effort: object) -> None:
    state, weights = effect_case(0)
    with pytest.raises(PlannerError, match=r"effort: must be (an integer, )?at least 1, got "):
        plan_turn(state, weights, effort=effort)  # type: ignore[arg-type]


def test_a_turn_that_reaches_the_bound_is_optimal_despite_the_limit() -> None:
    """Asking for more turns under a limit does not lose the proof of the first one."""
    two = {
        "mana": 10,
        "me": {"hero": {"health": 30}, "board": [{"attack": 1, "health": 2}, {"attack": 2, "health": 3}]},
        "enemy": {"hero": {"health": 100}, "board": [{"attack": 1, "health": 8}, {"attack": 2, "health": 7}]},
    }
    best = plan_turns(two, weights="aggro_face", k=2, effort=5)[0]
    assert (best.status, best.proof, best.objective, best.bound) == ("optimal", "bound", 50.0, 50.0)
