"""Small battles for tests: a state in a few words, and actions by the names of cards."""

from __future__ import annotations

from random import Random
from typing import Any

from planner.games.spire import battle_rules
from planner.games.spire.battle_codec import state_from_json
from planner.games.spire.battle_state import END, Action, Battle

GOBLIN = {"name": "Goblin", "health": 44}


def battle(*hand: str, enemies: Any = (GOBLIN,), **fields: Any) -> Battle:
    """A state with this hand, against a goblin unless told otherwise."""
    return state_from_json({"hand": list(hand), "enemies": list(enemies), "energy": 9, **fields})


def play(state: Battle, title: str, *answers: str | int, seed: int = 0) -> Battle:
    """Play a card by its title; answers are places of enemies, or titles of cards."""
    place = [card.title for card in state.hand].index(title)
    state = act(state, Action("play", place), seed)
    for answer in answers:
        pending = state.pending
        assert pending is not None, f"{title} asks nothing"
        if isinstance(answer, int):
            state = act(state, Action("fighter", answer), seed)
        else:
            pile = getattr(state, pending.played.program[pending.step].group)
            places = [place for place, card in enumerate(pile) if card.title == answer and place not in pending.picked]
            state = act(state, Action("card", places[0]), seed)
    assert state.pending is None, battle_rules.prompt_text(state)
    return state


def act(state: Battle, action: Action, seed: int = 0) -> Battle:
    """Carry out one legal action."""
    assert battle_rules.illegal_reason(state, action) is None
    return battle_rules.apply(state, action, Random(seed))


def end(state: Battle, seed: int = 0) -> Battle:
    """End the turn."""
    return act(state, END, seed)


def titles(pile: Any) -> list[str]:
    """The cards of a pile by title."""
    return [card.title for card in pile]


def held(statuses: Any) -> dict[str, int]:
    """Statuses by name."""
    return {one.status.name: one.amount for one in statuses}
