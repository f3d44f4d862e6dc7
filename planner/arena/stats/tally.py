"""What happened between two agents, counted with the pairs kept together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from planner.arena.stats.frame import UNPAIRED, Floats, Ints, check, first_points, pair_ids

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

    def seat_scores(self) -> tuple[float, float]:
        """The mean score from the first and from the second seat; nan for a seat that was not played."""
        return _mean(self.pairs.sum(axis=1) + self.first), _mean(self.pairs.sum(axis=0) + self.second)

    def score(self) -> float:
        """The mean score with both seats weighing the same; of the one seat, where only one was played."""
        scores = [score for score in self.seat_scores() if not np.isnan(score)]
        return float(np.mean(scores)) if scores else float("nan")


def tally(games: pd.DataFrame, agent: str, opponent: str) -> Tally:
    """Count the games between two different agents from the view of the first named."""
    check(games)
    if agent == opponent:
        raise ValueError(f"{agent} against itself has no two sides to count")
    p1, p2 = games["p1"].to_numpy(), games["p2"].to_numpy()
    ahead, behind = (p1 == agent) & (p2 == opponent), (p1 == opponent) & (p2 == agent)
    ours = ahead | behind
    from_first = ahead[ours]
    points = first_points(games)[ours]
    result = np.rint(2 * np.where(from_first, points, 1 - points)).astype(np.int64)
    return _counted(result, from_first, pair_ids(games)[ours])


def _counted(result: Ints, from_first: np.ndarray[tuple[int], np.dtype[np.bool_]], ids: Ints) -> Tally:
    """Sort the games into complete pairs and the rest."""
    _, place = np.unique(ids, return_inverse=True)
    firsts, seconds = (np.bincount(place, seat) for seat in (from_first, ~from_first))
    paired = (ids != UNPAIRED) & (firsts == 1)[place] & (seconds == 1)[place]
    order = np.lexsort((~from_first, ids))  # by id, the game from the first seat before the other
    both = result[order][paired[order]].reshape(-1, 2)
    pairs = np.zeros((3, 3), np.int64)
    np.add.at(pairs, (both[:, 0], both[:, 1]), 1)
    first, second = (np.bincount(result[~paired & seat], minlength=3) for seat in (from_first, ~from_first))
    return Tally(pairs, first.astype(np.int64), second.astype(np.int64))


def _mean(counts: Ints) -> float:
    total = int(counts.sum())
    return float(counts @ POINTS / total) if total else float("nan")
