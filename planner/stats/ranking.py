"""A ranking that does not depend on who happened to be entered: Nash averaging with bootstrap intervals.

A mean score depends on the field: enter a weak agent twice and whoever beats it rises. Nash averaging weighs the
opponents by the equilibrium of the game "name an agent" (see `nash`) and gives each agent its expected score
against that mixture: copies of an agent change nothing, and agents that are beaten all round weigh nothing.

Payoffs are score differences, 2 s - 1, rather than log-odds: bounded, and a pairing that one side always won needs
no invented prior.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from planner.errors import PlannerError
from planner.stats.frame import Floats, Ints, agents_in
from planner.stats.intervals import LEVEL
from planner.stats.nash import Mask, max_entropy_nash
from planner.stats.tally import POINTS, Tally, tallies

SAMPLES = 1000


def score_matrix(games: pd.DataFrame, order: Sequence[str] | None = None) -> pd.DataFrame:
    """The mean score of the row's agent against the column's, both seats weighing the same; 0.5 against itself."""
    agents = agents_in(games, order)
    return pd.DataFrame(_scores(_complete(games, agents), len(agents)), agents, agents)


def nash_average(scores: Floats, guesses: Iterable[Mask] = ()) -> tuple[Floats, Floats]:
    """Each agent's share in the mixture, and its expected score against it: 0.5 within the mixture, less outside."""
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
    """Nash averaging of every agent, best first: agent, mass and skill with bootstrap intervals, in_mixture.

    `mass` is the share in the mixture, `skill` the expected score against it. Each bootstrap sample draws, for every
    two agents, as many pairs as they played from those they played, with replacement (single games by seat); the
    intervals are percentiles. `in_mixture` is the share of samples in which the agent belongs to the mixture.
    """
    agents = agents_in(games, order)
    counted = _complete(games, agents)
    mass, skill = nash_average(_scores(counted, len(agents)))
    drawn = {key: _resample(found, rng, samples) for key, found in counted.items()}
    supports = {(mass > 0).tobytes(): mass > 0}  # few occur, and one that fits saves a linear program
    masses, skills = np.empty((samples, len(agents))), np.empty((samples, len(agents)))
    for k in range(samples):
        one = np.full((len(agents), len(agents)), 0.5)
        for (i, j), scores in drawn.items():
            one[i, j], one[j, i] = scores[k], 1 - scores[k]
        masses[k], skills[k] = nash_average(one, supports.values())
        used = masses[k] > 0
        supports.setdefault(used.tobytes(), used)
    ends = [(1 - level) / 2, (1 + level) / 2]
    table = pd.DataFrame({"agent": agents})
    for name, value, sampled in (("mass", mass, masses), ("skill", skill, skills)):
        low, high = np.quantile(sampled, ends, axis=0) if samples else np.full((2, len(agents)), np.nan)
        table[name], table[f"{name}_low"], table[f"{name}_high"] = value, low, high
    table["in_mixture"] = (masses > 1e-9).mean(axis=0) if samples else np.nan
    # Rounded: which of two equals comes first must not hang on the last digit of a solver.
    keys = table[["skill", "mass"]].round(9)
    by_worth = keys.sort_values(["skill", "mass"], ascending=False, kind="stable").index
    return table.loc[by_worth].reset_index(drop=True)


def _complete(games: pd.DataFrame, agents: Sequence[str]) -> dict[tuple[int, int], Tally]:
    """The games of every two agents; two that have not met are refused."""
    found = tallies(games, agents)
    for (i, j), counted in found.items():
        if not counted.trinomial.any():
            raise PlannerError(f"ranking: {agents[i]} and {agents[j]} have not met; Nash averaging needs every pairing")
    return found


def _scores(counted: dict[tuple[int, int], Tally], agents: int) -> Floats:
    scores = np.full((agents, agents), 0.5)
    for (i, j), found in counted.items():
        scores[i, j] = found.score()
        scores[j, i] = 1 - scores[i, j]
    return scores


def _resample(counted: Tally, rng: np.random.Generator, samples: int) -> Floats:
    """The scores of bootstrap samples. Drawing counts of equal results is the same as drawing the games, but quick."""
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
