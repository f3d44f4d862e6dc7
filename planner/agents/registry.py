"""Agents by name, for the command line, experiments and matches."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from planner.agents.base import Agent
from planner.agents.greedy import GreedyAgent
from planner.agents.random_agent import RandomAgent
from planner.files import PlannerError, nearest

# One line for each agent: from a generator of its own, so that a seed decides all that it does.
AGENTS: Final[dict[str, Callable[[Random], Agent]]] = {
    "greedy": GreedyAgent,
    "random": RandomAgent,
}


def agent_names() -> list[str]:
    """What `make_agent` knows."""
    return sorted(AGENTS)


def make_agent(spec: str, seed: int) -> Agent:
    """The agent of this name; the same seed makes one that decides the same."""
    try:
        maker = AGENTS[spec]
    except KeyError:
        known = agent_names()
        hint = nearest(spec, known) or f"; there are {', '.join(known)}"
        raise PlannerError(f"{spec!r} is not an agent{hint}") from None
    return maker(Random(seed))
