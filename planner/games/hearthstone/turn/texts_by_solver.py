"""Turns with texts by a named solver: the texts are tried in every order, and the bodies behind them are a program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.clock import Clock
from planner.games.hearthstone.turn.exhaustive import TurnOfState
from planner.games.hearthstone.turn.objective import certain, starting_health
from planner.games.hearthstone.turn.program import ProgramTurn
from planner.games.hearthstone.turn.texts import in_the_program
from planner.games.hearthstone.turn.weights import Weights
from planner.planning.search import Ending
from planner.solvers import Solver


class TextsBySolver(TurnOfState):
    """A turn in which nothing is tried any more where only bodies are left: there the solver has the last word."""

    def __init__(
        self, start: GameState, weights: Weights, solver: Solver, clock: Clock, banned: Collection[Action] = ()
    ) -> None:
        super().__init__(start, weights, banned)
        self.proved = True  # until the time is too short for one of the programs
        self._solver, self._clock = solver, clock
        self._health = starting_health(start)
        self._rests: dict[object, tuple[Ending | None, tuple[Action, ...]]] = {}

    def actions(self, state: GameState) -> Iterator[Action]:
        """What may be done besides ending the turn: nothing where only bodies are left."""
        return iter(()) if in_the_program(state, self._weights) else super().actions(state)

    def ending(self, state: GameState) -> Ending | None:
        """What ending the turn here earns, or the best turn of bodies from here."""
        return self._rest(state)[0] if in_the_program(state, self._weights) else super().ending(state)

    def completed(self, start: GameState, actions: Sequence[Action]) -> tuple[Action, ...]:
        """The same line up to where only bodies are left, and there the solver's choice among equals."""
        state = start
        for place, action in enumerate(actions):
            if in_the_program(state, self._weights):
                return (*actions[:place], *self._rest(state)[1])
            taken = certain(state, action)
            if taken is None:
                return tuple(actions)
            state = taken.state
        return (*actions, *self._rest(state)[1]) if in_the_program(state, self._weights) else tuple(actions)

    def _rest(self, state: GameState) -> tuple[Ending | None, tuple[Action, ...]]:
        key = self.key(state)
        if key not in self._rests:
            turn = ProgramTurn(state, self._weights, self._solver, self._clock, self._health)
            turn.solve(tuple(self._banned))
            self.proved &= turn.best.proved
            found = turn.found
            if found is None:
                self._rests[key] = super().ending(state), ()
            else:
                worth = Fraction(turn.scaled(found.earned)) * self._weights.integer_scale() / turn.scale
                lives = int(found.earned.end.me.hero.health > 0)
                self._rests[key] = Ending(worth, lives, len(found.actions)), tuple(found.actions)
        return self._rests[key]
