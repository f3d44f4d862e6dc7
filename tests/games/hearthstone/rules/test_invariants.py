"""Matches with random legal actions, with all checks after every step."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from planner.games.hearthstone.cards.effect_vocabulary import EFFECTS, SELECTORS, TRIGGERS
from planner.games.hearthstone.cards.keywords import NAMES, names
from planner.games.hearthstone.rules.actions import EndTurn
from planner.games.hearthstone.rules.match_flow import mulligan, start_match
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, is_over
from tests.games.hearthstone.rules.invariants import check_legal, check_state, step
from tests.games.hearthstone.rules.pool import POOL, decks

SMALL = Ruleset("small", hero_health=9, board_limit=3, hand_limit=4, mana_limit=5, mana_growth=2, turn_limit=30)
RULESETS = [Ruleset.of("standard"), Ruleset.of("thesis"), SMALL]


def begin(rules: Ruleset, rng: Random) -> GameState:
    """Start a match with cards of the pool, and keep the starting hands."""
    state = start_match(decks(rng), rules, rng)
    if rules.mulligan:
        for _ in range(2):
            state = mulligan(state, [held.id for held in state.me.hand if rng.random() < 0.5], rng)
    return state


def test_the_pool_uses_the_whole_vocabulary() -> None:
    effects = [effect for card in POOL for effect in card.effects]
    assert {word for card in POOL for word in names(card.keywords)} == set(NAMES)
    assert {effect.do for effect in effects} == set(EFFECTS)
    assert {effect.on for effect in effects} == set(TRIGGERS)
    assert {effect.to.select for effect in effects if effect.to is not None} == set(SELECTORS)


class Match(RuleBasedStateMachine):
    """A match in which Hypothesis chooses every action."""

    state: GameState
    rng: Random

    @initialize(rules=st.sampled_from(RULESETS), seed=st.integers(0, 10_000))
    def begin(self, rules: Ruleset, seed: int) -> None:
        self.rng = Random(seed)
        self.state = begin(rules, self.rng)
        check_state(self.state)

    @precondition(lambda self: not is_over(self.state))
    @rule(choice=st.integers(0, 99))
    def act(self, choice: int) -> None:
        actions = check_legal(self.state, self.rng)
        # The last action is the end of the turn, which would be too frequent if all were equally likely.
        action = actions[choice % len(actions)]
        self.state = step(self.state, action, self.rng)

    @precondition(lambda self: not is_over(self.state))
    @rule()
    def end_turn(self) -> None:
        self.state = step(self.state, EndTurn(), self.rng)

    @precondition(lambda self: is_over(self.state))
    @rule()
    def rematch(self) -> None:
        assert check_legal(self.state, self.rng) == []
        self.state = begin(self.state.rules, self.rng)


def test_invariants_hold_over_generated_matches() -> None:
    run_state_machine_as_test(Match, settings=settings(max_examples=20, stateful_step_count=40))


@pytest.mark.long
def test_invariants_hold_over_many_generated_matches() -> None:
    run_state_machine_as_test(Match, settings=settings(max_examples=300, stateful_step_count=100))


def play_to_the_end(rules: Ruleset, seed: int) -> int:
    """Play one match with random actions and all checks, and return the number of steps."""
    rng = Random(seed)
    state, steps = begin(rules, rng), 0
    check_state(state)
    while not is_over(state):
        actions = check_legal(state, rng, refused=5)
        # End the turn only rarely.
        last = len(actions) - 1
        action = actions[-1] if not last or rng.random() < 0.08 else actions[rng.randrange(last)]
        state, steps = step(state, action, rng), steps + 1
    return steps


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_invariants_hold_to_the_end_of_whole_matches(rules: Ruleset) -> None:
    steps = [play_to_the_end(rules, seed) for seed in range(8)]
    assert sum(steps) > 200


@pytest.mark.long
@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_invariants_hold_to_the_end_of_many_whole_matches(rules: Ruleset) -> None:
    for seed in range(100, 250):
        play_to_the_end(rules, seed)
