"""Echo, magnetic and tradeable: three keywords of cards in the hand."""

from __future__ import annotations

from random import Random

from planner.games.hearthstone.rules.actions import Play, Trade
from planner.games.hearthstone.rules.state import HandCard
from tests.build import (
    CARD,
    MINE,
    YOURS,
    board,
    card,
    effect,
    get,
    illegal_reason,
    legal,
    minion,
    pass_turns,
    play,
    spell,
    state,
    stats,
    trade,
    words,
)


def test_echo_gives_a_copy_for_this_turn() -> None:
    after = play(state(mana=5, hand=[card(1, 1, "echo", cost=2)]))
    copy = after.me.hand[0]
    assert copy.echo
    assert copy.id != CARD
    again = play(after, card=copy.id)
    assert again.me.mana == 1
    assert len(again.me.board) == 2
    assert pass_turns(again).enemy.hand == ()


def test_echo_copies_the_card_in_hand() -> None:
    held = HandCard(CARD, card(1, 1, "echo", cost=3), cost=2, value=7)
    copy = play(state(hand=[held])).me.hand[0]
    assert (copy.cost, copy.value) == (2, 7)


def test_echo_copies_cost_at_least_one() -> None:
    # Otherwise a card could be played infinitely often.
    after = play(state(mana=2, hand=[spell(effect("armor", amount=1), cost=0, words="echo")]))
    assert (after.me.mana, after.me.hand[0].cost) == (2, 1)


def test_magnetic_merges_with_a_mech() -> None:
    module = card(2, 3, "magnetic taunt windfury", tribes=("mech",))
    after = play(state(hand=[module], board=[minion(1, 1, tribes=("mech",))]), MINE)
    assert stats(after) == (3, 4)
    assert words(after) == ["taunt", "windfury"]
    assert get(after).attacks_left == 2
    assert len(after.me.board) == 1


def test_magnetic_can_be_played_alone() -> None:
    module = card(2, 3, "magnetic", tribes=("mech",))
    mech = minion(1, 1, tribes=("mech",))
    before = state(hand=[module], board=[mech, minion(1, 1)], enemy=[mech])
    assert len(play(before).me.board) == 3
    assert not legal(before, Play(CARD, "me.board.1"))
    assert not legal(before, Play(CARD, YOURS))


def test_magnetic_needs_no_room_to_merge() -> None:
    module = card(2, 3, "magnetic", tribes=("mech",))
    full = [minion(1, 1, tribes=("mech",)), *[minion(1, 1)] * 6]
    before = state(hand=[module], board=full)
    assert not legal(before, Play(CARD))
    assert stats(play(before, MINE)) == (3, 4)
    assert illegal_reason(state(hand=[module], board=[minion(1, 1)] * 7), Play(CARD)) == "your board is full (7)"


def test_magnetic_with_a_chosen_target_does_not_merge() -> None:
    zap = card(2, 3, "magnetic", effect("damage", "chosen enemy minion", amount=1), name="Zap")
    mech = minion(1, 1, tribes=("mech",))
    after = play(state(hand=[zap], board=[mech], enemy=[minion(1, 1)]), YOURS)
    assert board(after.me) == ["1/1", "Zap"]
    assert after.enemy.board == ()
    assert not legal(state(hand=[zap], board=[mech] * 7, enemy=[minion(1, 1)]), Play(CARD, YOURS))


def test_tradeable_swaps_a_card_for_one_mana() -> None:
    after = trade(state(mana=1, hand=[card(5, 5, "tradeable", cost=9)]), rng=Random(0))
    assert after.me.mana == 0
    assert [held.id for held in after.me.hand] == ["me.deck.0"]
    assert sorted(held.id for held in after.me.deck) == ["me.deck.1", "me.deck.2", CARD]
    assert after.me.cards_played == 0


def test_tradeable_never_draws_itself_and_is_shuffled_into_the_deck() -> None:
    before = state(hand=[card(5, 5, "tradeable")])
    places = {[held.id for held in trade(before, rng=Random(seed)).me.deck].index(CARD) for seed in range(30)}
    assert places == {0, 1, 2}


def test_tradeable_needs_mana_a_deck_and_the_keyword() -> None:
    offer = card(5, 5, "tradeable")
    assert illegal_reason(state(mana=0, hand=[offer]), Trade(CARD)) == "a trade costs 1 mana, you have 0"
    assert (
        illegal_reason(state(hand=[offer], deck=[]), Trade(CARD)) == "your deck is empty: there is no card to trade for"
    )
    assert illegal_reason(state(hand=[card(1, 1)]), Trade(CARD)) == "1/1 is not tradeable"
    assert illegal_reason(state(), Trade("unknown")) == "unknown is not in your hand"


def test_tradeable_with_one_card_left_is_not_random() -> None:
    after = trade(state(hand=[card(5, 5, "tradeable")], deck=1))
    assert [held.id for held in after.me.deck] == [CARD]
