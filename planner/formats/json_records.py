"""JSON objects described once: the reader, the writer and the JSON schema derive from the description.

    POINT = JsonRecord(x=JsonField(integer), y=JsonField(integer, 0), names=JsonField(list_of(text), ()))

`POINT.read(data)` returns the values of all fields, `POINT.write(point)` takes an object with these attributes.
An error of a nested value names its place, such as `enemies[0].health: must be between 0 and 9999, got -1`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.formats.json_schema import Schema, any_of, list_schema, object_schema, schema_of
from planner.formats.values import (
    PlacedError,
    as_list,
    as_mapping,
    at,
    first_unknown_key,
    placed,
    read_items,
    unknown_field,
)

REQUIRED: Final = object()  # the default of a field that must be given
_ALWAYS: Final = object()  # no value equals it, so the field is always written


# -- kinds of values


@dataclass(frozen=True)
class JsonKind:
    """How values are read from JSON, described by a schema, and written to JSON."""

    read: Callable[[Any], Any]
    schema: Schema
    write: Callable[[Any], Any] | None = None  # None: as they are


def kind_of(reader: Any) -> JsonKind:
    """Return the kind of a reader of `planner.formats.values` or a `partial` of one, of a record, or a kind itself."""
    if isinstance(reader, JsonRecord):
        return JsonKind(reader.read, reader.schema, reader.write)
    return reader if isinstance(reader, JsonKind) else JsonKind(reader, schema_of(reader))


def list_of(reader: Any, minimum: int = 0, maximum: int | None = None) -> JsonKind:
    """Return the kind of the lists of so many items."""
    item = kind_of(reader)

    def read(value: Any) -> list[Any]:
        items = as_list(value)
        if len(items) < minimum or (maximum is not None and len(items) > maximum):
            bounds = f"at least {minimum}" if maximum is None else f"between {minimum} and {maximum:,}"
            raise PlannerError(f"must have {bounds} items, got {len(items):,}")
        return read_items(item.read, items)

    def write(items: Iterable[Any]) -> list[Any]:
        return list(items if item.write is None else map(item.write, items))

    return JsonKind(read, list_schema(item.schema, minimum, maximum), write)


def mapping_of(reader: Any, minimum: int = 0) -> JsonKind:
    """Return the kind of the objects with any names and at least so many fields."""
    value = kind_of(reader)

    def read(data: Any) -> dict[str, Any]:
        entry, result = as_mapping(data), {}
        if len(entry) < minimum:
            raise PlannerError(f"must have at least {minimum} fields, got {len(entry)}")
        for key, item in entry.items():
            with at(key):
                result[key] = value.read(item)
        return result

    schema: Schema = {"type": "object", "additionalProperties": value.schema}
    return JsonKind(read, schema | ({"minProperties": minimum} if minimum else {}))


def nullable(reader: Any) -> JsonKind:
    """Return the kind that also has the value null, read as None."""
    kind = kind_of(reader)

    def write(value: Any) -> Any:
        return value if value is None or kind.write is None else kind.write(value)

    schema = any_of(kind.schema, {"type": "null"})
    return JsonKind(lambda value: None if value is None else kind.read(value), schema, write)


# -- records


class JsonField(NamedTuple):
    """One field of a JSON object."""

    kind: Any  # of its values, or a reader as `kind_of` takes it
    default: Any = REQUIRED  # the value of an absent field
    attribute: str = ""  # of the written object, such as `limits.energy`; empty: the same as the field
    omit: bool = False  # do not write the default


class JsonRecord:
    """A JSON object with a fixed set of fields."""

    def __init__(self, fields: Mapping[str, JsonField] = MappingProxyType({}), /, **more: JsonField) -> None:
        self.fields = fields = {**fields, **more}
        self._readers: dict[str, tuple[Callable[[Any], Any], Any]] = {}
        self._writers: list[tuple[str, Callable[[Any], Any], Callable[[Any], Any] | None, Any]] = []
        schemas: dict[str, Schema] = {}
        for key, (reader, default, attribute, omit) in fields.items():
            kind = kind_of(reader)
            schemas[key] = kind.schema
            self._readers[key] = kind.read, default
            self._writers.append((key, attrgetter(attribute or key), kind.write, default if omit else _ALWAYS))
        required = [key for key, field in fields.items() if field.default is REQUIRED]
        self.schema: Schema = object_schema(schemas, required)

    def read(self, data: Any) -> dict[str, Any]:
        """Return the values of all fields."""
        entry = as_mapping(data)
        if (unknown := first_unknown_key(entry, self.fields)) is not None:
            raise PlacedError((), unknown_field(unknown, self.fields), key=unknown)
        values = {}
        for key, (read, default) in self._readers.items():
            if key in entry:
                try:
                    values[key] = read(entry[key])
                except PlannerError as error:
                    raise placed(error, key) from None
            elif default is REQUIRED:
                raise PlacedError((key,), "is missing")
            else:
                values[key] = default
        return values

    def read_document(self, data: Any, name: str) -> dict[str, Any]:
        """Return the values of all fields of a whole document; an error that has no place in it begins with `name`."""
        try:
            return self.read(data)
        except PlannerError as error:
            raise error if isinstance(error, PlacedError) and error.path else placed(error, name) from None

    def write(self, value: Any) -> dict[str, Any]:
        """Return the JSON form of an object whose attributes are the fields."""
        data = {}
        for key, get, write, omitted in self._writers:
            item = get(value)
            if item != omitted:
                data[key] = item if write is None else write(item)
        return data
