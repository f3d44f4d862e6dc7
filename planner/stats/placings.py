"""Tables of games with more than two seats: who finished ahead of whom, places, and scores by seat.

The table of games has the columns `p1`, `p2`, ... with the agent of each seat, `p1_place`, `p2_place`, ... with its
place from 1 (shared places are equal), and `pair`, an id shared by games with the same seed. An agent's score in a game
is the share of the other seats that finished behind it; a shared place counts half. Agents may have several seats at a
table; seats of the same agent are not compared.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from planner.errors import PlannerError
from planner.stats.games_table import Floats, Ints, clusters, in_order, seat_columns
from planner.stats.intervals import LEVEL, clustered_wilson

PAIRWISE_COLUMNS = ("agent", "opponent", "games", "ahead", "level", "behind", "score", "low", "high")


def seat_count(games: pd.DataFrame) -> int:
    """Return the number of seats; raise if the table does not have the place of every seat."""
    seats = seat_columns(games)
    missing = [f"{seat}_place" for seat in seats if f"{seat}_place" not in games]
    if len(seats) < 2 or missing:
        raise PlannerError(f"games: missing column {', '.join(missing or ['p1', 'p2'])}")
    return len(seats)


def seatings(games: pd.DataFrame, agents: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the agent, as an index into `agents`, and the place of each seat: a row for each game."""
    index = {agent: k for k, agent in enumerate(agents)}
    seats = range(1, seat_count(games) + 1)
    at = np.column_stack([np.asarray(games[f"p{seat}"].map(index), np.int64) for seat in seats])
    places = np.column_stack([games[f"p{seat}_place"].to_numpy(np.int64) for seat in seats])
    return at, places


def pairwise_table(games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL) -> pd.DataFrame:
    """Return one row for every two agents that met: how often the agent finished ahead of the opponent.

    `games` counts meetings: two agents with two seats each meet four times in a game.
    """
    agents = in_order(games, order)
    at, places = seatings(games, agents)
    sample = clusters(games)
    points: dict[tuple[int, int], list[Floats]] = {}
    samples: dict[tuple[int, int], list[Ints]] = {}
    for one in range(at.shape[1]):
        for other in range(at.shape[1]):
            if one == other:
                continue
            result = _points(places[:, one], places[:, other])
            for a, b in np.unique(at[:, [one, other]], axis=0).tolist():
                if a != b:
                    rows = (at[:, one] == a) & (at[:, other] == b)
                    points.setdefault((a, b), []).append(result[rows])
                    samples.setdefault((a, b), []).append(sample[rows])
    table = []
    for a, b in sorted(points):
        scores, ids = np.concatenate(points[a, b]), np.concatenate(samples[a, b])
        counts = [int((scores == value).sum()) for value in (1.0, 0.5, 0.0)]
        interval = clustered_wilson(scores, np.unique(ids, return_inverse=True)[1], level)
        table.append((agents[a], agents[b], len(scores), *counts, *interval))
    return pd.DataFrame(table, columns=list(PAIRWISE_COLUMNS))


def places_table(games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL) -> pd.DataFrame:
    """Return one row per agent: games, score with its interval, mean place, and how often it took each place.

    A seat of an agent counts as one game. Games of an agent against itself alone do not count.
    """
    agents = in_order(games, order)
    at, places = seatings(games, agents)
    scores, sample = seat_scores(at, places), clusters(games)
    rows = []
    for k, agent in enumerate(agents):
        own = (at == k) & ~np.isnan(scores)
        ids = np.broadcast_to(sample[:, None], at.shape)[own]
        interval = clustered_wilson(scores[own], np.unique(ids, return_inverse=True)[1], level)
        taken = [int((places[own] == place).sum()) for place in range(1, at.shape[1] + 1)]
        mean = float(places[own].mean()) if own.any() else float("nan")
        rows.append((agent, int(own.sum()), *interval, mean, *taken))
    names = [f"place_{place}" for place in range(1, at.shape[1] + 1)]
    return pd.DataFrame(rows, columns=["agent", "games", "score", "low", "high", "mean_place", *names])


def seats_table(games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL) -> pd.DataFrame:
    """Return one row per agent and seat, and one per seat over all agents (agent empty): games and score."""
    agents = in_order(games, order)
    at, places = seatings(games, agents)
    scores, sample = seat_scores(at, places), clusters(games)
    everyone = _points(places[:, :, None], places[:, None, :]).sum(axis=2) - 0.5
    rows = []
    for k, agent in enumerate(["", *agents], -1):
        for seat in range(at.shape[1]):
            own = (at[:, seat] == k) & ~np.isnan(scores[:, seat]) if k >= 0 else np.full(len(at), True)
            values = scores[own, seat] if k >= 0 else everyone[:, seat] / (at.shape[1] - 1)
            ids = np.unique(sample[own], return_inverse=True)[1]
            rows.append((agent, seat + 1, int(own.sum()), *clustered_wilson(values, ids, level)))
    return pd.DataFrame(rows, columns=["agent", "seat", "games", "score", "low", "high"])


def seat_scores(at: Ints, places: Ints) -> Floats:
    """Return the score of each seat against the seats of other agents; nan where there are none."""
    points = _points(places[:, :, None], places[:, None, :])
    others = at[:, :, None] != at[:, None, :]
    met = others.sum(axis=2)
    earned = (points * others).sum(axis=2)
    scores: Floats = np.divide(earned, met, out=np.full(earned.shape, np.nan), where=met > 0)
    return scores


def _points(own: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
    return np.where(own < other, 1.0, np.where(own == other, 0.5, 0.0))
