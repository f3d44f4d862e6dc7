"""The OpenAPI description, built from what the readers of requests, states and weights know, and the page at /docs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import chain, count
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from planner import solvers
from planner.formats.json_schema import any_of, list_schema, object_schema, schema_of
from planner.formats.values import integer
from planner.games import DEFAULT, game, game_names
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import AHEAD_COUNTS, AUTO, FORMULATIONS, OPTION_READERS
from planner.planning.profiles import LIMIT
from planner.protocol import MAX_ID_LENGTH, REQUESTS
from planner.service.gate import BATCH

Schema = dict[str, Any]


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


_NULL: Final[Schema] = {"type": "null"}
_TEXT: Final[Schema] = {"type": "string"}
_NUMBER: Final[Schema] = {"type": "number"}
_OBJECT: Final = _ref("JsonObject")
_FLAG: Final[Schema] = {"type": ["boolean", "null"]}
_ACTION_SCHEMA: Final[Schema] = {"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]}
_ACTION: Final = _ref("Action")
_ERROR: Final = _ref("Error")
_JSON: Final = "application/json"
_NDJSON: Final = "application/x-ndjson"
_EXAMPLE: Final[Schema] = {
    "state": {"mana": 3, "me": {"hero": {"health": 30}, "hand": ["Wolfrider"]}, "enemy": {"hero": {"health": 3}}},
    "weights": "aggro_face",
}
_ERRORS: Final = {
    "400": "The request is not valid HTTP.",
    "401": "The token is missing or wrong.",
    "403": "The request comes from another site.",
    "404": "There is nothing at this path.",
    "405": "The path does not support this method.",
    "408": "The request did not arrive in time.",
    "409": "The match is not over.",
    "413": "The body is too large.",
    "422": "The request is invalid; the message names the field and the value.",
    "431": "The headers are too large.",
    "503": "The server is busy, or the worker died. Retry-After says when to retry.",
}


def openapi(app: FastAPI) -> Schema:
    """Return the OpenAPI description of the service."""
    description = get_openapi(
        title="planner",
        version=app.version,
        routes=app.routes,
        description="Send a state of a card game, get the best legal turn and its proof.",
    )
    description["components"] = {
        "schemas": _schemas(),
        "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    }
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            _describe(path, method, operation)
    if app.state.settings.token:
        description["security"] = [{"token": []}]
        description["paths"]["/health"]["get"]["security"] = []
    return description


def _describe(path: str, method: str, operation: Schema) -> None:
    """Add request contents, answers and errors, which FastAPI does not know: the workers read and write them."""
    if method == "post":
        kind, content = _REQUEST_CONTENT[path]
        example = {"example": _EXAMPLE} if path == "/plan" else {}
        body: Schema = {kind: {"schema": content, **example}}
        if kind != _JSON:  # the same text; generators of clients know this type
            body["application/octet-stream"] = {"schema": {"type": "string", "format": "binary"}}
        operation["requestBody"] = {"required": True, "content": body}
    kind, schema = _ANSWERS[path]
    errors = {status: text for status, text in _ERRORS.items() if status != "409" or path in _CONFLICTS}
    operation["responses"] = {
        "200": {"description": "The answer.", "content": {kind: {"schema": schema}}},
        **{status: {"description": text, "content": {_JSON: {"schema": _ERROR}}} for status, text in errors.items()},
    }
    retry: Schema = {"description": "Seconds.", "schema": {"type": "integer"}}
    operation["responses"]["503"]["headers"] = {"Retry-After": retry}


def _schemas() -> Schema:
    states = {
        f"{name.capitalize()}State": _state_schema(name) for name in game_names() if isinstance(game(name), PlansTurns)
    }
    request = object_schema(_plan_request_fields(list(states)), ["state"])
    schemas = {
        **states,
        "PlanRequest": request,
        "Action": _ACTION_SCHEMA,
        "JsonObject": {"type": "object", "additionalProperties": True},
        "NamedEntry": {"type": "object", "properties": {"name": _TEXT}, "required": ["name"]},
        "Plan": _plan_schema(),
        "Plans": object_schema({"plans": list_schema(_ref("Plan"))}, ["plans"]),
        "Error": object_schema({"error": _TEXT}, ["error"]),
        **{
            f"{name.capitalize()}List": object_schema({name: list_schema(_ref("NamedEntry"))}, [name])
            for name in _LISTS
        },
        "TableFrame": _TABLE_FRAME,
    }
    return _Components(schemas).schemas


def _state_schema(name: str) -> Schema:
    """Return the schema of a game's states: the default game may be named, the others must be."""
    schema = game(name).state_schema()
    if name != DEFAULT:
        return schema
    return schema | {"properties": {**schema["properties"], "game": {"const": name}}}


