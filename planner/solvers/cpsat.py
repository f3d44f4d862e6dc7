"""CP-SAT, the constraint solver of OR-Tools, on models of integers only."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from ortools.sat.python import cp_model_helper as cp

from planner.solvers.backend import Answer, SolveOptions, Solver, SolveStatus
from planner.solvers.linear_model import Floats, LinearModel

# CP-SAT wants finite domains whose sums fit into 64 bits.
_FAR = 2**40
_LIMIT = 2**62


class CpSatSolver(Solver):
    def _run(self, model: LinearModel, options: SolveOptions, start: Floats | None) -> Answer:
        refusal = _refusal(model)
        if refusal:
            return Answer(SolveStatus.ERROR, message=refusal)
        proto = _proto(model)
        if start is not None:
            proto.solution_hint.vars.extend(list(range(model.num_vars)))
            proto.solution_hint.values.extend([round(v) for v in start.tolist()])
        wrapper: Any = cp.SolveWrapper()
        wrapper.set_parameters(_parameters(options))
        response = wrapper.solve(proto)
        bound = float(response.best_objective_bound)
        status = response.status
        if status == cp.CpSolverStatus.INFEASIBLE:
            return Answer(SolveStatus.INFEASIBLE)
        if status == cp.CpSolverStatus.MODEL_INVALID:
            return Answer(SolveStatus.ERROR, message=f"CP-SAT refuses the model: {response.solution_info}")
        if status == cp.CpSolverStatus.UNKNOWN:
            return Answer(SolveStatus.NO_SOLUTION, bound=math.inf, message="time limit")
        values = np.array(list(response.solution), dtype=np.float64)
        m = model.matrix()
        far = (np.isinf(m.lower) & (values <= -_FAR)) | (np.isinf(m.upper) & (values >= _FAR))
        if (far & (model.cost() != 0)).any():
            return Answer(SolveStatus.ERROR, message="the model is unbounded")
        if status == cp.CpSolverStatus.OPTIMAL:
            return Answer(SolveStatus.OPTIMAL, values, bound)
        return Answer(SolveStatus.FEASIBLE, values, bound, "time limit")


def _parameters(options: SolveOptions) -> Any:
    parameters = cp.SatParameters()
    parameters.num_workers = options.threads
    parameters.random_seed = options.seed
    parameters.relative_gap_limit = options.gap
    # On turn-sized models presolve takes longer than the search that it spares, and the linear relaxation is what
    # proves optimality (docs/reference/solvers.md).
    parameters.cp_model_presolve = False
    parameters.symmetry_level = 0
    parameters.linearization_level = 2
    if options.time_limit is not None:
        parameters.max_time_in_seconds = options.time_limit
    return parameters


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
    proto = cp.CpModelProto()
    variables, constraints = proto.variables, proto.constraints
    lower = np.maximum(m.lower, -_FAR).astype(np.int64).tolist()
    upper = np.minimum(m.upper, _FAR).astype(np.int64).tolist()
    for low, high in zip(lower, upper, strict=True):
        variables.add().domain.extend([low, high])
    index, value, first = m.index.tolist(), m.value.astype(np.int64).tolist(), m.start.tolist()
    row_lower = np.maximum(m.row_lower, -_LIMIT).astype(np.int64).tolist()
    row_upper = np.minimum(m.row_upper, _LIMIT).astype(np.int64).tolist()
    for row in range(model.num_rows):
        linear = constraints.add().linear
        part = slice(first[row], first[row + 1])
        linear.vars.extend(index[part])
        linear.coeffs.extend(value[part])
        linear.domain.extend([row_lower[row], row_upper[row]])
    # CP-SAT minimises inside; scaling by -1 turns objective and bound back.
    cost = model.cost()
    used = np.flatnonzero(cost)
    objective = proto.objective
    objective.vars.extend(used.tolist())
    objective.coeffs.extend((-cost[used]).astype(np.int64).tolist())
    objective.scaling_factor = -1.0
    objective.offset = -model.constant
    return proto
