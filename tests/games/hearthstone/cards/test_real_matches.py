"""Every exact real card is played, alone and in random matches, by the Python rules and the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from planner import plan_turn
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.cards.effect_vocabulary import TRIBES
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.actions import Play
from planner.games.hearthstone.rules.legal import is_over
from planner.games.hearthstone.rules.match_flow import mulligan, observe, start_match
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, in_hand
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from tests.build import card, minion, player, state, weapon
from tests.games.hearthstone.cards.real import known, needs_real_cards
from tests.games.hearthstone.exhaustive import best_by_search
from tests.games.hearthstone.generated import random_state
from tests.games.hearthstone.rules.invariants import check_state, check_step

pytestmark = [needs_real_cards, pytest.mark.skipif(not available(), reason="the engine is not compiled here")]
STANDARD = Ruleset.of("standard")


def _scene(of: Card) -> GameState:
    """Return a state with targets for every text: damaged and undamaged, weak and strong, tribes, weapons, a hand."""
    mine = [minion(2, 5, hurt=1, tribes=TRIBES), minion(5, 3, tribes=("mech", "dragon"))]
    theirs = [minion(1, 2, tribes=("demon",)), minion(7, 7, "taunt", hurt=2, tribes=("pirate",))]
    theirs += [minion(3, 1, "frozen")]
    enemy = player("enemy", board=theirs, weapon=weapon(3, 1), health=25, first=101)
    hand = [replace(of, cost=min(of.cost, 10)), card(2, 2, tribes=("dragon",)), card(1, 1, tribes=("elemental",))]
    return state(board=mine, enemy=enemy, hand=hand, mana=10, health=20, weapon=weapon(2, 2), deck=5)


def test_every_exact_card_is_played_alone() -> None:
    from tests.games.hearthstone.engine.both import Recorder, compare, compare_ends, compare_legality

    rng, played = Recorder(14), 0
    for one in known():
        table = _scene(one)
        plays = [action for action in compare_legality(table) if getattr(action, "card", "") == "me.hand.0"]
        plays = [action for action in plays if isinstance(action, Play)]  # not traded
        assert plays, one.name
        for action in rng.sample(plays, min(2, len(plays))):
            after = compare(table, action, rng)
            check_state(after)
            check_step(table, action, after)
            if not is_over(after):
                compare_ends(after, rng)
            played += 1
    assert played > 1000


def _match(rng: Random, cards: Sequence[Card]) -> int:
    from tests.games.hearthstone.engine.both import Recorder, compare, compare_legality

    powers = catalogue.standard().hero_powers
    heroes = [rng.choice(sorted(powers)) for _ in range(2)]
    decks = [Deck(hero, hero, tuple(rng.sample(cards, 30)), powers[hero]) for hero in heroes]
    now = start_match((decks[0], decks[1]), STANDARD, rng)
    for _ in range(2):
        now = mulligan(now, [], rng)
    recorder, actions = Recorder(rng.randrange(10**9)), 0
    while not is_over(now):
        legal = compare_legality(now)
        # The last action is the end of the turn, which would be too frequent if all were equally likely.
        action = legal[-1] if rng.random() < 0.1 else rng.choice(legal)
        after = compare(now, action, recorder)
        check_state(after)
        check_step(now, action, after)
        now, actions = after, actions + 1
    return actions


def test_random_matches_of_exact_cards() -> None:
    cards = known()
    assert sum(_match(Random(seed), cards) for seed in range(30)) > 2000


def _best_turns(rng: Random, count: int) -> int:
    """Plan turns with two or three real cards in hand, compare with brute force, and count the proved ones."""
    cards, proved = known(), 0
    for _ in range(count):
        table = random_state(rng, texts=False, most_minions=3, most_cards=0)
        hand = tuple(in_hand(f"me.hand.{place}", rng.choice(cards)) for place in range(rng.choice((2, 3))))
        table = table._replace(me=table.me._replace(hand=hand, mana=rng.randint(3, 10), crystals=10, power=None))
        weights = Weights.of(rng.choice(("aggro_face", "true_balanced")))
        plan = plan_turn(table, weights, effort=20_000)
        if plan.status == "optimal":
            worth, _ = best_by_search(observe(table, table.seat), weights)
            assert plan.objective == pytest.approx(float(worth)), table
            proved += 1
    return proved


def test_plans_with_real_cards_are_optimal() -> None:
    assert _best_turns(Random(3), 30) > 20


@pytest.mark.long
def test_plans_with_real_cards_are_optimal_at_length() -> None:
    assert _best_turns(Random(4), 1000) > 900


@pytest.mark.long
@pytest.mark.parametrize("block", range(20))
def test_random_matches_of_exact_cards_at_length(block: int) -> None:
    cards = known()
    for seed in range(100):
        _match(Random(100_000 + 100 * block + seed), cards)
