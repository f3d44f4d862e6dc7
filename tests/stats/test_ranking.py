"""Nash averaging: games with known equilibria, copies that change nothing, and the bootstrap."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from planner.errors import PlannerError
from planner.stats.games_table import Floats
from planner.stats.nash_ranking import max_entropy_nash, nash_average, nash_ranking, score_matrix
from tests.stats.tables import any_games, counted, games, played

ROCK_PAPER_SCISSORS = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])


def copied(a: Floats, places: list[int]) -> Floats:
    return a[np.ix_(places, places)]


def test_rock_paper_scissors() -> None:
    assert max_entropy_nash(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)


def test_copy_shares_the_mass_of_its_original() -> None:
    assert max_entropy_nash(copied(ROCK_PAPER_SCISSORS, [0, 1, 2, 2])) == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6])


def test_uneven_stakes_have_a_closed_form() -> None:
    # Rock-paper-scissors whose duels pay differently: each share is proportional to the pay of the other two's duel.
    a, b, c = 1.0, 2.0, 3.0
    payoffs = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
    assert max_entropy_nash(payoffs) == pytest.approx(np.array([a, b, c]) / 6)


def test_best_of_a_total_order_has_all_mass() -> None:
    order = np.sign(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    assert max_entropy_nash(order) == pytest.approx([0, 0, 0, 0, 1])


def test_agent_that_loses_to_all_has_no_mass() -> None:
    payoffs = np.zeros((4, 4))
    payoffs[:3, :3] = ROCK_PAPER_SCISSORS
    payoffs[:3, 3], payoffs[3, :3] = 0.1, -0.1
    assert max_entropy_nash(payoffs) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_maximum_entropy_among_many_equilibria() -> None:
    # a and b are even but do differently against c; d is even with everyone but beats c.
    payoffs = np.array([[0, 0, 0.8, 0], [0, 0, 0.2, 0], [-0.8, -0.2, 0, -0.4], [0, 0, 0.4, 0]])
    assert max_entropy_nash(payoffs) == pytest.approx([1 / 3, 1 / 3, 0, 1 / 3])
    # Here the mixtures of a and b are held by c, who gains against too much of a: p_a <= 1/4.
    payoffs = np.array([[0, 0, -0.6], [0, 0, 0.2], [0.6, -0.2, 0]])
    assert max_entropy_nash(payoffs) == pytest.approx([1 / 4, 3 / 4, 0], abs=1e-6)


def test_matrix_must_be_antisymmetric() -> None:
    with pytest.raises(ValueError, match="square matrix"):
        max_entropy_nash(np.ones((2, 2)))
    assert max_entropy_nash(np.zeros((4, 4))) == pytest.approx([1 / 4] * 4)


def antisymmetric(n: int) -> st.SearchStrategy[Floats]:
    return arrays(np.float64, (n, n), elements=st.integers(-4, 4).map(float)).map(lambda m: np.triu(m, 1))


matrices = st.integers(2, 7).flatmap(antisymmetric).map(lambda upper: upper - upper.T)


@settings(max_examples=20)
@given(matrices, st.data())
def test_equilibria_do_not_depend_on_copies_and_order(a: Floats, data: st.DataObject) -> None:
    p = max_entropy_nash(a)
    assert p.sum() == pytest.approx(1)
    assert p.min() >= 0
    assert (a @ p).max() <= 1e-6 * np.abs(a).max(initial=1)
    places = data.draw(st.permutations(range(len(a))))
    assert max_entropy_nash(copied(a, list(places))) == pytest.approx(p[list(places)], abs=1e-5)
    twin = data.draw(st.integers(0, len(a) - 1))
    more = max_entropy_nash(copied(a, [*range(len(a)), twin]))
    assert (copied(a, [*range(len(a)), twin]) @ more)[:-1] == pytest.approx(a @ p, abs=1e-5)
    same = (a == a[twin]).all(axis=1)  # the agent and its earlier copies
    assert more[:-1][same].sum() + more[-1] == pytest.approx(p[same].sum(), abs=1e-5)
    assert more[:-1][~same] == pytest.approx(p[~same], abs=1e-5)


@settings(max_examples=8)
@given(st.integers(3, 5).flatmap(antisymmetric).map(lambda upper: upper - upper.T))
def test_entropy_is_maximal_by_another_method(a: Floats) -> None:
    if len(np.unique(a, axis=0)) < len(a):
        return  # copies are merged first
    p = max_entropy_nash(a)

    def negative_entropy(q: Floats) -> float:
        return float((q * np.log(np.maximum(q, 1e-12))).sum())

    other = minimize(
        negative_entropy,
        p,
        bounds=[(0, 1)] * len(a),
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1},
            {"type": "ineq", "fun": lambda q: -(a @ q)},
        ],
        method="SLSQP",
    )
    assert negative_entropy(p) <= other.fun + 1e-5


def test_guesses_do_not_change_the_result() -> None:
    rng = np.random.default_rng(2)
    masks = [np.array([k >> bit & 1 for bit in range(4)], bool) for k in range(1, 16)]
    for _ in range(20):
        a = rng.normal(size=(4, 4))
        assert max_entropy_nash(a - a.T, masks) == pytest.approx(max_entropy_nash(a - a.T), abs=1e-9)


def test_scores_weight_the_seats_equally() -> None:
    table = counted({("a", "b"): (9, 0, 1), ("b", "a"): (2, 0, 0)})
    assert score_matrix(table).to_numpy().tolist() == [[0.5, 0.45], [0.55, 0.5]]
    assert list(score_matrix(table, ["b", "a"]).index) == ["b", "a"]


def test_skill_is_the_score_against_the_mixture() -> None:
    mass, skill = nash_average(np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.6], [0.1, 0.4, 0.5]]))
    assert mass == pytest.approx([1, 0, 0])
    assert skill == pytest.approx([0.5, 0.3, 0.1])


def cycle(extra: tuple[str, ...] = ()) -> pd.DataFrame:
    """a beats b beats c beats a, 8 to 2 from either seat; all of them beat the extras."""
    results = {}
    for winner, loser in [("a", "b"), ("b", "c"), ("c", "a"), *((x, y) for x in "abc" for y in extra)]:
        results[winner, loser], results[loser, winner] = (8, 0, 2), (2, 0, 8)
    for k, x in enumerate(extra):
        for y in extra[k + 1 :]:
            results[x, y], results[y, x] = (5, 0, 5), (5, 0, 5)
    return counted(results)


def test_weak_agents_do_not_change_the_ranking() -> None:
    rng = np.random.default_rng(0)
    alone = nash_ranking(cycle(), rng, samples=0).set_index("agent")
    crowd = nash_ranking(cycle(("w1", "w2", "w3")), rng, samples=0).set_index("agent")
    for agent in "abc":
        assert crowd.at[agent, "mass"] == pytest.approx(alone.at[agent, "mass"]) == pytest.approx(1 / 3)
        assert crowd.at[agent, "skill"] == pytest.approx(0.5)
    assert crowd.at["w1", "skill"] == pytest.approx(0.2)


def test_bootstrap_is_repeatable_and_contains_the_estimates() -> None:
    table = cycle(("w",))
    found = nash_ranking(table, np.random.default_rng(7), samples=60)
    pd.testing.assert_frame_equal(found, nash_ranking(table.iloc[::-1], np.random.default_rng(7), samples=60))
    assert not found.equals(nash_ranking(table, np.random.default_rng(8), samples=60))
    for name in ("mass", "skill"):
        assert (found[f"{name}_low"] <= found[name] + 1e-9).all()
        assert (found[name] <= found[f"{name}_high"] + 1e-9).all()
    assert list(found["agent"]) == ["a", "b", "c", "w"]
    assert found["in_mixture"].iloc[-1] == 0


def test_bootstrap_spread_is_that_of_the_pairs() -> None:
    # b's skill is its score against a, who leads clearly: the interval is that of a mean of pairs.
    rows = []
    for k in range(400):
        rows += [("a", "b", 0, k), ("b", "a", 0 if k % 3 == 0 else 1, k)]
    found = nash_ranking(games(rows), np.random.default_rng(1), samples=600).set_index("agent")
    pairs = np.array([0.5 if k % 3 == 0 else 0.0 for k in range(400)])
    reach = 1.96 * pairs.std() / 20
    assert found.at["b", "skill"] == pytest.approx(pairs.mean())
    assert found.at["b", "skill_high"] - found.at["b", "skill_low"] == pytest.approx(2 * reach, rel=0.15)


def test_agents_that_never_met_are_named() -> None:
    with pytest.raises(PlannerError, match="a and c have not met"):
        score_matrix(counted({("a", "b"): (1, 0, 0), ("b", "c"): (1, 0, 0)}))


def test_strong_and_weak_agents_are_ranked_in_order() -> None:
    table = played({"weak": -0.8, "strong": 0.8, "middle": 0.0}, 150, np.random.default_rng(4), nu=0.3)
    assert list(nash_ranking(table, np.random.default_rng(0), samples=20)["agent"]) == ["strong", "middle", "weak"]


@settings(max_examples=10)
@given(any_games(complete=True))
def test_any_complete_table_can_be_ranked(table: pd.DataFrame) -> None:
    found = nash_ranking(table, np.random.default_rng(0), samples=5)
    assert found["mass"].sum() == pytest.approx(1)
    assert found["skill"].max() == pytest.approx(0.5, abs=1e-6)
