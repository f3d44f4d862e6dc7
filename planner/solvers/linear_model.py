"""A mixed-integer linear model, independent of any solver: maximise an objective over rows with two-sided bounds."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from planner.solvers.lp_format import write

INF = math.inf
TOLERANCE = 1e-6

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Pairs = Iterable[tuple[int, float]]


@dataclass(frozen=True)
class Matrix:
    """The rows of a model in compressed row form, with the bounds of rows and variables."""

    lower: Floats
    upper: Floats
    integrality: Ints  # 1 where a variable is integer, else 0
    row_lower: Floats
    row_upper: Floats
    start: Ints  # one longer than the number of rows
    index: Ints
    value: Floats

    @cached_property
    def row_of(self) -> NDArray[np.intp]:
        """The row of each entry."""
        return np.repeat(np.arange(len(self.row_lower)), np.diff(self.start))

    @cached_property
    def integral_rows(self) -> NDArray[np.bool_]:
        """The rows whose activity is an integer whenever the integer variables are integers."""
        fractional = (self.value != np.rint(self.value)) | (self.integrality[self.index] == 0)
        integral: NDArray[np.bool_] = np.bincount(self.row_of, weights=fractional, minlength=len(self.row_lower)) == 0
        return integral


class LinearModel:
    """Variables, rows and an objective to maximise; rows may be added and the objective replaced between solves.

    `array.array` instead of lists: appending costs the same, and the numpy arrays that solvers want are one
    memory copy instead of a conversion of every number.
    """

    def __init__(self, name: str = "model") -> None:
        self.name = name
        self.var_names: list[str] = []
        self.row_names: list[str] = []
        self.constant = 0.0
        self._objective = array("d")
        self._lower = array("d")
        self._upper = array("d")
        self._integer = array("i")
        self._row_lower = array("d")
        self._row_upper = array("d")
        self._start = array("i", [0])
        self._index = array("i")
        self._value = array("d")
        self._matrix: Matrix | None = None
        self._cost: Floats | None = None
        self._step: float | None = None

    def __repr__(self) -> str:
        return f"<LinearModel {self.name}: {self.num_vars} variables, {self.num_rows} rows>"

    @property
    def num_vars(self) -> int:
        return len(self._lower)

    @property
    def num_rows(self) -> int:
        return len(self._row_lower)

    def add_var(self, name: str, lower: float = 0, upper: float = 1, integer: bool = True, objective: float = 0) -> int:
        """Add a variable, binary by default, and return its index."""
        if not lower <= upper or lower == INF or upper == -INF:
            raise ValueError(f"variable {name}: no number lies between {lower} and {upper}")
        if not math.isfinite(objective):
            raise ValueError(f"variable {name}: the objective coefficient is {objective}")
        self.var_names.append(name)
        self._lower.append(lower)
        self._upper.append(upper)
        self._integer.append(integer)
        self._objective.append(objective)
        self._matrix = self._cost = self._step = None
        return len(self._lower) - 1

    def add_row(self, name: str, coefficients: Pairs, lower: float = -INF, upper: float = INF) -> int:
        """Add `lower <= sum of coefficient * variable <= upper` and return the row's index.

        The coefficients are (variable, coefficient) pairs; coefficients of the same variable are added up.
        """
        if not lower <= upper or lower == INF or upper == -INF:
            raise ValueError(f"row {name}: no number lies between {lower} and {upper}")
        pairs = self._checked(f"row {name}", coefficients)
        for index, value in pairs:
            self._index.append(index)
            self._value.append(value)
        self.row_names.append(name)
        self._row_lower.append(lower)
        self._row_upper.append(upper)
        self._start.append(len(self._index))
        self._matrix = None
        return len(self._row_lower) - 1

    def set_objective(self, coefficients: Pairs, constant: float = 0) -> None:
        """Replace the objective; other variables get the coefficient 0."""
        pairs = self._checked("objective", coefficients)
        if not math.isfinite(constant):
            raise ValueError(f"objective: the constant is {constant}")
        self._objective = array("d", bytes(8 * self.num_vars))
        for index, value in pairs:
            self._objective[index] = value
        self.constant = constant
        self._cost = self._step = None

    @property
    def objective(self) -> list[tuple[int, float]]:
        """The objective as (variable, coefficient) pairs, as `add_row` takes them."""
        return [(index, value) for index, value in enumerate(self._objective) if value]

    def row(self, row: int) -> list[tuple[int, float]]:
        """Return the (variable, coefficient) pairs of a row."""
        part = slice(self._start[row], self._start[row + 1])
        return list(zip(self._index[part], self._value[part], strict=True))

    def row_bounds(self, row: int) -> tuple[float, float]:
        return self._row_lower[row], self._row_upper[row]

    def var_bounds(self, var: int) -> tuple[float, float]:
        return self._lower[var], self._upper[var]

    def is_integer(self, var: int) -> bool:
        return bool(self._integer[var])

    def _checked(self, location: str, coefficients: Pairs) -> Sequence[tuple[int, float]]:
        pairs = list(coefficients)
        if not pairs:
            return pairs
        indices, values = zip(*pairs, strict=True)
        if not 0 <= min(indices) <= max(indices) < len(self._lower):
            raise ValueError(f"{location}: there is no variable {min(indices) if min(indices) < 0 else max(indices)}")
        if not math.isfinite(sum(values)):
            raise ValueError(f"{location}: a coefficient is not a finite number")
        if len(set(indices)) < len(indices):
            merged: dict[int, float] = {}
            for index, value in pairs:
                merged[index] = merged.get(index, 0) + value
            return list(merged.items())
        return pairs

    def matrix(self) -> Matrix:
        """Return rows and bounds as numpy arrays, cached until a row or a variable is added.

        Bounds of integers are rounded to the integers within them: HiGHS 1.13 calls some models with other bounds
        infeasible, and CP-SAT takes no others.
        """
        if self._matrix is None:
            m = self._matrix = Matrix(
                lower=np.array(self._lower),
                upper=np.array(self._upper),
                integrality=np.array(self._integer),
                row_lower=np.array(self._row_lower),
                row_upper=np.array(self._row_upper),
                start=np.array(self._start),
                index=np.array(self._index),
                value=np.array(self._value),
            )
            _round_inwards(m.lower, m.upper, m.integrality == 1)
            _round_inwards(m.row_lower, m.row_upper, m.integral_rows)
        return self._matrix

    def cost(self) -> Floats:
        """Return the objective as a numpy array, one coefficient per variable."""
        if self._cost is None:
            self._cost = np.array(self._objective)
        return self._cost

    def objective_step(self) -> float:
        """Return a number of which every objective is a multiple, apart from the constant; 0 if there is none.

        With integer weights a bound less than one step above a solution proves it optimal.
        """
        if self._step is None:
            # Plain Python: a turn has few variables, and numpy calls cost more. Beyond 2^53 floats skip integers.
            used = [(cost, integer) for cost, integer in zip(self._objective, self._integer, strict=True) if cost]
            if all(integer and cost.is_integer() and abs(cost) < 2**53 for cost, integer in used):
                self._step = float(math.gcd(*(int(cost) for cost, _ in used)))
            else:
                self._step = 0.0
        return self._step

    def evaluate(self, values: Sequence[float] | Floats) -> float:
        """Return the objective of these values, feasible or not."""
        return float(np.dot(self.cost(), np.asarray(values, dtype=np.float64))) + self.constant

    def violation(self, values: Sequence[float] | Floats) -> str | None:
        """Return the first bound, integrality or row that the values violate, or None.

        Rows of integers have an absolute tolerance: one relative to a bound of 2^32 would accept errors of thousands.
        """
        x = np.asarray(values, dtype=np.float64)
        if x.shape != (self.num_vars,):
            return f"{len(x)} values for {self.num_vars} variables"
        if not np.isfinite(x).all():
            return f"variable {self.var_names[int(np.argmin(np.isfinite(x)))]} is not a finite number"
        m = self.matrix()
        slack = np.where(m.integrality == 1, TOLERANCE, TOLERANCE * np.maximum(1, np.abs(x)))
        broken = (x < m.lower - slack) | (x > m.upper + slack)
        if broken.any():
            at = int(np.argmax(broken))
            return f"variable {self.var_names[at]} = {x[at]:.15g} outside {m.lower[at]:.15g}..{m.upper[at]:.15g}"
        broken = (m.integrality == 1) & (np.abs(x - np.rint(x)) > TOLERANCE)
        if broken.any():
            at = int(np.argmax(broken))
            return f"variable {self.var_names[at]} = {x[at]:.15g} is not an integer"
        terms = m.value * x[m.index]
        activity = np.bincount(m.row_of, weights=terms, minlength=self.num_rows)
        size = np.bincount(m.row_of, weights=np.abs(terms), minlength=self.num_rows)
        slack = np.where(m.integral_rows, TOLERANCE, TOLERANCE * np.maximum(1, size))
        broken = (activity < m.row_lower - slack) | (activity > m.row_upper + slack)
        if broken.any():
            at = int(np.argmax(broken))
            bounds = f"{m.row_lower[at]:.15g}..{m.row_upper[at]:.15g}"
            return f"row {self.row_names[at]} = {activity[at]:.15g} outside {bounds}"
        return None

    def write_lp(self, target: str | Path | TextIO) -> None:
        """Write the model in the CPLEX LP format, which every solver reads."""
        if isinstance(target, str | Path):
            with open(target, "w", encoding="ascii") as stream:
                write(self, stream)
        else:
            write(self, target)


def _round_inwards(lower: Floats, upper: Floats, integral: NDArray[np.bool_]) -> None:
    lower[integral] = np.ceil(lower[integral] - TOLERANCE) + 0.0  # without a negative zero
    upper[integral] = np.floor(upper[integral] + TOLERANCE)
