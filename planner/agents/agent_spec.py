"""Agents by name, and `AgentSpec`: how to make an agent, as a value that can be sent to other processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Final

from planner.agents.planner_agent import PlannerAgent
from planner.agents.user_agents import COMMAND, CommandAgent, is_own, make_own, words_of
from planner.errors import PlannerError, did_you_mean, quote
from planner.game import Agent, AnyGame, HasPrompts
from planner.games import DEFAULT, load_game
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import PlanOptions
from planner.planning.weights import Profile


class RandomAgent:
    """Any legal action, each as likely as the others."""

    name = "random"

    def __init__(self, game: AnyGame, rng: Random) -> None:
        self._legal_actions = game.legal_actions
        self._random = rng.random

    def decide(self, state: Any) -> Any:
        """One of the legal actions."""
        actions = self._legal_actions(state)
        # Three times as fast as rng.choice, and as fair: a turn has a few dozen actions, not 2 ** 53.
        return actions[int(self._random() * len(actions))]


_DEFAULTS: Final = PlanOptions()


@dataclass(frozen=True)
class AgentSpec:
    """A planner (then it has weights), one of the game's baselines, or a user's own class or program."""

    agent: str  # the profile's name, the baseline's name, module:Class, or cmd: and a command
    weights: Profile | None = None
    options: PlanOptions = _DEFAULTS

    @property
    def own(self) -> bool:
        """Is it code that came from outside?"""
        return self.weights is None and is_own(self.agent)

    def make(self, of: AnyGame, seed: int, folders: Sequence[str] = (), unseen: Sequence[Any] | None = None) -> Agent:
        """A new agent for this game; the same seed decides the same. `unseen`: what the opponent is known to bring."""
        if self.weights is not None:
            return PlannerAgent(self.weights, of, seed, unseen, **vars(self.options))
        if self.agent.startswith(COMMAND):
            return CommandAgent(self.agent, of, seed, next(iter(folders), None))
        if self.own:
            return make_own(self.agent, seed, folders)
        return baselines(of)[self.agent](Random(seed))

    def check(self, of: AnyGame, setup: Any) -> None:
        """Refuse what cannot plan the first turn of a match, such as with a solver that is not installed."""
        if self.weights is not None:
            chance = Random(0)
            state = of.start(setup, chance)
            agent = self.make(of, 0)
            while isinstance(of, HasPrompts) and (question := of.decide_prompt(state)) is not None:
                state = of.apply(state, question, chance)
            agent.decide(of.observe(state, of.to_move(state)))


def baselines(of: AnyGame) -> Mapping[str, Callable[[Random], Agent]]:
    """The agents that are no planners, by name: each has a generator of its own, so that a seed decides all it does."""
    return {"random": partial(RandomAgent, of), **of.baselines()}


def agent_names(of: AnyGame | str = DEFAULT) -> list[str]:
    """What `agent_spec` knows: the baselines, and a planner for each weight profile."""
    of = load_game(of) if isinstance(of, str) else of
    return [*sorted(baselines(of)), *(of.profiles.names() if isinstance(of, PlansTurns) else ())]


def agent_spec(name: str, of: AnyGame | str = DEFAULT, **options: Any) -> AgentSpec:
    """The agent of this name: a baseline, one's own, a weight profile or its YAML file with planner options."""
    of = load_game(of) if isinstance(of, str) else of
    if name.startswith(COMMAND):
        words_of(name)
    known_here = name in baselines(of) or is_own(name)
    if known_here and not options:  # asked first: to look for profiles takes longer than many a match
        return AgentSpec(name)
    if isinstance(of, PlansTurns) and (name in of.profiles.names() or name.endswith((".yaml", ".yml"))):
        weights: Profile = of.profiles.of(name)
        return AgentSpec(weights.name, weights, PlanOptions(**options))
    if known_here or options:
        raise PlannerError(f"{quote(name)} is not a planner: it has no {', '.join(options)}")
    known = agent_names(of)
    hint = did_you_mean(name, known) or f"; there are {', '.join(known)}, module:Class or cmd:COMMAND"
    raise PlannerError(f"{quote(name)} is not an agent{hint}")


def make_agent(name: str, seed: int, of: AnyGame | str = DEFAULT) -> Agent:
    """The agent of this name; a class of one's own runs in this very process, where a tournament keeps it apart.

    A program is to be closed (`CommandAgent.close`).
    """
    of = load_game(of) if isinstance(of, str) else of
    spec = agent_spec(name, of)
    return spec.make(of, seed, [os.getcwd()] if spec.own else ())
