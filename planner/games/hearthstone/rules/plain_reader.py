"""Readers of plain objects, generated from the description of an entity as dataclasses generate constructors.

A generated reader has no loop over the fields and looks up nothing about them. It returns None for whatever is not
plain: an object with a rare field, and every mistake. Then state_reader.py reads the object field by field, and reports
a mistake with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card

if TYPE_CHECKING:
    from planner.games.hearthstone.rules.state_fields import Entity, Field

PlainReader = Callable[..., Any]
_BLANK: Final = Card("")  # the source of the defaults of an entity without a known card

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
        "absent": entity.absent,
        "blank": _BLANK,
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
    return entity.absent if field.kind.plain == "" else entity.defaults[field.name]


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
    if entity.is_required(field):
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
    return repr(getattr(_BLANK, field.name)) if field.of_card else f"default_{field.name}"


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
            unlisted += [f"if {name}_ is absent:", f"    {name}_ = {getattr(_BLANK, name)!r}"]
    return [
        "card_ = None if name_ is absent else find_card(name_, types)",
        "if card_ is None:",
        *_indented(unlisted),
        f"elif {' or '.join(['card_.type not in types', *differs])}:",
        "    return None",
        "else:",
        "    source = card_",
    ]
