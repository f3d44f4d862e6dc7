"""Elo ratings with intervals: a Bradley-Terry model with draws and a first-seat advantage.

The model is that of Davidson (1970) with the multiplicative order effect of Davidson and Beaver (1977). With strengths
theta, seat advantage gamma and draw parameter nu, a game of i (first seat) against j ends

    i wins : draw : j wins  =  e^(eta/2) : nu : e^(-eta/2),     eta = theta_i - theta_j + gamma.

Two reasons for Davidson rather than Rao and Kupper (1967): a draw is worth exactly half a win, so the scores are
sufficient for the strengths and the model ranks by what the tables show; and the likelihood is that of an exponential
family, which is concave, so Newton's method finds its only maximum.

400 Elo points are a factor of ten in the odds of a win against a loss. The mean of all agents is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr

from planner.stats.games_table import Floats, Ints, agents_in, first_points, seats
from planner.stats.intervals import LEVEL, Interval, normal_interval, normal_quantile

_STEPS = 200
_TOLERANCE = 1e-10
NO_MAXIMUM = "the games do not determine the ratings (an agent won or lost all games, or agents never met): use a prior"


def probabilities(eta: Floats, nu: float) -> tuple[Floats, Floats, Floats]:
    """Return the probabilities of a win of the first seat, a draw, and a win of the second seat."""
    top = np.maximum(np.abs(eta) / 2, 0.0)
    win, draw, loss = np.exp(eta / 2 - top), nu * np.exp(-top), np.exp(-eta / 2 - top)
    total = win + draw + loss
    return win / total, draw / total, loss / total


def _fit_davidson(
    first: Ints, second: Ints, points: Floats, agents: int, prior_games: float
) -> tuple[Floats, Floats, float]:
    """Return the maximum of the likelihood: strengths with mean 0, then gamma; their covariance; nu (0 without draws).

    The prior adds `prior_games` games of every agent, without a seat advantage, against an opponent of strength 0, half
    of them won and half lost; and as many between two such opponents, half of them won by the first seat. It has the
    same effect as that many draws without claiming that draws happen, and keeps the rating of an agent finite that won
    or lost all games. It is the `npseudo` of the R package PlackettLuce (0.5 there is 1 game here). The result is
    shifted to mean 0. A prior of 0 gives plain maximum likelihood; then it is an error if there is no finite maximum.
    """
    # The likelihood depends only on the results of each ordered pairing.
    pairing, index = np.unique(first * agents + second, return_inverse=True)
    wins, draws, losses = (
        np.bincount(index[points == value], minlength=len(pairing)).astype(np.float64) for value in (1.0, 0.5, 0.0)
    )
    # A row for each: +1 for the first seat's strength, -1 for the second's (0 for a mirror match), +1 for gamma.
    each = np.eye(agents + 1)
    design = each[pairing // agents] - each[pairing % agents]
    design[:, -1] = 1
    if prior_games:
        half = np.full(agents + 1, prior_games / 2)
        design = np.vstack([design, each])  # each agent against strength 0, and the seats against each other
        wins, draws, losses = (np.append(a, b) for a, b in ((wins, half), (draws, 0 * half), (losses, half)))
    drawn = bool(draws.sum() > 0)
    full = np.column_stack([design, np.zeros(len(design))])
    beta = np.zeros(agents + 2)  # theta, gamma, log nu
    if drawn:
        # Exact for equally strong agents.
        beta[-1] = np.log(2 * draws.sum() / max(wins.sum() + losses.sum(), 0.5))
    total = wins + draws + losses

    def likelihood(at: Floats) -> float:
        win, draw, loss = probabilities(full @ at, float(np.exp(at[-1])) if drawn else 0.0)
        parts = ((wins, win), (draws, draw), (losses, loss))
        return float(sum((count * np.log(np.where(count > 0, np.maximum(p, 1e-300), 1.0))).sum() for count, p in parts))

    beta, covariance = maximise(
        likelihood,
        lambda at: _derivatives(full, at, drawn, wins - losses, draws, total),
        beta,
        undetermined=(not prior_games) + (not drawn),  # a common shift of all strengths, and nu without draws
    )
    centre = np.eye(agents + 2)
    centre[:agents, :agents] -= 1 / max(agents, 1)
    centred = (centre @ covariance @ centre.T)[:-1, :-1]
    return (centre @ beta)[:-1], centred, float(np.exp(beta[-1])) if drawn else 0.0


def maximise(
    likelihood: Callable[[Floats], float],
    derivatives: Callable[[Floats], tuple[Floats, Floats]],
    start: Floats,
    undetermined: int,
) -> tuple[Floats, Floats]:
    """Return the maximum of a concave log-likelihood by Newton's method, and the pseudo-inverse of the information.

    `derivatives` returns the gradient and the information. It is an error if more than `undetermined` directions do not
    change the likelihood, or if there is no finite maximum.
    """
    at, value = start, likelihood(start)
    for _ in range(_STEPS):
        gradient, information = derivatives(at)
        step = np.linalg.pinv(information, rcond=1e-12, hermitian=True) @ gradient
        size = 1.0
        while likelihood(at + size * step) < value - 1e-12 * abs(value) and size > 1e-6:
            size /= 2
        at = at + size * step
        value = likelihood(at)
        if np.abs(step).max() < _TOLERANCE:
            break
    else:
        raise ValueError(NO_MAXIMUM)
    _, information = derivatives(at)
    if (np.linalg.eigvalsh(information) <= 1e-9 * information.max()).sum() > undetermined:
        raise ValueError(NO_MAXIMUM)
    covariance: Floats = np.linalg.pinv(information, rcond=1e-12, hermitian=True).astype(np.float64)
    return at, covariance


def _derivatives(
    full: Floats, beta: Floats, drawn: bool, margin: Floats, draws: Floats, total: Floats
) -> tuple[Floats, Floats]:
    """Return gradient and observed information; the entries of log nu are zero if no game was drawn."""
    win, draw, loss = probabilities(full @ beta, float(np.exp(beta[-1])) if drawn else 0.0)
    lean = (win - loss) / 2
    gradient = full.T @ (margin / 2 - total * lean)
    information = (full.T * (total * ((win + loss) / 4 - lean**2))) @ full
    gradient[-1] = (draws - total * draw).sum()
    cross = -full.T @ (total * lean * draw)
    information[-1], information[:, -1] = cross, cross
    information[-1, -1] = (total * draw * (1 - draw)).sum()
    return gradient, information


ELO = 400 / math.log(10)  # Elo points per unit of natural log-odds
PRIOR_GAMES = 1.0


@dataclass(frozen=True)
class AgentRatings:
    """The ratings of all agents, best first, and likelihoods of superiority."""

    table: pd.DataFrame  # agent, elo, low, high, games, score
    agents: tuple[str, ...]  # of the rows and columns of the covariance
    covariance: Floats  # in Elo points squared

    def superiority(self) -> pd.DataFrame:
        """Return the likelihood of superiority (LOS) of the row agent over the column agent.

        This is P(elo_row > elo_column) if both are drawn from the joint normal approximation of the ratings.
        """
        elo = self.table.set_index("agent")["elo"].reindex(list(self.agents)).to_numpy(np.float64)
        variance = np.diag(self.covariance)
        gap = elo[:, None] - elo[None, :]
        error = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * self.covariance, 0.0))
        z = np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)
        best_first = list(self.table["agent"])
        return pd.DataFrame(ndtr(z), list(self.agents), list(self.agents)).loc[best_first, best_first]


@dataclass(frozen=True)
class Ratings(AgentRatings):
    """The ratings of a game of two seats."""

    first_seat: Interval  # the advantage of the first seat in Elo points
    draw_rate: float  # how often equally strong agents without a seat advantage draw

    def elo(self, agent: str) -> float:
        """Return the rating of one agent."""
        return float(self.table.loc[self.table["agent"] == agent, "elo"].item())


def rating_table(agents: Sequence[str], elo: Floats, reach: Floats, games: Ints, score: Floats) -> pd.DataFrame:
    """Return the table of ratings, best first; `reach` is half the length of each interval."""
    columns = {"elo": elo, "low": elo - reach, "high": elo + reach, "games": games, "score": score}
    table = pd.DataFrame({"agent": agents, **columns})
    return table.sort_values("elo", ascending=False, kind="stable", ignore_index=True)


def rate(
    games: pd.DataFrame,
    order: Sequence[str] | None = None,
    prior_games: float = PRIOR_GAMES,
    level: float = LEVEL,
) -> Ratings:
    """Rate every agent that played, with intervals from the observed information as if games were independent.

    The interval of a rating is that of its distance from the mean of all agents. `games` and `score` do not include
    mirror matches, which always score one half; the fit uses them for the seat advantage. `order` decides the order of
    equal ratings. `prior_games` is the weak prior of `_fit_davidson`, by default one more game for each agent.
    """
    agents = agents_in(games, order)
    first, second = seats(games, agents)
    points, real = first_points(games), first != second
    parameters, covariance, nu = _fit_davidson(first, second, points, len(agents), prior_games)
    elo, covariance = parameters * ELO, covariance * ELO**2
    error = np.sqrt(np.diag(covariance))
    played = np.bincount(first[real], minlength=len(agents)) + np.bincount(second[real], minlength=len(agents))
    earned = np.bincount(first[real], points[real], len(agents))
    earned = earned + np.bincount(second[real], 1 - points[real], len(agents))
    score = np.divide(earned, played, out=np.full(len(agents), np.nan), where=played > 0)
    table = rating_table(agents, elo[:-1], normal_quantile(level) * error[:-1], played, score)
    seat = normal_interval(float(elo[-1]), float(error[-1]), level)
    return Ratings(table, tuple(agents), covariance[:-1, :-1], seat, nu / (2 + nu))
