"""Lengths of matches and times of decisions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.stats.durations import (
    histogram_percentiles,
    length_by_agent,
    length_distribution,
    length_summary,
    time_percentiles,
    time_table,
)
from planner.stats.intervals import mean_interval
from tests.stats.tables import games


def test_summary_of_lengths() -> None:
    found = length_summary([4, 6, 8, 10])
    assert (found["mean"], found["low"], found["high"]) == mean_interval([4, 6, 8, 10])
    assert (found["games"], found["min"], found["median"], found["max"]) == (4, 4, 7, 10)
    assert found["deviation"] == pytest.approx(math.sqrt(20 / 3))
    assert math.isnan(length_summary([])["mean"])


def test_distribution_and_agents() -> None:
    table = games([("a", "b", 0, -1, 5), ("b", "a", 0, -1, 7), ("a", "a", 0, -1, 5), ("b", "c", 1, -1, 9)])
    found = length_distribution(table)
    assert found.to_numpy().tolist() == [[5, 2, 0.5, 0.5], [7, 1, 0.25, 0.75], [9, 1, 0.25, 1.0]]
    by_agent = length_by_agent(table, ["c", "a"]).set_index("agent")
    assert list(by_agent.index) == ["c", "a", "b"]
    assert by_agent["games"].tolist() == [1, 3, 3]
    assert by_agent.at["a", "mean"] == pytest.approx(17 / 3)


def test_percentiles_of_a_known_array() -> None:
    found = time_percentiles(np.arange(101) / 1000)
    assert found == pytest.approx(
        {"decisions": 101, "mean": 0.05, "p50": 0.05, "p90": 0.09, "p95": 0.095, "p99": 0.099, "max": 0.1}
    )
    assert math.isnan(time_percentiles([])["p99"])
    table = time_table({"slow": [2.0], "none": [], "fast": [0.1, 0.3]})
    assert table["agent"].tolist() == ["slow", "none", "fast"]
    assert table["decisions"].tolist() == [1, 0, 2]
    assert table["p50"].tolist()[::2] == [2.0, 0.2]


def test_histogram_assumes_uniform_times_in_bins() -> None:
    found = histogram_percentiles([0, 1, 2, 4], [50, 40, 10], longest=3)
    assert found == pytest.approx({"decisions": 100, "mean": 1.1, "p50": 1, "p90": 2, "p95": 2.5, "p99": 2.9, "max": 3})
    assert histogram_percentiles([0, 1, 2], [0, 0])["decisions"] == 0
    with pytest.raises(ValueError, match="increasing edges"):
        histogram_percentiles([0, 1, 1], [1, 1])


@settings(max_examples=40)
@given(st.lists(st.floats(0, 9.99), min_size=1, max_size=200))
def test_histogram_is_off_by_less_than_a_bin(times: list[float]) -> None:
    edges = np.linspace(0, 10, 101)
    counts, _ = np.histogram(times, edges)
    found = histogram_percentiles(edges, counts, max(times))
    ordered = np.sort(times)
    for name, share in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
        observed = ordered[math.ceil(share * len(times)) - 1]
        assert found[name] == pytest.approx(observed, abs=0.1 + 1e-9)
    assert found["max"] == pytest.approx(max(times))
    assert found["p50"] <= found["p90"] <= found["p95"] <= found["p99"] <= found["max"] + 1e-12
