"""A match of any game, step by step, for whoever wants to hold the reins: reset, observe, legal, step."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from planner.arena.match.referee import chance, deal
from planner.errors import PlannerError
from planner.game import AnyGame, Outcome
from planner.games import DEFAULT, load_game


class Moved(NamedTuple):
    """What one action led to."""

    state: Any  # as the player who is to move now sees it; after the end, as the one who moved last
    rewards: tuple[float, ...]  # by seat: 0 until the end, then 1 for a win, 0 for a draw and -1 for a loss
    over: bool


class Environment:
    """One match after another from the same setup. The seed decides the luck, as it does in `play_match`."""

    def __init__(self, setup: Any, of: AnyGame | str = DEFAULT) -> None:
        self.game = load_game(of) if isinstance(of, str) else of
        self.setup = setup
        self._chance = Random(0)
        self._state: Any = None
        self._end: Outcome | None = None

    def reset(self, seed: int = 0) -> Any:
        """A new match; the state as the player who is to move sees it."""
        self._state, self._chance = deal(self.game, self.setup, seed), chance(seed)
        self._end = self.game.outcome(self._state)
        return self.observe()

    @property
    def state(self) -> Any:
        """The whole state, with all that is hidden."""
        if self._state is None:
            raise PlannerError("environment: no match has begun; call reset() first")
        return self._state

    @property
    def seat(self) -> int:
        """Who is to move."""
        return self.game.to_move(self.state)

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, or None while it runs."""
        return self._end

    def observe(self, seat: int | None = None) -> Any:
        """The state as this seat sees it; as the one who is to move, unless given."""
        return self.game.observe(self.state, self.seat if seat is None else seat)

    def legal(self) -> Sequence[Any]:
        """All that the player who is to move may do, always in the same order; nothing after the end."""
        return self.game.legal_actions(self.state)

    def step(self, action: Any) -> Moved:
        """Do this. What is not legal is refused with a PlannerError, and nothing has happened."""
        before = self.state
        problem = self.game.illegal_reason(before, action)
        if problem is not None:
            raise PlannerError(f"illegal action: {problem}")
        mover = self.seat
        self._state = self.game.apply(before, action, self._chance)
        self._end = self.game.outcome(self._state)
        seats = self.game.seats(self._state)
        rewards = (0.0,) * seats if self._end is None else tuple(2 * points - 1 for points in self._end.points)
        return Moved(self.observe(mover if self._end is not None else None), rewards, self._end is not None)
