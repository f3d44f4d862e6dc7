"""The vocabulary of a playing style in battles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from planner.planning.weights import HardRule, Number, Profile, RuleKind

# What a file must name, then what may be named besides. docs/reference/spire.md says what each counts.
SIGNS: Final[Mapping[str, int]] = {
    "damage_dealt": 1,
    "enemies_killed": 1,
    "health_lost": -1,
    "block_kept": 1,
    "debuffs": 1,
    "buffs": 1,
    "energy_unused": -1,
    "victory": 1,
    "death": -1,
    "own_debuffs": -1,
    "enemy_buffs": -1,
    "enemy_block": -1,
    "cards_played": 1,
    "cards_exhausted": -1,
    "upgrades": 1,
}
REQUIRED: Final = tuple(SIGNS)[:7]


class BattleRule(HardRule):
    """One hard rule of a battle's plan."""

    kinds: ClassVar[Mapping[str, RuleKind]] = {"play": RuleKind("forbid", "word")}
    example = "play: Bash"


@dataclass(frozen=True, kw_only=True)
class BattleWeights(Profile):
    """A playing style for battles."""

    game: ClassVar[str] = "spire"
    default: ClassVar[str] = "spire_balanced"
    signs: ClassVar[Mapping[str, int]] = SIGNS
    required: ClassVar[tuple[str, ...]] = REQUIRED
    rules: ClassVar[type[HardRule]] = BattleRule

    damage_dealt: Number = 0
    enemies_killed: Number = 0
    health_lost: Number = 0
    block_kept: Number = 0
    debuffs: Number = 0
    buffs: Number = 0
    energy_unused: Number = 0
