"""Stealth: the enemy cannot attack or choose it until it attacks."""

from __future__ import annotations

from random import Random

from planner.games.hearthstone.rules.actions import Attack, HeroPower, Play
from tests.build import (
    CARD,
    FACE,
    MINE,
    YOURS,
    attack,
    card,
    effect,
    find,
    illegal_reason,
    legal,
    minion,
    pass_turns,
    play,
    power_card,
    spell,
    state,
    stats,
    words,
)

BOLT = effect("damage", "chosen character", amount=1)


def test_stealth_cannot_be_attacked() -> None:
    before = state(board=[minion(1, 1)], enemy=[minion(1, 1, "stealth")])
    assert illegal_reason(before, Attack(MINE, YOURS)) == "enemy.board.0 is in stealth"


def test_stealth_cannot_be_chosen_by_the_enemy() -> None:
    before = state(enemy=[minion(1, 1, "stealth")], hand=[spell(BOLT), card(1, 1, "", BOLT)], power=power_card(BOLT))
    assert illegal_reason(before, Play(CARD, YOURS)) == "enemy.board.0 is not a target for Spell"
    assert not legal(before, Play("me.hand.1", YOURS))
    assert not legal(before, HeroPower(YOURS))


def test_stealth_can_be_chosen_by_its_owner() -> None:
    assert legal(state(board=[minion(1, 1, "stealth")], hand=[spell(BOLT)]), Play(CARD, MINE))


def test_stealth_ends_with_its_first_attack() -> None:
    before = state(board=[minion(1, 1, "stealth")])
    assert words(attack(before, target=FACE)) == []
    assert words(pass_turns(before, 2)) == ["stealth"]


def test_stealth_does_not_protect_from_effects_without_a_choice() -> None:
    wave = spell(effect("damage", "all enemy minions", amount=1))
    dart = spell(effect("damage", "random enemy minion", amount=1))
    before = state(enemy=[minion(1, 1, "stealth")], hand=[wave, dart])
    assert find(play(before), YOURS) is None
    assert find(play(before, card="me.hand.1", rng=Random(0)), YOURS) is None


def test_stealth_taken_by_silence() -> None:
    hush = spell(effect("silence", "all enemy minions"))
    after = play(state(board=[minion(1, 1)], enemy=[minion(1, 1, "stealth")], hand=[hush]))
    assert legal(after, Attack(MINE, YOURS))
    assert stats(after, YOURS) == (1, 1)
