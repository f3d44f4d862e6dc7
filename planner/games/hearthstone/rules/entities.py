"""The description of the objects of a state: their fields, and readers that are generated from them.

The readers of plain objects are generated, as dataclasses generate constructors: they have no loop over the fields and
look up nothing about them. They return None for whatever is not plain: an object with a rare field, and every mistake.
Then state_reader.py reads the object field by field, and reports a mistake with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cached_property
from operator import itemgetter
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.formats.json_schema import Schema, object_schema
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.field_kinds import Kind
from planner.games.hearthstone.rules.unlisted_cards import unlisted_card

PlainReader = Callable[..., Any]


class _Marker(Enum):
    REQUIRED = "required"
    ABSENT = "absent"


REQUIRED: Final = _Marker.REQUIRED
ABSENT: Final = _Marker.ABSENT  # the value of a field that was not given and has no constant default


class Written(Enum):
    """When the writer writes a field."""

    ALWAYS = "always"
    IN_FULL = "in full"  # always in JSON; in the text form only if it differs from the default
    IF_CHANGED = "if changed"
    UNDER_AURAS = "under auras"  # always while an aura is in play, since then the default is what the aura adds
    SEPARATELY = "separately"  # by code of its own


# -- descriptions


class Derived:
    """A default that is computed.

    The first parameter of `compute` is what the entity is made from, such as its card. The others have the names of the
    fields from which the default is computed.
    """

    def __init__(self, compute: Callable[..., Any]) -> None:
        self.compute = compute
        self.needs = compute.__code__.co_varnames[1 : compute.__code__.co_argcount]

    def default(self, source: object, entity: object) -> Any:
        """Return the default for an entity that is made from this source."""
        return self.compute(source, *[getattr(entity, name) for name in self.needs])


class Field(NamedTuple):
    """One field of an entity."""

    key: str  # in the JSON form
    kind: Kind
    default: Any = ABSENT  # a constant, Derived, REQUIRED, or ABSENT where code of its own fills it in
    written: Written = Written.IF_CHANGED
    name: str = ""  # of the attribute in state.py, where it is not the key
    of_card: bool = False  # describes the entity's card; the entity itself has no such attribute
    observed: bool = False  # part of the observations for learners
    rare: bool = False  # few objects have it, and they are read field by field: see `generate_reader`


class MadeFrom(NamedTuple):
    """The cards from which an entity is made, and what it is made from where its card is not known."""

    types: tuple[str, ...] = ()
    unlisted: Callable[..., Card] = unlisted_card
    arguments: tuple[str, ...] = ()  # of `unlisted`: names of fields
    needs: tuple[str, ...] = ()  # the fields that must be given
    default_name: str = ""


_NO_CARDS: Final = MadeFrom()


class Entity:
    """The description of one kind of object in a state: a minion, a hero, ..."""

    def __init__(
        self,
        kind: type[Any] | None,
        *fields: Field,
        stats: tuple[str, str] = ("attack", "health"),
        made_from: MadeFrom = _NO_CARDS,
        derives_when_read: bool = True,
    ) -> None:
        self.kind = kind
        self.made_from = made_from
        self.derives_when_read = derives_when_read  # False: the reader fills in derived defaults later
        self.fields = tuple(field._replace(name=field.name or field.key) for field in fields)
        self.stats = stats  # the two keys that the text form writes as `4/5`
        # For the reader: what to do with each key, the values to start from, and what is computed afterwards.
        self.readers = {field.key: (field.name, field.kind.read) for field in self.fields}
        self.defaults = {
            field.name: ABSENT if isinstance(field.default, Derived | _Marker) else field.default
            for field in self.fields
        }
        self.derived = {field.name: field.default for field in self.fields if isinstance(field.default, Derived)}
        self.order: tuple[str, ...] = kind._fields if kind else tuple(field.name for field in self.fields)
        self.values: Callable[[Mapping[str, Any]], tuple[Any, ...]] = itemgetter(*self.order)
        # For the writer.
        self.writers = tuple(
            (field.name, field.key, field.default, field.written, field.kind.write)
            for field in self.fields
            if field.written is not Written.SEPARATELY and not field.of_card
        )
        self.observed = tuple(field.name for field in self.fields if field.observed)

    @cached_property
    def plain_reader(self) -> PlainReader:  # generated when the first object is read
        """The reader of plain objects."""
        return generate_reader(self)

    @property
    def keys(self) -> Iterable[str]:
        """The keys of the JSON form."""
        return self.readers.keys()

    def schema(self, objects: Mapping[str, Schema] | None = None, omit: str = "") -> Schema:
        """Return the JSON schema; `objects` are the schemas of the fields that hold objects."""
        fields = sorted((field for field in self.fields if field.key != omit), key=lambda field: field.key)
        properties = {field.key: (objects or {}).get(field.key, field.kind.schema) for field in fields}
        return object_schema(properties, [field.key for field in fields if field.default is REQUIRED])


# -- generated readers

BLANK_CARD: Final = Card("")  # the source of the defaults of an entity without a known card

# In the source, the value of a field has the name of the field and `_` at its end: a field may be called `type`. The
# other names are those of `names` in `generate_reader`.


def generate_reader(entity: Entity) -> PlainReader:
    """Return the reader of plain objects of this kind.

    The reader of an entity that has a card is called with the object, a function that finds a card by its name, the
    zone and the index; any other reader with the object and the source of its defaults. It returns the entity.
    """
    if _has_card(entity) and not entity.made_from.types:
        return _never_plain
    names: dict[str, Any] = {
        "PlannerError": PlannerError,
        "absent": ABSENT,
        "blank": BLANK_CARD,
        "kind": entity.kind,
        "new": tuple.__new__,
        "types": entity.made_from.types,
        "unlisted": entity.made_from.unlisted,
        "usual": {field.key: _initial(entity, field) for field in _usual(entity)},
    }
    for field in entity.fields:
        names[f"default_{field.name}"] = entity.defaults[field.name]
        names[f"read_{field.name}"] = field.kind.read
    for name, default in entity.derived.items():
        names[f"derive_{name}"] = default.compute
    exec(_source_code(entity), names)  # the source has names of our fields only, never keys or values of a caller
    reader: PlainReader = names["plain_reader"]
    return reader


def _never_plain(*_arguments: Any) -> None:
    return None


def _has_card(entity: Entity) -> bool:
    return any(field.key == "card" for field in entity.fields)


def _usual(entity: Entity) -> list[Field]:
    return [field for field in entity.fields if not field.rare]


def _initial(entity: Entity, field: Field) -> Any:
    """Return what stands for the value until the object gives one: the default, if it is plain itself."""
    return ABSENT if field.kind.plain == "" else entity.defaults[field.name]


def _source_code(entity: Entity) -> str:
    usual, rare = _usual(entity), [field for field in entity.fields if field.rare]
    has_card = _has_card(entity)
    # The keys stay in the order of the fields, and a key that is rare or unknown makes the row too long.
    body = [f"{_values(field.name for field in usual)} = (usual | entry).values()"]
    for field in usual:
        body += _read(entity, field)
    body += [f"{field.name}_ = {_rare_default(field)}" for field in rare if field.key != "card"]
    if has_card:
        body += _card_lookup(entity)
    if entity.derives_when_read:
        for field in usual:
            if field.name in entity.derived:
                body += _derive(entity, field)
    if {"health", "max_health"} <= set(entity.order):
        body += ["if max_health_ < health_:", "    return None"]
    make = f"({_values(entity.order)},)" if entity.kind is None else f"new(kind, ({_values(entity.order)},))"
    if has_card:
        body += ["if card_ is None:", f"    card_ = unlisted({_values(entity.made_from.arguments)})"]
    body.append(f"return {make}")
    parameters = "entry, find_card, zone, index" if has_card else "entry, source"
    lines = ["try:", *_indented(body), "except (PlannerError, ValueError):", "    return None"]
    return "\n".join([f"def plain_reader({parameters}):", *_indented(lines)])


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _values(names: Iterable[str]) -> str:
    return ", ".join(f"{name}_" for name in names)


def _read(entity: Entity, field: Field) -> list[str]:
    """Validate a value that is given, and fill in a constant default."""
    value = f"{field.name}_"
    if field.name in entity.derived and entity.derives_when_read:
        return []  # read together with its default, after the card
    if field.key == "id":
        return [f"if {value} is absent:", f'    {value} = f"{{zone}}.{{index}}"', *_validation(field, "elif")]
    if field.default is REQUIRED:
        return [f"if {value} is absent:", "    return None", *_validation(field, "elif")]
    default = f"default_{field.name}"
    if _initial(entity, field) is entity.defaults[field.name]:
        return _validation(field, f"if {value} is not {default} and")
    return [f"if {value} is absent:", f"    {value} = {default}", *_validation(field, "elif")]


def _validation(field: Field, condition: str) -> list[str]:
    """Read the value where the condition, which ends with `and` or is `elif`, holds and the value is not plain."""
    value, plain = f"{field.name}_", field.kind.plain
    if plain is None:
        return []
    not_plain = f"not ({plain.format(value)})" if plain else "True"
    return [f"{condition} {not_plain}:", f"    {value} = read_{field.name}({value})"]


def _derive(entity: Entity, field: Field) -> list[str]:
    """Validate a value that is given, or compute its default."""
    arguments = ", ".join(["source", *(f"{name}_" for name in entity.derived[field.name].needs)])
    compute = [f"if {field.name}_ is absent:", f"    {field.name}_ = derive_{field.name}({arguments})"]
    return [*compute, *_validation(field, "elif")]


def _rare_default(field: Field) -> str:
    return repr(getattr(BLANK_CARD, field.name)) if field.of_card else f"default_{field.name}"


def _card_lookup(entity: Entity) -> list[str]:
    """Find the card; numbers of the card that are given must be its own."""
    of_card = [field.name for field in _usual(entity) if field.of_card and field.name != "name"]
    differs = [f"({name}_ is not absent and {name}_ != card_.{name})" for name in of_card]
    unlisted = ["source = blank", "if name_ is absent:", f"    name_ = {entity.made_from.default_name!r}"]
    for name in entity.made_from.needs:
        unlisted += [f"if {name}_ is absent:", "    return None"]
    for name in of_card:
        if name == "health":
            unlisted += ["if health_ < 1:", "    return None"]
        elif name not in entity.made_from.needs:
            unlisted += [f"if {name}_ is absent:", f"    {name}_ = {getattr(BLANK_CARD, name)!r}"]
    return [
        "card_ = None if name_ is absent else find_card(name_, types)",
        "if card_ is None:",
        *_indented(unlisted),
        f"elif {' or '.join(['card_.type not in types', *differs])}:",
        "    return None",
        "else:",
        "    source = card_",
    ]
