"""Compare a reader with its JSON schema: both get the same odd values at the same paths."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs

from planner.errors import PlannerError

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 5000, -(10**6), 10**6, 10**6 + 1, 10**19, 0.5, 1e300, "", "x", "taunt", "mage",
    "x" * 1001, [], [1], ["x"], [None], [[]], {}, {"x": 1}, {"name": "x"},
)  # fmt: skip


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the path of every value in a document, the document itself first."""
    yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*path, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from places(part, (*path, number))


def replaced(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """Return the document with this value at this path."""
    if not path:
        return value
    result = copy.deepcopy(document)
    at(result, path[:-1])[path[-1]] = value
    return result


def removed(document: Any, path: tuple[str | int, ...]) -> Any:
    """Return the document without the value at this path."""
    result = copy.deepcopy(document)
    del at(result, path[:-1])[path[-1]]
    return result


def disagreements(
    document: Any, read: Callable[[Any], Any], schema: dict[str, Any], only_reader: str, free: str = r"(?!)"
) -> list[str]:
    """Return the changes of a document that reader and schema judge differently.

    `only_reader` matches errors that a schema cannot express, such as a duplicate id; `free` matches paths that the
    schema leaves to the reader.
    """
    validator, differences = jsonschema_rs.validator_for(schema), []

    def judge(changed: Any, what: str) -> None:
        try:
            problem = read(changed) and ""
        except PlannerError as error:
            problem = str(error)
        valid = validator.is_valid(changed)
        if not problem and not valid:
            differences.append(f"{what}: the reader accepts it, the schema does not")
        if problem and valid and not re.search(only_reader, problem):
            differences.append(f"{what}: the schema accepts it, the reader does not: {problem}")

    judge(document, "the document itself")
    for path in places(document):
        name = ".".join(map(str, path))
        if re.search(free, name):
            continue
        for odd in ODD_VALUES:
            judge(replaced(document, path, odd), f"{name} = {odd!r}")
        if path:
            judge(removed(document, path), f"without {name}")
        if isinstance(at(document, path), dict):
            judge(replaced(document, (*path, "unheard_of"), 1), f"{name}.unheard_of")
    return differences


def at(document: Any, path: tuple[str | int, ...]) -> Any:
    """Return the value at this path."""
    for key in path:
        document = document[key]
    return document
