"""Turns with card effects, compared with an exhaustive search of every legal sequence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from planner import plan_turn
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exhaustive_search import allowed_actions
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.scoring import certain_transition, replay
from planner.planning.search import Score
from tests.build import THESIS_PROFILES
from tests.games.hearthstone.exhaustive import best_by_search
from tests.games.hearthstone.turn.random_effects import COLLECTION, effect_case

DEFAULT_STATES = 350
LONG_STATES = 5000
BLOCK = 50


def near_the_end(seed: int) -> tuple[GameState, Weights]:
    """Return a turn in which the enemy hero may die and no weight is negative: the search prunes most there."""
    state, _ = effect_case(seed)
    rng = Random(seed)
    hero = state.enemy.hero
    hero = hero._replace(health=min(rng.randint(1, 7), hero.max_health), armor=rng.choice((0, 0, 1)))
    random_terms = {term: rng.choice((0, 0, 1, 2, 5, 20)) for term in TERMS}
    weights = Weights.of(rng.choice(THESIS_PROFILES)) if rng.random() < 0.5 else Weights.of(random_terms)
    return state._replace(enemy=state.enemy._replace(hero=hero)), weights


def check_against_search(seed: int, case: Callable[[int], tuple[GameState, Weights]] = effect_case) -> None:
    state, weights = case(seed)
    best, line = best_by_search(state, weights)
    plan = plan_turn(state, weights)
    context = f"seed {seed}: {plan.actions} for {plan.objective}, but {line} for {best}\n{state}\n{weights}"
    # Above the outcome limit, a random effect scores only its certain part, and the plan is not proved optimal.
    assert (plan.status, plan.stopped) in (("optimal", "finished"), ("feasible", "chance limit")), context
    assert plan.objective == pytest.approx(float(best), abs=1e-9, rel=0), context
    assert plan.bound >= plan.objective, context
    assert not plan.ignored, context
    # The exact score by replay, which refuses illegal actions and actions after a random effect.
    earned = replay(state, plan.actions)
    assert earned.scaled_score(weights) == best * weights.integer_scale(), context
    assert sum(plan.terms.values()) == pytest.approx(plan.objective, abs=1e-9), context
    assert plan.lethal == (earned.amounts["lethal"] == 1), context


def test_nearly_every_turn_is_proved_optimal() -> None:
    plans = [plan_turn(*effect_case(seed)) for seed in range(150)]
    assert sum(plan.status == "optimal" for plan in plans) > 140


@pytest.mark.parametrize("block", range(DEFAULT_STATES // BLOCK))
def test_equals_exhaustive_search(block: int) -> None:
    """Covers nearly every card of the collection twice; `make test-long` runs 5,000 states."""
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
    """The turn has more sequences than the test can try."""


def best_of_all_sequences(state: GameState, weights: Weights, limit: int) -> Score:
    """Return the best score of all sequences, replayed one by one without merging equal states."""
    best, tried = replay(state, []).scaled_score(weights), 0
    pending: list[tuple[GameState, tuple[Action, ...]]] = [(state, ())]
    while pending:
        current, actions = pending.pop()
        for action in allowed_actions(current, weights):
            tried += 1
            if tried > limit:
                raise TooManyError
            line = (*actions, action)
            best = max(best, replay(state, line).scaled_score(weights))
            after = certain_transition(current, action)
            if after is not None:
                pending.append((after.state, line))
    return best


def check_search(seeds: range, limit: int) -> None:
    """Compare the exhaustive search, which merges equal states, with all sequences of the smaller turns."""
    compared = 0
    for seed in seeds:
        state, weights = effect_case(seed)
        try:
            best = best_of_all_sequences(state, weights, limit)
        except TooManyError:
            continue
        assert best_by_search(state, weights)[0] * weights.integer_scale() == best, f"seed {seed}: {state}"
        compared += 1
    assert compared > len(seeds) // 4


def test_merging_states_keeps_the_optimum() -> None:
    check_search(range(40), limit=100)


@pytest.mark.long
def test_merging_states_keeps_the_optimum_at_length() -> None:
    check_search(range(40, 300), limit=800)


def usable_cards(state: GameState) -> set[str]:
    """Return the names of the cards on a board, and of the affordable cards in hand."""
    on_board = {minion.card.name for minion in (*state.me.board, *state.enemy.board)}
    return on_board | {hand_card.card.name for hand_card in state.me.hand if hand_card.cost <= state.me.mana}


@pytest.mark.long
def test_every_card_of_the_collection_is_usable_often() -> None:
    times = Counter(name for seed in range(LONG_STATES) for name in usable_cards(effect_case(seed)[0]))
    assert len(COLLECTION) == 357
    assert {card.name: times[card.name] for card in COLLECTION if times[card.name] < 20} == {}


def test_the_default_run_covers_the_collection() -> None:
    covered: set[str] = set()
    for seed in range(DEFAULT_STATES):
        covered |= usable_cards(effect_case(seed)[0])
    assert {card.name for card in COLLECTION} - covered == set()


def test_random_turns_are_not_trivial() -> None:
    """Random effects, deaths and several actions occur: every planner would pass on trivial turns."""
    occurrences: Counter[str] = Counter()
    for seed in range(0, DEFAULT_STATES, 5):
        state, weights = effect_case(seed)
        _, line = best_by_search(state, weights)
        occurrences["several actions"] += len(line) > 2
        for action in line:
            assert illegal_reason(state, action) is None
            transition = certain_transition(state, action)
            if transition is None:
                occurrences["random effect"] += 1
                break
            after = transition.state
            surviving = {minion.id for minion in after.me.board}
            occurrences["my minion died"] += any(minion.id not in surviving for minion in state.me.board)
            occurrences["drawn"] += transition.terms.cards_drawn
            state = after
        occurrences["lethal"] += state.enemy.hero.health <= 0
    assert all(
        occurrences[event] >= 2 for event in ("several actions", "random effect", "my minion died", "drawn", "lethal")
    ), occurrences
