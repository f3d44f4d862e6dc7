"""The best turn by the engine is the best turn by an independent judge that tries everything.

Most turns are random in each run, and a failure names the seed; some are the same in every run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Final

import pytest

from planner import plan_turn, plan_turns
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState, is_over
from planner.games.hearthstone.turn.exhaustive_search import SearchableTurn, allowed_actions
from planner.games.hearthstone.turn.explanation import lethal_missed_by
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.scoring import Earned, certain_transition, replay
from planner.games.hearthstone.turn.turn_plan import TurnPlan, plan_without, wins_for_certain
from planner.planning.profiles import exact
from planner.planning.search import Search
from tests.games.hearthstone.cards.real import needs_real_cards
from tests.games.hearthstone.engine.aimed_turns import turn_of_few_effects
from tests.games.hearthstone.engine.judge import Score, TooManyError, Truth, bag
from tests.games.hearthstone.engine.real_turns import small_turn_of_real_cards
from tests.games.hearthstone.engine.turns import (
    Turn,
    fresh_seed,
    small_turn_with_effects,
    small_vanilla_turn,
    turn_of_a_match,
)

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner.games.hearthstone.turn.native import Technique, best_turns

FIXED_SEED: Final = 20_000  # the first seed of the turns that are the same in every run
MAX_STATES: Final = 600  # that the judge visits in one turn; larger turns are skipped
WITHOUT_PRUNING: Final = Technique.MERGE_STATES | Technique.MERGE_ACTIONS
PLANS: Final = 5


def is_small(state: GameState, weights: Weights) -> bool:
    """Return whether the turn has an end and few enough states."""
    if is_over(state):
        return False
    answer = best_turns(state, weights, effort=MAX_STATES // 2, techniques=WITHOUT_PRUNING)
    return answer is not None and answer.proved


def score(state: GameState, weights: Weights, plan: TurnPlan) -> Score:
    """Return the score of the plan by a replay with the Python rules, which also checks that it is legal."""
    earned = replay(state, plan.actions)
    return Score(exact_score(earned, weights), 0, -len(plan.actions))


def exact_score(earned: Earned, weights: Weights) -> Fraction:
    """Return the score in the units of the weights."""
    return Fraction(earned.scaled_score(weights)) / weights.integer_scale()


def check_best(state: GameState, weights: Weights, rng: Random) -> None:
    """The plan, and the search with the Python rules, are as good as the judge's best turn."""
    truth = Truth(state, weights, MAX_STATES).best()
    searched = Search(SearchableTurn(state, weights)).best(state)
    if truth is None:
        answer = best_turns(state, weights)
        assert searched is None
        assert answer is not None
        assert (answer.proved, answer.turns) == (True, [])
        return
    plan = plan_turn(state, weights)
    assert (plan.status, plan.solver) == ("optimal", "engine")
    assert score(state, weights, plan) == truth._replace(hero_lives=0)
    assert searched is not None
    assert Fraction(searched.score) / weights.integer_scale() == truth.score
    assert len(searched.actions) == -truth.actions
    if plan.reveals is None and not any(minion.card.on("turn_end") for minion in plan.end.me.board):
        assert (plan.end.me.hero.health > 0) == truth.hero_lives
    rng.choice(CHECKS)(state, weights, plan)


def check_ranking(state: GameState, weights: Weights, _: TurnPlan) -> None:
    """The best turns are in order, complete, and have different sets of actions."""
    try:
        truth = Truth(state, weights, 10 * MAX_STATES).ranked()[:PLANS]
    except TooManyError:
        return
    plans = plan_turns(state, weights, k=PLANS)
    assert [score(state, weights, plan) for plan in plans] == [turn._replace(hero_lives=0) for turn in truth]
    assert len({bag(plan.actions) for plan in plans}) == len(plans)
    assert {plan.status for plan in plans} == {"optimal"}


