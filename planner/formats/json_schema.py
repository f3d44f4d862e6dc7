"""The kinds of files that users write, and their JSON schemas.

Schemas are built from the tables that the readers use. A schema knows names, types and bounds; only the reader knows
the rest (that a card exists, that a deck has the right size). So every file that the reader accepts is valid, but not
every valid file is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from planner.formats.documents import YamlList
from planner.formats.values import (
    MAX_INTEGER,
    MAX_SECONDS,
    as_mapping,
    boolean,
    integer,
    name,
    number,
    one_of,
    seconds,
    string,
    text,
)

Schema = dict[str, Any]
DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class FileKind:
    """One kind of file of one game."""

    name: str  # cards, deck, rules, profile, experiment, ...
    game: str
    schema: Callable[[], Schema]
    read: Callable[[Path, str], Sequence[str]]  # (path, ruleset) to a summary of the content; raises PlannerError

    def similarity(self, document: Any) -> float:
        """Score how much a document looks like this kind; above 0 means that it may be one."""
        schema = self.schema()
        if schema.get("type") == "array":
            return 1.0 if isinstance(document, YamlList) else -1.0
        if not isinstance(document, Mapping):
            return -1.0
        properties, required = schema["properties"], schema.get("required", ())
        matching = [key for key in document if key in properties and _may_match(document[key], properties[key])]
        missing = [key for key in required if key not in document]
        typical = [key for key in matching if key in required]  # optional fields, such as a name, are in many kinds
        return len(matching) + 0.5 * len(typical) - 0.5 * (len(document) - len(matching)) - 1.5 * len(missing)


def _may_match(value: Any, schema: Schema) -> bool:
    """Compare only the outer type of a value, or the word where the schema lists words."""
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    shape = {"object": Mapping, "array": list}.get(schema.get("type", ""))
    return shape is None or isinstance(value, shape)


# -- schemas


def schema_of(read: Callable[..., Any]) -> Schema:
    """Return the schema of what a reader of `planner.formats.values`, or a `partial` of one, accepts."""
    arguments = read.keywords if isinstance(read, partial) else {}
    return _SCHEMAS[read.func if isinstance(read, partial) else read](**arguments)


def integer_schema(minimum: float | None = None, maximum: float | None = None) -> Schema:
    """Return the schema of an integer within these bounds."""
    return {
        "type": "integer",
        "minimum": -MAX_INTEGER if minimum is None else minimum,
        "maximum": MAX_INTEGER if maximum is None else maximum,
    }


def number_schema(minimum: float | None = None, maximum: float | None = None) -> Schema:
    """Return the schema of a number within these bounds."""
    return integer_schema(minimum, maximum) | {"type": "number"}


def enum_schema(choices: Collection[str]) -> Schema:
    """Return the schema of one of these words."""
    return {"enum": list(choices)}


def object_schema(properties: Mapping[str, Schema], required: Collection[str] = ()) -> Schema:
    """Return the schema of a mapping with these fields and no others."""
    schema: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return schema | {"required": list(required)} if required else schema


def list_schema(items: Schema, minimum: int = 0, maximum: int | None = None) -> Schema:
    """Return the schema of a list of at least `minimum` and at most `maximum` items."""
    schema: Schema = {"type": "array", "items": items}
    schema |= {"minItems": minimum} if minimum else {}
    return schema | ({} if maximum is None else {"maxItems": maximum})


def any_of(*schemas: Schema) -> Schema:
    """Return the schema of a value that matches at least one of these schemas."""
    return {"anyOf": list(schemas)}


TEXT: Final[Schema] = {"type": "string", "minLength": 1}
STRING: Final[Schema] = {"type": "string"}
BOOLEAN: Final[Schema] = {"type": "boolean"}
OBJECT: Final[Schema] = {"type": "object"}
_SCHEMAS: Final[Mapping[Callable[..., Any], Callable[..., Schema]]] = {
    text: lambda maximum=None: TEXT if maximum is None else {**TEXT, "maxLength": maximum},
    string: lambda: STRING,
    name: lambda: TEXT,
    boolean: lambda: BOOLEAN,
    as_mapping: lambda: OBJECT,
    integer: integer_schema,
    number: number_schema,
    one_of: enum_schema,
    seconds: lambda: {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": MAX_SECONDS},
}
