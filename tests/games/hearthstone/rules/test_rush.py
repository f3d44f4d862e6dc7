"""Rush: the minion can attack minions, but not heroes, in the turn in which it is played."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Attack
from tests.build import CARD, FACE, MINE, YOURS, attack, card, illegal_reason, legal, minion, pass_turns, play, state


def test_rush_attacks_minions_but_not_heroes_at_once() -> None:
    after = play(state(hand=[card(3, 1, "rush")], enemy=[minion(1, 1)]))
    assert legal(after, Attack(CARD, YOURS))
    assert illegal_reason(after, Attack(CARD, FACE)) == "me.hand.0 has rush: it cannot attack a hero in its first turn"


def test_rush_with_windfury_cannot_attack_the_hero_twice_either() -> None:
    after = attack(play(state(hand=[card(3, 9, "rush windfury")], enemy=[minion(1, 1)])), CARD)
    assert not legal(after, Attack(CARD, FACE))


def test_rush_attacks_the_hero_from_its_second_turn() -> None:
    after = pass_turns(play(state(hand=[card(3, 1, "rush")])), 2)
    assert legal(after, Attack(CARD, FACE))


def test_rush_with_charge_attacks_the_hero() -> None:
    assert legal(state(board=[minion(1, 1, "rush charge", fresh=True)]), Attack(MINE, FACE))
