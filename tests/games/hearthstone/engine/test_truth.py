"""Whatever the engine calls the best turn is the best turn: compared with a judge that tries everything.

Turns are drawn anew in each run, and a failure names the seed; a handful is always the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Final

import pytest

from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState, is_over
from planner.games.hearthstone.turn.exhaustive_search import SearchableTurn, allowed_actions
from planner.games.hearthstone.turn.explanation import lethal_missed_by
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights, exact
from planner.games.hearthstone.turn.scoring import Earned, certain_transition, replay
from planner.games.hearthstone.turn.turn_plan import TurnPlan, plan_turn, plan_turns, plan_without, wins_for_certain
from planner.planning.search import Search
from tests.games.hearthstone.cards.real import needs_real_cards
from tests.games.hearthstone.engine.judge import Score, TooManyError, Truth, bag
from tests.games.hearthstone.engine.real_turns import small_turn_of_real_cards
from tests.games.hearthstone.engine.turns import (
    Turn,
    fresh_seed,
    small_plain_turn,
    small_turn_with_texts,
    turn_of_a_match,
)

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner.games.hearthstone.turn.native import Technique, best_turns

FIXED: Final = 20_000  # the first seed of the turns that are always the same
MOST_STATES: Final = 600  # that the judge looks at in one turn; larger ones are passed over
WITHOUT_PRUNING: Final = Technique.MERGE_STATES | Technique.MERGE_ACTIONS
PLANS: Final = 5


def small(state: GameState, weights: Weights) -> bool:
    """Is it a turn that has an end, and few enough states?"""
    if is_over(state):
        return False
    answer = best_turns(state, weights, effort=MOST_STATES // 2, techniques=WITHOUT_PRUNING)
    return answer is not None and answer.proved


def score(state: GameState, weights: Weights, plan: TurnPlan) -> Score:
    """What the plan is good for, by the referee, who finds it legal."""
    earned = replay(state, plan.actions)
    return Score(worth_of(earned, weights), 0, -len(plan.actions))


def worth_of(earned: Earned, weights: Weights) -> Fraction:
    """In the weights' own units."""
    return Fraction(earned.scaled_score(weights)) / weights.integer_scale()


def is_best(state: GameState, weights: Weights, rng: Random) -> None:
    """The plan is as good as the judge's best, and so is what the search with the referee finds."""
    truth = Truth(state, weights, MOST_STATES).best()
    referee = Search(SearchableTurn(state, weights)).best(state)
    if truth is None:
        answer = best_turns(state, weights)
        assert referee is None
        assert answer is not None
        assert (answer.proved, answer.turns) == (True, ())
        return
    plan = plan_turn(state, weights)
    assert (plan.status, plan.solver) == ("optimal", "engine")
    assert score(state, weights, plan) == truth._replace(lives=0)
    assert referee is not None
    assert Fraction(referee.score) / weights.integer_scale() == truth.worth
    assert len(referee.actions) == -truth.fewer
    if plan.reveals is None and not any(minion.card.on("turn_end") for minion in plan.end.me.board):
        assert (plan.end.me.hero.health > 0) == truth.lives
    rng.choice(QUESTIONS)(state, weights, plan)


def ranks_all(state: GameState, weights: Weights, _: TurnPlan) -> None:
    """The best turns in order, none missing, each with actions of its own."""
    try:
        truth = Truth(state, weights, 10 * MOST_STATES).ranked()[:PLANS]
    except TooManyError:
        return
    plans = plan_turns(state, weights, k=PLANS)
    assert [score(state, weights, plan) for plan in plans] == [one._replace(lives=0) for one in truth]
    assert len({bag(plan.actions) for plan in plans}) == len(plans)
    assert {plan.status for plan in plans} == {"optimal"}


