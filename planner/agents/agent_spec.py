"""Agents by name, and `AgentSpec`: how to make an agent, as a value that can be sent to other processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

from planner.agents.chat_endpoint import ChatSettings
from planner.agents.language_model import LanguageModelAgent, names_language_model, settings_file
from planner.agents.planner_agent import PlannerAgent
from planner.agents.tree_search import MCTS, TreeSearchAgent, iterations_of, names_tree_search
from planner.agents.user_agents import COMMAND, CommandAgent, command_words, is_user_agent, make_user_agent
from planner.errors import PlannerError, did_you_mean, quote
from planner.game import Agent, AnyGame, HasPrompts
from planner.games import DEFAULT, load_game
from planner.match_options import begin
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import PlanOptions
from planner.planning.profiles import Profile

PLANNER: Final = "planner"  # the planner with the strongest profile of the game
_DEFAULT_OPTIONS: Final = PlanOptions()
_FORMS: Final = "mcts:ITERATIONS, llm:FILE.yaml, module:Class or cmd:COMMAND"


class RandomAgent:
    """Chooses among the legal actions with equal probability. The weakest baseline, and the fastest."""

    name = "random"

    def __init__(self, game: AnyGame, rng: Random) -> None:
        self._legal_actions = game.legal_actions
        self._random = rng.random

    def decide(self, state: Any) -> Any:
        """Return one of the legal actions."""
        actions = self._legal_actions(state)
        # Three times as fast as rng.choice. The bias is negligible for a few dozen actions.
        return actions[int(self._random() * len(actions))]


class FirstAgent:
    """Takes the first legal action: in a battle, it plays its hand from left to right."""

    name = "first"

    def __init__(self, game: AnyGame, rng: Random) -> None:  # noqa: ARG002  (all agents get a generator)
        self._legal_actions = game.legal_actions

    def decide(self, state: Any) -> Any:
        """Return the first legal action."""
        return self._legal_actions(state)[0]


@dataclass(frozen=True)
class AgentSpec:
    """How to make an agent: a planner (which has weights), a baseline of the game, or a user's class or program."""

    agent: str  # the name of a profile or baseline, module:Class, or cmd: and a command line
    weights: Profile | None = None
    options: PlanOptions = _DEFAULT_OPTIONS

    @property
    def is_user_code(self) -> bool:
        """Whether the agent runs a user's code, which tournaments keep in a process of its own."""
        return self.weights is None and is_user_agent(self.agent)

    @property
    def short_name(self) -> str:
        """The name in tables unless the user gives another one: that of the class, or of the program."""
        if self.agent.startswith(COMMAND):
            return Path(command_words(self.agent)[0]).name
        if names_language_model(self.agent):
            return settings_file(self.agent).stem
        return self.agent if names_tree_search(self.agent) else self.agent.rpartition(":")[2]

    def make(self, game: AnyGame, seed: int, hidden_pool: Sequence[Any] | None = None) -> Agent:
        """Create an agent for this game. `hidden_pool` is the opponent's decklist, if it is known.

        User code runs in this process, and is searched for in the current folder; only tournaments isolate it. Use the
        agent in `running`, which closes a program.
        """
        if self.weights is not None:
            return PlannerAgent(self.weights, game, seed, hidden_pool, **vars(self.options))
        if self.agent.startswith(COMMAND):
            return CommandAgent(self.agent, game, seed)
        if self.is_user_code:
            return make_user_agent(self.agent, seed, [os.getcwd()])
        if names_language_model(self.agent):
            return LanguageModelAgent(settings_file(self.agent), game, seed)
        if names_tree_search(self.agent):
            return TreeSearchAgent(game, Random(seed), iterations_of(self.agent), self.options.time_limit)
        return baselines(game)[self.agent](Random(seed))

    def check(self, game: AnyGame, setup: Any) -> None:
        """Raise if the agent cannot plan the first turn of a match, for example because its solver is missing."""
        if self.weights is not None:
            chance = Random(0)
            state = begin(game, setup, chance)
            agent = self.make(game, 0)
            while isinstance(game, HasPrompts) and (action := game.decide_prompt(state)) is not None:
                state = game.apply(state, action, chance)
            agent.decide(game.observe(state, game.to_move(state)))


def baselines(game: AnyGame) -> Mapping[str, Callable[[Random], Agent]]:
    """Return the constructors of agents that are not planners, by name. Each draws only from its own generator."""
    return {
        "random": partial(RandomAgent, game),
        "first": partial(FirstAgent, game),
        MCTS: partial(TreeSearchAgent, game),
        **game.baselines(),
    }


def agent_names(game: AnyGame | str = DEFAULT) -> list[str]:
    """Return the names that `agent_spec` knows: the baselines, and a planner for each weight profile."""
    game = load_game(game) if isinstance(game, str) else game
    return [*sorted(baselines(game)), *(game.profiles.names() if isinstance(game, PlansTurns) else ())]


def agent_spec(name: str, game: AnyGame | str = DEFAULT, **options: Any) -> AgentSpec:
    """Return the agent with this name: a baseline, a user's agent, or a profile (or its YAML file) with options.

    `planner` stands for the strongest profile of the game.
    """
    game = load_game(game) if isinstance(game, str) else game
    if name.startswith(COMMAND):
        command_words(name)
    if names_tree_search(name):
        iterations_of(name)
    if names_language_model(name):
        ChatSettings.of_file(settings_file(name))
    is_special = names_tree_search(name) or names_language_model(name)
    is_known = is_special or name in baselines(game) or is_user_agent(name)
    if is_known and not options:  # checked first: searching for profiles takes longer than many a match
        return AgentSpec(name)
    if name == PLANNER and isinstance(game, PlansTurns):
        name = game.profiles.strongest or game.profiles.default
    is_file = name.endswith((".yaml", ".yml")) and not is_special
    if isinstance(game, PlansTurns) and (is_file or name in game.profiles.names()):
        weights: Profile = game.profiles.of(name)
        return AgentSpec(weights.name, weights, PlanOptions(**options))
    if names_tree_search(name) and set(options) == {"time_limit"}:
        return AgentSpec(name, options=PlanOptions(**options))
    if is_known or options:
        raise PlannerError(f"{quote(name)} is not a planner: it does not support {', '.join(options)}")
    known = agent_names(game)
    hint = did_you_mean(name, known) or f"; known agents: {', '.join(known)}, {_FORMS}"
    raise PlannerError(f"{quote(name)} is not an agent{hint}")


def make_agent(name: str, seed: int, game: AnyGame | str = DEFAULT) -> Agent:
    """Create the agent with this name; see `AgentSpec.make`."""
    game = load_game(game) if isinstance(game, str) else game
    return agent_spec(name, game).make(game, seed)


@contextmanager
def running(agent: Agent) -> Iterator[Agent]:
    """Yield the agent, and close it at the end if it is a program."""
    try:
        yield agent
    finally:
        if isinstance(agent, CommandAgent):
            agent.close()
