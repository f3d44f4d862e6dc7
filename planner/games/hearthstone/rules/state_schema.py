"""The JSON schema of states, built from the tables that the reader uses.

A schema checks names, types and bounds. Only the reader checks that ids differ, that a board is not too full or that a
card exists. A test compares reader and schema field by field.
"""

from __future__ import annotations

from collections.abc import Mapping

from planner.formats.json_schema import Schema, any_of, integer_schema, list_schema, object_schema
from planner.games.hearthstone.cards.card_format import card_schema
from planner.games.hearthstone.cards.field_kinds import MAX_NUMBER, NAME
from planner.games.hearthstone.rules.ruleset import rules_schema, ruleset_names
from planner.games.hearthstone.rules.state_fields import (
    HAND_CARD,
    HERO,
    HERO_POWER,
    MAX_HIDDEN_CARDS,
    MINION,
    PLAYER,
    REQUIRED,
    STATE,
    WEAPON,
    Entity,
)


def entity_schema(entity: Entity, objects: Mapping[str, Schema], omit: str = "") -> Schema:
    """Return the schema of an entity; `objects` are the schemas of the fields that hold objects."""
    properties = {field.key: objects.get(field.key, field.kind.schema) for field in entity.fields if field.key != omit}
    required = sorted(field.key for field in entity.fields if field.default is REQUIRED)
    return object_schema(dict(sorted(properties.items())), required)


def state_schema() -> Schema:
    """Return the schema of a state, without references to other documents."""
    card = card_schema()

    def by_name(entity: Entity) -> list[Schema]:
        return [NAME.schema, entity_schema(entity, {"card": card})]

    zone = any_of(integer_schema(0, MAX_HIDDEN_CARDS), list_schema(any_of(*by_name(HAND_CARD))))
    objects = {
        "hero": entity_schema(HERO, {}),
        "board": list_schema(any_of(*by_name(MINION))),
        "hand": zone,
        "deck": zone,
        "weapon": any_of(*by_name(WEAPON), {"type": "null"}),
        "hero_power": any_of(*by_name(HERO_POWER), {"type": "null"}),
    }
    return entity_schema(
        STATE,
        {
            "me": entity_schema(PLAYER, objects, omit="mana"),  # at the top of the state
            "enemy": entity_schema(PLAYER, objects),
            "ruleset": any_of({"enum": ruleset_names()}, rules_schema(MAX_NUMBER)),
            "cards": list_schema(card),
        },
    )
