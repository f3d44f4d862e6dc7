"""The best plain turn, certified: bodies that are played and fight. By sets of attackers where that is proved to be
right, by the program and a solver otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from planner.files import PlannerError
from planner.games.hearthstone.rules.actions import Action, Play
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn import exact
from planner.games.hearthstone.turn.fighters import Blow, Unit
from planner.games.hearthstone.turn.hardrules import end_allowed
from planner.games.hearthstone.turn.judge import Worth
from planner.games.hearthstone.turn.laps import Laps
from planner.games.hearthstone.turn.lexicographic import Best, Clock, OutOfTimeError, Ranked, easy_bound, solve_ranked
from planner.games.hearthstone.turn.objective import Earned, starting_health
from planner.games.hearthstone.turn.promise import Promise
from planner.games.hearthstone.turn.schedule import schedule
from planner.games.hearthstone.turn.subsets import Split, splits
from planner.games.hearthstone.turn.weights import Weights
from planner.solvers import Solver

Chosen = tuple[list[Play], list[list[Blow]]]
OUT_OF_TIME = "the time limit was reached"


class Certified(NamedTuple):
    """A choice of plays and blows in a legal order, and what the referee says that it earns."""

    actions: list[Action]
    earned: Earned
    chosen: Chosen
    claimed: int


def fallen(before: GameState, after: GameState, watched: frozenset[str]) -> list[str]:
    """Who of those on the boards who are watched has died since, be it to return."""
    if not watched:
        return []
    entered = {m.id: m.entered for p in (before.me, before.enemy) for m in p.board if m.id in watched}
    alive = {minion.id: minion.entered for p in (after.me, after.enemy) for minion in p.board}
    return [name for name, when in entered.items() if alive.get(name) != when]


class PlainTurn:
    """One search for the best plain turn.

    `sealed` minions must not die. `health` is what own_survival counts, where the turn began before this state. Nothing
    is certified that is not worth more than `beat`.
    """

    def __init__(
        self,
        state: GameState,
        weights: Weights,
        solver: Solver,
        clock: Clock,
        laps: Laps | None = None,
        sealed: frozenset[str] = frozenset(),
        health: Mapping[str, int] | None = None,
        beat: Worth | None = None,
    ) -> None:
        self.state, self.weights, self.solver, self.clock, self.laps = state, weights, solver, clock, laps
        self.sealed, self.health, self.beat = sealed, health, beat
        self.found: Certified | None = None
        self.best = Best(None, -math.inf, math.inf, proved=False)
        self.scale = weights.integer_scale()  # objectives here are whole numbers: the true ones times this
        self.method = solver.info.name

    def enter(self, part: str) -> None:
        """For the benchmark: what the time goes to from now on."""
        if self.laps is not None:
            self.laps.enter(part)

    def solve(
        self, shortcut: bool, banned: Sequence[Action] = (), excluded: Sequence[Chosen] = (), ties: bool = True
    ) -> None:
        """Find it; `shortcut`: without a solver, where that is proved to come to the same; `ties`: broken."""
        if not (shortcut and not banned and not excluded and self._by_sets()):
            self._by_program(banned, excluded, ties)

    def scaled(self, earned: Earned) -> Fraction | int:
        """What it is worth, times `scale`."""
        if self.health is not None:
            alive = sum(self.health.get(minion.id, 0) for minion in earned.end.me.board)
            earned = earned._replace(amounts={**earned.amounts, "own_survival": alive})
        return earned.worth(self.weights) * (self.scale // self.weights.integer_scale())

    def _beaten(self, claimed: int) -> bool:
        return self.beat is not None and claimed <= self.beat * (self.scale // self.weights.integer_scale())

    def _certify(self, units: list[Unit], plays: list[Play], struck: list[list[Blow]], claimed: int) -> bool:
        """Find a legal order that earns what was claimed, and keep it; False where there is none."""

        def accepts(earned: Earned) -> bool:
            if self.scaled(earned) != claimed or not end_allowed(self.weights, self.state, earned.end):
                return False
            # The order may give a blow another part than the program did: a sealed minion may still have died of it.
            return not self.sealed or not fallen(self.state, earned.end, self.sealed)

        found = schedule(self.state, units, plays, struck, accepts, self.clock)
        if found is None:
            return False
        self.found = Certified(*found, (plays, struck), claimed)
        return True

    def _by_sets(self) -> bool:
        """The same optimum without a solver, for the turns that allow it; False for the others."""
        self.enter("solving")
        first: Split | None = None
        try:
            for split in splits(
                self.state, self.weights, sealed=self.sealed, health=self.health, pause=self._check_time
            ):
                first = first or split
                self.scale = split.scale
                self.enter("certifying")
                units, plays, struck, claimed = split.units, split.plays, split.struck, split.objective
                if self._beaten(claimed) or self._certify(units, plays, struck, claimed):
                    self.best = Best([], split.objective, split.objective, proved=True)
                    self.method = "sets"
                    return True
                self.enter("solving")  # no legal order: the next best split may have one
        except OutOfTimeError:
            # There is no time for the program either: a bound that needs neither must do.
            health = starting_health(self.state) if self.health is None else self.health
            most = Promise(self.weights, health).most(self.state, texts=False)
            bound = first.objective if first else most * (self.scale // self.weights.integer_scale())
            self.best = Best(None, -math.inf, bound, proved=False, message=OUT_OF_TIME)
            return math.isfinite(bound)
        return False

    def _check_time(self) -> None:
        if self.clock.out():
            raise OutOfTimeError

    def _by_program(self, banned: Sequence[Action], excluded: Sequence[Chosen], ties: bool) -> None:
        self.enter("building")
        problem = exact.build(self.state, self.weights, self.sealed, self.health)
        self.scale = problem.scale
        for action in banned:
            problem.ban(action)
        for plays, struck in excluded:
            problem.exclude(plays, struck)

        def certify(values: Sequence[float]) -> bool:
            self.enter("decoding")
            plays, struck = problem.chosen(values)
            claimed = problem.claimed(values)
            self.enter("certifying")
            certified = self._beaten(claimed) or self._certify(problem.units, plays, struck, claimed)
            self.enter("solving")
            if not certified:
                problem.forbid(values)
            return certified

        self.enter("solving")
        self.best = solved(problem, self.solver, self.clock, certify, ties)
        if self.best.values is None and self.clock.left() is None and not (banned or excluded):
            raise PlannerError(f"{self.solver.info.name}: {self.best.message}")


def solved(
    problem: Ranked, solver: Solver, clock: Clock, check: Callable[[Sequence[float]], bool], ties: bool = True
) -> Best:
    """The best solution that `check` accepts, or what is known when the time is up."""
    try:
        return solve_ranked(problem, solver, clock, check, ties)
    except OutOfTimeError:
        return Best(None, -math.inf, easy_bound(problem), proved=False, message=OUT_OF_TIME)
