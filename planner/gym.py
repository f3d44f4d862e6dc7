"""Matches as Gymnasium environments: `pip install "turn-planner[gym]"`.

docs/reference/environment.md describes the numbers of observations and actions.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any, Final

try:
    import gymnasium
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError("gymnasium is missing; pip install 'turn-planner[gym]'", name="gymnasium") from missing
import numpy as np
from numpy.typing import NDArray

from planner.agents.agent_spec import make_agent, running
from planner.arena.match.referee import agent_seed
from planner.environment import Environment
from planner.errors import PlannerError
from planner.game import Agent, AnyGame, EncodesForLearners, Encoding, require
from planner.games import DEFAULT

__all__ = ["MatchEnv"]
_MAX_VALUE: Final = 9999.0  # larger numbers in an observation are clipped


def learning_environment(setup: Any, game: AnyGame | str, render_mode: str | None) -> tuple[Environment, Encoding, int]:
    """Return a match with this setup, its numeric form, and the number of seats."""
    environment = Environment(setup, game)
    encoding = require(environment.game, EncodesForLearners, "a numeric encoding").encoding(setup)
    if render_mode not in (None, "ansi"):
        raise PlannerError(f"render_mode: {render_mode!r} is not one of ansi")
    return environment, encoding, environment.game.seats(environment.reset())


def observation_box(encoding: Encoding) -> gymnasium.spaces.Box:
    """Return the space of observations."""
    return gymnasium.spaces.Box(0.0, _MAX_VALUE, (len(encoding.names),), np.float32)


def clipped_observation(encoding: Encoding, state: Any, seat: int) -> NDArray[np.float32]:
    """Return what this seat sees as numbers within the space."""
    return np.clip(np.asarray(encoding.observation(state, seat), dtype=np.float32), 0.0, _MAX_VALUE)


def numbered_actions(encoding: Encoding, environment: Environment) -> dict[int, Any]:
    """Return the legal actions by number; none after the end."""
    numbered = ((encoding.number(environment.state, action), action) for action in environment.legal())
    return {number: action for number, action in numbered if number is not None}


def action_mask(encoding: Encoding, legal: Iterable[int]) -> NDArray[np.int8]:
    """Return 1 for each of these actions and 0 for all others."""
    mask = np.zeros(encoding.actions, dtype=np.int8)
    mask[list(legal)] = 1
    return mask


class MatchEnv(gymnasium.Env[NDArray[np.float32], int]):
    """One seat of a match; an agent plays the other seats. A step lasts until this seat has to decide again.

    `info["action_mask"]` marks the legal actions. An illegal action loses the match, as in a tournament. The reward is
    0 until the end, then 1 for a win, 0 for a draw and -1 for a loss.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012  (as Gymnasium declares it)

    def __init__(
        self,
        setup: Any,
        opponent: str | Agent = "random",
        seat: int = 0,
        game: AnyGame | str = DEFAULT,
        render_mode: str | None = None,
    ) -> None:
        """`opponent` is an agent, or the name of an agent, which is then created again for every match."""
        self.environment, self.encoding, seats = learning_environment(setup, game, render_mode)
        if not 0 <= seat < seats:
            raise PlannerError(f"seat: must be from 0 to {seats - 1}, got {seat}")
        self.seat, self.render_mode = seat, render_mode
        self.action_space: Any = gymnasium.spaces.Discrete(self.encoding.actions)
        self.observation_space: Any = observation_box(self.encoding)
        self._opponent = opponent
        self._others: dict[int, Agent] = {}
        self._programs = ExitStack()
        self._legal: dict[int, Any] = {}
        self._started = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a new match and play it up to the first decision of this seat."""
        super().reset(seed=seed, options=options)
        self.close()
        match = int(self.np_random.integers(2**63))
        state = self.environment.reset(match)
        game, other = self.environment.game, self._opponent
        self._others = {
            seat: self._programs.enter_context(running(make_agent(other, agent_seed(match, seat), game)))
            if isinstance(other, str)
            else other
            for seat in range(game.seats(state))
            if seat != self.seat
        }
        self._started = True
        problem = self._let_others_play()
        return self._observation(), self._info(problem)

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Apply an action, then let the others play until this seat has to decide or the match is over."""
        if not self._started or not self._legal:
            raise gymnasium.error.ResetNeeded("the match is over or not started: call reset()")
        chosen = self._legal.get(int(action))
        if chosen is None:
            self._legal = {}
            return self._observation(), -1.0, True, False, self._info(f"illegal action: {action} is not legal now")
        self.environment.step(chosen)
        problem = self._let_others_play()
        end = self.environment.outcome
        reward = 1.0 if problem else 0.0 if end is None else 2 * end.points[self.seat] - 1
        return self._observation(), reward, end is not None or problem is not None, False, self._info(problem)

    def render(self) -> Any:
        """Return the board as text."""
        return self.environment.game.show(self.environment.observe(self.seat)) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """End the programs that play the other seats."""
        self._programs.close()
        self._others = {}

    def _let_others_play(self) -> str | None:
        """Play until this seat has to decide; return the problem if another agent loses by an illegal action."""
        environment = self.environment
        self._legal = {}
        while environment.outcome is None and environment.seat != self.seat:
            action = self._others[environment.seat].decide(environment.observe())
            try:
                environment.step(action)
            except PlannerError as error:
                return f"opponent: {error}"
        self._legal = numbered_actions(self.encoding, environment)
        return None

    def _observation(self) -> NDArray[np.float32]:
        return clipped_observation(self.encoding, self.environment.state, self.seat)

    def _info(self, problem: str | None) -> dict[str, Any]:
        mask = action_mask(self.encoding, self._legal)
        end = self.environment.outcome
        return {"action_mask": mask, "outcome": problem or ("" if end is None else str(end))}
