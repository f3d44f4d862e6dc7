"""Charge: the minion can attack any target in the turn in which it is played."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Attack
from tests.build import CARD, FACE, MINE, YOURS, attack, card, effect, illegal_reason, legal, minion, play, spell, state


def test_charge_attacks_the_hero_at_once() -> None:
    after = attack(play(state(hand=[card(3, 1, "charge")])), CARD, FACE)
    assert after.enemy.hero.health == 27


def test_charge_attacks_a_minion_at_once() -> None:
    assert legal(play(state(hand=[card(3, 1, "charge")], enemy=[minion(1, 1)])), Attack(CARD, YOURS))


def test_charge_given_to_a_fresh_minion_lets_it_attack() -> None:
    gift = spell(effect("buff", "chosen friendly minion", keywords="charge"))
    before = state(board=[minion(2, 2, fresh=True)], hand=[gift])
    assert not legal(before, Attack(MINE, FACE))
    assert legal(play(before, MINE), Attack(MINE, FACE))


def test_without_charge_a_minion_waits_a_turn() -> None:
    reason = illegal_reason(play(state(hand=[card(3, 1)])), Attack(CARD, FACE))
    assert reason == "me.hand.0 was summoned this turn and has neither charge nor rush"
