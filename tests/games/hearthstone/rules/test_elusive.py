"""Elusive: spells and hero powers cannot choose it; battlecries and attacks can."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Attack, HeroPower, Play
from tests.build import CARD, MINE, YOURS, card, effect, find, legal, minion, play, power_card, spell, state

BOLT = effect("damage", "chosen minion", amount=1)


def test_elusive_cannot_be_chosen_by_spells_and_hero_powers_of_either_side() -> None:
    before = state(
        board=[minion(1, 1, "elusive"), minion(1, 1)],
        enemy=[minion(1, 1, "elusive")],
        hand=[spell(BOLT)],
        power=power_card(BOLT),
    )
    for target in (MINE, YOURS):
        assert not legal(before, Play(CARD, target))
        assert not legal(before, HeroPower(target))
    assert legal(before, Play(CARD, "me.board.1"))


def test_elusive_can_be_attacked_and_chosen_by_a_battlecry() -> None:
    before = state(board=[minion(1, 1)], enemy=[minion(1, 1, "elusive")], hand=[card(1, 1, "", BOLT)])
    assert legal(before, Attack(MINE, YOURS))
    assert find(play(before, YOURS), YOURS) is None


def test_elusive_does_not_protect_from_effects_without_a_choice() -> None:
    wave = spell(effect("damage", "all enemy minions", amount=1))
    assert find(play(state(enemy=[minion(1, 1, "elusive")], hand=[wave])), YOURS) is None
