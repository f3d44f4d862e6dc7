"""Overload: crystals that are locked in the next turn."""

from __future__ import annotations

from tests.build import card, pass_turns, play, spell, state


def test_overload_locks_crystals_in_the_next_turn_only() -> None:
    after = play(state(mana=5, hand=[card(3, 3, overload=2)]))
    assert (after.me.mana, after.me.overload) == (4, 2)
    mine = pass_turns(after, 2)
    assert (mine.me.mana, mine.me.crystals, mine.me.locked) == (4, 6, 2)
    again = pass_turns(mine, 2)
    assert (again.me.mana, again.me.locked) == (7, 0)


def test_overload_adds_up() -> None:
    after = play(play(state(mana=5, hand=[spell(overload=1), spell(overload=2)])), card="me.hand.1")
    assert pass_turns(after, 2).me.mana == 3


def test_overload_locks_at_most_all_crystals() -> None:
    assert pass_turns(play(state(mana=1, hand=[spell(overload=9)])), 2).me.mana == 0
