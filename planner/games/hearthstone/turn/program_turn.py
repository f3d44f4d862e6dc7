"""Turns planned by a solver: vanilla turns by the exact program, and vanilla rests after every line of card effects.

Every solution is certified: the referee plays it in a legal order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from planner.errors import PlannerError
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.resolve import IllegalActionError
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exact_builder import build_exact
from planner.games.hearthstone.turn.exhaustive_search import SearchableTurn, first_best_line
from planner.games.hearthstone.turn.hearthstone_weights import Weights, end_allowed
from planner.games.hearthstone.turn.legal_order import VanillaChoice, find_legal_order
from planner.games.hearthstone.turn.lexicographic import solve_ranked
from planner.games.hearthstone.turn.scoring import Earned, replay, starting_health
from planner.games.hearthstone.turn.turn_effects import program_applies
from planner.planning.plan import Clock, Stopped
from planner.planning.search import Ending, Search
from planner.solvers.backend import Solver


class ProgramTurn:
    """The best vanilla turn from a state, by a solver.

    Where the turn began before this state, `health` is what own_survival counts.
    """

    def __init__(
        self,
        state: GameState,
        weights: Weights,
        solver: Solver,
        clock: Clock,
        banned: Collection[Action] = (),
        health: Mapping[str, int] | None = None,
    ) -> None:
        """Solve the program, without the banned actions, until a solution is certified."""
        self.state, self.weights, self.clock, self.health = state, weights, clock, health
        # Actions in a legal order, and what the referee says that they earn.
        self.certified: tuple[list[Action], Earned] | None = None
        problem = build_exact(state, weights, health)
        self.scale = problem.scale  # objectives here are integers: the true ones times this
        for action in banned:
            problem.ban(action)
        rejected = False

        def check(values: Sequence[float]) -> bool:
            nonlocal rejected
            claim = problem.claimed(values), problem.hero_lives(values)
            certified = self._certify(problem.choice(values), claim)
            if certified is None:
                rejected = True
                problem.cut_off(values)
                return False
            self.certified = certified  # kept where a later solution is rejected
            return True

        self.best = solve_ranked(problem, solver, clock, check)
        # Where a solution was rejected, the numbers are too large for the solver to go on: that is not an error.
        if self.best.values is None and clock.left() is None and not banned and not rejected:
            raise PlannerError(f"{solver.info.name}: {self.best.message}")

    def scaled_score(self, earned: Earned) -> Fraction | int:
        """Return the objective times `scale`."""
        if self.health is not None:
            alive = sum(self.health.get(minion.id, 0) for minion in earned.end.me.board)
            earned = earned._replace(amounts={**earned.amounts, "own_survival": alive})
        return earned.scaled_score(self.weights) * (self.scale // self.weights.integer_scale())

    def _certify(self, choice: VanillaChoice, claim: tuple[int, bool]) -> tuple[list[Action], Earned] | None:
        """Return a legal order that earns what was claimed, and leaves our hero alive or dead as claimed."""

        def certify(order: Sequence[Action]) -> Earned | None:
            try:
                earned = replay(self.state, order)
            except IllegalActionError:
                return None
            result = self.scaled_score(earned), earned.end.me.hero.health > 0
            return earned if result == claim and end_allowed(self.weights, self.state, earned.end) else None

        return find_legal_order(choice, certify, self.clock)


class EffectsBySolver(SearchableTurn):
    """A turn in which card effects are tried in every order, and a solver plans every vanilla rest."""

    def __init__(
        self, start: GameState, weights: Weights, solver: Solver, clock: Clock, banned: Collection[Action] = ()
    ) -> None:
        super().__init__(start, weights, banned)
        self.proved = True  # until the time is too short for one of the programs
        self._solver, self._clock = solver, clock
        self._health = starting_health(start)
        self._rests: dict[object, Ending | None] = {}

    def actions(self, state: GameState) -> Iterator[Action]:
        """Yield the allowed actions without ending the turn: none where the rest is vanilla."""
        return iter(()) if program_applies(state, self._weights) else super().actions(state)

    def ending(self, state: GameState) -> Ending | None:
        """Return what ending the turn here earns, or the best vanilla turn from here."""
        return self._rest(state) if program_applies(state, self._weights) else super().ending(state)

    def completed(self, search: Search[GameState, Action], start: GameState) -> tuple[Action, ...]:
        """Return the best turn that comes first in the tie-break order; a solver breaks the ties of vanilla rests."""
        actions, state = first_best_line(search, start, lambda now: program_applies(now, self._weights))
        # States that differ only in the order of the board share their score, but not their tie-break.
        return (*actions, *(self._solve(state)[1] if state is not None else ()))

    def reason(self, stopped: Stopped) -> Stopped:
        """Return `stopped`, or why a finished search of this turn proves nothing."""
        return super().reason(stopped) if self.proved else Stopped.TIME_LIMIT

    def _rest(self, state: GameState) -> Ending | None:
        key = self.key(state)
        if key not in self._rests:
            self._rests[key] = self._solve(state)[0]
        return self._rests[key]

    def _solve(self, state: GameState) -> tuple[Ending | None, tuple[Action, ...]]:
        turn = ProgramTurn(state, self._weights, self._solver, self._clock, self._banned, self._health)
        self.proved &= turn.best.proved
        if turn.certified is None:
            return super().ending(state), ()
        actions, earned = turn.certified
        score = Fraction(turn.scaled_score(earned)) * self._weights.integer_scale() / turn.scale
        return Ending(score, int(earned.end.me.hero.health > 0), len(actions)), tuple(actions)
