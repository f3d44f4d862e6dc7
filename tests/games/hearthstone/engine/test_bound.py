"""The bound is never below the truth, at no state of a turn; and leaving out by it changes no plan."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

import pytest

from planner.bench.states import load_positions
from planner.games.hearthstone.cards.decks import deck_names, load_deck
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.match import mulligan, observe, start_match
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.weights import EXTRA_TERMS, TERMS, Weights, profile_names

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner.games.hearthstone.turn.native import BOUND, EVERY_SHORTCUT, best_turns, compare_bound
from tests.games.hearthstone.generated import random_state

EFFORT: Final = 3000  # states of one turn: larger ones are compared as far as that goes
Turn = tuple[GameState, Weights]


def fresh_seed() -> int:
    """Another one each run; a failure names it."""
    return Random().randrange(2**40)


def random_weights(rng: Random) -> Weights:
    """A shipped profile, or any numbers: also negative ones, and any of the further terms."""
    kind = rng.random()
    if kind < 0.3:
        return Weights.of(rng.choice(profile_names()))
    least = 0 if kind < 0.7 else -6
    terms = (*TERMS, *rng.sample(EXTRA_TERMS, rng.choice((0, 2, 5, len(EXTRA_TERMS)))))
    return Weights.of({term: rng.randint(least, 12) for term in terms})


def generated_turn(rng: Random) -> Turn:
    """A board of cards that nobody has seen, mostly as its player sees it."""
    state = random_state(rng, most_minions=4, most_cards=4)
    return observe(state, state.seat) if rng.random() < 0.8 else state, random_weights(rng)


def turn_of_a_match(rng: Random) -> Turn:
    """Some turn of a random match between two of the project's decks, as its player sees it."""
    decks = load_deck(rng.choice(deck_names())), load_deck(rng.choice(deck_names()))
    state = start_match(decks, Ruleset.of("standard"), rng)
    state = mulligan(mulligan(state, [], rng), [], rng)
    for _ in range(rng.randint(10, 90)):
        actions = legal_actions(state)
        if not actions:
            break
        last = len(actions) == 1 or rng.random() < 0.15
        after = apply(state, rng.choice(actions if last else actions[:-1]), rng)
        if not legal_actions(after):
            break
        state = after
    return observe(state, state.seat), random_weights(rng)


def check(make: Callable[[Random], Turn], seed: int, turns: int) -> None:
    """No bound of so many turns is below the truth, and most states have one."""
    states = bounded = 0
    for number in range(seed, seed + turns):
        rng = Random(number)
        state, weights = make(rng)
        compared = compare_bound(state, weights, effort=EFFORT, worst=rng.random() < 0.2)
        if compared is not None:
            assert compared.excess == 0, f"seed {number}: a bound is {compared.excess} below the truth"
            states += compared.states
            bounded += compared.bounded
    assert bounded > states / 3, f"seed {seed}: a bound for {bounded} of {states} states only"


def test_generated_turns() -> None:
    check(generated_turn, fresh_seed(), 400)


def test_turns_of_matches() -> None:
    check(turn_of_a_match, fresh_seed(), 60)


def test_recorded_turns() -> None:
    recorded = [(position.state, position.weights) for position in load_positions("texts")]
    check(lambda rng: rng.choice(recorded), fresh_seed(), 60)


@pytest.mark.long
def test_generated_turns_at_length() -> None:
    check(generated_turn, fresh_seed(), 2000)


@pytest.mark.long
def test_turns_of_matches_at_length() -> None:
    check(turn_of_a_match, fresh_seed(), 600)


@pytest.mark.parametrize("make", [generated_turn, turn_of_a_match])
def test_leaving_out_changes_no_plan(make: Callable[[Random], Turn]) -> None:
    seed = fresh_seed()
    left_out = 0
    for number in range(seed, seed + 80):
        state, weights = make(Random(number))
        everything = best_turns(state, weights, effort=20_000, shortcuts=EVERY_SHORTCUT & ~BOUND)
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
    assert early.turns[0].worth <= best.turns[0].worth <= early.bound
