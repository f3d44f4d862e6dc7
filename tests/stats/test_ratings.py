"""Ratings against published fits and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from planner.stats.ratings import ELO, rate
from tests.stats.tables import any_games, counted, games, played

# American League baseball, 1987 (Agresti, "Categorical data analysis", 2002, section 10.6): won and lost at home.
BASEBALL = {
    "Milwaukee": "Detroit 4 3, Toronto 4 2, New York 4 3, Boston 6 1, Cleveland 4 2, Baltimore 6 0",
    "Detroit": "Milwaukee 3 3, Toronto 4 2, New York 4 3, Boston 6 0, Cleveland 6 1, Baltimore 4 3",
    "Toronto": "Milwaukee 2 5, Detroit 4 3, New York 2 4, Boston 4 3, Cleveland 4 2, Baltimore 6 0",
    "New York": "Milwaukee 3 3, Detroit 5 1, Toronto 2 5, Boston 4 3, Cleveland 4 2, Baltimore 6 1",
    "Boston": "Milwaukee 5 1, Detroit 2 5, Toronto 3 3, New York 4 2, Cleveland 5 2, Baltimore 6 0",
    "Cleveland": "Milwaukee 2 5, Detroit 3 3, Toronto 3 4, New York 4 3, Boston 4 2, Baltimore 2 4",
    "Baltimore": "Milwaukee 2 5, Detroit 1 5, Toronto 1 6, New York 2 4, Boston 1 6, Cleveland 3 4",
}
# The fit of the R package BradleyTerry2 (tests/baseball.Rout.save): estimate and standard error against Baltimore.
FITTED = {
    "Boston": (1.1438, 0.3378), "Cleveland": (0.7047, 0.3350), "Detroit": (1.4754, 0.3446),
    "Milwaukee": (1.6196, 0.3474), "New York": (1.2813, 0.3404), "Toronto": (1.3271, 0.3403),
}  # fmt: skip
AT_HOME = (0.3023, 0.1309)


def baseball() -> pd.DataFrame:
    results = {}
    for home, line in BASEBALL.items():
        for entry in line.split(", "):
            away, won, lost = entry.rsplit(" ", 2)
            results[home, away] = (int(won), 0, int(lost))
    return counted(results)


def test_agrees_with_bradleyterry2_on_baseball_with_home_advantage() -> None:
    found = rate(baseball(), prior_games=0)
    base = found.agents.index("Baltimore")
    for team, (estimate, error) in FITTED.items():
        k = found.agents.index(team)
        gap = (found.elo(team) - found.elo("Baltimore")) / ELO
        variance = found.covariance[k, k] + found.covariance[base, base] - 2 * found.covariance[k, base]
        assert (gap, math.sqrt(variance) / ELO) == pytest.approx((estimate, error), abs=5e-5)
    assert found.first_seat.estimate / ELO == pytest.approx(AT_HOME[0], abs=5e-5)
    reach = (found.first_seat.high - found.first_seat.low) / 2 / ELO
    assert reach / 1.959964 == pytest.approx(AT_HOME[1], abs=5e-5)


def test_prior_is_that_of_plackettluce() -> None:
    # The toy example of its vignette: 5 games, default npseudo; D lost its only game. No seats there, so here each
    # game is played from both, and the prior is doubled with the games.
    wins = [("a", "b"), ("c", "a"), ("a", "d"), ("b", "a"), ("b", "c")]
    table = games([(a, b, 0) for a, b in wins] + [(b, a, 1) for a, b in wins])
    found = rate(table, prior_games=2)
    assert found.first_seat.estimate == pytest.approx(0, abs=1e-9)
    published = {"a": 0.0, "b": 0.5184185, "c": 0.1354707, "d": -1.1537565}
    for agent, strength in published.items():
        assert (found.elo(agent) - found.elo("a")) / ELO == pytest.approx(strength, abs=1e-6)


def test_two_players_without_draws_are_log_odds() -> None:
    # From either seat 30 of 40: the odds are 3, the seat has no advantage.
    found = rate(counted({("a", "b"): (30, 0, 10), ("b", "a"): (10, 0, 30)}), prior_games=0)
    assert found.elo("a") - found.elo("b") == pytest.approx(400 * math.log10(3))
    assert found.elo("a") + found.elo("b") == pytest.approx(0, abs=1e-9)
    assert found.first_seat.estimate == pytest.approx(0, abs=1e-9)
    # The variance of a log-odds is 1/wins + 1/losses; the distance from the mean is half the difference.
    low, high = found.table.loc[0, ["low", "high"]]
    assert (high - low) / 2 == pytest.approx(1.959964 * ELO * math.sqrt(1 / 60 + 1 / 20) / 2, rel=1e-6)
    assert found.draw_rate == 0


def test_two_players_with_draws_and_seats_have_a_closed_form() -> None:
    # The odds of a win to a loss from a's two seats are e^(d+g) = 16 and e^(d-g) = 1, and from either there are
    # nu sqrt(wins losses) draws with nu = 2: three parameters reproduce the table, so they are the maximum.
    found = rate(counted({("a", "b"): (48, 24, 3), ("b", "a"): (12, 24, 12)}), prior_games=0)
    d, g = math.log(16) / 2, math.log(16) / 2
    assert found.elo("a") - found.elo("b") == pytest.approx(ELO * d)
    assert found.first_seat.estimate == pytest.approx(ELO * g)
    assert found.draw_rate == pytest.approx(2 / (2 + 2))


def test_mirror_matches_only_inform_the_seat_advantage() -> None:
    results = {("a", "b"): (6, 0, 4), ("b", "a"): (5, 0, 5)}
    without = rate(counted(results))
    found = rate(counted({**results, ("a", "a"): (90, 0, 10)}))
    assert found.first_seat.estimate > without.first_seat.estimate + 100
    assert list(found.table["games"]) == [20, 20]
    assert sorted(found.table["score"]) == [0.45, 0.55]


def test_prior_keeps_the_rating_of_an_unbeaten_agent_finite() -> None:
    results = {("a", "b"): (50, 0, 0), ("b", "a"): (0, 0, 50), ("b", "c"): (25, 0, 25), ("a", "c"): (50, 0, 0)}
    found = rate(counted(results))
    best = found.table.iloc[0]
    assert best["agent"] == "a"
    assert 400 < best["elo"] < best["high"] < 3000
    with pytest.raises(ValueError, match="use a prior"):
        rate(counted(results), prior_games=0)


@pytest.mark.parametrize("results", [(0, 40, 0), (0, 0, 40), (40, 0, 0), (0, 1, 0)])
def test_extreme_tables_stay_finite(results: tuple[int, int, int]) -> None:
    found = rate(counted({("a", "b"): results, ("b", "a"): results}))
    assert np.isfinite(found.covariance).all()
    assert found.elo("a") == pytest.approx(0, abs=1e-6)
    assert np.isfinite(found.first_seat).all()


def test_agents_that_never_met_need_the_prior() -> None:
    table = counted({("a", "b"): (3, 0, 3), ("b", "a"): (3, 0, 3), ("c", "d"): (3, 0, 3), ("d", "c"): (3, 0, 3)})
    assert rate(table).elo("a") == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match="never met"):
        rate(table, prior_games=0)


def test_superiority_of_two_agents_is_that_of_their_log_odds() -> None:
    los = rate(counted({("a", "b"): (30, 0, 10), ("b", "a"): (20, 0, 20)}), prior_games=0).superiority()
    assert los.at["a", "a"] == 0.5
    assert los.at["a", "b"] + los.at["b", "a"] == pytest.approx(1)
    # d + g = ln 3 and d - g = 0; var d = (1/30 + 1/10 + 1/20 + 1/20) / 4.
    z = math.log(3) / 2 / math.sqrt((1 / 30 + 1 / 10 + 2 / 20) / 4)
    assert los.at["a", "b"] == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)))


def test_recovers_known_strengths() -> None:
    truth = {"a": 1.0, "b": 0.4, "c": 0.0, "d": -0.4, "e": -1.0}
    table = played(truth, each=1000, rng=np.random.default_rng(3), seat=0.3, nu=0.5)
    found = rate(table)
    for agent, strength in truth.items():
        assert found.elo(agent) == pytest.approx(strength * ELO, abs=20)
    assert found.first_seat.estimate == pytest.approx(0.3 * ELO, abs=15)
    assert found.draw_rate == pytest.approx(0.2, abs=0.01)
    assert list(found.table["agent"]) == list("abcde")


@pytest.mark.parametrize("runs", [20, pytest.param(1500, marks=pytest.mark.long)])
def test_intervals_have_their_nominal_coverage(runs: int) -> None:
    rng = np.random.default_rng(11)
    truth = {"a": 0.5, "b": 0.0, "c": -0.5}
    held = []
    for _ in range(runs):
        found = rate(played(truth, each=60, rng=rng, seat=0.2, nu=0.4))
        bounds = found.table.set_index("agent")
        held += [bounds.at[a, "low"] <= ELO * x <= bounds.at[a, "high"] for a, x in truth.items()]
        held.append(found.first_seat.low <= ELO * 0.2 <= found.first_seat.high)
    assert np.mean(held) == pytest.approx(0.95, abs=3 * math.sqrt(0.05 * 0.95 / runs))


@settings(max_examples=10)
@given(any_games())
def test_ratings_do_not_depend_on_the_order_of_games_or_on_names(table: pd.DataFrame) -> None:
    found = rate(table)
    assert found.table["elo"].mean() == pytest.approx(0, abs=1e-6)
    assert (found.table["low"] <= found.table["elo"]).all()
    assert (found.table["elo"] <= found.table["high"]).all()
    other = {"ann": "zoe", "bob": "yan", "cid": "xia", "dee": "wim"}
    renamed = table.iloc[::-1].replace({"p1": other, "p2": other})
    again = rate(renamed)
    for agent in found.agents:
        assert again.elo(other[agent]) == pytest.approx(found.elo(agent), abs=1e-4)
    swapped = table.rename(columns={"p1": "p2", "p2": "p1"}).assign(winner=table["winner"].map({0: 1, 1: 0, -1: -1}))
    assert rate(swapped).first_seat.estimate == pytest.approx(-found.first_seat.estimate, abs=1e-4)
