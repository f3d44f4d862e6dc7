"""Validate single values, so that the same mistake gets the same message everywhere.

A reader takes a value of unknown type and returns it typed, or raises a PlannerError such as `must be an integer, got
'x'`. Its callers put the keys that lead to the value in front: `read_field` and `at` for JSON, as in
`enemies[0].health: must be at least 1, got 0`, and `Fields` for YAML with file and line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlMapping, load_yaml, parse_yaml

MAX_INTEGER: Final = 2**63 - 1  # fits into every table and every other language
MAX_SECONDS: Final = 10**9  # about thirty years: every clock can add it to the current time
_SMALLEST_CARD_VALUE: Final = 1e-9
_Value = TypeVar("_Value")


# -- values


def text(value: Any, maximum: int | None = None) -> str:
    """Return a non-empty string of at most `maximum` characters."""
    if type(value) is not str or not value:
        raise PlannerError(f"must be a non-empty string, got {quote(value)}")
    if maximum is not None and len(value) > maximum:
        raise PlannerError(f"is {len(value):,} characters long; the limit is {maximum:,}")
    return value


def string(value: Any) -> str:
    """Return a string, which may be empty."""
    if type(value) is not str:
        raise PlannerError(f"must be a string, got {quote(value)}")
    return value


def name(value: Any) -> str:
    """Return a non-empty string that names something."""
    if not isinstance(value, str) or not value:
        raise PlannerError(f"must be a name, got {quote(value)}")
    return value


def integer(value: Any, minimum: int | None = None, maximum: int | None = None) -> int:
    """Return an integer within the bounds; booleans are not integers here."""
    if type(value) is int and (-MAX_INTEGER if minimum is None else minimum) <= value <= (
        MAX_INTEGER if maximum is None else maximum
    ):
        return value
    if type(value) is int and maximum is None and value > MAX_INTEGER:
        maximum = MAX_INTEGER  # name the limit that the value exceeds
    raise _out_of_bounds(value, "an integer", type(value) is int, minimum, maximum)


def number(value: Any, minimum: float | None = None, maximum: float | None = None) -> int | float:
    """Return a finite number within the bounds, which every table can hold."""
    valid = _is_number(value) and abs(value) <= MAX_INTEGER  # not a number compares false
    if not valid or (minimum is not None and value < minimum) or (maximum is not None and value > maximum):
        raise _out_of_bounds(value, "a number", valid, minimum, maximum)
    return value  # type: ignore[no-any-return]  # a number, as checked above


def card_value(value: Any, maximum: float) -> int | float:
    """Return the value of a card: 0, or a number that is large enough to show in a sum."""
    if isinstance(value, float) and 0 < abs(value) < _SMALLEST_CARD_VALUE:
        raise PlannerError(f"must be 0 or at least {_SMALLEST_CARD_VALUE:g} in size, got {quote(value)}")
    return number(value, -maximum, maximum)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _out_of_bounds(
    value: Any, kind: str, right_kind: bool, minimum: float | None, maximum: float | None
) -> PlannerError:
    """Return the error for a value of the wrong kind, or of the right kind (`right_kind`) outside the bounds."""
    if minimum is not None and maximum is not None:
        bounds = f"between {minimum} and {maximum}"
    elif minimum is not None:
        bounds = f"at least {minimum}"
    elif maximum is not None:
        bounds = f"at most {maximum}"
    else:
        return PlannerError(f"must be {kind}, got {quote(value)}")
    return PlannerError(f"must be {bounds if right_kind else f'{kind}, {bounds}'}, got {quote(value)}")


def seconds(value: Any) -> float:
    """Return a duration above 0."""
    if not _is_number(value) or not value > 0:
        raise PlannerError(f"must be a positive number of seconds, got {quote(value)}")
    if value >= MAX_SECONDS:
        raise PlannerError(f"must be less than {MAX_SECONDS} seconds, got {quote(value)}")
    return float(value)


def boolean(value: Any) -> bool:
    """Return true or false."""
    if type(value) is not bool:
        raise PlannerError(f"must be true or false, got {quote(value)}")
    return value


def one_of(value: Any, choices: Collection[str]) -> str:
    """Return one of these words."""
    if not isinstance(value, str) or value not in choices:
        suggestion = did_you_mean(value, choices)
        raise PlannerError(f"must be one of {', '.join(choices)}; got {quote(value)}{suggestion}")
    return value


def as_list(value: Any) -> list[Any]:
    """Return a list."""
    if not isinstance(value, list | tuple):
        raise PlannerError(f"must be a list, got {quote(value)}")
    return list(value)


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Return a mapping, which JSON calls an object."""
    if not isinstance(value, Mapping):
        raise PlannerError(f"must be an object, got {quote(value)}")
    return value


# -- places


class PlacedError(PlannerError):
    """An error of a value inside a document; the keys and indices of `path` lead to it.

    `key` is a key of that value which the message names, such as an unknown field.
    """

    def __init__(self, path: tuple[str | int, ...], *reasons: str, key: str | None = None) -> None:
        place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path).removeprefix(".")
        super().__init__(*(f"{place}: {reason}" if place else reason for reason in reasons))
        self.path, self.reasons, self.key = path, reasons, key

    def __reduce__(self) -> tuple[Any, ...]:
        return PlacedError, (self.path, *self.reasons)

    def line_in(self, document: Any) -> int | None:
        """Return the line of the value in a document that was read from YAML, or of the nearest one around it."""
        line = getattr(document, "line", None)
        for key in (*self.path, self.key):
            try:
                line, document = document.lines[key], document[key]
            except (AttributeError, LookupError, TypeError):  # absent, or not from a file
                break
        return line


