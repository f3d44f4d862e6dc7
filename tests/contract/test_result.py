"""The result: shape, proof, ties, time limits, next best plans, thesis formulation and explanation."""

from __future__ import annotations

import itertools
import json
import time
from random import Random
from typing import Any

import pytest

from planner import Plan, plan_turn, plan_turns
from planner.solvers import installed
from tests.contract.boards import FLAVOURS, PROFILES, crowded_state, profile_or_weights, random_state
from tests.contract.naive_game import (
    TERMS,
    actions,
    contributions,
    maximum,
    min_enemy_health,
    outcomes,
    play_out,
    points,
    start,
    step,
)

EMPTY: dict[str, Any] = {"mana": 0, "me": {"hero": {"health": 30}}, "enemy": {"hero": {"health": 30}}}


def minions(*entries: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [{"attack": attack, "health": health, "keywords": list(words)} for attack, health, *words in entries]


def drawn(seed: str, **sizes: Any) -> tuple[dict[str, Any], Any, dict[str, Any]]:
    """Return a state, a `weights` argument for `plan_turn`, and the weight of each term."""
    rng = Random(seed)
    state = random_state(rng, flavour=rng.choice(sorted(FLAVOURS)), **sizes)
    return state, *profile_or_weights(rng)


# -- shape


def check_shape(result: dict[str, Any]) -> None:
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["status"] in ("optimal", "feasible")
    assert set(TERMS) <= set(result["terms"])
    for name in ("objective", "bound", "seconds"):
        assert isinstance(result[name], float), name
    assert all(isinstance(amount, float) for amount in result["terms"].values())
    assert sum(result["terms"].values()) == pytest.approx(result["objective"], abs=1e-6)
    assert result["bound"] >= result["objective"]
    assert (result["status"] == "feasible") or result["bound"] == result["objective"]
    assert isinstance(result["lethal"], bool)
    assert isinstance(result["solver"], str)
    assert result["formulation"] in ("exact", "thesis")
    assert result["seconds"] >= 0
    for action in result["actions"]:
        fields = {"play": {"type", "card", "target"}, "attack": {"type", "attacker", "target"}}
        assert set(action) == fields[action["type"]]


def test_the_result_has_every_field_of_the_contract() -> None:
    for seed in range(40):
        state, weights, _ = drawn(f"shape {seed}")
        plan = plan_turn(state, weights)
        assert isinstance(plan, Plan)
        check_shape(plan.to_dict())


def test_the_empty_turn() -> None:
    result = plan_turn(EMPTY, "aggro_face").to_dict()
    check_shape(result)
    assert result["actions"] == []
    assert (result["status"], result["objective"], result["lethal"]) == ("optimal", 2.0, False)
    assert result["terms"] == {**dict.fromkeys(TERMS, 0.0), "board_clear": 2.0}


def test_the_result_uses_the_callers_ids() -> None:
    state = {
        "mana": 1,
        "me": {
            "hero": {"health": 30},
            "board": [{"id": "wolf", "attack": 2, "health": 2}],
            "hand": [{"id": "Ä 1", "cost": 1, "attack": 1, "health": 1, "keywords": ["charge"]}],
        },
        "enemy": {"hero": {"health": 30}, "board": [{"id": "ogre", "attack": 0, "health": 2, "keywords": ["taunt"]}]},
    }
    result = plan_turn(state, {"face_damage": 1, "card_value": 1})
    assert [tuple(action.values()) for action in result.to_dict()["actions"]] == [
        ("play", "Ä 1", None),
        ("attack", "wolf", "ogre"),
        ("attack", "Ä 1", "enemy.hero"),
    ]


def test_the_same_call_returns_the_same_plan() -> None:
    for seed in range(15):
        state, weights, _ = drawn(f"again {seed}")
        first, second = (plan_turn(state, weights).to_dict() for _ in range(2))
        assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_numbers_are_rounded_once() -> None:
    state = {**EMPTY, "me": {"hero": {"health": 30}, "hand": [{"cost": 0, "attack": 1, "health": 1, "value": 1.1}]}}
    result = plan_turn(state, weights={"card_value": 3.333333}).to_dict()
    assert result["objective"] == result["bound"] == result["terms"]["card_value"] == 3.6666663


# -- every solver


def same_for_all_solvers(seeds: range) -> None:
    for seed in seeds:
        state, weights, numbers = drawn(f"solvers {seed}")
        auto = plan_turn(state, weights).to_dict()
        assert auto["objective"] == float(points(play_out(state, auto["actions"]), numbers))
        for solver in installed():
            result = plan_turn(state, weights, solver=solver).to_dict()
            about = f"{seed} {solver} {state} {weights}"
            assert result["solver"] == solver
            assert result["status"] == "optimal", about
            assert result["objective"] == auto["objective"], about
            assert result["actions"] == auto["actions"], about


@pytest.mark.parametrize("part", range(5))
def test_every_solver_returns_the_same_plan(part: int) -> None:
    same_for_all_solvers(range(20 * part, 20 * (part + 1)))


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
def test_every_solver_returns_the_same_plan_on_many_states(part: int) -> None:
    same_for_all_solvers(range(1000 + 50 * part, 1050 + 50 * part))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_every_solver_returns_the_same_plan_on_a_crowded_board(seed: int) -> None:
    state = crowded_state(Random(f"crowded {seed}"))
    plans = [plan_turn(state, "aggro_face", solver=solver, time_limit=60) for solver in ("auto", *installed())]
    best = max(plan.objective for plan in plans)
    proved = [plan for plan in plans if plan.status == "optimal"]
    assert all(plan.bound >= best for plan in plans), [(plan.solver, plan.objective, plan.bound) for plan in plans]
    assert {plan.objective for plan in proved} <= {best}
    assert len({plan.actions for plan in proved}) <= 1, [(plan.solver, plan.actions) for plan in proved]


@pytest.mark.parametrize("solver", ["auto", *installed()])
def test_weights_beyond_the_precision_of_a_solver_lead_to_a_plan(solver: str) -> None:
    mine, card = minions((2001, 5003, "charge", "divine_shield", "reborn", "mega_windfury"), (3002, 5003, "charge"))
    enemy = {"hero": {"health": 31}, "board": minions((4000, 2001, "poisonous", "windfury", "reborn"))}
    state = {"mana": 8, "me": {"hero": {"health": 13}, "board": [mine], "hand": [card | {"cost": 0}]}, "enemy": enemy}
    weights = {"lethal": 1e-06, "face_damage": 12345.678901, "own_survival": 12345.678901, "minion_damage": 8}
    weights |= {"board_clear": 1e-06, "enemy_threat": 1e-06, "damage_taken": -1000000, "card_value": -1000000}
    result = plan_turn(state, weights=weights, solver=solver).to_dict()
    check_shape(result)
    assert (result["status"], result["stopped"]) == ("feasible", "finished")
    assert result["objective"] > 0


# -- ties


def test_an_action_that_scores_nothing_is_not_taken() -> None:
    state = {**EMPTY, "mana": 5, "me": {"hero": {"health": 30}, "board": minions((3, 3), (2, 2)), "hand": []}}
    state["me"]["hand"] = [{"cost": 1, "attack": 1, "health": 1}]
    assert plan_turn(state, {"lethal": 1}).actions == ()
    assert plan_turn(state, {}).actions == ()


def test_one_large_hit_is_preferred_to_two_small_ones() -> None:
    state = {**EMPTY, "me": {"hero": {"health": 30}, "board": minions((1, 1), (2, 1), (3, 1))}}
    state["enemy"] = {"hero": {"health": 30}, "board": minions((0, 3))}
    result = plan_turn(state, {"board_clear": 1}).to_dict()["actions"]
    assert result == [{"type": "attack", "attacker": "me.board.2", "target": "enemy.board.0"}]


def test_ties_are_broken_by_the_callers_order() -> None:
    board = minions((3, 3), (3, 3), (3, 3))
    state = {**EMPTY, "me": {"hero": {"health": 30}, "board": board}}
    state["enemy"] = {"hero": {"health": 30}, "board": minions((1, 3), (1, 3))}
    result = plan_turn(state, {"board_clear": 1}).to_dict()["actions"]
    assert sorted(action["attacker"] for action in result) == ["me.board.0", "me.board.1"]
    state["enemy"] = {"hero": {"health": 3}}
    result = plan_turn(state, {"lethal": 1}).to_dict()["actions"]
    assert result == [{"type": "attack", "attacker": "me.board.0", "target": "enemy.hero"}]


def test_among_equal_cards_the_first_is_played() -> None:
    hand = [{"cost": 2, "attack": 1, "health": 1} for _ in range(3)]
    state = {**EMPTY, "mana": 4, "me": {"hero": {"health": 30}, "hand": hand}}
    result = plan_turn(state, {"card_value": 1}).to_dict()["actions"]
    assert [action["card"] for action in result] == ["me.hand.0", "me.hand.1"]


def test_among_equal_targets_the_first_is_attacked() -> None:
    state = {**EMPTY, "me": {"hero": {"health": 30}, "board": minions((3, 9))}}
    state["enemy"] = {"hero": {"health": 30}, "board": minions((2, 3), (2, 3), (2, 3))}
    result = plan_turn(state, {"enemy_threat": 1}).to_dict()["actions"]
    assert result == [{"type": "attack", "attacker": "me.board.0", "target": "enemy.board.0"}]


# -- time limits


def greedy(state: dict[str, Any], weights: dict[str, Any]) -> Any:
    """Return the score of a greedy player that takes the best next action while the score rises."""
    game = start(state)
    while True:
        after = [step(game, action) for action in actions(game)]
        best = max(after, key=lambda game: points(game, weights), default=None)
        if best is None or points(best, weights) <= points(game, weights):
            return points(game, weights)
        game = best


def timed(limit: float, state: dict[str, Any], **options: Any) -> tuple[dict[str, Any], float]:
    """Return the plan and the shortest of several times, since other load only adds time."""
    times = []
    for _ in range(4):
        started = time.perf_counter()
        result = plan_turn(state, time_limit=limit, **options).to_dict()
        times.append(time.perf_counter() - started)
        if times[-1] < limit + 0.05:
            break
    return result, min(times)


@pytest.fixture(autouse=True, scope="module")
def _warm() -> None:
    """Import the solvers first: the import at the first use is not part of a time limit."""
    for solver in ("auto", *installed()):
        plan_turn(EMPTY, solver=solver)


@pytest.mark.parametrize("limit", [0.001, 0.005, 0.05])
@pytest.mark.parametrize("seed", range(4))
def test_a_time_limit_is_kept_with_a_legal_plan(seed: int, limit: float) -> None:
    state = crowded_state(Random(f"limit {seed}"))
    result, seconds = timed(limit, state, weights="aggro_face")
    check_shape(result)
    assert seconds < limit + 0.05
    end = play_out(state, result["actions"])
    assert result["objective"] == float(points(end, PROFILES["aggro_face"]))
    # the plan is at least as good as the empty plan, and no turn scores above the bound
    assert result["objective"] >= float(points(start(state), PROFILES["aggro_face"]))
    assert result["bound"] >= float(greedy(state, PROFILES["aggro_face"]))


@pytest.mark.parametrize("solver", installed())
def test_every_solver_keeps_a_time_limit(solver: str) -> None:
    state = crowded_state(Random("limit of each"))
    result, seconds = timed(0.02, state, weights="true_balanced", solver=solver)
    check_shape(result)
    assert seconds < 0.02 + (0.25 if solver == "cbc" else 0.1)  # CBC runs as a separate process
    play_out(state, result["actions"])


@pytest.mark.parametrize("seed", range(4))
def test_a_plan_with_one_second_is_at_least_as_good_as_greedy_play(seed: int) -> None:
    state = crowded_state(Random(f"second {seed}"))
    result = plan_turn(state, "aggro_face", time_limit=1).to_dict()
    assert result["objective"] >= float(greedy(state, PROFILES["aggro_face"]))


def test_a_sufficient_time_limit_does_not_change_the_plan() -> None:
    for seed in range(15):
        state, weights, _ = drawn(f"enough {seed}")
        limited, free = plan_turn(state, weights, time_limit=30).to_dict(), plan_turn(state, weights).to_dict()
        assert {**limited, "seconds": 0} == {**free, "seconds": 0}


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_a_longer_search_never_exceeds_an_earlier_bound(seed: int) -> None:
    state = crowded_state(Random(f"bound {seed}"))
    plans = [plan_turn(state, "value_trade", time_limit=limit) for limit in (0.005, 0.05, 0.5, 5, 30)]
    best = max(plan.objective for plan in plans)
    assert all(plan.bound >= best for plan in plans), [(plan.objective, plan.bound) for plan in plans]
    assert plans[-1].objective == best


# -- the next best plans


def different(plans: list[Plan]) -> bool:
    sets = [tuple(sorted(json.dumps(action) for action in plan.to_dict()["actions"])) for plan in plans]
    return len(set(sets)) == len(sets)


@pytest.mark.parametrize("part", range(4))
def test_the_next_best_plans_are_the_best_of_all_others(part: int) -> None:
    for seed in range(10 * part, 10 * (part + 1)):
        rng = Random(f"next {seed}")
        state = random_state(rng, 2, 2, 1, crowded=0)
        weights, numbers = profile_or_weights(rng)
        values = sorted(map(float, outcomes(state, numbers).values()), reverse=True)
        plans = plan_turns(state, weights, k=min(5, len(values)))
        assert [plan.objective for plan in plans] == values[:5], (seed, state, weights)
        assert different(plans), (seed, state, weights)
        first = plan_turn(state, weights).to_dict()
        assert plans[0].to_dict()["actions"] == first["actions"]
        for plan in plans:
            assert float(points(play_out(state, plan.to_dict()["actions"]), numbers)) == plan.objective
            assert plan.status == "optimal"


def test_next_best_plans_differ_and_have_falling_scores() -> None:
    for seed in range(15):
        rng = Random(f"differ {seed}")
        state = random_state(rng, 2, 2, 1, flavour="undead", crowded=0)
        weights, numbers = profile_or_weights(rng)
        values = sorted(map(float, outcomes(state, numbers).values()), reverse=True)
        plans = plan_turns(state, weights, k=min(5, len(values)))
        assert plans[0].objective == values[0]
        assert all(better.objective >= worse.objective for better, worse in itertools.pairwise(plans))
        assert different(plans), (seed, state, weights)


def test_plans_of_a_windfury_minion_differ() -> None:
    state = {**EMPTY, "me": {"hero": {"health": 9}, "board": minions((1, 3, "windfury"))}}
    state["enemy"] = {"hero": {"health": 9}, "board": minions((1, 2))}
    plans = plan_turns(state, {"face_damage": 1, "minion_damage": 1}, k=5)
    assert plans[0].objective == 2
    assert different(plans), [plan.to_dict()["actions"] for plan in plans]


def test_plans_against_a_reborn_minion_differ() -> None:
    state = {
        "mana": 0,
        "me": {"hero": {"health": 30}, "board": minions((2, 2), (4, 1)), "weapon": {"attack": 1, "durability": 1}},
        "enemy": {"hero": {"health": 2}, "board": minions((0, 4, "reborn"))},
    }
    state["me"]["board"][0]["attacks_left"] = 2
    plans = plan_turns(state, "keep_alive", k=4)
    assert different(plans), [plan.to_dict()["actions"] for plan in plans]


@pytest.mark.parametrize("solver", ["auto", *installed()])
def test_all_turns_are_returned_if_there_are_fewer_than_k(solver: str) -> None:
    assert [plan.actions for plan in plan_turns(EMPTY, k=5, solver=solver)] == [()]
    state = {**EMPTY, "me": {"hero": {"health": 30}, "board": minions((2, 2), (1, 1))}}
    plans = plan_turns(state, {"face_damage": 1}, solver=solver, k=9)
    assert [plan.objective for plan in plans] == [3, 2, 1, 0]


# -- the thesis formulation


def test_the_thesis_formulation_reports_claimed_and_real_score() -> None:
    more = 0
    for seed in range(60):
        state, weights, numbers = drawn(f"thesis {seed}")
        result = plan_turn(state, weights, formulation="thesis").to_dict()
        check_shape(result)
        end = play_out(state, result["actions"])
        assert result["formulation"] == "thesis"
        assert result["objective"] == float(points(end, numbers))
        assert result["terms"] == {term: float(amount) for term, amount in contributions(end, numbers).items()}
        assert result["objective"] <= plan_turn(state, weights).objective
        if result["claimed"] != result["objective"]:
            assert result["status"] == "feasible"
        more += result["claimed"] > result["objective"]
    assert more > 0  # its claims are sometimes too high


def test_the_thesis_lets_several_minions_attack_a_dead_minion() -> None:
    # every hit on a minion scores, so both minions attack a target that one kills; only one attack is legal
    state = {**EMPTY, "me": {"hero": {"health": 30}, "board": minions((5, 5), (5, 5))}}
    state["enemy"] = {"hero": {"health": 30}, "board": minions((1, 3))}
    result = plan_turn(state, {"minion_damage": 10, "face_damage": 1}, formulation="thesis").to_dict()
    assert result["claimed"] > result["objective"]
    assert result["objective"] <= 55
    assert result["status"] == "feasible"


def test_the_exact_formulation_claims_its_real_score() -> None:
    for seed in range(20):
        state, weights, _ = drawn(f"claims {seed}")
        result = plan_turn(state, weights).to_dict()
        assert result["claimed"] == result["objective"]


# -- explanations


@pytest.mark.parametrize("part", range(4))
def test_the_explanation_agrees_with_brute_force(part: int) -> None:
    for seed in range(6 * part, 6 * (part + 1)):
        rng = Random(f"why {seed}")
        state = random_state(rng, 3, 2, 2)
        weights, numbers = profile_or_weights(rng)
        plan = plan_turn(state, weights)
        data = plan.explain(k=0).to_dict()
        json.dumps(data)
        minimum = min_enemy_health(state)
        assert data["lethal_exists"] == (minimum <= 0), (seed, state)
        assert data["lethal_missed_by"] == max(0, minimum), (seed, state)
        assert len(data["words"]) == len(plan.actions)
        assert [entry["action"] for entry in data["loss_without"]] == plan.to_dict()["actions"]
        for entry in data["loss_without"]:
            loss = plan.objective - float(maximum(state, numbers, (entry["action"],)))
            assert entry["loss"] == pytest.approx(loss, abs=1e-6), (seed, state, weights, entry)


def test_the_explanation_in_words() -> None:
    state = {
        "mana": 6,
        "me": {"hero": {"health": 30}, "board": [{"name": "Chillwind Yeti"}], "hand": [{"name": "Wolfrider"}]},
        "enemy": {"hero": {"health": 12}, "board": [{"name": "Sen'jin Shieldmasta"}]},
    }
    plan = plan_turn(state, "aggro_face")
    why = plan.explain()
    text = str(why)
    for words in (
        "Wolfrider",
        "Chillwind Yeti",
        "Sen'jin Shieldmasta",
        "aggro_face",
        "attacks",
        "play",
        "lethal",
        "12",
    ):
        assert words in text, text
    for term, amount in plan.terms.items():
        if amount:
            assert f"{term} {amount:g}" in text, text
    data = why.to_dict()
    assert len(data["next_best"]) == 3
    assert [entry["objective"] for entry in data["next_best"]] == [
        plan.objective for plan in plan_turns(state, "aggro_face", k=4)[1:]
    ]
    for entry in data["next_best"]:
        check_shape(entry)


def test_lethal_in_words() -> None:
    state = {**EMPTY, "me": {"hero": {"health": 30}, "board": minions((4, 4))}}
    state["enemy"] = {"hero": {"health": 3, "armor": 1}}
    data = plan_turn(state, "aggro_face").explain(k=0).to_dict()
    assert (data["lethal_exists"], data["lethal_missed_by"]) == (True, 0)
    state["enemy"]["hero"]["armor"] = 3
    data = plan_turn(state, "aggro_face").explain(k=0).to_dict()
    assert (data["lethal_exists"], data["lethal_missed_by"]) == (False, 2)
    # lethal exists, but these weights prefer another turn
    state["enemy"]["hero"]["armor"] = 0
    why = plan_turn(state, {"face_damage": -1}).explain(k=0)
    assert why.to_dict()["lethal_exists"]
    assert not why.plan.lethal


def test_a_loss_is_reported_if_the_hero_would_die_for_the_same_score() -> None:
    # without the minion's attack the hero can kill the taunt minion and dies: only face damage is lost
    state = {
        "mana": 0,
        "me": {"hero": {"health": 1}, "board": minions((3, 1)), "weapon": {"attack": 3, "durability": 1}},
        "enemy": {"hero": {"health": 9}, "board": minions((4, 1, "taunt"))},
    }
    numbers = {"enemy_threat": 10, "face_damage": 1}
    plan = plan_turn(state, numbers)
    assert plan.objective == 3
    for entry in plan.explain(k=0).to_dict()["loss_without"]:
        assert entry["loss"] == 3 - maximum(state, numbers, (entry["action"],))


@pytest.mark.parametrize("k", [0, 1, 3])
def test_a_turn_without_a_choice_is_explained(k: int) -> None:
    why = plan_turn(EMPTY).explain(k=k)
    assert why.to_dict()["next_best"] == []
    assert "lethal" in str(why)
