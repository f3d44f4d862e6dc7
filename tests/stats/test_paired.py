"""Pairs of games: how they are found, and the numbers of fastchess for its own examples."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerError
from planner.stats.games_table import tallies, tally
from planner.stats.paired_tests import compare, compare_agents, elo_of, paired_table, score_of
from tests.stats.tables import any_games, games


@pytest.mark.parametrize(
    ("counts", "elo", "elo_error", "nelo", "nelo_error", "los"),
    [
        # fastchess, app/tests/elo_test.cpp: three counts are losses, draws and wins, five are pairs by points.
        ((89, 123, 76), None, None, -20.76, 40.13, 0.1553),
        ((96, 111, 136), 40.70, 30.43, 49.77, 36.77, 0.9960),
        ((356, 0, 34), None, None, -508.44, 34.48, None),
        ((34, 54, 31 + 32, 64, 75), 55.58, 27.65, 57.94, 28.28, 1.0),
        ((332, 433, 457 + 41, 333, 334), -8.64, 10.33, -9.17, 10.96, 0.0505),
        ((7895, 8757, 5485 + 200, 568, 9999), -21.04, 2.95, -19.01, 2.65, None),
    ],
)
def test_agrees_with_fastchess(
    counts: tuple[int, ...], elo: float | None, elo_error: float | None, nelo: float, nelo_error: float,
    los: float | None,
) -> None:  # fmt: skip
    found = compare(counts)
    assert found.nelo.estimate == pytest.approx(nelo, abs=0.006)
    assert (found.nelo.high - found.nelo.low) / 2 == pytest.approx(nelo_error, abs=0.006)
    if elo is not None:
        assert found.elo.estimate == pytest.approx(elo, abs=0.006)
        assert (found.elo.high - found.elo.low) / 2 == pytest.approx(elo_error, abs=0.006)
    if los is not None:
        assert found.los == pytest.approx(los, abs=6e-5)


def test_elo_and_score_are_inverse() -> None:
    assert score_of(0) == 0.5
    assert score_of(400) == pytest.approx(10 / 11)
    assert elo_of(0.75) == pytest.approx(190.848502)
    assert (elo_of(0), elo_of(1)) == (-math.inf, math.inf)


def test_pairs_are_the_two_seats_of_one_id() -> None:
    table = games(
        [
            ("a", "b", 0, 1), ("b", "a", 1, 1),  # a won both
            ("b", "a", 0, 2), ("a", "b", -1, 2),  # half a point
            ("a", "b", 0, 3),  # the other game was not played
            ("a", "b", 1, 4), ("a", "b", 1, 4),  # not two seats
            ("b", "a", -1, -1), ("a", "c", 0, 1), ("c", "a", 0, 1), ("a", "a", 0, 1),
        ]
    )  # fmt: skip
    found = tally(table, "a", "b")
    assert found.pentanomial.tolist() == [0, 1, 0, 0, 1]
    assert found.pairs.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 1]]
    assert (found.first.tolist(), found.second.tolist()) == ([2, 0, 1], [0, 1, 0])
    assert found.unpaired == 4
    assert found.trinomial.tolist() == [3, 2, 3]
    assert found.seat_scores() == (pytest.approx(2.5 / 5), pytest.approx(1.5 / 3))
    assert tally(table, "a", "c").pentanomial.tolist() == [0, 0, 1, 0, 0]
    assert compare_agents(table, "a", "c").paired
    assert not compare_agents(table, "a", "b").paired


def test_misspelt_agent_is_refused() -> None:
    with pytest.raises(PlannerError, match=r"^games: unknown agent 'gredy'; did you mean 'greedy'\?$"):
        compare_agents(games([("greedy", "random", 0, 1)]), "gredy", "random")


def test_missing_ids_mean_unpaired() -> None:
    table = games([("a", "b", 0, 1), ("b", "a", 1, 1)])
    assert tally(table.assign(pair=[np.nan, np.nan]), "a", "b").unpaired == 2
    assert tally(table.drop(columns="pair"), "a", "b").unpaired == 2
    assert tally(table, "a", "b").unpaired == 0


def test_correlated_pairs_give_narrower_intervals() -> None:
    rows = [row for k in range(100) for row in (("a", "b", 0, k), ("b", "a", 0 if k % 10 else 1, k))]
    single = compare_agents(games(rows).drop(columns="pair"), "a", "b")
    by_pair = compare_agents(games(rows), "a", "b")
    assert single.score.estimate == by_pair.score.estimate == 0.55
    assert by_pair.score.high - by_pair.score.low < (single.score.high - single.score.low) / 2


def test_equal_results_do_not_give_certainty() -> None:
    found = compare((0, 0, 0, 0, 5))
    assert found.elo.estimate == math.inf
    assert 0 < found.elo.low < 100
    assert 0.9 < found.los < 1
    even = compare((0, 0, 4, 0, 0))
    assert even.los == 0.5
    assert even.score.low < 0.2


def test_comparison_without_games() -> None:
    assert compare((0, 0, 0)).los == 0.5
    assert compare((0, 0, 0, 0, 0)).elo[1:] == (-math.inf, math.inf)
    with pytest.raises(ValueError, match="needs three counts"):
        compare((1, 2))


def test_table_lists_agents_that_met_in_pairs() -> None:
    table = games([("a", "b", 0, 1), ("b", "a", 1, 1), ("a", "c", 0, 2)])
    found = paired_table(table, ["c", "b", "a"])
    assert found[["agent", "opponent", "pairs", "points_0", "points_2"]].to_numpy().tolist() == [["b", "a", 1, 1, 0]]


@given(st.lists(st.integers(0, 200), min_size=5, max_size=5) | st.lists(st.integers(0, 200), min_size=3, max_size=3))
def test_estimates_are_within_intervals_and_symmetric(counts: list[int]) -> None:
    found, turned = compare(counts), compare(counts[::-1])
    if not found.games:
        return
    for name in ("score", "elo", "nelo"):
        estimate, low, high = getattr(found, name)
        assert low <= estimate <= high
    assert turned.los == pytest.approx(1 - found.los, abs=1e-12)
    assert turned.nelo.estimate == pytest.approx(-found.nelo.estimate, abs=1e-6)
    better = [0, *counts[:-1]]  # half a point more for everyone but the last
    assert compare([counts[0], *counts[1:-1], counts[-1] + 1]).score.estimate >= found.score.estimate - 1e-12
    assert compare([*better[:-1], better[-1] + counts[-1]]).score.estimate >= found.score.estimate - 1e-12


@settings(max_examples=10)
@given(any_games())
def test_every_game_is_counted_once_from_either_view(table: pd.DataFrame) -> None:
    names = sorted({*table["p1"], *table["p2"]})
    for (i, j), found in tallies(table, names).items():
        meets = {names[i], names[j]}
        assert found.trinomial.sum() == sum({a, b} == meets for a, b in zip(table["p1"], table["p2"], strict=True))
        assert 2 * found.pentanomial.sum() + found.unpaired == found.trinomial.sum()
        other = tally(table, names[j], names[i])
        assert all((getattr(other, k) == getattr(found.from_opponent(), k)).all() for k in ("pairs", "first", "second"))
        assert (other.pentanomial == found.pentanomial[::-1]).all()
