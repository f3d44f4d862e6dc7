"""A designer's Python file that adds words and definitions to the battles.

The file is imported only if its path is named on the command line or in an experiment, as `./thorns.py`: a state or a
log cannot name code. Its functions run under a limit, and their errors name the file and the line.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from planner.errors import PlannerError, quote
from planner.games.spire.built_in_words import BUILT_IN
from planner.games.spire.vocabulary import Vocabulary
from planner.user_code import guarded, import_file

_Function = TypeVar("_Function", bound=Callable[..., Any])
_SECTIONS = ("statuses", "cards", "enemies", "scenarios")


class Extension(Vocabulary):
    """The words of the game and those of a designer's file, with the definitions that use them."""

    def __init__(self) -> None:
        super().__init__(BUILT_IN)
        self.definitions: dict[str, dict[str, Any]] = {}  # as in a YAML file
        self.scenarios: dict[str, Any] = {}

    def guard(self, name: str, function: _Function) -> _Function:
        """Return a function whose errors name the file, and that ends if it runs for too long."""
        path = function.__code__.co_filename

        @functools.wraps(function)
        def call(*arguments: Any, **fields: Any) -> Any:
            with guarded(path, name):
                return function(*arguments, **fields)

        return call  # type: ignore[return-value]

    def define(self, **sections: Mapping[str, Any]) -> None:
        """Add definitions in the form of a YAML file: `statuses`, `cards`, `enemies`, and `scenarios` by name."""
        for section, entries in sections.items():
            if section not in _SECTIONS:
                raise PlannerError(f"define: {quote(section)} is not one of {', '.join(_SECTIONS)}")
            if not isinstance(entries, Mapping):
                raise PlannerError(f"define: {section}: {quote(entries)} is not a mapping of names")
            into = self.scenarios if section == "scenarios" else self.definitions.setdefault(section, {})
            into.update(entries)


@cache
def load_extension(path: str) -> Extension:
    """Import the file with this absolute path and return its extension."""
    module = import_file(Path(path))
    extensions = [value for value in vars(module).values() if isinstance(value, Extension)]
    if len(extensions) != 1:
        raise PlannerError(f"{path}: must contain one Extension, got {len(extensions)}")
    return extensions[0]
