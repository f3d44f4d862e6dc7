"""SCIP, called through the protocol buffers of OR-Tools MathOpt."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import numpy as np
from ortools.math_opt import (
    callback_pb2,
    model_parameters_pb2,
    model_pb2,
    parameters_pb2,
    result_pb2,
    solution_pb2,
)
from ortools.math_opt.core.python import solver as mathopt
from pybind11_abseil.status import StatusNotOk  # type: ignore[import-untyped]

from planner.solvers.backend import Answer, SolveOptions, Solver, SolveStatus
from planner.solvers.linear_model import Floats, LinearModel


class ScipSolver(Solver):
    def _run(self, model: LinearModel, options: SolveOptions, start: Floats | None) -> Answer:
        hints = model_parameters_pb2.ModelSolveParametersProto()
        if start is not None:
            values = hints.solution_hints.add().variable_values
            values.ids.extend(range(model.num_vars))
            values.values.extend(start.tolist())
        # The protocol buffers directly: MathOpt's Python objects cost more than SCIP does on a small model.
        try:
            result = mathopt.solve(
                _proto(model),
                parameters_pb2.SOLVER_TYPE_GSCIP,
                parameters_pb2.SolverInitializerProto(),
                _parameters(model, options),
                hints,
                None,
                callback_pb2.CallbackRegistrationProto(),
                None,
                None,
            )
        except StatusNotOk as error:
            # MathOpt trips over the infinite objective that SCIP reports for some unbounded models.
            if "found value: inf" in str(error):
                return Answer.infeasible_or_unbounded()
            return Answer(SolveStatus.ERROR, message=f"SCIP: {error}")
        return _answer(model, result)


def _proto(model: LinearModel) -> Any:
    m = model.matrix()
    proto = model_pb2.ModelProto()
    variables = proto.variables
    variables.ids.extend(range(model.num_vars))
    variables.lower_bounds.extend(m.lower.tolist())
    variables.upper_bounds.extend(m.upper.tolist())
    variables.integers.extend((m.integrality == 1).tolist())
    proto.objective.maximize = True
    proto.objective.offset = model.constant
    cost = model.cost()
    used = np.flatnonzero(cost)
    proto.objective.linear_coefficients.ids.extend(used.tolist())
    proto.objective.linear_coefficients.values.extend(cost[used].tolist())
    rows = proto.linear_constraints
    rows.ids.extend(range(model.num_rows))
    rows.lower_bounds.extend(m.row_lower.tolist())
    rows.upper_bounds.extend(m.row_upper.tolist())
    # MathOpt wants the entries sorted by row and column, and none of them zero.
    order = np.lexsort((m.index, m.row_of))
    order = order[m.value[order] != 0]
    matrix = proto.linear_constraint_matrix
    matrix.row_ids.extend(m.row_of[order].tolist())
    matrix.column_ids.extend(m.index[order].tolist())
    matrix.coefficients.extend(m.value[order].tolist())
    return proto


def _parameters(model: LinearModel, options: SolveOptions) -> Any:
    step = model.objective_step()
    parameters = parameters_pb2.SolveParametersProto(
        threads=options.threads,
        random_seed=options.seed,
        relative_gap_tolerance=options.gap,
        absolute_gap_tolerance=step * 0.5 if step else 0.0,
        # About half the time on turn-sized models; only one of the two, or no presolve, is slower than both or
        # neither (docs/reference/solvers.md).
        heuristics=parameters_pb2.EMPHASIS_OFF,
        cuts=parameters_pb2.EMPHASIS_OFF,
    )
    if options.time_limit is not None:
        parameters.time_limit.FromTimedelta(timedelta(seconds=options.time_limit))
    return parameters


def _answer(model: LinearModel, result: Any) -> Answer:
    reason = result.termination.reason
    if reason == result_pb2.TERMINATION_REASON_INFEASIBLE:
        return Answer(SolveStatus.INFEASIBLE)
    if reason == result_pb2.TERMINATION_REASON_UNBOUNDED:
        return Answer(SolveStatus.ERROR, message="the model is unbounded")
    if reason == result_pb2.TERMINATION_REASON_INFEASIBLE_OR_UNBOUNDED:
        return Answer.infeasible_or_unbounded()
    bound = result.termination.objective_bounds.dual_bound
    if reason == result_pb2.TERMINATION_REASON_NO_SOLUTION_FOUND:
        return Answer(SolveStatus.NO_SOLUTION, bound=bound, message="time limit")
    if reason not in (result_pb2.TERMINATION_REASON_OPTIMAL, result_pb2.TERMINATION_REASON_FEASIBLE):
        name = result_pb2.TerminationReasonProto.Name(reason)
        return Answer(SolveStatus.ERROR, message=f"SCIP: {name} {result.termination.detail}".strip())
    for found in result.solutions:
        primal = found.primal_solution
        if primal.feasibility_status == solution_pb2.SOLUTION_STATUS_FEASIBLE:
            values = np.zeros(model.num_vars)
            values[list(primal.variable_values.ids)] = list(primal.variable_values.values)
            if reason == result_pb2.TERMINATION_REASON_OPTIMAL:
                return Answer(SolveStatus.OPTIMAL, values, bound)
            return Answer(SolveStatus.FEASIBLE, values, bound, "time limit")
    return Answer(SolveStatus.NO_SOLUTION, bound=bound if math.isfinite(bound) else math.inf, message="time limit")
