"""The kinds of values in cards, rulesets and states: how a value is validated, described in a schema and written."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError, quote, suggest
from planner.formats.json_schema import Schema, enum_schema, integer_schema, list_schema
from planner.formats.values import MAX_INTEGER, as_list, boolean, card_value, integer, one_of, text
from planner.games.hearthstone.cards.effect_vocabulary import TRIBES
from planner.games.hearthstone.cards.keywords import BIT, NAMES, names

MAX_NUMBER: Final = 10**6  # of any number on a card or in a state
MAX_TEXT_LENGTH: Final = 1000  # characters of any text on a card or in a state, also of ids and names


class Kind(NamedTuple):
    """How a value of the JSON form is validated, described and written.

    `read` returns the validated value or raises a PlannerError without the place.
    """

    read: Callable[[Any], Any]
    schema: Schema
    write: Callable[[Any], Any] | None = None  # None: written as it is
    # A condition under which `read` returns the value `{0}` as it is; a generated reader tests it, which is much faster
    # than a call. Empty: there is none. None: every value is returned as it is.
    plain: str | None = ""


def integer_kind(minimum: int = 0, maximum: int | None = MAX_NUMBER) -> Kind:
    """Return the kind of the integers within these bounds."""

    def read(value: Any) -> int:
        if minimum == 1 and type(value) is int and value < 1:  # health: the maximum does not help
            raise PlannerError(f"must be at least 1, got {quote(value)}")
        return integer(value, minimum, maximum)

    schema = integer_schema(minimum, maximum)
    return Kind(read, schema, plain=f"type({{0}}) is int and {minimum} <= {{0}} <= {schema['maximum']}")


def choice_kind(choices: Collection[str]) -> Kind:
    """Return the kind of the values that are one of these words."""
    return Kind(partial(one_of, choices=choices), enum_schema(choices))


def named(what: str, word: Any, words: Collection[str]) -> str:
    """Return the word if it is one of those that name a trigger, a tribe or something else (`what`)."""
    if not isinstance(word, str) or word not in words:
        raise PlannerError(f"unknown {what} {quote(word)}{suggest(word, words)}")
    return word


def read_name(value: Any) -> str:
    """Validate an id or a name: a non-empty string, or an integer, which stands for its digits."""
    if type(value) is str and 0 < len(value) <= MAX_TEXT_LENGTH:
        return value
    return str(integer(value)) if type(value) is int else text(value, MAX_TEXT_LENGTH)


def _read_keywords(value: Any) -> int:
    bits = 0
    for word in value if type(value) is list else as_list(value):
        bits |= BIT[word] if type(word) is str and word in BIT else BIT[named("keyword", word, BIT)]
    return bits


def _read_tribes(value: Any) -> tuple[str, ...]:
    return tuple(named("tribe", tribe, TRIBES) for tribe in as_list(value))


COUNT: Final = integer_kind()
HEALTH: Final = integer_kind(1)
SIGNED: Final = integer_kind(-MAX_NUMBER)
FLAG: Final = Kind(boolean, {"type": "boolean"}, plain="type({0}) is bool")
TEXT: Final = Kind(
    partial(text, maximum=MAX_TEXT_LENGTH), {"type": "string", "minLength": 1, "maxLength": MAX_TEXT_LENGTH}
)
NAME: Final = Kind(
    read_name,
    {**TEXT.schema, "type": ["string", "integer"], "minimum": -MAX_INTEGER, "maximum": MAX_INTEGER},
    plain=f"type({{0}}) is str and 0 < len({{0}}) <= {MAX_TEXT_LENGTH}",
)
KEYWORDS: Final = Kind(_read_keywords, list_schema(enum_schema(NAMES)), names)
TRIBE_LIST: Final = Kind(_read_tribes, list_schema(enum_schema(TRIBES)), list)
CARD_VALUE: Final = Kind(
    partial(card_value, maximum=MAX_NUMBER),
    {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
    plain=COUNT.plain,
)
