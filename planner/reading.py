"""Reading values from strangers: a reader for each kind of value, so that the same fault has the same words everywhere.

A reader takes a value and gives it back typed, or refuses with `'x' is not ...`. Whoever knows the place puts it in
front: `Fields` for YAML, with file and line.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

from planner.files import Located, PlannerError, load_yaml, nearest, parse_yaml, show

MOST: Final = 2**63 - 1  # what every table and every other language can hold
_Value = TypeVar("_Value")


# -- values


def text(value: Any) -> str:
    """Text of at least one character."""
    if type(value) is not str or not value:
        raise PlannerError(f"{show(value)} is not a text")
    return value


def name(value: Any) -> str:
    """What names something: text of at least one character."""
    if not isinstance(value, str) or not value:
        raise PlannerError(f"{show(value)} is not a name")
    return value


def whole(value: Any, least: int | None = None, most: int = MOST) -> int:
    """A whole number."""
    if type(value) is not int or not (-MOST if least is None else least) <= value <= most:
        raise PlannerError(f"{show(value)} is not a whole number{'' if least is None else f' of at least {least}'}")
    return value


def number(value: Any) -> float:
    """Any number that is one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise PlannerError(f"{show(value)} is not a number")
    return float(value)


def seconds(value: Any) -> float:
    """A time above 0."""
    found = number(value)
    if found <= 0:
        raise PlannerError(f"{show(value)} is not a positive number of seconds")
    return found


def truth(value: Any) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise PlannerError(f"{show(value)} is not true or false")
    return value


def one_of(value: Any, choices: Collection[str]) -> str:
    """One of these words."""
    if not isinstance(value, str) or value not in choices:
        raise PlannerError(f"{show(value)} is not one of {', '.join(choices)}{like(value, choices)}")
    return value


def listed(value: Any) -> list[Any]:
    """A list."""
    if not isinstance(value, list | tuple):
        raise PlannerError(f"{show(value)} is not a list")
    return list(value)


def mapping(value: Any) -> dict[str, Any]:
    """A mapping, which JSON calls an object."""
    if not isinstance(value, dict):
        raise PlannerError(f"{show(value)} is not an object")
    return value


def like(word: object, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` or nothing, for a word of any length: comparing a page of text takes minutes."""
    return nearest(word[:80], known) if isinstance(word, str) else ""


# -- JSON


def parse_json(content: str, where: str) -> Any:
    """The data in this JSON text; a refusal begins with `where`, and with line and column where they are known."""
    try:
        return json.loads(content, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise PlannerError(f"{where}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise PlannerError(f"{where}: nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits, or a key that stands there twice
        raise PlannerError(f"{where}: {str(error).splitlines()[0]}") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):  # JSON would take the last one, and the caller would never know
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"{show(twice)} stands twice in one object")
    return found


def field(entry: dict[str, Any], key: str, read: Callable[[Any], _Value], place: str = "") -> _Value:
    """This field of a JSON object as `read` understands it; it must be there."""
    where = f"{place}.{key}" if place else key
    if key not in entry:
        raise PlannerError(f"{where}: is missing")
    try:
        return read(entry[key])
    except PlannerError as error:
        raise PlannerError(f"{where}: {error}") from None


# -- YAML


class Fields:
    """A mapping of a YAML file, read field by field: what is wrong is refused with the file and the line."""

    def __init__(self, path: Path, entry: Located, what: str) -> None:
        self.path, self.entry, self.what = path, entry, what

    @classmethod
    def of_file(cls, path: Path, what: str, holds: str, content: str | None = None) -> Fields:
        """The file's mapping, or that of its `content`; `what` it is and what it `holds` are for refusals."""
        document = load_yaml(path) if content is None else parse_yaml(content, path)
        if not isinstance(document, Located):
            raise PlannerError(f"{path}:1: {what} is a mapping {holds}")
        return cls(path, document, what)

    def __contains__(self, key: str) -> bool:
        return key in self.entry

    def refuse(self, why: str, key: str = "") -> PlannerError:
        """The refusal of this field, or of the whole."""
        return PlannerError(f"{self.path}:{self.entry.lines.get(key, self.entry.line)}: {why}")

    def check(self, known: Collection[str], needed: Iterable[str] = ()) -> None:
        """Refuse a field that does not exist, since a misspelt one would count as absent, and one that is missing."""
        for key in self.entry:
            if key not in known:
                raise self.refuse(f"{key!r} is not a field of {self.what}{like(key, known)}", key)
        for key in needed:
            if key not in self.entry:
                raise self.refuse(f"{self.what} needs {key!r}")

    def at(self, key: str, read: Callable[[Any], _Value], default: Any = None) -> _Value:
        """This field's value as `read` understands it, or the default where it is absent."""
        if key not in self.entry:
            return default  # type: ignore[no-any-return]
        try:
            return read(self.entry[key])
        except PlannerError as error:
            raise self.refuse(f"{key}: {error}", key) from None

    def near(self, path: str) -> str:
        """A path to a YAML file starts at the file that names it; other names stay as they are."""
        return str(self.path.parent / path) if path.endswith((".yaml", ".yml")) else path
