"""Mana: one more crystal each turn, up to ten; cards and effects change it."""

from __future__ import annotations

from dataclasses import replace

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.keywords import ECHO
from planner.games.hearthstone.rules.ruleset import Ruleset
from tests.build import effect, pass_turns, play, player, spell, state


def test_each_turn_adds_a_crystal_and_fills_them_all() -> None:
    after = pass_turns(state(mana=0, crystals=4), 2)
    assert (after.me.crystals, after.me.mana) == (5, 5)


def test_crystals_stop_at_the_limit() -> None:
    assert pass_turns(state(mana=0, crystals=10), 2).me.mana == 10


def test_the_ruleset_sets_limit_and_growth() -> None:
    rules = Ruleset(mana_limit=6, mana_growth=4)
    assert pass_turns(state(mana=0, crystals=1, rules=rules), 2).me.mana == 5
    assert pass_turns(state(mana=0, crystals=5, rules=rules), 2).me.mana == 6


def test_mana_for_this_turn_only() -> None:
    after = play(state(mana=3, hand=[spell(effect("mana", amount=1), cost=0)]))
    assert (after.me.mana, after.me.crystals) == (4, 3)
    assert pass_turns(after, 2).me.mana == 4


def test_mana_stops_at_the_limit() -> None:
    assert play(state(mana=10, hand=[spell(effect("mana", amount=1), cost=0)])).me.mana == 10


def test_mana_crystals_are_permanent() -> None:
    after = play(state(mana=3, hand=[spell(effect("mana", amount=2, crystals=True), cost=1)]))
    assert (after.me.mana, after.me.crystals) == (4, 5)
    assert pass_turns(after, 2).me.mana == 6


def test_mana_crystals_at_the_limit_give_no_mana() -> None:
    after = play(state(mana=5, crystals=9, hand=[spell(effect("mana", amount=3, crystals=True), cost=1)]))
    assert (after.me.mana, after.me.crystals) == (5, 10)


def test_mana_crystals_may_be_empty() -> None:
    growth = spell(effect("mana", amount=1, crystals=True, empty=True), cost=1)
    after = play(state(mana=3, hand=[growth]))
    assert (after.me.mana, after.me.crystals) == (2, 4)
    assert pass_turns(after, 2).me.mana == 5


def growth(**fields: bool) -> Card:
    drawn = spell(effect("draw", count=1), cost=0, name="Excess")
    return spell(effect("mana", amount=1, crystals=True, makes=drawn, **fields), cost=3, name="Growth")


def test_mana_crystals_at_the_limit_may_become_a_card() -> None:
    after = play(state(mana=10, hand=[growth(empty=True)]))
    assert [held.card.name for held in after.me.hand] == ["Excess"]
    again = play(after, card=after.me.hand[0].id)
    assert [held.card.name for held in again.me.hand] == ["Filler"]


def test_mana_crystals_below_the_limit_stay_crystals() -> None:
    after = play(state(mana=9, crystals=9, hand=[growth()]))
    assert (after.me.hand, after.me.crystals) == ((), 10)


def test_mana_crystals_add_no_card_to_a_full_hand() -> None:
    copied = growth()
    rules = Ruleset(hand_limit=2)
    echo = replace(copied, keywords=ECHO)  # the copy fills the hand
    after = play(state(mana=10, hand=[echo, copied], rules=rules))
    assert [held.card.name for held in after.me.hand] == ["Growth", "Growth"]


def test_mana_can_be_removed_but_not_below_zero() -> None:
    after = play(state(mana=1, crystals=1, hand=[spell(effect("mana", amount=-3, crystals=True), cost=1)]))
    assert (after.me.mana, after.me.crystals) == (0, 0)


def test_unused_mana_is_lost() -> None:
    assert pass_turns(state(mana=5, crystals=5, enemy=player("enemy", crystals=2)), 2).me.mana == 6
