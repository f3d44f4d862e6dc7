"""Time limits, warm starts, threads and processes."""

from __future__ import annotations

import math
import multiprocessing
import os
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from planner.errors import PlannerError
from planner.solvers import get
from planner.solvers.backend import Answer, Solver, SolveStatus
from planner.solvers.linear_model import Floats, LinearModel
from tests.solvers.models import market_split, packages, turn_like


@pytest.mark.parametrize("constant", [0, 5000])
def test_time_limit_is_kept(solver: Solver, constant: int) -> None:
    model = market_split(1)
    model.constant = constant
    began = time.perf_counter()
    solution = solver.solve(model, time_limit=0.4)
    assert time.perf_counter() - began < 2.5  # allows for other load on the machine
    assert solution.status in (SolveStatus.FEASIBLE, SolveStatus.NO_SOLUTION)
    assert solution.bound >= constant - 1  # close to a perfect split, which no solver can exclude in this time
    if solution.has_solution:
        assert solution.objective <= constant
        assert solution.bound >= solution.objective
        assert model.violation(solution.values) is None
    else:
        with pytest.raises(PlannerError, match="stopped before any solution"):
            solution.values  # noqa: B018


def test_time_limit_counts_one_solve_only(solver: Solver) -> None:
    """HiGHS adds up the time of all runs of one object; the next solve must still have its full limit."""
    solver.solve(market_split(2), time_limit=0.4)
    assert solver.solve(turn_like(1), time_limit=10.0).status is SolveStatus.OPTIMAL
    began = time.perf_counter()
    solver.solve(market_split(2), time_limit=0.2)
    assert time.perf_counter() - began < 2.0


def test_tiny_time_limit(solver: Solver) -> None:
    solution = solver.solve(market_split(3), time_limit=1e-6)
    assert solution.status in (SolveStatus.FEASIBLE, SolveStatus.NO_SOLUTION)


def test_start_is_accepted(solver: Solver) -> None:
    model = turn_like(4)
    best = solver.solve(model)
    again = solver.solve(model, start=best.values)
    assert again.status is SolveStatus.OPTIMAL
    assert again.objective == best.objective


def test_infeasible_start_is_harmless(solver: Solver) -> None:
    model = turn_like(4)
    best = solver.solve(model).objective
    assert solver.solve(model, start=[1] * model.num_vars).objective == best
    assert solver.solve(model, start=[0.5] * model.num_vars).objective == best


def test_start_of_the_wrong_length(solver: Solver) -> None:
    with pytest.raises(PlannerError, match="start: 1 values"):
        solver.solve(turn_like(4), start=[0])


def test_outcome_is_never_worse_than_a_feasible_start(solver: Solver) -> None:
    model = market_split(5)
    known = get("cpsat").solve(model, time_limit=0.5)
    solution = solver.solve(model, time_limit=0.05, start=known.values)
    assert solution.status is SolveStatus.FEASIBLE  # CBC, given this start, claims a proof
    assert solution.objective >= known.objective


def test_two_threads(solver: Solver) -> None:
    models = [packages(seed) for seed in range(10)]
    expected = [solver.solve(model).objective for model in models]
    barrier = threading.Barrier(2)

    def work() -> list[float]:
        barrier.wait(10)
        return [solver.solve(model).objective for model in models]

    with ThreadPoolExecutor(2) as pool:
        outcomes = [future.result(60) for future in [pool.submit(work), pool.submit(work)]]
    assert outcomes == [expected, expected]


def _objective_in_child(name: str, seed: int) -> float:
    return get(name).solve(packages(seed)).objective


@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.long)])
def test_child_process_after_use_in_the_parent(solver: Solver, method: str) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("not on this platform")
    expected = solver.solve(packages(3)).objective
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply_async(_objective_in_child, (solver.info.name, 3)).get(60) == expected


def test_cbc_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    get("cbc").solve(packages(1))
    get("cbc").solve(market_split(1), time_limit=0.1)
    assert os.listdir(tmp_path) == []


def test_cbc_is_ended_when_it_overruns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from planner.solvers import cbc

    sleeper = tmp_path / "cbc"
    sleeper.write_text("#!/bin/sh\nexec sleep 30\n", encoding="ascii")
    sleeper.chmod(0o755)
    monkeypatch.setattr(cbc, "program", lambda: sleeper)
    began = time.perf_counter()
    model = packages(1)
    solution = get("cbc").solve(model, time_limit=0.1)
    assert time.perf_counter() - began < 5
    assert solution.status is SolveStatus.NO_SOLUTION
    assert "was ended" in solution.message
    # the best known result is still returned
    assert get("cbc").solve(model, time_limit=0.1, start=[0] * model.num_vars).objective == 0


