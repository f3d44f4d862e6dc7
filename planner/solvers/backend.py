"""The interface of every solver: options in, a checked solution out."""

from __future__ import annotations

import copy
import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from planner.errors import PlannerError
from planner.solvers import SolverInfo
from planner.solvers.linear_model import Floats, LinearModel

# A solver's integer may be off by its own tolerance; beyond this it is not an integer.
INTEGER_TOLERANCE = 1e-5
# The bound of a solver carries the rounding error of its linear programs.
BOUND_TOLERANCE = 1e-6


class SolveStatus(enum.Enum):
    """Why the solver stopped, and whether it had a solution."""

    OPTIMAL = "proved optimal"
    FEASIBLE = "feasible, stopped by a limit"
    INFEASIBLE = "proved infeasible"
    INFEASIBLE_OR_UNBOUNDED = "infeasible or unbounded"  # only of an answer: `Solver.solve` finds out which
    NO_SOLUTION = "stopped before any solution was found"
    ERROR = "error"

    @property
    def has_solution(self) -> bool:
        return self in (SolveStatus.OPTIMAL, SolveStatus.FEASIBLE)


@dataclass(slots=True, repr=False, eq=False)
class Solution:
    """The outcome of a solve. Reading values or objective of a solve without a solution raises an error."""

    status: SolveStatus
    _objective: float | None = None
    bound: float = math.inf
    _values: Sequence[float] | None = None
    message: str = ""

    def __repr__(self) -> str:
        parts = [self.status.name]
        if self.status.has_solution:
            parts.append(f"objective={self._objective:.15g}")
        parts.append(f"bound={self.bound:.15g}")
        if self.message:
            parts.append(self.message)
        return f"<Solution {', '.join(parts)}>"

    @property
    def has_solution(self) -> bool:
        return self.status.has_solution

    @property
    def objective(self) -> float:
        if self._objective is None:
            raise PlannerError(f"no objective: {self._reason()}")
        return self._objective

    @property
    def values(self) -> Sequence[float]:
        """One number per variable; those of integer variables are exact ints."""
        if self._values is None:
            raise PlannerError(f"no values: {self._reason()}")
        return self._values

    def _reason(self) -> str:
        return f"{self.status.value} ({self.message})" if self.message else self.status.value


@dataclass(slots=True)
class Answer:
    """The unchecked answer of a solver. OPTIMAL means that the solver finished."""

    status: SolveStatus
    values: Floats | Sequence[float] | None = None
    bound: float = math.inf
    message: str = ""


class Solver(ABC):
    """One solver. `solve` may be called from several threads and in forked processes."""

    def __init__(self, info: SolverInfo) -> None:
        self.info = info

    @abstractmethod
    def _run(self, model: LinearModel, start: Floats | None, time_limit: float | None) -> Answer:
        """Hand the model, which has at least one variable, to the solver, with one thread and without a gap."""

    def usable(self) -> str | None:
        """Return why the installed solver cannot be used, or None. This may be slow."""
        return None

    def solve(
        self, model: LinearModel, start: Sequence[float] | None = None, time_limit: float | None = None
    ) -> Solution:
        """Maximise the objective within a limit in seconds. The result is never worse than a feasible warm start."""
        first = None if start is None else np.asarray(start, dtype=np.float64)
        if first is not None and first.shape != (model.num_vars,):
            raise PlannerError(f"start: {first.size} values for {model.num_vars} variables")
        m = model.matrix()
        if (m.lower > m.upper).any() or (m.row_lower > m.row_upper).any():
            answer = Answer(SolveStatus.INFEASIBLE, message="no integer lies between two bounds")
        elif model.num_vars == 0:
            # Half of the solvers reject a model without variables.
            broken = model.violation(())
            answer = Answer(SolveStatus.INFEASIBLE, message=broken) if broken else Answer(SolveStatus.OPTIMAL, ())
        else:
            answer = self._run(model, first, time_limit)
            if answer.status is SolveStatus.INFEASIBLE_OR_UNBOUNDED:
                answer = self._which(model, time_limit)
        if first is not None and answer.status is not SolveStatus.ERROR and model.violation(first) is None:
            answer = _not_worse_than(model, answer, first)
        return _checked(model, answer)

    def _which(self, model: LinearModel, time_limit: float | None) -> Answer:
        """Find out whether a model is infeasible or unbounded.

        Without an objective, or with finite bounds, it can only be infeasible.
        """
        m = model.matrix()
        used = model.cost() != 0
        if np.isfinite(m.lower[used]).all() and np.isfinite(m.upper[used]).all():
            return Answer(SolveStatus.INFEASIBLE)
        feasible = copy.copy(model)
        feasible.set_objective([])
        answer = self._run(feasible, None, time_limit)
        if answer.status.has_solution:
            return Answer(SolveStatus.ERROR, message="the model is unbounded")
        infeasible = answer.status is SolveStatus.INFEASIBLE_OR_UNBOUNDED
        return Answer(SolveStatus.INFEASIBLE) if infeasible else answer


