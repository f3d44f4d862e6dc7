"""A sequential test of two agents: stop as soon as the games say enough (SPRT).

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
from typing import Literal

from planner.stats.paired import score_of, shares

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
