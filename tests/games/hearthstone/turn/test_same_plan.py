"""The plan is the same whichever method finds it: the engine, the search in Python, or the program of a named solver.

All of them break ties by the order in docs/explanation/formulation.md ("Tie-breaking").
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from time import process_time

import pytest

from planner import plan_turn, plan_turns
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn import native, turn_plan
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.turn_plan import TurnPlan
from planner.planning.plan import NoTurnError, Status
from tests.games.hearthstone.engine.turns import Turn, fresh_seed, small_turn_with_effects, small_vanilla_turn
from tests.games.hearthstone.turn.random_states import random_state, random_weights

needs_engine = pytest.mark.skipif(not available(), reason="the engine is not compiled here")


def sparse_state(seed: int, board: int, hand: int) -> GameState:
    """Return a random vanilla state with few keywords."""
    return random_state(Random(seed), board, hand, density=0.15)


def vanilla_turn(seed: int, size: int) -> Turn:
    """Return a random vanilla turn with few or many keywords."""
    rng = Random(seed)
    return random_state(rng, size, size, density=rng.choice((0.15, 0.3, 0.5))), random_weights(rng)


@pytest.mark.parametrize("block", range(6))
@pytest.mark.parametrize("formulation", ["exact", "thesis", "thesis_every_minion"])
def test_auto_and_a_named_solver_choose_the_same_plan(formulation: str, block: int) -> None:
    by_engine = 0
    for seed in range(25 * block, 25 * (block + 1)):
        state, weights = sparse_state(seed, 3, 4), random_weights(Random(seed))
        auto = plan_turn(state, weights, formulation=formulation)
        by_engine += auto.solver == "engine"
        named = plan_turn(state, weights, "highs", formulation)
        assert named.solver == "highs"
        assert (auto.claimed, auto.actions) == (named.claimed, named.actions), f"seed {seed}"
    assert by_engine > 5 or not available(), "the engine planned hardly any turn: the test proves little"


def test_a_minion_from_the_hand_with_windfury_attacks_twice_where_row_1_holds_for_every_minion() -> None:
    state = state_from_text("1 mana | me 30hp | hand: (1) 2/3 charge windfury | enemy 30hp: 0/2")
    for solver in ("auto", "highs"):
        plan = plan_turn(state, {"face_damage": 1, "minion_damage": 1}, solver, "thesis_every_minion")
        assert (plan.claimed, plan.objective, plan.status) == (4, 4, Status.OPTIMAL)


@pytest.mark.long
@pytest.mark.parametrize("block", range(40))
def test_auto_and_a_named_solver_choose_the_same_plan_at_length(block: int) -> None:
    for seed in range(1000 + 25 * block, 1000 + 25 * (block + 1)):
        state, weights = sparse_state(seed, 5, 5), random_weights(Random(seed))
        for formulation in ("exact", "thesis"):
            auto, named = (plan_turn(state, weights, solver, formulation) for solver in ("auto", "highs"))
            assert (auto.claimed, auto.actions) == (named.claimed, named.actions), f"seed {seed}"


def check_engine_tie_break(first: int, count: int, size: int) -> None:
    """The vanilla solver and the search state by state choose the same turn; where a search was needed, as HiGHS does."""
    searched = 0
    for seed in range(first, first + count):
        state, weights = vanilla_turn(seed, size)
        solved = native.best_turns(state, weights)
        by_states = native.best_turns(state, weights, techniques=native.Technique.ALL & ~native.Technique.SOLVE_VANILLA)
        assert solved is not None
        assert by_states is not None
        assert solved.turns == by_states.turns, f"seed {seed}"
        if solved.states > 1:
            searched += 1
            assert solved.turns[0].actions == plan_turn(state, weights, "highs").actions, f"seed {seed}"
    assert searched > 0, f"from seed {first}: no turn was searched, so nothing is shown"


@needs_engine
def test_the_engine_breaks_ties_as_the_program_does() -> None:
    check_engine_tie_break(fresh_seed(), 600, 3)


@needs_engine
@pytest.mark.parametrize("seed", [660648717605, 660648728989])
def test_a_minion_that_was_reborn_keeps_its_order_in_ties(seed: int) -> None:
    # Such a minion returns at the right end of the board, where the rest of the turn is solved by itself.
    check_engine_tie_break(seed, 1, 3)


@needs_engine
def test_a_chosen_order_hits_the_lives_that_the_tie_break_compares() -> None:
    # The enemy hero must be healed between two attacks on him, so another attack hits the first life of the reborn
    # minion than the program chose. Both earn the same, and another choice comes first by the lives that are hit.
    check_engine_tie_break(943728051878, 1, 4)


@needs_engine
def test_no_attack_follows_the_death_of_its_target_in_the_program() -> None:
    """The first attack kills the first life of the target, so the second one of the same minion is on its second life.

    The program once put both on the first life, and the hero's on the second: another order of the same attacks.
    """
    state = state_from_text(
        "1 mana | me 5hp attack_this_turn=-1: Minion 3/1 charge reborn attack_this_turn=1 | weapon Weapon 2/1 windfury"
        " | hand: Minion (0) 3/3 value=2 | enemy 2hp immune: Minion 2/3 reborn, Minion 1/1 stealth"
    )
    weights = Weights(board_clear=10, enemy_threat=0.5, minion_damage=1, damage_taken=-1, card_value=1)
    by_engine = plan_turn(state, weights)
    assert len(by_engine.actions) == 4
    assert by_engine.actions == plan_turn(state, weights, "highs").actions


@needs_engine
def test_a_weaker_attack_may_follow_the_strongest_one_in_the_program() -> None:
    """The reborn minion deals the rest of the damage that its first life began."""
    state = state_from_text(
        "0 mana | me 10hp: Minion 5/1 rush reborn | weapon Weapon 1/3 | enemy 12hp: Minion 3/6"
        ' | cards: {"name": "Minion", "cost": 1, "attack": 1, "health": 5, "keywords": ["rush", "reborn"]}'
    )
    weights = Weights(board_clear=20, face_damage=10, enemy_threat=20, minion_damage=24, damage_taken=4)
    by_engine = plan_turn(state, weights)
    assert len(by_engine.actions) == 3
    assert by_engine.actions == plan_turn(state, weights, "highs").actions


@needs_engine
def test_the_program_knows_that_the_own_hero_must_live() -> None:
    """Otherwise it would propose every deadly turn, one after the other: this took minutes."""
    state = state_from_text(
        "0 mana | me 3hp armor=1 attack_this_turn=1: Minion 1/1 windfury mega_windfury reborn, Minion 2/2 mega_windfury"
        " | weapon Weapon 1/1 freeze | enemy 2hp max_health=12: Minion 4/4, Minion 4/2 lifesteal, Minion 4/1 divine_shield"
    )
    weights = Weights(
        lethal=5, board_clear=-1, face_damage=-1, enemy_threat=5, own_survival=2, minion_damage=1, damage_taken=-3,
        forbid=(Rule("own_hero_death"),),
    )  # fmt: skip
    by_engine, start = plan_turn(state, weights), process_time()
    by_solver = plan_turn(state, weights, "highs")
    assert by_solver.actions == by_engine.actions
    assert process_time() - start < 10


@needs_engine
@pytest.mark.long
def test_the_engine_breaks_ties_as_the_program_does_at_length() -> None:
    check_engine_tie_break(fresh_seed(), 20_000, 3)
    check_engine_tie_break(fresh_seed(), 3_000, 4)


def check_three_methods(make: Callable[[Random], Turn], first: int, count: int, patch: pytest.MonkeyPatch) -> None:
    """Engine, search in Python and named solver choose the same turn, with any terms and hard rules."""
    compared = 0
    for seed in range(first, first + count):
        state, weights = make(Random(seed))
        try:
            auto = plan_turn(state, weights)
        except NoTurnError:
            continue
        others: list[TurnPlan] = [plan_turn(state, weights, "highs", time_limit=10)]
        with patch.context() as without_engine:
            without_engine.setattr(native, "best_turns", lambda *_, **__: None)
            others.append(plan_turn(state, weights, time_limit=10))
        for other in others:
            if auto.status == other.status == Status.OPTIMAL:
                compared += 1
                assert (other.actions, other.objective) == (auto.actions, auto.objective), (
                    f"seed {seed}, {other.solver}"
                )
    assert compared > count, f"from seed {first}: hardly any turn was compared"


@needs_engine
@pytest.mark.parametrize("make", [small_turn_with_effects, small_vanilla_turn])
def test_engine_search_and_solver_choose_the_same_turn(
    make: Callable[[Random], Turn], monkeypatch: pytest.MonkeyPatch
) -> None:
    check_three_methods(make, fresh_seed(), 40, monkeypatch)


@needs_engine
@pytest.mark.long
@pytest.mark.parametrize("make", [small_turn_with_effects, small_vanilla_turn])
def test_engine_search_and_solver_choose_the_same_turn_at_length(
    make: Callable[[Random], Turn], monkeypatch: pytest.MonkeyPatch
) -> None:
    check_three_methods(make, fresh_seed(), 2_000, monkeypatch)


# A mega windfury minion attacks four times, which the vanilla solver leaves to the search over states.
FOUR_ATTACKS = "3 mana | me 20hp: 2/9 mega_windfury, 1/4 | hand: (3) 2/2 | enemy 30hp: 1/2, 1/2, 1/2, 1/2 taunt"


@needs_engine
def test_no_solver_runs_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    state, weights = state_from_text(FOUR_ATTACKS), Weights.of("value_trade")
    expected = plan_turn(state, weights, "highs")

    def no_solver(name: str) -> None:
        raise AssertionError(f"{name} is used")

    monkeypatch.setattr(turn_plan, "get", no_solver)
    plan = plan_turn(state, weights)
    assert (plan.solver, plan.status, plan.actions) == ("engine", Status.OPTIMAL, expected.actions)


@needs_engine
def test_the_first_of_several_plans_is_the_plan() -> None:
    for seed in range(60):
        state, weights = vanilla_turn(seed, 3)
        actions: tuple[Action, ...] = plan_turn(state, weights).actions
        assert plan_turns(state, weights, k=3)[0].actions == actions, f"seed {seed}"


def test_the_next_best_turns_include_every_turn_of_equal_score(monkeypatch: pytest.MonkeyPatch) -> None:
    state = state_from_text("0 mana | me 30hp: 1/1, 1/1 | enemy 1hp")
    for method in ("auto", "search"):
        if method == "search":
            monkeypatch.setattr(native, "best_turns", lambda *_, **__: None)
        plans = plan_turns(state, {"lethal": 1}, k=4)
        assert [plan.objective for plan in plans] == [1, 1, 0], method
        assert plans[0].actions == plan_turn(state, {"lethal": 1}).actions, method
