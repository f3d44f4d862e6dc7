"""The kinds of files that people write: how each is recognised, read and described as a JSON schema.

A schema says names, kinds and bounds, and is made from the tables by which the reader knows them. What it cannot say
(that a card exists, that a deck has the right size), only the reader does: what the reader takes is valid, and what
is not valid the reader refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from planner.files import LocatedList
from planner.reading import LONGEST, MOST, name, number, one_of, seconds, text, truth, whole

Schema = dict[str, Any]
DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True)
class FileKind:
    """One kind of file of one game."""

    name: str  # as people call it: cards, deck, rules, profile, experiment, ...
    game: str
    schema: Callable[[], Schema]
    read: Callable[[Path, str], Sequence[str]]  # what is in the file, in words, under these rules; or a refusal

    def likeness(self, document: Any) -> float:
        """How much a document looks like this kind: above 0 where it does."""
        schema = self.schema()
        if schema.get("type") == "array":
            return 1.0 if isinstance(document, LocatedList) else -1.0
        if not isinstance(document, Mapping):
            return -1.0
        properties, needed = schema["properties"], schema.get("required", ())
        known = [key for key in document if key in properties]
        right = [key for key in known if _fits(document[key], properties[key])]
        missing = [key for key in needed if key not in document]
        return len(right) - 0.5 * (len(document) - len(right)) - 1.5 * len(missing)


def _fits(value: Any, schema: Schema) -> bool:
    """A quick look: is it a list, a mapping or the one word that it should be?"""
    if "const" in schema or "enum" in schema:
        return value in schema.get("enum", [schema.get("const")])
    shape = {"object": Mapping, "array": list}.get(schema.get("type", ""))
    return shape is None or isinstance(value, shape)


# -- schemas


def schema_of(read: Callable[..., Any]) -> Schema:
    """The schema of what a reader of `planner.reading` takes, with the bounds that it was given."""
    given = read.keywords if isinstance(read, partial) else {}
    return _SCHEMAS[read.func if isinstance(read, partial) else read](**given)


def whole_schema(least: int | None = None, most: int | None = None) -> Schema:
    """A whole number within these bounds."""
    return {"type": "integer", "minimum": -MOST if least is None else least, "maximum": MOST if most is None else most}


def number_schema(least: float | None = None, most: float | None = None) -> Schema:
    """A number within these bounds."""
    ends = {"minimum": least, "maximum": most}
    return {"type": "number", **{key: end for key, end in ends.items() if end is not None}}


def words_schema(choices: Collection[str]) -> Schema:
    """One of these words."""
    return {"enum": list(choices)}


def object_schema(properties: Mapping[str, Schema], needed: Collection[str] = ()) -> Schema:
    """A mapping with these fields and no others."""
    found: Schema = {"type": "object", "properties": dict(properties), "additionalProperties": False}
    return found | {"required": list(needed)} if needed else found


def list_schema(items: Schema, least: int = 0) -> Schema:
    """A list of these."""
    return {"type": "array", "items": items, **({"minItems": least} if least else {})}


def either(*schemas: Schema) -> Schema:
    """One of these."""
    return {"anyOf": list(schemas)}


TEXT: Final[Schema] = {"type": "string", "minLength": 1}
TRUTH: Final[Schema] = {"type": "boolean"}
_SCHEMAS: Final[Mapping[Callable[..., Any], Callable[..., Schema]]] = {
    text: lambda: TEXT,
    name: lambda: TEXT,
    truth: lambda: TRUTH,
    whole: whole_schema,
    number: number_schema,
    one_of: words_schema,
    seconds: lambda: {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": LONGEST},
}
