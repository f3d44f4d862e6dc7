"""Matches as PettingZoo environments, with a learner in every seat: `pip install "turn-planner[pettingzoo]"`.

docs/reference/environment.md describes the numbers of observations and actions.
"""

from __future__ import annotations

from typing import Any

try:
    import gymnasium
    from pettingzoo import AECEnv
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        "pettingzoo is missing; pip install 'turn-planner[pettingzoo]'", name="pettingzoo"
    ) from missing
import numpy as np
from numpy.typing import NDArray

from planner.game import AnyGame
from planner.games import DEFAULT
from planner.gym import action_mask, clipped_observation, learning_environment, numbered_actions, observation_box

__all__ = ["MatchAECEnv"]


class MatchAECEnv(AECEnv):  # type: ignore[misc]  # its types are not read
    """A match of any number of seats; agents are `player_1`, `player_2`, ... and decide one at a time.

    An observation has the keys `observation` and `action_mask`, which marks the legal actions of the agent that decides
    and is 0 for all others. The reward is 0 until the end, then from 1 for the first place to -1 for the last. An
    illegal action ends the match with -1 for the agent and 0 for the others.
    """

    def __init__(self, setup: Any, game: AnyGame | str = DEFAULT, render_mode: str | None = None) -> None:
        super().__init__()
        self.environment, self.encoding, seats = learning_environment(setup, game, render_mode)
        self.metadata = {"name": "planner_match", "render_modes": ["ansi"], "is_parallelizable": False, "render_fps": 1}
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat + 1}" for seat in range(seats)]
        spaces: dict[str, gymnasium.Space[Any]] = {
            "observation": observation_box(self.encoding),
            "action_mask": gymnasium.spaces.Box(0, 1, (self.encoding.actions,), np.int8),
        }
        self.observation_spaces = {agent: gymnasium.spaces.Dict(spaces) for agent in self.possible_agents}
        self.action_spaces = {agent: gymnasium.spaces.Discrete(self.encoding.actions) for agent in self.possible_agents}
        self._generator = np.random.default_rng()
        self._legal: dict[int, Any] = {}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of this agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Return the space of this agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Start a new match; a seed decides it and all that follow without one."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        self.environment.reset(int(self._generator.integers(2**63)))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._next()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return what this agent sees, and which actions are legal for it."""
        seat = self.possible_agents.index(agent)
        return {
            "observation": clipped_observation(self.encoding, self.environment.state, seat),
            "action_mask": action_mask(self.encoding, self._legal if agent == self.agent_selection else ()),
        }

    def step(self, action: int | None) -> None:
        """Apply the action of the agent that decides; None for an agent whose match is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        chosen = None if action is None else self._legal.get(int(action))
        if chosen is None:
            self._legal = {}
            self._end({other: -1.0 if other == agent else 0.0 for other in self.agents}, f"illegal action: {action}")
        else:
            _, rewards, over = self.environment.step(chosen)
            if over:
                self._end(dict(zip(self.possible_agents, rewards, strict=True)), str(self.environment.outcome))
            self._next()
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> Any:
        """Return the board as text, as the agent that decides sees it."""
        return self.environment.game.show(self.environment.observe()) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: the match has no window or process."""

    def _next(self) -> None:
        """Select the agent that decides, and number its actions."""
        self._legal = numbered_actions(self.encoding, self.environment)
        if self.environment.outcome is None:
            self.agent_selection = self.possible_agents[self.environment.seat]

    def _end(self, rewards: dict[str, float], outcome: str) -> None:
        self.rewards = rewards
        self.terminations = dict.fromkeys(self.agents, True)
        self.infos = {agent: {"outcome": outcome} for agent in self.agents}
