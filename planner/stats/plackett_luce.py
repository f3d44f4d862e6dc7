"""Ratings from games of more than two seats, by the model of Plackett and Luce.

Each seat has the strength theta(agent) + gamma(seat). The first place goes to a seat with a probability proportional to
exp(strength), then the second place to one of the remaining seats in the same way, and so on. Two agents alone are then
compared as by Bradley and Terry, whatever else is at the table, so an Elo point means the same as with two seats. Seats
that share a place count as all their orders with equal weight, as a draw counts half a win and half a loss.

With the strengths s, the log-likelihood of a game is the sum of s over its seats, less the sum of log sum exp(s) over
the choices of the next place, each among the seats that have none yet. Where g seats share a place, each set of k of
them is left in one of (g over k) orders, so its choice has that weight.

The likelihood is concave, and Newton's method finds its maximum. The packages choix and openskill fit the strengths of
agents alone; this fit adds the advantage of seats, shared places and intervals. The tests compare it with choix.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd
from scipy.linalg import block_diag
from scipy.sparse import csr_array
from scipy.special import logsumexp, softmax

from planner.stats.games_table import Floats, Ints, in_order
from planner.stats.intervals import LEVEL, normal_quantile
from planner.stats.placings import places_table, seatings
from planner.stats.ratings import ELO, PRIOR_GAMES, AgentRatings, maximise, rating_table


@dataclass(frozen=True)
class PlaceRatings(AgentRatings):
    """The ratings of a game of more than two seats."""

    seats: pd.DataFrame  # seat, elo, low, high; the mean of all seats is 0


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
    agents = in_order(games, order)
    at, places = seatings(games, agents)
    seats = at.shape[1]
    players = np.eye(len(agents)).repeat(seats, axis=0), np.tile(np.eye(seats), (len(agents), 1))
    parameters, covariance = fit_places(
        at * seats + np.arange(seats), places, np.hstack(players), (len(agents), seats), prior_games
    )
    elo, reach = parameters * ELO, normal_quantile(level) * np.sqrt(np.diag(covariance)) * ELO
    scores = places_table(games, agents, level)
    played, score = scores["games"].to_numpy(np.int64), scores["score"].to_numpy(np.float64)
    table = rating_table(agents, elo[: len(agents)], reach[: len(agents)], played, score)
    own, spread = elo[len(agents) :], reach[len(agents) :]
    by_seat = pd.DataFrame({"seat": range(1, seats + 1), "elo": own, "low": own - spread, "high": own + spread})
    return PlaceRatings(table, tuple(agents), covariance[: len(agents), : len(agents)] * ELO**2, by_seat)


def fit_places(
    at: Ints, places: Ints, design: Floats, groups: Sequence[int], prior_games: float
) -> tuple[Floats, Floats]:
    """Return the parameters and their covariance.

    `at` has the player of each seat of each game; the strength of a player is the sum of the parameters in its row of
    `design`. The parameters come in `groups` of these sizes, and the mean of each group is 0. A prior of 0 gives plain
    maximum likelihood; then it is an error if there is no finite maximum.
    """
    choices = count_choices(at, places)
    weights = np.array(list(choices.values()), np.float64)
    chosen = design.T @ np.bincount(at.ravel(), minlength=len(design)).astype(np.float64)
    # All sets of players have the same length, filled up with a player that is never chosen.
    filler, seats = len(design), at.shape[1]
    sets = np.array([(*players, *[filler] * (seats - len(players))) for players in choices], np.int64).reshape(
        -1, seats
    )
    starts = np.arange(0, sets.size + 1, seats)
    design = np.vstack([design, np.zeros(design.shape[1])])

    def strengths(beta: Floats) -> Floats:
        strength = design @ beta
        strength[filler] = -np.inf
        return strength[sets]

    def likelihood(beta: Floats) -> float:
        prior = prior_games / 2 * (np.logaddexp(0, beta) + np.logaddexp(0, -beta)).sum()
        return float(chosen @ beta - weights @ logsumexp(strengths(beta), axis=1) - prior)

    def derivatives(beta: Floats) -> tuple[Floats, Floats]:
        half = 0.5 * np.tanh(beta / 2)
        shares = csr_array((softmax(strengths(beta), axis=1).ravel(), sets.ravel(), starts), (len(sets), len(design)))
        mean, total = shares @ design, weights @ shares
        gradient = chosen - design.T @ total - prior_games * half
        information = (design.T * total) @ design - (mean.T * weights) @ mean
        return gradient, information + np.diag(prior_games * (0.25 - half**2))

    beta, covariance = maximise(likelihood, derivatives, np.zeros(sum(groups)), 0 if prior_games else len(groups))
    centre = block_diag(*(np.eye(size) - 1 / size for size in groups))
    return centre @ beta, centre @ covariance @ centre.T


def count_choices(at: Ints, places: Ints) -> dict[tuple[int, ...], float]:
    """Return how often the next place was given to one of these players."""
    games = Counter(zip(map(tuple, at.tolist()), map(tuple, places.tolist()), strict=True))
    choices: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for (players, place), count in games.items():
        for shared in set(place):
            group = [player for player, own in zip(players, place, strict=True) if own == shared]
            behind = [player for player, own in zip(players, place, strict=True) if own > shared]
            for size in range(1, len(group) + 1):
                for left in combinations(group, size):
                    choices[tuple(sorted((*left, *behind)))] += count / comb(len(group), size)
    return dict(choices)
