"""The maximum-entropy equilibrium of an antisymmetric payoff matrix.

Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating evaluation" (2018). Two players each name an agent and the first
is paid A[i, j] = -A[j, i]. The value is 0, so p is optimal exactly if nobody gains against it: A p <= 0. Among
those p the one of largest entropy is unique, treats equal agents equally, and splits the share of an agent that is
entered twice.

1. One linear program finds the support. With slack s = -A p every optimal p has p_i s_i = 0 (since p'Ap = 0), and a
   strictly complementary one exists (Goldman and Tucker 1956): maximise e subject to p + s >= e. The agents with
   p_i > s_i are those that any optimal p uses, and on them A p = 0.
2. Where that leaves one p (as it does for measured results), done. Else maximise the entropy over A p = 0 on the
   support and A p <= 0 off it, through its dual: p is a softmax of -A'y, with y >= 0 off the support, and
   log sum exp(-A'y) is convex and smooth.

Whatever was found is checked: no agent may gain more than a millionth against it.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp, softmax

from planner.arena.stats.frame import Floats

_TOLERANCE = 1e-6


def max_entropy_nash(payoffs: Floats) -> Floats:
    """The share of each agent in the maximum-entropy equilibrium of an antisymmetric matrix."""
    a = np.asarray(payoffs, np.float64)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or not np.allclose(a, -a.T, atol=1e-9):
        raise ValueError("payoffs must be a square matrix with A = -A'")
    scale = float(np.abs(a).max(initial=0.0))
    if scale == 0:
        return np.full(len(a), 1 / len(a))
    p = _solve(a / scale)
    gain = float((a @ p).max()) / scale
    if gain > _TOLERANCE:
        raise ArithmeticError(f"no equilibrium found: an agent gains {gain:g} against the best mixture")
    return p


def _solve(a: Floats) -> Floats:
    p = _strictly_complementary(a)
    used = p > -(a @ p)
    inner = a[np.ix_(used, used)]
    if np.linalg.matrix_rank(inner, tol=1e-9) < used.sum() - 1:  # more than one p solves A p = 0
        outer = a[np.ix_(~used, used)]
        part = _max_entropy(inner, outer)
    else:
        part = p[used]
    result = np.zeros(len(a))
    result[used] = np.maximum(part, 0.0) / np.maximum(part, 0.0).sum()
    return result


def _strictly_complementary(a: Floats) -> Floats:
    """An equilibrium p with p_i > 0 wherever any equilibrium has it, and (A p)_i < 0 everywhere else."""
    n = len(a)
    column = np.ones((n, 1))
    found = linprog(
        np.append(np.zeros(n), -1.0),  # maximise e, the last variable
        A_ub=np.vstack([np.hstack([a, 0 * column]), np.hstack([a - np.eye(n), column])]),
        b_ub=np.zeros(2 * n),
        A_eq=np.append(np.ones(n), 0.0)[None, :],
        b_eq=[1.0],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not found.success:
        raise ArithmeticError(f"the linear program of the equilibrium was not solved: {found.message}")
    return np.asarray(found.x[:n], np.float64)


def _max_entropy(equal: Floats, at_most: Floats) -> Floats:
    """The p of largest entropy with equal @ p = 0 and at_most @ p <= 0."""
    rows = np.vstack([equal, at_most])
    bounds = [(None, None)] * len(equal) + [(0, None)] * len(at_most)

    def dual(y: Floats) -> tuple[float, Floats]:
        heights = -rows.T @ y
        return float(logsumexp(heights)), -rows @ softmax(heights)

    options = {"ftol": 1e-16, "gtol": 1e-11, "maxiter": 10_000, "maxfun": 100_000, "maxcor": 30}
    found = minimize(dual, np.zeros(len(rows)), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(softmax(-rows.T @ found.x), np.float64)
