"""Lexicographic optimisation: the objective first, then the digits of a tie-break, most significant first.

Digits are packed into one integer objective as far as a solver's floating point allows, so that most turns need one
or two solves. Every solver then finds the same solution, because there is only one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from planner.planning.plan import Clock, OutOfTimeError
from planner.solvers.backend import Solution, Solver, SolveStatus
from planner.solvers.linear_model import INF, LinearModel

# SCIP treats objectives that differ by one part in 10^9 as equal: an objective below this keeps its last digit.
CAPACITY: Final = 2**26

Terms = list[tuple[int, float]]


class Digit(NamedTuple):
    """One digit of the tie-break: an integer from 0 to `top`, to be minimised."""

    terms: Terms
    constant: int
    top: int

    def value(self, values: Sequence[float]) -> int:
        return self.constant + round(sum(factor * values[var] for var, factor in self.terms))


@dataclass
class RankedModel:
    """The program of a turn: an integer objective and a tie-break."""

    model: LinearModel
    scale: int  # objective of the program = scale * the true objective
    objective: Terms
    constant: int
    digits: list[Digit]

    def claimed(self, values: Sequence[float]) -> int:
        """Return the objective of these values, times `scale`."""
        return self.constant + round(sum(factor * values[var] for var, factor in self.objective))


@dataclass
class Best:
    """The result of the solves: `bound` is proved; `values` is None where no solution was accepted in time."""

    values: Sequence[float] | None
    objective: float
    bound: float
    proved: bool
    message: str = ""


def easy_bound(problem: RankedModel) -> float:
    """Return a bound that needs no solver: of the variables of which a row allows one at most, the best one counts."""
    model = problem.model
    gains = {var: factor for var, factor in problem.objective if factor > 0}
    bound: float = problem.constant
    for row in range(model.num_rows):
        terms = [(var, factor) for var, factor in model.row(row) if factor]
        room = model.row_bounds(row)[1] - sum(factor * model.var_bounds(var)[1] for var, factor in terms if factor < 0)
        rivals = [(var, factor) for var, factor in terms if factor > 0]
        if room < 2 and all(factor == 1 and model.var_bounds(var) == (0, 1) for var, factor in rivals):
            bound += max((gains.pop(var, 0) for var, _ in rivals), default=0)
    return bound + sum(factor * model.var_bounds(var)[1] for var, factor in gains.items())


def solve_ranked(problem: RankedModel, solver: Solver, clock: Clock, check: Callable[[Sequence[float]], bool]) -> Best:
    """Return the best solution that `check` accepts. Where it rejects one, it adds a cut to the model.

    Results from before the time ran out are kept, also where `check` raises `OutOfTimeError`.
    """
    model = problem.model
    top = sum(abs(factor) for _, factor in problem.objective)
    provable = top <= solver.info.exact_up_to
    digits = problem.digits
    packed, remaining = _pack(digits, max(1, CAPACITY // (2 * int(top) + 2)))
    unit = math.prod(digit.top + 1 for digit in packed)
    model.set_objective(*_combine([(var, factor * unit) for var, factor in problem.objective], packed))
    solution = _accepted(model, solver, clock, check)
    bound = INF
    if math.isfinite(solution.bound) and provable:
        # The packed digits reduce the objective by at most unit - 1.
        bound = math.floor((solution.bound + unit - 1) / unit) + problem.constant
    if solution.status is not SolveStatus.OPTIMAL or not provable:
        bound = min(bound, easy_bound(problem))
    if not solution.has_solution:
        return Best(None, -INF, bound, proved=False, message=solution.message or solution.status.value)
    values = solution.values
    objective = problem.claimed(values)
    if not provable or (solution.status is not SolveStatus.OPTIMAL and bound > objective):
        return Best(values, objective, max(bound, objective), proved=False, message=solution.status.value)
    if remaining:
        model.add_row("objective_kept", problem.objective, objective - problem.constant, INF)
    while remaining and solution.status is SolveStatus.OPTIMAL and not clock.out():
        for digit in packed:
            model.add_row("tie_kept", digit.terms, -INF, digit.value(values) - digit.constant)
        packed, remaining = _pack(remaining, CAPACITY)
        model.set_objective(*_combine([], packed))
        solution = _accepted(model, solver, clock, check, values)
        if solution.has_solution:
            values = solution.values
    return Best(values, objective, objective, proved=True)


def _pack(digits: list[Digit], capacity: int) -> tuple[list[Digit], list[Digit]]:
    """Split off the leading digits that fit."""
    unit, count = 1, 0
    for digit in digits:
        if unit * (digit.top + 1) > capacity:
            break
        unit *= digit.top + 1
        count += 1
    return digits[:count], digits[count:]


def _combine(objective: Terms, digits: list[Digit]) -> tuple[Terms, float]:
    """Return an objective to maximise: first `objective`, then the digits, each to be minimised."""
    factors = dict(objective)
    constant = 0.0
    unit = 1
    for digit in reversed(digits):
        for var, factor in digit.terms:
            factors[var] = factors.get(var, 0) - factor * unit
        constant -= digit.constant * unit
        unit *= digit.top + 1
    return [(var, factor) for var, factor in factors.items() if factor], constant


def _accepted(
    model: LinearModel,
    solver: Solver,
    clock: Clock,
    check: Callable[[Sequence[float]], bool],
    accepted: Sequence[float] | None = None,
) -> Solution:
    """Solve until `check` accepts. Every solve bounds all later ones, because the program only gets tighter.

    A solution that was `accepted` before is not checked again, and serves as the warm start.
    """
    bound = INF
    while True:
        left = clock.left()
        if left is not None and left <= 0:
            return Solution(SolveStatus.NO_SOLUTION, bound=bound, message="the time limit was reached")
        solution = solver.solve(model, accepted, left)
        bound = solution.bound = min(bound, solution.bound)
        try:
            if not solution.has_solution or solution.values == accepted or check(solution.values):
                return solution
        except OutOfTimeError:
            return Solution(SolveStatus.NO_SOLUTION, bound=bound, message="the time limit was reached")
        if solution.status is not SolveStatus.OPTIMAL:
            return Solution(SolveStatus.NO_SOLUTION, bound=bound, message=solution.message)
