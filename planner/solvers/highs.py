"""HiGHS, called through objects kept per thread and plain arrays."""

from __future__ import annotations

import math
import os
import threading
import time
from typing import Any

import highspy
import numpy as np

from planner.solvers import SolverInfo
from planner.solvers.backend import Answer, Solver, SolveStatus
from planner.solvers.linear_model import Floats, Ints, LinearModel

_MODEL = highspy.HighsModelStatus
_ROWWISE, _MAXIMISE = 2, -1

_COMMON: dict[str, Any] = {"output_flag": False, "log_to_console": False, "parallel": "off", "threads": 1}
# Presolve takes longer than the whole simplex run on models of this size.
_LP: dict[str, Any] = {"presolve": "off", "solver": "simplex"}
# Primal heuristics are more than half of the default time on turn-sized models, and restarts another tenth.
# Reliability of pseudo-costs, probing, scaling, cuts at nodes and symmetry detection made no difference that could be
# distinguished from noise (docs/reference/solvers.md); the last stays on for boards full of equal minions.
_MIP: dict[str, Any] = {
    "mip_rel_gap": 0.0,
    "mip_allow_restart": False,
    "mip_heuristic_effort": 0.0,
    "mip_heuristic_run_feasibility_jump": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_root_reduced_cost": False,
    # HiGHS cuts off everything that is not a step better than the best solution, and keeps the next step alive by a
    # margin of this tolerance. It must stay above the rounding error of the objective.
    "mip_feasibility_tolerance": 1e-6,
}
# An objective coefficient of 2^26 turns a slack of 1e-6 in an integer into 67 points; where that left a gap, the
# solve is repeated with this tolerance.
_TIGHT: dict[str, Any] = {"mip_feasibility_tolerance": 1e-9}
# Larger weights are scaled down to this many bits: a sum of 2^32 has a rounding error of about the tolerance.
_WEIGHT_BITS = 16


class _Engine:
    """One HiGHS object and the options it holds, so that only changes are passed on."""

    def __init__(self, fixed: dict[str, Any]) -> None:
        # The class beneath highspy.Highs: the latter registers callbacks that only cost time here.
        self.highs = highspy._core._Highs()
        self.scale = 1.0
        self._held: dict[str, Any] = {}
        self.set({**_COMMON, **fixed})

    def set(self, options: dict[str, Any]) -> None:
        for name, value in options.items():
            if self._held.get(name) != value:
                if self.highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
                    raise RuntimeError(f"HiGHS refuses {name} = {value!r}")
                self._held[name] = value

    def limit(self, seconds: float | None) -> None:
        self.set({"time_limit": math.inf if seconds is None else seconds})

    def run(self, model: LinearModel, integrality: Ints, start: Floats | None = None) -> Any:
        m = model.matrix()
        cost = model.cost()
        largest = float(np.abs(cost).max())
        # A power of two, so that scaling is exact.
        self.scale = 2.0 ** min(0, _WEIGHT_BITS - math.frexp(largest)[1])
        passed = self.highs.passModel(
            model.num_vars, model.num_rows, len(m.value), _ROWWISE, _MAXIMISE, 0.0, cost * self.scale,
            m.lower, m.upper, m.row_lower, m.row_upper, m.start[:-1], m.index, m.value, integrality,
        )  # fmt: skip
        if passed == highspy.HighsStatus.kError:
            return _MODEL.kModelError
        self.set({"mip_abs_gap": model.objective_step() * self.scale * 0.5 or 1e-7})
        if start is not None:
            solution = highspy.HighsSolution()
            solution.col_value = start.tolist()
            self.highs.setSolution(solution)
        self.highs.run()
        return self.highs.getModelStatus()

    def objective(self, model: LinearModel) -> float:
        return float(self.highs.getObjectiveValue()) / self.scale + model.constant

    def bound(self, model: LinearModel) -> float:
        return float(self.highs.getInfo().mip_dual_bound) / self.scale + model.constant

    def values(self) -> Floats:
        return np.array(self.highs.getSolution().col_value)


