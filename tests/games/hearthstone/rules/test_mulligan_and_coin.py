"""The start of a match: shuffle, starting hands, mulligan, coin."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.decks import Deck
from planner.games.hearthstone.engine.referee import apply_verified
from planner.games.hearthstone.rules.actions import EndTurn, Mulligan
from planner.games.hearthstone.rules.legal import MulliganOptions, illegal_reason, legal_actions
from planner.games.hearthstone.rules.match_flow import mulligan, start_match
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, Player
from tests.build import STANDARD, minion, pass_turns, play
from tests.build import state as build_state


def deck(size: int = 30) -> Deck:
    return Deck("test", "mage", tuple(Card(f"card {number}", cost=1, attack=1, health=1) for number in range(size)))


def start(rules: Ruleset = STANDARD, seed: int = 1, size: int = 30) -> GameState:
    return start_match((deck(size), deck(size)), rules, Random(seed))


def everything(player: Player) -> Counter[str]:
    return Counter(held.card.name for held in player.hand + player.deck)


def test_the_first_player_gets_three_cards_and_the_second_four() -> None:
    state = start()
    assert (len(state.me.hand), len(state.enemy.hand)) == (3, 4)
    assert (len(state.me.deck), len(state.enemy.deck)) == (27, 26)


def test_decks_are_shuffled_by_the_generator() -> None:
    assert start(seed=1) == start(seed=1)
    assert start(seed=1) != start(seed=2)
    assert everything(start().me) == Counter(card.name for card in deck().cards)


def test_before_the_mulligan_nothing_else_is_legal() -> None:
    state = start()
    assert legal_actions(state) == []
    assert illegal_reason(state, EndTurn()) == "the match has not begun: the mulligan comes first"


def test_turns_may_be_counted_from_0() -> None:
    before = build_state(2, board=[minion(1, 1)], turn=0)
    assert len(legal_actions(before)) == 2


def test_a_mulligan_replaces_the_named_cards() -> None:
    state = start()
    away, kept = state.me.hand[0].id, [held.id for held in state.me.hand[1:]]
    mine = mulligan(state, [away], Random(3)).enemy  # now it is the mulligan of the other player
    hand = [held.id for held in mine.hand]
    assert hand[1:] == kept
    assert away not in hand
    assert away in [held.id for held in mine.deck]
    assert everything(mine) == everything(state.me)


def test_a_mulligan_never_returns_a_replaced_card() -> None:
    for seed in range(20):
        state = start(seed=seed)
        names = [held.id for held in state.me.hand]
        after = mulligan(state, names, Random(seed))
        assert not set(names) & {held.id for held in after.enemy.hand}


def test_an_empty_mulligan_changes_nothing() -> None:
    state = start()
    assert mulligan(state, [], Random(3)) == state._replace(me=state.enemy, enemy=state.me, seat=1)


def test_illegal_mulligans() -> None:
    state = start()
    held = state.me.hand[0].id
    for cards, problem in (
        (("missing",), "mulligan: missing is not in the starting hand of player 1"),
        ((state.enemy.hand[0].id,), "is not in the starting hand of player 1"),
        ((held, held), f"mulligan: duplicate id {held}"),
        ((7,), "mulligan: must be a list of ids, got (7,)"),
        (None, "mulligan: must be a list of ids, got null"),
    ):
        assert problem in str(illegal_reason(state, Mulligan(cards)))  # type: ignore[arg-type]
    begun = apply(apply(state, Mulligan((held,)), Random(0)), Mulligan(), Random(0))
    assert illegal_reason(begun, Mulligan()) == "the mulligan is over"


def test_every_choice_of_cards_is_an_option() -> None:
    state = start()
    answers = MulliganOptions(state)
    assert answers[0] == Mulligan()
    assert len(answers) == len(set(answers)) == 8
    assert all(illegal_reason(state, answer) is None for answer in answers)
    assert answers[1:3] == [answers[1], answers[2]]


def test_a_mulligan_of_a_small_deck_replaces_as_many_as_possible() -> None:
    state = start(size=4)
    after = mulligan(state, [held.id for held in state.me.hand], Random(0))
    assert len(after.enemy.hand) == 3
    assert everything(after.enemy) == everything(state.me)


def test_the_second_mulligan_begins_the_first_turn() -> None:
    begun = mulligan(mulligan(start(), [], Random(0)), [], Random(0))
    assert (begun.turn, begun.seat, begun.me.mana, len(begun.me.hand)) == (1, 0, 1, 4)


def test_the_coin_is_for_the_second_player_and_gives_one_mana() -> None:
    begun = mulligan(mulligan(start(), [], Random(0)), [], Random(0))
    assert "p2.coin" not in [held.id for held in begun.me.hand]
    second = pass_turns(begun)
    assert (second.seat, second.me.mana, len(second.me.hand)) == (1, 1, 6)
    after = play(second, card="p2.coin")
    assert after.me.mana == 2
    assert after.me.cards_played == 1


def test_without_mulligan_the_match_begins_at_once() -> None:
    state = start(Ruleset.of("thesis"))
    assert (state.turn, state.me.mana, len(state.me.hand), len(state.enemy.hand)) == (1, 1, 5, 4)
    assert "p2.coin" not in [held.id for held in state.enemy.hand]


def test_an_empty_deck_is_refused() -> None:
    with pytest.raises(PlannerError, match="deck test: is empty"):
        start(size=0)


def test_a_mulligan_without_a_generator_is_a_clear_error() -> None:
    state = start()
    replaced = Mulligan((state.me.hand[0].id,))
    for apply_action in (apply, apply_verified):
        with pytest.raises(ValueError, match="needs a generator"):
            apply_action(state, replaced)
        assert apply_action(state, Mulligan()).seat == 1  # nothing is random
