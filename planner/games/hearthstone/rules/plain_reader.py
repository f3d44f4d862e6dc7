"""Readers of plain objects, generated from the description of an entity for one sequence of keys.

The objects in the states of a caller have few different sequences of keys. For each of them one function is generated,
as dataclasses generate constructors: it has no loop over the keys, and knows which fields need their default. A
generated reader returns None for whatever is not plain, also for every mistake. Then state_reader.py reads the object
field by field, and reports a mistake with its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card

if TYPE_CHECKING:
    from planner.games.hearthstone.rules.state_fields import Entity, Field

PlainReader = Callable[..., Any]
MAX_READERS: Final = 256  # for one entity: a caller that permutes its keys must not fill the memory
_BLANK: Final = Card("")  # the source of the defaults of an entity without a known card


class PlainReaders(dict[tuple[str, ...], PlainReader]):
    """The readers of an entity, by the keys of an object in their order; each is generated at its first use.

    The reader of an entity that has a card is called with the object, a function that finds a card by its name, the
    zone and the index; any other reader with the object and the source of its defaults. It returns the entity.
    """

    def __init__(self, entity: Entity) -> None:
        super().__init__()
        self._entity = entity

    def __missing__(self, keys: tuple[str, ...]) -> PlainReader:
        known = {field.key for field in self._entity.fields}
        if len(self) >= MAX_READERS or not all(type(key) is str and key in known for key in keys):
            return _not_plain  # and keep nothing: unknown keys are texts of the caller
        source = _source_code(self._entity, keys)
        reader = _not_plain if source is None else _compiled(self._entity, source)
        self[keys] = reader
        return reader


def _not_plain(*_arguments: Any) -> None:
    return None


# In the source, the value of a field has the name of the field and `_` at its end: a field may be called `type`.


def _compiled(entity: Entity, source: str) -> PlainReader:
    names: dict[str, Any] = {
        "PlannerError": PlannerError,
        "absent": entity.absent,
        "blank": _BLANK,
        "kind": entity.kind,
        "new": tuple.__new__,
        "types": entity.made_from.types,
        "unlisted": entity.made_from.unlisted,
    }
    for field in entity.fields:
        names[f"read_{field.name}"] = field.kind.read
    for name, default in entity.derived.items():
        names[f"derive_{name}"] = default.compute
    exec(source, names)  # the source has names of our fields only, never keys or values of a caller
    reader: PlainReader = names["plain_reader"]
    return reader


def _source_code(entity: Entity, keys: tuple[str, ...]) -> str | None:
    """Return the source of the reader for these keys, or None where such an object is never plain."""
    by_key = {field.key: field for field in entity.fields}
    if "card" in keys:
        return None
    given = [by_key[key] for key in keys]
    absent = [field for field in entity.fields if field not in given]
    has_card = "card" in by_key
    if any(entity.is_required(field) for field in absent) or (has_card and not entity.made_from.types):
        return None
    body = [f"{_values(field.name for field in given)}, = entry.values()"] if given else []
    for field in given:
        body += _validation(field)
    body += [f"{field.name}_ = {_default(entity, field)}" for field in absent if field.name != "card"]
    if has_card:
        body += _card_lookup(entity, given)
    if entity.derives_when_read:
        for field in absent:
            if field.name in entity.derived:
                needs = entity.derived[field.name].needs
                body.append(f"{field.name}_ = derive_{field.name}(source{''.join(f', {name}_' for name in needs)})")
    if "max_health" in keys:
        body += ["if max_health_ < health_:", "    return None"]
    make = f"({_values(entity.order)},)" if entity.kind is None else f"new(kind, ({_values(entity.order)},))"
    body.append(f"entity_ = {make}")
    if has_card:
        body += ["if card_ is None:", f"    card_ = unlisted({_values(entity.made_from.arguments)})"]
        body += [f"    entity_ = {make}"]
    parameters = "entry, find_card, zone, index" if has_card else "entry, source"
    lines = ["try:", *_indented(body), "except PlannerError:", "    return None", "return entity_"]
    return "\n".join([f"def plain_reader({parameters}):", *_indented(lines)])


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _values(names: Iterable[str]) -> str:
    return ", ".join(f"{name}_" for name in names)


def _validation(field: Field) -> list[str]:
    value, plain = f"{field.name}_", field.kind.plain
    read = f"{value} = read_{field.name}({value})"
    if plain is None:
        return []
    return [f"if not ({plain.format(value)}):", f"    {read}"] if plain else [read]


def _default(entity: Entity, field: Field) -> str:
    if field.key == "id":
        return 'f"{zone}.{index}"'
    if field.of_card and field.name != "name":
        return repr(getattr(_BLANK, field.name))
    default = entity.defaults[field.name]
    return "absent" if default is entity.absent else repr(default)


def _card_lookup(entity: Entity, given: list[Field]) -> list[str]:
    """Find the card; numbers of the card that are given must be its own."""
    names = {field.name for field in given}
    own = [field.name for field in given if field.of_card and field.name != "name"]
    differs = " or ".join(["card_.type not in types", *(f"{name}_ != card_.{name}" for name in own)])
    unlisted = ["source = blank"]
    if "name" not in names:
        unlisted.append(f"name_ = {entity.made_from.default_name!r}")
    unlisted += ["if health_ < 1:", "    return None"]
    if "type" in names or not names.issuperset(entity.made_from.needs):
        unlisted = ["return None"]
    return [
        "card_ = find_card(name_, types)" if "name" in names else "card_ = None",
        "if card_ is None:",
        *_indented(unlisted),
        f"elif {differs}:",
        "    return None",
        "else:",
        "    source = card_",
    ]
