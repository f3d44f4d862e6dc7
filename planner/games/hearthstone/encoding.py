"""Matches as numbers, for learners: a number for every action, and what a seat sees as a list of numbers.

docs/reference/environment.md lists both. Positions on the boards and in the hand decide, so a number means the same in
every state, and the limits of the rules say how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.keywords import BIT, NAMES
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.state import GameState, HandCard, Minion, Player, hero_attack
from planner.games.hearthstone.setup import MatchSetup

_MY_HERO, _ENEMY_HERO = "me.hero", "enemy.hero"
_MOST_CARDS: Final = 10  # of a starting hand: each doubles the number of mulligans
_TYPES: Final = ("minion", "spell", "weapon")
_MINION: Final = ("card", "attack", "health", "max_health", "attacks_left", "fresh", "silenced", *NAMES)
_HELD: Final = ("card", "cost", "attack", "health", *_TYPES, *NAMES)
_PLAYER: Final = (
    "health", "max_health", "armor", "attack", "attacks_left", "frozen", "immune", "class", "mana", "crystals",
    "overload", "locked", "fatigue", "hand", "deck", "weapon", "weapon_attack", "weapon_durability", "power",
    "power_used", "cards_played",
)  # fmt: skip


class MatchEncoding:
    """The numbers of matches from one setup."""

    def __init__(self, setup: MatchSetup) -> None:
        rules = setup.rules
        self._board, self._hand, self._dealt = rules.board_limit, rules.hand_limit, max(rules.starting_hand)
        if self._dealt > _MOST_CARDS or max(self._board, self._hand) > 50:
            raise PlannerError(f"{rules.name}: starting hands above {_MOST_CARDS}, or limits above 50, are not encoded")
        known = list(standard())
        own = sorted({card.name for deck in setup.decks for card in deck.cards} - set(known))
        self._cards = {name: place for place, name in enumerate([*sorted(known), *own], 1)}
        self._targets = 2 * self._board + 2
        # Where each kind of action begins.
        self._plays = 1
        self._attacks = self._plays + self._hand * (1 + self._targets)
        self._powers = self._attacks + (1 + self._board) ** 2
        self._trades = self._powers + 1 + self._targets
        self._mulligans = self._trades + self._hand
        self.actions = self._mulligans + 2**self._dealt

    # -- actions

    def number(self, state: GameState, action: Action) -> int:
        """The number of this action, which must be legal."""
        match action:
            case EndTurn():
                return 0
            case Play(card, target):
                return self._plays + self._held(state, card) * (1 + self._targets) + self._target(state, target)
            case Attack(attacker, target):
                there = self._target(state, target) - 2 - self._board  # only the enemy's side can be attacked
                here = self._target(state, attacker) - 1
                return self._attacks + here * (1 + self._board) + there
            case HeroPower(target):
                return self._powers + self._target(state, target)
            case Trade(card):
                return self._trades + self._held(state, card)
            case Mulligan(cards):
                return self._mulligans + sum(1 << self._held(state, card) for card in cards)

    def _held(self, state: GameState, card: str) -> int:
        return next(place for place, held in enumerate(state.me.hand) if held.id == card)

    def _target(self, state: GameState, target: str | None) -> int:
        """0 for no target, then my hero, my board, the enemy hero, the enemy board."""
        if target is None:
            return 0
        for begin, hero, player in ((1, _MY_HERO, state.me), (2 + self._board, _ENEMY_HERO, state.enemy)):
            if target == hero:
                return begin
            for place, minion in enumerate(player.board, 1):
                if minion.id == target:
                    return begin + place
        raise ValueError(target)

    # -- what a seat sees

    @cached_property
    def names(self) -> Sequence[str]:
        """What each number of an observation is."""
        found = ["turn", "seat", "my_turn"]
        for side in ("me", "enemy"):
            found += [f"{side}.{name}" for name in _PLAYER]
            found += [f"{side}.board.{place}.{name}" for place in range(self._board) for name in _MINION]
        return [*found, *(f"me.hand.{place}.{name}" for place in range(self._hand) for name in _HELD)]

    def observation(self, state: GameState, seat: int) -> list[float]:
        """The state as this seat sees it; `me` is this seat, whoever is to move."""
        me, enemy = state.player(seat), state.player(1 - seat)
        found: list[float] = [state.turn, seat, state.seat == seat]
        for player in (me, enemy):
            found += self._player(player)
            found += _padded(map(self._minion, player.board), self._board, len(_MINION))
        return [*found, *_padded(map(self._in_hand, me.hand), self._hand, len(_HELD))]

    def _number_of(self, card: Card | None) -> int:
        return 0 if card is None else self._cards.get(card.name, 0)

    def _player(self, player: Player) -> list[float]:
        hero, weapon = player.hero, player.weapon
        return [
            hero.health, hero.max_health, hero.armor, hero_attack(player), hero.attacks_left,
            bool(hero.keywords & BIT["frozen"]), bool(hero.keywords & BIT["immune"]),
            CLASSES.index(hero.hero_class) + 1 if hero.hero_class in CLASSES else 0,
            player.mana, player.crystals, player.overload, player.locked, player.fatigue, len(player.hand),
            len(player.deck), self._number_of(weapon.card if weapon else None), weapon.attack if weapon else 0,
            weapon.durability if weapon else 0, self._number_of(player.power), player.power_used, player.cards_played,
        ]  # fmt: skip

    def _minion(self, minion: Minion) -> list[float]:
        return [
            self._number_of(minion.card), minion.attack, minion.health, minion.max_health, minion.attacks_left,
            minion.fresh, minion.silenced, *_flags(minion.keywords),
        ]  # fmt: skip

    def _in_hand(self, held: HandCard) -> list[float]:
        card = held.card
        kinds = [card.type == kind for kind in _TYPES]
        return [self._number_of(card), held.cost, card.attack, card.health, *kinds, *_flags(card.keywords)]


def _flags(keywords: int) -> list[float]:
    return [float(keywords >> place & 1) for place in range(len(NAMES))]


def _padded(rows: Iterator[Any], count: int, width: int) -> list[float]:
    """The numbers of these rows, then zeros for the places that are empty."""
    found = [number for row in rows for number in row][: count * width]
    return found + [0.0] * (count * width - len(found))
