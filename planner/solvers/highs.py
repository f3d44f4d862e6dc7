"""HiGHS, called through objects kept per thread and plain arrays."""

from __future__ import annotations

import math
import os
import threading
from typing import Any

import highspy
import numpy as np

from planner.solvers.base import Answer, SolveOptions, Solver, SolverInfo, Status
from planner.solvers.model import Floats, Ints, LinearModel

_MODEL = highspy.HighsModelStatus
_ROWWISE, _MAXIMISE = 2, -1

_COMMON: dict[str, Any] = {"output_flag": False, "log_to_console": False, "parallel": "off"}
# Presolve takes longer than the whole simplex run on models of this size.
_LP: dict[str, Any] = {"presolve": "off", "solver": "simplex"}
# Primal heuristics are more than half of the default time on turn-sized models, and restarts another tenth.
# Reliability of pseudo-costs, probing, scaling, cuts at nodes and symmetry detection made no difference that could be
# told from noise (docs/solvers.md); the last stays on for boards full of equal minions.
_MIP: dict[str, Any] = {
    "mip_rel_gap": 0.0,
    "mip_allow_restart": False,
    "mip_heuristic_effort": 0.0,
    "mip_heuristic_run_feasibility_jump": False,
    "mip_heuristic_run_rins": False,
    "mip_heuristic_run_rens": False,
    "mip_heuristic_run_root_reduced_cost": False,
    # An objective coefficient of 2^26 turns a slack of 1e-6 in an integer into 67 points.
    "mip_feasibility_tolerance": 1e-9,
}


class _Engine:
    """One HiGHS object and the options it holds, so that only changes are passed on."""

    def __init__(self, fixed: dict[str, Any]) -> None:
        # The class beneath highspy.Highs: the latter registers callbacks that only cost time here.
        self.highs = highspy._core._Highs()
        self._held: dict[str, Any] = {}
        self.set({**_COMMON, **fixed})

    def set(self, options: dict[str, Any]) -> None:
        for name, value in options.items():
            if self._held.get(name) != value:
                if self.highs.setOptionValue(name, value) != highspy.HighsStatus.kOk:
                    raise RuntimeError(f"HiGHS refuses {name} = {value!r}")
                self._held[name] = value

    def limit(self, options: SolveOptions, seconds: float | None) -> None:
        if self._held.get("threads", options.threads) != options.threads:
            # The scheduler of this thread keeps the number of threads of its first run.
            self.highs.resetGlobalScheduler(True)
        self.set(
            {
                "threads": options.threads,
                "random_seed": options.seed,
                "time_limit": math.inf if seconds is None else seconds,
            }
        )

    def run(self, model: LinearModel, integrality: Ints, start: Floats | None = None) -> Any:
        m = model.matrix()
        passed = self.highs.passModel(
            model.num_vars, model.num_rows, len(m.value), _ROWWISE, _MAXIMISE, model.constant, model.cost(),
            m.lower, m.upper, m.row_lower, m.row_upper, m.start[:-1], m.index, m.value, integrality,
        )  # fmt: skip
        if passed == highspy.HighsStatus.kError:
            return _MODEL.kModelError
        if start is not None:
            solution = highspy.HighsSolution()
            solution.col_value = start.tolist()
            self.highs.setSolution(solution)
        self.highs.run()
        return self.highs.getModelStatus()

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

    def _run(self, model: LinearModel, options: SolveOptions, start: Floats | None) -> Answer:
        lp, mip = self._engines()
        m = model.matrix()
        integer = m.integrality == 1
        # The relaxation alone takes a quarter of a millisecond, an eighth of the smallest branch-and-bound run.
        # Tight models are often integral there, and it finds most infeasible ones.
        before = lp.highs.getRunTime()
        # For a linear program HiGHS counts the time of all runs of an object together, for an integer one it
        # does not.
        lp.limit(options, None if options.time_limit is None else before + options.time_limit)
        status = lp.run(model, np.zeros_like(m.integrality))
        bound = math.inf
        if status == _MODEL.kOptimal:
            bound = lp.highs.getObjectiveValue()
            x = lp.values()
            if np.abs(x - np.rint(x)).max(where=integer, initial=0.0) <= 1e-9:
                return Answer(Status.OPTIMAL, x, bound)
        if status == _MODEL.kInfeasible:
            return Answer(Status.INFEASIBLE)
        if status not in (_MODEL.kOptimal, _MODEL.kTimeLimit) and not integer.any():
            return _answer(status, lp, math.inf)

        left = None
        if options.time_limit is not None:
            left = options.time_limit - (lp.highs.getRunTime() - before)
            if left <= 0:
                return Answer(Status.NO_SOLUTION, bound=bound, message="time limit")
        mip.limit(options, left)
        step = model.objective_step()
        mip.set({"mip_rel_gap": options.gap, "mip_abs_gap": step * 0.5 if step else 1e-7})
        usable_start = start if start is not None and model.violation(start) is None else None
        answer = _answer(mip.run(model, m.integrality, usable_start), mip, bound)
        if answer.status is Status.OPTIMAL and answer.values is not None and step and not options.gap:
            found = model.evaluate(np.rint(answer.values))
            if answer.bound - found > step / 2:
                # The tight tolerance made HiGHS round its bound up to the next step; the usual one does not.
                mip.set({"mip_feasibility_tolerance": 1e-6})
                answer = _answer(mip.run(model, m.integrality, np.asarray(answer.values)), mip, bound)
                mip.set({"mip_feasibility_tolerance": _MIP["mip_feasibility_tolerance"]})
        return answer


def _answer(status: Any, engine: _Engine, bound: float) -> Answer:
    highs = engine.highs
    if status == _MODEL.kInfeasible:
        return Answer(Status.INFEASIBLE)
    if status == _MODEL.kUnboundedOrInfeasible:
        return Answer.infeasible_or_unbounded()
    if status == _MODEL.kUnbounded:
        return Answer(Status.ERROR, message="the model is unbounded")
    info = highs.getInfo()
    if math.isfinite(info.mip_dual_bound):
        bound = min(bound, info.mip_dual_bound)
    if status == _MODEL.kOptimal:
        return Answer(Status.OPTIMAL, engine.values(), bound if math.isfinite(bound) else highs.getObjectiveValue())
    limits = (_MODEL.kTimeLimit, _MODEL.kIterationLimit, _MODEL.kSolutionLimit, _MODEL.kInterrupt)
    if status in limits:
        if info.primal_solution_status == 2:
            return Answer(Status.FEASIBLE, engine.values(), bound, "time limit")
        return Answer(Status.NO_SOLUTION, bound=bound, message="time limit")
    return Answer(Status.ERROR, message=f"HiGHS: {highs.modelStatusToString(status)}")
