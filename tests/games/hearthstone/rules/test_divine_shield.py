"""Divine shield: the first hit of more than 0 damage is lost, and the shield with it."""

from __future__ import annotations

from tests.build import MINE, YOURS, attack, effect, find, minion, pass_turns, play, spell, state, stats, words


def test_divine_shield_takes_the_first_hit_whole() -> None:
    after = attack(state(board=[minion(9, 9)], enemy=[minion(1, 2, "divine_shield")]))
    assert stats(after, YOURS) == (1, 2)
    assert words(after, YOURS) == []


def test_divine_shield_does_not_take_the_second_hit() -> None:
    before = state(board=[minion(1, 9), minion(2, 9)], enemy=[minion(1, 2, "divine_shield")])
    assert find(attack(attack(before), "me.board.1"), YOURS) is None


def test_divine_shield_stays_when_nothing_hits() -> None:
    after = attack(state(board=[minion(2, 2, "divine_shield")], enemy=[minion(0, 5)]))
    assert words(after) == ["divine_shield"]


def test_divine_shield_on_the_attacker_takes_the_blow_back() -> None:
    after = attack(state(board=[minion(2, 1, "divine_shield")], enemy=[minion(9, 9)]))
    assert stats(after) == (2, 1)


def test_divine_shield_takes_a_spell_and_its_poison() -> None:
    bolt = spell(effect("damage", "chosen minion", amount=6))
    assert stats(play(state(enemy=[minion(1, 1, "divine_shield")], hand=[bolt]), YOURS), YOURS) == (1, 1)
    after = attack(state(board=[minion(1, 1, "poisonous")], enemy=[minion(0, 1, "divine_shield")]))
    assert find(after, YOURS) is not None


def test_divine_shield_is_no_help_against_destroy_or_a_loss_of_health() -> None:
    end = spell(effect("destroy", "chosen minion"))
    assert find(play(state(enemy=[minion(1, 1, "divine_shield")], hand=[end]), YOURS), YOURS) is None
    shrink = spell(effect("buff", "chosen minion", health=-1))
    assert find(play(state(enemy=[minion(1, 1, "divine_shield")], hand=[shrink]), YOURS), YOURS) is None


def test_divine_shield_for_a_turn_does_not_take_a_lasting_one_with_it() -> None:
    loan = spell(effect("buff", "chosen minion", keywords="divine_shield", this_turn=True))
    gift = spell(effect("buff", "chosen minion", keywords="divine_shield"))
    after = pass_turns(play(play(state(board=[minion(1, 1)], hand=[loan, gift]), MINE), MINE, "me.hand.1"))
    assert words(after) == ["divine_shield"]
