"""A quick plan by looking one action ahead: what comes back when the time is too short for a better one."""

from __future__ import annotations

from planner.rules.actions import Action
from planner.rules.resolve import apply_verified
from planner.rules.state import GameState
from planner.turn.exhaustive import allowed_actions
from planner.turn.hardrules import end_allowed
from planner.turn.lexicographic import Clock
from planner.turn.objective import SIGNS, Step, at_end, starting_health, step
from planner.turn.weights import Weights


def quick_plan(state: GameState, weights: Weights, clock: Clock) -> list[Action]:
    """Always the action after which ending the turn would be worth most, while that improves; or until time is up."""
    signed = {term: SIGNS.get(term, 1) * weight for term, weight in weights.scaled().items()}
    health = starting_health(state)

    def worth_of_ending(now: GameState) -> float:
        return sum(signed[term] * amount for term, amount in at_end(now, health).items())

    actions: list[Action] = []
    now, gone, best = state, 0.0, worth_of_ending(state)
    while True:
        choice: tuple[Action, GameState, float] | None = None
        for action in allowed_actions(now, weights):
            if clock.out():
                break
            after = apply_verified(now, action)
            earned = gone + sum(signed[t] * x for t, x in zip(Step._fields, step(now, action), strict=True))
            worth = earned + worth_of_ending(after)
            if worth > best and end_allowed(weights, state, after):
                best, choice = worth, (action, after, earned)
        if choice is None:
            return actions
        action, now, gone = choice
        actions.append(action)
        if clock.out():
            return actions