def changes_nothing_by_shortcuts(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """With any shortcut off, or all, the turn is as good."""
    for off in (*Technique, Technique.ALL & ~Technique.MERGE_STATES):
        answer = best_turns(state, weights, techniques=Technique.ALL & ~off, effort=100 * MOST_STATES)
        assert answer is not None
        if answer.proved:  # without merging there may be too much to do
            (turn,) = answer.turns
            found = Score(turn.score, 0, -len(turn.actions))
            assert found == score(state, weights, plan), f"without shortcut {off}"


def knows_lethal(state: GameState, weights: Weights, _: TurnPlan) -> None:
    """What the enemy hero is left with at least."""
    assert lethal_missed_by(state) == Truth(state, weights, 10 * MOST_STATES).least_health()


def does_without(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """The best turn without any one of the plan's actions."""
    for action in dict.fromkeys(plan.actions):
        truth = Truth(state, weights, 10 * MOST_STATES, (action,)).best()
        if truth is not None:
            other = plan_without(plan, action)
            assert other.status == "optimal"
            assert action not in other.actions
            assert score(state, weights, other) == truth._replace(lives=0)


def keeps_limits(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """A search that is cut short gives a legal turn, and a bound that the best turn keeps; effort always the same."""
    best = worth_of(replay(state, plan.actions), weights)
    for effort in (1, 7, 40):
        early = best_turns(state, weights, effort=effort)
        assert early is not None
        assert early == best_turns(state, weights, effort=effort)
        for turn in early.turns:
            assert worth_of(replay(state, turn.actions), weights) == turn.score
            assert turn.score <= best
        if not early.proved and early.bound is not None:
            assert early.bound >= best
    hurried = plan_turn(state, weights, time_limit=1e-9)
    assert hurried.objective <= plan.objective <= hurried.bound


def takes_a_certain_win(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """A profile that takes every certain win has the best of them, and where there is none the best turn."""
    kill = Weights(lethal=1, forbid=(*weights.forbid, Rule("own_hero_death")), require=weights.require)
    chance = Truth(state, kill, 10 * MOST_STATES).best()
    taking = plan_turn(state, replace(weights, take_lethal=True))
    if chance is None or chance.worth < 1:
        assert (taking.status, taking.objective) == ("optimal", plan.objective)
        return
    assert wins_for_certain(taking)
    much = 10**6
    winning = replace(weights, lethal=much, forbid=kill.forbid)
    best = Truth(state, winning, 10 * MOST_STATES).best()
    assert best is not None
    if taking.status == "optimal":
        truth = best.worth - much + exact(weights.lethal)
        assert worth_of(replay(state, taking.actions), weights) == truth


def takes_hints(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """Whatever turn the search begins with, legal or not, it ends with the best."""
    rng = Random(len(plan.actions))
    hint: list[Action] = []
    now = state
    while (actions := list(allowed_actions(now, weights))) and len(hint) < 4:
        hint.append(rng.choice(actions))
        after = certain_transition(now, hint[-1])
        if after is None:
            break
        now = after.state
    for one in (hint, hint[::-1], [*plan.actions, *hint]):
        hinted = plan_turn(state, weights, hint=one)
        assert (hinted.status, hinted.actions) == ("optimal", plan.actions)


def keeps_limits_with_several(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """The same for several turns: what a limit cuts short is not proved, and no turn is above the bound."""
    best = worth_of(replay(state, plan.actions), weights)
    whole = best_turns(state, weights, turns=3)
    assert whole is not None
    for effort in (1, 7, 40, 150):
        early = best_turns(state, weights, turns=3, effort=effort)
        assert early is not None
        if early.proved:
            assert [turn.score for turn in early.turns] == [turn.score for turn in whole.turns]
        else:
            assert early.bound is None or early.bound >= best
        for plan_so_far in plan_turns(state, weights, k=3, effort=effort):
            assert (plan_so_far.status == "optimal") == early.proved
            assert plan_so_far.bound >= plan.objective or early.proved


def agrees_with_the_program(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """Whoever asks for a solver by name gets a turn that is as good."""
    other = plan_turn(state, weights, solver="highs")
    assert other.status == "optimal"
    assert score(state, weights, other) == score(state, weights, plan)
    hurried = plan_turn(state, weights, solver="highs", time_limit=1e-9)
    assert hurried.objective <= plan.objective <= hurried.bound


QUESTIONS: Final = (
    ranks_all,
    changes_nothing_by_shortcuts,
    knows_lethal,
    does_without,
    keeps_limits,
    keeps_limits_with_several,
    takes_a_certain_win,
    takes_hints,
    agrees_with_the_program,
)


def compare(make: Callable[[Random], Turn], seed: int, turns: int) -> None:
    """So many small turns, judged."""
    compared = 0
    while compared < turns:
        rng = Random(seed)
        state, weights = make(rng)
        if small(state, weights):
            try:
                is_best(state, weights, rng)
            except TooManyError:
                pass
            except Exception as error:
                raise AssertionError(f"{make.__name__}, seed {seed}: {error}\n{state}\n{weights}") from error
            else:
                compared += 1
        seed += 1


@pytest.mark.parametrize(
    ("make", "turns"), [(small_turn_with_texts, 40), (small_plain_turn, 30), (turn_of_a_match, 10)]
)
def test_turns_that_are_always_the_same(make: Callable[[Random], Turn], turns: int) -> None:
    compare(make, FIXED, turns)


def test_turns_with_texts() -> None:
    compare(small_turn_with_texts, fresh_seed(), 500)


def test_plain_turns() -> None:
    compare(small_plain_turn, fresh_seed(), 250)


def test_turns_of_matches() -> None:
    compare(turn_of_a_match, fresh_seed(), 60)


@needs_real_cards
def test_turns_of_real_cards() -> None:
    compare(small_turn_of_real_cards, fresh_seed(), 60)


@pytest.mark.long
def test_turns_with_texts_at_length() -> None:
    compare(small_turn_with_texts, fresh_seed(), 20_000)


@pytest.mark.long
def test_plain_turns_at_length() -> None:
    compare(small_plain_turn, fresh_seed(), 10_000)


@pytest.mark.long
def test_turns_of_matches_at_length() -> None:
    compare(turn_of_a_match, fresh_seed(), 1000)


@needs_real_cards
@pytest.mark.long
def test_turns_of_real_cards_at_length() -> None:
    compare(small_turn_of_real_cards, fresh_seed(), 5000)
