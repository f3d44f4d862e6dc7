"""The bound is never below the truth, at no state of a turn; and leaving out by it changes no plan."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

import pytest

from planner.bench.benchmark_positions import load_positions
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.match_flow import observe

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.native import Technique, best_turns, compare_bound
from planner.games.hearthstone.turn.turn_plan import plan_turn
from tests.build import effect, minion, spell, state
from tests.games.hearthstone.cards.real import needs_real_cards
from tests.games.hearthstone.engine.real_turns import small_turn_of_real_cards
from tests.games.hearthstone.engine.turns import Turn, fresh_seed, random_weights, turn_of_a_match
from tests.games.hearthstone.generated import random_state

EFFORT: Final = 3000  # states of one turn: larger ones are compared as far as that goes


def generated_turn(rng: Random) -> Turn:
    """A board of cards that nobody has seen, mostly as its player sees it."""
    state = random_state(rng, most_minions=4, most_cards=4)
    return observe(state, state.seat) if rng.random() < 0.8 else state, random_weights(rng)


def check(make: Callable[[Random], Turn], seed: int, turns: int) -> None:
    """No bound of so many turns is below the truth, and it is known for enough states to tell."""
    states = bounded = 0
    for number in range(seed, seed + turns):
        rng = Random(number)
        state, weights = make(rng)
        compared = compare_bound(state, weights, effort=EFFORT, pessimistic=rng.random() < 0.2)
        if compared is not None:
            assert compared.excess == 0, f"seed {number}: a bound is {compared.excess} below the truth"
            states += compared.states
            bounded += compared.bounded
    assert bounded > states / 5, f"seed {seed}: a bound for {bounded} of {states} states only"


def test_generated_turns() -> None:
    check(generated_turn, fresh_seed(), 400)


def test_turns_of_matches() -> None:
    check(turn_of_a_match, fresh_seed(), 60)


def test_recorded_turns() -> None:
    recorded = [(position.state, position.weights) for position in load_positions("texts")]
    check(lambda rng: rng.choice(recorded), fresh_seed(), 60)


@needs_real_cards
def test_turns_of_real_cards() -> None:
    check(small_turn_of_real_cards, fresh_seed(), 100)


@pytest.mark.long
def test_generated_turns_at_length() -> None:
    check(generated_turn, fresh_seed(), 2000)


@pytest.mark.long
def test_turns_of_matches_at_length() -> None:
    check(turn_of_a_match, fresh_seed(), 600)


@needs_real_cards
@pytest.mark.long
def test_turns_of_real_cards_at_length() -> None:
    check(small_turn_of_real_cards, fresh_seed(), 5000)


@pytest.mark.parametrize("make", [generated_turn, turn_of_a_match])
def test_leaving_out_changes_no_plan(make: Callable[[Random], Turn]) -> None:
    seed = fresh_seed()
    left_out = 0
    for number in range(seed, seed + 80):
        state, weights = make(Random(number))
        everything = best_turns(state, weights, effort=20_000, techniques=Technique.ALL & ~Technique.PRUNE_STATES)
        bounded = best_turns(state, weights, effort=20_000)
        if everything is None or bounded is None:
            continue
        if everything.proved:
            assert (bounded.proved, bounded.turns) == (True, everything.turns), f"seed {number}"
        left_out += bounded.states < everything.states
    assert left_out, f"seed {seed}: nothing was left out"


def test_a_limit_leaves_a_bound_that_holds() -> None:
    position = max(load_positions("texts"), key=lambda one: len(one.state.me.hand) + len(one.state.me.board))
    best = best_turns(position.state, position.weights)
    early = best_turns(position.state, position.weights, effort=20)
    assert best is not None
    assert early is not None
    assert (best.proved, early.proved) == (True, False)
    assert early.bound is not None
    assert early.turns[0].score <= best.turns[0].score <= early.bound


def test_a_bound_holds_where_chance_was_not_counted() -> None:
    """Twelve blows among seven: too many ways to list, so what the spell counts for is not known, but for the bound."""
    missiles = spell(effect("damage", "all enemy minions", amount=12, split=True))
    before = state(hand=[missiles], enemy=[minion(1, 30)] * 7)
    weights = Weights.of(dict.fromkeys(TERMS, 0) | {"minion_damage": 1})
    for effort in (1, 2, 20):
        answer = best_turns(before, weights, effort=effort)
        assert answer is not None
        assert not answer.proved
        assert answer.bound is None or answer.bound >= 12
    plan = plan_turn(before, weights, effort=1)
    assert (plan.status, plan.bound >= 12) == ("feasible", True)
