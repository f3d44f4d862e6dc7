"""Find every problem of a document with a reader that stops at the first one.

The reader of states is made for speed and raises its first error. `read_all` repairs what the error names, by removing
a wrong value or filling in a missing one, and reads again, so that a user sees every mistake at once with its line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, Final, TypeVar

from planner.errors import PlannerError, quote
from planner.formats.documents import YamlList, YamlMapping

_MAX_REPAIRS: Final = 200
_PLACE: Final = re.compile(r"(\w+(?:\[\d+\])*(?:\.\w+(?:\[\d+\])*)*): ")  # me.board[2].health
_STEP: Final = re.compile(r"\w+|\[\d+\]")
_UNKNOWN: Final = re.compile(r"""unknown field ('[^']*'|"[^"]*")""")
_FILLER: Final = 1  # valid for most required fields, which are numbers
_Value = TypeVar("_Value")


def read_all(read: Callable[[Any], _Value], document: Any, path: Path, root: str) -> _Value:
    """Return what `read` makes of a document, or raise one error with every problem, each with its line.

    `root` is what the reader calls the whole document in its errors.
    """
    # Aliases stay shared: expanded, those of a small file can have billions of items.
    document, problems, repaired = deepcopy(document), [], set[str]()
    for _ in range(_MAX_REPAIRS):
        try:
            value = read(document)
        except PlannerError as error:
            problem = _Problem(document, str(error), root)
            if not {problem.place, problem.place.rpartition(".")[0]} & repaired:  # else a result of the repair
                problems.append(f"{path}:{problem.line}: {error}")
            if not problem.repair(repaired):
                break
        else:
            if not problems:
                return value
            break
    raise PlannerError(*problems)


class _Problem:
    """An error of the reader, and the last container of the document on the way to its place."""

    def __init__(self, document: Any, message: str, root: str) -> None:
        match = _PLACE.match(message)
        self.place = "" if match is None else match[1]
        unknown = None if match is None else _UNKNOWN.match(message, match.end())
        self.is_unknown_field = unknown is not None
        steps = [] if self.place == root else _STEP.findall(self.place)
        self.line: int = getattr(document, "line", 1)
        self.container: Any = None
        self.key: Any = None
        self.item = self.place  # of the container's item, which may be shorter where the reader expects an object
        value: Any = document
        for index, step in enumerate([*steps, *([unknown[1]] if unknown is not None else [])]):
            key: Any = int(step[1:-1]) if step.startswith("[") else step
            if step[0] in "'\"" and isinstance(value, YamlMapping):  # quoted, and shortened where it is long
                key = next((name for name in value if quote(name) == step), step)
            if not isinstance(value, YamlMapping | YamlList):
                self.item = "".join(part if part.startswith("[") else f".{part}" for part in steps[:index])[1:]
                break
            self.container, self.key = value, key
            if (key not in value) if isinstance(value, YamlMapping) else (key >= len(value)):
                break
            self.line = value.lines[key]
            value = value[key]

    def repair(self, repaired: set[str]) -> bool:
        """Remove the wrong value, or fill in the missing one; return False where neither is possible."""
        container, key = self.container, self.key
        if container is None:
            return False
        if self.is_unknown_field:
            if key not in container:
                return False
            del container[key]
            return True
        is_first = self.place not in repaired
        repaired |= {self.place, self.item}
        if isinstance(container, YamlMapping) and key in container and is_first:
            del container[key]
        elif isinstance(container, YamlMapping) and key not in container:
            container[key] = _FILLER
            container.lines = {**container.lines, key: self.line}
        else:
            if container[key] == YamlMapping():
                return False
            container[key] = YamlMapping()
            container[key].lines, container[key].line = {}, self.line
        return True
