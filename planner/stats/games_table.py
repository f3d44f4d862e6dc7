"""The table of games that every statistic reads, results counted by pair of agents, and the matchup matrix.

| column | contents |
| --- | --- |
| `p1`, `p2` | the agents in the first and in the second seat |
| `winner` | 0 for the first seat, 1 for the second seat, -1 for a draw |
| `rounds` | the length of the game |
| `pair` | an id shared by the two games of a pair (same seed, seats swapped); -1, missing or no column: unpaired |

Different pairings may reuse the ids of pairs. Mirror matches should be unpaired: with the same seed both games would be
identical.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, takewhile

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from planner.errors import PlannerError
from planner.stats.intervals import LEVEL, mean_interval, wilson

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST, SECOND, DRAW = 0, 1, -1
UNPAIRED = -1


def check(games: pd.DataFrame, *also: str) -> None:
    """Raise if the table lacks a column (also one of `also`) or has an invalid winner."""
    require_columns(games, "p1", "p2", "winner", *also)
    wrong = set(games["winner"].unique()) - {FIRST, SECOND, DRAW}
    if wrong:
        raise PlannerError(f"games: winner must be 0 (first seat), 1 (second seat) or -1 (draw), got {wrong.pop()}")


def require_columns(games: pd.DataFrame, *names: str) -> None:
    """Raise if the table lacks one of these columns."""
    if missing := [column for column in names if column not in games]:
        raise PlannerError(
            f"games: missing column {', '.join(missing)}; columns are {', '.join(map(str, games.columns))}"
        )


def agents_in(games: pd.DataFrame, order: Sequence[str] | None = None) -> list[str]:
    """Return the agents that played: those of `order` first, in that order, the others sorted by name."""
    check(games)
    return in_order(games, order)


def in_order(games: pd.DataFrame, order: Sequence[str] | None) -> list[str]:
    """Return the agents of a table with any number of seats, as `agents_in`; nothing else of it is checked."""
    played = {agent for column in seat_columns(games) for agent in games[column].unique()}
    named = [agent for agent in dict.fromkeys(order or ()) if agent in played]
    return [*named, *sorted(played.difference(named))]


def seat_columns(games: pd.DataFrame) -> list[str]:
    """Return the columns with the agents: `p1`, `p2`, and so on."""
    return list(takewhile(lambda column: column in games, (f"p{seat}" for seat in count(1))))


def seats(games: pd.DataFrame, agents: Sequence[str]) -> tuple[Ints, Ints]:
    """Return for each game the indices in `agents` of the first and of the second seat."""
    index = {agent: k for k, agent in enumerate(agents)}
    first, second = (np.asarray(games[seat].map(index), np.int64) for seat in ("p1", "p2"))
    return first, second


def first_points(games: pd.DataFrame) -> Floats:
    """Return for each game the points of the first seat: 1, 0.5 for a draw, or 0."""
    winner = games["winner"].to_numpy(np.int64)
    return np.select([winner == FIRST, winner == SECOND], [1.0, 0.0], 0.5)


def pair_ids(games: pd.DataFrame) -> Ints:
    """Return for each game the id of its pair, or -1."""
    if "pair" not in games:
        return np.full(len(games), UNPAIRED, np.int64)
    return games["pair"].fillna(UNPAIRED).to_numpy(np.int64)


def clusters(games: pd.DataFrame) -> Ints:
    """Return for each game the number of its independent sample: its pair, or the game itself.

    The games of a pair have the same agents in other seats; other agents may reuse its id.
    """
    ids = pair_ids(games)
    index = {agent: k for k, agent in enumerate(in_order(games, None))}
    at = np.array([games[seat].map(index).to_numpy(np.int64) for seat in seat_columns(games)])
    pairing = at.min(axis=0) * len(index) + at.max(axis=0)
    paired = np.unique(ids, return_inverse=True)[1] * len(index) ** 2 + pairing
    keys = np.where(ids == UNPAIRED, -1 - np.arange(len(ids)), paired)
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


POINTS: Floats = np.array([0.0, 0.5, 1.0])


@dataclass(frozen=True)
class Tally:
    """Counted results of one agent against another; entries 0, 1, 2 of an axis are its losses, draws and wins.

    A pair is one game from each seat with the same id. All other games are unpaired, for example the only finished game
    of an interrupted pair.
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
        """Numbers of pairs with 0, 0.5, 1, 1.5 and 2 points."""
        flipped = np.fliplr(self.pairs)
        return np.array([flipped.trace(offset) for offset in (2, 1, 0, -1, -2)], np.int64)

    @property
    def unpaired(self) -> int:
        """The number of games that are not in a complete pair."""
        return int(self.first.sum() + self.second.sum())

    def from_opponent(self) -> Tally:
        """Return the same games from the opponent's view."""
        return Tally(self.pairs.T[::-1, ::-1], self.second[::-1], self.first[::-1])

    def seat_scores(self) -> tuple[float, float]:
        """Return the mean score from the first and from the second seat; nan for a seat that was not played."""
        return _mean(self.pairs.sum(axis=1) + self.first), _mean(self.pairs.sum(axis=0) + self.second)

    def score(self) -> float:
        """Return the mean score with equal weight for both seats, or that of the only seat that was played."""
        scores = [score for score in self.seat_scores() if not np.isnan(score)]
        return float(np.mean(scores)) if scores else float("nan")


