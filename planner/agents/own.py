"""A user's own agent: a class, named `module:Class`, or any program, named `cmd:` and its command line."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Final

from planner.errors import PlannerError
from planner.game import Agent
from planner.plugins import is_plugin, load_plugin, told

COMMAND: Final = "cmd:"


class AgentLostError(Exception):
    """Raised by an agent that stands for another one: it has lost, and the message is the reason."""


class AgentDiedError(AgentLostError):
    """Its process ended by itself, or was killed by somebody else."""

    def __init__(self, how: str) -> None:
        super().__init__(f"crash: its process ended ({how})")


def is_own(spec: str) -> bool:
    """Whether this names code that came from outside."""
    return spec.startswith(COMMAND) or is_plugin(spec)


def load_own(spec: str, folders: Sequence[str] = ()) -> type:
    """Import the class; `folders` are searched after all that Python knows."""
    found: type = load_plugin(spec, "agent", "class", type, folders)
    if not callable(getattr(found, "decide", None)):
        raise PlannerError(f"agent {spec!r}: {found.__name__} is not an agent: it has no decide()")
    return found


def make_own(spec: str, seed: int, folders: Sequence[str] = ()) -> Agent:
    """One of these agents: with the seed where its class takes a `seed`, otherwise without arguments."""
    found = load_own(spec, folders)
    try:
        agent: Agent = found(seed=seed) if _takes_seed(found) else found()
        named = isinstance(agent.name, str)
    except (Exception, SystemExit) as error:
        raise PlannerError(f"agent {spec!r}: cannot be made: {told(error)}") from error
    if not named:
        raise PlannerError(f"agent {spec!r}: its name is not a text")
    return agent


def _takes_seed(found: type) -> bool:
    try:
        return "seed" in inspect.signature(found).parameters
    except ValueError:  # a class written in C
        return False
