"""The vocabulary of card effects as data: what happens, to which targets, when, on which condition and how often.

Nothing here carries effects out: planner/games/hearthstone/rules does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from planner.errors import did_you_mean
from planner.games.hearthstone.cards.keywords import NAMES

if TYPE_CHECKING:
    from planner.games.hearthstone.cards.card import Card

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


# -- targets

SELECTORS: Final = ("chosen", "all", "random", "self")
# The field of a target that a word sets, and the value. Numbers are read separately.
TARGET_WORDS: Final[dict[str, tuple[str, str | bool]]] = {
    **{word: ("select", word) for word in SELECTORS},
    "friendly": ("side", "friendly"),
    "enemy": ("side", "enemy"),
    "other": ("other", True),
    "damaged": ("damaged", True),
    "undamaged": ("damaged", False),
    **{keyword: ("keyword", keyword) for keyword in NAMES},
    **{f"non-{tribe}": ("without", tribe) for tribe in TRIBES},
    **{f"{noun}{plural}": ("what", noun) for noun in ("minion", "hero", "character") for plural in ("", "s")},
    "heroes": ("what", "hero"),
    **{f"{tribe}{plural}": ("tribe", tribe) for tribe in TRIBES for plural in ("", "s")},
}
_ATTACK_BOUND: Final = re.compile(r"attack([<>])=([0-9]{1,6})")
_RANDOM_COUNT: Final = re.compile(r"[2-9]|[1-9][0-9]")
# The pattern of a word of a target.
TARGET_WORD: Final = "|".join([*TARGET_WORDS, _RANDOM_COUNT.pattern, r"attack[<>]=[0-9]{1,6}"])


@dataclass(frozen=True, slots=True)
class Target:
    """The characters that an effect acts on, such as `chosen friendly mech` or `all other characters`."""

    select: str  # one of SELECTORS
    side: str = "any"  # friendly, enemy, any
    what: str = "character"  # minion, hero, character
    other: bool = False  # not the minion whose effect it is
    tribe: str | None = None
    damaged: bool | None = None
    min_attack: int | None = None  # of a minion
    max_attack: int | None = None  # of a minion
    keyword: str | None = None
    without: str | None = None  # a tribe that the minion must not have
    count: int = 1  # random: how many different characters

    @classmethod
    def parse(cls, text: str) -> Target:
        """Parse `[chosen|all|self|random [N]] [other] [friendly|enemy] [damaged|undamaged] [KEYWORD] [non-TRIBE] what
        [attack>=N attack<=N]`.

        Raises ValueError with the word that is not known.
        """
        values: dict[str, Any] = {"select": "", "what": ""}
        for word in text.split():
            if word in TARGET_WORDS:
                field_name, value = TARGET_WORDS[word]
                values[field_name] = value
            elif bound := _ATTACK_BOUND.fullmatch(word):
                values["max_attack" if bound[1] == "<" else "min_attack"] = int(bound[2])
            elif _RANDOM_COUNT.fullmatch(word):
                values["count"] = int(word)
            else:
                hint = did_you_mean(word, TARGET_WORDS) if len(word) > 3 else ""
                hint = hint or "; a target is written as 'chosen character' or 'all enemy minions'"
                raise ValueError(f"target {text!r}: unknown word {word!r}{hint}")
        if "tribe" in values:
            values["what"] = "minion"
        if values["select"] == "self":
            return cls("self", damaged=values.get("damaged"))
        if not values["what"]:
            raise ValueError(f"target {text!r}: needs minion, hero, character or a tribe")
        if not values["select"]:
            if values["what"] != "hero":
                raise ValueError(f"target {text!r}: needs chosen, all or random")
            values["select"] = "all"
        if values["what"] != "minion" and values.keys() & {"min_attack", "max_attack", "without"}:
            raise ValueError(f"target {text!r}: only minions have a bound on attack or an excluded tribe")
        if "count" in values and values["select"] != "random":
            raise ValueError(f"target {text!r}: only random targets have a count")
        return cls(**values)

    def __str__(self) -> str:
        damaged = {True: "damaged", False: "undamaged", None: ""}[self.damaged]
        if self.select == "self":
            return f"{damaged} self".strip()
        words = (
            self.select,
            "" if self.count == 1 else str(self.count),
            "other" if self.other else "",
            "" if self.side == "any" else self.side,
            damaged,
            self.keyword or "",
            "" if self.without is None else f"non-{self.without}",
            self.tribe or self.what,
            "" if self.min_attack is None else f"attack>={self.min_attack}",
            "" if self.max_attack is None else f"attack<={self.max_attack}",
        )
        return " ".join(word for word in words if word)


# -- quantities and conditions

# Numbers of a player. `attack` is the attack of the minion whose effect it is.
QUANTITIES: Final = ("health", "armor", "hand", "crystals", "weapon_attack", "hero_attack")
# Conditions without a number: a weapon, whose turn it is, whether a target was chosen, is alive or friendly, and the
# tribes of a card in hand, of another minion on the board or of the target.
SIMPLE_CONDITIONS: Final = (
    "weapon",
    "my turn",
    "target",
    "target alive",
    "target friendly",
    *(f"{subject} {tribe}" for subject in ("holding", "controlling", "target") for tribe in TRIBES),
)
_COMPARISON: Final = re.compile(r"(.+?)([<>])=([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that is counted when an effect happens: `hand`, `enemy health`, `attack`, `all friendly beasts`."""

    what: str  # one of QUANTITIES, `attack` or `count`
    enemy: bool = False
    of: Target | None = None  # count: the characters that are counted

    def __str__(self) -> str:
        return str(self.of) if self.of is not None else f"enemy {self.what}" if self.enemy else self.what


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold for an effect to happen; with `negated`, what must not hold."""

    kind: str  # weapon, holding, controlling, turn, target, quantity
    negated: bool = False
    word: str = ""  # holding, controlling: a tribe. target: empty, `alive`, `friendly` or a tribe
    quantity: Quantity | None = None
    minimum: int | None = None
    maximum: int | None = None


@lru_cache(maxsize=1000)
def parse_quantity(text: str) -> Quantity:
    """Parse a quantity. Raises ValueError for unknown words."""
    words = text.split()
    if words == ["attack"]:
        return Quantity("attack")
    enemy = words[:1] == ["enemy"]
    if len(words) == 1 + enemy and words[-1] in QUANTITIES:
        return Quantity(words[-1], enemy)
    if words[:1] != ["all"]:
        raise ValueError(f"unknown quantity {text!r}: use attack, {', '.join(QUANTITIES)}, or a target with all")
    return Quantity("count", of=Target.parse(text))


@lru_cache(maxsize=1000)
def parse_condition(text: str) -> Condition:
    """Parse a condition. Raises ValueError for unknown words."""
    if text.startswith("not "):
        condition = parse_condition(text.removeprefix("not "))
        if condition.negated:
            raise ValueError(f"condition {text!r}: duplicate 'not'")
        return replace(condition, negated=True)
    if text in SIMPLE_CONDITIONS:
        subject, _, word = text.partition(" ")
        return Condition("turn") if subject == "my" else Condition(subject, word=word)
    if comparison := _COMPARISON.fullmatch(text):
        bound, quantity = int(comparison[3]), parse_quantity(comparison[1].strip())
        if comparison[2] == ">":
            return Condition("quantity", quantity=quantity, minimum=bound)
        return Condition("quantity", quantity=quantity, maximum=bound)
    raise ValueError(f"unknown condition {text!r}: use {', '.join(SIMPLE_CONDITIONS[:5])}, holding dragon, or hand>=3")


def negate_condition(text: str) -> str:
    """Return the condition that holds exactly when this one does not."""
    return text.removeprefix("not ") if text.startswith("not ") else f"not {text}"


# -- effects

EFFECTS: Final = {
    # effect: (required fields, optional fields)
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
    "hone": ((), ("attack", "health", "keywords")),  # the weapon
    "disarm": ((), ("side",)),
    "mana": (("amount",), ("crystals", "empty", "card")),
    "hook": (("name",), ("to",)),
}
MAX_COUNT: Final = 1000  # of what one effect creates, draws, discards or splits, and of a minion's spell damage
MULTIPLIED: Final = ("damage", "heal", "armor", "buff", "summon", "draw", "add")  # effects that may have `times`
# Triggers while a minion is on the board: an action of its owner, or its own attack; before the action or after it.
REACTIONS: Final = ("cast", "after_cast", "after_power", "after_swing", "attack", "after_attack")
TRIGGERS: Final = ("play", "death", "turn_start", "turn_end", "aura", *REACTIONS)

# Functions for effects that data cannot express. A card names one with `do: hook`. Only code that runs here can
# register one, so a card file cannot contain code. The arguments are the MutableState, the side, the minion whose
# effect it is (or None), and the targets.
HOOKS: Final[dict[str, Callable[..., None]]] = {}


def card_hook(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function under the name that cards use: `do: hook, name: ...`."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        HOOKS[name] = function
        return function

    return register


@dataclass(frozen=True, slots=True)
class Effect:
    """One effect of a card. Fields that the effect does not use keep their default."""

    do: str  # one of EFFECTS
    on: str = "play"  # one of TRIGGERS
    to: Target | None = None
    amount: int = 0
    attack: int = 0
    health: int = 0
    keywords: int = 0
    # summon, equip, add, transform: the name of the card; several names: one of them at random.
    # mana: the card that is added where the player cannot have more crystals
    card: tuple[str, ...] = ()
    count: int = 1
    side: str = "friendly"  # summon, draw, add, disarm: whose board, deck, hand or weapon
    name: str = ""  # hook: its name
    split: bool = False  # damage: one at a time, each to a random target
    this_turn: bool = False  # buff: ends with the turn
    crystals: bool = False  # mana: permanent crystals rather than mana for this turn
    empty: bool = False  # mana: the new crystals are empty this turn
    made: tuple[Card, ...] = field(default=(), compare=False, repr=False)  # the cards that `card` names
    combo: bool | None = None  # only with (True) or without (False) another card played before it this turn
    given: str = ""  # a condition, such as `holding dragon`
    times: str = ""  # a quantity that multiplies the numbers

    @property
    def chosen(self) -> bool:
        """Whether the player chooses the target."""
        return self.to is not None and self.to.select == "chosen"

    @property
    def condition(self) -> Condition | None:
        """The parsed condition of `given`."""
        return parse_condition(self.given) if self.given else None

    @property
    def quantity(self) -> Quantity | None:
        """The parsed quantity of `times`."""
        return parse_quantity(self.times) if self.times else None
