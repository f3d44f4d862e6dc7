"""The bound is never below the true score at any state of a turn, and pruning by it changes no plan."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from planner.bench.benchmark_positions import load_positions
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import Minion

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner import plan_turn
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.native import Technique, best_turns, compare_bound
from tests.build import card, effect, minion, spell, state, weapon
from tests.games.hearthstone.cards.real import needs_real_cards
from tests.games.hearthstone.engine.aimed_turns import turn_of_few_effects, turn_of_reactions
from tests.games.hearthstone.engine.real_turns import small_turn_of_real_cards
from tests.games.hearthstone.engine.turns import Turn, fresh_seed, random_weights, turn_of_a_match
from tests.games.hearthstone.generated import random_state

EFFORT: Final = 3000  # states of one turn; the rest of a larger turn is not compared


def generated_turn(rng: Random) -> Turn:
    """Return a board of generated cards, usually as its player sees it."""
    state = random_state(rng, most_minions=4, most_cards=4)
    return observe(state, state.seat) if rng.random() < 0.8 else state, random_weights(rng)


GUARDS: Final = ("taunt", "divine_shield", "stealth", "reborn", "poisonous", "taunt divine_shield", "windfury", "")
# Effects that save own minions, break shields, pass taunts or reach what attacks do not.
AROUND_GUARDS: Final = (
    effect("heal", "chosen character", amount=3),
    effect("heal", "all friendly characters", amount=2),
    effect("buff", "chosen friendly minion", health=2),
    effect("buff", "all friendly minions", attack=1, health=1),
    effect("buff", "chosen minion", attack=2, this_turn=True),
    effect("buff", "chosen friendly minion", keywords="divine_shield"),
    effect("buff", "chosen minion", keywords="taunt"),
    effect("buff", "chosen minion", health=-2),
    effect("buff", "chosen enemy minion", attack=-2),
    effect("damage", "chosen character", amount=2),
    effect("damage", "all enemy minions", amount=1),
    effect("damage", "all minions", amount=2),
    effect("damage", "all characters", amount=3, split=True),
    effect("damage", "all enemy characters", amount=4, split=True),
    effect("silence", "chosen minion"),
    effect("destroy", "chosen enemy minion"),
    effect("armor", amount=2),
    effect("buff", "friendly hero", attack=2, this_turn=True),
)


def guarded_turn(rng: Random) -> Turn:
    """Return a board with shields, taunts and hidden minions, and a few effects that have a bound."""

    def one(side: str, index: int) -> Minion:
        later = rng.choice(AROUND_GUARDS) if rng.random() < 0.15 else None
        effects = (replace(later, on="death"),) if later and later.to and later.to.select != "chosen" else ()
        health = rng.randint(1, 6)
        result = minion(rng.randint(0, 6), health, rng.choice(GUARDS), *effects, name=f"{side} {index}")
        max_health = rng.randint(1, health + 1)  # also lower than printed
        return result._replace(health=rng.randint(1, max_health), max_health=max_health)

    mine = [one("mine", index) for index in range(rng.randint(1, 4))]
    theirs = [one("theirs", index) for index in range(rng.randint(1, 4))]
    hand = [
        spell(rng.choice(AROUND_GUARDS), cost=rng.randint(0, 4))
        if rng.random() < 0.7
        else card(rng.randint(0, 4), rng.randint(1, 4), rng.choice((*GUARDS, "charge", "rush")), cost=rng.randint(0, 4))
        for _ in range(rng.randint(0, 3))
    ]
    weapon_in_hand = weapon(rng.randint(0, 4), 2) if rng.random() < 0.3 else None
    health = rng.choice((3, 8, 30))
    before = state(rng.randint(0, 8), mine, theirs, hand, enemy_health=rng.choice((4, 9, 30)), weapon=weapon_in_hand)
    me = before.me._replace(hero=before.me.hero._replace(health=health))
    return before._replace(me=me), random_weights(rng)


def check(make: Callable[[Random], Turn], seed: int, turns: int) -> None:
    """Check that no bound is below the true score, and that enough states have a bound."""
    states = bounded = 0
    for number in range(seed, seed + turns):
        rng = Random(number)
        state, weights = make(rng)
        compared = compare_bound(state, weights, effort=EFFORT, pessimistic=rng.random() < 0.2)
        if compared is not None:
            assert compared.excess == 0, f"seed {number}: a bound is {compared.excess} below the true score"
            states += compared.states
            bounded += compared.bounded
    assert bounded > states / 5, f"seed {seed}: only {bounded} of {states} states have a bound"


def test_generated_turns() -> None:
    check(generated_turn, fresh_seed(), 400)


def test_guarded_turns() -> None:
    check(guarded_turn, fresh_seed(), 400)


def test_turns_of_few_effects() -> None:
    check(turn_of_few_effects, fresh_seed(), 6000)


def test_turns_of_reactions() -> None:
    check(turn_of_reactions, fresh_seed(), 2000)


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
def test_guarded_turns_at_length() -> None:
    check(guarded_turn, fresh_seed(), 20_000)


@pytest.mark.long
def test_turns_of_few_effects_at_length() -> None:
    check(turn_of_few_effects, fresh_seed(), 200_000)


@pytest.mark.long
def test_turns_of_reactions_at_length() -> None:
    check(turn_of_reactions, fresh_seed(), 100_000)


@pytest.mark.long
def test_turns_of_matches_at_length() -> None:
    check(turn_of_a_match, fresh_seed(), 600)


@needs_real_cards
@pytest.mark.long
def test_turns_of_real_cards_at_length() -> None:
    check(small_turn_of_real_cards, fresh_seed(), 5000)


@pytest.mark.parametrize("make", [generated_turn, guarded_turn, turn_of_reactions, turn_of_a_match])
def test_pruning_changes_no_plan(make: Callable[[Random], Turn]) -> None:
    seed = fresh_seed()
    pruned = 0
    for number in range(seed, seed + 80):
        state, weights = make(Random(number))
        everything = best_turns(state, weights, effort=20_000, techniques=Technique.ALL & ~Technique.PRUNE_STATES)
        bounded = best_turns(state, weights, effort=20_000)
        if everything is None or bounded is None:
            continue
        if everything.proved:
            assert (bounded.proved, bounded.turns) == (True, everything.turns), f"seed {number}"
        pruned += bounded.states < everything.states
    assert pruned, f"seed {seed}: no state was pruned"


def test_the_bound_after_a_limit_holds() -> None:
    position = max(
        load_positions("texts"), key=lambda position: len(position.state.me.hand) + len(position.state.me.board)
    )
    best = best_turns(position.state, position.weights)
    early = best_turns(position.state, position.weights, effort=20)
    assert best is not None
    assert early is not None
    assert (best.proved, early.proved) == (True, False)
    assert early.bound is not None
    assert early.turns[0].score <= best.turns[0].score <= early.bound


def test_the_bound_holds_if_outcomes_are_not_listed() -> None:
    """Twelve hits among seven minions have too many outcomes to list, so only the bound limits the spell."""
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


def test_a_score_above_the_bound_of_unlisted_outcomes_is_kept() -> None:
    """The spell has too many outcomes. Its certain part scores more than the bound on its average."""
    madness = spell(effect("damage", "all characters", amount=9, split=True), cost=3)
    armor = [spell(effect("armor", amount=amount), cost=amount) for amount in (1, 2)]
    enemies = [minion(1, 3 + index % 4) for index in range(6)]
    before = state(10, [minion(3, 1, spell_damage=1)], enemies, [madness, card(5, 6, cost=3), *armor])
    plan = plan_turn(before, dict.fromkeys(TERMS, 0) | {"cards_in_hand": -1, "own_health": 1})
    assert (plan.solver, plan.stopped, plan.objective) == ("engine", "chance limit", 33)
