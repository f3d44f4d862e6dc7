from __future__ import annotations

import subprocess
import sys

import pytest

from planner import solvers
from planner.errors import PlannerError


def test_unknown_solver_names_the_nearest() -> None:
    with pytest.raises(PlannerError, match=r"unknown solver 'higs'; did you mean 'highs'\? \(known: highs, cpsat"):
        solvers.get("higs")


def test_missing_package_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    solvers.get.cache_clear()
    monkeypatch.delitem(sys.modules, "planner.solvers.gurobi", raising=False)
    monkeypatch.setitem(sys.modules, "gurobipy", None)
    with pytest.raises(PlannerError, match=r"needs the package gurobipy.*pip install 'turn-planner\[gurobi\]'"):
        solvers.get("gurobi")


def test_versions_and_names() -> None:
    assert solvers.DEFAULT in solvers.installed()
    assert set(solvers.installed()) <= set(solvers.names())
    for name in solvers.installed():
        assert solvers.version(name)
        assert solvers.get(name).info == solvers.info(name)


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_solvers_imports_no_solver() -> None:
    code = (
        "import sys, planner.solvers as s; s.installed(); s.version('highs');"
        "print([m for m in ('highspy', 'ortools', 'pulp', 'gurobipy') if m in sys.modules])"
    )
    assert _python(code).strip() == "[]"


_SOLVE = """
from planner.solvers import get
from planner.solvers.linear_model import LinearModel
for name in {names}:
    model = LinearModel()
    x, y = model.add_var("x", 0, 9, objective=3), model.add_var("y", 0, 9, objective=2)
    model.add_row("r", [(x, 2), (y, 3)], upper=11)
    print(get(name).solve(model).objective)
"""


_MATHOPT = "ortools.math_opt.core.python.solver"


@pytest.mark.parametrize(
    ("imports", "names"),
    [
        (f"import highspy, {_MATHOPT}", ("highs", "cpsat", "scip")),
        (f"import {_MATHOPT}, highspy", ("scip", "cpsat", "highs")),
        ("import planner.solvers, highspy", ("cpsat", "highs", "scip")),
        ("import planner.solvers", ("scip", "highs", "cpsat")),
    ],
)
def test_every_order_of_imports_works(imports: str, names: tuple[str, ...]) -> None:
    """OR-Tools carries a HiGHS of its own, and some versions of highspy clash with it."""
    assert _python(imports + "\n" + _SOLVE.format(names=names)).split() == ["15.0"] * 3
