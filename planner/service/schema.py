"""The API as OpenAPI: its schemas are made from what the readers of requests, states and weights know."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from planner import solvers
from planner.formats import values
from planner.game import require
from planner.games import DEFAULT, game, game_names
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import AUTO, FORMULATIONS, MOST_PLANS, Plan
from planner.planning.weights import LIMIT
from planner.protocol import MAX_ID_LENGTH, REQUEST_FIELDS
from planner.service.gate import BATCH

Schema = dict[str, Any]
_NULL: Final[Schema] = {"type": "null"}
_TEXT: Final[Schema] = {"type": "string"}
_NUMBER: Final[Schema] = {"type": "number"}
_ERROR: Final = {"$ref": "#/components/schemas/Error"}
_NDJSON: Final = "application/x-ndjson"
_EXAMPLE: Final[Schema] = {
    "state": {"mana": 3, "me": {"hero": {"health": 30}, "hand": ["Wolfrider"]}, "enemy": {"hero": {"health": 3}}},
    "weights": "aggro_face",
}
_REFUSALS: Final = {
    "400": "What came is not HTTP.",
    "401": "The token is missing or wrong.",
    "403": "The request comes from another site.",
    "404": "There is nothing at this path.",
    "405": "The path does not know this method.",
    "408": "The request did not come in time.",
    "413": "The body is too large.",
    "422": "The request is refused; the line says what is wrong with what.",
    "431": "The headers are too large.",
    "503": "Too busy, or the worker died: come again. Retry-After says when.",
}


def openapi(app: FastAPI) -> Schema:
    """The whole description."""
    found = get_openapi(
        title="planner", version=app.version, routes=app.routes,
        description="One state of a card game in, the best legal turn out, with its proof.",
    )  # fmt: skip
    found["components"] = {
        "schemas": _schemas(), "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
    }  # fmt: skip
    for path, methods in found["paths"].items():
        for operation in methods.values():
            _describe(path, operation)
    if app.state.settings.token:
        found["security"] = [{"token": []}]
        found["paths"]["/health"]["get"]["security"] = []
    return found


def _describe(path: str, operation: Schema) -> None:
    """Bodies, answers and refusals, which FastAPI cannot know: workers read and write them."""
    if path in _BODIES:
        kind, name = _BODIES[path]
        example = {"example": _EXAMPLE} if path != BATCH else {}
        operation["requestBody"] = {"required": True, "content": {kind: {"schema": _ref(name), **example}}}
    kind, schema = _ANSWERS[path]
    operation["responses"] = {
        "200": {"description": "The answer.", "content": {kind: {"schema": schema}}},
        **{
            status: {"description": words, "content": {"application/json": {"schema": _ERROR}}}
            for status, words in _REFUSALS.items()
        },
    }
    again: Schema = {"description": "Seconds.", "schema": {"type": "integer"}}
    operation["responses"]["503"]["headers"] = {"Retry-After": again}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _schemas() -> Schema:
    states = {f"State_{name}": _with_name(name, game(name).state_schema()) for name in game_names()}
    request = _object(_request_fields(list(states)), ["state"])
    line = _object(
        {**request["properties"], "id": _any(_TEXT | {"maxLength": MAX_ID_LENGTH}, _NUMBER, _NULL)}, ["state"]
    )
    return {
        **states,
        "PlanRequest": request,
        "Line": line | {"description": "One line of a batch."},
        "Plan": _plan(),
        "Plans": _object({"plans": {"type": "array", "items": _ref("Plan")}}, ["plans"]),
        "Error": _object({"error": _TEXT}, ["error"]),
    }


def _with_name(name: str, schema: Schema) -> Schema:
    """A state of the default game may name its game; the others must."""
    if name != DEFAULT:
        return schema
    return schema | {"properties": {**schema["properties"], "game": {"const": name}}}


def _object(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _any(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def _request_fields(states: list[str]) -> Schema:
    kinds = [require(game(name), PlansTurns, "planning").profiles for name in game_names()]
    names = [name for kind in kinds for name in kind.names()]
    terms = {term for kind in kinds for term in (*kind.signs, *kind.spellings)}
    weight = {"type": "number", "minimum": -LIMIT, "maximum": LIMIT}
    own = {"type": "object", "properties": dict.fromkeys(sorted(terms), weight), "additionalProperties": False}
    engines = [AUTO, *solvers.names(), "search"]
    known: Schema = {
        "state": _any(*(_ref(name) for name in states)),
        "weights": _any({"enum": names}, own, _NULL),
        "solver": {"enum": [*engines, None]},
        "formulation": {"enum": [*FORMULATIONS, None]},
        "time_limit": _any({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": values.MAX_SECONDS}, _NULL),
        "effort": _any({"type": "integer", "minimum": 1, "maximum": values.MAX_INTEGER}, _NULL),
        "k": _any({"type": "integer", "minimum": 1, "maximum": MOST_PLANS}, _NULL),
        "explain": {"type": ["boolean", "null"]},
    }
    return {name: known.get(name, {}) for name in REQUEST_FIELDS}


def _plan() -> Schema:
    """The fields of a plan that its JSON form has."""
    written: Schema = {
        "status": {"enum": ["optimal", "feasible"]},
        "proof": {"enum": ["exhaustive", "bound", "program", None]},
        "stopped": _TEXT,
        "objective": _NUMBER,
        "bound": {"type": ["number", "null"]},
        "terms": {"type": "object", "additionalProperties": _NUMBER},
        "actions": {"type": "array", "items": {"type": "object", "required": ["type"]}},
        "lethal": {"type": "boolean"},
        "outcome": {"enum": ["win", "draw", "loss", None]},
        "creates": {
            "type": "array",
            "items": {
                "type": "array",
                "items": _object(dict.fromkeys(("id", "name", "zone"), _TEXT), ["id", "name", "zone"]),
            },
        },
        "reveals": {"type": ["integer", "null"]},
        "solver": _TEXT,
        "formulation": {"enum": list(FORMULATIONS)},
        "seconds": _NUMBER,
        "claimed": _NUMBER,
        "weights": _TEXT,
        "ignored": {"type": "array", "items": _TEXT},
    }
    names = [field.name for field in fields(Plan) if field.name in written]
    properties = {name: written[name] for name in names} | {"explanation": {"type": "object"}}
    return _object(properties, names)


def _listed(name: str) -> tuple[str, Schema]:
    """The answer of a list: its entries under its name."""
    entry = {"type": "object", "properties": {"name": _TEXT}, "required": ["name"]}
    return "application/json", _object({name: {"type": "array", "items": entry}}, [name])


_BODIES: Final = {"/plan": ("application/json", "PlanRequest"), BATCH: (_NDJSON, "Line")}
_ANSWERS: Final[dict[str, tuple[str, Schema]]] = {
    "/plan": ("application/json", _any(_ref("Plan"), _ref("Plans"))),
    BATCH: (_NDJSON, {"type": "string", "description": "One answer a line: id, and plan, plans or error."}),
    "/health": ("application/json", _object({"status": {"const": "ok"}, "version": _TEXT}, ["status", "version"])),
    "/metrics": ("text/plain", _TEXT),
    **{f"/{name}": _listed(name) for name in ("weights", "decks", "cards", "solvers")},
}
