"""Measure each solver on turn-sized models with tuned and other settings: `python -m tests.solvers.measure`.

Measures processor time including children. For each model the best of several rounds counts, since other load only
adds time.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from planner import solvers
from planner.solvers.backend import Solver, SolveStatus
from planner.solvers.linear_model import LinearModel
from tests.solvers.models import packages, turn_like


def processor_time() -> float:
    """Return the seconds of this process and of the children that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def improve(best: list[float], solver: Solver, models: list[LinearModel]) -> None:
    for number, model in enumerate(models):
        started = processor_time()
        solution = solver.solve(model)
        best[number] = min(best[number], processor_time() - started)
        assert solution.status is SolveStatus.OPTIMAL, solution


@contextmanager
def unchanged(solver: Solver) -> Iterator[Solver]:
    yield solver


def highs_options(**changes: Any) -> Callable[[Solver], Any]:
    @contextmanager
    def variant(solver: Solver) -> Iterator[Solver]:
        from planner.solvers import highs

        with mock.patch.object(highs, "_MIP", {**highs._MIP, **changes}):
            yield highs.HighsSolver(solver.info)  # a new object, since options are set once per object

    return variant


@contextmanager
def highs_without_relaxation(solver: Solver) -> Iterator[Solver]:
    from planner.solvers import highs

    run = highs._Engine.run

    def only_integer(self: Any, model: LinearModel, integrality: Any, start: Any = None) -> Any:
        return run(self, model, integrality, start) if integrality.any() else highs._MODEL.kTimeLimit

    with mock.patch.object(highs._Engine, "run", only_integer):
        yield solver


def parameters(**changes: Any) -> Callable[[Solver], Any]:
    @contextmanager
    def variant(solver: Any) -> Iterator[Solver]:
        tuned = solver._parameters

        def changed(*arguments: Any) -> Any:
            result = tuned(*arguments)
            for name, value in changes.items():
                setattr(result if hasattr(result, name) else result.cp_sat, name, value)
            return result

        with mock.patch.object(solver, "_parameters", changed):
            yield solver

    return variant


HEURISTICS = ("feasibility_jump", "rins", "rens", "root_reduced_cost")
ON = {f"mip_heuristic_run_{name}": True for name in HEURISTICS}
MEDIUM, OFF = 3, 1  # MathOpt's EmphasisProto

VARIANTS: dict[str, dict[str, Callable[[Solver], Any]]] = {
    "highs": {
        "all heuristics": highs_options(mip_heuristic_effort=0.05, **ON),
        "all heuristics but feasibility jump": highs_options(
            mip_heuristic_effort=0.05, **{**ON, "mip_heuristic_run_feasibility_jump": False}
        ),
        "no presolve": highs_options(presolve="off"),
        "no symmetry detection": highs_options(mip_detect_symmetry=False),
        "with restarts": highs_options(mip_allow_restart=True),
        "no cuts at nodes": highs_options(mip_allow_cut_separation_at_nodes=False),
        "without the relaxation first": highs_without_relaxation,
    },
    "cpsat": {
        "default": parameters(cp_model_presolve=True, symmetry_level=2, linearization_level=1),
        "with presolve": parameters(cp_model_presolve=True),
        "linearization 1": parameters(linearization_level=1),
        "linearization 0": parameters(linearization_level=0),
    },
    "scip": {
        "default": parameters(heuristics=MEDIUM, cuts=MEDIUM),
        "with heuristics": parameters(heuristics=MEDIUM),
        "with cuts": parameters(cuts=MEDIUM),
        "no presolve": parameters(presolve=OFF),
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--solvers", default=",".join(solvers.installed()))
    arguments = parser.parse_args()
    families = {
        "turn-like": [turn_like(seed, variables=66, rows=40) for seed in range(arguments.models)],
        "packages": [packages(seed) for seed in range(arguments.models)],
    }
    out = sys.stdout.write
    for family, models in families.items():
        variables = statistics.mean(model.num_vars for model in models)
        rows = statistics.mean(model.num_rows for model in models)
        out(f"{family}: {len(models)} models, on average {variables:.0f} variables and {rows:.0f} rows\n")
    cases = {
        (name, title): variant
        for name in arguments.solvers.split(",")
        for title, variant in {"tuned": unchanged, **VARIANTS.get(name, {})}.items()
    }
    best = {(case, family): [float("inf")] * arguments.models for case in cases for family in families}
    for _ in range(arguments.rounds):  # outermost, so that a busy minute does not affect only one case
        for (name, title), variant in cases.items():
            with variant(solvers.get(name)) as solver:
                solver.solve(turn_like(0), time_limit=10.0)
                for family, models in families.items():
                    improve(best[(name, title), family], solver, models)
    out(f"\n| solver | setting |{''.join(f' {family}, ms |' for family in families)}\n")
    out(f"| --- | --- |{' ---: |' * len(families)}\n")
    for name, title in cases:
        means = [1000 * statistics.mean(best[(name, title), family]) for family in families]
        out(f"| {name} {solvers.version(name)} | {title} |{''.join(f' {mean:.2f} |' for mean in means)}\n")


if __name__ == "__main__":
    main()
