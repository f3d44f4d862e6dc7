"""The behaviour that all solvers share, on small models with a known optimum."""

from __future__ import annotations

import math

import pytest

from planner.errors import PlannerError
from planner.solvers.backend import Solver, SolveStatus
from planner.solvers.linear_model import INF, LinearModel
from tests.solvers.models import best_by_enumeration, packages, proved, random_model, turn_like


def knapsack() -> LinearModel:
    model = LinearModel("knapsack")
    for value in (10, 13, 7, 8):
        model.add_var(f"item value {value}", objective=value)
    model.add_row("weight", [(0, 4), (1, 6), (2, 3), (3, 5)], upper=10)
    return model


def test_knapsack(solver: Solver) -> None:
    solution = solver.solve(knapsack())
    proved(solution, 23)
    assert list(solution.values) == [1, 1, 0, 0]
    assert all(type(value) is int for value in solution.values)


def test_constant_counts(solver: Solver) -> None:
    model = knapsack()
    model.set_objective([(2, 7)], constant=-100)
    proved(solver.solve(model), -93)


def test_assignment(solver: Solver) -> None:
    value = [[7, 5, 11], [5, 4, 1], [9, 3, 2]]
    model = LinearModel("assignment")
    x = [[model.add_var(f"{i} to {j}", objective=value[i][j]) for j in range(3)] for i in range(3)]
    for i in range(3):
        model.add_row(f"worker {i}", [(x[i][j], 1) for j in range(3)], 1, 1)
        model.add_row(f"job {i}", [(x[j][i], 1) for j in range(3)], 1, 1)
    proved(solver.solve(model), 24)


def test_infeasible(solver: Solver) -> None:
    model = knapsack()
    model.add_row("too heavy", [(0, 1), (1, 1)], lower=3)
    solution = solver.solve(model)
    assert solution.status is SolveStatus.INFEASIBLE
    assert solution.bound == -math.inf
    with pytest.raises(PlannerError, match="no values: proved infeasible"):
        solution.values  # noqa: B018
    with pytest.raises(PlannerError, match="no objective"):
        solution.objective  # noqa: B018


def test_infeasible_only_for_integers(solver: Solver) -> None:
    model = LinearModel()
    x, y = model.add_var("x", 0, 5), model.add_var("y", 0, 5, objective=1)
    model.add_row("odd", [(x, 2), (y, 2)], 3, 3)
    assert solver.solve(model).status is SolveStatus.INFEASIBLE


def test_unbounded(solver: Solver) -> None:
    model = LinearModel()
    x, y = model.add_var("x", 0, INF, objective=1), model.add_var("y", 0, INF)
    model.add_row("apart", [(x, 1), (y, -1)], upper=3)
    solution = solver.solve(model)
    assert solution.status is SolveStatus.ERROR
    assert "unbounded" in solution.message
    assert solution.bound == INF


def test_unbounded_direction_without_a_feasible_point_is_infeasible(solver: Solver) -> None:
    model = LinearModel()
    model.add_var("x", 0, INF, objective=1)
    y = model.add_var("y", 0, 5)
    model.add_row("odd", [(y, 2)], 3, 3)
    assert solver.solve(model).status is SolveStatus.INFEASIBLE


def test_open_ended_but_bounded_by_rows(solver: Solver) -> None:
    model = LinearModel()
    x, y = model.add_var("x", -INF, INF, objective=3), model.add_var("y", -INF, INF, objective=-1)
    model.add_row("first", [(x, 2), (y, -1)], upper=7)
    model.add_row("second", [(y, 1)], -4, 12)
    proved(solver.solve(model), 3 * 9 - 11)


def test_general_integers_with_negative_bounds(solver: Solver) -> None:
    model = LinearModel()
    x, y = model.add_var("x", -7, 4, objective=-2), model.add_var("y", -9, -3, objective=5)
    model.add_row("together", [(x, 3), (y, 2)], -20, -11)
    solution = solver.solve(model)
    proved(solution, best_by_enumeration(model) or 0)
    assert solution.values[1] < 0


def test_fractional_bounds_of_integers(solver: Solver) -> None:
    model = LinearModel()
    model.add_var("x", -1.5, 2.5, objective=1)
    model.add_var("y", -1.5, 2.5, objective=-1)
    proved(solver.solve(model), 3)


def test_rows_with_fractional_bounds_of_integers(solver: Solver) -> None:
    """HiGHS called this model infeasible."""
    model = LinearModel()
    a, b = model.add_var("a", 0.3, 1.3, objective=1), model.add_var("b", 0, 0, objective=100_000)
    c = model.add_var("c", -0.5, 0.5, objective=-2)
    model.add_row("upper", [(c, 1), (b, 3)], upper=3)
    model.add_row("equal", [(c, 3), (b, 1)], 0, 0)
    proved(solver.solve(model), 1)
    assert solver.solve(model).values[a] == 1


