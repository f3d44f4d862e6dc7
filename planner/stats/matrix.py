"""The matchup matrix: one row per ordered pairing, as the thesis prints it (table 7.1), with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from planner.stats.frame import FIRST, SECOND, agents_in, check
from planner.stats.intervals import LEVEL, mean_interval, wilson

QUANTILES = {"turns_p10": 0.1, "turns_q25": 0.25, "turns_median": 0.5, "turns_q75": 0.75, "turns_p90": 0.9}
COLUMNS = (
    "p1", "p2", "games", "p1_wins", "p2_wins", "draws", "p1_score", "p1_low", "p1_high",
    "avg_turns", "turns_low", "turns_high", *QUANTILES,
)  # fmt: skip


def matchup_matrix(games: pd.DataFrame, order: Sequence[str] | None = None, level: float = LEVEL) -> pd.DataFrame:
    """Per ordered pairing: who won how often, p1's score with its Wilson interval, and how long the games were.

    `p1_score` is wins plus half the draws, per game. `avg_turns` is the mean of `rounds` with Student's interval.
    Rows follow `order` (else the names), first seat first; pairings that nobody played have no row.
    """
    check(games, "rounds")
    place = {agent: k for k, agent in enumerate(agents_in(games, order))}
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
    rows.sort(key=lambda row: (place[str(row[0])], place[str(row[1])]))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def score_table(matrix: pd.DataFrame, value: str = "p1_score") -> pd.DataFrame:
    """One column of a matchup matrix as a square: first seats down, second seats across, in the matrix's order."""
    agents = list(dict.fromkeys([*matrix["p1"], *matrix["p2"]]))
    square = matrix.pivot(index="p1", columns="p2", values=value)
    return square.reindex(index=agents, columns=agents)
