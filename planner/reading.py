"""Reading values from strangers: a reader for each kind of value, so that the same fault has the same words everywhere.

A reader takes a value and gives it back typed, or refuses with `'x' is not ...`. Whoever knows the place puts it in
front: `Fields` for YAML, with file and line.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from planner.files import Located, PlannerError, load_yaml, nearest, parse_yaml, show

MOST: Final = 2**63 - 1  # what every table and every other language can hold
LONGEST: Final = 10**9  # seconds: some thirty years, which every clock can add to the time of day
_LEAST_WORTH: Final = 1e-9
_Value = TypeVar("_Value")


# -- values


def text(value: Any, most: int | None = None) -> str:
    """Text of at least one character, and of at most so many."""
    if type(value) is not str or not value:
        raise PlannerError(f"{show(value)} is not a text")
    if most is not None and len(value) > most:
        raise PlannerError(f"{show(value)} has {len(value)} signs; a text has at most {most}")
    return value


def name(value: Any) -> str:
    """What names something: text of at least one character."""
    if not isinstance(value, str) or not value:
        raise PlannerError(f"{show(value)} is not a name")
    return value


def whole(value: Any, least: int | None = None, most: int | None = None) -> int:
    """A whole number within these bounds; true and false are none."""
    if type(value) is not int or not (-MOST if least is None else least) <= value <= (MOST if most is None else most):
        raise PlannerError(f"{show(value)} is not a whole number{_bounds(least, most)}")
    return value


def number(value: Any, least: float | None = None, most: float | None = None) -> int | float:
    """A number within these bounds; not a number and infinity are none."""
    valid = _is_number(value) and (math.isfinite(value) if isinstance(value, float) else abs(value) <= MOST)
    if not valid or (least is not None and value < least) or (most is not None and value > most):
        raise PlannerError(f"{show(value)} is not a number{_bounds(least, most)}")
    return value  # type: ignore[no-any-return]


def worth(value: Any, most: float) -> int | float:
    """What a card is worth: a number that is not closer to 0 than sums of it can show."""
    if isinstance(value, float) and 0 < abs(value) < _LEAST_WORTH:
        raise PlannerError(f"{show(value)} is not 0, nor {_LEAST_WORTH:g} or more either way")
    return number(value, -most, most)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bounds(least: float | None, most: float | None) -> str:
    if most is None:
        return "" if least is None else f" of at least {least}"
    return f" of at most {most}" if least is None else f" from {least} to {most}"


def seconds(value: Any) -> float:
    """A time above 0."""
    if not _is_number(value) or not 0 < value < LONGEST:
        raise PlannerError(f"{show(value)} is not a positive number of seconds")
    return float(value)


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


def mapping(value: Any) -> Mapping[str, Any]:
    """A mapping, which JSON calls an object."""
    if not isinstance(value, Mapping):
        raise PlannerError(f"{show(value)} is not an object")
    return value


def stranger(entry: Iterable[Any], known: Collection[str]) -> Any | None:
    """The first field that does not exist, or None: a misspelt one would silently count as absent."""
    return next((key for key in entry if key not in known), None)


def unknown(word: Any, known: Iterable[str]) -> str:
    """The words for a name that nobody knows."""
    return f"{show(word)} is not known here{like(word, known)}"


def missing(key: str, place: str = "") -> PlannerError:
    """The refusal of an entry without a field that it needs."""
    return PlannerError(f"{at(place, key)}: is missing")


def at(place: str, key: str) -> str:
    """The place of a field, as messages name it."""
    return f"{place}.{key}" if place else key


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
    except PlannerError as error:
        raise PlannerError(f"{where}: {error}") from None
    except ValueError:
        raise PlannerError(f"{where}: a number of thousands of digits") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):  # JSON would take the last one, and the caller would never know
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise PlannerError(f"{show(twice)} stands twice in one object")
    return found


def field(entry: Mapping[str, Any], key: str, read: Callable[[Any], _Value], place: str = "") -> _Value:
    """This field of a JSON object as `read` understands it; it must be there."""
    if key not in entry:
        raise missing(key, place)
    try:
        return read(entry[key])
    except PlannerError as error:
        raise PlannerError(f"{at(place, key)}: {error}") from None


# -- several faults


class Faults:
    """Reads several things that do not depend on each other: what is wrong with each is told together.

    `with faults: ...` keeps the refusal of one of them; `tell` refuses if there was any.
    """

    def __init__(self) -> None:
        self._found: list[str] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> bool:
        if isinstance(error, PlannerError):
            self._found += error.faults
            return True
        return False

    def tell(self) -> None:
        """Refuse, if anything was wrong."""
        if self._found:
            raise PlannerError(*self._found)


# -- YAML


class Fields:
    """A mapping of a YAML file, read field by field: what is wrong is refused with the file and the line."""

    def __init__(self, path: Path, entry: Located) -> None:
        self.path, self.entry = path, entry

    @classmethod
    def of_file(cls, path: Path, what: str, holds: str, content: str | None = None) -> Fields:
        """The file's mapping, or that of its `content`; `what` it is and what it `holds` are for refusals."""
        document = load_yaml(path) if content is None else parse_yaml(content, path)
        if not isinstance(document, Located):
            raise PlannerError(f"{path}:1: {what} is a mapping {holds}")
        return cls(path, document)

    def __contains__(self, key: str) -> bool:
        return key in self.entry

    def refuse(self, why: str, key: str = "") -> PlannerError:
        """The refusal of this field, or of the whole."""
        return PlannerError(f"{self.path}:{self.entry.lines.get(key, self.entry.line)}: {why}")

    def check(self, known: Collection[str], needed: Iterable[str] = ()) -> None:
        """Refuse a field that does not exist, and one that is missing."""
        faults = Faults()
        for key in self.entry:
            with faults:
                if key not in known:
                    raise self.refuse(unknown(key, known), key)
        for key in needed:
            with faults:
                if key not in self.entry:
                    raise self.refuse(str(missing(key)))
        faults.tell()

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
