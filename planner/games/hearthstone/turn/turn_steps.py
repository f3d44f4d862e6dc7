"""A turn step by step: what each action does and earns, the states between them, and actions that do the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.narration import describe_turn
from planner.games.hearthstone.rules.state import GameState, HandCard, Minion
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.scoring import (
    Amount,
    Earned,
    certain_transition,
    ending_amounts,
    expected_terms,
    replay,
    starting_health,
)


class Step(NamedTuple):
    """One action of a turn."""

    action: Action
    words: str
    earned: Mapping[str, float]  # points by term, without zeros
    state: GameState  # after the action; without what chance does
    chance: bool  # chance decides about the action: it is the last, and `earned` is an expectation


class Steps(NamedTuple):
    """A turn step by step, and what its end earns."""

    steps: Sequence[Step]
    ending: Mapping[str, float]
    earned: Earned


def turn_steps(state: GameState, actions: Sequence[Action], weights: Weights) -> Steps:
    """Return the steps of a turn; an illegal action raises an `IllegalActionError`."""
    state = observe(state, state.seat)
    result, health = replay(state, actions), starting_health(state)
    steps: list[Step] = []
    for action, words in zip(actions, describe_turn(state, actions), strict=True):
        transition = certain_transition(state, action)
        if transition is not None:
            state, earned = transition.state, _points(weights, state, transition.terms._asdict())
        else:
            state, earned = result.end, _points(weights, state, expected_terms(state, action))
        steps.append(Step(action, words, earned, state, transition is None))
    if steps and steps[-1].chance:
        total = result.contributions(weights)
        ending = {term: points - sum(step.earned.get(term, 0) for step in steps) for term, points in total.items()}
    else:
        ending = _points(weights, state, ending_amounts(state, health))
    return Steps(steps, {term: points for term, points in ending.items() if abs(points) > 1e-9}, result)


def _points(weights: Weights, end: GameState, amounts: Mapping[str, Amount]) -> dict[str, float]:
    """Return what the amounts of the terms score under these weights, without zeros."""
    return {term: points for term, points in Earned(end, amounts).contributions(weights).items() if points}


def equal_actions(state: GameState, action: Action) -> list[Action]:
    """Return the action and those that do the same with equal cards: two copies in a hand, two minions alike."""
    groups = _equal_ids(state)
    names = [field.name for field in dataclasses.fields(action)]
    values = [getattr(action, name) for name in names]
    choices = [groups.get(value, [value]) if isinstance(value, str) else [value] for value in values]
    others = (dataclasses.replace(action, **dict(zip(names, chosen, strict=True))) for chosen in product(*choices))
    return [action, *(other for other in others if other != action)]


def turn_key(state: GameState, actions: Sequence[Action]) -> tuple[str, ...]:
    """Return a value that turns share where they differ only in equal cards and in the order of their actions."""
    groups = _equal_ids(state)

    def key(action: Action) -> str:
        values = (getattr(action, field.name) for field in dataclasses.fields(action))
        names = [groups.get(value, [value])[0] if isinstance(value, str) else value for value in values]
        return f"{type(action).__name__} {names}"

    return tuple(sorted(map(key, actions)))


def _equal_ids(state: GameState) -> dict[str, list[str]]:
    """Return for each id the ids of all cards that are equal to it and in the same zone."""
    groups: dict[Any, list[str]] = {}
    for key, card_id in _keys(state):
        groups.setdefault(key, []).append(card_id)
    return {card_id: ids for ids in groups.values() for card_id in ids}


def _keys(state: GameState) -> Iterator[tuple[Any, str]]:
    zones: Sequence[Sequence[HandCard | Minion]] = (state.me.hand, state.me.board, state.enemy.board)
    for zone, cards in enumerate(zones):
        for card in cards:
            same = card._replace(id="", entered=0) if isinstance(card, Minion) else card._replace(id="")
            yield (zone, same), card.id
