"""A quick plan by looking one action ahead: what comes back when the time is too short for a better one."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exhaustive import allowed_actions
from planner.games.hearthstone.turn.judge import Judge, Worth
from planner.games.hearthstone.turn.lexicographic import Clock
from planner.games.hearthstone.turn.weights import Weights


def quick_plan(state: GameState, weights: Weights, clock: Clock) -> list[Action]:
    """Always the action after which ending the turn would be worth most, while that improves; or until time is up."""
    judge = Judge(state, weights)
    actions: list[Action] = []
    now: GameState | None = state
    gone: Worth = 0
    best = judge.ending(state)
    assert best is not None  # ending the turn at once keeps every rule
    while now is not None:
        choice: tuple[Action, GameState | None, Worth] | None = None
        for action in allowed_actions(now, weights):
            if clock.out():
                break
            found = judge.taking(now, action)
            if found is None:
                continue
            earned, after = found
            ending = judge.ending(after) if after is not None else 0
            if ending is not None and gone + earned + ending > best:
                best, choice = gone + earned + ending, (action, after, gone + earned)
        if choice is None:
            return actions
        action, now, gone = choice
        actions.append(action)
        if clock.out():
            return actions
    return actions
