"""Exact optima: compared with enumeration and between solvers, with large weights and in stages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planner.solvers import get
from planner.solvers.backend import Solver, SolveStatus
from planner.solvers.linear_model import INF, LinearModel
from tests.solvers.models import best_by_enumeration, packages, proved, random_model, turn_like


@pytest.mark.parametrize("seed", range(12))
def test_random_against_enumeration(solver: Solver, seed: int) -> None:
    for number in range(4):
        model = random_model(100 * seed + number)
        best = best_by_enumeration(model)
        solution = solver.solve(model)
        if best is None:
            assert solution.status is SolveStatus.INFEASIBLE, model.name
        else:
            proved(solution, best)
            assert model.violation(solution.values) is None
            assert model.evaluate(solution.values) == best


@pytest.mark.parametrize("seed", [12204, 20058])
def test_models_that_cbc_fails_on(solver: Solver, seed: int) -> None:
    """With its preprocessing CBC proves 10 instead of 13 on the first; without it, it crashes on the second."""
    model = random_model(seed)
    solution = solver.solve(model)
    assert (solution.objective if solution.has_solution else None) == best_by_enumeration(model)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
def test_many_random_against_enumeration(solver: Solver, seed: int) -> None:
    for number in range(25):
        model = random_model(10_000 + 100 * seed + number)
        best = best_by_enumeration(model)
        solution = solver.solve(model)
        assert (solution.objective if solution.has_solution else None) == best, model.name


@pytest.mark.parametrize("weight", [1000, 2**26])
@pytest.mark.parametrize("make", [turn_like, packages])
def test_all_solvers_have_the_same_exact_optimum(solver: Solver, make: Callable[..., LinearModel], weight: int) -> None:
    for seed in range(4):
        model = make(seed, weight=weight)
        reference = get("cpsat").solve(model)  # uses integer arithmetic, so it is exact by construction
        proved(solver.solve(model), reference.objective)
        assert solver.solve(model).objective == reference.objective


def test_near_ties_of_large_weights(solver: Solver) -> None:
    """Values that differ by one in 2^26: a relative gap of 1e-4, or even 1e-7, would accept any of them."""
    model = LinearModel()
    for i in range(12):
        model.add_var(f"x{i}", objective=2**26 + (i * 7) % 12)
    model.add_row("five", [(i, 1) for i in range(12)], upper=5)
    model.add_row("parity", [(i, 2 + i % 3) for i in range(12)], upper=13)
    proved(solver.solve(model), best_by_enumeration(model) or 0)


def test_lexicographic_stages_with_cuts(solver: Solver) -> None:
    """The optimum of one objective becomes a row, the next one is solved, then solutions are cut off one by one."""
    model = packages(5, weight=2**26)
    first = solver.solve(model)
    model.add_row("first stage", model.objective, lower=first.objective)
    model.set_objective([(i, -(i + 1)) for i in range(model.num_vars)])
    seen = set()
    last = INF
    for _ in range(4):
        solution = solver.solve(model)
        if solution.status is SolveStatus.INFEASIBLE:
            break
        assert solution.status is SolveStatus.OPTIMAL
        assert solution.objective <= last
        last = solution.objective
        chosen = tuple(i for i, value in enumerate(solution.values) if value)
        assert chosen not in seen
        seen.add(chosen)
        inside = [(i, 1 if i in chosen else -1) for i in range(model.num_vars)]
        model.add_row("not again", inside, upper=len(chosen) - 1)
    assert seen
