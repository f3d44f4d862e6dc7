"""Silence: removes text, keywords and buffs; damage stays, and silence never kills."""

from __future__ import annotations

from tests.build import MINE, attack, card, effect, get, minion, pass_turns, play, spell, state, stats, words

HUSH = spell(effect("silence", "chosen minion"))
GROW = spell(effect("buff", "chosen minion", attack=3, health=3, keywords="taunt"))


def silenced_after_growth(hurt: int) -> tuple[int, int]:
    before = play(state(board=[minion(1, 2)], hand=[HUSH, GROW], enemy=[minion(hurt, 9)]), MINE, "me.hand.1")
    return stats(play(attack(before), MINE))


def test_silence_removes_buffs() -> None:
    assert silenced_after_growth(0) == (1, 2)


def test_silence_keeps_the_current_health_if_possible() -> None:
    # Ha (2024), 2.2: the health stays at its current value, and silence never kills.
    assert silenced_after_growth(4) == (1, 1)
    assert silenced_after_growth(2) == (1, 2)


def test_silence_removes_all_keywords_and_thaws() -> None:
    before = state(board=[minion(1, 2, "taunt divine_shield frozen windfury reborn")], hand=[HUSH])
    assert words(play(before, MINE)) == []


def test_silence_restores_reduced_attack() -> None:
    weaken = spell(effect("buff", "chosen minion", attack=-1))
    before = play(state(board=[minion(2, 2)], hand=[HUSH, weaken]), MINE, "me.hand.1")
    assert stats(before) == (1, 2)
    assert stats(play(before, MINE)) == (2, 2)


def test_silence_under_a_reducing_aura_leaves_no_negative_attack() -> None:
    """The next effect of the same card happens before auras are recomputed."""
    mock = minion(0, 9, "", effect("buff", "all enemy minions", attack=-3, on="aura"))
    printed = card(1, 2, name="Printed")
    mine = minion(2, 2, of=printed, aura_attack=-3)
    then = effect("buff", "all friendly minions attack>=0", keywords="taunt")
    after = play(state(board=[mine], hand=[spell(effect("silence", "chosen minion"), then)], enemy=[mock]), MINE)
    assert (get(after).attack, words(after)) == (0, ["taunt"])


def test_silence_removes_a_temporary_buff_only_once() -> None:
    rage = spell(effect("buff", "chosen minion", attack=2, this_turn=True))
    after = play(play(state(board=[minion(3, 2)], hand=[HUSH, rage]), MINE, "me.hand.1"), MINE)
    assert stats(after) == (3, 2)
    assert stats(pass_turns(after)) == (3, 2)


def test_silence_does_not_stop_later_buffs() -> None:
    after = play(play(state(board=[minion(1, 2)], hand=[HUSH, GROW]), MINE), MINE, "me.hand.1")
    assert stats(after) == (4, 5)
    assert words(after) == ["taunt"]
    assert get(after).silenced
