from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from planner import solvers
from planner.errors import PlannerError
from planner.solvers import SolveOptions


@pytest.mark.parametrize(
    "wrong",
    [
        {"time_limit": 0}, {"time_limit": -1}, {"time_limit": float("nan")}, {"time_limit": float("inf")},
        {"threads": 0}, {"threads": 1.5}, {"threads": True}, {"seed": -1}, {"seed": 2**31}, {"seed": "7"},
        {"gap": -0.1}, {"gap": 1}, {"gap": float("nan")},
    ],
)  # fmt: skip
def test_options_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(PlannerError, match=next(iter(wrong))):
        SolveOptions(**wrong)


def test_unknown_option() -> None:
    with pytest.raises(TypeError):
        SolveOptions(heuristics=False)  # type: ignore[call-arg]


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
from planner.solvers import LinearModel, get
for name in {names}:
    model = LinearModel()
    x, y = model.add_var("x", 0, 9, objective=3), model.add_var("y", 0, 9, objective=2)
    model.add_row("r", [(x, 2), (y, 3)], upper=11)
    print(get(name).solve(model).objective)
"""


_SAT, _SCIP = "ortools.sat.python.cp_model_helper", "ortools.math_opt.core.python.solver"


@pytest.mark.parametrize(
    ("imports", "names"),
    [
        (f"import highspy, {_SAT}, {_SCIP}", ("highs", "cpsat", "scip")),
        (f"import {_SAT}, {_SCIP}, highspy", ("highs", "cpsat", "scip")),
        (f"import {_SCIP}, highspy", ("scip", "cpsat", "highs")),
        ("import planner.solvers, highspy", ("cpsat", "highs", "scip")),
        ("import planner.solvers", ("scip", "highs", "cpsat")),
    ],
)
def test_every_order_of_imports_works(imports: str, names: tuple[str, ...]) -> None:
    """OR-Tools carries a HiGHS of its own, and some versions of highspy clash with it."""
    assert _python(imports + "\n" + _SOLVE.format(names=names)).split() == ["15.0"] * 3
