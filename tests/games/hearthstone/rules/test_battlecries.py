"""Battlecries: effects of a minion when it is played from the hand."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Play
from tests.build import (
    CARD,
    FACE,
    MINE,
    YOURS,
    attack,
    board,
    card,
    effect,
    find,
    illegal_reason,
    legal,
    minion,
    play,
    spell,
    state,
    stats,
    weapon_card,
)

BOLT = effect("damage", "chosen enemy minion", amount=2)


def test_a_battlecry_hits_its_target() -> None:
    after = play(state(hand=[card(1, 1, "", BOLT)], enemy=[minion(2, 2)]), YOURS)
    assert find(after, YOURS) is None
    assert stats(after, CARD) == (1, 1)


def test_a_battlecry_must_choose_if_there_is_a_target() -> None:
    assert not legal(state(hand=[card(1, 1, "", BOLT)], enemy=[minion(2, 2)]), Play(CARD))


def test_without_a_target_the_minion_is_played_without_its_battlecry() -> None:
    assert board(play(state(hand=[card(1, 1, "", BOLT)])).me) == ["1/1"]


def test_a_battlecry_cannot_choose_its_own_minion() -> None:
    grow = card(1, 1, "", effect("buff", "chosen friendly minion", attack=1))
    assert (
        illegal_reason(state(hand=[grow], board=[minion(1, 1)]), Play(CARD, CARD))
        == "me.hand.0 is not a target for 1/1"
    )


def test_a_battlecry_for_all_others_excludes_its_own_minion() -> None:
    storm = card(1, 1, "", effect("damage", "all other minions", amount=1))
    after = play(state(hand=[storm], board=[minion(1, 1)], enemy=[minion(1, 1)]))
    assert [m.id for m in after.me.board + after.enemy.board] == [CARD]


def test_a_battlecry_can_affect_its_own_minion() -> None:
    assert stats(play(state(hand=[card(1, 1, "", effect("buff", "self", attack=2, health=2))])), CARD) == (3, 3)


def test_a_battlecry_summons_after_its_own_minion_has_arrived() -> None:
    parent = card(2, 2, "", effect("summon", makes=card(1, 1, name="Child")), name="Parent")
    assert board(play(state(hand=[parent])).me) == ["Parent", "Child"]
    assert board(play(state(hand=[parent], board=[minion(1, 1)] * 6)).me)[-1] == "Parent"


def test_a_battlecry_does_not_happen_when_an_effect_summons_the_minion() -> None:
    child = card(1, 1, "", effect("damage", "enemy hero", amount=3), name="Child")
    after = play(state(hand=[spell(effect("summon", makes=child))]))
    assert after.enemy.hero.health == 30


def test_a_battlecry_may_kill_its_own_minion() -> None:
    after = play(state(hand=[card(1, 1, "", effect("damage", "all minions", amount=1))]))
    assert after.me.board == ()
    assert after.me.hand == ()


def test_a_weapon_has_battlecries_too() -> None:
    axe = weapon_card(1, 1, "", effect("damage", "chosen character", amount=1))
    assert play(state(hand=[axe]), FACE).enemy.hero.health == 29


def test_a_minion_keeps_the_id_of_its_card() -> None:
    assert play(state(hand=[card(1, 1)], board=[minion(1, 1)])).me.board[-1].id == CARD
    assert find(state(board=[minion(1, 1)]), MINE)


def test_a_minion_needs_room_when_it_is_played() -> None:
    before = state(hand=[card(1, 1)], board=[minion(1, 1)] * 7, enemy=[minion(1, 1)])
    assert illegal_reason(before, Play(CARD)) == "your board is full (7)"
    assert legal(attack(before), Play(CARD))


def test_a_minion_needs_its_mana() -> None:
    assert illegal_reason(state(mana=2, hand=[card(1, 1, cost=3)]), Play(CARD)) == "1/1 costs 3, you have 2 mana"
