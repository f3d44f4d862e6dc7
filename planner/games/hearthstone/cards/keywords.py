"""Keywords as bits: a minion's keywords are one integer, so that asking costs one `&`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

NAMES: Final = (
    "taunt",
    "charge",
    "rush",
    "windfury",
    "mega_windfury",
    "divine_shield",
    "poisonous",
    "lifesteal",
    "stealth",
    "reborn",
    "frozen",
    "freeze",
    "immune",
    "elusive",
    "cannot_attack",
    "echo",
    "magnetic",
    "tradeable",
)
BIT: Final = {name: 1 << place for place, name in enumerate(NAMES)}
# The real game's tag for each of them.
TAG: Final = {name: "CANT_ATTACK" if name == "cannot_attack" else name.upper() for name in NAMES}

TAUNT: Final = 1 << 0
CHARGE: Final = 1 << 1
RUSH: Final = 1 << 2
WINDFURY: Final = 1 << 3
MEGA_WINDFURY: Final = 1 << 4
DIVINE_SHIELD: Final = 1 << 5
POISONOUS: Final = 1 << 6
LIFESTEAL: Final = 1 << 7
STEALTH: Final = 1 << 8
REBORN: Final = 1 << 9
FROZEN: Final = 1 << 10
FREEZE: Final = 1 << 11
IMMUNE: Final = 1 << 12
ELUSIVE: Final = 1 << 13
CANNOT_ATTACK: Final = 1 << 14
ECHO: Final = 1 << 15
MAGNETIC: Final = 1 << 16
TRADEABLE: Final = 1 << 17

# What helps the minion that has it.
HELPFUL: Final = (
    TAUNT | CHARGE | RUSH | WINDFURY | MEGA_WINDFURY | DIVINE_SHIELD | POISONOUS | LIFESTEAL | STEALTH | REBORN
    | FREEZE | IMMUNE | ELUSIVE
)  # fmt: skip

# What happens to a minion, and is never printed on its card.
STATUSES: Final = FROZEN | IMMUNE


def bits(names: Iterable[str]) -> int:
    """The bits of these keywords; an unknown name is a KeyError."""
    result = 0
    for name in names:
        result |= BIT[name]
    return result


def names(keywords: int) -> list[str]:
    """The keywords' names, in the fixed order of `NAMES`."""
    return [name for name, bit in BIT.items() if keywords & bit]


def attacks_per_turn(keywords: int) -> int:
    """One attack a turn, two with windfury, four with mega windfury."""
    if keywords & MEGA_WINDFURY:
        return 4
    return 2 if keywords & WINDFURY else 1