@pytest.mark.parametrize(("variable", "row"), [((0.2, 0.8), (0, 1)), ((0, 5), (1.2, 1.8)), ((0, 5), (2.5, 2.5))])
def test_no_integer_within_bounds(solver: Solver, variable: tuple[float, float], row: tuple[float, float]) -> None:
    model = LinearModel()
    model.add_row("row", [(model.add_var("x", *variable, objective=1), 1)], *row)
    assert solver.solve(model).status is SolveStatus.INFEASIBLE


def test_rounding_errors_in_bounds_of_integers(solver: Solver) -> None:
    model = LinearModel()
    model.add_row("row", [(model.add_var("x", upper=9, objective=1), 1)], 3 * (0.1 + 0.2) / 0.3, 0.7 / 0.1 - 1)
    proved(solver.solve(model), 6)


def test_equality_rows_fix_everything(solver: Solver) -> None:
    model = LinearModel()
    x, y = model.add_var("x", 0, 9, objective=1), model.add_var("y", 0, 9, objective=1)
    model.add_row("sum", [(x, 1), (y, 1)], 7, 7)
    model.add_row("difference", [(x, 1), (y, -1)], 3, 3)
    assert list(solver.solve(model).values) == [5, 2]


def test_no_variables(solver: Solver) -> None:
    model = LinearModel()
    model.set_objective([], constant=4)
    solution = solver.solve(model)
    proved(solution, 4)
    assert list(solution.values) == []
    model.add_row("nothing is at least one", [], lower=1)
    assert solver.solve(model).status is SolveStatus.INFEASIBLE


def test_no_rows(solver: Solver) -> None:
    model = LinearModel()
    for value in (3, -2, 0):
        model.add_var(f"value {value}", 0, 4, objective=value)
    proved(solver.solve(model), 12)


def test_no_objective(solver: Solver) -> None:
    model = knapsack()
    model.set_objective([])
    model.add_row("something", [(0, 1), (1, 1)], lower=1)
    proved(solver.solve(model), 0)


def test_free_empty_and_duplicate_rows(solver: Solver) -> None:
    model = knapsack()
    for _ in range(2):
        model.add_row("weight", [(0, 4), (1, 6), (2, 3), (3, 5)], upper=10)
        model.add_row("free", [(0, 1), (1, -1)])
        model.add_row("empty", [], -1, 1)
        model.add_row("zero", [(0, 0)], -1, 1)
    proved(solver.solve(model), 23)


def test_infeasible_empty_row(solver: Solver) -> None:
    model = knapsack()
    model.add_row("empty", [], 1, 2)
    assert solver.solve(model).status is SolveStatus.INFEASIBLE


def test_repeated_variable_in_a_row_is_summed(solver: Solver) -> None:
    model = LinearModel()
    x = model.add_var("x", 0, 10, objective=1)
    model.add_row("twice", [(x, 1), (x, 2)], upper=9)
    proved(solver.solve(model), 3)


def test_fixed_variables(solver: Solver) -> None:
    model = knapsack()
    model.add_var("fixed", 3, 3, objective=100)
    proved(solver.solve(model), 323)


def test_continuous(mixed_solver: Solver) -> None:
    model = LinearModel()
    x = model.add_var("x", 0, INF, integer=False, objective=3)
    y = model.add_var("y", 0, INF, integer=False, objective=2)
    model.add_row("a", [(x, 2), (y, 1)], upper=4)
    model.add_row("b", [(x, 1), (y, 3)], upper=5)
    proved(mixed_solver.solve(model), 3 * 1.4 + 2 * 1.2)


def test_mixed(mixed_solver: Solver) -> None:
    model = LinearModel()
    x = model.add_var("x", 0, 10, integer=False, objective=1.5)
    y = model.add_var("y", 0, 10, objective=1)
    model.add_row("a", [(x, 2), (y, 1)], upper=7.3)
    solution = mixed_solver.solve(model)
    proved(solution, 7 + 1.5 * 0.15)
    assert solution.values[1] == 7
    assert type(solution.values[1]) is int


def test_an_integer_solver_refuses_continuous_models() -> None:
    from planner import solvers

    solver = solvers.get("cpsat")
    model = LinearModel()
    x = model.add_var("half", integer=False)
    assert "half is continuous" in solver.solve(model).message
    model = LinearModel()
    x = model.add_var("x", objective=0.5)
    assert "x counts 0.5" in solver.solve(model).message
    model.set_objective([(x, 1)])
    model.add_row("odd", [(x, 0.25)], upper=1)
    solution = solver.solve(model)
    assert solution.status is SolveStatus.ERROR
    assert "row odd has 0.25" in solution.message


def test_same_values_every_time(solver: Solver) -> None:
    model = packages(8)
    assert list(solver.solve(model).values) == list(solver.solve(model).values)


def test_prints_nothing(solver: Solver, capfd: pytest.CaptureFixture[str]) -> None:
    for seed in range(15):
        solver.solve(turn_like(seed))
    solver.solve(random_model(3), time_limit=5.0)
    assert capfd.readouterr() == ("", "")
