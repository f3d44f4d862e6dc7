"""Ratings from games of more than two seats, by the model of Plackett and Luce.

Each seat has the strength theta(agent) + gamma(seat). The first place goes to a seat with a probability proportional to
exp(strength), then the second place to one of the remaining seats in the same way, and so on. Two agents alone are then
compared as by Bradley and Terry, whatever else is at the table, so an Elo point means the same as with two seats. Seats
that share a place count as all their orders with equal weight, as a draw counts half a win and half a loss.

The likelihood is concave, and Newton's method finds its maximum. The packages choix and openskill fit the strengths of
agents alone; this fit adds the advantage of seats, shared places and intervals. The tests compare it with choix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, permutations, product

import numpy as np
import pandas as pd

from planner.stats.games_table import Floats, Ints
from planner.stats.intervals import LEVEL, normal_quantile
from planner.stats.placings import agents_at, places_table, seatings
from planner.stats.ratings import ELO, NO_MAXIMUM, PRIOR_GAMES, superiority_table

_STEPS = 200
_TOLERANCE = 1e-10
Ranking = tuple[tuple[int, int], ...]  # agent and seat, from the first place to the last


@dataclass(frozen=True)
class PlaceRatings:
    """The ratings of all agents, best first, the advantage of each seat, and likelihoods of superiority."""

    table: pd.DataFrame  # agent, elo, low, high, games, score
    seats: pd.DataFrame  # seat, elo, low, high; the mean of all seats is 0
    agents: tuple[str, ...]  # of the rows and columns of the covariance
    covariance: Floats  # in Elo points squared

    def superiority(self) -> pd.DataFrame:
        """Return the likelihood of superiority (LOS) of the row agent over the column agent."""
        return superiority_table(self.table, self.agents, self.covariance)


def rate_places(
    games: pd.DataFrame,
    order: Sequence[str] | None = None,
    prior_games: float = PRIOR_GAMES,
    level: float = LEVEL,
) -> PlaceRatings:
    """Rate every agent, with intervals from the observed information as if games were independent.

    The prior is that of `planner.stats.ratings.rate`: so many more games of each agent against strength 0, half of them
    won, and as many of each seat.
    """
    agents = agents_at(games, order)
    at, places = seatings(games, agents)
    seats = at.shape[1]
    parameters, covariance = fit_rankings(count_rankings(at, places), len(agents), seats, prior_games)
    elo, reach = parameters * ELO, normal_quantile(level) * np.sqrt(np.diag(covariance)) * ELO
    table = pd.DataFrame({"agent": agents, "elo": elo[: len(agents)]})
    table["low"], table["high"] = (table["elo"] - reach[: len(agents)], table["elo"] + reach[: len(agents)])
    scores = places_table(games, agents, level)
    table = table.assign(games=scores["games"], score=scores["score"])
    own, spread = elo[len(agents) :], reach[len(agents) :]
    by_seat = pd.DataFrame({"seat": range(1, seats + 1), "elo": own, "low": own - spread, "high": own + spread})
    table = table.sort_values("elo", ascending=False, kind="stable", ignore_index=True)
    return PlaceRatings(table, by_seat, tuple(agents), covariance[: len(agents), : len(agents)] * ELO**2)


def count_rankings(at: Ints, places: Ints) -> dict[Ranking, float]:
    """Return how often each strict ranking occurred; a game with shared places is divided among its orders."""
    games = Counter(zip(map(tuple, at.tolist()), map(tuple, places.tolist()), strict=True))
    counted: dict[Ranking, float] = {}
    for (agents, place), count in games.items():
        orders = list(_strict_orders(agents, place))
        for ranking in orders:
            counted[ranking] = counted.get(ranking, 0.0) + count / len(orders)
    return counted


def _strict_orders(agents: tuple[int, ...], places: tuple[int, ...]) -> Iterator[Ranking]:
    seats = sorted(range(len(places)), key=lambda seat: (places[seat], seat))
    groups = [list(group) for _, group in groupby(seats, key=lambda seat: places[seat])]
    for orders in product(*map(permutations, groups)):
        yield tuple((agents[seat], seat) for group in orders for seat in group)


def fit_rankings(
    rankings: Mapping[Ranking, float], agents: int, seats: int, prior_games: float
) -> tuple[Floats, Floats]:
    """Return the strengths of agents, then those of seats, each with mean 0, and their covariance.

    A prior of 0 gives plain maximum likelihood; then it is an error if there is no finite maximum.
    """
    weights = np.array(list(rankings.values()), np.float64)
    at = np.array([[agent for agent, _ in ranking] for ranking in rankings], np.int64).reshape(-1, seats)
    seat = np.array([[seat for _, seat in ranking] for ranking in rankings], np.int64).reshape(-1, seats)
    size = agents + seats
    design = np.zeros((len(weights), seats, size))  # for each ranking and place, the parameters that add up
    games, place = np.indices(at.shape)
    design[games, place, at] += 1
    design[games, place, agents + seat] += 1
    beta = np.zeros(size)
    value = _likelihood(design, weights, beta, prior_games)
    for _ in range(_STEPS):
        gradient, information = _derivatives(design, weights, beta, prior_games)
        step = np.linalg.pinv(information, rcond=1e-12, hermitian=True) @ gradient
        length = 1.0
        while _likelihood(design, weights, beta + length * step, prior_games) < value - 1e-12 * abs(value):
            length /= 2
            if length < 1e-6:
                break
        beta = beta + length * step
        value = _likelihood(design, weights, beta, prior_games)
        if np.abs(step).max() < _TOLERANCE:
            break
    else:
        raise ValueError(NO_MAXIMUM)
    _, information = _derivatives(design, weights, beta, prior_games)
    unknown = int((np.linalg.eigvalsh(information) <= 1e-9 * information.max()).sum())
    if unknown > (0 if prior_games else 2):  # without a prior, a common shift of all agents and one of all seats
        raise ValueError(NO_MAXIMUM)
    centre = np.eye(size)
    centre[:agents, :agents] -= 1 / agents
    centre[agents:, agents:] -= 1 / seats
    covariance = centre @ np.linalg.pinv(information, rcond=1e-12, hermitian=True) @ centre.T
    return centre @ beta, covariance


def _likelihood(design: Floats, weights: Floats, beta: Floats, prior: float) -> float:
    strength = design @ beta
    total = 0.0
    for first in range(strength.shape[1] - 1):
        left = strength[:, first:]
        top = left.max(axis=1)
        total += float(weights @ (left[:, 0] - top - np.log(np.exp(left - top[:, None]).sum(axis=1))))
    return total - prior / 2 * float((np.logaddexp(0, beta) + np.logaddexp(0, -beta)).sum())


def _derivatives(design: Floats, weights: Floats, beta: Floats, prior: float) -> tuple[Floats, Floats]:
    strength = design @ beta
    half = 0.5 * np.tanh(beta / 2)
    gradient = -prior * half
    information = np.diag(prior * (0.25 - half**2))
    for first in range(strength.shape[1] - 1):
        left, rows = strength[:, first:], design[:, first:]
        share = np.exp(left - left.max(axis=1, keepdims=True))
        share /= share.sum(axis=1, keepdims=True)
        mean = np.einsum("gs,gsp->gp", share, rows)
        gradient = gradient + weights @ (rows[:, 0] - mean)
        second = np.einsum("g,gs,gsp,gsq->pq", weights, share, rows, rows, optimize=True)
        information = information + second - (mean.T * weights) @ mean
    return gradient, information
