"""Freeze and frozen: a frozen character misses its next attack."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Attack
from tests.build import (
    FACE,
    ME,
    MINE,
    YOURS,
    attack,
    effect,
    illegal_reason,
    legal,
    minion,
    pass_turns,
    play,
    player,
    spell,
    state,
    weapon,
    words,
)

CHILL = spell(effect("freeze", "chosen character"))


def test_frozen_minions_and_heroes_cannot_attack() -> None:
    assert illegal_reason(state(board=[minion(1, 1, "frozen")]), Attack(MINE, FACE)) == "me.board.0 is frozen"
    assert illegal_reason(state(weapon=weapon(1, 1), words="frozen"), Attack(ME, FACE)) == "your hero is frozen"


def test_freeze_effect_costs_an_enemy_its_next_attack() -> None:
    theirs = pass_turns(play(state(enemy=[minion(1, 1)], hand=[CHILL]), YOURS))
    assert not legal(theirs, Attack(YOURS, FACE))
    again = pass_turns(theirs, 2)
    assert legal(again, Attack(YOURS, FACE))


def test_freeze_costs_the_enemy_hero_its_next_attack() -> None:
    armed = player("enemy", weapon=weapon(2, 2))
    theirs = pass_turns(play(state(enemy=armed, hand=[CHILL]), FACE))
    assert not legal(theirs, Attack(ME, FACE))
    assert legal(pass_turns(theirs, 2), Attack(ME, FACE))


def test_freeze_of_a_minion_that_has_attacked_lasts_through_its_next_turn() -> None:
    after = play(attack(state(board=[minion(1, 1)], hand=[CHILL]), target=FACE), MINE)
    mine = pass_turns(after, 2)
    assert not legal(mine, Attack(MINE, FACE))
    assert legal(pass_turns(mine, 2), Attack(MINE, FACE))


def test_freeze_of_a_minion_that_could_have_attacked_ends_with_the_turn() -> None:
    after = play(state(board=[minion(1, 1)], hand=[CHILL]), MINE)
    assert words(after) == ["frozen"]
    assert words(pass_turns(after)) == []


def test_freeze_of_a_windfury_minion_after_one_attack_ends_with_the_turn() -> None:
    after = play(attack(state(board=[minion(1, 1, "windfury")], hand=[CHILL]), target=FACE), MINE)
    assert words(pass_turns(after)) == ["windfury"]


def test_freeze_of_a_new_minion_lasts_until_it_could_attack() -> None:
    after = play(state(board=[minion(1, 1, fresh=True)], hand=[CHILL]), MINE)
    assert words(pass_turns(after, 2)) == ["frozen"]
    assert words(pass_turns(after, 3)) == []


def test_freeze_keyword_freezes_damaged_characters() -> None:
    assert words(attack(state(board=[minion(1, 9, "freeze")], enemy=[minion(1, 9)])), YOURS) == ["frozen"]
    assert words(attack(state(board=[minion(1, 9)], enemy=[minion(1, 9, "freeze")]))) == ["frozen"]
    assert attack(state(board=[minion(1, 1, "freeze")]), target=FACE).enemy.hero.keywords


def test_freeze_keyword_needs_damage() -> None:
    after = attack(state(board=[minion(1, 9, "freeze")], enemy=[minion(1, 9, "divine_shield")]))
    assert words(after, YOURS) == []


def test_frozen_minions_deal_damage_when_attacked() -> None:
    after = attack(state(board=[minion(1, 9)], enemy=[minion(2, 9, "frozen")]))
    assert after.me.board[0].health == 7