def _not_worse_than(model: LinearModel, answer: Answer, start: Floats) -> Answer:
    """Return the feasible start in place of an answer that is worse. A bound below the start is wrong."""
    score = model.evaluate(start)
    if answer.values is not None and model.evaluate(answer.values) >= score:
        return answer
    if answer.status is SolveStatus.INFEASIBLE or answer.bound < score - BOUND_TOLERANCE * max(1.0, abs(score)):
        return Answer(SolveStatus.FEASIBLE, start, message="the solver's proof contradicts the warm start")
    return Answer(SolveStatus.FEASIBLE, start, answer.bound, answer.message)


def _checked(model: LinearModel, answer: Answer) -> Solution:
    """Round integers, recompute the objective, and check everything against the model."""
    if answer.status is SolveStatus.INFEASIBLE:
        return Solution(answer.status, bound=-math.inf, message=answer.message)
    if not answer.status.has_solution or answer.values is None:
        status = SolveStatus.ERROR if answer.status.has_solution else answer.status
        message = answer.message or ("the solver returned no values" if status is SolveStatus.ERROR else "")
        bound = _bound(model, answer.bound) if status is SolveStatus.NO_SOLUTION else math.inf
        return Solution(status, bound=bound, message=message)

    x = np.array(answer.values, dtype=np.float64)
    integer = model.matrix().integrality == 1
    rounded = np.rint(x)
    far = integer & ~(np.abs(x - rounded) <= INTEGER_TOLERANCE)
    if far.any():
        at = int(np.argmax(far))
        message = f"the solver returned {x[at]:.15g} for the integer variable {model.var_names[at]}"
        return Solution(SolveStatus.ERROR, message=message)
    values: Sequence[float]
    if integer.all():
        x = rounded
        values = x.astype(np.int64).tolist()
    else:
        x = np.where(integer, rounded, x)
        values = [int(v) if i else v for v, i in zip(x.tolist(), integer.tolist(), strict=True)]
    broken = model.violation(x)
    if broken is not None:
        message = f"the solver's solution, rounded, breaks the model: {broken}"
        return Solution(SolveStatus.ERROR, message=message)

    objective = model.evaluate(x)
    status, message = answer.status, answer.message
    bound = max(objective, _bound(model, answer.bound))
    step = model.objective_step()
    close = step / 2 if step else BOUND_TOLERANCE * max(1.0, abs(objective))
    if status is SolveStatus.OPTIMAL and (not model.cost().any() or bound - objective <= close):
        bound = objective
    elif status is SolveStatus.OPTIMAL:
        status = SolveStatus.FEASIBLE
        message = message or "the solver's gap is not closed"
    elif bound == objective and answer.bound != math.inf:
        status = SolveStatus.OPTIMAL  # stopped by a limit, but the bound already equals the solution
    return Solution(status, objective, bound, values, message)


def _bound(model: LinearModel, bound: float) -> float:
    """Round the bound down to the next value that the objective can take."""
    step = model.objective_step()
    if not step or not math.isfinite(bound):
        return bound
    slack = min(0.5, BOUND_TOLERANCE + 1e-12 * abs(bound) / step)
    return math.floor((bound - model.constant) / step + slack) * step + model.constant
