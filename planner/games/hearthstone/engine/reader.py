"""The JSON form of a state, read by the compiled engine in the place of the reader in Python: equal states, several
times faster.

It reads the plain form that nearly all callers send. What it declines, the reader in Python reads or refuses, and where
the engine is not compiled, everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from planner.files import PlannerError
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.keywords import BIT
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules import codec, state
from planner.games.hearthstone.rules.codec_fields import UNNAMED, real_card
from planner.games.hearthstone.rules.codec_read import Reader, body
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, face_down, is_over

_CLASSES: Final = frozenset((*CLASSES, "neutral"))


def state_from_dict(mapping: Mapping[str, Any]) -> GameState:
    """The state that the JSON form describes; one that breaks the rules is refused with the place and the value."""
    found = read_plain(mapping) if available() else None
    return codec.state_from_dict(mapping) if found is None else found


def read_plain(mapping: Mapping[str, Any]) -> GameState | None:
    """The state, where it has the plain form; None for all others, and for those that would be refused."""
    from planner.games.hearthstone import _engine  # noqa: PLC0415  (it may not be there)

    name = mapping.get("ruleset", "standard") if type(mapping) is dict else None
    if type(name) is not str or name not in codec.rulesets():
        return None
    rules = codec.rulesets()[name]
    own: dict[str, Card] = {}
    if "cards" in mapping:
        if type(mapping["cards"]) is not list:
            return None
        reader = Reader(catalogue.standard(), rules, finished=False)
        try:
            reader.define(mapping["cards"])
        except PlannerError:
            return None
        own = reader.own
    try:
        found = _engine.read_mapping(
            mapping, rules, own, catalogue.standard().by_word, BIT, _CLASSES, _body, face_down, state, _limits(name)
        )
    except LookupError:  # a real card
        return None
    if found is None or is_over(found) or any(one.card.aura for one in found.me.board + found.enemy.board):
        return None
    return found


def _body(name: str, *numbers: Any) -> Card:
    """The card of a minion or a weapon that only its numbers are known of."""
    if name not in UNNAMED.values() and real_card(name) is not None:
        raise LookupError(name)  # more is known: the reader in Python has it
    return body(name, *numbers)


@cache
def _limits(name: str) -> tuple[int, int, int, int, int]:
    """Of one of the rulesets that come with the project."""
    rules: Ruleset = codec.rulesets()[name]
    hand = max(rules.hand_limit, *rules.starting_hand)
    return rules.hero_health, rules.board_limit, hand, rules.mana_limit, max(rules.mana_limit, rules.mana_start)
