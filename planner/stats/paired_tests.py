"""Compare two agents by pairs of games, and test them sequentially (SPRT), as testers of chess engines do.

The two games of a pair share a seed, with the seats swapped. The pair is therefore the independent sample: 0, 0.5, 1,
1.5 or 2 points, which gives five counts, the pentanomial. Its variance is usually less than that of two separate games.
The same formulas apply to single games: 0, 0.5 or 1 point, three counts, the trinomial. With p_k the share of pairs
that scored s_k in [0, 1] per game (0, 1/4, ..., 1), n samples, and sigma the deviation of s:

    score  s = sum p_k s_k                          Elo   400 log10(s / (1 - s)), ends from s -+ 1.96 sigma / sqrt n
    LOS    Phi((s - 1/2) sqrt n / sigma)            nElo  800 / ln 10 * (s - 1/2) / (sigma sqrt(games per sample))

These are the numbers that fastchess prints. Normalized Elo (Van den Bergh, "Normalized Elo", 2021) is the effect
divided by the noise of one game, which determines how many games a test needs, whatever the share of draws.

The sequential test stops as soon as the games decide between H0, a difference in Elo of `elo0`, and H1, a difference of
`elo1`. After every pair the log-likelihood ratio (LLR) is compared with Wald's bounds

    lower = ln(beta / (1 - alpha)),    upper = ln((1 - beta) / alpha).

The shares of the five results of a pair are unknown, so the ratio is the generalized one (GSPRT), as in fishtest: each
hypothesis uses the most likely shares whose score is s = 1 / (1 + 10^(-elo / 400)). With counts n_k of score s_k and N
their sum, those are (Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of a
distribution")

    p_k = n_k / N / (1 + x (s_k - s)),    x the root of  sum n_k (s_k - s) / (1 + x (s_k - s)) = 0,

and LLR = sum n_k ln(p_k(s1) / p_k(s0)). fastchess prints its expansion N/2 ln(sum n_k (s_k - s0)^2 / sum n_k
(s_k - s1)^2), which agrees to the digits shown. A result that has not occurred counts as a thousandth of one.

With k > 2 seats, an agent's score in a game is the share of the other seats that finish behind it, and a sample is the
k games in which it takes each seat once against copies of the other agent: 2 k (k - 1) + 1 counts. By the model of
Plackett and Luce the expected score is that of the two agents alone, so Elo has the same meaning.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy.special import ndtr

from planner.errors import PlannerError, quote, suggest
from planner.stats.games_table import Floats, agents_in, tallies, tally
from planner.stats.intervals import LEVEL, Interval, normal_interval, wilson

NELO = 800 / math.log(10)


def elo_of(score: float) -> float:
    """Return the difference in logistic Elo that gives this score: 400 log10(s / (1 - s)); infinite at 0 and 1."""
    if score <= 0:
        return -math.inf
    return math.inf if score >= 1 else -400 * math.log10(1 / score - 1)


def score_of(elo: float) -> float:
    """Return the score that this difference in logistic Elo gives: 1 / (1 + 10^(-elo / 400))."""
    return 1 / (1 + 10 ** (-elo / 400))


def shares(counts: Sequence[float]) -> tuple[float, Floats, Floats]:
    """Return the number of samples, the score in [0, 1] of each kind of sample, and its share."""
    array = np.asarray(counts, np.float64)
    if array.ndim != 1 or len(array) < 3 or len(array) % 2 == 0 or (array < 0).any():
        raise ValueError(f"needs three counts (games), five (pairs) or another odd number, got {list(counts)}")
    total = float(array.sum())
    return total, np.linspace(0, 1, len(array)), array / total if total else array


@dataclass(frozen=True)
class PairedComparison:
    """One agent against another; all numbers are from the view of the first."""

    counts: tuple[int, ...]  # pairs by points (five), or games by points (three)
    games: int
    score: Interval
    elo: Interval
    nelo: Interval
    los: float  # likelihood of superiority
    variance: float  # of the score of one sample, a pair or a game

    @property
    def paired(self) -> bool:
        """Whether the samples are pairs of games."""
        return len(self.counts) == 5


def compare(counts: Sequence[int], level: float = LEVEL) -> PairedComparison:
    """Return score, Elo, normalized Elo and LOS from three or five counts, fewest points first.

    If all samples have the same result, their variance is 0. Then the interval is Wilson's for as many coin tosses, and
    LOS uses the variance of a coin toss, 1/4, which is the maximum.
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
    los = float(ndtr((mean - 0.5) / error))
    return PairedComparison(tuple(int(n) for n in counts), int(total) * each, score, elo, nelo, los, variance)


