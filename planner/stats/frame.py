"""The table of games that every statistic reads, and the order in which agents are listed.

| column | holds |
| --- | --- |
| `p1`, `p2` | the agents in the first and in the second seat |
| `winner` | 0 the first seat, 1 the second seat, -1 a draw |
| `rounds` | how long the game was |
| `pair` | the id that the two games of a pair share: one seed, seats swapped; -1, missing or no column: unpaired |

Ids of pairs may be used again by other pairings. A mirror match is better unpaired: with the same seed it would be the
same game twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from planner.errors import PlannerError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST, SECOND, DRAW = 0, 1, -1
UNPAIRED = -1


def check(games: pd.DataFrame, *also: str) -> None:
    """Refuse a table that lacks a column, one of `also` included, or names a winner that no game can have."""
    missing = [column for column in ("p1", "p2", "winner", *also) if column not in games]
    if missing:
        raise PlannerError(f"games: no column {', '.join(missing)} (there are {', '.join(map(str, games.columns))})")
    wrong = set(games["winner"].unique()) - {FIRST, SECOND, DRAW}
    if wrong:
        raise PlannerError(f"games: winner {wrong.pop()} is neither 0 (first seat), 1 (second seat) nor -1 (draw)")


def agents_in(games: pd.DataFrame, order: Sequence[str] | None = None) -> list[str]:
    """The agents that played: those of `order` first, in that order, the others sorted by name."""
    check(games)
    played = {*games["p1"].unique(), *games["p2"].unique()}
    named = [agent for agent in dict.fromkeys(order or ()) if agent in played]
    return [*named, *sorted(played.difference(named))]


def seats(games: pd.DataFrame, agents: Sequence[str]) -> tuple[Ints, Ints]:
    """Per game the places in `agents` of the first and of the second seat."""
    place = {agent: k for k, agent in enumerate(agents)}
    first, second = (np.asarray(games[seat].map(place), np.int64) for seat in ("p1", "p2"))
    return first, second


def first_points(games: pd.DataFrame) -> Floats:
    """Per game what the first seat scored: 1, 0.5 for a draw, or 0."""
    winner = games["winner"].to_numpy(np.int64)
    return np.select([winner == FIRST, winner == SECOND], [1.0, 0.0], 0.5)


def pair_ids(games: pd.DataFrame) -> Ints:
    """Per game the id of its pair, or -1."""
    if "pair" not in games:
        return np.full(len(games), UNPAIRED, np.int64)
    return games["pair"].fillna(UNPAIRED).to_numpy(np.int64)
