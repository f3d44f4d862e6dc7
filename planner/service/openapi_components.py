"""Named components for the OpenAPI description: what a schema repeats becomes a component that it refers to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

Schema = dict[str, Any]
# What to call the objects of a state, by the field that contains them.
_NAMES: Final = {
    "cards": "CardDefinition",
    "card": "CardDefinition",
    "effects": "CardEffect",
    "me": "Player",
    "enemy": "Player",
    "hero": "Hero",
    "board": "Minion",
    "hand": "HandCard",
    "deck": "HandCard",
    "weapon": "Weapon",
    "hero_power": "HeroPower",
    "rules": "Rules",
    "ruleset": "Rules",
    "weights": "Weights",
    "reply_weights": "Weights",
    "ahead": "AheadOptions",
    "players": "DeckBuilderPlayer",
    "state": "State",
    "keywords": "Keyword",
    "keywords_this_turn": "Keyword",
    "tribes": "Tribe",
    "type": "CardType",
    "class": "HeroClass",
}
_ENUM_NAMES: Final = {"weights": "ProfileName", "reply_weights": "ProfileName"}
_MIN_LENGTH: Final = 60  # characters of JSON; a shorter schema is no longer than a reference to it
_MAX_VARIANTS: Final = 8  # of a union of objects; more are described as one object


def with_components(schemas: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return these schemas and the components that they share."""
    merged = {name: _merge_variants(schema) for name, schema in schemas.items()}
    counts: Counter[str] = Counter()
    for schema in merged.values():
        _count(schema, counts)
    hoisting = _Hoisting(counts, set(merged))
    result = {name: hoisting.inner(schema, name) for name, schema in merged.items()}
    return {**result, **hoisting.components}


def _text(schema: Any) -> str:
    return json.dumps(schema, sort_keys=True)


def _is_object(schema: Any) -> bool:
    return isinstance(schema, dict) and "properties" in schema and "type" in schema


def _is_shareable(schema: Any) -> bool:
    """Return whether a schema can be a component: an object, a union of objects, or a list of words."""
    if not isinstance(schema, dict):
        return False
    return _is_object(schema) or "enum" in schema or any(map(_is_object, schema.get("anyOf", ())))


def _merge_variants(schema: Any) -> Any:
    """Replace a union of very many objects by one object with the fields of all of them."""
    if isinstance(schema, list):
        return [_merge_variants(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
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
        return _merge_variants(rest | merged | ({"required": sorted(required)} if required else {}))
    return {key: _merge_variants(value) for key, value in schema.items()}


def _union(values: list[Any]) -> Any:
    """Return a schema for any of these; constants become one list of words."""
    if all(isinstance(value, dict) and "const" in value for value in values):
        return {"enum": [value["const"] for value in values]}
    return values[0] if len(values) == 1 else {"anyOf": values}


def _count(schema: Any, counts: Counter[str]) -> None:
    if isinstance(schema, dict):
        if _is_shareable(schema):
            counts[_text(schema)] += 1
        for value in schema.values():
            _count(value, counts)
    elif isinstance(schema, list):
        for value in schema:
            _count(value, counts)


class _Hoisting:
    def __init__(self, counts: Counter[str], taken: set[str]) -> None:
        self._counts, self._taken = counts, taken
        self._names: dict[str, str] = {}  # by the text of the original schema
        self.components: dict[str, Schema] = {}

    def inner(self, schema: Any, field: str) -> Any:
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
        if schema == {"type": "object"} and "JsonObject" in self._taken:
            return {"$ref": "#/components/schemas/JsonObject"}
        if not _is_shareable(schema):
            return self.inner(schema, field)
        text = _text(schema)
        if len(text) < _MIN_LENGTH or (self._counts[text] < 2 and (field not in _NAMES or not _is_object(schema))):
            return self.inner(schema, field)
        if text not in self._names:
            self._names[text] = name = self._new_name(field, schema)
            self.components[name] = {}  # reserves the place: outer components come before inner ones
            self.components[name] = self.inner(schema, field)
        return {"$ref": f"#/components/schemas/{self._names[text]}"}

    def _new_name(self, field: str, schema: Schema) -> str:
        names = _NAMES | (_ENUM_NAMES if "enum" in schema else {})
        base = names.get(field) or "".join(word.capitalize() for word in field.split("_"))
        if not _is_object(schema) and "enum" not in schema:
            base += "Value"
        name, number = base, 2
        while name in self._taken:
            name, number = f"{base}{number}", number + 1
        self._taken.add(name)
        return name
