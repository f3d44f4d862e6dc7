"""Two agents compared by pairs of games, as testers of chess engines do it.

The two games of a pair share their luck (one seed, seats swapped), so the pair is the independent sample: 0, 0.5,
1, 1.5 or 2 points, five counts, the pentanomial. Its variance is what it is, usually less than that of two
separate games. The same formulas serve single games: 0, 0.5 or 1 point, three counts, the trinomial. With p_k the
share of pairs that scored s_k in [0, 1] per game (0, 1/4, ..., 1), n samples, and sigma the deviation of s:

    score  s = sum p_k s_k                          Elo   400 log10(s / (1 - s)), ends from s -+ 1.96 sigma / sqrt n
    LOS    Phi((s - 1/2) sqrt n / sigma)            nElo  800 / ln 10 * (s - 1/2) / (sigma sqrt(games a sample))

These are the numbers that fastchess prints; normalized Elo is Van den Bergh's ("Normalized Elo", 2021): effect over
noise of one game, which decides how many games a test needs, whatever the share of draws.

A sequential test of two agents: stop as soon as the games say enough (SPRT).

H0: the difference in Elo is `elo0`; H1: it is `elo1`. After every pair the log-likelihood ratio is compared with
Wald's bounds

    lower = ln(beta / (1 - alpha)),    upper = ln((1 - beta) / alpha).

The shares of the five results of a pair are unknown, so the ratio is the generalized one (GSPRT), as in fishtest:
under each hypothesis the likeliest shares whose score is s = 1 / (1 + 10^(-elo / 400)). With counts n_k of score s_k
and N their sum, those are (Van den Bergh, "The generalized maximum likelihood ratio for the expectation
value of a distribution")

    p_k = n_k / N / (1 + x (s_k - s)),    x the root of  sum n_k (s_k - s) / (1 + x (s_k - s)) = 0,

and LLR = sum n_k ln(p_k(s1) / p_k(s0)). fastchess prints its expansion N/2 ln(sum n_k (s_k - s0)^2 / sum n_k
(s_k - s1)^2), which agrees to the digits shown. A result that has not been seen counts as a thousandth of one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from planner.stats.games_table import Floats, agents_in, tallies, tally
from planner.stats.intervals import LEVEL, Interval, normal_cdf, normal_interval, wilson

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


Decision = Literal["continue", "accept H0", "accept H1"]
_UNSEEN = 1e-3


def log_likelihood_ratio(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """The generalized LLR of `elo1` against `elo0` for three counts (games) or five (pairs), fewest points first."""
    total, scores, _ = shares(counts)
    if not total:
        return 0.0
    seen = [max(float(n), _UNSEEN) for n in counts]
    lean0, lean1 = (_stretch(seen, [s - score_of(elo) for s in scores.tolist()]) for elo in (elo0, elo1))
    return math.fsum(n * math.log(a / b) for n, a, b in zip(seen, lean0, lean1, strict=True))


def _stretch(counts: list[float], away: list[float]) -> list[float]:
    """1 + x (s_k - s) at the root x of the equation above: what each share is divided by.

    The left side falls from +inf to -inf between the two poles. Newton's steps, halving the bracket where one
    leaves it; plain floats, since five numbers are too few for arrays to pay.
    """
    low, high = -1 / max(away), -1 / min(away)
    x = 0.0
    for _ in range(200):
        terms = [(n, a / (1 + x * a)) for n, a in zip(counts, away, strict=True)]
        value = sum(n * t for n, t in terms)
        if value > 0:
            low = x
        else:
            high = x
        new = x + value / sum(n * t * t for n, t in terms)
        if not low < new < high:
            new = (low + high) / 2
        if abs(new - x) <= 1e-14 * abs(x):
            break
        x = new
    return [1 + x * a for a in away]


class Sprt:
    """A running test. Feed it results in the order of the schedule, so that it stops at the same game every time.

    >>> test = Sprt(0, 50)
    >>> test.update([0, 2, 5, 9, 4])  # pairs with 0, 0.5, 1, 1.5 and 2 points
    'continue'
    """

    def __init__(self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        if not elo0 < elo1:
            raise ValueError(f"elo0 {elo0} must be less than elo1 {elo1}")
        if not (0 < alpha < 1 and 0 < beta < 1 and alpha + beta < 1):
            raise ValueError(f"alpha {alpha} and beta {beta} must be chances that together are less than 1")
        self.elo0, self.elo1 = elo0, elo1
        self.alpha, self.beta = alpha, beta
        self.lower = math.log(beta / (1 - alpha))
        self.upper = math.log((1 - beta) / alpha)
        self.counts: tuple[int, ...] = ()
        self.llr = 0.0
        self.decision: Decision = "continue"

    def update(self, results: Sequence[int]) -> Decision:
        """Add new results (five counts for pairs, three for games) and decide.

        A decision once made stays, though games that were under way may still be added: what counts is the first
        crossing.
        """
        if self.counts and len(results) != len(self.counts):
            raise ValueError(f"pairs and single games cannot be mixed: {len(results)} counts after {len(self.counts)}")
        before = self.counts or (0,) * len(results)
        self.counts = tuple(a + int(b) for a, b in zip(before, results, strict=True))
        self.llr = log_likelihood_ratio(self.counts, self.elo0, self.elo1)
        if self.decision == "continue":
            if self.llr >= self.upper:
                self.decision = "accept H1"
            elif self.llr <= self.lower:
                self.decision = "accept H0"
        return self.decision
