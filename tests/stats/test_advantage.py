"""The advantage of the first seat, over all games and by agent."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from planner.stats.intervals import wilson
from planner.stats.paired_tests import elo_of
from planner.stats.seat_advantage import seat_advantage, seat_advantage_by_agent
from tests.stats.tables import any_games, counted, games


def test_single_games_without_draws_give_wilsons_interval() -> None:
    found = seat_advantage(counted({("a", "b"): (30, 0, 10), ("b", "a"): (25, 0, 15)}))
    assert found.games == 80
    assert found.score == pytest.approx(wilson(55, 80))
    assert found.elo.estimate == pytest.approx(elo_of(55 / 80))


def test_games_of_a_pair_are_one_sample() -> None:
    # Equal results in both games: 40 pairs are 40 samples, not 80.
    rows = [(p1, p2, 0 if k % 4 else 1, k) for k in range(40) for p1, p2 in (("a", "b"), ("b", "a"))]
    assert seat_advantage(games(rows)).score == pytest.approx(wilson(30, 40))
    # Pairs that always split show no advantage of a seat, without any variance.
    rows = [(p1, p2, winner, k) for k in range(40) for p1, p2, winner in (("a", "b", 0), ("b", "a", 1))]
    assert seat_advantage(games(rows)).score == pytest.approx(wilson(20, 40))


def test_same_id_in_two_pairings_is_two_pairs() -> None:
    rows = [("a", "b", 0, 1), ("b", "a", 0, 1), ("a", "c", 1, 1), ("c", "a", 1, 1)]
    assert seat_advantage(games(rows)).score == pytest.approx(wilson(1, 2))


def test_no_games_give_no_advantage() -> None:
    assert seat_advantage(games([("a", "b", 0)]).iloc[:0]).score[1:] == (0, 1)


def test_by_agent_from_mirrors_and_from_both_seats() -> None:
    table = counted({("a", "a"): (8, 0, 2), ("a", "b"): (60, 0, 40), ("b", "a"): (70, 0, 30), ("c", "a"): (5, 0, 5)})
    found = seat_advantage_by_agent(table, ["a", "b", "c"]).set_index("agent")
    a = found.loc["a"]
    assert a["mirror_games"] == 10
    assert (a["mirror_score"], a["mirror_low"], a["mirror_high"]) == pytest.approx(wilson(8, 10))
    assert (a["first_score"], a["second_score"], a["difference"]) == pytest.approx((0.6, 0.3, 0.3))
    # Agresti and Caffo: a win and a loss more in each sample.
    error = math.sqrt((61 * 41 / 102**2) / 100 + (31 * 71 / 102**2) / 100)
    assert a["high"] - a["low"] == pytest.approx(2 * 1.959964 * error, rel=1e-6)
    assert found.at["b", "difference"] == pytest.approx(0.7 - 0.4)
    assert math.isnan(found.at["c", "difference"])  # never second
    assert math.isnan(found.at["b", "mirror_score"])


def test_correlated_pairs_narrow_the_difference() -> None:
    # a wins or loses both games of a pair, but for every tenth, where the first seat decides.
    rows = []
    for k in range(200):
        lucky = k % 2
        rows += [("a", "b", lucky, k), ("b", "a", 1 - lucky, k)] if k % 10 else [("a", "b", 0, k), ("b", "a", 0, k)]
    paired = seat_advantage_by_agent(games(rows)).set_index("agent").loc["a"]
    single = seat_advantage_by_agent(games(rows).drop(columns="pair")).set_index("agent").loc["a"]
    assert paired["difference"] == single["difference"] == pytest.approx(0.1)
    assert paired["high"] - paired["low"] < (single["high"] - single["low"]) / 2


def test_equal_results_do_not_give_certainty() -> None:
    rows = [(p1, p2, 0, k) for k in range(5) for p1, p2 in (("a", "b"), ("b", "a"))]
    a = seat_advantage_by_agent(games(rows)).set_index("agent").loc["a"]
    assert a["difference"] == 1
    assert a["low"] < 0.9


@settings(max_examples=10)
@given(any_games())
def test_intervals_contain_the_estimates(table: pd.DataFrame) -> None:
    overall = seat_advantage(table)
    assert 0 <= overall.score.low <= overall.score.estimate <= overall.score.high <= 1
    found = seat_advantage_by_agent(table).dropna(subset=["difference"])
    assert np.all(found["low"] <= found["difference"])
    assert np.all(found["difference"] <= found["high"])
    assert found["difference"].between(-1, 1).all()
