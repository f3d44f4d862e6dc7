"""Small battles for tests: short ways to write states and actions."""

from __future__ import annotations

from random import Random
from typing import Any

from planner.games.spire import battle_rules
from planner.games.spire.battle_codec import state_from_json
from planner.games.spire.battle_state import END, Action, Battle

GOBLIN = {"name": "Goblin", "health": 44}


def battle(*hand: str, enemies: Any = (GOBLIN,), **fields: Any) -> Battle:
    """Return a state with this hand, by default against a Goblin."""
    return state_from_json({"hand": list(hand), "enemies": list(enemies), "energy": 9, **fields})


def play(state: Battle, title: str, *choices: str | int, seed: int = 0) -> Battle:
    """Play a card by its title; choices are indices of enemies, or titles of cards."""
    position = [card.title for card in state.hand].index(title)
    state = act(state, Action("play", position), seed)
    for choice in choices:
        pending = state.pending
        assert pending is not None, f"{title} has no choice"
        if isinstance(choice, int):
            state = act(state, Action("fighter", choice), seed)
        else:
            pile = getattr(state, pending.played.program[pending.step].target.group.pile)
            matching = [
                index for index, card in enumerate(pile) if card.title == choice and index not in pending.picked
            ]
            state = act(state, Action("card", matching[0]), seed)
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
    """Return the titles of the cards of a pile."""
    return [card.title for card in pile]


def amounts(statuses: Any) -> dict[str, int]:
    """Return the amounts of statuses by name."""
    return {active.status.name: active.amount for active in statuses}
