"""The function file of a game: Python for the few cards that the vocabulary of effects does not reach.

The names of the functions are read without running the file. The file is imported when a function is called for the
first time. `functions` has what the functions can do.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

from planner.errors import PlannerError
from planner.formats.documents import read_text
from planner.user_code import short_error

_MAX_LINES: Final = 200_000  # of one call; a count, and not a clock, gives the same match on every machine


class FunctionError(PlannerError):
    """A function raised an error, did not return, or asked for something impossible."""


class _TooLongError(BaseException):
    """Raised inside a function that does not return; functions cannot catch it as an Exception."""


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

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function; whatever goes wrong in it becomes a `FunctionError` that names the file and the line."""
        with self._errors(name):
            if self._module is None:
                specification = importlib.util.spec_from_file_location(
                    f"planner_game_{self.path.stem}", os.path.abspath(self.path)
                )
                assert specification is not None
                assert specification.loader is not None
                module = importlib.util.module_from_spec(specification)
                specification.loader.exec_module(module)
                self._module = module
            return getattr(self._module, name)(*arguments)

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        lines = 0
        where, code_path = str(self.path), os.path.abspath(self.path)  # the import system uses the absolute path

        def count(frame: FrameType, event: str, _argument: Any) -> Any:
            nonlocal lines
            if frame.f_code.co_filename != code_path:
                return None
            if event == "line":
                lines += 1
                if lines > _MAX_LINES:
                    raise _TooLongError
            return count

        before = sys.gettrace()
        sys.settrace(count)
        try:
            yield
        except _TooLongError:
            raise FunctionError(f"{where}: {name} does not return within {_MAX_LINES:,} lines") from None
        except (Exception, SystemExit) as error:
            line, trace = 0, error.__traceback__
            while trace is not None:
                if trace.tb_frame.f_code.co_filename == code_path:
                    line = trace.tb_lineno
                trace = trace.tb_next
            message = str(error) if isinstance(error, PlannerError) else short_error(error)
            raise FunctionError(f"{where}:{line}: {name}: {message}") from error
        finally:
            sys.settrace(before)
