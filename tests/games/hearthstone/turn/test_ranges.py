"""The range in which each weight keeps the plan optimal, compared with every legal turn."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from fractions import Fraction
from random import Random

import pytest

from planner import PlannerError, plan_turn, plan_turns
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.legal import is_over
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.exhaustive_search import allowed_actions
from planner.games.hearthstone.turn.hearthstone_weights import TERM_SIGNS, Rule, Weights, end_allowed
from planner.games.hearthstone.turn.scoring import (
    ActionTerms,
    certain_transition,
    ending_amounts,
    ends,
    replay,
    starting_health,
    transitions,
)
from planner.games.hearthstone.turn.turn_plan import TurnPlan, plan_without
from planner.planning.profiles import exact
from tests.games.hearthstone.turn.random_effects import effect_case
from tests.games.hearthstone.turn.random_states import random_state, random_weights

Amounts = tuple[Fraction, ...]  # signed, by term of the profile
MAX_STATES = 3000  # larger turns are skipped


class TooManyError(Exception):
    """The turn has more states than the test can visit."""


def amounts_of_every_turn(start: GameState, weights: Weights) -> set[Amounts]:
    """Return the amounts of all turns that keep the hard rules, by trying every sequence."""
    results: set[Amounts] = set()
    visited: set[tuple[GameState, tuple[Fraction, ...]]] = set()
    health = starting_health(start)

    def accumulate(
        state: GameState, steps: tuple[Fraction, ...], probability: Fraction | int, total: dict[str, Fraction]
    ) -> bool:
        if not all(end_allowed(weights, start, end.state) for end in ends(state)):
            return False
        amounts = dict(zip(ActionTerms._fields, steps, strict=True))
        for term, amount in ending_amounts(state, health).items():
            amounts[term] = amounts.get(term, Fraction(0)) + Fraction(amount)
        for term, amount in amounts.items():
            total[term] = total.get(term, Fraction(0)) + probability * amount
        return True

    def add_result(total: dict[str, Fraction]) -> None:
        results.add(tuple(TERM_SIGNS[term] * total.get(term, Fraction(0)) for term in weights.terms()))

    def visit(state: GameState, steps: tuple[Fraction, ...]) -> None:
        if (state, steps) in visited:
            return
        visited.add((state, steps))
        if len(visited) > MAX_STATES:
            raise TooManyError
        total: dict[str, Fraction] = {}
        if accumulate(state, steps, 1, total):
            add_result(total)
        for action in allowed_actions(state, weights):
            transition = certain_transition(state, action)
            if transition is not None:
                visit(transition.state, add_terms(steps, transition.terms))
                continue
            total = {}
            if all(
                accumulate(outcome.state, add_terms(steps, outcome.terms), outcome.probability, total)
                for outcome in transitions(state, action)
            ):
                add_result(total)

    visit(start, (Fraction(0),) * len(ActionTerms._fields))
    return results


def add_terms(steps: tuple[Fraction, ...], step: ActionTerms) -> tuple[Fraction, ...]:
    return tuple(old + exact(new) for old, new in zip(steps, step, strict=True))


def true_range(
    mine: Amounts, turns: set[Amounts], weights: Weights, index: int
) -> tuple[Fraction | float, Fraction | float]:
    """Return the nearest weight on either side at which another turn scores as much as the plan."""
    values = [exact(value) for value in weights.terms().values()]
    low, high = -math.inf, math.inf
    for rival in turns:
        lead = sum(  # of the plan over the rival, without this weight
            (value * (a - b) for i, (value, a, b) in enumerate(zip(values, mine, rival, strict=True)) if i != index),
            Fraction(0),
        )
        slope = rival[index] - mine[index]
        if slope > 0:
            high = min(high, lead / slope)
        elif slope < 0:
            low = max(low, lead / slope)
    return low, high


def amounts_of(plan: TurnPlan, actions: tuple[Action, ...], weights: Weights) -> Amounts:
    earned = replay(observe(plan.state, plan.state.seat), actions).amounts
    return tuple(TERM_SIGNS[term] * Fraction(earned.get(term, 0)) for term in weights.terms())


def check(state: GameState, weights: Weights) -> bool:
    """Check the ranges of the plan, and that the turn beyond each end is optimal there.

    Returns False if the turn is not suitable for the comparison.
    """
    if is_over(state):
        return False
    try:
        turns = amounts_of_every_turn(observe(state, state.seat), weights)
    except TooManyError:
        return False
    if not turns:  # no turn keeps the hard rules
        return False
    plan = plan_turn(state, weights)
    if plan.status != "optimal":
        return False
    mine = amounts_of(plan, plan.actions, weights)
    assert mine in turns
    values = [exact(value) for value in weights.terms().values()]
    for index, weight_range in enumerate(plan.ranges()):
        assert weight_range.low is not None
        assert weight_range.high is not None
        assert (weight_range.low.at, weight_range.high.at) == true_range(mine, turns, weights, index), weight_range
        assert weight_range.low.at <= values[index] <= weight_range.high.at
        for end, step in ((weight_range.low, -Fraction(1, 10**9)), (weight_range.high, Fraction(1, 10**9))):
            assert (end.turn is None) == math.isinf(end.at)
            if end.turn is not None:
                beyond = [*values]
                beyond[index] = Fraction(end.at) + step
                best = max(score(turn, beyond) for turn in turns)
                rival = amounts_of(plan, end.turn, weights)
                assert score(rival, beyond) == best > score(mine, beyond)
                assert end.loss == pytest.approx(float(score(mine, values) - score(rival, values)))
    return True


def score(turn: Amounts, values: list[Fraction]) -> Fraction:
    return sum((value * amount for value, amount in zip(values, turn, strict=True)), Fraction(0))


def vanilla(rng: Random) -> tuple[GameState, Weights]:
    return random_state(rng, 2, 2), random_weights(rng)


def hard_rules(rng: Random) -> tuple[GameState, Weights]:
    state, weights = vanilla(rng)
    rules = (Rule("attack_on", word="hero"), Rule("own_hero_death"), Rule("trade_below", number=1))
    return state, dataclasses.replace(weights, forbid=(rng.choice(rules),), require=(Rule("keep_cards", number=1),))


def with_effects(rng: Random) -> tuple[GameState, Weights]:
    return effect_case(rng.randrange(10**6))


@pytest.mark.parametrize(
    ("make", "first", "turns"), [(vanilla, 0, 50), (hard_rules, 1000, 40), (with_effects, 2000, 12)]
)
def test_ranges_equal_those_by_enumeration(
    make: Callable[[Random], tuple[GameState, Weights]], first: int, turns: int
) -> None:
    checked, seed = 0, first
    while checked < turns:
        seed += 1
        assert seed < first + 10 * turns, "hardly any turn is small enough"
        checked += check(*make(Random(seed)))


# A 4/4 against a 3/5 and a hero with 20 health: attacking the hero scores 4 times face_damage, attacking the
# minion 4 times minion_damage less 3 times damage_taken.
CHOICE = state_from_text("0 mana | me 30hp: 4/4 | enemy 20hp: 3/5")


def test_range_ends_worked_out_by_hand() -> None:
    plan = plan_turn(CHOICE, {"face_damage": 3, "minion_damage": 2, "damage_taken": 1})
    ranges = {weight_range.term: weight_range for weight_range in plan.ranges()}
    face, minion = ranges["face_damage"], ranges["minion_damage"]
    assert face.low is not None
    assert (face.low.at, face.low.loss) == (Fraction(5, 4), 7)
    assert face.low.turn == plan_turn(CHOICE, {"minion_damage": 1}).actions
    assert face.high is not None
    assert (face.high.at, face.high.turn) == (math.inf, None)
    assert face.to_dict() == {
        "weight": 3, "low": 1.25, "low_exact": "5/4",
        "below": {"actions": [{"type": "attack", "attacker": "me.board.0", "target": "enemy.board.0"}], "loss": 7.0},
        "high": None, "high_exact": "inf", "above": None,
    }  # fmt: skip
    assert minion.high is not None
    assert minion.high.at == Fraction(15, 4)


def test_a_tie_counts_as_optimal() -> None:
    plan = plan_turn(CHOICE, {"face_damage": 1, "minion_damage": 1})
    ends = {weight_range.term: (weight_range.low, weight_range.high) for weight_range in plan.ranges()}
    (low, high) = ends["minion_damage"]
    assert low is not None
    assert high is not None
    assert 1 in (low.at, high.at)


def test_ranges_need_a_proof() -> None:
    for unproved in (
        dataclasses.replace(plan_turn(CHOICE), status="feasible", proof=None),
        plan_turn(CHOICE, formulation="thesis"),
    ):
        with pytest.raises(PlannerError, match="not proved to be the best turn"):
            unproved.ranges()


def test_ranges_are_unknown_when_the_time_runs_out() -> None:
    assert all(unknown.low is None and unknown.high is None for unknown in plan_turn(CHOICE).ranges(time_limit=1e-9))
    data = plan_turn(CHOICE).ranges(time_limit=1e-9)[0].to_dict()
    assert (data["low"], data["low_exact"], data["below"]) == (None, None, None)


def test_ranges_that_need_too_large_weights_are_unknown() -> None:
    """The end at a third of the largest weight would need integer weights three times as large."""
    state = state_from_text("0 mana | me 30hp: 3/9 | enemy 20hp: 1/9")
    plan = plan_turn(state, {"face_damage": 10**6, "minion_damage": 999_999, "damage_taken": 10**6 - 1})
    ends = [end for weight_range in plan.ranges() for end in (weight_range.low, weight_range.high)]
    assert None in ends
    assert not all(end is None for end in ends)


def test_plan_without_several_actions() -> None:
    best = plan_turn(CHOICE, "true_balanced")
    turns = plan_turns(CHOICE, "true_balanced", k=3)
    banned = [action for turn in turns for action in turn.actions]
    assert plan_without(best, *banned).actions == ()
    assert not set(best.actions) & set(plan_without(best, *best.actions, time_limit=5).actions)
