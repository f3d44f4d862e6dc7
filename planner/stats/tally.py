"""What happened between two agents, counted with the pairs kept together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from planner.stats.frame import UNPAIRED, Floats, Ints, check, first_points, pair_ids, seats

POINTS: Floats = np.array([0.0, 0.5, 1.0])


@dataclass(frozen=True)
class Tally:
    """Results of one agent against another; entries 0, 1, 2 of an axis are a loss, a draw and a win of that agent.

    A pair is one game from either seat with one id. Anything else, such as the one finished game of a pair that was
    interrupted, counts as unpaired.
    """

    pairs: Ints  # 3 x 3: result from the first seat, result from the second seat
    first: Ints  # 3: unpaired games from the first seat
    second: Ints  # 3: unpaired games from the second seat

    @property
    def trinomial(self) -> Ints:
        """Losses, draws and wins over all games, paired or not."""
        paired: Ints = self.pairs.sum(axis=1) + self.pairs.sum(axis=0)
        return paired + self.first + self.second

    @property
    def pentanomial(self) -> Ints:
        """Pairs that gave 0, 0.5, 1, 1.5 and 2 points."""
        flipped = np.fliplr(self.pairs)
        return np.array([flipped.trace(offset) for offset in (2, 1, 0, -1, -2)], np.int64)

    @property
    def unpaired(self) -> int:
        """Games that belong to no complete pair."""
        return int(self.first.sum() + self.second.sum())

    def turned(self) -> Tally:
        """The same games from the opponent's view."""
        return Tally(self.pairs.T[::-1, ::-1], self.second[::-1], self.first[::-1])

    def seat_scores(self) -> tuple[float, float]:
        """The mean score from the first and from the second seat; nan for a seat that was not played."""
        return _mean(self.pairs.sum(axis=1) + self.first), _mean(self.pairs.sum(axis=0) + self.second)

    def score(self) -> float:
        """The mean score with both seats weighing the same; of the one seat, where only one was played."""
        scores = [score for score in self.seat_scores() if not np.isnan(score)]
        return float(np.mean(scores)) if scores else float("nan")


def tally(games: pd.DataFrame, agent: str, opponent: str) -> Tally:
    """Count the games between two different agents from the view of the first named."""
    if agent == opponent:
        raise ValueError(f"{agent} against itself has no two sides to count")
    check(games)
    ours = games[games["p1"].isin([agent, opponent]) & games["p2"].isin([agent, opponent])]
    return tallies(ours, [agent, opponent])[0, 1]


def tallies(games: pd.DataFrame, agents: Sequence[str]) -> dict[tuple[int, int], Tally]:
    """Count the games of every two of `agents`, who are all that play; keys are their places, the lesser first."""
    first, second = seats(games, agents)
    points, ids = first_points(games), pair_ids(games)
    found = {}
    for i in range(len(agents)):
        for j in range(i + 1, len(agents)):
            ours = ((first == i) & (second == j)) | ((first == j) & (second == i))
            ahead = first[ours] == i
            result = np.rint(2 * np.where(ahead, points[ours], 1 - points[ours])).astype(np.int64)
            found[i, j] = _counted(result, ahead, ids[ours])
    return found


def _counted(result: Ints, ahead: NDArray[np.bool_], ids: Ints) -> Tally:
    """Sort the games into complete pairs and the rest; `ahead` where the agent had the first seat."""
    _, place = np.unique(ids, return_inverse=True)
    firsts, seconds = (np.bincount(place, seat) for seat in (ahead, ~ahead))
    paired = (ids != UNPAIRED) & (firsts == 1)[place] & (seconds == 1)[place]
    order = np.lexsort((~ahead, ids))  # by id, the game from the first seat before the other
    both = result[order][paired[order]].reshape(-1, 2)
    pairs = np.bincount(3 * both[:, 0] + both[:, 1], minlength=9).reshape(3, 3)
    first, second = (np.bincount(result[~paired & seat], minlength=3) for seat in (ahead, ~ahead))
    return Tally(pairs.astype(np.int64), first.astype(np.int64), second.astype(np.int64))


def _mean(counts: Ints) -> float:
    total = int(counts.sum())
    return float(counts @ POINTS / total) if total else float("nan")
