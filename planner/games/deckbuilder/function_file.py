"""The function file of a game: Python for the few cards that the vocabulary of effects does not reach.

The names of the functions are read without running the file. The file is imported when a function is called for the
first time. `functions` has what the functions can do.
"""

from __future__ import annotations

import ast
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Any

from planner.errors import PlannerError, quote
from planner.formats.documents import read_text
from planner.user_code import guarded, run_file


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
        self.names = tuple(
            node.name for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
        )
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
