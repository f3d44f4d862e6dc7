"""scipy and ortools contain their own HiGHS, and highspy is another one: all three must work in one process."""

from __future__ import annotations

import subprocess
import sys

import pytest

ORDERS = [
    "import scipy.optimize, highspy, ortools.math_opt.python.mathopt",
    "import ortools.math_opt.python.mathopt, highspy, scipy.optimize",
]
USE = """
import numpy
from planner.stats.nash_ranking import max_entropy_nash
from planner.solvers import get
from planner.solvers.linear_model import LinearModel
assert max_entropy_nash(numpy.array([[0.0, 1], [-1, 0]])).tolist() == [1, 0]
model = LinearModel()
model.add_var("x", objective=3)
assert get("highs").solve(model).objective == 3
"""


@pytest.mark.parametrize("order", ORDERS, ids=["scipy first", "scipy last"])
def test_scipy_works_beside_the_solvers_in_either_order(order: str) -> None:
    done = subprocess.run([sys.executable, "-c", f"{order}\n{USE}"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
