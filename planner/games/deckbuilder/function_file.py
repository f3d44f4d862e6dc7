"""The function file of a game: Python for the few cards that the vocabulary of effects does not reach.

The names of the functions are read without running the file. The file is imported when a function is called for the
first time, or by `planner check`. `functions` has what the functions can do.
"""

from __future__ import annotations

import ast
from collections.abc import Coroutine, Generator, Mapping, Sequence
from inspect import isfunction, signature
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.formats.documents import read_text
from planner.formats.values import ErrorCollector
from planner.user_code import guarded, import_file, run_file

GAME_OVER: Final = "game_over"  # the function that ends a match


class FunctionFile:
    """The functions of a game, by name; imported when they are first called."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            tree = ast.parse(read_text(path), str(path))
        except SyntaxError as error:
            raise PlannerError(f"{path}:{error.lineno}: {error.msg}") from None
        except ValueError as error:
            raise PlannerError(f"{path}: {error}") from None
        self._lines = {
            node.name: node.lineno
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        }
        self.names = tuple(self._lines)
        self._module: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return FunctionFile, (self.path,)

    def call(self, name: str, *arguments: Any) -> bool | None:
        """Call a function; whatever goes wrong in it becomes a `FunctionError` that names the file and the line."""
        with guarded(str(self.path), name):
            if self._module is None:
                self._module = run_file(self.path)
            result = getattr(self._module, name)(*arguments)
            if isinstance(result, Generator | Coroutine):
                raise PlannerError("must not use yield or async; ask with game.ask, and the function is called again")
            if not isinstance(result, bool | None):
                raise PlannerError(f"must return True, False or nothing, got {quote(result)}")
            return result

    def check(self, parameters: Mapping[str, Sequence[str]]) -> None:
        """Import the file; each of these functions must take its parameters, under any names."""
        self._module = import_file(self.path)
        errors = ErrorCollector()
        for name, expected in parameters.items():
            function = getattr(self._module, name, None)
            with errors:
                try:
                    signature(function).bind(*expected)  # type: ignore[arg-type]
                except (TypeError, ValueError):
                    got = str(signature(function)) if isfunction(function) else quote(function)
                    message = f"{name}: must be a function of ({', '.join(expected)}), got {got}"
                    raise PlannerError(f"{self.path}:{self._lines[name]}: {message}") from None
        errors.raise_if_any()
