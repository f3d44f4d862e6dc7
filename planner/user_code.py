"""Import user code that is named `module:Name`: the class of an agent, or a game.

Importing a module runs its code. A module is therefore imported only if the user names it, on the command line or in
an experiment file: running someone else's experiment can run their code.
"""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean

_NOT_USER_FOLDERS: Final = (Path(__file__).parent, *map(Path, {sys.prefix, sys.base_prefix}))
_SPEC: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


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
