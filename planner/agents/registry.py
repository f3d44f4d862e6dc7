"""Agents by name, for the command line, experiments and matches."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Final

from planner.agents.base import Agent
from planner.agents.own import is_own, make_own
from planner.agents.planning import PlannerAgent
from planner.agents.random_agent import RandomAgent
from planner.files import PlannerError, nearest
from planner.games.hearthstone.greedy import GreedyAgent
from planner.games.hearthstone.turn.weights import profile_names

# One line for each agent: from a generator of its own, so that a seed decides all that it does.
AGENTS: Final[dict[str, Callable[[Random], Agent]]] = {
    "greedy": GreedyAgent,
    "random": RandomAgent,
}


def agent_names() -> list[str]:
    """What `make_agent` knows: the baselines, and a planner for each weight profile."""
    return [*sorted(AGENTS), *profile_names()]


def make_agent(spec: str, seed: int) -> Agent:
    """The agent of this name, the planner with this weight profile, or the user's own `module:Class`.

    The same seed decides the same. A class of one's own runs in this very process: a tournament keeps it apart.
    """
    if spec in AGENTS:
        return AGENTS[spec](Random(seed))
    if spec in profile_names() or spec.endswith((".yaml", ".yml")):
        return PlannerAgent(spec)
    if is_own(spec):
        return make_own(spec, seed, [os.getcwd()])
    known = agent_names()
    hint = nearest(spec, known) or f"; there are {', '.join(known)}, or module:Class"
    raise PlannerError(f"{spec!r} is not an agent{hint}")
