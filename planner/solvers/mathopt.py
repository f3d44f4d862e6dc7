"""CP-SAT (on models of integers only) and SCIP, called through the protocol buffers of OR-Tools MathOpt."""

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

from planner.solvers.backend import Answer, Solver, SolveStatus
from planner.solvers.linear_model import Floats, LinearModel


class MathOptSolver(Solver):
    solver_type: int

    def _run(self, model: LinearModel, start: Floats | None, time_limit: float | None) -> Answer:
        hints = model_parameters_pb2.ModelSolveParametersProto()
        if start is not None:
            values = hints.solution_hints.add().variable_values
            values.ids.extend(range(model.num_vars))
            values.values.extend(start.tolist())
        # The protocol buffers directly: MathOpt's Python objects cost more than the solver does on a small model.
        try:
            result = mathopt.solve(
                _proto(model),
                self.solver_type,
                parameters_pb2.SolverInitializerProto(),
                self._parameters(model, time_limit),
                hints,
                None,
                callback_pb2.CallbackRegistrationProto(),
                None,
                None,
            )
        except StatusNotOk as error:
            # MathOpt trips over the infinite objective that SCIP reports for some unbounded models.
            if "found value: inf" in str(error):
                return Answer(SolveStatus.INFEASIBLE_OR_UNBOUNDED)
            return Answer(SolveStatus.ERROR, message=f"{self.info.title}: {error}")
        return self._answer(model, result)

    def _parameters(self, model: LinearModel, time_limit: float | None) -> Any:
        step = model.objective_step()
        parameters = parameters_pb2.SolveParametersProto(
            threads=1, random_seed=0, relative_gap_tolerance=0.0, absolute_gap_tolerance=step * 0.5 if step else 0.0
        )
        if time_limit is not None:
            parameters.time_limit.FromTimedelta(timedelta(seconds=time_limit))
        return parameters

    def _answer(self, model: LinearModel, result: Any) -> Answer:
        reason = result.termination.reason
        if reason == result_pb2.TERMINATION_REASON_INFEASIBLE:
            return Answer(SolveStatus.INFEASIBLE)
        if reason == result_pb2.TERMINATION_REASON_UNBOUNDED:
            return Answer(SolveStatus.ERROR, message="the model is unbounded")
        if reason == result_pb2.TERMINATION_REASON_INFEASIBLE_OR_UNBOUNDED:
            return Answer(SolveStatus.INFEASIBLE_OR_UNBOUNDED)
        bound = result.termination.objective_bounds.dual_bound
        if reason == result_pb2.TERMINATION_REASON_NO_SOLUTION_FOUND:
            return Answer(SolveStatus.NO_SOLUTION, bound=bound, message="time limit")
        if reason not in (result_pb2.TERMINATION_REASON_OPTIMAL, result_pb2.TERMINATION_REASON_FEASIBLE):
            name = result_pb2.TerminationReasonProto.Name(reason)
            return Answer(SolveStatus.ERROR, message=f"{self.info.title}: {name} {result.termination.detail}".strip())
        for found in result.solutions:
            primal = found.primal_solution
            if primal.feasibility_status == solution_pb2.SOLUTION_STATUS_FEASIBLE:
                values = np.zeros(model.num_vars)
                values[list(primal.variable_values.ids)] = list(primal.variable_values.values)
                if reason == result_pb2.TERMINATION_REASON_OPTIMAL:
                    return Answer(SolveStatus.OPTIMAL, values, bound)
                return Answer(SolveStatus.FEASIBLE, values, bound, "time limit")
        return Answer(SolveStatus.NO_SOLUTION, bound=bound if math.isfinite(bound) else math.inf, message="time limit")


class ScipSolver(MathOptSolver):
    solver_type = parameters_pb2.SOLVER_TYPE_GSCIP

    def _parameters(self, model: LinearModel, time_limit: float | None) -> Any:
        parameters = super()._parameters(model, time_limit)
        # About half the time on turn-sized models; only one of the two, or no presolve, is slower than both or
        # neither (docs/reference/solvers.md).
        parameters.heuristics = parameters.cuts = parameters_pb2.EMPHASIS_OFF
        return parameters


# CP-SAT wants finite domains whose sums fit into 64 bits.
_FAR = 2**40
_LIMIT = 2**62


class CpSatSolver(MathOptSolver):
    solver_type = parameters_pb2.SOLVER_TYPE_CP_SAT

    def _run(self, model: LinearModel, start: Floats | None, time_limit: float | None) -> Answer:
        refusal = _refusal(model)
        return Answer(SolveStatus.ERROR, message=refusal) if refusal else super()._run(model, start, time_limit)

    def _parameters(self, model: LinearModel, time_limit: float | None) -> Any:
        parameters = super()._parameters(model, time_limit)
        # On turn-sized models presolve takes longer than the search that it spares, and the linear relaxation is what
        # proves optimality (docs/reference/solvers.md).
        cp_sat = parameters.cp_sat
        cp_sat.cp_model_presolve = False
        cp_sat.symmetry_level = 0
        cp_sat.linearization_level = 2
        cp_sat.mip_max_bound = _FAR
        return parameters

    def _answer(self, model: LinearModel, result: Any) -> Answer:
        answer = super()._answer(model, result)
        if answer.values is not None:
            m, values = model.matrix(), np.asarray(answer.values)
            far = (np.isinf(m.lower) & (values <= -_FAR)) | (np.isinf(m.upper) & (values >= _FAR))
            if (far & (model.cost() != 0)).any():
                return Answer(SolveStatus.ERROR, message="the model is unbounded")
        return answer


def _refusal(model: LinearModel) -> str | None:
    m = model.matrix()
    if not m.integrality.all():
        name = model.var_names[int(np.argmin(m.integrality))]
        return f"CP-SAT solves models of integers only; variable {name} is continuous"
    odd = m.value != np.rint(m.value)
    if odd.any():
        at = int(np.argmax(odd))
        return f"CP-SAT takes integer coefficients only; row {model.row_names[m.row_of[at]]} has {m.value[at]:.15g}"
    cost = model.cost()
    odd = cost != np.rint(cost)
    if odd.any():
        at = int(np.argmax(odd))
        return f"CP-SAT takes integer coefficients only; variable {model.var_names[at]} counts {cost[at]:.15g}"
    reach = np.minimum(np.maximum(np.abs(m.lower), np.abs(m.upper)), _FAR)
    size = np.bincount(m.row_of, weights=np.abs(m.value) * reach[m.index], minlength=1).max(initial=0.0)
    if max(float(size), float(np.dot(np.abs(cost), reach))) >= _LIMIT:
        return "CP-SAT counts in 64 bits, which is too little for the coefficients and bounds of this model"
    return None


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
