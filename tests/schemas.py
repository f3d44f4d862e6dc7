"""Reader and schema of a JSON form, held together: the same odd values at the same places, both asked."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema_rs

from planner.errors import PlannerError

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 5000, -(10**6), 10**6, 10**6 + 1, 10**19, 0.5, 1e300, "", "x", "taunt", "mage",
    "x" * 1001, [], [1], ["x"], [None], [[]], {}, {"x": 1}, {"name": "x"},
)  # fmt: skip


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a document, the whole first."""
    yield path
    if isinstance(value, dict):
        for key, part in value.items():
            yield from places(part, (*path, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from places(part, (*path, number))


def replaced(document: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The document with this value at this place."""
    if not path:
        return value
    found = copy.deepcopy(document)
    holder = found
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    return found


def removed(document: Any, path: tuple[str | int, ...]) -> Any:
    """The document without what stands at this place."""
    found = copy.deepcopy(document)
    holder = found
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return found


def disagreements(
    document: Any, read: Callable[[Any], Any], schema: dict[str, Any], beyond: str, free: str = r"(?!)"
) -> list[str]:
    """Where reader and schema judge a changed document differently.

    `beyond` matches refusals of what no schema says, such as a duplicate id; `free` places that the schema leaves
    to the reader.
    """
    validator, found = jsonschema_rs.validator_for(schema), []

    def judge(changed: Any, what: str) -> None:
        try:
            refused = read(changed) and ""
        except PlannerError as error:
            refused = str(error)
        valid = validator.is_valid(changed)
        if not refused and not valid:
            found.append(f"{what}: read, but not in the schema")
        if refused and valid and not re.search(beyond, refused):
            found.append(f"{what}: in the schema, but {refused}")

    judge(document, "the document itself")
    for path in places(document):
        name = ".".join(map(str, path))
        if re.search(free, name):
            continue
        for odd in ODD:
            judge(replaced(document, path, odd), f"{name} = {odd!r}")
        if path:
            judge(removed(document, path), f"without {name}")
        if isinstance(at(document, path), dict):
            judge(replaced(document, (*path, "unheard_of"), 1), f"{name}.unheard_of")
    return found


def at(document: Any, path: tuple[str | int, ...]) -> Any:
    """What stands at this place."""
    for key in path:
        document = document[key]
    return document