def compare_agents(games: pd.DataFrame, agent: str, opponent: str, level: float = LEVEL) -> PairedComparison:
    """Compare two agents by pairs if all their games are paired, else by single games."""
    known = agents_in(games)
    for name in (agent, opponent):
        if name not in known:
            raise PlannerError(f"games: unknown agent {quote(name)}{suggest(name, known)}")
    counted = tally(games, agent, opponent)
    counts = counted.trinomial if counted.unpaired else counted.pentanomial
    return compare([int(n) for n in counts], level)


def paired_table(games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL) -> pd.DataFrame:
    """Return one row for every two agents that met in complete pairs: the pentanomial and its statistics."""
    rows = []
    agents = agents_in(games, order)
    for (i, j), counted in tallies(games, agents).items():
        paired = compare([int(n) for n in counted.pentanomial], level)
        if paired.games:
            numbers = (*paired.score, *paired.elo, *paired.nelo, paired.los)
            rows.append((agents[i], agents[j], sum(paired.counts), *paired.counts, counted.unpaired, *numbers))
    points = [f"points_{points:g}" for points in (0, 0.5, 1, 1.5, 2)]
    ends = [f"{name}{end}" for name in ("score", "elo", "nelo") for end in ("", "_low", "_high")]
    return pd.DataFrame(rows, columns=["agent", "opponent", "pairs", *points, "unpaired", *ends, "los"])


Decision = Literal["continue", "accept H0", "accept H1"]
_ZERO_COUNT = 1e-3


def log_likelihood_ratio(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """Return the generalized LLR of `elo1` against `elo0` for three counts (games) or five (pairs)."""
    total, scores, _ = shares(counts)
    if not total:
        return 0.0
    positive = [max(float(n), _ZERO_COUNT) for n in counts]
    divisors0, divisors1 = (_divisors(positive, [s - score_of(elo) for s in scores.tolist()]) for elo in (elo0, elo1))
    return math.fsum(n * math.log(a / b) for n, a, b in zip(positive, divisors0, divisors1, strict=True))


def _divisors(counts: list[float], away: list[float]) -> list[float]:
    """Return 1 + x (s_k - s) at the root x of the equation above, by which each share is divided.

    The left side decreases from +inf to -inf between the two poles. Newton's method, with bisection when a step leaves
    the bracket. Plain floats are faster than arrays for five numbers.
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
    """A sequential test. Add results in the order of the schedule, so that it always stops at the same game.

    >>> test = Sprt(0, 50)
    >>> test.update([0, 2, 5, 9, 4])  # pairs with 0, 0.5, 1, 1.5 and 2 points
    'continue'
    """

    def __init__(self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        if not elo0 < elo1:
            raise ValueError(f"elo0 {elo0} must be less than elo1 {elo1}")
        if not (0 < alpha < 1 and 0 < beta < 1 and alpha + beta < 1):
            raise ValueError(f"alpha {alpha} and beta {beta} must be probabilities with a sum below 1")
        self.elo0, self.elo1 = elo0, elo1
        self.alpha, self.beta = alpha, beta
        self.lower = math.log(beta / (1 - alpha))
        self.upper = math.log((1 - beta) / alpha)
        self.counts: tuple[int, ...] = ()
        self.llr = 0.0
        self.decision: Decision = "continue"

    def update(self, results: Sequence[int]) -> Decision:
        """Add new results (five counts for pairs, three for games, more with more seats) and decide.

        The first decision is final, although games that were running at that time may still be added.
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
