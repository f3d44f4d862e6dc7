"""Battles for learners and result tables: states and actions as numbers, and which cards of a deck were used.

docs/reference/environment.md lists the numbers of an observation and of the actions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

from planner.game import DRAWN, PLAYED, UNSEEN, CardList
from planner.games.spire.battle_rules import MAX_ENEMIES, PLAYER
from planner.games.spire.battle_state import Action, ActiveStatus, Battle, Setup
from planner.games.spire.card_library import CARD_TYPES

_PILE_ACTIONS: Final = 100  # cards of a pile that have an action number
_HAND_SIZE: Final = 10  # cards of the hand that have their own numbers
_CARD_COLUMNS: Final = ("card", "level", "cost", *CARD_TYPES)
_PILES: Final = ("draw", "discard", "exhaust")
_FIRST_NUMBER: Final = {"end": 0, "play": 1, "card": 1 + _PILE_ACTIONS, "fighter": 1 + 2 * _PILE_ACTIONS}


class BattleEncoding:
    """The numbers of battles from one setup."""

    actions: int = 1 + 2 * _PILE_ACTIONS + 1 + MAX_ENEMIES

    def __init__(self, setup: Setup) -> None:
        library = setup.library
        self._cards = {name: number for number, name in enumerate(library.card_names, 1)}
        self._statuses = {name: number for number, name in enumerate(library.statuses)}
        self._kinds = {name: number for number, name in enumerate(library.enemies, 1)}

    def number(self, state: Battle, action: Action) -> int | None:  # noqa: ARG002  (the action has its index)
        """Return the number of an action, or None for a card too far back in its pile."""
        index = action.position - PLAYER if action.type == "fighter" else action.position
        return None if index >= _PILE_ACTIONS else _FIRST_NUMBER[action.type] + index

    @cached_property
    def names(self) -> Sequence[str]:
        """Return the name of each number of an observation."""
        names = ["turn", "energy", "played", "asked", "asking", "player.health", "player.max_health", "player.block"]
        names += [f"player.{status}" for status in self._statuses]
        for index in range(MAX_ENEMIES):
            columns = ("kind", "health", "max_health", "block", "move", "run", *self._statuses)
            names += [f"enemy.{index}.{column}" for column in columns]
        names += [f"hand.{index}.{column}" for index in range(_HAND_SIZE) for column in _CARD_COLUMNS]
        names += ["hand", *_PILES]
        return [*names, *(f"{pile}.{card}" for pile in _PILES for card in self._cards)]

    def observation(self, state: Battle, seat: int) -> list[float]:  # noqa: ARG002  (one seat, nothing hidden)
        """Return the state as numbers."""
        pending = state.pending.card.name if state.pending is not None else ""
        numbers: list[float] = [
            state.turn,
            state.energy,
            state.played,
            state.pending is not None,
            self._cards.get(pending, 0),
            state.health,
            state.max_health,
            state.block,
            *self._status_amounts(state.statuses),
        ]
        for enemy in state.enemies:
            kind = self._kinds.get(enemy.kind.name, 0)
            numbers += [kind, enemy.health, enemy.max_health, enemy.block, enemy.move, enemy.run]
            numbers += self._status_amounts(enemy.statuses)
        numbers += [0.0] * (6 + len(self._statuses)) * (MAX_ENEMIES - len(state.enemies))
        for card in state.hand[:_HAND_SIZE]:
            numbers += [self._cards.get(card.name, 0), card.level, card.cost]
            numbers += [card.type == card_type for card_type in CARD_TYPES]
        numbers += [0.0] * (len(_CARD_COLUMNS) * (_HAND_SIZE - min(_HAND_SIZE, len(state.hand))))
        piles: list[Any] = [state.draw, state.discard, state.exhaust]
        numbers += [len(state.hand), *map(len, piles)]
        for pile in piles:
            count = Counter(card.name for card in pile)
            numbers += [count[name] for name in self._cards]
        return numbers

    def _status_amounts(self, statuses: Sequence[ActiveStatus]) -> list[float]:
        amounts = [0.0] * len(self._statuses)
        for active in statuses:
            if active.status.name in self._statuses:
                amounts[self._statuses[active.status.name]] += active.amount
        return amounts


@lru_cache(maxsize=64)
def card_lists(setup: Setup) -> tuple[CardList, ...]:
    """Return the deck under the name of the scenario; all levels of a card are one card."""
    library = setup.library
    return (CardList(setup.name, tuple(dict.fromkeys(library.card(title).name for title in setup.deck))),)


def cards_used(setup: Setup, states: Sequence[Battle], actions: Sequence[Action]) -> list[str]:
    """Return for each card of the deck whether it was played, drawn (was in hand) or neither."""
    played = {
        state.hand[action.position].name
        for state, action in zip(states, actions, strict=False)
        if action.type == "play"
    }
    drawn = {card.name for state in states for card in state.hand}
    usage = [PLAYED if name in played else DRAWN if name in drawn else UNSEEN for name in card_lists(setup)[0].cards]
    return ["".join(usage)]
