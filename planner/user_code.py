"""Import user code: `module:Name` is the class of an agent or a game, and a file has functions for the rules of a game.

Importing a module runs its code. A module is therefore imported only if the user names it, on the command line or in
an experiment file: running someone else's experiment can run their code.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean

_NOT_USER_FOLDERS: Final = (Path(__file__).parent, *map(Path, {sys.prefix, sys.base_prefix}))
_SPEC: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_MAX_LINES: Final = 200_000  # of one call; a count, and not a clock, gives the same match on every machine


class FunctionError(PlannerError):
    """A function of a user's file raised an error, did not return, or asked for something impossible."""


class _TooLongError(BaseException):
    """Raised inside a function that does not return; functions cannot catch it as an Exception."""


def names_user_code(spec: str) -> bool:
    """Return whether this has the form `module:Name`."""
    return _SPEC.fullmatch(spec) is not None


def load_user_code(spec: str, role: str, kind: str, required: type, folders: Sequence[str] = ()) -> Any:
    """Import what `module:Name` names; it must be of the type `required`.

    `folders` are searched after Python's own path. `role` (agent, game) and `kind` (class, object) are for messages.
    """
    module_name, _, name = spec.partition(":")
    sys.path.extend(folder for folder in folders if folder not in sys.path)
    importlib.invalidate_caches()  # the file may have been written after Python last read its folder
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise PlannerError(f"{role} {spec!r}: {module_name} cannot be imported: {located_error(error)}") from error
    value = getattr(module, name, None)
    if not isinstance(value, required):
        known = [other for other, candidate in vars(module).items() if isinstance(candidate, required)]
        raise PlannerError(f"{role} {spec!r}: {module_name} has no {kind} {name}{did_you_mean(name, known)}")
    return value


def run_file(path: Path) -> ModuleType:
    """Run a Python file as a module of its own, and return the module."""
    specification = importlib.util.spec_from_file_location(f"planner_game_{path.stem}", os.path.abspath(path))
    assert specification is not None
    module = importlib.util.module_from_spec(specification)
    tree = _StopChecks().visit(ast.parse(path.read_bytes(), os.path.abspath(path)))
    setattr(module, _CHECK_STOP, _check_stop)
    exec(compile(ast.fix_missing_locations(tree), os.path.abspath(path), "exec"), vars(module))
    return module


class _StopChecks(ast.NodeTransformer):
    """Adds a check to functions, loops and handlers, so that code which catches `_TooLongError` still ends.

    Python stops tracing once the trace function has raised an error; code that catches the error is not traced any
    more.
    """

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.For | ast.While | ast.ExceptHandler):
            node.body.insert(0, self._check(node))
        elif isinstance(node, ast.Try | ast.TryStar) and node.finalbody:
            node.finalbody.insert(0, self._check(node.finalbody[0]))
        return node

    @staticmethod
    def _check(node: ast.AST) -> ast.stmt:
        call = ast.Call(ast.Name(_CHECK_STOP, ast.Load()), [], [])
        check = ast.Expr(call)
        for part in ast.walk(check):
            ast.copy_location(part, node)
        return check


_CHECK_STOP: Final = "__planner_check_stop__"


class _Limit:
    is_exceeded = False  # by the function that runs


def _check_stop() -> None:
    if _Limit.is_exceeded:
        raise _TooLongError


def import_file(path: Path) -> ModuleType:
    """Run a Python file; errors name the file and the line."""
    try:
        return run_file(path)
    except PlannerError as error:
        raise PlannerError(f"{path}:{_line_in(path, error)}: {error}") from error
    except SyntaxError as error:
        raise PlannerError(f"{path}:{error.lineno}: {error.msg}") from None
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror or error}") from None
    except (Exception, SystemExit) as error:
        raise PlannerError(f"{path}:{_line_in(path, error)}: {short_error(error)}") from error


@contextmanager
def guarded(path: str, name: str) -> Iterator[None]:
    """Turn whatever goes wrong in a function of this file into a `FunctionError` that names the file and the line."""
    lines, outer = 0, _Limit.is_exceeded
    code_path = os.path.abspath(path)  # the import system uses the absolute path

    def count(frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal lines
        if frame.f_code.co_filename != code_path:
            return None
        if event == "line":
            lines += 1
            if lines > _MAX_LINES:
                _Limit.is_exceeded = True
                raise _TooLongError
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
        _check_stop()  # the function may have caught the first error
    except _TooLongError:
        raise FunctionError(f"{path}: {name} does not return within {_MAX_LINES:,} lines") from None
    except FunctionError:  # of a function that this one caused: it names its place already
        raise
    except (Exception, SystemExit) as error:
        message = str(error) if isinstance(error, PlannerError) else short_error(error)
        line = _line_in(Path(code_path), error)
        raise FunctionError(f"{path}{f':{line}' if line else ''}: {name}: {message}") from error
    finally:
        _Limit.is_exceeded = outer
        sys.settrace(before)


def _line_in(path: Path, error: BaseException) -> int:
    """Return the last line of this file that the error passed, or 0."""
    line, trace, code_path = 0, error.__traceback__, os.path.abspath(path)
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == code_path:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def short_error(error: BaseException) -> str:
    """Return the type and message of an error, as one line of at most 200 characters."""
    return " ".join(f"{type(error).__name__}: {error}".rstrip(": ").split())[:200]


def located_error(error: BaseException) -> str:
    """Return `short_error` with the line of the user's code that caused it, such as `(bot.py:7)`."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_user_file(frame.filename)]
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{short_error(error)}{place}"


def _is_user_file(filename: str) -> bool:
    """Return whether a file is neither part of this package nor of Python and what is installed for it."""
    path = Path(filename)
    return path.is_file() and not any(path.is_relative_to(folder) for folder in _NOT_USER_FOLDERS)
