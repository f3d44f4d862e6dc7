"""Immune: takes no damage, and the enemy cannot attack or choose it."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Attack, Play
from tests.build import (
    CARD,
    FACE,
    ME,
    MINE,
    YOURS,
    attack,
    effect,
    find,
    illegal_reason,
    legal,
    minion,
    pass_turns,
    play,
    player,
    spell,
    state,
    stats,
    weapon,
)

BOLT = spell(effect("damage", "chosen character", amount=3))


def test_immune_minion_takes_no_damage() -> None:
    assert stats(attack(state(board=[minion(1, 1, "immune")], enemy=[minion(9, 9)]))) == (1, 1)


def test_immune_minion_can_be_neither_attacked_nor_chosen() -> None:
    before = state(board=[minion(1, 1)], enemy=[minion(1, 1, "immune")], hand=[BOLT])
    assert illegal_reason(before, Attack(MINE, YOURS)) == "enemy.board.0 is immune"
    assert not legal(before, Play(CARD, YOURS))


def test_immune_hero_takes_no_damage_and_cannot_be_attacked() -> None:
    before = state(board=[minion(1, 1)], enemy=player("enemy", words="immune"), hand=[BOLT])
    assert illegal_reason(before, Attack(MINE, FACE)) == "the enemy hero is immune"
    assert not legal(before, Play(CARD, FACE))
    wave = state(enemy=player("enemy", words="immune"), hand=[spell(effect("damage", "enemy hero", amount=3))])
    assert play(wave).enemy.hero.health == 30


def test_immune_for_a_turn_ends_for_a_hero_too() -> None:
    guard = spell(effect("buff", "friendly hero", keywords="immune", this_turn=True))
    after = play(state(hand=[guard], weapon=weapon(2, 2), enemy=[minion(5, 5)]))
    assert attack(after, ME).me.hero.health == 30
    theirs = pass_turns(after)
    assert legal(theirs, Attack(YOURS, FACE))


def test_immune_does_not_prevent_destroy() -> None:
    end = spell(effect("destroy", "all minions"))
    assert find(play(state(enemy=[minion(1, 1, "immune")], hand=[end])), YOURS) is None