def _plan_request_fields(states: list[str]) -> Schema:
    games = [game(name) for name in game_names()]
    profiles = [planned.profiles for planned in games if isinstance(planned, PlansTurns)]
    names = list(dict.fromkeys(name for profile in profiles for name in profile.names()))  # games may share a name
    terms = {term for profile in profiles for term in (*profile.term_signs, *profile.spellings)}
    weight = {"type": "number", "minimum": -LIMIT, "maximum": LIMIT}
    weights = any_of({"enum": names}, object_schema(dict.fromkeys(sorted(terms), weight)), _NULL)
    return {
        "state": any_of(
            *(_ref(name) for name in states), _described(_TEXT, "A state in one line, as `state_to_text` writes it.")
        ),
        "weights": weights,
        **{key: any_of(schema_of(read), _NULL) for key, (_, read) in OPTION_READERS.items()},
        "solver": {"enum": [AUTO, *solvers.names(), "search", None]},
        **dict.fromkeys(("explain", "ranges", "steps"), _FLAG),
        "ahead": any_of(_FLAG, object_schema(_ahead_fields(weights))),
        "exclude": any_of(list_schema(_ACTION), _NULL),
    }


def _ahead_fields(weights: Schema) -> Schema:
    readers: dict[str, Callable[[Any], Any]] = {**AHEAD_COUNTS, "seed": integer}
    return {key: any_of(schema_of(read), _NULL) for key, read in readers.items()} | {"reply_weights": weights}


def _plan_schema() -> Schema:
    """Return the schema of a plan: its JSON form, and the fields that options add."""
    schemas: Schema = {
        "status": {"enum": ["optimal", "feasible"]},
        "proof": {"enum": ["exhaustive", "bound", "program", None]},
        "stopped": _TEXT,
        "objective": _NUMBER,
        "bound": {"type": ["number", "null"]},
        "terms": {"type": "object", "additionalProperties": _NUMBER},
        "actions": list_schema(_ACTION),
        "lethal": {"type": "boolean"},
        "outcome": {"enum": ["win", "draw", "loss", None]},
        "creates": list_schema(
            list_schema(object_schema(dict.fromkeys(("id", "name", "zone"), _TEXT), ["id", "name", "zone"]))
        ),
        "reveals": {"type": ["integer", "null"]},
        "solver": _TEXT,
        "formulation": {"enum": list(FORMULATIONS)},
        "seconds": _NUMBER,
        "claimed": _NUMBER,
        "weights": _TEXT,
        "ignored": list_schema(_TEXT),
    }
    options: Schema = {
        "explanation": _described(
            any_of(_OBJECT, _NULL),
            "With explain: whether any turn kills, the loss without each action, and the next best plans; null where "
            "the time was up.",
        ),
        "ranges": _described(
            any_of(_OBJECT, _NULL),
            "With ranges: for each weight the range in which this plan stays best; null where it is not proved best.",
        ),
        "ahead": _described(
            any_of(_OBJECT, _NULL),
            "With ahead: the turns that were compared and the reply to fear; null where there was nothing to compare.",
        ),
        "steps": _described(list_schema(_OBJECT), "With steps: action, words, points earned and state of each step."),
        "ending": _described(_OBJECT, "With steps: the points that the end of the turn earns, by term."),
    }
    return object_schema(schemas | options, list(schemas))


def _described(schema: Schema, description: str) -> Schema:
    return schema | {"description": description}


_LISTS: Final = ("weights", "decks", "cards", "solvers")

_TABLE_FRAME: Final[Schema] = {
    "type": "object",
    "description": "A table as one reader sees it; docs/reference/tables.md describes it.",
    "properties": {
        "type": {"const": "table"},
        "table": _OBJECT,
        "you": _OBJECT,
        "view": any_of(_OBJECT, _NULL),
        "moves": list_schema(_OBJECT),
        "log": _OBJECT,
        "chat": _OBJECT,
    },
    "required": ["type", "table", "you", "view", "moves", "log", "chat"],
}
_LINE: Final[Schema] = {
    "type": "object",
    "description": "One line of a batch: an id, the kind of request (plan by default), and its fields.",
    "properties": {
        "id": any_of(_TEXT | {"maxLength": MAX_ID_LENGTH}, _NUMBER, _NULL),
        "request": {"enum": [*sorted(REQUESTS), None]},
    },
    "additionalProperties": True,
}
_REQUEST_CONTENT: Final[dict[str, tuple[str, Schema]]] = {
    "/plan": (_JSON, _ref("PlanRequest")),
    BATCH: (_NDJSON, _LINE),
    "/decks/code": (_JSON, _ref("NamedEntry")),
    "/review": ("text/plain", _TEXT),
}
_ANSWERS: Final[dict[str, tuple[str, Schema]]] = {
    "/plan": (_JSON, any_of(_ref("Plan"), _ref("Plans"))),
    BATCH: (
        _NDJSON,
        {
            "type": "string",
            "description": "One JSON object a line: the id, and plan, plans, the answer of another request, or error.",
        },
    ),
    "/health": (_JSON, object_schema({"status": {"const": "ok"}, "version": _TEXT}, ["status", "version"])),
    "/metrics": ("text/plain", _TEXT),
    "/games": (_JSON, _OBJECT),
    "/tables": (_JSON, _OBJECT),
    "/tables/{table}": (_JSON, _ref("TableFrame")),
    "/tables/{table}/log": (_JSON, _OBJECT),
    "/players": (_JSON, _OBJECT),
    "/decks/code": (_JSON, _OBJECT),
    "/review": (_JSON, _OBJECT),
    **{f"/{name}": (_JSON, _ref(f"{name.capitalize()}List")) for name in _LISTS},
}
_CONFLICTS: Final = ("/tables/{table}/log",)


