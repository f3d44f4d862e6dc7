"""Without games every table is empty, and nothing fails."""

from __future__ import annotations

import math

import numpy as np
import pytest

from planner.stats.durations import length_by_agent, length_distribution, time_table
from planner.stats.games_table import matchup_matrix, score_table
from planner.stats.nash_ranking import nash_ranking, score_matrix
from planner.stats.paired_tests import paired_table
from planner.stats.ratings import rate
from planner.stats.seat_advantage import seat_advantage, seat_advantage_by_agent
from tests.stats.tables import games

NOTHING = games([("a", "b", 0, 1, 5)]).iloc[:0]


def test_tables_are_empty() -> None:
    for table in (
        matchup_matrix(NOTHING), score_table(matchup_matrix(NOTHING)), rate(NOTHING).table, paired_table(NOTHING),
        score_matrix(NOTHING), nash_ranking(NOTHING, np.random.default_rng(0), samples=3), time_table({}),
        seat_advantage_by_agent(NOTHING), length_distribution(NOTHING), length_by_agent(NOTHING),
    ):  # fmt: skip
        assert table.empty
    assert rate(NOTHING).superiority().empty
    assert rate(NOTHING).first_seat.estimate == pytest.approx(0)
    assert math.isnan(seat_advantage(NOTHING).score.estimate)


def test_single_agent_is_average_and_best() -> None:
    alone = games([("a", "a", 0), ("a", "a", 0), ("a", "a", 1)])
    assert rate(alone).table[["agent", "elo", "games"]].to_numpy().tolist() == [["a", 0, 0]]
    assert rate(alone).first_seat.estimate > 0
    found = nash_ranking(alone, np.random.default_rng(0), samples=3)
    assert found[["agent", "mass", "skill"]].to_numpy().tolist() == [["a", 1, 0.5]]
    assert math.isnan(seat_advantage_by_agent(alone).at[0, "difference"])