def test_gurobi_refuses_models_beyond_its_free_licence() -> None:
    gurobi = pytest.importorskip("gurobipy")
    solver = get("gurobi")
    if solver.usable() is not None:
        pytest.skip("no usable licence")
    model = LinearModel()
    for i in range(2500):
        model.add_var(f"x{i}", objective=1)
    for i in range(2500):
        model.add_row(f"r{i}", [(i, 1), ((i + 1) % 2500, 1)], upper=1)
    solution = solver.solve(model)
    if solution.status is SolveStatus.OPTIMAL:
        pytest.skip("a full licence")
    assert solution.status is SolveStatus.ERROR
    assert "licence does not allow 2500 variables" in solution.message
    assert gurobi is not None


def test_gurobi_without_a_licence(monkeypatch: pytest.MonkeyPatch) -> None:
    gurobi = pytest.importorskip("gurobipy")
    from planner import solvers
    from planner.solvers.gurobi import GurobiSolver

    def expired(**_: object) -> None:
        raise gurobi.GurobiError(10009, "the licence expired")

    monkeypatch.setattr(gurobi, "Env", expired)
    solver = GurobiSolver(solvers.info("gurobi"))
    assert solver.usable() == "installed, but the licence is unusable: the licence expired"
    solution = solver.solve(packages(1))
    assert solution.status is SolveStatus.ERROR
    assert "licence is unusable" in solution.message


class _Says(Solver):
    """A solver with a fixed answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(get("highs").info)
        self.answer = answer

    def _run(self, model: LinearModel, start: Floats | None, time_limit: float | None) -> Answer:
        return self.answer


def _item() -> LinearModel:
    model = LinearModel()
    x = model.add_var("item", 0, 5, objective=2)
    model.add_row("room", [(x, 3)], upper=10)
    return model


@pytest.mark.parametrize(
    ("answer", "status", "bound", "message"),
    [
        (Answer(SolveStatus.OPTIMAL, [3.0000001], 6.0000003), SolveStatus.OPTIMAL, 6, ""),
        (Answer(SolveStatus.OPTIMAL, [3.0], 7.9), SolveStatus.OPTIMAL, 6, ""),
        (Answer(SolveStatus.OPTIMAL, [2.0], 6.0), SolveStatus.FEASIBLE, 6, "gap is not closed"),
        (Answer(SolveStatus.FEASIBLE, [2.0], 6.9), SolveStatus.FEASIBLE, 6, ""),
        (Answer(SolveStatus.FEASIBLE, [3.0], 6.5), SolveStatus.OPTIMAL, 6, ""),
        (Answer(SolveStatus.FEASIBLE, [3.0], 5.0), SolveStatus.OPTIMAL, 6, ""),
        (Answer(SolveStatus.FEASIBLE, [3.0]), SolveStatus.FEASIBLE, float("inf"), ""),
        (Answer(SolveStatus.OPTIMAL, [2.6], 6.0), SolveStatus.ERROR, float("inf"), "2.6 for the integer variable item"),
        (Answer(SolveStatus.OPTIMAL, [4.0], 8.0), SolveStatus.ERROR, float("inf"), "row room = 12"),
        (Answer(SolveStatus.OPTIMAL, [float("nan")], 8.0), SolveStatus.ERROR, float("inf"), "item"),
        (Answer(SolveStatus.OPTIMAL), SolveStatus.ERROR, float("inf"), "returned no values"),
        (Answer(SolveStatus.NO_SOLUTION, bound=9.2), SolveStatus.NO_SOLUTION, 8, ""),
    ],
)
def test_answers_are_checked(answer: Answer, status: SolveStatus, bound: float, message: str) -> None:
    solution = _Says(answer).solve(_item())
    assert (solution.status, solution.bound) == (status, bound)
    assert message in solution.message
    assert status.name in repr(solution)


@pytest.mark.parametrize(
    ("answer", "bound"),
    [
        (Answer(SolveStatus.OPTIMAL, [2.0], 6.0), 6),
        (Answer(SolveStatus.OPTIMAL, [2.0], 4.0), math.inf),
        (Answer(SolveStatus.NO_SOLUTION, bound=4.0), math.inf),
        (Answer(SolveStatus.INFEASIBLE), math.inf),
    ],
)
def test_a_feasible_start_is_kept_whatever_the_solver_claims(answer: Answer, bound: float) -> None:
    solution = _Says(answer).solve(_item(), start=[3])
    assert (solution.objective, solution.bound) == (6, bound)
    assert solution.status is (SolveStatus.OPTIMAL if bound == 6 else SolveStatus.FEASIBLE)
