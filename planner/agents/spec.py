"""How to make an agent, as a value: experiments carry it to other processes and other machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from planner.agents.base import Agent
from planner.agents.own import is_own, make_own
from planner.agents.planning import PlannerAgent
from planner.agents.registry import AGENTS, agent_names
from planner.files import PlannerError, nearest
from planner.games.hearthstone.turn.plan import plan_turn
from planner.games.hearthstone.turn.weights import Weights, profile_names

# The smallest turn there is: a solver that cannot be used says so here, before the first match.
_EASY = {"mana": 0, "me": {"hero": {"health": 1}}, "enemy": {"hero": {"health": 1}}}


@dataclass(frozen=True)
class AgentSpec:
    """A planner (then it has weights), one of the baselines, or a user's own class."""

    agent: str  # the profile's name, the baseline's name, or module:Class
    weights: Weights | None = None
    solver: str = "auto"
    formulation: str = "exact"
    time_limit: float | None = None
    effort: int | None = None

    @property
    def own(self) -> bool:
        """Is it code that came from outside?"""
        return self.weights is None and self.agent not in AGENTS

    def make(self, seed: int, folders: Sequence[str] = ()) -> Agent:
        """A new agent; the same seed decides the same."""
        if self.weights is not None:
            return PlannerAgent(self.weights, self.solver, self.formulation, self.time_limit, self.effort)
        if self.agent in AGENTS:
            return AGENTS[self.agent](Random(seed))
        return make_own(self.agent, seed, folders)

    def check(self) -> None:
        """Refuse what could not plan a single turn: an unknown formulation, a solver that is not installed."""
        if self.weights is not None:
            plan_turn(_EASY, self.weights, self.solver, self.formulation, self.time_limit, effort=self.effort)


def agent_spec(agent: str, **options: Any) -> AgentSpec:
    """The agent of this name: a baseline, `module:Class`, a weight profile or its YAML file with planner options."""
    if agent in profile_names() or agent.endswith((".yaml", ".yml")):
        weights = Weights.of(agent)
        return AgentSpec(weights.name, weights, **options)
    if options:
        raise PlannerError(f"{agent!r} is not a planner: it has no {', '.join(options)}")
    if agent in AGENTS or is_own(agent):
        return AgentSpec(agent)
    known = agent_names()
    hint = nearest(agent, known) or f"; there are {', '.join(known)}, or module:Class"
    raise PlannerError(f"{agent!r} is not an agent{hint}")
