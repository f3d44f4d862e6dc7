"""Battles as numbers, for learners: a number for every action, and the table as a list of numbers.

docs/reference/environment.md lists both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from planner.games.spire.library import TYPES
from planner.games.spire.rules import MOST_ENEMIES, PLAYER, Setup
from planner.games.spire.state import Action, Battle, Held

_PLACES: Final = 100  # of a pile, in actions: what lies behind cannot be chosen by number
_SHOWN: Final = 10  # cards of the hand that are shown one by one
_CARD: Final = ("card", "level", "cost", *TYPES)
_PILES: Final = ("draw", "discard", "exhaust")
_BEGIN: Final = {"end": 0, "play": 1, "card": 1 + _PLACES, "fighter": 1 + 2 * _PLACES}


class BattleEncoding:
    """The numbers of battles from one setup."""

    actions: int = 1 + 2 * _PLACES + 1 + MOST_ENEMIES

    def __init__(self, setup: Setup) -> None:
        library = setup.library
        self._cards = {name: place for place, name in enumerate(library.card_names, 1)}
        self._statuses = {name: place for place, name in enumerate(library.statuses)}
        self._kinds = {name: place for place, name in enumerate(library.enemies, 1)}

    def number(self, state: Battle, action: Action) -> int | None:  # noqa: ARG002  (the place is in the action)
        """The number of this action; None for a card too far back in its pile."""
        place = action.place - PLAYER if action.type == "fighter" else action.place
        return None if place >= _PLACES else _BEGIN[action.type] + place

    @cached_property
    def names(self) -> Sequence[str]:
        """What each number of an observation is."""
        found = ["turn", "energy", "played", "asked", "asking", "player.health", "player.max_health", "player.block"]
        found += [f"player.{status}" for status in self._statuses]
        for place in range(MOST_ENEMIES):
            of = [f"enemy.{place}.{name}" for name in ("kind", "health", "max_health", "block", "move", "run")]
            found += [*of, *(f"enemy.{place}.{status}" for status in self._statuses)]
        found += [f"hand.{place}.{name}" for place in range(_SHOWN) for name in _CARD]
        found += ["hand", *_PILES]
        return [*found, *(f"{pile}.{card}" for pile in _PILES for card in self._cards)]

    def observation(self, state: Battle, seat: int) -> list[float]:  # noqa: ARG002  (there is one, and nothing hidden)
        """The table."""
        asking = state.pending.card.name if state.pending is not None else ""
        found: list[float] = [
            state.turn, state.energy, state.played, state.pending is not None, self._cards.get(asking, 0),
            state.health, state.max_health, state.block, *self._held(state.statuses),
        ]  # fmt: skip
        for place in range(MOST_ENEMIES):
            enemy = state.enemies[place] if place < len(state.enemies) else None
            if enemy is None:
                found += [0.0] * (6 + len(self._statuses))
                continue
            kind = self._kinds.get(enemy.kind.name, 0)
            found += [kind, enemy.health, enemy.max_health, enemy.block, enemy.move, enemy.run]
            found += self._held(enemy.statuses)
        for card in state.hand[:_SHOWN]:
            found += [self._cards.get(card.name, 0), card.level, card.cost, *(card.type == kind for kind in TYPES)]
        found += [0.0] * (len(_CARD) * (_SHOWN - min(_SHOWN, len(state.hand))))
        piles: list[Any] = [state.draw, state.discard, state.exhaust]
        found += [len(state.hand), *map(len, piles)]
        for pile in piles:
            count = Counter(card.name for card in pile)
            found += [count[name] for name in self._cards]
        return found

    def _held(self, statuses: Sequence[Held]) -> list[float]:
        found = [0.0] * len(self._statuses)
        for held in statuses:
            if held.status.name in self._statuses:
                found[self._statuses[held.status.name]] += held.amount
        return found
