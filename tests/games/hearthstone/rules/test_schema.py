"""The JSON schema of states agrees with their reader."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import jsonschema_rs
from hypothesis import given, settings

from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.entities import Entity
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_fields import (
    HAND_CARD,
    HERO,
    HERO_POWER,
    MINION,
    STATE,
    WEAPON,
    state_schema,
)
from planner.games.hearthstone.rules.state_fields import PLAYER as PLAYER_FIELDS
from tests.schemas import disagreements
from tests.strategies import states

CARD: dict[str, Any] = {
    "name": "Guard", "type": "minion", "class": "mage", "tribes": ["mech"], "keywords": ["taunt"], "value": 1.5,
    "token": False, "cost": 1, "attack": 2, "health": 3, "overload": 0, "spell_damage": 1,
}  # fmt: skip
PLAYER: dict[str, Any] = {
    "hero": {
        "health": 20, "armor": 1, "max_health": 30, "keywords": ["immune"], "attack_this_turn": 1,
        "keywords_this_turn": ["immune"], "attacks_left": 1, "class": "mage",
    },
    "board": [
        {
            "id": "a", "attack": 2, "health": 2, "max_health": 3, "keywords": ["taunt"], "attacks_left": 1,
            "summoned_this_turn": False, "entered": 1, "silenced": True, "attack_this_turn": 1,
            "keywords_this_turn": ["taunt"], "aura_attack": 0, "aura_health": 0, "name": "Guard",
            "tribes": ["beast"], "spell_damage": 1,
        },
        {"card": CARD},
    ],
    "hand": [
        {
            "id": "b", "name": "Unlisted", "cost": 1, "attack": 1, "health": 2, "keywords": [], "value": 0.5,
            "echo": False, "type": "minion", "tribes": [], "spell_damage": 0,
        },
        {"card": CARD},
    ],
    "deck": 3,
    "weapon": {"name": "Stick", "attack": 1, "durability": 2, "keywords": []},
    "hero_power": {"name": "Fireblast", "cost": 2},
    "hero_power_used": False, "crystals": 5, "overload": 0, "locked": 0, "fatigue": 0, "cards_played": 0,
}  # fmt: skip
RULES = {field.name: getattr(Ruleset(), field.name) for field in fields(Ruleset)} | {"starting_hand": [3, 4]}
# Errors that a schema cannot express.
BEYOND = (
    "unknown card|duplicate id|at least the health|the limit is|is missing|above the limit|both heroes are alive"
    "|at least 1, got|differs from its card|duplicate card|, not a |has no |starts with at least 1"
    r"|(mana|hand): must be between 0 and \d+, got|only minions|end at new|unknown class"
)


def missing(entity: Entity, example: dict[str, Any]) -> set[str]:
    """Return the described fields that the example does not have."""
    return set(entity.keys) - set(example) - {"card"}


def example() -> dict[str, Any]:
    """Return a state with every field."""
    player = dict(PLAYER)
    enemy = {**player, "hand": 2, "deck": ["?"], "mana": 0, "board": [], "weapon": "Fiery War Axe"}
    return {
        "mana": 5, "me": player, "enemy": enemy, "turn": 3, "seat": 1, "clock": 9, "cause": "fatigue",
        "finished": False, "ruleset": RULES, "cards": [CARD | {"name": "Other"}],
    }  # fmt: skip


def test_the_example_has_every_field() -> None:
    assert not missing(STATE, example())
    assert not missing(PLAYER_FIELDS, PLAYER | {"mana": 0})
    assert not missing(HERO, PLAYER["hero"])
    assert not missing(MINION, PLAYER["board"][0])
    assert not missing(HAND_CARD, PLAYER["hand"][0])
    assert not missing(WEAPON, PLAYER["weapon"])
    assert not missing(HERO_POWER, PLAYER["hero_power"])


def test_reader_and_schema_agree() -> None:
    assert disagreements(example(), GAME.state_from_json, state_schema(), BEYOND) == []


def test_every_field_has_a_schema() -> None:
    """Every field has a schema of its own."""

    def without(schema: Any, place: str) -> list[str]:
        if isinstance(schema, list):
            return [one for part in schema for one in without(part, place)]
        if not isinstance(schema, dict):
            return []
        named = schema.get("properties", {})
        free = ("id", "text", "unread")
        empty = [f"{place}.{name}" for name, kind in named.items() if kind == {} and name not in free]
        return empty + [one for key, part in schema.items() for one in without(part, f"{place}.{key}")]

    assert without(state_schema(), "state") == []


VALIDATOR = jsonschema_rs.validator_for(state_schema())


@given(states())
@settings(max_examples=40, deadline=None)
def test_written_states_match_the_schema(state: GameState) -> None:
    VALIDATOR.validate(GAME.state_to_json(state))
