"""What a card does, as data: an effect x a target x a trigger. The referee carries it out; nothing here does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from planner.games.hearthstone.cards.conditions import Quantity, Requirement, parse_condition, parse_quantity
from planner.games.hearthstone.cards.targets import Target

if TYPE_CHECKING:
    from planner.games.hearthstone.cards.card import Card

EFFECTS: Final = {
    # effect: (fields that it needs, fields that it may have)
    "damage": (("amount", "to"), ("split",)),
    "heal": (("amount", "to"), ()),
    "armor": (("amount",), ()),
    "buff": (("to",), ("attack", "health", "keywords", "this_turn")),
    "summon": (("card",), ("count", "side")),
    "destroy": (("to",), ()),
    "set_attack": (("amount", "to"), ()),
    "set_health": (("amount", "to"), ()),
    "return": (("to",), ()),
    "transform": (("to", "card"), ()),
    "silence": (("to",), ()),
    "freeze": (("to",), ()),
    "draw": (("count",), ("side",)),
    "discard": (("count",), ()),
    "add": (("card",), ("count", "side")),
    "equip": (("card",), ()),
    "hone": ((), ("attack", "health", "keywords")),
    "disarm": ((), ("side",)),
    "mana": (("amount",), ("crystals", "empty", "card")),
    "hook": (("name",), ("to",)),
}
MOST_THINGS: Final = 1000  # that one effect makes, draws, discards, or deals point by point; a minion's spell damage
MULTIPLIED: Final = ("damage", "heal", "armor", "buff", "summon", "draw", "add")  # those that may have `times`
# What its owner does while a minion stands, or the minion itself: it answers before, or after what was done is over.
ANSWERS: Final = ("cast", "after_cast", "after_power", "after_swing", "attack", "after_attack")
TRIGGERS: Final = ("play", "death", "turn_start", "turn_end", "aura", *ANSWERS)

# Functions for what the data cannot say. A card names one; only code that runs here can add one, so a card
# file from a stranger can never bring code along. The arguments are the referee's table, the side and the
# character that the effect belongs to, and the targets it was given.
HOOKS: Final[dict[str, Callable[..., None]]] = {}


def card_hook(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function under the name by which cards call it: `do: hook, name: ...`."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        HOOKS[name] = function
        return function

    return register


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of a card. Fields that an effect does not use keep their default."""

    do: str  # one of EFFECTS
    on: str = "play"  # one of TRIGGERS
    to: Target | None = None
    amount: int = 0
    attack: int = 0
    health: int = 0
    keywords: int = 0
    # summon, equip, add, transform: the card's name; several: one of them at random. mana: what comes where no crystal
    # can
    card: tuple[str, ...] = ()
    count: int = 1
    side: str = "friendly"  # summon, draw, add, disarm: whose board, deck, hand or weapon
    name: str = ""  # hook: its name
    split: bool = False  # damage: one at a time, each on a random target
    this_turn: bool = False  # buff: gone at the end of the turn
    crystals: bool = False  # mana: for good rather than for this turn
    empty: bool = False  # mana: the new crystals give nothing yet this turn
    made: tuple[Card, ...] = field(default=(), compare=False, repr=False)  # `card` looked up by the catalogue
    combo: bool | None = None  # only with (True) or without (False) another card played before it this turn
    given: str = ""  # only where that is so, in the words of `conditions`
    times: str = ""  # its numbers are multiplied by this, in the words of `conditions`

    @property
    def chosen(self) -> bool:
        """Does the player choose its target?"""
        return self.to is not None and self.to.select == "chosen"

    @property
    def condition(self) -> Requirement | None:
        """What `given` says."""
        return parse_condition(self.given) if self.given else None

    @property
    def quantity(self) -> Quantity | None:
        """What `times` says."""
        return parse_quantity(self.times) if self.times else None

    @property
    def random(self) -> bool:
        """Does its outcome depend on the random generator?"""
        drawn = self.do == "discard" or (self.to is not None and self.to.select == "random")
        return self.split or drawn or len(self.card) > 1