def tally(games: pd.DataFrame, agent: str, opponent: str) -> Tally:
    """Count the games between two different agents from the view of `agent`."""
    if agent == opponent:
        raise ValueError(f"cannot count games of {agent} against itself")
    check(games)
    ours = games[games["p1"].isin([agent, opponent]) & games["p2"].isin([agent, opponent])]
    return tallies(ours, [agent, opponent])[0, 1]


def tallies(games: pd.DataFrame, agents: Sequence[str]) -> dict[tuple[int, int], Tally]:
    """Count the games of every two of `agents`, which must be all that play; keys are indices i < j."""
    first, second = seats(games, agents)
    points, ids = first_points(games), pair_ids(games)
    counted = {}
    for i in range(len(agents)):
        for j in range(i + 1, len(agents)):
            ours = ((first == i) & (second == j)) | ((first == j) & (second == i))
            ahead = first[ours] == i
            result = np.rint(2 * np.where(ahead, points[ours], 1 - points[ours])).astype(np.int64)
            counted[i, j] = _count(result, ahead, ids[ours])
    return counted


def _count(result: Ints, ahead: NDArray[np.bool_], ids: Ints) -> Tally:
    """Sort the games into complete pairs and unpaired games; `ahead` marks games in which the agent moved first."""
    _, index = np.unique(ids, return_inverse=True)
    firsts, seconds = (np.bincount(index, seat) for seat in (ahead, ~ahead))
    paired = (ids != UNPAIRED) & (firsts == 1)[index] & (seconds == 1)[index]
    order = np.lexsort((~ahead, ids))  # by id, the game in which the agent moved first before the other
    both = result[order][paired[order]].reshape(-1, 2)
    pairs = np.bincount(3 * both[:, 0] + both[:, 1], minlength=9).reshape(3, 3)
    first, second = (np.bincount(result[~paired & seat], minlength=3) for seat in (ahead, ~ahead))
    return Tally(pairs.astype(np.int64), first.astype(np.int64), second.astype(np.int64))


def _mean(counts: Ints) -> float:
    total = int(counts.sum())
    return float(counts @ POINTS / total) if total else float("nan")


QUANTILES = {"turns_p10": 0.1, "turns_q25": 0.25, "turns_median": 0.5, "turns_q75": 0.75, "turns_p90": 0.9}
MATRIX_COLUMNS = (
    "p1", "p2", "games", "p1_wins", "p2_wins", "draws", "p1_score", "p1_low", "p1_high",
    "avg_turns", "turns_low", "turns_high", *QUANTILES,
)  # fmt: skip


def matchup_matrix(games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL) -> pd.DataFrame:
    """Return one row per ordered pairing: wins, the score of p1 with its Wilson interval, and the length of games.

    These are the columns of table 7.1 of Guo 2025, and more. `p1_score` is wins plus half the draws, per game;
    `avg_turns` is the mean of `rounds` with Student's interval. Rows are sorted by `order` (else by name), first by p1.
    """
    check(games, "rounds")
    index = {agent: k for k, agent in enumerate(agents_in(games, order))}
    rows: list[tuple[str | float, ...]] = []
    for key, group in games.groupby(["p1", "p2"], sort=False):
        winner, rounds = group["winner"].to_numpy(), group["rounds"].to_numpy(np.float64)
        wins, losses = int((winner == FIRST).sum()), int((winner == SECOND).sum())
        draws = len(winner) - wins - losses
        quantiles = np.quantile(rounds, list(QUANTILES.values()))
        score = wilson(wins + draws / 2, len(winner), level)
        turns = mean_interval(rounds, level)
        p1, p2 = map(str, key)
        rows.append((p1, p2, len(winner), wins, losses, draws, *score, *turns, *map(float, quantiles)))
    rows.sort(key=lambda row: (index[str(row[0])], index[str(row[1])]))
    return pd.DataFrame(rows, columns=list(MATRIX_COLUMNS))


def score_table(matrix: pd.DataFrame, value: str = "p1_score") -> pd.DataFrame:
    """Return one column of a matchup matrix as a square table: p1 as rows, p2 as columns, in the matrix's order."""
    agents = list(dict.fromkeys([*matrix["p1"], *matrix["p2"]]))
    square = matrix.pivot(index="p1", columns="p2", values=value)
    return square.reindex(index=agents, columns=agents)
