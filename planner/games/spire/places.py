"""Where something stands in a file of definitions: refusals begin with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeVar

from planner.errors import PlannerError, quote
from planner.formats.documents import YamlList, YamlMapping
from planner.formats.values import first_unknown_key, unknown_field
from planner.formats.values import integer as any_whole

PILES: Final = ("hand", "draw", "discard", "exhaust")
MOST: Final = 9999  # no number on a card is larger; sums stay small
_Value = TypeVar("_Value")

whole: Final = partial(any_whole, minimum=0, maximum=MOST)
positive: Final = partial(any_whole, minimum=1, maximum=MOST)
change: Final = partial(any_whole, minimum=-MOST, maximum=MOST)


class Place:
    """A file with a line where there is one, and a trail of names."""

    def __init__(self, where: str, line: int | None = None, trail: str = "") -> None:
        self.where, self.line, self.trail = where, line, trail

    def at(self, holder: Any, key: str | int, trail: str = "") -> Place:
        """The place of what stands under this key; a definition that came as JSON has no lines."""
        line = self.line
        if isinstance(holder, YamlMapping | YamlList):
            lines: Any = holder.lines
            line = lines[key]
        return Place(self.where, line, f"{self.trail}: {trail}" if self.trail and trail else self.trail or trail)

    def error(self, why: str) -> PlannerError:
        """The refusal, with file, line and what it is about in front."""
        where = f"{self.where}:{self.line}" if self.line is not None else self.where
        return PlannerError(": ".join(part for part in (where, self.trail, why) if part))

    def read(self, holder: Any, key: str, reader: Callable[[Any], _Value]) -> _Value:
        """What stands under this key, as the reader understands it."""
        try:
            return reader(holder[key])
        except PlannerError as error:
            raise self.at(holder, key, key).error(str(error)) from None

    def check(self, entry: dict[str, Any], needed: Iterable[str], more: Iterable[str] = ()) -> None:
        """Refuse a field that does not exist, and one that is missing."""
        known = (*needed, *more)
        if (odd := first_unknown_key(entry, known)) is not None:
            raise self.at(entry, odd).error(unknown_field(odd, known))
        for key in needed:
            if key not in entry:
                raise self.error(f"{key} is missing")


def pile(given: Any) -> str:
    """The name of a pile."""
    if not isinstance(given, str) or given not in PILES:
        raise PlannerError(f"{quote(given)} is not a pile; there are {', '.join(PILES)}")
    return given


def factor(given: Any) -> Fraction:
    """A number of 0 or more, such as 2 or 3/4."""
    try:
        found = Fraction(given) if isinstance(given, int | str) and not isinstance(given, bool) else None
    except (ValueError, ZeroDivisionError):
        found = None
    if found is None or not 0 <= found <= MOST or found.denominator > MOST:
        raise PlannerError(f"{quote(given)} is not a factor such as 2 or 3/4")
    return found
