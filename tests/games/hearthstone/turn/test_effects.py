"""Turns with texts against every legal sequence: the whole card is in the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exhaustive_search import allowed_actions, best_by_search
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.scoring import certain_transition, replay
from planner.games.hearthstone.turn.turn_plan import plan_turn
from planner.planning.search import Score
from tests.build import THESIS_PROFILES
from tests.games.hearthstone.turn.random_texts import COLLECTION, text_case

DEFAULT_STATES = 350
LONG_STATES = 5000
BLOCK = 50


def near_the_end(seed: int) -> tuple[GameState, Weights]:
    """A hero who may die and no weight below 0: there the search for lines takes most of its shortcuts."""
    state, _ = text_case(seed)
    rng = Random(seed)
    hero = state.enemy.hero
    hero = hero._replace(health=min(rng.randint(1, 7), hero.max_health), armor=rng.choice((0, 0, 1)))
    chosen = {term: rng.choice((0, 0, 1, 2, 5, 20)) for term in TERMS}
    weights = Weights.of(rng.choice(THESIS_PROFILES)) if rng.random() < 0.5 else Weights.of(chosen)
    return state._replace(enemy=state.enemy._replace(hero=hero)), weights


def check_against_search(seed: int, case: Callable[[int], tuple[GameState, Weights]] = text_case) -> None:
    state, weights = case(seed)
    best, line = best_by_search(state, weights)
    plan = plan_turn(state, weights)
    context = f"seed {seed}: {plan.actions} for {plan.objective}, but {line} for {best}\n{state}\n{weights}"
    # Chance with more ways than are listed counts for what is certain of it, and nothing is proved then.
    assert (plan.status, plan.stopped) in (("optimal", "finished"), ("feasible", "chance limit")), context
    assert plan.objective == pytest.approx(float(best), abs=1e-9, rel=0), context
    assert plan.bound >= plan.objective, context
    assert not plan.ignored, context
    # In exact numbers, from the referee alone: it refuses what is not legal, and actions after a roll of the dice.
    earned = replay(state, plan.actions)
    assert earned.scaled_score(weights) == best * weights.integer_scale(), context
    assert sum(plan.terms.values()) == pytest.approx(plan.objective, abs=1e-9), context
    assert plan.lethal == (earned.amounts["lethal"] == 1), context


def test_nearly_all_of_these_turns_are_proved() -> None:
    plans = [plan_turn(*text_case(seed)) for seed in range(150)]
    assert sum(plan.status == "optimal" for plan in plans) > 140


@pytest.mark.parametrize("block", range(DEFAULT_STATES // BLOCK))
def test_equals_exhaustive_search(block: int) -> None:
    """Nearly every card of the collection twice; `make test-long` runs 5,000 of these."""
    for seed in range(BLOCK * block, BLOCK * (block + 1)):
        check_against_search(seed)


@pytest.mark.parametrize("block", range(4))
def test_equals_exhaustive_search_near_the_end(block: int) -> None:
    for seed in range(BLOCK * block, BLOCK * (block + 1)):
        check_against_search(10_000 + seed, near_the_end)


@pytest.mark.long
@pytest.mark.parametrize("block", range(4, 40))
def test_equals_exhaustive_search_near_the_end_at_length(block: int) -> None:
    for seed in range(BLOCK * block, BLOCK * (block + 1)):
        check_against_search(10_000 + seed, near_the_end)


def test_every_solver_finds_the_same_plan() -> None:
    for seed in range(40):
        state, weights = near_the_end(20_000 + seed)
        plans = {solver: plan_turn(state, weights, solver).actions for solver in ("auto", "highs", "cpsat")}
        assert len(set(plans.values())) == 1, (seed, plans)


@pytest.mark.long
@pytest.mark.parametrize("block", range(DEFAULT_STATES // BLOCK, LONG_STATES // BLOCK))
def test_equals_exhaustive_search_at_length(block: int) -> None:
    for seed in range(BLOCK * block, BLOCK * (block + 1)):
        check_against_search(seed)


class TooManyError(Exception):
    """More sequences than this test has time for."""


def best_of_all(state: GameState, weights: Weights, most: int) -> Score:
    """The best replay of all sequences, one by one: nothing is remembered, so nothing can be mistaken for another."""
    best, tried = replay(state, []).scaled_score(weights), 0
    waiting: list[tuple[GameState, tuple[Action, ...]]] = [(state, ())]
    while waiting:
        now, actions = waiting.pop()
        for action in allowed_actions(now, weights):
            tried += 1
            if tried > most:
                raise TooManyError
            line = (*actions, action)
            best = max(best, replay(state, line).scaled_score(weights))
            after = certain_transition(now, action)
            if after is not None:
                waiting.append((after.state, line))
    return best


def check_search(seeds: range, most: int) -> None:
    """It remembers positions, not sequences; here are all sequences of the smaller turns."""
    compared = 0
    for seed in seeds:
        state, weights = text_case(seed)
        try:
            best = best_of_all(state, weights, most)
        except TooManyError:
            continue
        assert best_by_search(state, weights)[0] * weights.integer_scale() == best, f"seed {seed}: {state}"
        compared += 1
    assert compared > len(seeds) // 4


def test_the_search_forgets_nothing_that_matters() -> None:
    check_search(range(40), most=100)


@pytest.mark.long
def test_the_search_forgets_nothing_that_matters_at_length() -> None:
    check_search(range(40, 300), most=800)


def can_matter(state: GameState) -> set[str]:
    """The cards that stand on a board, or could be paid from the hand."""
    standing = {minion.card.name for minion in (*state.me.board, *state.enemy.board)}
    return standing | {held.card.name for held in state.me.hand if held.cost <= state.me.mana}


@pytest.mark.long
def test_every_card_of_the_collection_takes_part() -> None:
    times = Counter(name for seed in range(LONG_STATES) for name in can_matter(text_case(seed)[0]))
    assert len(COLLECTION) == 357
    assert {card.name: times[card.name] for card in COLLECTION if times[card.name] < 20} == {}


def test_the_default_run_has_every_card_of_the_collection() -> None:
    there: set[str] = set()
    for seed in range(DEFAULT_STATES):
        there |= can_matter(text_case(seed)[0])
    assert {card.name for card in COLLECTION} - there == set()


def test_the_turns_have_something_to_decide() -> None:
    """Texts, dice, deaths and several actions: a generator of trivial turns would let every planner pass."""
    seen: Counter[str] = Counter()
    for seed in range(0, DEFAULT_STATES, 5):
        state, weights = text_case(seed)
        _, line = best_by_search(state, weights)
        seen["several actions"] += len(line) > 2
        for action in line:
            assert illegal_reason(state, action) is None
            found = certain_transition(state, action)
            if found is None:
                seen["dice"] += 1
                break
            after = found.state
            left = {minion.id for minion in after.me.board}
            seen["my minion died"] += any(minion.id not in left for minion in state.me.board)
            seen["drawn"] += found.terms.cards_drawn
            state = after
        seen["lethal"] += state.enemy.hero.health <= 0
    assert all(seen[what] >= 2 for what in ("several actions", "dice", "my minion died", "drawn", "lethal")), seen
