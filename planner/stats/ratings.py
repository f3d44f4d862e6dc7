"""Maximum likelihood for the Bradley-Terry model with draws and a first-seat advantage.

Davidson (1970) with the multiplicative order effect of Davidson and Beaver (1977). With strengths theta, seat
advantage gamma and draw parameter nu, a game of i (first seat) against j ends

    i wins : draw : j wins  =  e^(eta/2) : nu : e^(-eta/2),     eta = theta_i - theta_j + gamma.

Davidson rather than Rao and Kupper (1967), because here a draw is worth exactly half a win to both (the scores
are sufficient for the strengths, so the model ranks by what the tables show), and because the likelihood is that
of an exponential family: concave, so Newton's method finds its one maximum.

Elo ratings: the Bradley-Terry model of `davidson` on the scale that players know, with intervals.

400 Elo points are a factor of ten in the odds of a win against a loss. The mean of the field is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr

from planner.stats.games_table import Floats, Ints, agents_in, first_points, seats
from planner.stats.intervals import LEVEL, Interval, normal_interval, normal_quantile

_STEPS = 200
_TOLERANCE = 1e-10
NO_MAXIMUM = "the games alone do not determine the ratings (someone won or lost everything, or never met): use a prior"


@dataclass(frozen=True)
class ResultCounts:
    """Counted results: one entry per ordered pairing, with weights that need not be whole."""

    first: Ints
    second: Ints
    wins: Floats  # of the first seat
    draws: Floats
    losses: Floats


@dataclass(frozen=True)
class Fit:
    """The maximum: strengths with mean 0, then gamma; their covariance; nu (0 where no game was drawn)."""

    parameters: Floats
    covariance: Floats
    nu: float

    @property
    def draw_rate(self) -> float:
        """How often equals without a seat advantage draw."""
        return self.nu / (2 + self.nu)


def probabilities(eta: Floats, nu: float) -> tuple[Floats, Floats, Floats]:
    """Win of the first seat, draw, win of the second seat."""
    top = np.maximum(np.abs(eta) / 2, 0.0)
    win, draw, loss = np.exp(eta / 2 - top), nu * np.exp(-top), np.exp(-eta / 2 - top)
    total = win + draw + loss
    return win / total, draw / total, loss / total


def fit_davidson(results: ResultCounts, agents: int, prior_games: float) -> Fit:
    """The strengths of `agents` agents, the seat advantage and nu that make the results likeliest.

    The prior: every agent has `prior_games` more games without a seat advantage against an opponent whose strength
    is the origin, half of them won and half lost, and two such opponents have as many, half won by the first seat.
    That pulls like as many draws (see above) without claiming that draws happen, keeps an agent that won or
    lost everything finite, and is the `npseudo` of the R package PlackettLuce (0.5 there is 1 game here). The
    origin is where the field as a whole scores one half against that opponent; the result is shifted to mean 0.
    With a prior of 0 it is plain maximum likelihood, and one that has no finite maximum is an error.
    """
    design = _design(results, agents)
    wins, draws, losses = results.wins, results.draws, results.losses
    if prior_games:
        extra = np.eye(agents + 1)  # each agent against the origin, and the seats against each other
        half = np.full(agents + 1, prior_games / 2)
        design = np.vstack([design, extra])
        wins, draws, losses = (np.append(a, b) for a, b in ((wins, half), (draws, 0 * half), (losses, half)))
    drawn = bool(draws.sum() > 0)
    full = np.column_stack([design, np.zeros(len(design))])
    beta = np.zeros(agents + 2)  # theta, gamma, log nu
    if drawn:
        # Exact for equals.
        beta[-1] = np.log(2 * draws.sum() / max(wins.sum() + losses.sum(), 0.5))
    total = wins + draws + losses

    def likelihood(at: Floats) -> float:
        win, draw, loss = probabilities(full @ at, float(np.exp(at[-1])) if drawn else 0.0)
        parts = ((wins, win), (draws, draw), (losses, loss))
        return float(sum((count * np.log(np.where(count > 0, np.maximum(p, 1e-300), 1.0))).sum() for count, p in parts))

    value = likelihood(beta)
    for _ in range(_STEPS):
        gradient, information = _derivatives(full, beta, drawn, wins - losses, draws, total)
        step = np.linalg.pinv(information, rcond=1e-12, hermitian=True) @ gradient
        size = 1.0
        while likelihood(beta + size * step) < value - 1e-12 * abs(value) and size > 1e-6:
            size /= 2
        beta = beta + size * step
        value = likelihood(beta)
        if np.abs(step).max() < _TOLERANCE:
            break
    else:
        raise ValueError(NO_MAXIMUM)
    _, information = _derivatives(full, beta, drawn, wins - losses, draws, total)
    unknown = int((np.linalg.eigvalsh(information) <= 1e-9 * information.max()).sum())
    if unknown > (not prior_games) + (not drawn):  # a common shift of all strengths, and nu without draws
        raise ValueError(NO_MAXIMUM)
    covariance = np.linalg.pinv(information, rcond=1e-12, hermitian=True)
    centre = np.eye(agents + 2)
    centre[:agents, :agents] -= 1 / max(agents, 1)
    centred = (centre @ covariance @ centre.T)[:-1, :-1]
    return Fit((centre @ beta)[:-1], centred, float(np.exp(beta[-1])) if drawn else 0.0)


def _design(results: ResultCounts, agents: int) -> Floats:
    """One row per pairing: +1 for the first seat's strength, -1 for the second's, +1 for gamma."""
    rows = np.arange(len(results.first))
    design = np.zeros((len(rows), agents + 1))
    design[rows, results.first] += 1
    design[rows, results.second] -= 1  # a mirror match says nothing about strength
    design[:, -1] = 1
    return design


def _derivatives(
    full: Floats, beta: Floats, drawn: bool, margin: Floats, draws: Floats, total: Floats
) -> tuple[Floats, Floats]:
    """Gradient and observed information; the entries of log nu are zero where no game was drawn."""
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
class Ratings:
    """What a fit says: a table of agents, best first, the seat advantage, and who is likely to be better."""

    table: pd.DataFrame  # agent, elo, low, high, games, score
    first_seat: Interval  # Elo points that the first seat is worth
    draw_rate: float  # how often equals without a seat advantage draw
    agents: tuple[str, ...]  # of the rows and columns of the covariance, whose last row is the seat advantage
    covariance: Floats  # in Elo points squared

    def elo(self, agent: str) -> float:
        """The rating of one agent."""
        return float(self.table.loc[self.table["agent"] == agent, "elo"].item())

    def superiority(self) -> pd.DataFrame:
        """Likelihood of superiority (LOS): how sure it is that the row's agent is stronger than the column's.

        P(elo_row > elo_column) when both are drawn from the joint normal approximation of the ratings.
        """
        elo = self.table.set_index("agent")["elo"].reindex(list(self.agents)).to_numpy(np.float64)
        part = self.covariance[:-1, :-1]
        variance = np.diag(part)[:, None] + np.diag(part)[None, :] - 2 * part
        gap = elo[:, None] - elo[None, :]
        error = np.sqrt(np.maximum(variance, 0.0))
        z = np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)
        best_first = list(self.table["agent"])
        return pd.DataFrame(ndtr(z), list(self.agents), list(self.agents)).loc[best_first, best_first]


def rate(
    games: pd.DataFrame,
    order: Sequence[str] | None = None,
    prior_games: float = PRIOR_GAMES,
    level: float = LEVEL,
) -> Ratings:
    """Rate every agent that played; intervals from the observed information, as if games were independent.

    A rating's interval is that of its distance from the field's mean. `games` and `score` leave out mirror
    matches, which always score one half; the fit uses them for the seat advantage. `order` settles equal ratings.
    `prior_games` is the weak prior that `fit_davidson` describes: by default it weighs as one more game of each agent.
    """
    agents = agents_in(games, order)
    fitted = fit_davidson(_counted(games, agents), len(agents), prior_games)
    covariance = fitted.covariance * ELO**2
    elo = fitted.parameters * ELO
    reach = normal_quantile(level) * np.sqrt(np.diag(covariance))
    first, second = seats(games, agents)
    points, real = first_points(games), first != second
    played = np.bincount(first[real], minlength=len(agents)) + np.bincount(second[real], minlength=len(agents))
    earned = np.bincount(first[real], points[real], len(agents))
    earned = earned + np.bincount(second[real], 1 - points[real], len(agents))
    table = pd.DataFrame(
        {
            "agent": agents,
            "elo": elo[:-1],
            "low": (elo - reach)[:-1],
            "high": (elo + reach)[:-1],
            "games": played,
            "score": np.divide(earned, played, out=np.full(len(agents), np.nan), where=played > 0),
        }
    )
    table = table.sort_values("elo", ascending=False, kind="stable", ignore_index=True)
    seat = normal_interval(float(elo[-1]), math.sqrt(covariance[-1, -1]), level)
    return Ratings(table, seat, fitted.draw_rate, tuple(agents), covariance)


def _counted(games: pd.DataFrame, agents: Sequence[str]) -> ResultCounts:
    """The results by ordered pairing: all that the likelihood needs to know."""
    first, second = seats(games, agents)
    points = first_points(games)
    cell, place = np.unique(first * len(agents) + second, return_inverse=True)
    wins, draws, losses = (
        np.bincount(place[points == worth], minlength=len(cell)).astype(np.float64) for worth in (1.0, 0.5, 0.0)
    )
    return ResultCounts(cell // len(agents), cell % len(agents), wins, draws, losses)
