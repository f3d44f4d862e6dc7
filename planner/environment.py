"""A match of any game, step by step: reset, observe, legal, step. For learners and programs that drive the match."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from planner.arena.match.referee import chance, deal
from planner.errors import PlannerError
from planner.game import AnyGame, Outcome
from planner.games import DEFAULT, load_game


class Moved(NamedTuple):
    """The result of one action."""

    state: Any  # as the seat to move sees it; after the end, as the seat that moved last
    rewards: tuple[float, ...]  # by seat: 0 until the end, then 1 for a win, 0 for a draw and -1 for a loss
    over: bool


class Environment:
    """Plays one match after another from the same setup. A seed gives the same match as in `play_match`."""

    def __init__(self, setup: Any, game: AnyGame | str = DEFAULT) -> None:
        self.game = load_game(game) if isinstance(game, str) else game
        self.setup = setup
        self._chance = Random(0)
        self._state: Any = None
        self._outcome: Outcome | None = None

    def reset(self, seed: int = 0) -> Any:
        """Start a new match; return the state as the seat to move sees it."""
        self._state, self._chance = deal(self.game, self.setup, seed), chance(seed)
        self._outcome = self.game.outcome(self._state)
        return self.observe()

    @property
    def state(self) -> Any:
        """The full state, including hidden cards."""
        if self._state is None:
            raise PlannerError("environment: no match has been started; call reset() first")
        return self._state

    @property
    def seat(self) -> int:
        """The seat to move."""
        return self.game.to_move(self.state)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the match, or None while it runs."""
        return self._outcome

    def observe(self, seat: int | None = None) -> Any:
        """Return the state as this seat sees it; by default the seat to move."""
        return self.game.observe(self.state, self.seat if seat is None else seat)

    def legal(self) -> Sequence[Any]:
        """Return the legal actions of the seat to move, always in the same order; none after the end."""
        return self.game.legal_actions(self.state)

    def step(self, action: Any) -> Moved:
        """Apply an action. An illegal one raises a PlannerError and changes nothing."""
        before = self.state
        problem = self.game.illegal_reason(before, action)
        if problem is not None:
            raise PlannerError(f"illegal action: {problem}")
        mover = self.seat
        self._state = self.game.apply(before, action, self._chance)
        self._outcome = self.game.outcome(self._state)
        seats = self.game.seats(self._state)
        rewards = (0.0,) * seats if self._outcome is None else tuple(2 * points - 1 for points in self._outcome.points)
        return Moved(self.observe(mover if self._outcome is not None else None), rewards, self._outcome is not None)
