"""Nash averaging with bootstrap intervals: a ranking that does not depend on which agents take part.

A mean score depends on the field: if a weak agent takes part twice, the agents that beat it rise. Nash averaging
(Balduzzi, Tuyls, Perolat and Graepel, "Re-evaluating evaluation", 2018) weights opponents by the equilibrium of the
game "name an agent", and gives each agent its expected score against that mixture. Copies of an agent change nothing,
and agents that lose to all others have no weight. Payoffs are score differences, 2 s - 1, rather than log-odds: they
are bounded, and a pairing that one side always won needs no prior.

In that game two players each name an agent, and the first is paid A[i, j] = -A[j, i]. Its value is 0, so a mixture p is
optimal exactly if no agent gains against it: A p <= 0. Among the optimal mixtures the one of largest entropy is unique
and treats equal agents equally. It is computed in three steps:

1. Copies, which are agents with equal payoffs against all others, are merged, and share the result. Entropy alone would
   also split the share of a copied agent, but with several optimal mixtures it would prefer those with many copies.
2. One linear program finds the support. With slack s = -A p every optimal p has p_i s_i = 0 (since p'Ap = 0), and a
   strictly complementary one exists (Goldman and Tucker 1956): maximise e subject to p + s >= e. The agents with
   p_i > s_i are those that any optimal p uses, and on them A p = 0. A support that is guessed correctly can be proved
   without the program: p > 0 on it, A p < 0 off it.
3. If only one such p exists (the usual case for measured results), it is the result. Otherwise the entropy is maximised
   over A p = 0 on the support and A p <= 0 off it, through its dual: p is a softmax of -A'y, with y >= 0 off the
   support, and log sum exp(-A'y) is convex and smooth.

The result is checked: no agent may gain more than a millionth against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize
from scipy.special import logsumexp, softmax

from planner.errors import PlannerError
from planner.stats.games_table import POINTS, Floats, Ints, Tally, agents_in, tallies
from planner.stats.intervals import LEVEL

Mask = NDArray[np.bool_]

_GAIN = 1e-6
_ZERO = 1e-9


def max_entropy_nash(payoffs: Floats, guesses: Iterable[Mask] = ()) -> Floats:
    """Return the share of each agent in the maximum-entropy equilibrium of an antisymmetric matrix.

    `guesses` are supports to try first, such as those of similar matrices; they only save time.
    """
    a = np.asarray(payoffs, np.float64)
    if a.ndim != 2 or a.shape[0] != a.shape[1] or not np.allclose(a, -a.T, atol=_ZERO):
        raise ValueError("payoffs must be a square matrix with A = -A'")
    scale = float(np.abs(a).max(initial=0.0))
    if scale == 0:
        return np.full(len(a), 1 / max(len(a), 1))
    a = a / scale
    for guess in guesses:
        p = _proved(a, guess)
        if p is not None:
            return p
    _, chosen, kind, copies = np.unique(a.round(12), axis=0, return_index=True, return_inverse=True, return_counts=True)
    p = (_solve(a[np.ix_(chosen, chosen)]) / copies)[kind]
    gain = float((a @ p).max())
    if gain > _GAIN:
        raise ArithmeticError(f"no equilibrium found: an agent gains {gain:g} against the best mixture")
    return p


def _proved(a: Floats, used: Mask) -> Floats | None:
    """Return the equilibrium with exactly this support if it is the only equilibrium, else None."""
    _, singular, rows = np.linalg.svd(a[np.ix_(used, used)])
    if singular[-1] > _ZERO or (len(singular) > 1 and singular[-2] <= _ZERO):
        return None
    total = rows[-1].sum()
    if abs(total) <= _ZERO:  # the vector cannot be scaled to sum 1
        return None
    p = np.zeros(len(a))
    p[used] = rows[-1] / total
    fits = bool((p[used] > _ZERO).all() and (a[~used] @ p < -_ZERO).all())
    return p if fits else None


def _solve(a: Floats) -> Floats:
    p = _strictly_complementary(a)
    used = p > -(a @ p)
    inner = a[np.ix_(used, used)]
    if np.linalg.matrix_rank(inner, tol=_ZERO) < used.sum() - 1:  # more than one p solves A p = 0
        part = _max_entropy(inner, a[np.ix_(~used, used)])
    else:
        part = np.maximum(p[used], 0.0)
    result = np.zeros(len(a))
    result[used] = part / part.sum()
    return result


def _strictly_complementary(a: Floats) -> Floats:
    """Return an equilibrium p with p_i > 0 wherever any equilibrium has it, and (A p)_i < 0 everywhere else."""
    n = len(a)
    column = np.ones((n, 1))
    solution = linprog(
        np.append(np.zeros(n), -1.0),  # maximise e, the last variable
        A_ub=np.vstack([np.hstack([a, 0 * column]), np.hstack([a - np.eye(n), column])]),
        b_ub=np.zeros(2 * n),
        A_eq=np.append(np.ones(n), 0.0)[None, :],
        b_eq=[1.0],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if solution.x is None:
        raise ArithmeticError(f"the linear program of the equilibrium was not solved: {solution.message}")
    return np.asarray(solution.x[:n], np.float64)


def _max_entropy(equal: Floats, at_most: Floats) -> Floats:
    """Return the p of largest entropy with equal @ p = 0 and at_most @ p <= 0."""
    rows = np.vstack([equal, at_most])
    bounds = [(None, None)] * len(equal) + [(0, None)] * len(at_most)

    def dual(y: Floats) -> tuple[float, Floats]:
        heights = -rows.T @ y
        return float(logsumexp(heights)), -rows @ softmax(heights)

    solution = minimize(
        dual,
        np.zeros(len(rows)),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 10_000, "maxfun": 100_000},
    )
    return np.asarray(softmax(-rows.T @ solution.x), np.float64)


SAMPLES = 1000


def score_matrix(games: pd.DataFrame, order: Sequence[str] | None = None) -> pd.DataFrame:
    """Return the mean score of the row agent against the column agent, with equal weight for both seats."""
    agents = agents_in(games, order)
    return pd.DataFrame(_scores(_complete(games, agents), len(agents)), agents, agents)


def nash_average(scores: Floats, guesses: Iterable[Mask] = ()) -> tuple[Floats, Floats]:
    """Return each agent's share in the mixture and its expected score against it: 0.5 in the mixture, else less."""
    payoffs = scores - scores.T  # exactly antisymmetric, and 2 s - 1
    mass = max_entropy_nash(payoffs, guesses)
    return mass, 0.5 + payoffs @ mass / 2


