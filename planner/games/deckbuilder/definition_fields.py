"""Fields of a definition: each is declared once, with what it can hold, its default and its meaning.

A record is a dataclass with annotated types, such as `Annotated[int, CARD, "a card"]`. `read_record` reads it from a
YAML mapping, and `record_schema` returns its JSON schema.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache, partial
from typing import Any, Final, NamedTuple, Self, TypeVar, get_type_hints

from planner.errors import PlannerError, quote
from planner.formats.documents import YamlList, YamlMapping
from planner.formats.json_schema import TEXT, Schema, any_of, list_schema, object_schema, schema_of
from planner.formats.values import ErrorCollector, Fields, integer, one_of, text
from planner.games.deckbuilder.amounts import MAX_NUMBER, Amount, Condition, known_word, read_amount, read_condition
from planner.games.deckbuilder.function_file import FunctionFile

MAX_COUNT: Final = 1000
_Record = TypeVar("_Record", bound="Record")


class Names:
    """The names that a definition may use. They are known before the first effect is read."""

    cards: Mapping[str, int]
    types: Collection[str]
    factions: Collection[str]
    stats: tuple[str, ...]
    quantities: Collection[str]
    functions: tuple[str, ...]
    function_file: FunctionFile | None
    effects: Mapping[str, int]  # the blocks of the named effects
    piles: list[str]
    players: range
    players_known = True
    has_row: bool

    def amount(self, value: Any) -> Amount:
        """Read an amount."""
        return read_amount(value, self.quantities)

    def condition(self, value: Any) -> Condition:
        """Read a condition."""
        return read_condition(value, self.quantities)

    def card(self, value: Any) -> int:
        """Read the name of a card."""
        return self.cards[known_word(value, self.cards, "unknown card")]

    def id(self, entry: Fields, name: str) -> int:
        """Return the index of the card that a key of a mapping names."""
        try:
            return self.card(name)
        except PlannerError as error:
            raise entry.error(str(error), name) from None

    def by_players(self, value: Any) -> tuple[int, ...]:
        """Read a number, or a mapping from each number of players to a number."""
        if not isinstance(value, YamlMapping):
            return (integer(value, 0, MAX_COUNT),) * len(self.players)
        expected = [str(players) for players in self.players] if self.players_known else list(value)
        if sorted(value) != sorted(expected):
            raise PlannerError(f"must have a number for {', '.join(expected)} players, got {quote(value)}")
        return tuple(integer(value[players], 0, MAX_COUNT) for players in expected)

    def block(self, value: Any, line: int) -> int:
        """Read an effect, and return the index of its block."""
        raise NotImplementedError


# -- what a field can hold


class Kind(NamedTuple):
    """What a field can hold: its JSON schema, and how it is read from a mapping."""

    schema: Schema
    read: Callable[[Any, Fields, str], Any]


def value(schema: Schema, read: Callable[[Any, Any], Any]) -> Kind:
    """Return the kind of values that `read` returns for the names of the game and a YAML value."""
    return Kind(schema, lambda names, entry, key: entry.read(key, partial(read, names)))


def plain(read: Callable[[Any], Any], schema: Schema | None = None) -> Kind:
    """Return the kind of a reader of `planner.formats.values`."""
    return Kind(schema or schema_of(read), lambda _names, entry, key: entry.read(key, read))


def several(schema: Schema, read: Callable[[Any, Any], Any]) -> Kind:
    """Return the kind of one value or a list of values, as a tuple."""

    def read_all(names: Any, written: Any) -> tuple[Any, ...]:
        if written == []:
            raise PlannerError("must not be an empty list")
        return tuple(read(names, each) for each in (written if isinstance(written, list) else [written]))

    return value(any_of(schema, list_schema(schema)), read_all)


def record(kind: Any) -> Kind:
    """Return the kind of a nested record."""

    def read(names: Any, entry: Fields, key: str) -> Any:
        return _nested(kind, names, entry, entry.entry[key], f"{entry.entry.lines[key]}: {key}")

    return Kind(record_schema(kind), read)


def records(kind: Any, what: str, short: Callable[[Any, Any], Record] | None = None, is_list: bool = True) -> Kind:
    """Return the kind of a list of records; `short` reads one that is written as a text.

    `is_list` false: a single record does not need a list.
    """

    def read(names: Any, entry: Fields, key: str) -> tuple[Record, ...]:
        written = entry.entry[key]
        if not is_list and isinstance(written, YamlMapping):
            return (read_record(kind, names, mapping(entry, key)),)
        if not isinstance(written, YamlList):
            raise entry.error(f"{key}: must be a list of {what}, got {quote(written)}", key)
        result, errors = [], ErrorCollector()
        for item, line in zip(written, written.lines, strict=True):
            with errors:
                if short is not None and isinstance(item, str):
                    try:
                        result.append(short(names, item))
                    except PlannerError as error:
                        raise PlannerError(f"{entry.path}:{line}: {error}") from None
                else:
                    result.append(_nested(kind, names, entry, item, f"{line}: {key}"))
        errors.raise_if_any()
        return tuple(result)

    item = record_schema(kind) if short is None else any_of(TEXT, record_schema(kind))
    return Kind(list_schema(item) if is_list else any_of(item, list_schema(item)), read)


def _nested(kind: Any, names: Any, entry: Fields, written: Any, place: str) -> Any:
    if not isinstance(written, YamlMapping):
        known = ", ".join(settings(kind))
        raise PlannerError(f"{entry.path}:{place}: must be a mapping with {known}; got {quote(written)}")
    return read_record(kind, names, Fields(entry.path, written))


def mapping_of(kind: Kind, minimum: int = 0) -> Kind:
    """Return the kind of a mapping from names to values of this kind."""

    def read(names: Any, entry: Fields, key: str) -> dict[str, Any]:
        part, result, errors = mapping(entry, key), {}, ErrorCollector()
        for name in part.entry:
            with errors:
                result[name] = kind.read(names, part, name)
        errors.raise_if_any()
        return result

    schema: Schema = {"type": "object", "additionalProperties": kind.schema}
    return Kind(schema | ({"minProperties": minimum} if minimum else {}), read)


def mapping(entry: Fields, key: str) -> Fields:
    """Return the mapping that a field holds."""
    value = entry.entry[key]
    if not isinstance(value, YamlMapping):
        raise entry.error(f"{key}: must be a mapping, got {quote(value)}", key)
    return Fields(entry.path, value)


def _name(attribute: str, problem: str) -> Callable[[Names, Any], str]:
    return lambda names, word: known_word(word, getattr(names, attribute), problem)


def _function(names: Names, word: Any) -> int:
    missing = "" if names.functions else "; the game has no `functions` file with a `def` of this name"
    return names.functions.index(known_word(word, names.functions, "unknown function", missing))


NUMBER: Final[Schema] = {"type": "integer", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER}
AMOUNT: Final = value(any_of(NUMBER, TEXT), Names.amount)
CONDITION: Final = value(TEXT, Names.condition)
CARD: Final = value(TEXT, Names.card)
CARDS: Final = several(TEXT, Names.card)
TYPES: Final = several(TEXT, _name("types", "no card has the type"))
FACTIONS: Final = several(TEXT, _name("factions", "no card has the faction"))
STAT: Final = value(TEXT, lambda names, word: names.stats.index(one_of(word, names.stats)))
STATS: Final = several(TEXT, lambda names, word: names.stats.index(one_of(word, names.stats)))
PILE_NAMES: Final = several(TEXT, _name("piles", "unknown pile"))
EFFECT: Final = value(TEXT, lambda names, word: names.effects[known_word(word, names.effects, "unknown effect")])
FUNCTION: Final = value(TEXT, _function)
WORDS: Final = several(TEXT, lambda _names, word: text(word, 60))
BY_PLAYERS: Final = value(any_of(NUMBER, {"type": "object", "additionalProperties": NUMBER}), Names.by_players)
BLOCK: Final = Kind(
    {"$ref": "#/$defs/steps"}, lambda names, entry, key: names.block(entry.entry[key], entry.entry.lines[key])
)


# -- records


class Record:
    """A dataclass whose types are annotated with what a field can hold, and if needed its `Key` and its meaning."""

    def checked(self, names: Any, entry: Fields) -> Self:  # noqa: ARG002
        """Return the record as it is used, or raise an error where its fields do not fit each other."""
        return self


class _Setting(NamedTuple):
    attribute: str
    kind: Kind
    meaning: str
    is_required: bool


@dataclass(frozen=True)
class Key:
    """The name of a field in YAML, where it differs."""

    name: str


INLINE: Final = "inline"  # the fields of this record are written among those of the record around it


@cache
def settings(kind: Any) -> Mapping[str, _Setting]:
    """Return the fields of a record by their names in YAML, with those of records that are inline."""
    result: dict[str, _Setting] = {}
    hints = get_type_hints(kind, include_extras=True)
    for each in fields(kind):
        data = getattr(hints[each.name], "__metadata__", ())
        if INLINE in data:
            result |= settings(hints[each.name].__origin__)
        elif data:
            key = next((item.name for item in data if isinstance(item, Key)), each.name)
            own = next(item for item in data if isinstance(item, Kind))
            meaning = next((item for item in data if isinstance(item, str)), "")
            is_required = each.default is MISSING and each.default_factory is MISSING
            result[key] = _Setting(each.name, own, meaning, is_required)
    return result


@cache
def _inline_records(kind: Any) -> Mapping[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    return {name: each.__origin__ for name, each in hints.items() if INLINE in getattr(each, "__metadata__", ())}


def read_record(kind: type[_Record], names: Any, entry: Fields, **values: Any) -> _Record:
    """Read a record; one error lists all mistakes. `values` are fields that are not written in YAML."""
    record: Any = kind
    known, errors = settings(record), ErrorCollector()
    with errors:
        entry.check_keys(known, required(record))
    for key, each in known.items():
        if key in entry:
            with errors:
                values[each.attribute] = each.kind.read(names, entry, key)
    errors.raise_if_any()
    for name, part in _inline_records(record).items():
        inner = {each.attribute for each in settings(part).values()} & values.keys()
        if inner:
            values[name] = part(**{attribute: values.pop(attribute) for attribute in inner})
    return kind(**values).checked(names, entry)


def required(kind: Any) -> list[str]:
    """Return the fields that a record must have."""
    return [key for key, each in settings(kind).items() if each.is_required]


def record_schema(kind: Any) -> Schema:
    """Return the JSON schema of a record."""
    properties = described((key, each.kind.schema, each.meaning) for key, each in settings(kind).items())
    return object_schema(properties, required(kind))


def described(entries: Iterable[tuple[str, Schema, str]]) -> dict[str, Schema]:
    """Return the schemas of fields with their meanings, where they have one."""
    return {key: schema | ({"description": meaning} if meaning else {}) for key, schema, meaning in entries}
