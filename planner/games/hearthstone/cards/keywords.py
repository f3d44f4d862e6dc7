"""Keywords as bits: the keywords of a minion are one integer, so that a check costs one `&`."""

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
BIT: Final = {name: 1 << position for position, name in enumerate(NAMES)}
# The tag of each keyword in the real game.
TAG: Final = {name: "CANT_ATTACK" if name == "cannot_attack" else name.upper() for name in NAMES}

(
    TAUNT, CHARGE, RUSH, WINDFURY, MEGA_WINDFURY, DIVINE_SHIELD, POISONOUS, LIFESTEAL, STEALTH, REBORN, FROZEN, FREEZE,
    IMMUNE, ELUSIVE, CANNOT_ATTACK, ECHO, MAGNETIC, TRADEABLE,
) = BIT.values()  # fmt: skip

# Keywords that help the minion that has them.
HELPFUL: Final = (
    TAUNT | CHARGE | RUSH | WINDFURY | MEGA_WINDFURY | DIVINE_SHIELD | POISONOUS | LIFESTEAL | STEALTH | REBORN
    | FREEZE | IMMUNE | ELUSIVE
)  # fmt: skip

# Keywords that a minion can only gain, and that are never printed on its card.
STATUSES: Final = FROZEN | IMMUNE


def bits(names: Iterable[str]) -> int:
    """Return the bits of these keywords. An unknown name raises KeyError."""
    result = 0
    for name in names:
        result |= BIT[name]
    return result


def names(keywords: int) -> list[str]:
    """Return the names of the keywords in the order of `NAMES`."""
    return [name for name, bit in BIT.items() if keywords & bit] if keywords else []


def attacks_per_turn(keywords: int) -> int:
    """Return how often a character may attack in a turn: once, twice with windfury, four times with mega windfury."""
    if keywords & MEGA_WINDFURY:
        return 4
    return 2 if keywords & WINDFURY else 1
