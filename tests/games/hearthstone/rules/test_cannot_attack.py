"""Characters that cannot attack, because of their text or without attack."""

from __future__ import annotations

import pytest

from planner import plan_turn
from planner.games.hearthstone.rules.actions import Attack
from tests.build import FACE, ME, MINE, attack, effect, illegal_reason, legal, minion, play, spell, state, stats, weapon


def test_cannot_attack_but_deals_damage_when_attacked() -> None:
    assert (
        illegal_reason(state(board=[minion(4, 4, "cannot_attack")]), Attack(MINE, FACE)) == "me.board.0 cannot attack"
    )
    after = attack(state(board=[minion(1, 9)], enemy=[minion(4, 4, "cannot_attack")]))
    assert stats(after) == (1, 5)


def test_cannot_attack_ends_with_silence() -> None:
    hush = spell(effect("silence", "chosen minion"))
    assert legal(play(state(board=[minion(4, 4, "cannot_attack")], hand=[hush]), MINE), Attack(MINE, FACE))


@pytest.mark.parametrize("solver", ["auto", "highs"])
def test_a_hero_that_cannot_attack(solver: str) -> None:
    before = state(weapon=weapon(3, 2), words="cannot_attack")
    assert illegal_reason(before, Attack(ME, FACE)) == "your hero cannot attack"
    assert plan_turn(before, {"face_damage": 1}, solver=solver).objective == 0
    stop = spell(effect("buff", "friendly hero", keywords="cannot_attack", this_turn=True))
    assert not legal(play(state(hand=[stop], weapon=weapon(3, 2))), Attack(ME, FACE))


@pytest.mark.parametrize("solver", ["auto", "highs"])
def test_on_a_weapon_it_does_nothing(solver: str) -> None:
    before = state(weapon=weapon(3, 2, "cannot_attack"))
    assert legal(before, Attack(ME, FACE))
    assert plan_turn(before, {"face_damage": 1}, solver=solver).objective == 3


def test_a_minion_without_attack_cannot_attack() -> None:
    assert illegal_reason(state(board=[minion(0, 4)]), Attack(MINE, FACE)) == "me.board.0 has no attack"


def test_one_attack_a_turn() -> None:
    after = attack(state(board=[minion(1, 4)]), target=FACE)
    assert illegal_reason(after, Attack(MINE, FACE)) == "me.board.0 has no attacks left"
