"""Import user code: `module:Name` is the class of an agent or a game, and a file has functions for the rules of a game.

Importing a module runs its code. A module is therefore imported only if the user names it, on the command line or in
an experiment file: running someone else's experiment can run their code.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import os
import re
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean

_NOT_USER_FOLDERS: Final = (Path(__file__).parent, *map(Path, {sys.prefix, sys.base_prefix}))
_SPEC: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_BEGIN_BLOCK: Final = "__begin_block__"
_FILE_NUMBERS: Final = itertools.count(1)
_MAX_LINES: Final = 200_000  # of one call; a count, and not a clock, gives the same match on every machine


class FunctionError(PlannerError):
    """A function of a user's file raised an error, did not return, or asked for something impossible."""


class _TooLongError(BaseException):
    """Raised inside a function that does not return; functions cannot catch it as an Exception."""


class _LineCount(threading.local):
    """The lines that the outermost guarded call of this thread has run."""

    lines = 0
    lines_at_block = 0  # when the last loop or handler began
    trace: Any = None  # the trace function of the innermost guarded call; None outside of all

    def add(self) -> None:
        """Count a line; raise if there are too many."""
        self.lines += 1
        self._check()

    def _check(self) -> None:
        if self.lines > _MAX_LINES and self.trace is not None:
            raise _TooLongError

    def begin_block(self) -> None:
        """Begin a loop or handler. Python removes a trace function that raised, also by too deep a recursion."""
        if self.trace is not None:
            sys.settrace(self.trace)
        if self.lines == self.lines_at_block:  # no line was traced since then
            self.lines += 1
        self.lines_at_block = self.lines
        self._check()


_COUNT: Final = _LineCount()


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
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # such as SystemExit
        raise PlannerError(f"{role} {spec!r}: {module_name} cannot be imported: {located_error(error)}") from error
    value = getattr(module, name, None)
    if not isinstance(value, required):
        known = [other for other, candidate in vars(module).items() if isinstance(candidate, required)]
        raise PlannerError(f"{role} {spec!r}: {module_name} has no {kind} {name}{did_you_mean(name, known)}")
    return value


def run_file(path: Path) -> ModuleType:
    """Run a Python file as a module of its own, and return the module.

    Its top level has a limit of its own, so that the first call of a function has the same limit as all others.
    """
    absolute = os.path.abspath(path)
    module = ModuleType(f"_planner_file_{next(_FILE_NUMBERS)}")
    module.__file__ = absolute
    vars(module)[_BEGIN_BLOCK] = _COUNT.begin_block
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), absolute)
    code = compile(_LimitedBlocks().visit(tree), absolute, "exec", dont_inherit=True)
    sys.modules[module.__name__] = module  # where dataclasses look for the names in annotations
    try:
        with _limited(absolute, is_import=True):
            exec(code, vars(module))
    except BaseException as error:
        del sys.modules[module.__name__]
        if isinstance(error, _TooLongError):
            raise FunctionError(f"{path}: import does not return within {_MAX_LINES:,} lines") from None
        raise
    return module


class _LimitedBlocks(ast.NodeTransformer):
    """Makes every loop, `except` and `finally` begin with a check of the limit.

    A bare `except` would catch the error of the limit, and Python does not trace a loop such as `while True: pass`.
    """

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Add the check to the blocks of this statement, and visit the statements in it."""
        super().generic_visit(node)
        blocks: list[list[ast.stmt]] = []
        if isinstance(node, ast.While | ast.For | ast.ExceptHandler):
            blocks = [node.body]
        elif isinstance(node, ast.Try | ast.TryStar) and node.finalbody:
            blocks = [node.finalbody]
        for block in blocks:
            call = ast.Expr(ast.Call(ast.Name(_BEGIN_BLOCK, ast.Load()), [], []))
            block.insert(0, ast.fix_missing_locations(ast.copy_location(call, block[0])))
        return node


def import_file(path: Path) -> ModuleType:
    """Run a Python file; errors name the file and the line."""
    try:
        return run_file(path)
    except FunctionError:
        raise
    except PlannerError as error:
        raise PlannerError(f"{path}:{_line_in(path, error)}: {error}") from error
    except SyntaxError as error:
        raise PlannerError(f"{path}:{error.lineno or 1}: {error.msg}") from None
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror or error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # such as SystemExit
        raise PlannerError(f"{path}:{_line_in(path, error) or 1}: {short_error(error)}") from error


@contextmanager
def guarded(path: str, name: str) -> Iterator[None]:
    """Turn whatever goes wrong in a function of this file into a `FunctionError` that names the file and the line."""
    code_path = os.path.abspath(path)
    try:
        with _limited(code_path):
            yield
    except _TooLongError:
        raise FunctionError(f"{path}: {name} does not return within {_MAX_LINES:,} lines") from None
    except BaseException as error:
        if _passes(error):
            raise
        message = str(error) if isinstance(error, PlannerError) else short_error(error)
        line = _line_in(Path(code_path), error)
        raise FunctionError(f"{path}{f':{line}' if line else ''}: {name}: {message}") from error


@contextmanager
def _limited(code_path: str, is_import: bool = False) -> Iterator[None]:
    """Raise `_TooLongError` if user code runs too many lines; a call inside another shares its limit."""
    count = _COUNT

    def trace(frame: FrameType, event: str, _argument: Any) -> Any:
        filename = frame.f_code.co_filename
        if filename != code_path and not _is_user_file(filename):
            return None
        if event in ("line", "call"):  # each step of a generator is a call
            count.add()
        return trace

    before, outer = sys.gettrace(), count.trace
    lines_before = count.lines, count.lines_at_block
    if outer is None or is_import:
        count.lines = count.lines_at_block = 0
    count.trace = trace
    sys.settrace(trace)
    error: BaseException | None = None
    try:
        yield
    except BaseException as caught:
        error = caught
    finally:
        sys.settrace(before)
        count.trace = outer
    is_too_long = count.lines > _MAX_LINES
    if is_import:
        count.lines, count.lines_at_block = lines_before
    if is_too_long and (error is None or not _passes(error)):  # even if the code caught the error
        raise _TooLongError
    if error is not None:
        raise error


def _passes(error: BaseException) -> bool:
    """Return whether an error goes on as it is: it has a place, or comes from the user or from the rules of a game."""
    if isinstance(error, FunctionError | KeyboardInterrupt | GeneratorExit):
        return True
    is_error = isinstance(error, Exception | SystemExit | _TooLongError)
    return not is_error and type(error).__module__.startswith("planner.")  # such as to try every outcome of chance


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


@cache
def _is_user_file(filename: str) -> bool:
    """Return whether a file is neither part of this package nor of Python and what is installed for it."""
    path = Path(filename)
    return path.is_file() and not any(path.is_relative_to(folder) for folder in _NOT_USER_FOLDERS)
