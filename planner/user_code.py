"""Import user code that is named `module:Name`: the class of an agent, or a game.

Importing a module runs its code. A module is therefore imported only if the user names it, on the command line or in
an experiment file: running someone else's experiment can run their code.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean

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
        raise PlannerError(f"{role} {spec!r}: {module_name} cannot be imported: {short_error(error)}") from error
    value = getattr(module, name, None)
    if not isinstance(value, required):
        known = [other for other, candidate in vars(module).items() if isinstance(candidate, required)]
        raise PlannerError(f"{role} {spec!r}: {module_name} has no {kind} {name}{did_you_mean(name, known)}")
    return value


def short_error(error: BaseException) -> str:
    """Return the type and message of an error in user code, as one line of at most 200 characters."""
    return " ".join(f"{type(error).__name__}: {error}".rstrip(": ").split())[:200]
