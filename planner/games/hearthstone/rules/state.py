"""The state of a match, as values: everything here is immutable, and equal states are equal values."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.keywords import attacks_per_turn, names
from planner.games.hearthstone.rules.ruleset import Ruleset

MY_HERO: Final = "me.hero"
ENEMY_HERO: Final = "enemy.hero"

# `new(Player, (hero, board, ...))` is `Player(hero, board, ...)` in less than half the time: every action makes three.
new: Final = tuple.__new__


class Minion(NamedTuple):
    """A minion on a board. `attack`, `health` and `max_health` include buffs and auras."""

    id: str
    card: Card
    attack: int
    health: int
    max_health: int
    keywords: int
    attacks_left: int = 1
    fresh: bool = False  # came onto the board this turn
    entered: int = 0  # its place in the order in which minions came onto the board
    silenced: bool = False
    attack_this_turn: int = 0  # the part of `attack` that ends with the turn
    keywords_this_turn: int = 0
    aura_attack: int = 0  # the part of `attack` that comes from others' auras
    aura_health: int = 0

    # A match is full of these two changes, and `_replace` takes twice as long. Numbers are places in the list above.

    def with_health(self, health: int, keywords: int) -> Minion:
        """After a blow, say."""
        values: list[object] = list(self)
        values[3] = health
        values[5] = keywords
        return new(Minion, values)

    @property
    def keyword_names(self) -> tuple[str, ...]:
        """Its keywords as words; `keywords` has them as bits."""
        return tuple(names(self.keywords))

    def with_attacks(self, attacks_left: int, fresh: bool, keywords: int) -> Minion:
        """After an attack, or rested."""
        values: list[object] = list(self)
        values[5:8] = keywords, attacks_left, fresh
        return new(Minion, values)


class Weapon(NamedTuple):
    """A weapon in a hero's hands."""

    card: Card
    attack: int
    durability: int
    keywords: int = 0


class Hero(NamedTuple):
    """A hero. The attack of its weapon is not part of `attack_this_turn`."""

    health: int
    max_health: int
    armor: int = 0
    keywords: int = 0
    attack_this_turn: int = 0
    attacks_left: int = 1
    hero_class: str = "neutral"
    keywords_this_turn: int = 0

    def with_health(self, health: int, armor: int, keywords: int) -> Hero:
        """After a blow, say; `_replace` would take four times as long."""
        return new(Hero, (health, self.max_health, armor, keywords, *self[4:]))


class HandCard(NamedTuple):
    """A card in a hand or a deck."""

    id: str
    card: Card
    cost: int
    value: int | float = 1
    echo: bool = False  # a copy that vanishes at the end of the turn


class Player(NamedTuple):
    """All that belongs to one player."""

    hero: Hero
    board: tuple[Minion, ...] = ()
    hand: tuple[HandCard, ...] = ()
    deck: tuple[HandCard, ...] = ()  # the next card to be drawn comes first
    mana: int = 0
    crystals: int = 0
    overload: int = 0  # crystals that will be locked in the next turn
    locked: int = 0  # crystals locked in this turn
    fatigue: int = 0  # how often this player drew from an empty deck
    weapon: Weapon | None = None
    power: Card | None = None
    power_used: bool = False
    cards_played: int = 0  # this turn

    def with_cards(self, hand: tuple[HandCard, ...], deck: tuple[HandCard, ...]) -> Player:
        """The same player with other cards; `_replace` would take twice as long."""
        values: list[object] = list(self)
        values[2:4] = hand, deck
        return new(Player, values)


class GameState(NamedTuple):
    """A match, seen by the player whose turn it is."""

    me: Player
    enemy: Player
    rules: Ruleset
    turn: int = 1  # of both players together
    seat: int = 0  # of `me`: 0 moves first in the match, 1 second
    clock: int = 0  # counts minions that entered and cards that were made
    cause: str = ""  # what brought a hero to 0, where it was not damage

    @property
    def round(self) -> int:
        """Turns as the thesis counts them: both players' turns are one."""
        return (self.turn + 1) // 2

    @property
    def mana(self) -> int:
        """What `me` can spend now: it stands at the top of the JSON form."""
        return self.me.mana

    @property
    def finished(self) -> bool:
        """Is the match over?"""
        return is_over(self)

    def player(self, seat: int) -> Player:
        """The player in this seat."""
        return self.me if seat == self.seat else self.enemy

    def __str__(self) -> str:
        from planner.games.hearthstone.rules.text import state_to_text  # noqa: PLC0415  (text imports this module)

        return state_to_text(self)


def is_over(state: GameState) -> bool:
    """Has the match ended: by a dead hero, or by the turn limit?"""
    return state.me.hero.health <= 0 or state.enemy.hero.health <= 0 or state.turn > state.rules.turn_limit


def hero_attack(player: Player) -> int:
    """What the hero would deal if it attacked now."""
    weapon = player.weapon
    return player.hero.attack_this_turn + (weapon.attack if weapon else 0)


def new_minion(card_id: str, card: Card, entered: int) -> Minion:
    """The minion that this card puts onto the board."""
    health, kept = card.health, card.keywords
    attacks = attacks_per_turn(kept)
    return new(Minion, (card_id, card, card.attack, health, health, kept, attacks, True, entered, False, 0, 0, 0, 0))


def in_hand(card_id: str, card: Card) -> HandCard:
    """The card as it comes into a hand or a deck."""
    return new(HandCard, (card_id, card, card.cost, card.value, False))


@lru_cache(maxsize=1000)  # an agent's every decision begins with a look, and the backs of cards are all alike
def face_down(zone: str, count: int) -> tuple[HandCard, ...]:
    """So many cards that nobody can see."""
    return tuple(in_hand(f"{zone}.{number}", HIDDEN) for number in range(count))
