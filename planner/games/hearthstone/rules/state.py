"""The state of a match as immutable values: equal states compare equal.

state_fields.py describes the fields for the JSON form, the JSON schema and the text form.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.keywords import attacks_per_turn, names
from planner.games.hearthstone.rules.ruleset import Ruleset

if TYPE_CHECKING:
    from planner.games.hearthstone.rules.mutable_state import MutablePlayer, MutableState

MY_HERO: Final = "me.hero"
ENEMY_HERO: Final = "enemy.hero"

# `new(Player, (hero, board, ...))` does what `Player(hero, board, ...)` does in less than half the time, and every
# action creates several of these tuples. The methods `with_...` below do what `_replace` does, for frequent changes.
new: Final = tuple.__new__


class Minion(NamedTuple):
    """A minion on a board. `attack`, `health` and `max_health` include buffs and auras."""

    id: str
    card: Card
    attack: int
    health: int
    max_health: int
    keywords: int  # bits of cards/keywords.py
    attacks_left: int = 1
    fresh: bool = False  # summoned this turn
    entered: int = 0  # larger for minions that entered the board later
    silenced: bool = False
    attack_this_turn: int = 0  # the part of `attack` that ends with the turn
    keywords_this_turn: int = 0  # the part of `keywords` that ends with the turn
    aura_attack: int = 0  # the part of `attack` that comes from auras
    aura_health: int = 0  # the part of `health` and `max_health` that comes from auras

    def with_health(self, health: int, keywords: int) -> Minion:
        """Return a copy with another health and other keywords."""
        values: list[object] = list(self)
        values[3] = health
        values[5] = keywords
        return new(Minion, values)

    def with_attacks(self, attacks_left: int, fresh: bool, keywords: int) -> Minion:
        """Return a copy that can attack this often."""
        values: list[object] = list(self)
        values[5:8] = keywords, attacks_left, fresh
        return new(Minion, values)

    @property
    def keyword_names(self) -> tuple[str, ...]:
        """The names of the keywords, which `keywords` holds as bits."""
        return tuple(names(self.keywords))


class Weapon(NamedTuple):
    """The weapon of a hero."""

    card: Card
    attack: int
    durability: int
    keywords: int = 0


class Hero(NamedTuple):
    """A hero. `attack_this_turn` does not include the attack of the weapon."""

    health: int
    max_health: int
    armor: int = 0
    keywords: int = 0
    attack_this_turn: int = 0
    attacks_left: int = 1
    hero_class: str = "neutral"
    keywords_this_turn: int = 0  # the part of `keywords` that ends with the turn

    def with_health(self, health: int, armor: int, keywords: int) -> Hero:
        """Return a copy with another health, armor and other keywords."""
        return new(Hero, (health, self.max_health, armor, keywords, *self[4:]))


class HandCard(NamedTuple):
    """A card in a hand or a deck."""

    id: str
    card: Card
    cost: int
    value: int | float = 1
    echo: bool = False  # a copy that disappears at the end of the turn


class Player(NamedTuple):
    """Everything that belongs to one player."""

    hero: Hero
    board: tuple[Minion, ...] = ()
    hand: tuple[HandCard, ...] = ()
    deck: tuple[HandCard, ...] = ()  # the next card to draw is the first
    mana: int = 0
    crystals: int = 0
    overload: int = 0  # crystals that will be locked in the next turn
    locked: int = 0  # crystals that are locked in this turn
    fatigue: int = 0  # how often this player drew from an empty deck
    weapon: Weapon | None = None
    power: Card | None = None
    power_used: bool = False
    cards_played: int = 0  # this turn

    def with_cards(self, hand: tuple[HandCard, ...], deck: tuple[HandCard, ...]) -> Player:
        """Return a copy with another hand and deck."""
        values: list[object] = list(self)
        values[2:4] = hand, deck
        return new(Player, values)


class GameState(NamedTuple):
    """A match, from the view of the player whose turn it is (`me`)."""

    me: Player
    enemy: Player
    rules: Ruleset
    turn: int = 1  # counts the turns of both players
    seat: int = 0  # of `me`: 0 moved first in the match, 1 second
    clock: int = 0  # counts the minions that entered and the cards that were created
    cause: str = ""  # why a hero is at 0 health, if not because of damage

    def _repr_html_(self) -> str:
        """Draw the board in a notebook."""
        from planner.games.hearthstone.rules.board_html import board_html  # noqa: PLC0415  (only notebooks draw)

        return board_html(self)

    @property
    def round(self) -> int:
        """The number of the round: one turn of each player, as Guo (2025) counts turns."""
        return (self.turn + 1) // 2

    @property
    def mana(self) -> int:
        """The mana that `me` can spend now."""
        return self.me.mana

    @property
    def finished(self) -> bool:
        """Whether the match is over."""
        return is_over(self)

    def player(self, seat: int) -> Player:
        """Return the player in this seat."""
        return self.me if seat == self.seat else self.enemy

    def __str__(self) -> str:
        from planner.games.hearthstone.rules.state_text import state_to_text  # noqa: PLC0415  (it imports this module)

        return state_to_text(self)


# What the rules read: a state between two actions, or its mutable copy during one.
AnyPlayer: TypeAlias = "Player | MutablePlayer"
AnyState: TypeAlias = "GameState | MutableState"


def is_over(state: AnyState) -> bool:
    """Return whether the match has ended, by a dead hero or by the turn limit."""
    return state.me.hero.health <= 0 or state.enemy.hero.health <= 0 or state.turn > state.rules.turn_limit


def hero_attack(player: AnyPlayer) -> int:
    """Return the damage that the hero would deal if it attacked now."""
    weapon = player.weapon
    return player.hero.attack_this_turn + (weapon.attack if weapon else 0)


def unspent_attack(hero: Hero) -> int:
    """Return the attack beside the weapon's that the hero can still use this turn."""
    return hero.attack_this_turn if hero.attacks_left > 0 else 0


def last_entered(me: Player, enemy: Player) -> int:
    """Return the number of the minion that entered a board last."""
    return max([0, *[minion.entered for minion in me.board + enemy.board]])


# The defaults of the fields after `entered`: the values of a minion that nothing has changed.
_UNCHANGED: Final = tuple(
    Minion._field_defaults[name] for name in Minion._fields[Minion._fields.index("entered") + 1 :]
)


def new_minion(card_id: str, card: Card, entered: int) -> Minion:
    """Return the minion that a card summons."""
    health, keywords = card.health, card.keywords
    attacks = attacks_per_turn(keywords)
    numbers = card.attack, health, health, keywords, attacks
    return new(Minion, (card_id, card, *numbers, True, entered, *_UNCHANGED))


def in_hand(card_id: str, card: Card) -> HandCard:
    """Return a card as it enters a hand or a deck."""
    return new(HandCard, (card_id, card, card.cost, card.value, False))


@lru_cache(maxsize=1000)  # every decision of an agent begins with an observation, and all hidden cards are equal
def hidden_cards(zone: str, count: int) -> tuple[HandCard, ...]:
    """Return this many hidden cards for a zone such as `enemy.hand`."""
    return tuple(in_hand(f"{zone}.{index}", HIDDEN) for index in range(count))
