"""The vocabulary of a playing style in this game: the thesis's eight terms, further ones, and the hard rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Final

from planner.formats.values import boolean, integer
from planner.game import OMIT_DEFAULT_FROM_DIGEST
from planner.planning.weights import HardRule, Number, Profile, RuleKind, checked_number, exact

__all__ = [
    "EXTRA_TERMS", "KEYWORDS", "RULES", "SIGNS", "SPELLINGS", "TERMS",
    "Number", "Rule", "Weights", "checked_number", "exact", "load_profile", "profile_names",
]  # fmt: skip

TERMS = (
    "lethal", "board_clear", "face_damage", "enemy_threat",
    "own_survival", "minion_damage", "damage_taken", "card_value",
)  # fmt: skip
# The thesis's names for the same eight terms.
SPELLINGS = {f"W{number}": term for number, term in enumerate(TERMS, start=1)}
# Later terms are added here. They weigh 0 unless a profile sets them, so old profiles keep their meaning.
EXTRA_TERMS: tuple[str, ...] = (
    "own_health", "damage_to_come", "cards_drawn", "mana_unused", "weapon_durability", "token_worth",
    "own_attack", "own_remaining_health", "enemy_attack", "enemy_remaining_health",
    "own_keywords", "enemy_keywords", "cards_in_hand", "enemy_health", "overkill",
)  # fmt: skip
_COSTS = (
    "enemy_threat", "damage_taken", "damage_to_come", "mana_unused",
    "enemy_attack", "enemy_remaining_health", "enemy_keywords", "enemy_health", "overkill",
)  # fmt: skip
SIGNS: Final[Mapping[str, int]] = {term: -1 if term in _COSTS else 1 for term in (*TERMS, *EXTRA_TERMS)}

KEYWORDS = (
    "taunt", "charge", "rush", "windfury", "mega_windfury",
    "divine_shield", "poisonous", "lifesteal", "stealth", "reborn",
)  # fmt: skip

RULES: Mapping[str, RuleKind] = {
    "attack_with": RuleKind("forbid", "word", (*KEYWORDS, "hero")),
    "attack_on": RuleKind("forbid", "word", ("hero", "minions")),
    "trade_below": RuleKind("forbid", "number", positive=True),
    "own_hero_death": RuleKind("forbid", ""),
    "play": RuleKind("forbid", "word"),
    "keep_mana": RuleKind("require", "number"),
    "keep_minions": RuleKind("require", "number"),
    "keep_cards": RuleKind("require", "number"),
}


class Rule(HardRule):
    """One hard rule: a kind from `RULES`, with the number or the word that this kind takes."""

    kinds = RULES
    example = "own_hero_death or keep_mana: 2"


@dataclass(frozen=True, kw_only=True)
class Weights(Profile):
    """A playing style for this game."""

    game: ClassVar[str] = "hearthstone"
    default: ClassVar[str] = "true_balanced"
    signs: ClassVar[Mapping[str, int]] = SIGNS
    required: ClassVar[tuple[str, ...]] = TERMS
    spellings: ClassVar[Mapping[str, str]] = SPELLINGS
    rules: ClassVar[type[HardRule]] = Rule
    habits: ClassVar[Mapping[str, Callable[[Any], Any]]] = {
        "take_lethal": boolean, "mulligan_cost": partial(integer, minimum=0),
    }  # fmt: skip
    unmarked: ClassVar[bool] = True  # profiles are older than the second game

    lethal: Number = 0
    board_clear: Number = 0
    face_damage: Number = 0
    enemy_threat: Number = 0
    own_survival: Number = 0
    minion_damage: Number = 0
    damage_taken: Number = 0
    card_value: Number = 0
    # A turn that wins for certain comes before all others, whatever else it costs.
    take_lethal: bool = field(default=False, metadata=OMIT_DEFAULT_FROM_DIGEST)
    # What costs more goes back in the mulligan: the first turns decide what later ones can do.
    mulligan_cost: int = field(default=3, metadata=OMIT_DEFAULT_FROM_DIGEST)


profile_names = Weights.names
load_profile = Weights.load
