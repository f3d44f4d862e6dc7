"""A plan step by step: what each action does, what it earns by term, and the state after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.narration import describe_turn
from planner.games.hearthstone.rules.state_json import action_to_dict, state_to_dict
from planner.games.hearthstone.turn.hearthstone_weights import TERM_SIGNS, Weights, exact
from planner.games.hearthstone.turn.scoring import certain_transition, ending_amounts, expected_terms, starting_health
from planner.games.hearthstone.turn.turn_plan import TurnPlan


def plan_steps(plan: TurnPlan) -> dict[str, Any]:
    """Return the steps of a plan in JSON form, and under `ending` what the end of the turn earns."""
    state = observe(plan.state, plan.state.seat)
    health = starting_health(state)
    steps: list[dict[str, Any]] = []
    for action, words in zip(plan.actions, describe_turn(plan.state, plan.actions), strict=True):
        transition = certain_transition(state, action)
        if transition is not None:
            state, earned = transition.state, _points(plan.weights, transition.terms._asdict())
        else:  # the outcome is random, so this is the last action: expected values
            state, earned = plan.end, _points(plan.weights, expected_terms(state, action))
        steps.append(
            {
                "action": action_to_dict(action),
                "words": words,
                "earned": earned,
                "state": state_to_dict(state),
                "chance": transition is None,
            }
        )
    if steps and steps[-1]["chance"]:
        ending = {
            term: points - sum(step["earned"].get(term, 0) for step in steps) for term, points in plan.terms.items()
        }
    else:
        ending = _points(plan.weights, ending_amounts(state, health))
    return {"steps": steps, "ending": {term: points for term, points in ending.items() if abs(points) > 1e-9}}


def _points(weights: Weights, amounts: Mapping[str, Any]) -> dict[str, float]:
    """Return what the amounts of the terms score under these weights, without zeros."""
    terms = weights.terms()
    points = {
        term: float(TERM_SIGNS[term] * exact(terms[term]) * (exact(amount) if isinstance(amount, float) else amount))
        for term, amount in amounts.items()
        if term in terms
    }
    return {term: value for term, value in points.items() if value}
