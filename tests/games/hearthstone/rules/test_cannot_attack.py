"""Minions that cannot attack, because of their text or without attack."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Attack
from tests.build import FACE, MINE, attack, effect, illegal_reason, legal, minion, play, spell, state, stats


def test_cannot_attack_but_deals_damage_when_attacked() -> None:
    assert (
        illegal_reason(state(board=[minion(4, 4, "cannot_attack")]), Attack(MINE, FACE)) == "me.board.0 cannot attack"
    )
    after = attack(state(board=[minion(1, 9)], enemy=[minion(4, 4, "cannot_attack")]))
    assert stats(after) == (1, 5)


def test_cannot_attack_ends_with_silence() -> None:
    hush = spell(effect("silence", "chosen minion"))
    assert legal(play(state(board=[minion(4, 4, "cannot_attack")], hand=[hush]), MINE), Attack(MINE, FACE))


def test_a_minion_without_attack_cannot_attack() -> None:
    assert illegal_reason(state(board=[minion(0, 4)]), Attack(MINE, FACE)) == "me.board.0 has no attack"


def test_one_attack_a_turn() -> None:
    after = attack(state(board=[minion(1, 4)]), target=FACE)
    assert illegal_reason(after, Attack(MINE, FACE)) == "me.board.0 has no attacks left"