def nash_ranking(
    games: pd.DataFrame,
    rng: np.random.Generator,
    order: Sequence[str] | None = None,
    samples: int = SAMPLES,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Return the Nash average of every agent, best first: agent, mass, skill (with intervals), in_mixture.

    `mass` is the share in the mixture, `skill` the expected score against it. Each bootstrap sample draws, for every
    two agents, as many pairs as they played, with replacement (single games by seat); the intervals are percentiles.
    `in_mixture` is the share of samples in which the agent is part of the mixture.
    """
    agents = agents_in(games, order)
    counted = _complete(games, agents)
    mass, skill = nash_average(_scores(counted, len(agents)))
    drawn = {key: _resample(tally, rng, samples) for key, tally in counted.items()}
    supports = {(mass > 0).tobytes(): mass > 0}  # only few occur, and one that fits saves a linear program
    masses, skills = np.empty((samples, len(agents))), np.empty((samples, len(agents)))
    for k in range(samples):
        sample = np.full((len(agents), len(agents)), 0.5)
        for (i, j), scores in drawn.items():
            sample[i, j], sample[j, i] = scores[k], 1 - scores[k]
        masses[k], skills[k] = nash_average(sample, supports.values())
        used = masses[k] > 0
        supports.setdefault(used.tobytes(), used)
    ends = [(1 - level) / 2, (1 + level) / 2]
    table = pd.DataFrame({"agent": agents})
    for name, value, sampled in (("mass", mass, masses), ("skill", skill, skills)):
        low, high = np.quantile(sampled, ends, axis=0) if samples else np.full((2, len(agents)), np.nan)
        table[name], table[f"{name}_low"], table[f"{name}_high"] = value, low, high
    table["in_mixture"] = (masses > 1e-9).mean(axis=0) if samples else np.nan
    # Rounded: the order of equal agents must not depend on the last digit of a solver.
    keys = table[["skill", "mass"]].round(9)
    best_first = keys.sort_values(["skill", "mass"], ascending=False, kind="stable").index
    return table.loc[best_first].reset_index(drop=True)


def _complete(games: pd.DataFrame, agents: Sequence[str]) -> dict[tuple[int, int], Tally]:
    """Count the games of every two agents; raise if two have not met."""
    tallied = tallies(games, agents)
    for (i, j), counted in tallied.items():
        if not counted.trinomial.any():
            raise PlannerError(f"ranking: {agents[i]} and {agents[j]} have not met; Nash averaging needs every pairing")
    return tallied


def _scores(counted: dict[tuple[int, int], Tally], agents: int) -> Floats:
    scores = np.full((agents, agents), 0.5)
    for (i, j), tally in counted.items():
        scores[i, j] = tally.score()
        scores[j, i] = 1 - scores[i, j]
    return scores


def _resample(counted: Tally, rng: np.random.Generator, samples: int) -> Floats:
    """Return the scores of bootstrap samples. Drawing counts of results is equivalent to drawing games, but fast."""
    pairs = _draw(counted.pairs.ravel(), rng, samples).reshape(samples, 3, 3)
    first, second = (_draw(counts, rng, samples) for counts in (counted.first, counted.second))
    by_seat = (pairs.sum(axis=2) + first, pairs.sum(axis=1) + second)
    played = (counted.pairs.sum() + counted.first.sum(), counted.pairs.sum() + counted.second.sum())
    scores = [drawn @ POINTS / total for drawn, total in zip(by_seat, played, strict=True) if total]
    return np.asarray(np.mean(scores, axis=0), np.float64)


def _draw(counts: Ints, rng: np.random.Generator, samples: int) -> Ints:
    total = int(counts.sum())
    if not total:
        return np.zeros((samples, len(counts)), np.int64)
    return rng.multinomial(total, counts / total, size=samples)
