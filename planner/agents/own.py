"""A user's own class as an agent, named `module:Class`.

Importing a module runs its code. So a module is imported only because somebody named it on purpose, on the command
line or in an experiment file: an experiment from a stranger is a program from a stranger.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Sequence
from typing import Final

from planner.agents.base import Agent
from planner.files import PlannerError, nearest

_SPEC: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def is_own(spec: str) -> bool:
    """Whether this names somebody's own class."""
    return _SPEC.fullmatch(spec) is not None


def load_own(spec: str, folders: Sequence[str] = ()) -> type:
    """Import the class; `folders` are searched after all that Python knows."""
    module_name, _, class_name = spec.partition(":")
    sys.path.extend(folder for folder in folders if folder not in sys.path)
    importlib.invalidate_caches()  # the file may be younger than the last look into its folder
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        raise PlannerError(f"agent {spec!r}: {module_name} cannot be imported: {_words(error)}") from error
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        classes = [name for name, value in vars(module).items() if isinstance(value, type)]
        raise PlannerError(f"agent {spec!r}: {module_name} has no class {class_name}{nearest(class_name, classes)}")
    for method in ("decide", "mulligan"):
        if not callable(getattr(found, method, None)):
            raise PlannerError(f"agent {spec!r}: {class_name} is not an agent: it has no {method}()")
    return found


def make_own(spec: str, seed: int, folders: Sequence[str] = ()) -> Agent:
    """One of these agents: with the seed where its class takes a `seed`, otherwise without arguments."""
    found = load_own(spec, folders)
    try:
        agent: Agent = found(seed=seed) if _takes_seed(found) else found()
        named = isinstance(agent.name, str)
    except (Exception, SystemExit) as error:
        raise PlannerError(f"agent {spec!r}: cannot be made: {_words(error)}") from error
    if not named:
        raise PlannerError(f"agent {spec!r}: its name is not a text")
    return agent


def _takes_seed(found: type) -> bool:
    try:
        return "seed" in inspect.signature(found).parameters
    except ValueError:  # a class written in C
        return False


def _words(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".rstrip(": ").split())[:200]
