"""JSON schemas of states, cards and rules, built from the tables that their readers use.

A schema checks names, types and bounds. Only the reader checks that ids differ, that a board is not too full or that a
card exists. A test compares reader and schema field by field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from planner.formats.json_schema import any_of, integer_schema, list_schema, object_schema
from planner.formats.values import MAX_INTEGER
from planner.games.hearthstone.cards.card import CLASSES, TYPES
from planner.games.hearthstone.cards.catalogue import CARD_FIELDS, MAX_EFFECTS, MAX_NUMBER, TYPES_WITH_HEALTH
from planner.games.hearthstone.cards.effect_vocabulary import (
    EFFECTS,
    MAX_COUNT,
    MULTIPLIED,
    QUANTITIES,
    SELECTORS,
    SIMPLE_CONDITIONS,
    TRIBES,
    TRIGGERS,
)
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.rules.ruleset import EXECUTIONS, MAXIMUM, POSITIVE, Ruleset, ruleset_names
from planner.games.hearthstone.rules.state_fields import (
    CARD_VALUE,
    COUNT,
    FLAG,
    HAND_CARD,
    HEALTH,
    HERO,
    HERO_POWER,
    KEYWORDS,
    MAX_HIDDEN_CARDS,
    MINION,
    NAME,
    PLAYER,
    REQUIRED,
    SIGNED,
    STATE,
    TEXT,
    TRIBE_LIST,
    WEAPON,
    Entity,
)

Schema = dict[str, Any]
_MAY_BE_EMPTY: Final[Schema] = {key: value for key, value in NAME.schema.items() if key != "minLength"}
_CLASS: Final = "|".join(("neutral", *CLASSES))
_TARGET_WORDS: Final = (
    *SELECTORS, "[2-9]", "[1-9][0-9]", "friendly", "enemy", "other", "damaged", "undamaged", "heroes", *NAMES,
    *(f"non-{tribe}" for tribe in TRIBES),
    r"attack[<>]=[0-9]{1,6}",
    *(f"{word}s?" for word in ("minion", "hero", "character", *TRIBES)),
)  # fmt: skip
_QUANTITY: Final = rf"attack|(enemy )?({'|'.join(QUANTITIES)})|all(\s+({'|'.join(_TARGET_WORDS)}))+"


# -- rules


def rules_schema(maximum: int = MAX_NUMBER) -> Schema:
    """Return the schema of a ruleset. A file or an experiment may have larger numbers than a state."""
    kinds: dict[str, Schema] = {"str": TEXT.schema, "bool": FLAG.schema, "int": integer_schema(0, maximum)}
    pair: Schema = {"type": "array", "items": integer_schema(0, maximum), "minItems": 2, "maxItems": 2}
    properties = {rule.name: kinds.get(str(rule.type), pair) for rule in fields(Ruleset)}
    properties |= dict.fromkeys(POSITIVE, integer_schema(1, maximum))
    properties |= {name: integer_schema(int(name in POSITIVE), limit) for name, limit in MAXIMUM.items()}
    properties["execution"] = {"enum": list(EXECUTIONS)}
    return object_schema(dict(sorted(properties.items())))


# -- cards


def card_schema() -> Schema:
    """Return the schema of a card as card files describe it."""
    effects = list_schema(any_of(*map(_effect_schema, EFFECTS))) | {"maxItems": MAX_EFFECTS}
    kinds: dict[str, Schema] = {
        "name": TEXT.schema,
        "type": {"enum": list(TYPES)},
        "class": {"type": "string", "pattern": rf"^({_CLASS})(/({_CLASS}))*$"},
        "tribes": TRIBE_LIST.schema,
        "keywords": KEYWORDS.schema,
        "effects": effects,
        "value": CARD_VALUE.schema,
        "id": _MAY_BE_EMPTY,
        "dbf": integer_schema(0, MAX_INTEGER),
        "text": _MAY_BE_EMPTY,
        "token": FLAG.schema,
        "unread": TEXT.schema,
        **dict.fromkeys(("cost", "attack", "health", "overload"), COUNT.schema),
        "spell_damage": integer_schema(0, MAX_COUNT),
    }
    without_health = {"properties": {"type": {"enum": [kind for kind in TYPES if kind not in TYPES_WITH_HEALTH]}}}
    with_health = {"properties": {"health": HEALTH.schema}, "required": ["health"]}
    card = object_schema({key: kinds[key] for key in sorted(CARD_FIELDS)}, ("name",))
    return {**card, "if": {**without_health, "required": ["type"]}, "else": with_health}


def _effect_schema(do: str) -> Schema:
    required, optional = EFFECTS[do]
    kinds: dict[str, Schema] = {
        "do": {"const": do},
        "on": {"enum": list(TRIGGERS)},
        "to": {"type": "string", "pattern": f"^\\s*(({'|'.join(_TARGET_WORDS)})(\\s+|$))+$"},
        "card": any_of(TEXT.schema, list_schema(TEXT.schema, 1)),
        "name": TEXT.schema,
        "side": {"enum": ["friendly", "enemy"]},
        "given": {
            "type": "string",
            "pattern": f"^(not )?({'|'.join(SIMPLE_CONDITIONS)}|({_QUANTITY})[<>]=[0-9]{{1,6}})$",
        },
        "times": {"type": "string", "pattern": f"^({_QUANTITY})$"},
        "keywords": KEYWORDS.schema,
        **dict.fromkeys(("amount", "attack", "health"), SIGNED.schema),
        "count": integer_schema(0, MAX_COUNT),
        **dict.fromkeys(("split", "this_turn", "crystals", "empty", "combo"), FLAG.schema),
    }
    times = ("times",) if do in MULTIPLIED else ()
    keys = sorted(("do", "on", "combo", "given", *times, *required, *optional))
    return object_schema({key: kinds[key] for key in keys}, sorted(("do", *required)))


# -- states


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
            "ruleset": any_of({"enum": ruleset_names()}, rules_schema()),
            "cards": list_schema(card),
        },
    )