# -- components


# What to call a component, by the field that contains it, where that is not the name of the field.
_NAMES: Final = {
    "cards": "CardDefinition",
    "effects": "CardEffect",
    "me": "Player",
    "enemy": "Player",
    "board": "Minion",
    "hand": "HandCard",
    "deck": "HandCard",
    "ruleset": "Rules",
    "ahead": "AheadOptions",
    "players": "DeckBuilderPlayer",
    "keywords": "Keyword",
    "tribes": "Tribe",
    "class": "HeroClass",
}
_ENUM_NAMES: Final = {"weights": "ProfileName", "reply_weights": "ProfileName"}
_MIN_LENGTH: Final = 60  # characters of JSON; a shorter schema is no longer than a reference to it
_MAX_VARIANTS: Final = 8  # of a union of objects; more are described as one object
_OPAQUE: Final = ("frames", "listeners", "stats", "pending")  # notes on the turn: clients only send them back
_NOT_WORDS: Final = {"", "?"}  # no card, and a hidden one: a client needs no type with all cards


class _Components:
    """Schemas in which objects, unions of objects and lists of words are components of their own."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._names: dict[str, str] = {}  # by the text of the original schema
        self.schemas: dict[str, Schema] = {name: {} for name in schemas}
        for name, schema in schemas.items():
            self.schemas[name] = self._inner(_simplify(schema), name)

    def _inner(self, schema: Any, field: str) -> Any:
        """Replace what is inside of a schema, but not the schema itself."""
        if isinstance(schema, list):
            return [self._replace(entry, field) for entry in schema]
        if not isinstance(schema, dict):
            return schema
        result = {}
        for key, value in schema.items():
            if key == "properties":
                result[key] = {name: self._replace(entry, name) for name, entry in value.items()}
            else:
                result[key] = self._replace(value, field)
        return result

    def _replace(self, schema: Any, field: str) -> Any:
        """Return a reference to the component of a schema, or the schema itself where that is short."""
        if schema == {"type": "object"} or (field in _OPAQUE and _is_object(schema)):
            return _OBJECT
        if not isinstance(schema, dict):
            return self._inner(schema, field)
        is_shared = _is_object(schema) or "enum" in schema or any(map(_is_object, schema.get("anyOf", ())))
        text = json.dumps(schema, sort_keys=True)
        if not is_shared or len(text) < _MIN_LENGTH:
            return self._inner(schema, field)
        if text not in self._names:
            self._names[text] = name = self._new_name(field, schema)
            self.schemas[name] = {}  # reserves the place: outer components come before inner ones
            self.schemas[name] = self._inner(schema, field)
        return _ref(self._names[text])

    def _new_name(self, field: str, schema: Schema) -> str:
        names = _NAMES | (_ENUM_NAMES if "enum" in schema else {})
        base = names.get(field) or "".join(word.capitalize() for word in field.split("_"))
        if not _is_object(schema) and "enum" not in schema:
            base += "Value"
        numbered = (f"{base}{number}" for number in count(2))
        return next(name for name in chain([base], numbered) if name not in self.schemas)


def _is_object(schema: Any) -> bool:
    return isinstance(schema, dict) and "properties" in schema and "type" in schema


def _simplify(schema: Any) -> Any:
    """Allow any text for a card, and replace a union of very many objects by one with the fields of all of them."""
    if isinstance(schema, list):
        return [_simplify(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    if _NOT_WORDS & {*schema.get("enum", ())}:
        return _TEXT
    variants = schema.get("anyOf", ())
    if len(variants) > _MAX_VARIANTS and all(map(_is_object, variants)):
        fields: dict[str, list[Any]] = {}
        for variant in variants:
            for name, value in variant["properties"].items():
                known = fields.setdefault(name, [])
                if value not in known:
                    known.append(value)
        required = set.intersection(*(set(variant.get("required", ())) for variant in variants))
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        properties = {name: _union(values) for name, values in fields.items()}
        merged = {"type": "object", "properties": properties, "additionalProperties": False}
        return _simplify(rest | merged | ({"required": sorted(required)} if required else {}))
    return {key: _simplify(value) for key, value in schema.items()}


def _union(values: list[Any]) -> Any:
    """Return a schema for any of these; constants become one list of words."""
    if all(isinstance(value, dict) and "const" in value for value in values):
        return {"enum": [value["const"] for value in values]}
    return values[0] if len(values) == 1 else {"anyOf": values}
