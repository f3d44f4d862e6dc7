"""The matchup matrix: counts, order and intervals."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings

from planner.errors import PlannerError
from planner.stats.games_table import matchup_matrix, score_table
from planner.stats.intervals import mean_interval, wilson
from tests.stats.tables import any_games, games

SMALL = games(
    [
        ("b", "a", 0, 0, 4), ("b", "a", 0, 1, 6), ("b", "a", -1, 2, 8), ("b", "a", 1, 3, 10),
        ("a", "b", 1, 0, 5), ("a", "a", 0, -1, 3),
    ]
)  # fmt: skip


def test_row_of_the_matrix() -> None:
    row = matchup_matrix(SMALL).set_index(["p1", "p2"]).loc[("b", "a")]
    assert (row["games"], row["p1_wins"], row["p2_wins"], row["draws"]) == (4, 2, 1, 1)
    assert (row["p1_score"], row["p1_low"], row["p1_high"]) == wilson(2.5, 4)
    assert (row["avg_turns"], row["turns_low"], row["turns_high"]) == mean_interval([4, 6, 8, 10])
    assert (row["turns_median"], row["turns_q25"], row["turns_q75"]) == (7, 5.5, 8.5)


def test_rows_are_sorted_by_name_or_order() -> None:
    def pairings(table: pd.DataFrame) -> list[tuple[str, str]]:
        return list(zip(table["p1"], table["p2"], strict=True))

    assert pairings(matchup_matrix(SMALL)) == [("a", "a"), ("a", "b"), ("b", "a")]
    assert pairings(matchup_matrix(SMALL, ["b", "missing", "a"])) == [("b", "a"), ("a", "b"), ("a", "a")]
    assert pairings(matchup_matrix(SMALL, ["b"])) == [("b", "a"), ("a", "b"), ("a", "a")]


def test_square_table_of_one_column() -> None:
    square = score_table(matchup_matrix(SMALL, ["b", "a"]))
    assert list(square.index) == list(square.columns) == ["b", "a"]
    assert square.at["b", "a"] == 2.5 / 4
    assert pd.isna(square.at["b", "b"])


@settings(max_examples=10)
@given(any_games())
def test_matrix_does_not_depend_on_the_order_of_games(table: pd.DataFrame) -> None:
    matrix = matchup_matrix(table)
    assert matrix["games"].sum() == len(table)
    assert (matrix["p1_wins"] + matrix["p2_wins"] + matrix["draws"] == matrix["games"]).all()
    assert ((matrix["p1_low"] <= matrix["p1_score"]) & (matrix["p1_score"] <= matrix["p1_high"])).all()
    assert ((matrix["turns_q25"] <= matrix["turns_median"]) & (matrix["turns_median"] <= matrix["turns_q75"])).all()
    turned = matchup_matrix(table.iloc[::-1])
    pd.testing.assert_frame_equal(matrix, turned)


def test_invalid_table_is_refused() -> None:
    with pytest.raises(PlannerError, match="missing column winner"):
        matchup_matrix(SMALL.drop(columns="winner"))
    with pytest.raises(PlannerError, match="missing column rounds"):
        matchup_matrix(SMALL.drop(columns="rounds"))
    with pytest.raises(PlannerError, match=r"or -1 \(draw\), got 7"):
        matchup_matrix(SMALL.assign(winner=7))
