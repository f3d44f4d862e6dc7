"""The profile of a playing style in this game: Guo's eight terms, further terms, and hard rules with their meaning.

A requirement never asks for more than ending the turn at once would leave, so there is always a plan that keeps
every requirement. Echo copies do not stay in the hand, so they do not count as cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import Any, ClassVar, Final, NamedTuple

from planner.formats.values import boolean, integer
from planner.game import OMIT_DEFAULT_FROM_DIGEST
from planner.games.hearthstone.cards.keywords import BIT, NAMES
from planner.games.hearthstone.rules.match_flow import end_of_turn_effects
from planner.games.hearthstone.rules.state import AnyPlayer, GameState
from planner.games.hearthstone.turn.chance_outcomes import outcomes
from planner.planning.profiles import HardRule, Profile, RuleKind, exact

# Each term, and whether more of it is good (1) or bad (-1).
_TERMS_OF_GUO: Final = {
    "lethal": 1,
    "board_clear": 1,
    "face_damage": 1,
    "enemy_threat": -1,
    "own_survival": 1,
    "minion_damage": 1,
    "damage_taken": -1,
    "card_value": 1,
}
# Later terms are added here. They weigh 0 unless a profile sets them, so old profiles keep their meaning.
_FURTHER_TERMS: Final = {
    "own_health": 1,
    "damage_to_come": -1,
    "cards_drawn": 1,
    "mana_unused": -1,
    "weapon_durability": 1,
    "token_worth": 1,
    "own_attack": 1,
    "own_remaining_health": 1,
    "enemy_attack": -1,
    "enemy_remaining_health": -1,
    "own_keywords": 1,
    "enemy_keywords": -1,
    "cards_in_hand": 1,
    "enemy_health": -1,
    "overkill": -1,
}
TERMS: Final = tuple(_TERMS_OF_GUO)
EXTRA_TERMS: Final = tuple(_FURTHER_TERMS)
TERM_SIGNS: Final[Mapping[str, int]] = _TERMS_OF_GUO | _FURTHER_TERMS
_POSITIONS: Final = {term: position for position, term in enumerate(TERM_SIGNS)}
KEYWORDS = NAMES[: NAMES.index("reborn") + 1]  # those that `attack_with` may forbid

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


@dataclass(frozen=True, init=False)
class Weights(Profile):
    """A playing style for this game."""

    game: ClassVar[str] = "hearthstone"
    default: ClassVar[str] = "true_balanced"
    strongest: ClassVar[str] = "champion_standard"
    term_signs: ClassVar[Mapping[str, int]] = TERM_SIGNS
    required: ClassVar[tuple[str, ...]] = TERMS
    # The names of the same eight terms in Guo 2025.
    spellings: ClassVar[Mapping[str, str]] = {f"W{number}": term for number, term in enumerate(TERMS, start=1)}
    rules: ClassVar[type[HardRule]] = Rule
    options: ClassVar[Mapping[str, Callable[[Any], Any]]] = {
        "take_lethal": boolean,
        "mulligan_cost": partial(integer, minimum=0),
    }
    is_default_game: ClassVar[bool] = True  # profiles are older than the second game

    # A turn that wins for certain comes before all others, whatever else it costs.
    take_lethal: bool = field(default=False, metadata=OMIT_DEFAULT_FROM_DIGEST)
    # The mulligan replaces cards that cost more.
    mulligan_cost: int = field(default=3, metadata=OMIT_DEFAULT_FROM_DIGEST)

    @cached_property
    def engine_weights(self) -> tuple[int, ...]:
        """What one unit of every term earns, in the order in which the engine reads them."""
        weights = [0] * len(TERM_SIGNS)
        for term, weight in self.signed_terms:
            weights[_POSITIONS[term]] = weight
        return tuple(weights)


# -- what the hard rules allow


def attack_allowed(weights: Weights, attack: int, keywords: int | None, back: int | None) -> bool:
    """Return whether a character with this attack and these keywords (None: the hero) may attack.

    `back` is the attack of the target, or None for the enemy hero.
    """
    return all(_rule_allows_attack(rule, attack, keywords, back) for rule in weights.forbid)


def _rule_allows_attack(rule: HardRule, attack: int, keywords: int | None, back: int | None) -> bool:
    if rule.kind == "attack_with":
        if rule.word == "hero":
            return keywords is not None
        return keywords is None or not keywords & BIT[rule.word]
    if rule.kind == "attack_on":
        return (back is None) != (rule.word == "hero")
    if rule.kind == "trade_below":
        return not back or attack >= exact(rule.number) * back
    return True


def play_allowed(weights: Weights, card_name: str) -> bool:
    """Return whether the card may be played."""
    return not any(rule.kind == "play" and rule.word == card_name for rule in weights.forbid)


class Kept(NamedTuple):
    """What the requirements of a profile are about."""

    mana: int
    minions: int
    cards: int


def _kept(me: AnyPlayer) -> Kept:
    return Kept(me.mana, len(me.board), sum(not held.echo for held in me.hand))


@lru_cache(maxsize=16)  # a search asks for the same start again and again
def required_amounts(weights: Weights, start: GameState) -> Kept:
    """Return what the end of the turn must have: no more than ending it at once would leave, whatever chance does."""
    wanted = {"keep_mana": 0, "keep_minions": 0, "keep_cards": 0}
    for rule in weights.require:
        wanted[rule.kind] = max(wanted[rule.kind], int(rule.number))
    ends = [_kept(end.table.me) for end in outcomes(lambda rng: end_of_turn_effects(start, rng))]
    return Kept(*map(min, zip(wanted.values(), *ends, strict=True)))


def hero_must_live(weights: Weights) -> bool:
    """Return whether a plan in which the own hero dies is forbidden."""
    return any(rule.kind == "own_hero_death" for rule in weights.forbid)


def restricts_end(weights: Weights) -> bool:
    """Return whether a hard rule forbids some ends of a turn."""
    return bool(weights.require) or hero_must_live(weights)


def end_allowed(weights: Weights, start: GameState, end: GameState) -> bool:
    """Return whether the turn that began in `start` may end in `end`."""
    if end.me.hero.health <= 0 and hero_must_live(weights):
        return False
    if not weights.require:
        return True
    return all(kept >= least for kept, least in zip(_kept(end.me), required_amounts(weights, start), strict=True))
