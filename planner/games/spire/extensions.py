"""A designer's Python file that adds words and definitions to the battles.

The file is imported only if its path is named on the command line or in an experiment, as `./thorns.py`: a state or a
log cannot name code. Its functions run under a limit, and their errors name the file and the line.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from planner.errors import PlannerError, quote
from planner.games.spire.built_in_words import BUILT_IN
from planner.games.spire.vocabulary import Returns, Vocabulary
from planner.user_code import FunctionError, guarded, import_file

_Function = TypeVar("_Function", bound=Callable[..., Any])
_SECTIONS = ("statuses", "cards", "enemies", "scenarios")


class Extension(Vocabulary):
    """The words of the game and those of a designer's file, with the definitions that use them."""

    def __init__(self) -> None:
        super().__init__(BUILT_IN)
        self.definitions: dict[str, dict[str, Any]] = {}  # as in a YAML file
        self.scenarios: dict[str, Any] = {}

    def guard(self, name: str, function: _Function, returns: Returns) -> _Function:
        """Return a function whose errors and wrong results name the file, and that ends if it runs for too long."""
        from planner.games.spire import battle_checks  # noqa: PLC0415  (imports this module)

        path, line = function.__code__.co_filename, function.__code__.co_firstlineno

        @functools.wraps(function)
        def call(battle: Any, *arguments: Any, **fields: Any) -> Any:
            if returns == "text":  # of its words, and not of a battle
                with guarded(path, name):
                    result = function(battle, *arguments)
                with _located(path, line, name):
                    return battle_checks.check_text(result)
            before = battle_checks.snapshot(battle, returns)
            with guarded(path, name):
                result = function(battle, *arguments, **fields)
            with _located(path, line, name):
                return battle_checks.check_call(before, battle, arguments, result, returns)

        return call  # type: ignore[return-value]

    def define(self, **sections: Mapping[str, Any]) -> None:
        """Add definitions in the form of a YAML file: `statuses`, `cards`, `enemies`, and `scenarios` by name."""
        for section, entries in sections.items():
            if section not in _SECTIONS:
                raise PlannerError(f"define: {quote(section)} is not one of {', '.join(_SECTIONS)}")
            if not isinstance(entries, Mapping):
                raise PlannerError(f"define: {section}: {quote(entries)} is not a mapping of names")
            into = self.scenarios if section == "scenarios" else self.definitions.setdefault(section, {})
            for name, entry in _as_data(entries, f"define: {section}").items():
                if name in into:
                    raise PlannerError(f"define: {section}: {name}: duplicate name")
                into[name] = entry


def _as_data(value: Any, place: str) -> Any:
    """Return a copy of a definition as a YAML file could have it; a tuple counts as a list."""
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise PlannerError(f"{place}: {quote(key)} is not a name; it must be text")
        return {key: _as_data(item, f"{place}: {key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_as_data(item, f"{place}[{index}]") for index, item in enumerate(value)]
    if value is None or isinstance(value, str | bool | int):
        return value
    raise PlannerError(f"{place}: {quote(value)} is not an integer, a text, true, false, a list or a mapping")


@contextmanager
def _located(path: str, line: int, name: str) -> Iterator[None]:
    """Give an error of a check the place of the function that caused it."""
    try:
        yield
    except PlannerError as error:
        raise FunctionError(f"{path}:{line}: {name}: {error}") from None


@cache
def load_extension(path: str) -> Extension:
    """Import the file with this absolute path and return its extension."""
    module = import_file(Path(path))
    extensions = [value for value in vars(module).values() if isinstance(value, Extension)]
    if len(extensions) != 1:
        hint = "" if extensions else f"; an agent is named by its class, such as {Path(path).stem}:Bot"
        raise PlannerError(f"{path}: must contain one Extension, got {len(extensions)}{hint}")
    return extensions[0]
