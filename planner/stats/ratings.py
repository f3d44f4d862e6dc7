"""Elo ratings: the Bradley-Terry model of `davidson` on the scale that players know, with intervals.

400 Elo points are a factor of ten in the odds of a win against a loss. The mean of the field is 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr

from planner.stats import davidson
from planner.stats.frame import Floats, agents_in, first_points, seats
from planner.stats.intervals import LEVEL, Interval, normal_interval, normal_quantile

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
    `prior_games` is the weak prior that `davidson.fit` describes: by default it weighs as one more game of each agent.
    """
    agents = agents_in(games, order)
    fitted = davidson.fit(_counted(games, agents), len(agents), prior_games)
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


def _counted(games: pd.DataFrame, agents: Sequence[str]) -> davidson.ResultCounts:
    """The results by ordered pairing: all that the likelihood needs to know."""
    first, second = seats(games, agents)
    points = first_points(games)
    cell, place = np.unique(first * len(agents) + second, return_inverse=True)
    wins, draws, losses = (
        np.bincount(place[points == worth], minlength=len(cell)).astype(np.float64) for worth in (1.0, 0.5, 0.0)
    )
    return davidson.ResultCounts(cell // len(agents), cell % len(agents), wins, draws, losses)
