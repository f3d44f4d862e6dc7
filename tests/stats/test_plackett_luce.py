"""Ratings and tables from games of more than two seats, against choix, closed forms and simulated strengths."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from planner.stats.placings import pairwise_table, places_table, seats_table
from planner.stats.plackett_luce import fit_places, rate_places
from planner.stats.ratings import ELO, rate

AGENTS = ("a", "b", "c", "d")


def simulated(strength: dict[str, float], seats: int, games: int, seed: int, ahead: float = 0.0) -> pd.DataFrame:
    """Return games in which places are drawn by the model; the first seat has `ahead` more strength."""
    rng = np.random.default_rng(seed)
    orders = list(permutations(strength, seats))
    rows = []
    for game in range(games):
        at = orders[game % len(orders)]
        noise = rng.gumbel(size=seats)  # the largest of exp(strength) races have the probabilities of the model
        values = [strength[agent] + ahead * (seat == 0) + noise[seat] for seat, agent in enumerate(at)]
        places = [1 + sum(other > own for other in values) for own in values]
        rows.append((*at, *places, places.index(1)))
    names = [f"p{seat + 1}" for seat in range(seats)]
    return pd.DataFrame(rows, columns=[*names, *(f"{name}_place" for name in names), "winner"])


def test_agrees_with_choix() -> None:
    choix = pytest.importorskip("choix", reason="an independent fit")
    rng = np.random.default_rng(5)
    rankings = [tuple(int(agent) for agent in rng.permutation(4)[:3]) for _ in range(200)]
    expected = choix.opt_rankings(4, rankings, alpha=1e-9)
    at = np.array(rankings)
    found, _ = fit_places(at, np.tile([1, 2, 3], (len(at), 1)), np.eye(4), (4,), prior_games=1e-3)  # without seats
    assert found == pytest.approx(expected - expected.mean(), abs=2e-4)


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_two_seats_without_draws_are_bradley_terry(prior: float) -> None:
    games = simulated({"a": 0.5, "b": 0.0, "c": -0.5}, 2, 300, 3, ahead=0.4)
    ours, davidson = rate_places(games, prior_games=prior), rate(games, prior_games=prior)
    # The prior acts on both seats here and on their difference there, so it may shift the fit a little.
    exact = 1e-6 if prior == 0 else 1.0
    assert list(ours.table["elo"]) == pytest.approx(list(davidson.table["elo"]), abs=exact)
    assert list(ours.table["low"]) == pytest.approx(list(davidson.table["low"]), abs=exact)
    gap = ours.seats["elo"][0] - ours.seats["elo"][1]
    assert gap == pytest.approx(davidson.first_seat.estimate, abs=exact or 2)
    assert ours.superiority().to_numpy() == pytest.approx(
        davidson.superiority().to_numpy(), abs=1e-2 if prior else 1e-6
    )


def test_finds_simulated_strengths_and_seats() -> None:
    strength = {"a": 0.9, "b": 0.3, "c": -0.3, "d": -0.9}
    games = simulated(strength, 3, 4800, 9, ahead=0.5)
    fitted = rate_places(games, AGENTS)
    for row in fitted.table.to_dict("records"):
        assert row["low"] < ELO * strength[row["agent"]] < row["high"]
    seat = fitted.seats
    assert seat["low"][0] < ELO * (0.5 - 0.5 / 3) < seat["high"][0]
    assert seat["elo"].sum() == pytest.approx(0, abs=1e-6)


def test_intervals_contain_the_truth_as_often_as_they_say() -> None:
    strength = {"a": 0.4, "b": 0.0, "c": -0.4}
    inside = 0
    for seed in range(60):
        table = rate_places(simulated(strength, 3, 120, seed), prior_games=0.0).table
        inside += sum(row["low"] < ELO * strength[row["agent"]] < row["high"] for row in table.to_dict("records"))
    assert 0.88 < inside / 180 < 0.99


def test_shared_place_counts_as_half_of_each_order() -> None:
    names = ["p1", "p2", "p3", "p1_place", "p2_place", "p3_place"]
    tied = pd.DataFrame([("a", "b", "c", 1, 1, 3), ("b", "c", "a", 1, 3, 2)] * 2, columns=names)
    split = pd.DataFrame(
        [("a", "b", "c", 1, 2, 3), ("a", "b", "c", 2, 1, 3), *[("b", "c", "a", 1, 3, 2)] * 2], columns=names
    )
    assert list(rate_places(tied).table["elo"]) == pytest.approx(list(rate_places(split).table["elo"]))


def test_agent_that_always_wins_has_a_finite_rating_only_with_a_prior() -> None:
    games = simulated({"a": 50.0, "b": 0.0, "c": 0.0}, 3, 60, 1)
    assert math.isfinite(rate_places(games).table["elo"][0])
    with pytest.raises(ValueError, match="use a prior"):
        rate_places(games, prior_games=0.0)


def test_tables_of_places_worked_out_by_hand() -> None:
    columns = ["p1", "p2", "p3", "p1_place", "p2_place", "p3_place", "pair"]
    games = pd.DataFrame(
        [("a", "b", "b", 1, 2, 2, 0), ("b", "a", "b", 1, 2, 3, 0), ("a", "a", "a", 1, 2, 3, -1)], columns=columns
    )
    pairwise = pairwise_table(games).set_index(["agent", "opponent"])
    assert list(pairwise.loc[("a", "b"), ["games", "ahead", "level", "behind", "score"]]) == [4, 3, 0, 1, 0.75]
    assert list(pairwise.loc[("b", "a"), ["games", "ahead", "level", "behind", "score"]]) == [4, 1, 0, 3, 0.25]
    places = places_table(games).set_index("agent")
    assert list(places.loc["a", ["games", "score", "mean_place", "place_1", "place_2", "place_3"]]) == [
        2, 0.75, 1.5, 1, 1, 0,
    ]  # fmt: skip
    assert list(places.loc["b", ["games", "score", "place_1", "place_2", "place_3"]]) == [4, 0.25, 1, 2, 1]
    seats = seats_table(games).set_index(["agent", "seat"])
    # Over all agents also the game of an agent against itself counts: 1, 1 and 1 of the first seat.
    assert list(seats.loc[[("", 1), ("", 2), ("", 3)], "score"]) == pytest.approx(
        [1.0, (0.25 + 0.5 + 0.5) / 3, 0.25 / 3]
    )
    assert seats.loc[("a", 1), "score"] == 1.0
    assert seats.loc[("a", 2), "score"] == 0.5
    assert seats.loc[("a", 3), "games"] == 0


def test_shared_places_count_as_all_their_orders() -> None:
    rng = np.random.default_rng(2)
    at = np.array([rng.permutation(5)[:4] for _ in range(30)])
    places = rng.integers(1, 4, at.shape)
    orders = [
        [(players, ranks) for ranks in permutations(range(4)) if sorted(range(4), key=lambda k: (own[k], ranks[k]))
         == sorted(range(4), key=lambda k: ranks[k])]
        for players, own in zip(at.tolist(), places.tolist(), strict=True)
    ]  # fmt: skip
    copies = [order for strict in orders for order in strict * (24 // len(strict))]
    many = fit_places(np.array([a for a, _ in copies]), np.array([r for _, r in copies]), np.eye(5), (5,), 24.0)
    ours = fit_places(at, places, np.eye(5), (5,), 1.0)
    assert ours[0] == pytest.approx(many[0])
    assert ours[1] == pytest.approx(24 * many[1])


def test_a_place_that_twelve_seats_share() -> None:
    """They have 479,001,600 orders."""
    agents = [f"agent {seat}" for seat in range(12)]
    columns = {f"p{seat + 1}": [agent, agents[seat - 1]] for seat, agent in enumerate(agents)}
    columns |= {f"p{seat + 1}_place": [1, min(seat + 1, 3)] for seat in range(12)}  # type: ignore[dict-item]
    ratings = rate_places(pd.DataFrame(columns))
    assert ratings.table["agent"][0] == "agent 11"  # that was first in the other game
