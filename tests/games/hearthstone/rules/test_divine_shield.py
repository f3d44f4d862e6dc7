"""Divine shield: absorbs the first damage and is removed."""

from __future__ import annotations

from tests.build import MINE, YOURS, attack, effect, find, minion, pass_turns, play, spell, state, stats, words


def test_divine_shield_absorbs_the_first_hit() -> None:
    after = attack(state(board=[minion(9, 9)], enemy=[minion(1, 2, "divine_shield")]))
    assert stats(after, YOURS) == (1, 2)
    assert words(after, YOURS) == []


def test_divine_shield_does_not_absorb_the_second_hit() -> None:
    before = state(board=[minion(1, 9), minion(2, 9)], enemy=[minion(1, 2, "divine_shield")])
    assert find(attack(attack(before), "me.board.1"), YOURS) is None


def test_divine_shield_stays_without_damage() -> None:
    after = attack(state(board=[minion(2, 2, "divine_shield")], enemy=[minion(0, 5)]))
    assert words(after) == ["divine_shield"]


def test_divine_shield_protects_the_attacker() -> None:
    after = attack(state(board=[minion(2, 1, "divine_shield")], enemy=[minion(9, 9)]))
    assert stats(after) == (2, 1)


def test_divine_shield_absorbs_spells_and_poison() -> None:
    bolt = spell(effect("damage", "chosen minion", amount=6))
    assert stats(play(state(enemy=[minion(1, 1, "divine_shield")], hand=[bolt]), YOURS), YOURS) == (1, 1)
    after = attack(state(board=[minion(1, 1, "poisonous")], enemy=[minion(0, 1, "divine_shield")]))
    assert find(after, YOURS) is not None


def test_divine_shield_does_not_prevent_destroy_or_loss_of_health() -> None:
    end = spell(effect("destroy", "chosen minion"))
    assert find(play(state(enemy=[minion(1, 1, "divine_shield")], hand=[end]), YOURS), YOURS) is None
    shrink = spell(effect("buff", "chosen minion", health=-1))
    assert find(play(state(enemy=[minion(1, 1, "divine_shield")], hand=[shrink]), YOURS), YOURS) is None


def test_divine_shield_for_a_turn_does_not_end_a_permanent_one() -> None:
    loan = spell(effect("buff", "chosen minion", keywords="divine_shield", this_turn=True))
    gift = spell(effect("buff", "chosen minion", keywords="divine_shield"))
    after = pass_turns(play(play(state(board=[minion(1, 1)], hand=[loan, gift]), MINE), MINE, "me.hand.1"))
    assert words(after) == ["divine_shield"]
