"""Two agents compared by pairs of games, as testers of chess engines do it.

The two games of a pair share their luck (one seed, seats swapped), so the pair is the independent sample: 0, 0.5,
1, 1.5 or 2 points, five counts, the pentanomial. Its variance is what it is, usually less than that of two
separate games. The same formulas serve single games: 0, 0.5 or 1 point, three counts, the trinomial. With p_k the
share of pairs that scored s_k in [0, 1] per game (0, 1/4, ..., 1), n samples, and sigma the deviation of s:

    score  s = sum p_k s_k                          Elo   400 log10(s / (1 - s)), ends from s -+ 1.96 sigma / sqrt n
    LOS    Phi((s - 1/2) sqrt n / sigma)            nElo  800 / ln 10 * (s - 1/2) / (sigma sqrt(games a sample))

These are the numbers that fastchess prints; normalized Elo is Van den Bergh's ("Normalized Elo", 2021): effect over
noise of one game, which decides how many games a test needs, whatever the share of draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from planner.stats.frame import Floats, agents_in
from planner.stats.intervals import LEVEL, Interval, normal_cdf, normal_interval, wilson
from planner.stats.tally import tallies, tally

NELO = 800 / math.log(10)


def elo_of(score: float) -> float:
    """The difference in logistic Elo that gives a score: 400 log10(s / (1 - s)); infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else -400 * math.log10(1 / score - 1)


def score_of(elo: float) -> float:
    """The score that a difference in logistic Elo gives: 1 / (1 + 10^(-elo / 400))."""
    return 1 / (1 + 10 ** (-elo / 400))


def shares(counts: Sequence[float]) -> tuple[float, Floats, Floats]:
    """How many samples there are, the score of each kind of sample in [0, 1], and its share."""
    array = np.asarray(counts, np.float64)
    if array.shape not in {(3,), (5,)} or (array < 0).any():
        raise ValueError(f"{list(counts)} are neither three counts (games) nor five (pairs)")
    total = float(array.sum())
    return total, np.linspace(0, 1, len(array)), array / total if total else array


@dataclass(frozen=True)
class PairedComparison:
    """One agent against another; every number from the first one's view."""

    counts: tuple[int, ...]  # pairs by points (five), or games by points (three)
    games: int
    score: Interval
    elo: Interval
    nelo: Interval
    los: float  # likelihood of superiority
    variance: float  # of the score of one sample, a pair or a game

    @property
    def paired(self) -> bool:
        """Whether the samples are pairs."""
        return len(self.counts) == 5


def compare(counts: Sequence[int], level: float = LEVEL) -> PairedComparison:
    """Score, Elo, normalized Elo and LOS from three or five counts, fewest points first.

    Where every sample ended the same, the sample's variance is 0 and says nothing: then the interval is Wilson's for
    as many coins, and LOS takes the variance of a coin, 1/4, the largest there is.
    """
    total, scores, share = shares(counts)
    each = (len(counts) - 1) // 2
    if not total:
        nothing = Interval(math.nan, -math.inf, math.inf)
        return PairedComparison(tuple(counts), 0, Interval(math.nan, 0.0, 1.0), nothing, nothing, 0.5, math.nan)
    mean = float(share @ scores)
    variance = float(share @ (scores - mean) ** 2)
    if variance > 1e-15:
        error = math.sqrt(variance / total)
        wald = normal_interval(mean, error, level)
        score = Interval(mean, max(0.0, wald.low), min(1.0, wald.high))
        nelo = wald.scaled(1.0, -0.5).scaled(NELO / math.sqrt(each * variance))
    else:
        variance, error = 0.0, math.sqrt(0.25 / total)
        score = wilson(mean * total, total, level)
        nelo = score.scaled(1.0, -0.5).scaled(NELO / math.sqrt(each * 0.25))
    elo = Interval(*map(elo_of, score))
    los = normal_cdf((mean - 0.5) / error)
    return PairedComparison(tuple(int(n) for n in counts), int(total) * each, score, elo, nelo, los, variance)


def compare_agents(games: pd.DataFrame, agent: str, opponent: str, level: float = LEVEL) -> PairedComparison:
    """Compare two agents by their pairs where all their games are paired, else by all their games singly."""
    counted = tally(games, agent, opponent)
    counts = counted.trinomial if counted.unpaired else counted.pentanomial
    return compare([int(n) for n in counts], level)


def paired_table(games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL) -> pd.DataFrame:
    """One row per two agents that met in complete pairs: the pentanomial and what follows from it."""
    rows = []
    agents = agents_in(games, order)
    for (i, j), counted in tallies(games, agents).items():
        found = compare([int(n) for n in counted.pentanomial], level)
        if found.games:
            numbers = (*found.score, *found.elo, *found.nelo, found.los)
            rows.append((agents[i], agents[j], sum(found.counts), *found.counts, counted.unpaired, *numbers))
    points = [f"points_{points:g}" for points in (0, 0.5, 1, 1.5, 2)]
    ends = [f"{name}{end}" for name in ("score", "elo", "nelo") for end in ("", "_low", "_high")]
    return pd.DataFrame(rows, columns=["agent", "opponent", "pairs", *points, "unpaired", *ends, "los"])
