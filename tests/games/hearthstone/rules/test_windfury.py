"""Windfury: two attacks a turn; mega windfury: four."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Attack
from tests.build import (
    FACE,
    MINE,
    attack,
    effect,
    find,
    get,
    illegal_reason,
    legal,
    minion,
    pass_turns,
    play,
    spell,
    state,
)


def test_windfury_attacks_twice() -> None:
    after = attack(attack(state(board=[minion(3, 2, "windfury")]), target=FACE), target=FACE)
    assert after.enemy.hero.health == 24
    assert illegal_reason(after, Attack(MINE, FACE)) == "me.board.0 has no attacks left"


def test_mega_windfury_attacks_four_times() -> None:
    after = state(board=[minion(3, 2, "mega_windfury")])
    for _ in range(4):
        after = attack(after, target=FACE)
    assert after.enemy.hero.health == 18
    assert not legal(after, Attack(MINE, FACE))


def test_windfury_needs_a_living_minion_for_the_second_attack() -> None:
    after = attack(state(board=[minion(3, 2, "windfury")], enemy=[minion(2, 9)]))
    assert find(after, MINE) is None
    assert illegal_reason(after, Attack(MINE, FACE)) == "me.board.0 is not on your board"


def test_windfury_given_after_the_first_attack_allows_one_more() -> None:
    gift = spell(effect("buff", "chosen minion", keywords="windfury"))
    after = play(attack(state(board=[minion(3, 2)], hand=[gift]), target=FACE), MINE)
    assert get(after).attacks_left == 1


def test_windfury_given_twice_counts_once() -> None:
    gift = spell(effect("buff", "chosen minion", keywords="windfury"))
    after = play(play(state(board=[minion(3, 2)], hand=[gift, gift]), MINE), MINE, "me.hand.1")
    assert get(after).attacks_left == 2


def test_windfury_is_restored_each_turn() -> None:
    after = pass_turns(attack(attack(state(board=[minion(3, 2, "windfury")]), target=FACE), target=FACE), 2)
    assert get(after).attacks_left == 2


def test_windfury_for_a_turn_ends_with_it() -> None:
    gift = spell(effect("buff", "chosen minion", keywords="windfury", this_turn=True))
    after = pass_turns(play(state(board=[minion(3, 2)], hand=[gift]), MINE), 2)
    assert get(after).attacks_left == 1


def test_windfury_removed_by_silence_keeps_used_attacks_used() -> None:
    hush = spell(effect("silence", "chosen minion"))
    before = state(board=[minion(3, 2, "windfury")], hand=[hush])
    assert get(play(before, MINE)).attacks_left == 1
    assert get(play(attack(before, target=FACE), MINE)).attacks_left == 0
