"""A user's own code, named `module:Name`: an agent's class, or a game.

Importing a module runs its code. So a module is imported only because somebody named it on purpose, on the command
line or in an experiment file: an experiment from a stranger is a program from a stranger.
"""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean

_SPEC: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def is_plugin(spec: str) -> bool:
    """Whether this names something of somebody's own."""
    return _SPEC.fullmatch(spec) is not None


def load_plugin(spec: str, what: str, kind: str, wanted: type, folders: Sequence[str] = ()) -> Any:
    """Import what `module:Name` names, which must be of the type `wanted`; `folders` are searched last of all.

    `what` it is for and of which `kind` a name should be are for refusals.
    """
    module_name, _, name = spec.partition(":")
    sys.path.extend(folder for folder in folders if folder not in sys.path)
    importlib.invalidate_caches()  # the file may be younger than the last look into its folder
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise PlannerError(f"{what} {spec!r}: {module_name} cannot be imported: {told(error)}") from error
    found = getattr(module, name, None)
    if not isinstance(found, wanted):
        known = [other for other, value in vars(module).items() if isinstance(value, wanted)]
        raise PlannerError(f"{what} {spec!r}: {module_name} has no {kind} {name}{did_you_mean(name, known)}")
    return found


def told(error: BaseException) -> str:
    """Somebody else's error in one short line."""
    return " ".join(f"{type(error).__name__}: {error}".rstrip(": ").split())[:200]
