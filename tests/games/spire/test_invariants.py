"""Invariants of all battles: no card is lost or duplicated, no number is negative, and every battle ends."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from planner.games.spire import battle_codec, battle_rules
from planner.games.spire.battle_state import END, Action, Battle
from planner.games.spire.battle_text import describe_action, show
from planner.games.spire.vocabulary import PILES
from tests.games.spire.random_battles import random_setup


def names(state: Battle) -> Counter[str]:
    """Count all cards in the four piles and in play, by name; an upgrade changes only the title."""
    counts = Counter(card.name for pile in PILES for card in getattr(state, pile))
    if state.pending is not None:
        counts[state.pending.card.name] += 1
    return counts


def copies(before: Battle, action: Action) -> int:
    """Return how many cards the remaining steps of this play may add; nothing else adds cards."""
    if action.type == "end":
        return 0
    pending = before.pending
    played, first = (before.hand[action.position], 0) if pending is None else (pending.played, pending.step)
    return sum(op.verb.name == "copy" for step in played.program[first:] for op in step.operations)


class Battles(RuleBasedStateMachine):
    """Plays any sequence of legal actions."""

    @initialize(seed=st.integers(0, 10**6))
    def begin(self, seed: int) -> None:
        self.rng = Random(seed + 1)
        self.setup = random_setup(Random(seed))
        self.state = battle_rules.start(self.setup, self.rng)
        self.cards = Counter(self.setup.deck)

    @precondition(lambda self: battle_rules.outcome(self.state) is None)
    @rule(choice=st.integers(0, 10**6))
    def act(self, choice: int) -> None:
        legal = battle_rules.legal_actions(self.state)
        action = legal[choice % len(legal)]
        assert battle_rules.illegal_reason(self.state, action) is None
        assert describe_action(self.state, action)
        after = battle_rules.apply(self.state, action, self.rng)
        added = names(after) - self.cards
        assert self.cards - names(after) == Counter(), "a card is lost"
        assert added.total() <= copies(self.state, action), "a card is duplicated"
        self.cards, self.state = names(after), after

    @precondition(lambda self: battle_rules.outcome(self.state) is not None)
    @rule(seed=st.integers(0, 10**6))
    def begin_another(self, seed: int) -> None:
        self.begin(seed)

    @invariant()
    def no_number_is_negative(self) -> None:
        state = self.state
        assert state.block >= 0
        assert state.energy >= 0
        assert 0 <= state.health <= state.max_health
        for enemy in state.enemies:
            assert enemy.block >= 0
            assert 0 <= enemy.health <= enemy.max_health
            assert enemy.health or not enemy.statuses
        for statuses in (state.statuses, *(enemy.statuses for enemy in state.enemies)):
            assert all(active.amount > 0 for active in statuses)
            assert list(statuses) == sorted(statuses, key=lambda active: active.status.rank)

    @invariant()
    def a_move_is_possible_until_the_end(self) -> None:
        assert bool(battle_rules.legal_actions(self.state)) == (battle_rules.outcome(self.state) is None)
        assert battle_rules.illegal_reason(self.state, Action("play", 99)) is not None
        assert battle_rules.illegal_reason(self.state, "nonsense") is not None

    @invariant()
    def state_round_trips_through_json(self) -> None:
        data = json.loads(json.dumps(battle_codec.state_to_json(self.state)))
        assert battle_codec.state_from_json(data) == self.state
        assert show(self.state)


Battles.TestCase.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
TestBattles = Battles.TestCase


@pytest.mark.parametrize("seed", range(40))
def test_battle_ends(seed: int) -> None:
    rng = Random(seed)
    setup = random_setup(rng)
    state = battle_rules.start(setup, rng)
    actions = 0
    while legal := battle_rules.legal_actions(state):
        state = battle_rules.apply(state, legal[int(rng.random() * len(legal))], rng)
        actions += 1
        assert actions < 20_000
    assert battle_rules.outcome(state) is not None


def test_battle_without_progress_is_lost_at_the_turn_limit() -> None:
    setup = {"deck": ["Impervious"], "enemies": ["Spike Slime"], "health": 5000}
    state = battle_rules.start(battle_codec.setup_from_json(setup), Random(0))
    while legal := battle_rules.legal_actions(state):
        state = battle_rules.apply(state, legal[-1], Random(0))
    outcome = battle_rules.outcome(state)
    assert outcome is not None
    assert (outcome.points, outcome.reason, outcome.rounds) == ((0.0,), "turn limit", battle_rules.MAX_TURNS)


def test_seed_determines_the_battle_and_the_state_does_not_reveal_draws() -> None:
    setup = battle_codec.scenario("starter")
    assert battle_rules.start(setup, Random(5)) == battle_rules.start(setup, Random(5))
    state = battle_rules.apply(battle_rules.start(setup, Random(5)), END, Random(5))
    # The same state and action lead to other hands with another generator, so the state does not decide the draw.
    hands = {battle_rules.apply(state, END, Random(seed)).hand for seed in range(20)}
    assert len(hands) > 1


def test_discard_pile_becomes_the_draw_pile_when_a_card_is_drawn() -> None:
    setup = battle_codec.setup_from_json({"deck": ["Strike"] * 5, "enemies": ["Leech"]})
    state = battle_rules.start(setup, Random(0))
    assert (len(state.hand), len(state.draw), len(state.discard)) == (5, 0, 0)
    state = battle_rules.apply(state, Action("play", 0), Random(0))
    assert (len(state.hand), len(state.draw), len(state.discard)) == (4, 0, 1)
    state = battle_rules.apply(state, END, Random(0))
    assert (len(state.hand), len(state.draw), len(state.discard)) == (5, 0, 0)
