"""Gurobi through gurobipy, whose free licence holds up to 2000 variables and 2000 rows."""

from __future__ import annotations

import math
import os
import threading
from typing import Any

import gurobipy
import numpy as np

from planner.solvers import SolverInfo
from planner.solvers.backend import Answer, Solver, SolveStatus
from planner.solvers.linear_model import Floats, LinearModel

_GRB = gurobipy.GRB


class GurobiSolver(Solver):
    def __init__(self, info: SolverInfo) -> None:
        super().__init__(info)
        self._local = threading.local()

    def usable(self) -> str | None:
        try:
            self._environment()
        except gurobipy.GurobiError as error:
            return f"installed, but the licence is unusable: {error}"
        return None

    def _environment(self) -> Any:
        # An environment belongs to one thread of one process; starting one reads the licence (milliseconds).
        if getattr(self._local, "pid", None) != os.getpid():
            self._local.environment = gurobipy.Env(params={"OutputFlag": 0, "LogToConsole": 0})
            self._local.pid = os.getpid()
        return self._local.environment

    def _run(self, model: LinearModel, start: Floats | None, time_limit: float | None) -> Answer:
        try:
            environment = self._environment()
        except gurobipy.GurobiError as error:
            return Answer(SolveStatus.ERROR, message=f"Gurobi is installed, but the licence is unusable: {error}")
        try:
            with gurobipy.Model(env=environment) as program:
                _build(program, model, start)
                _set(program, model, time_limit)
                program.optimize()
                return _answer(program)
        except gurobipy.GurobiError as error:
            if error.errno == _GRB.Error.SIZE_LIMIT_EXCEEDED:
                size = f"{model.num_vars} variables and {model.num_rows} rows"
                return Answer(SolveStatus.ERROR, message=f"Gurobi's licence does not allow {size}: {error}")
            return Answer(SolveStatus.ERROR, message=f"Gurobi: {error}")


def _build(program: Any, model: LinearModel, start: Floats | None) -> None:
    m = model.matrix()
    kinds = np.where(m.integrality == 1, _GRB.INTEGER, _GRB.CONTINUOUS)
    # A plain list of variables and one expression per row: faster than the matrix interface on small models,
    # which wants scipy or a dense matrix.
    columns = zip(m.lower.tolist(), m.upper.tolist(), model.cost().tolist(), kinds.tolist(), strict=True)
    variables = [program.addVar(*column) for column in columns]
    program.ModelSense = _GRB.MAXIMIZE
    program.ObjCon = model.constant
    first, index, value = m.start.tolist(), m.index.tolist(), m.value.tolist()
    for row, (low, high) in enumerate(zip(m.row_lower.tolist(), m.row_upper.tolist(), strict=True)):
        part = slice(first[row], first[row + 1])
        expression = gurobipy.LinExpr(value[part], [variables[i] for i in index[part]])
        if low == high:
            program.addLConstr(expression, _GRB.EQUAL, low)
            continue
        if low != -math.inf:
            program.addLConstr(expression, _GRB.GREATER_EQUAL, low)
        if high != math.inf:
            program.addLConstr(expression, _GRB.LESS_EQUAL, high)
    if start is not None:
        program.update()
        program.setAttr("Start", variables, start.tolist())


def _set(program: Any, model: LinearModel, time_limit: float | None) -> None:
    step = model.objective_step()
    program.Params.Threads = 1
    program.Params.Seed = 0
    program.Params.MIPGap = 0.0
    program.Params.MIPGapAbs = step * 0.5 if step else 0.0
    # An objective coefficient of 2^26 turns the default slack of 1e-5 in an integer into 671 points.
    program.Params.IntFeasTol = 1e-9
    program.Params.FeasibilityTol = 1e-9
    if time_limit is not None:
        program.Params.TimeLimit = time_limit


def _answer(program: Any) -> Answer:
    status = program.Status
    if status == _GRB.INFEASIBLE:
        return Answer(SolveStatus.INFEASIBLE)
    if status in (_GRB.INF_OR_UNBD, _GRB.UNBOUNDED):
        # Where it is unbounded, Gurobi has a ray, but does not say whether there is a point to start from.
        return Answer(SolveStatus.INFEASIBLE_OR_UNBOUNDED)
    if status == _GRB.OPTIMAL:
        bound = program.ObjBound if program.IsMIP else program.ObjVal
        return Answer(SolveStatus.OPTIMAL, program.getAttr("X"), bound)
    if status in (_GRB.TIME_LIMIT, _GRB.INTERRUPTED, _GRB.NODE_LIMIT, _GRB.WORK_LIMIT, _GRB.SUBOPTIMAL):
        if program.SolCount:
            return Answer(SolveStatus.FEASIBLE, program.getAttr("X"), program.ObjBound, "time limit")
        bound = program.ObjBound if program.IsMIP else math.inf
        return Answer(SolveStatus.NO_SOLUTION, bound=bound if bound < _GRB.INFINITY else math.inf, message="time limit")
    return Answer(SolveStatus.ERROR, message=f"Gurobi ended with status {status}")
