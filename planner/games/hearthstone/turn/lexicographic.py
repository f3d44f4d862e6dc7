"""One optimum among equals: the objective first, then the digits of a tie-break, most significant first.

Digits are packed into one integer objective as far as a solver's floating point carries it, so that most turns
need one or two solves. Every solver then finds the same solution, because there is only one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from planner.games.hearthstone.turn.clock import Clock, OutOfTimeError
from planner.solvers.base import Solution, SolveOptions, Solver, Status
from planner.solvers.model import INF, LinearModel

# SCIP calls two objectives equal that differ by one part in 10^9: an objective below this keeps its last digit.
CAPACITY: Final = 2**26
# Above this a solver's floating point may take a wrong objective for the right one: nothing counts as proved.
PROVABLE: Final = 2**40

Terms = list[tuple[int, float]]


class Digit(NamedTuple):
    """One place of the tie-break: a whole number from 0 to `top`, as small as possible."""

    terms: Terms
    constant: int
    top: int

    def value(self, values: Sequence[float]) -> int:
        return self.constant + round(sum(factor * values[var] for var, factor in self.terms))


class Ranked(Protocol):
    """A program with an objective in integers and a tie-break."""

    model: LinearModel
    objective: Terms
    constant: int
    digits: list[Digit]


@dataclass
class Best:
    """What the solves found: `bound` is proved; `values` are None where nothing acceptable was found in time."""

    values: Sequence[float] | None
    objective: float
    bound: float
    proved: bool
    message: str = ""


def easy_bound(problem: Ranked) -> float:
    """A bound that needs no solver: of those of which a row allows one at most, the one that counts most for us."""
    model = problem.model
    worth = {var: factor for var, factor in problem.objective if factor > 0}
    bound: float = problem.constant
    for row in range(model.num_rows):
        terms = [(var, factor) for var, factor in model.row(row) if factor]
        room = model.row_bounds(row)[1] - sum(factor * model.var_bounds(var)[1] for var, factor in terms if factor < 0)
        rivals = [(var, factor) for var, factor in terms if factor > 0]
        if room < 2 and all(factor == 1 and model.var_bounds(var) == (0, 1) for var, factor in rivals):
            bound += max((worth.pop(var, 0) for var, _ in rivals), default=0)
    return bound + sum(factor * model.var_bounds(var)[1] for var, factor in worth.items())


def solve_ranked(problem: Ranked, solver: Solver, clock: Clock, check: Callable[[Sequence[float]], bool]) -> Best:
    """The best solution that `check` accepts. Where it refuses one, it adds a cut to the model that forbids it.

    Whatever was found or proved before the time ran out is kept, also where `check` raises `OutOfTimeError`.
    """
    model = problem.model
    top = sum(abs(factor) for _, factor in problem.objective)
    digits = problem.digits
    packed, rest = _pack(digits, max(1, CAPACITY // (2 * int(top) + 2)))
    unit = math.prod(digit.top + 1 for digit in packed)
    model.set_objective(*_combine([(var, factor * unit) for var, factor in problem.objective], packed))
    solution = _accepted(model, solver, clock, check)
    bound = INF
    if math.isfinite(solution.bound) and top <= PROVABLE:
        # The packed digits take at most unit - 1 from the objective.
        bound = math.floor((solution.bound + unit - 1) / unit) + problem.constant
    if solution.status is not Status.OPTIMAL or top > PROVABLE:
        bound = min(bound, easy_bound(problem))
    if not solution.has_solution:
        return Best(None, -INF, bound, proved=False, message=solution.message or solution.status.value)
    values = solution.values
    objective = problem.constant + round(sum(f * values[v] for v, f in problem.objective))
    if top > PROVABLE or (solution.status is not Status.OPTIMAL and bound > objective):
        return Best(values, objective, max(bound, objective), proved=False, message=solution.status.value)
    if rest:
        model.add_row("objective_kept", problem.objective, objective - problem.constant, INF)
    while rest and solution.status is Status.OPTIMAL and not clock.out():
        for digit in packed:
            model.add_row("tie_kept", digit.terms, -INF, digit.value(values) - digit.constant)
        packed, rest = _pack(rest, CAPACITY)
        model.set_objective(*_combine([], packed))
        solution = _accepted(model, solver, clock, check, values)
        if solution.has_solution:
            values = solution.values
    return Best(values, objective, objective, proved=True)


def _pack(digits: list[Digit], capacity: int) -> tuple[list[Digit], list[Digit]]:
    """The leading digits that fit, and the rest; at least one fits where there is any."""
    unit, count = 1, 0
    for digit in digits:
        if unit * (digit.top + 1) > capacity:
            break
        unit *= digit.top + 1
        count += 1
    return digits[:count], digits[count:]


def _combine(objective: Terms, digits: list[Digit]) -> tuple[Terms, float]:
    """Maximise the objective; then minimise the digits, the first of them most."""
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
    """Certify, cut, repeat. Every solve of the growing program bounds all that come after it.

    What was `accepted` before need not be checked again, and is where the solver may start.
    """
    bound = INF
    while True:
        left = clock.left()
        if left is not None and left <= 0:
            return Solution(Status.NO_SOLUTION, bound=bound, message="the time limit was reached")
        solution = solver.solve(model, SolveOptions(time_limit=left), accepted)
        bound = solution.bound = min(bound, solution.bound)
        try:
            if not solution.has_solution or solution.values == accepted or check(solution.values):
                return solution
        except OutOfTimeError:
            return Solution(Status.NO_SOLUTION, bound=bound, message="the time limit was reached")
        if solution.status is not Status.OPTIMAL:
            return Solution(Status.NO_SOLUTION, bound=bound, message=solution.message)
