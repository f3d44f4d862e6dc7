"""What an effect may ask for before it happens, and by what it may be multiplied: words, and what they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from planner.games.hearthstone.cards.targets import TRIBES, Target

# Numbers of a player; `attack` is that of the minion whose effect it is.
NUMBERS: Final = ("health", "armor", "hand", "crystals", "weapon_attack", "hero_attack")
# What can be asked without a number: a card of a tribe in hand, another minion of a tribe here, a weapon, whose turn it
# is, and of the chosen target whether there is one, whether it lives, and its tribe.
PLAIN: Final = (
    "weapon",
    "my turn",
    "target",
    "target alive",
    "target friendly",
    *(f"{asked} {tribe}" for asked in ("holding", "controlling", "target") for tribe in TRIBES),
)
_COMPARED: Final = re.compile(r"(.+?)([<>])=([0-9]{1,6})")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number that is counted when an effect comes: `hand`, `enemy health`, `attack`, `all friendly beasts`."""

    what: str  # one of NUMBERS, `attack` or `count`
    enemy: bool = False
    of: Target | None = None  # count: of whom

    def __str__(self) -> str:
        return str(self.of) if self.of is not None else f"enemy {self.what}" if self.enemy else self.what


@dataclass(frozen=True, slots=True)
class Requirement:
    """Something that must be so, or with `negated` must not be so."""

    asked: str  # weapon, holding, controlling, turn, target, quantity
    negated: bool = False
    word: str = ""  # holding, controlling: a tribe. target: nothing, `alive`, `friendly` or a tribe
    quantity: Quantity | None = None
    least: int | None = None
    most: int | None = None


@lru_cache(maxsize=1000)
def parse_quantity(text: str) -> Quantity:
    """The quantity that the words name; a ValueError says which are not known."""
    words = text.split()
    if words == ["attack"]:
        return Quantity("attack")
    enemy = words[:1] == ["enemy"]
    if len(words) == 1 + enemy and words[-1] in NUMBERS:
        return Quantity(words[-1], enemy)
    if words[:1] != ["all"]:
        raise ValueError(f"{text!r} is nothing to be counted: say all and whom, attack, or {', '.join(NUMBERS)}")
    return Quantity("count", of=Target.parse(text))


@lru_cache(maxsize=1000)
def parse_condition(text: str) -> Requirement:
    """The condition that the words state; a ValueError says which are not known."""
    if text.startswith("not "):
        found = parse_condition(text.removeprefix("not "))
        if found.negated:
            raise ValueError(f"condition {text!r}: not is said twice")
        return replace(found, negated=True)
    if text in PLAIN:
        asked, _, word = text.partition(" ")
        return Requirement("turn") if asked == "my" else Requirement(asked, word=word)
    if compared := _COMPARED.fullmatch(text):
        number, quantity = int(compared[3]), parse_quantity(compared[1].strip())
        return Requirement("quantity", quantity=quantity, **{"least" if compared[2] == ">" else "most": number})  # type: ignore[arg-type]
    raise ValueError(f"condition {text!r} is not known: say {', '.join(PLAIN[:5])}, holding dragon, or hand>=3")


def opposite(text: str) -> str:
    """The condition that is met exactly where this one is not."""
    return text.removeprefix("not ") if text.startswith("not ") else f"not {text}"
