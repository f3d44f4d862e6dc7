"""What a card does, as data: an effect x a target x a trigger. The referee carries it out; nothing here does."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

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
    "silence": (("to",), ()),
    "freeze": (("to",), ()),
    "draw": (("count",), ("side",)),
    "discard": (("count",), ()),
    "add": (("card",), ("count",)),
    "equip": (("card",), ()),
    "hone": ((), ("attack", "health", "keywords")),
    "disarm": ((), ("side",)),
    "mana": (("amount",), ("crystals", "empty", "card")),
    "hook": (("name",), ("to",)),
}
TRIGGERS: Final = ("play", "death", "turn_start", "turn_end", "aura")
_ATTACK: Final = re.compile(r"attack([<>])=([0-9]{1,6})")
SELECTORS: Final = ("chosen", "all", "random", "self")
TRIBES: Final = (
    "beast",
    "demon",
    "dragon",
    "elemental",
    "mech",
    "murloc",
    "naga",
    "pirate",
    "quilboar",
    "totem",
    "undead",
)

# What an effect may ask for before it happens: a card of a tribe in hand, another minion of a tribe here, a weapon.
GIVEN: Final = ("weapon", *(f"{asked} {tribe}" for asked in ("holding", "controlling") for tribe in TRIBES))

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
class Target:
    """Whom an effect concerns, such as `chosen friendly mech` or `all other characters`."""

    select: str  # one of SELECTORS
    side: str = "any"  # friendly, enemy, any
    what: str = "character"  # minion, hero, character
    other: bool = False  # not the card itself
    tribe: str | None = None
    damaged: bool | None = None
    least: int | None = None  # a minion's attack
    most: int | None = None

    @classmethod
    def parse(cls, text: str) -> Target:
        """From words: [chosen|all|random|self] [other] [friendly|enemy] [damaged|undamaged] what [attack>=N attack<=N].

        Raises ValueError with the word that is not understood.
        """
        select, side, what, tribe, damaged, other = "", "any", "", None, None, False
        least: int | None = None
        most: int | None = None
        for word in text.split():
            if bound := _ATTACK.fullmatch(word):
                if bound[1] == "<":
                    most = int(bound[2])
                else:
                    least = int(bound[2])
                continue
            singular = "hero" if word == "heroes" else word.removesuffix("s")
            if word in SELECTORS:
                select = word
            elif word in ("friendly", "enemy"):
                side = word
            elif word == "other":
                other = True
            elif word in ("damaged", "undamaged"):
                damaged = word == "damaged"
            elif singular in ("minion", "hero", "character"):
                what = singular
            elif singular in TRIBES:
                what, tribe = "minion", singular
            else:
                raise ValueError(f"target {text!r}: {word!r} is not a word for a target")
        if select == "self":
            return cls("self", damaged=damaged)
        if not what:
            raise ValueError(f"target {text!r}: say minion, hero, character or a tribe")
        if not select:
            if what != "hero":
                raise ValueError(f"target {text!r}: say chosen, all or random")
            select = "all"
        if what != "minion" and (least, most) != (None, None):
            raise ValueError(f"target {text!r}: only of minions it is asked what attack they have")
        return cls(select, side, what, other, tribe, damaged, least, most)

    def __str__(self) -> str:
        damaged = {True: "damaged", False: "undamaged", None: ""}[self.damaged]
        if self.select == "self":
            return f"{damaged} self".strip()
        words = (
            self.select,
            "other" if self.other else "",
            "" if self.side == "any" else self.side,
            damaged,
            self.tribe or self.what,
            "" if self.least is None else f"attack>={self.least}",
            "" if self.most is None else f"attack<={self.most}",
        )
        return " ".join(word for word in words if word)


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
    # summon, equip, add: the card's name; several: one of them at random. mana: what comes where no crystal can
    card: tuple[str, ...] = ()
    count: int = 1
    side: str = "friendly"  # summon, draw, disarm: whose board, deck or weapon
    name: str = ""  # hook: its name
    split: bool = False  # damage: one at a time, each on a random target
    this_turn: bool = False  # buff: gone at the end of the turn
    crystals: bool = False  # mana: for good rather than for this turn
    empty: bool = False  # mana: the new crystals give nothing yet this turn
    made: tuple[Card, ...] = field(default=(), compare=False, repr=False)  # `card` looked up by the catalogue
    combo: bool | None = None  # only with (True) or without (False) another card played before it this turn
    given: str = ""  # one of GIVEN: only where that is so

    @property
    def chosen(self) -> bool:
        """Does the player choose its target?"""
        return self.to is not None and self.to.select == "chosen"

    @property
    def random(self) -> bool:
        """Does its outcome depend on the random generator?"""
        drawn = self.do == "discard" or (self.to is not None and self.to.select == "random")
        return self.split or drawn or len(self.card) > 1