def check_techniques(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """Without any one technique, and without most of them, the turn is as good."""
    for off in (*Technique, Technique.ALL & ~Technique.MERGE_STATES):
        answer = best_turns(state, weights, techniques=Technique.ALL & ~off, effort=100 * MAX_STATES)
        assert answer is not None
        if answer.proved:  # without merging, the search may reach its limit
            (turn,) = answer.turns
            assert Score(turn.score, 0, -len(turn.actions)) == score(state, weights, plan), f"without {off!r}"


def check_lethal(state: GameState, weights: Weights, _: TurnPlan) -> None:
    """`lethal_missed_by` is the lowest health that a turn leaves the enemy hero."""
    assert lethal_missed_by(state) == Truth(state, weights, 10 * MAX_STATES).least_health()


def check_exclusions(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """The best turn without one of the plan's actions is right, for each of them."""
    for action in dict.fromkeys(plan.actions):
        truth = Truth(state, weights, 10 * MAX_STATES, (action,)).best()
        if truth is not None:
            other = plan_without(plan, action)
            assert other.status == "optimal"
            assert action not in other.actions
            assert score(state, weights, other) == truth._replace(hero_lives=0)


def check_limits(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """A limited search returns a legal turn and a valid bound; with an effort it is reproducible."""
    best = exact_score(replay(state, plan.actions), weights)
    for effort in (1, 7, 40):
        early = best_turns(state, weights, effort=effort)
        assert early is not None
        assert early == best_turns(state, weights, effort=effort)
        for turn in early.turns:
            assert exact_score(replay(state, turn.actions), weights) == turn.score
            assert turn.score <= best
        if not early.proved and early.bound is not None:
            assert early.bound >= best
    hurried = plan_turn(state, weights, time_limit=1e-9)
    assert hurried.objective <= plan.objective <= hurried.bound


def check_certain_wins(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """With take_lethal, the plan is the best certain win, or the best turn if there is none."""
    kill = Weights(lethal=1, forbid=(*weights.forbid, Rule("own_hero_death")), require=weights.require)
    chance = Truth(state, kill, 10 * MAX_STATES).best()
    taking = plan_turn(state, replace(weights, take_lethal=True))
    if chance is None or chance.score < 1:
        assert (taking.status, taking.objective) == ("optimal", plan.objective)
        return
    assert wins_for_certain(taking)
    much = 10**6
    winning = replace(weights, lethal=much, forbid=kill.forbid)
    best = Truth(state, winning, 10 * MAX_STATES).best()
    assert best is not None
    if taking.status == "optimal":
        truth = best.score - much + exact(weights.lethal)
        assert exact_score(replay(state, taking.actions), weights) == truth


def check_hints(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """A hint, legal or not, does not change the plan."""
    rng = Random(len(plan.actions))
    hint: list[Action] = []
    now = state
    while (actions := list(allowed_actions(now, weights))) and len(hint) < 4:
        hint.append(rng.choice(actions))
        after = certain_transition(now, hint[-1])
        if after is None:
            break
        now = after.state
    for actions in (hint, hint[::-1], [*plan.actions, *hint]):
        hinted = plan_turn(state, weights, hint=actions)
        assert (hinted.status, hinted.actions) == ("optimal", plan.actions)


def check_limits_of_several_turns(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """With a limit, a turn is proved only if the search ends or it reaches the bound, which no turn exceeds."""
    best = exact_score(replay(state, plan.actions), weights)
    unlimited = best_turns(state, weights, turns=3)
    assert unlimited is not None
    for effort in (1, 7, 40, 150):
        early = best_turns(state, weights, turns=3, effort=effort)
        assert early is not None
        if early.proved:
            assert [turn.score for turn in early.turns] == [turn.score for turn in unlimited.turns]
        else:
            assert early.bound is None or early.bound >= best
        for plan_so_far in plan_turns(state, weights, k=3, effort=effort):
            reached = (
                early.bound is not None and exact_score(replay(state, plan_so_far.actions), weights) >= early.bound
            )
            assert (plan_so_far.status == "optimal") == (early.proved or reached)
            assert plan_so_far.bound >= plan.objective or early.proved


def check_solver(state: GameState, weights: Weights, plan: TurnPlan) -> None:
    """A solver that is named finds a turn that is as good."""
    other = plan_turn(state, weights, solver="highs")
    assert other.status == "optimal"
    assert score(state, weights, other) == score(state, weights, plan)
    hurried = plan_turn(state, weights, solver="highs", time_limit=1e-9)
    assert hurried.objective <= plan.objective <= hurried.bound


CHECKS: Final = (
    check_ranking,
    check_techniques,
    check_lethal,
    check_exclusions,
    check_limits,
    check_limits_of_several_turns,
    check_certain_wins,
    check_hints,
    check_solver,
)


def compare(make: Callable[[Random], Turn], seed: int, turns: int) -> None:
    """Check this many small turns."""
    compared = 0
    while compared < turns:
        rng = Random(seed)
        state, weights = make(rng)
        if is_small(state, weights):
            try:
                check_best(state, weights, rng)
            except TooManyError:
                pass
            except Exception as error:
                raise AssertionError(f"{make.__name__}, seed {seed}: {error}\n{state}\n{weights}") from error
            else:
                compared += 1
        seed += 1


@pytest.mark.parametrize(
    ("make", "turns"), [(small_turn_with_effects, 40), (small_vanilla_turn, 30), (turn_of_a_match, 10)]
)
def test_fixed_turns(make: Callable[[Random], Turn], turns: int) -> None:
    compare(make, FIXED_SEED, turns)


def test_turns_with_effects() -> None:
    compare(small_turn_with_effects, fresh_seed(), 500)


def test_turns_of_few_effects() -> None:
    compare(turn_of_few_effects, fresh_seed(), 300)


def test_vanilla_turns() -> None:
    compare(small_vanilla_turn, fresh_seed(), 250)


def test_turns_of_matches() -> None:
    compare(turn_of_a_match, fresh_seed(), 60)


@needs_real_cards
def test_turns_of_real_cards() -> None:
    compare(small_turn_of_real_cards, fresh_seed(), 60)


@pytest.mark.long
def test_turns_with_effects_at_length() -> None:
    compare(small_turn_with_effects, fresh_seed(), 20_000)


@pytest.mark.long
def test_turns_of_few_effects_at_length() -> None:
    compare(turn_of_few_effects, fresh_seed(), 20_000)


@pytest.mark.long
def test_vanilla_turns_at_length() -> None:
    compare(small_vanilla_turn, fresh_seed(), 10_000)


@pytest.mark.long
def test_turns_of_matches_at_length() -> None:
    compare(turn_of_a_match, fresh_seed(), 1000)


@needs_real_cards
@pytest.mark.long
def test_turns_of_real_cards_at_length() -> None:
    compare(small_turn_of_real_cards, fresh_seed(), 5000)
