"""Objects of strangers, read field by field: refusals begin with the place of the field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from planner.errors import PlannerError
from planner.formats.values import (
    as_list,
    as_mapping,
    boolean,
    first_unknown_key,
    integer,
    join_path,
    missing_field,
    one_of,
    unknown_field,
)
from planner.games.spire.library import Library, library_of
from planner.games.spire.places import MOST

_Value = TypeVar("_Value")


class JsonFields:
    """One object, and where it stands."""

    def __init__(self, data: Any, place: str, known: Sequence[str]) -> None:
        try:
            self.data = as_mapping(data)
        except PlannerError as error:
            raise PlannerError(f"{place or 'state'}: {error}") from None
        self.place = place
        if (odd := first_unknown_key(self.data, known)) is not None:
            raise PlannerError(f"{place or 'state'}: {unknown_field(odd, known)}")

    def at(self, key: str) -> str:
        """The place of a field."""
        return join_path(self.place, key)

    def read(self, key: str, reader: Callable[[Any], _Value], default: _Value | None = None) -> _Value:
        """A field as the reader understands it; one without a default must be there."""
        if key not in self.data:
            if default is None:
                raise missing_field(key, self.place)
            return default
        try:
            return reader(self.data[key])
        except PlannerError as error:
            raise PlannerError(f"{self.at(key)}: {error}") from None

    def number(self, key: str, default: int | None = None, least: int = 0) -> int:
        """A whole number."""
        return self.read(key, partial(integer, minimum=least, maximum=MOST), default)

    def items(self, key: str, most: int, default: list[Any] | None = None) -> list[Any]:
        """A list of at most so many."""
        found = self.read(key, as_list, default)
        if len(found) > most:
            raise PlannerError(f"{self.at(key)}: {len(found)} are too many; at most {most}")
        return found

    def word(self, key: str, known: Sequence[str], default: str | None = None) -> str:
        """One of these."""
        return self.read(key, partial(one_of, choices=known), default)

    def library(self) -> Library:
        """What exists in this battle."""
        nothing: Mapping[str, Any] = {}
        added = self.read("library", as_mapping, nothing)
        try:
            return library_of(added, self.read("anonymous", boolean, False))
        except (TypeError, RecursionError):  # not JSON values: nothing that could be written down
            raise PlannerError(f"{self.at('library')}: is not made of JSON values") from None
