"""The JSON form of a state as a JSON schema, made from the tables of fields by which the reader knows them.

It says what a machine can check: names, kinds and bounds. That ids differ, that a board is not too full or that a
card of this name exists, the reader says. A test holds reader and schema together, field by field.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any, Final

from planner.formats.values import MAX_INTEGER
from planner.games.hearthstone.cards.card import CLASSES, TYPES
from planner.games.hearthstone.cards.catalogue import BODIES, CARD_FIELDS, LARGEST, LONGEST_TEXT, MOST_EFFECTS
from planner.games.hearthstone.cards.conditions import NUMBERS, PLAIN
from planner.games.hearthstone.cards.effects import EFFECTS, MOST_THINGS, MULTIPLIED, TRIGGERS
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.cards.targets import SELECTORS, TRIBES
from planner.games.hearthstone.rules.codec_fields import (
    ENEMY_FIELDS,
    HELD,
    HELD_FIELDS,
    HERO_FIELDS,
    MINION_FIELDS,
    MOST_ATTACKS,
    MOST_HIDDEN,
    MY_FIELDS,
    POWER_FIELDS,
    STATE_FIELDS,
    WEAPON_FIELDS,
)
from planner.games.hearthstone.rules.ruleset import MOST as MOST_OF_RULES
from planner.games.hearthstone.rules.ruleset import POSITIVE, Ruleset, ruleset_names

Schema = dict[str, Any]


def _whole(least: int = 0, most: int = LARGEST) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most}


_TEXT: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT}
_NAME: Final[Schema] = _TEXT | {"type": ["string", "integer"], "minimum": -MAX_INTEGER, "maximum": MAX_INTEGER}
_PRINTED: Final[Schema] = {key: kind for key, kind in _NAME.items() if key != "minLength"}  # also nothing
_CLASSES: Final[Schema] = {"enum": ["neutral", *CLASSES]}
_SIGNED: Final = _whole(-LARGEST)
_FLAG: Final[Schema] = {"type": "boolean"}
_TARGET_WORDS: Final = (
    *SELECTORS, "[2-9]", "[1-9][0-9]", "friendly", "enemy", "other", "damaged", "undamaged", "heroes", *NAMES,
    *(f"non-{tribe}" for tribe in TRIBES),
    r"attack[<>]=[0-9]{1,6}",
    *(f"{word}s?" for word in ("minion", "hero", "character", *TRIBES)),
)  # fmt: skip
_QUANTITY: Final = rf"attack|(enemy )?({'|'.join(NUMBERS)})|all(\s+({'|'.join(_TARGET_WORDS)}))+"
_CLASS: Final = "|".join(("neutral", *CLASSES))
_KEYWORDS: Final[Schema] = {"type": "array", "items": {"enum": list(NAMES)}}

# What a field holds, wherever it stands; those that differ by place are said at their place.
_KINDS: Final[dict[str, Schema]] = {
    **dict.fromkeys(("id", "name"), _NAME),
    "cause": _TEXT,
    **dict.fromkeys(("keywords", "keywords_this_turn"), _KEYWORDS),
    **dict.fromkeys(("attack_this_turn", "aura_attack", "aura_health"), _SIGNED),
    **dict.fromkeys(("summoned_this_turn", "silenced", "echo", "hero_power_used", "finished", "token"), _FLAG),
    **dict.fromkeys(("cost", "attack", "armor", "entered", "overload"), _whole()),
    "spell_damage": _whole(0, MOST_THINGS),
    **dict.fromkeys(("locked", "fatigue", "cards_played", "crystals", "mana", "turn", "clock"), _whole()),
    **dict.fromkeys(("health", "max_health", "durability"), _whole(1)),
    "attacks_left": _whole(0, MOST_ATTACKS),
    "seat": _whole(0, 1),
    "value": {"type": "number", "minimum": -LARGEST, "maximum": LARGEST},
    "class": _CLASSES,
    "tribes": {"type": "array", "items": {"enum": list(TRIBES)}},
    "type": {"enum": list(TYPES)},
}


def _object(known: Collection[str], needed: Collection[str] = (), **here: Schema) -> Schema:
    properties = {name: here.get(name, _KINDS.get(name, {})) for name in sorted(known)}
    found: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return found | {"required": sorted(needed)} if needed else found


def _or_name(entry: Schema) -> Schema:
    return {"anyOf": [_NAME, entry]}


def rules_schema(most: int = LARGEST) -> Schema:
    """The rules of a state; those that a file or an experiment changes may be larger."""
    kinds: dict[str, Schema] = {"str": _TEXT, "bool": _FLAG, "int": _whole(0, most)}
    pair: Schema = {"type": "array", "items": _whole(0, most), "minItems": 2, "maxItems": 2}
    properties = {rule.name: kinds.get(str(rule.type), pair) for rule in fields(Ruleset)}
    properties |= dict.fromkeys(POSITIVE, _whole(1, most))
    properties |= {name: _whole(int(name in POSITIVE), end) for name, end in MOST_OF_RULES.items()}
    return _object(properties, **properties)


def card_schema() -> Schema:
    """A card in the words of the card files; who is left with 0 health as a minion, and more, its reader says."""
    here: dict[str, Schema] = {
        "health": _whole(), "name": _TEXT,
        "effects": {"type": "array", "maxItems": MOST_EFFECTS, "items": {"anyOf": [*map(_effect, EFFECTS)]}},
        "id": _PRINTED, "dbf": _whole(0, MAX_INTEGER), "text": _PRINTED,
        "unread": _TEXT, "class": {"type": "string", "pattern": rf"^({_CLASS})(/({_CLASS}))*$"},
    }  # fmt: skip
    bodies = {"if": {"properties": {"type": {"enum": [kind for kind in TYPES if kind not in BODIES]}},
                     "required": ["type"]},
              "else": {"properties": {"health": _whole(1)}, "required": ["health"]}}  # fmt: skip
    return {**_object(CARD_FIELDS, ("name",), **here), **bodies}


def _effect(do: str) -> Schema:
    needs, may = EFFECTS[do]
    here: dict[str, Schema] = {
        "do": {"const": do},
        "on": {"enum": list(TRIGGERS)},
        "to": {"type": "string", "pattern": f"^\\s*(({'|'.join(_TARGET_WORDS)})(\\s+|$))+$"},
        "card": _or_list(_TEXT),
        "name": _TEXT,
        "side": {"enum": ["friendly", "enemy"]},
        "given": {"type": "string", "pattern": f"^(not )?({'|'.join(PLAIN)}|({_QUANTITY})[<>]=[0-9]{{1,6}})$"},
        "times": {"type": "string", "pattern": f"^({_QUANTITY})$"},
        **dict.fromkeys(("amount", "attack", "health"), _SIGNED),
        "count": _whole(0, MOST_THINGS),
        **dict.fromkeys(("split", "this_turn", "crystals", "empty", "combo"), _FLAG),
    }
    times = ("times",) if do in MULTIPLIED else ()
    return _object(("do", "on", "combo", "given", *times, *needs, *may), ("do", *needs), **here)


def _or_list(one: Schema) -> Schema:
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}


def state_schema() -> Schema:
    """The schema of a state, whole, without references to elsewhere."""
    card = card_schema()
    minion = _or_name(_object(MINION_FIELDS, card=card))
    held = _or_name(_object(HELD_FIELDS, card=card, health=_whole(), type={"enum": list(HELD)}))
    cards = {"anyOf": [_whole(0, MOST_HIDDEN), {"type": "array", "items": held}]}
    hero_health = _whole(-LARGEST)  # 0 and less where the match is over
    here: dict[str, Schema] = {
        # The reader takes classes in any case; the words that it knows are for whoever completes them.
        "hero": _object(
            HERO_FIELDS,
            ("health",),
            health=hero_health,
            max_health=hero_health,
            **{"class": {"anyOf": [_CLASSES, {"type": "string"}]}},
        ),
        "board": {"type": "array", "items": minion},
        "hand": cards,
        "deck": cards,
        "weapon": {"anyOf": [_NAME, _object(WEAPON_FIELDS, card=card), {"type": "null"}]},
        "hero_power": {"anyOf": [_NAME, _object(POWER_FIELDS, card=card), {"type": "null"}]},
    }
    return _object(
        STATE_FIELDS,
        ("mana", "me", "enemy"),
        me=_object(MY_FIELDS, ("hero",), **here),
        enemy=_object(ENEMY_FIELDS, ("hero",), **here),
        ruleset={"anyOf": [{"enum": ruleset_names()}, rules_schema()]},
        cards={"type": "array", "items": card},
    )
