"""The best turn of bodies by the program and a solver, certified: played in a legal order by the referee."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from planner.errors import PlannerError
from planner.games.hearthstone.rules.actions import Action, Play
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn import exact
from planner.games.hearthstone.turn.clock import Clock, OutOfTimeError
from planner.games.hearthstone.turn.fighters import Blow, Unit
from planner.games.hearthstone.turn.hardrules import end_allowed
from planner.games.hearthstone.turn.legal_order import legal_order
from planner.games.hearthstone.turn.lexicographic import Best, Ranked, easy_bound, solve_ranked
from planner.games.hearthstone.turn.objective import Earned
from planner.games.hearthstone.turn.weights import Weights
from planner.solvers import Solver

Chosen = tuple[list[Play], list[list[Blow]]]
OUT_OF_TIME = "the time limit was reached"


class Claim(NamedTuple):
    """What a choice should come to in a legal order."""

    worth: Fraction | int
    lives: bool  # our hero


class Certified(NamedTuple):
    """A choice of plays and blows in a legal order, and what the referee says that it earns."""

    actions: list[Action]
    earned: Earned
    chosen: Chosen
    claimed: Fraction | int


class ProgramTurn:
    """One search for the best turn of bodies. `health` is what own_survival counts, where the turn began before this
    state."""

    def __init__(
        self,
        state: GameState,
        weights: Weights,
        solver: Solver,
        clock: Clock,
        health: Mapping[str, int] | None = None,
        start: GameState | None = None,
    ) -> None:
        self.state, self.weights, self.solver, self.clock, self.health = state, weights, solver, clock, health
        self.start = state if start is None else start
        self.found: Certified | None = None
        self.best = Best(None, -math.inf, math.inf, proved=False)
        self.scale = weights.integer_scale()  # objectives here are whole numbers: the true ones times this

    def solve(self, banned: Sequence[Action] = ()) -> None:
        """Find it, among the turns without what is banned."""
        problem = exact.build(self.state, self.weights, health=self.health)
        self.scale = problem.scale
        for action in banned:
            problem.ban(action)

        def certify(values: Sequence[float]) -> bool:
            plays, struck = problem.chosen(values)
            claim = Claim(problem.claimed(values), problem.lives(values))
            certified = self._certify(problem.units, plays, struck, claim)
            if not certified:
                problem.forbid(values)
            return certified

        self.best = solved(problem, self.solver, self.clock, certify)
        if self.best.values is None and self.clock.left() is None and not banned:
            raise PlannerError(f"{self.solver.info.name}: {self.best.message}")

    def scaled(self, earned: Earned) -> Fraction | int:
        """What it is worth, times `scale`."""
        if self.health is not None:
            alive = sum(self.health.get(minion.id, 0) for minion in earned.end.me.board)
            earned = earned._replace(amounts={**earned.amounts, "own_survival": alive})
        return earned.worth(self.weights) * (self.scale // self.weights.integer_scale())

    def _certify(self, units: list[Unit], plays: list[Play], struck: list[list[Blow]], claim: Claim) -> bool:
        """Find a legal order that earns what was claimed, and keep it; False where there is none."""

        def accepts(earned: Earned) -> bool:
            found = Claim(self.scaled(earned), earned.end.me.hero.health > 0)
            return found == claim and end_allowed(self.weights, self.start, earned.end)

        found = legal_order(self.state, units, plays, struck, accepts, self.clock)
        if found is not None:
            self.found = Certified(*found, (plays, struck), claim.worth)
        return found is not None


def solved(problem: Ranked, solver: Solver, clock: Clock, check: Callable[[Sequence[float]], bool]) -> Best:
    """The best solution that `check` accepts, or what is known when the time is up."""
    try:
        return solve_ranked(problem, solver, clock, check)
    except OutOfTimeError:
        return Best(None, -math.inf, easy_bound(problem), proved=False, message=OUT_OF_TIME)