class HighsSolver(Solver):
    def __init__(self, info: SolverInfo) -> None:
        super().__init__(info)
        self._local = threading.local()

    def _engines(self) -> tuple[_Engine, _Engine]:
        # A forked child must not touch the objects of its parent, whose worker threads it does not have.
        if getattr(self._local, "pid", None) != os.getpid():
            self._local.engines = _Engine(_LP), _Engine(_MIP)
            self._local.pid = os.getpid()
        engines: tuple[_Engine, _Engine] = self._local.engines
        return engines

    def _run(self, model: LinearModel, start: Floats | None, time_limit: float | None) -> Answer:
        lp, mip = self._engines()
        m = model.matrix()
        integer = m.integrality == 1
        # The relaxation alone takes a quarter of a millisecond, an eighth of the smallest branch-and-bound run.
        # Tight models are often integral there, and it finds most infeasible ones.
        began = time.perf_counter()
        # For a linear program HiGHS counts the time of all runs of an object together, for an integer one it
        # does not.
        lp.limit(None if time_limit is None else lp.highs.getRunTime() + time_limit)
        status = lp.run(model, np.zeros_like(m.integrality))
        bound = math.inf
        if status == _MODEL.kOptimal:
            bound = lp.objective(model)
            x = lp.values()
            if (np.abs(x - np.rint(x)) <= np.where(integer, 1e-9, np.inf)).all():
                return Answer(SolveStatus.OPTIMAL, x, bound)
        if status == _MODEL.kInfeasible:
            return Answer(SolveStatus.INFEASIBLE)
        if status not in (_MODEL.kOptimal, _MODEL.kTimeLimit) and not integer.any():
            return _answer(model, status, lp, math.inf)

        left = None if time_limit is None else time_limit - (time.perf_counter() - began)
        if left is not None and left <= 0:
            return Answer(SolveStatus.NO_SOLUTION, bound=bound, message="time limit")
        mip.limit(left)
        usable_start = start if start is not None and model.violation(start) is None else None
        mip.set({"mip_feasibility_tolerance": _MIP["mip_feasibility_tolerance"]})
        answer = _answer(model, mip.run(model, m.integrality, usable_start), mip, bound)
        if answer.status is SolveStatus.OPTIMAL and _gap_is_open(model, answer):
            if time_limit is not None:
                left = time_limit - (time.perf_counter() - began)
                if left <= 0:
                    return answer
                mip.limit(left)
            mip.set(_TIGHT)
            again = _answer(model, mip.run(model, m.integrality), mip, bound)
            if again.status is SolveStatus.OPTIMAL and not _gap_is_open(model, again):
                return again
        return answer


def _gap_is_open(model: LinearModel, answer: Answer) -> bool:
    """Whether the rounded solution is a step or more below the bound."""
    step = model.objective_step()
    return bool(step) and answer.bound - model.evaluate(np.rint(np.asarray(answer.values))) > step / 2


def _answer(model: LinearModel, status: Any, engine: _Engine, bound: float) -> Answer:
    highs = engine.highs
    if status == _MODEL.kInfeasible:
        return Answer(SolveStatus.INFEASIBLE)
    if status == _MODEL.kUnboundedOrInfeasible:
        return Answer(SolveStatus.INFEASIBLE_OR_UNBOUNDED)
    if status == _MODEL.kUnbounded:
        return Answer(SolveStatus.ERROR, message="the model is unbounded")
    info = highs.getInfo()
    if math.isfinite(info.mip_dual_bound):
        bound = min(bound, engine.bound(model))
    if status == _MODEL.kOptimal:
        return Answer(SolveStatus.OPTIMAL, engine.values(), bound if math.isfinite(bound) else engine.objective(model))
    limits = (_MODEL.kTimeLimit, _MODEL.kIterationLimit, _MODEL.kSolutionLimit, _MODEL.kInterrupt)
    if status in limits:
        if info.primal_solution_status == 2:
            return Answer(SolveStatus.FEASIBLE, engine.values(), bound, "time limit")
        return Answer(SolveStatus.NO_SOLUTION, bound=bound, message="time limit")
    return Answer(SolveStatus.ERROR, message=f"HiGHS: {highs.modelStatusToString(status)}")