def placed(error: PlannerError, *keys: str | int) -> PlacedError:
    """Return the error with these keys in front of its path."""
    if isinstance(error, PlacedError):
        return PlacedError((*keys, *error.path), *error.reasons, key=error.key)
    return PlacedError(keys, *error.problems)


class at:  # noqa: N801  (used like a function)
    """Put these keys in front of the path of an error that the block raises: `with at("hand", 3): ...`."""

    def __init__(self, *keys: str | int) -> None:
        self._keys = keys

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, PlannerError):
            raise placed(error, *self._keys) from None


def read_items(read: Callable[[Any], _Value], items: Iterable[Any]) -> list[_Value]:
    """Return what `read` returns for every item; an error names the index."""
    result: list[_Value] = []
    for item in items:
        try:
            result.append(read(item))
        except PlannerError as error:
            raise placed(error, len(result)) from None
    return result


# -- fields


def first_unknown_key(entry: Iterable[Any], known: Collection[str]) -> Any | None:
    """Return the first key that is not known, or None: a misspelt key must not count as absent."""
    return next((key for key in entry if key not in known), None)


def unknown_field(key: Any, known: Iterable[str]) -> str:
    """Return the message for a field that does not exist."""
    return f"unknown field {quote(key)}{did_you_mean(key, known)}"


def read_field(entry: Mapping[str, Any], key: str, read: Callable[[Any], _Value]) -> _Value:
    """Return a required field of a JSON object, validated by `read`, which may name places within the value."""
    if key not in entry:
        raise PlacedError((key,), "is missing")
    try:
        return read(entry[key])
    except PlannerError as error:
        raise PlacedError((key,), *error.problems) from None


def optional(entry: Mapping[str, Any], key: str, read: Callable[[Any], _Value], default: _Value) -> _Value:
    """Return a field of a JSON object as `read_field`, or the default where it is missing."""
    return read_field(entry, key, read) if key in entry else default


def read_list(entry: Mapping[str, Any], key: str, read: Callable[[Any], _Value]) -> list[_Value]:
    """Return a required field of a JSON object, a list: what `read` returns for each of its items."""
    items = read_field(entry, key, as_list)
    with at(key):
        return read_items(read, items)


class ErrorCollector:
    """Collect the errors of several independent reads, so that a user sees all of them at once.

    `with collector: ...` keeps a PlannerError of the block; `raise_if_any` raises one error with all of them.
    """

    def __init__(self) -> None:
        self._problems: list[str] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, PlannerError):
            self.add(error)
            return True
        return False

    def __len__(self) -> int:
        """Return the number of problems so far."""
        return len(self._problems)

    def add(self, error: PlannerError) -> None:
        """Keep the problems of an error; one that is met several times is kept once."""
        self._problems += [problem for problem in error.problems if problem not in self._problems]

    def attempt(self, read: Callable[[], _Value], default: _Value) -> _Value:
        """Return what `read` returns; if it raises a PlannerError, keep that and return the default."""
        with self:
            return read()
        return default

    def raise_if_any(self) -> None:
        """Raise one PlannerError with all collected problems, if there are any."""
        if self._problems:
            raise PlannerError(*self._problems)


class Fields:
    """A mapping of a YAML file, read field by field; errors name the file and the line."""

    def __init__(self, path: Path, entry: YamlMapping) -> None:
        self.path, self.entry = path, entry

    @classmethod
    def of_file(cls, path: Path, what: str, holds: str, content: str | None = None) -> Fields:
        """Read the file, or `content` in its place; an error says that `what` is a mapping that `holds` something."""
        document = load_yaml(path) if content is None else parse_yaml(content, path)
        if not isinstance(document, YamlMapping):
            raise PlannerError(f"{path}:1: {what} is a mapping {holds}")
        return cls(path, document)

    def __contains__(self, key: str) -> bool:
        return key in self.entry

    def error(self, message: str, key: str = "") -> PlannerError:
        """Return an error with the line of this field, or of the whole mapping."""
        return PlannerError(f"{self.path}:{self.entry.lines.get(key, self.entry.line)}: {message}")

    def check_keys(self, known: Collection[str], required: Iterable[str] = ()) -> None:
        """Raise an error that lists every unknown and every missing field."""
        collector = ErrorCollector()
        for key in self.entry:
            with collector:
                if key not in known:
                    raise self.error(unknown_field(key, known), key)
        for key in required:
            with collector:
                if key not in self.entry:
                    raise self.error(f"{key}: is missing")
        collector.raise_if_any()

    def read(self, key: str, read: Callable[[Any], _Value], default: Any = None) -> _Value:
        """Return the field's value, validated by `read`, or the default where it is absent."""
        if key not in self.entry:
            return default  # type: ignore[no-any-return]  # the caller knows what an absent field means
        try:
            return read(self.entry[key])
        except PlannerError as error:
            raise self.error(f"{key}: {error}", key) from None

    def resolve(self, path: str) -> str:
        """Resolve a path to a YAML file relative to the file that names it; return other names unchanged."""
        return str(self.path.parent / path) if path.endswith((".yaml", ".yml")) else path
