"""Taunt: while a taunt minion can be attacked, only taunt minions can be attacked."""

from __future__ import annotations

import pytest

from planner.games.hearthstone.rules.actions import Attack, HeroPower, Play
from tests.build import (
    CARD,
    FACE,
    ME,
    MINE,
    YOURS,
    attack,
    effect,
    illegal_reason,
    legal,
    minion,
    power_card,
    spell,
    state,
    weapon,
)


def test_taunt_protects_the_hero_and_the_other_minions() -> None:
    before = state(board=[minion(2, 2)], enemy=[minion(1, 1), minion(1, 3, "taunt")])
    assert illegal_reason(before, Attack(MINE, FACE)) == "a taunt minion protects the enemy hero"
    assert (
        illegal_reason(before, Attack(MINE, YOURS))
        == "enemy.board.0 does not have taunt, but another enemy minion does"
    )
    assert legal(before, Attack(MINE, "enemy.board.1"))


def test_taunt_lets_the_attacker_choose_among_taunts() -> None:
    before = state(board=[minion(2, 2)], enemy=[minion(1, 1, "taunt"), minion(1, 3, "taunt")])
    assert legal(before, Attack(MINE, YOURS))
    assert legal(before, Attack(MINE, "enemy.board.1"))


def test_taunt_ends_when_the_minion_dies() -> None:
    before = state(board=[minion(3, 3), minion(1, 1)], enemy=[minion(1, 3, "taunt"), minion(1, 1)])
    after = attack(before)
    assert legal(after, Attack("me.board.1", FACE))
    assert legal(after, Attack("me.board.1", "enemy.board.1"))


@pytest.mark.parametrize("hidden", ["stealth", "immune"])
def test_taunt_does_not_count_on_a_minion_that_cannot_be_attacked(hidden: str) -> None:
    before = state(board=[minion(2, 2)], enemy=[minion(1, 3, f"taunt {hidden}")])
    assert legal(before, Attack(MINE, FACE))
    assert not legal(before, Attack(MINE, YOURS))


def test_taunt_counts_while_frozen() -> None:
    assert not legal(state(board=[minion(2, 2)], enemy=[minion(1, 3, "taunt frozen")]), Attack(MINE, FACE))


def test_taunt_stops_the_hero_but_not_spells_and_hero_powers() -> None:
    bolt = effect("damage", "chosen character", amount=1)
    before = state(enemy=[minion(1, 3, "taunt")], weapon=weapon(2, 2), hand=[spell(bolt)], power=power_card(bolt))
    assert not legal(before, Attack(ME, FACE))
    assert legal(before, Play(CARD, FACE))
    assert legal(before, HeroPower(FACE))


def test_own_taunt_does_not_restrict_own_attacks() -> None:
    assert legal(state(board=[minion(2, 2), minion(0, 5, "taunt")]), Attack(MINE, FACE))
