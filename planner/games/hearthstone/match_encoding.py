"""The numeric form of matches, for learners: a number for every action, and observations as lists of numbers.

docs/reference/environment.md lists both. Numbers depend on positions on the boards and in the hand, so they mean the
same in every state; the limits of the rules say how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.keywords import BIT, NAMES
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.actions import Action, Attack, Batch, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.state import (
    ENEMY_HERO,
    MY_HERO,
    GameState,
    HandCard,
    Minion,
    Player,
    hero_attack,
)
from planner.games.hearthstone.rules.state_fields import HAND_CARD_TYPES, MINION

_MAX_STARTING_HAND: Final = 10  # each card doubles the number of mulligans
_MAX_LIMIT: Final = 50
_MINION: Final = ("card", *MINION.observed, *NAMES)
_HAND_CARD: Final = ("card", "cost", "attack", "health", *HAND_CARD_TYPES, *NAMES)
_PLAYER: Final = (
    "health", "max_health", "armor", "attack", "attacks_left", "frozen", "immune", "class", "mana", "crystals",
    "overload", "locked", "fatigue", "hand", "deck", "weapon", "weapon_attack", "weapon_durability", "power",
    "power_used", "cards_played",
)  # fmt: skip


class MatchEncoding:
    """The numeric form of matches with one setup."""

    def __init__(self, setup: MatchSetup) -> None:
        rules = setup.rules
        self._board, self._hand, self._starting_hand = rules.board_limit, rules.hand_limit, max(rules.starting_hand)
        if self._starting_hand > _MAX_STARTING_HAND or max(self._board, self._hand) > _MAX_LIMIT:
            limits = f"starting hands above {_MAX_STARTING_HAND} and limits above {_MAX_LIMIT}"
            raise PlannerError(f"{rules.name}: {limits} are not supported by the encoding")
        known = list(standard())
        own = sorted({card.name for deck in setup.decks for card in deck.cards} - set(known))
        self._cards = {name: number for number, name in enumerate([*sorted(known), *own], 1)}
        self._targets = 2 * self._board + 2
        # The first number of each kind of action.
        self._plays = 1
        self._attacks = self._plays + self._hand * (1 + self._targets)
        self._powers = self._attacks + (1 + self._board) ** 2
        self._trades = self._powers + 1 + self._targets
        self._mulligans = self._trades + self._hand
        self.actions = self._mulligans + 2**self._starting_hand

    # -- actions

    def number(self, state: GameState, action: Action) -> int:
        """Return the number of a legal action."""
        match action:
            case EndTurn():
                return 0
            case Play(card, target):
                return self._plays + _hand_index(state, card) * (1 + self._targets) + self._target(state, target)
            case Attack(attacker, target):
                defender = self._target(state, target) - 2 - self._board  # only the enemy's side can be attacked
                return self._attacks + (self._target(state, attacker) - 1) * (1 + self._board) + defender
            case HeroPower(target):
                return self._powers + self._target(state, target)
            case Trade(card):
                return self._trades + _hand_index(state, card)
            case Mulligan(cards):
                return self._mulligans + sum(1 << _hand_index(state, card) for card in cards)
            case Batch():
                raise ValueError("a batch has no number: learners choose single actions")

    def _target(self, state: GameState, target: str | None) -> int:
        """Return 0 for no target, then the numbers of my hero, my board, the enemy hero and the enemy board."""
        if target is None:
            return 0
        for first, hero, player in ((1, MY_HERO, state.me), (2 + self._board, ENEMY_HERO, state.enemy)):
            if target == hero:
                return first
            for position, minion in enumerate(player.board, 1):
                if minion.id == target:
                    return first + position
        raise ValueError(target)

    # -- observations

    @cached_property
    def names(self) -> Sequence[str]:
        """The meaning of each number of an observation."""
        result = ["turn", "seat", "my_turn"]
        for side in ("me", "enemy"):
            result += [f"{side}.{name}" for name in _PLAYER]
            result += [f"{side}.board.{index}.{name}" for index in range(self._board) for name in _MINION]
        return [*result, *(f"me.hand.{index}.{name}" for index in range(self._hand) for name in _HAND_CARD)]

    def observation(self, state: GameState, seat: int) -> list[float]:
        """Return the state as this seat sees it; `me` is this seat, also if the other one is to move."""
        me, enemy = state.player(seat), state.player(1 - seat)
        result: list[float] = [state.turn, seat, state.seat == seat]
        for player in (me, enemy):
            result += self._player(player)
            result += _padded(map(self._minion, player.board), self._board, len(_MINION))
        return [*result, *_padded(map(self._hand_card, me.hand), self._hand, len(_HAND_CARD))]

    def _card(self, card: Card | None) -> int:
        return 0 if card is None else self._cards.get(card.name, 0)

    def _player(self, player: Player) -> list[float]:
        hero, weapon = player.hero, player.weapon
        return [
            hero.health, hero.max_health, hero.armor, hero_attack(player), hero.attacks_left,
            bool(hero.keywords & BIT["frozen"]), bool(hero.keywords & BIT["immune"]),
            CLASSES.index(hero.hero_class) + 1 if hero.hero_class in CLASSES else 0,
            player.mana, player.crystals, player.overload, player.locked, player.fatigue, len(player.hand),
            len(player.deck), self._card(weapon.card if weapon else None), weapon.attack if weapon else 0,
            weapon.durability if weapon else 0, self._card(player.power), player.power_used, player.cards_played,
        ]  # fmt: skip

    def _minion(self, minion: Minion) -> list[float]:
        numbers = [getattr(minion, name) for name in MINION.observed]
        return [self._card(minion.card), *numbers, *_flags(minion.keywords)]

    def _hand_card(self, hand_card: HandCard) -> list[float]:
        card = hand_card.card
        types = [card.type == name for name in HAND_CARD_TYPES]
        return [self._card(card), hand_card.cost, card.attack, card.health, *types, *_flags(card.keywords)]


def _hand_index(state: GameState, card_id: str) -> int:
    return next(index for index, card in enumerate(state.me.hand) if card.id == card_id)


def _flags(keywords: int) -> list[float]:
    return [float(keywords >> bit & 1) for bit in range(len(NAMES))]


def _padded(rows: Iterator[Any], count: int, width: int) -> list[float]:
    """Return the numbers of these rows, followed by zeros for the missing rows."""
    numbers = [number for row in rows for number in row][: count * width]
    return numbers + [0.0] * (count * width - len(numbers))
