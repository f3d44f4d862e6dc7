"""Weight profiles for deck-building games: the terms of the objective, and hard rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from planner.planning.profiles import HardRule, Profile, RuleKind

# docs/reference/deckbuilder_weights.md says what each one counts.
TERM_SIGNS: Final[Mapping[str, int]] = {
    "points": 1,
    "buying_power": 1,
    "points_late": 1,
    "buying_power_late": 1,
    "scoring": 1,
    "points_ahead": 1,
    "points_denied": 1,
    "exposure": -1,
    "new_actions": 1,
    "terminal_collisions": -1,
    "cursing": 1,
    "attacking": 1,
    "trashing": 1,
    "gaining": 1,
    "junk_trashed": 1,
    "curses_dealt": 1,
    "opponent_hand": 1,
    "coins_unused": -1,
    "buys_unused": -1,
    "piles_emptied": 1,
    "win": 1,
    "loss": -1,
}


class DeckRule(HardRule):
    """A hard rule that a plan must keep."""

    kinds: ClassVar[Mapping[str, RuleKind]] = {
        "play": RuleKind("forbid", "word"),
        "buy": RuleKind("forbid", "word"),
    }
    example = "buy: Curse"


class DeckWeights(Profile):
    """A weight profile for any deck-building game without profiles of its own."""

    term_signs: ClassVar[Mapping[str, int]] = TERM_SIGNS
    game: ClassVar[str] = "deckbuilder"
    default: ClassVar[str] = "deckbuilder"
    required: ClassVar[tuple[str, ...]] = ("points", "buying_power")
    rules: ClassVar[type[HardRule]] = DeckRule


class DominionWeights(DeckWeights):
    """A weight profile for Dominion."""

    game: ClassVar[str] = "dominion"
    default: ClassVar[str] = "dominion_money"
    strongest: ClassVar[str] = "dominion_champion"
