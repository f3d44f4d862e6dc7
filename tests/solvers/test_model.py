from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest

from planner.solvers import get, installed
from planner.solvers.linear_model import INF, LinearModel
from tests.solvers.models import best_by_enumeration, packages, random_model, turn_like


def test_refusals_name_the_location() -> None:
    model = LinearModel()
    with pytest.raises(ValueError, match="variable late: no number lies between 3 and 2"):
        model.add_var("late", 3, 2)
    with pytest.raises(ValueError, match="objective coefficient is nan"):
        model.add_var("bad", objective=float("nan"))
    x = model.add_var("x")
    with pytest.raises(ValueError, match="row r: there is no variable 1"):
        model.add_row("r", [(x + 1, 1)])
    with pytest.raises(ValueError, match="row r: there is no variable -1"):
        model.add_row("r", [(-1, 1)])
    with pytest.raises(ValueError, match="row r: a coefficient is not a finite"):
        model.add_row("r", [(x, INF)])
    with pytest.raises(ValueError, match="row r: no number lies between nan"):
        model.add_row("r", [(x, 1)], lower=float("nan"))
    with pytest.raises(ValueError, match="objective: there is no variable"):
        model.set_objective([(5, 1)])
    assert (model.num_vars, model.num_rows) == (1, 0)


def test_violation_names_the_first_violated_constraint() -> None:
    model = LinearModel()
    x, y = model.add_var("x", 0, 5), model.add_var("y", 0, 5, integer=False)
    model.add_row("sum", [(x, 1), (y, 1)], upper=6)
    assert model.violation([2, 3.5]) is None
    assert model.violation([6, 0]) == "variable x = 6 outside 0..5"
    assert model.violation([0.5, 0]) == "variable x = 0.5 is not an integer"
    assert model.violation([4, 3]) == "row sum = 7 outside -inf..6"
    assert model.violation([4]) == "1 values for 2 variables"
    assert model.violation([4, float("nan")]) == "variable y is not a finite number"


def test_large_integer_rows_are_checked_exactly() -> None:
    model = LinearModel()
    model.add_row("objective", [(model.add_var("x", 0, 2**10), 2**26), (model.add_var("y"), 1)], lower=2**36)
    assert model.violation([2**10, 0]) is None
    assert "row objective" in (model.violation([2**10 - 1, 1]) or "")
    model.add_row("by one", [(0, 2**26), (1, -1)], lower=2**36)
    assert "row by one = 68719476735" in (model.violation([2**10, 1]) or "")


def test_objective_step() -> None:
    model = LinearModel()
    x, y = model.add_var("x", objective=6), model.add_var("y", objective=-9)
    assert model.objective_step() == 3
    model.set_objective([(x, 0.5)])
    assert model.objective_step() == 0
    model.set_objective([])
    assert model.objective_step() == 0
    z = model.add_var("z", integer=False)
    model.set_objective([(y, 4), (z, 1)])
    assert model.objective_step() == 0


def test_rows_added_after_arrays_were_built() -> None:
    model = LinearModel()
    x = model.add_var("x")
    assert len(model.matrix().row_lower) == 0
    model.add_row("r", [(x, 2)], upper=3)
    assert model.matrix().value.tolist() == [2]
    y = model.add_var("y", objective=4)
    assert model.cost().tolist() == [0, 4]
    assert model.row(0) == [(x, 2)]
    assert model.objective == [(y, 4)]


def awkward() -> LinearModel:
    """Return a model with names and numbers that are difficult for readers of LP files."""
    model = LinearModel("naïve\nname")
    names = ["e5", "E", "free", "2nd", "x y", "x_y", "X Y", "", "ä", "inf", "a" * 300, "st", "objective constant"]
    names.append("[1]")
    for i, name in enumerate(names):
        model.add_var(name, objective=i - 6)
    g = model.add_var("negative", -9, -2, objective=-1)
    f = model.add_var("open", -INF, INF, objective=2)
    h = model.add_var("half open", -INF, 4, objective=1)
    k = model.add_var("unused", 1, 3)
    model.set_objective([*model.objective, (0, 0.125)], constant=12.5)
    model.add_row("range", [(f, 1), (g, -1.5)], -3, 7)
    model.add_row("range low", [(f, 1), (h, 1)], upper=9)
    model.add_row("free", [(f, 1)])
    model.add_row("empty", [], -1, 1)
    model.add_row("equal", [(h, 2), *[(i, 1) for i in range(14)]], 11, 11)
    assert k == model.num_vars - 1
    return model


def _models() -> list[LinearModel]:
    hollow = LinearModel("no rows")
    hollow.add_var("x", 0, 7, objective=3)
    randoms = [random_model(seed) for seed in range(400, 412)]
    return [awkward(), hollow, turn_like(2), packages(2, weight=2**26), *randoms]


@pytest.mark.parametrize("model", _models(), ids=lambda model: model.name)
def test_other_programs_read_the_same_model_from_the_lp_file(model: LinearModel, tmp_path: Path) -> None:
    path = tmp_path / "model.lp"
    model.write_lp(path)
    expected = get("highs").solve(model)
    read = [_highs(path), _cbc(path, tmp_path), *_gurobi(path)]
    for value in read:
        if expected.has_solution:
            assert value == pytest.approx(expected.objective, abs=1e-6)
        else:
            assert value is None
    if model.name.startswith("random"):
        assert best_by_enumeration(model) == (expected.objective if expected.has_solution else None)


def _highs(path: Path) -> float | None:
    import highspy

    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("mip_rel_gap", 0.0)
    assert highs.readModel(str(path)) == highspy.HighsStatus.kOk
    highs.run()
    return highs.getObjectiveValue() if highs.getModelStatus() == highspy.HighsModelStatus.kOptimal else None


def _cbc(path: Path, folder: Path) -> float | None:
    from planner.solvers.cbc import program

    solution = folder / "solution.txt"
    command = [str(program()), str(path), "-ratioGap", "0", "-solve", "-solution", str(solution)]
    log = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "error" not in log.lower(), log
    head = solution.read_text().splitlines()[0]
    return float(head.split()[-1]) if head.startswith("Optimal") else None


def _gurobi(path: Path) -> list[float | None]:
    """Return an empty list if Gurobi is not installed or has no licence."""
    if "gurobi" not in installed() or get("gurobi").usable() is not None:
        return []
    import gurobipy

    with gurobipy.Env(params={"OutputFlag": 0}) as environment, gurobipy.read(str(path), env=environment) as program:
        program.Params.MIPGap = 0
        program.optimize()
        return [program.ObjVal if program.Status == gurobipy.GRB.OPTIMAL else None]


def test_lp_text() -> None:
    model = LinearModel("small")
    x, y = model.add_var("take sword", objective=3), model.add_var("mana left", 0, 10, objective=-0.5)
    model.add_row("mana, exactly", [(x, 4), (y, 1)], 10, 10)
    stream = io.StringIO()
    model.write_lp(stream)
    assert stream.getvalue() == (
        "\\ small\nMaximize\n obj: + 3 take_sword - 0.5 mana_left\nSubject To\n"
        " mana_exactly: + 4 take_sword + 1 mana_left = 10\nBounds\n 0 <= mana_left <= 10\n"
        "Generals\n mana_left\nBinaries\n take_sword\nEnd\n"
    )
