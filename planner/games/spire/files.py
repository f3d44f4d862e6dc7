"""The kinds of files of this game: cards with statuses and enemies, and scenarios."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from planner.formats.json_schema import (
    BOOLEAN,
    TEXT,
    FileKind,
    Schema,
    any_of,
    enum_schema,
    integer_schema,
    list_schema,
    object_schema,
)
from planner.games.spire.codec import MOST_CARDS
from planner.games.spire.language import FIGHTERS, VERBS
from planner.games.spire.library import KINDS, MOMENTS, STACKING, TYPES, VALUES, load_library
from planner.games.spire.places import MOST, PILES
from planner.games.spire.rules import MOST_ENEMIES
from planner.games.spire.setups import SETUP, scenario

_WHOLE: Final = integer_schema(0, MOST)
_POSITIVE: Final = integer_schema(1, MOST)
_CHANGE: Final = integer_schema(-MOST, MOST)
_FACTOR: Final[Schema] = any_of(_WHOLE, {"type": "string"})  # 3/4
_ACTIONS: Final[Schema] = {"$ref": "#/$defs/actions"}


def file_kinds(game: str, added: Mapping[str, Any]) -> list[FileKind]:
    """Definitions, and scenarios that may use what is added to ours."""

    def read_cards(path: Path, _rules: str) -> list[str]:
        found = load_library(path).added
        lines = [f"{len(found[kind])} {kind}: {', '.join(found[kind])}" for kind in KINDS if found.get(kind)]
        return lines or ["nothing"]

    def read_scenario(path: Path, _rules: str) -> list[str]:
        found = scenario(str(path), added)
        return [f"{len(found.deck)} cards and {found.health} health against {', '.join(found.enemies)}"]

    return [
        FileKind("cards", game, library_schema, read_cards),
        FileKind("scenario", game, scenario_schema, read_scenario),
    ]


def scenario_schema() -> Schema:
    """The schema of a scenario, or of a setup in an experiment."""
    here: dict[str, Schema] = {
        "name": {"type": "string"},
        "deck": {**list_schema({"type": "string"}, 1), "maxItems": MOST_CARDS},
        "enemies": {**list_schema({"type": "string"}, 1), "maxItems": MOST_ENEMIES},
        "health": _POSITIVE,
        "energy_per_turn": _WHOLE,
        "cards_per_turn": _WHOLE,
        "library": {"type": "object"},
        "anonymous": BOOLEAN,
    }
    return object_schema({key: here[key] for key in SETUP[1:]}, ("deck", "enemies"))


def setup_schema() -> dict[str, Schema]:
    """What an experiment says about this game: scenarios by name, in files, or written down."""
    short = object_schema({"scenario": TEXT}, ("scenario",))
    return {"scenarios": list_schema(any_of(TEXT, short, scenario_schema()), 1)}


def library_schema() -> Schema:
    """The schema of a file with cards, statuses and enemies; what acts on whom, the reader says."""
    card = object_schema({"cost": _amount(), "type": enum_schema(TYPES), "does": _ACTIONS, "text": TEXT},
                         ("cost", "type", "does"))  # fmt: skip
    callback = object_schema(
        {"event": enum_schema((*VALUES, *MOMENTS)), "add": any_of(_CHANGE, {"const": "stacks"}), "times": _FACTOR,
         "call": TEXT, "does": _ACTIONS, "remove": {"const": True}},
        ("event",),
    )  # fmt: skip
    status = object_schema(
        {"good": BOOLEAN, "stacking": enum_schema(STACKING), "each_turn": _CHANGE, "points": _FACTOR,
         "on": list_schema({**callback, "minProperties": 2, "maxProperties": 2}), "ends": _ACTIONS},
        ("good", "stacking"),
    )  # fmt: skip
    pattern = object_schema(
        {"in_turn": list_schema(TEXT, 1), "first": TEXT, "then": _named(_POSITIVE), "in_a_row": _named(_POSITIVE)}
    )
    enemy = object_schema(
        {"health": any_of(integer_schema(1, MOST), {"type": "string", "pattern": r"^[1-9]\d{0,3}(-[1-9]\d{0,3})?$"}),
         "moves": {**_named(_ACTIONS), "minProperties": 1},
         "pattern": {**pattern, "oneOf": [{"required": ["in_turn"]}, {"required": ["then", "first"]}]}},
        ("health", "moves", "pattern"),
    )  # fmt: skip
    kinds = {"statuses": status, "cards": card, "enemies": enemy}
    name = {"pattern": r"^[^+,\n;:|]*\S[^+,\n;:|]*$"}
    defined = {kind: {**_named(kinds[kind]), "propertyNames": name} for kind in KINDS}
    actions = list_schema(any_of(*map(_atom, VERBS), object_schema({"and": _ACTIONS, "to": _target()}, ("and",))), 1)
    return {**object_schema(defined), "$defs": {"actions": actions}}


def _named(entry: Schema) -> Schema:
    return {"type": "object", "additionalProperties": entry}


def _amount() -> Schema:
    return any_of(_WHOLE, {"type": "string", "maxLength": 29, "pattern": r"^\d+( \(\d+\)| \+\d+)?$|^stacks$"})


def _target() -> Schema:
    cards = rf"^([1-9]\d? )?(chosen|random|all) cards? in ({'|'.join(PILES)})$"
    return any_of(enum_schema((*FIGHTERS, "this card")), {"type": "string", "pattern": cards})


def _atom(name: str) -> Schema:
    verb = VERBS[name]
    here: dict[str, Schema] = {
        "amount": _amount(), "hits": _amount(), "turns": _POSITIVE, "status": TEXT, "into": enum_schema(PILES),
    }  # fmt: skip
    fields = {key: here[key] for key in (*verb.needs, *verb.may)}
    where = {} if verb.acts_on == "nobody" else {"to": _target()}
    return object_schema({"do": {"const": name}, **fields, **where}, ("do", *verb.needs))
