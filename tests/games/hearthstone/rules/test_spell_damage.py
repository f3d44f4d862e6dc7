"""Spell damage: added only to the damage of the spells of its owner."""

from __future__ import annotations

from random import Random

from tests.build import FACE, card, effect, minion, play, player, power_card, spell, state, use_power

BOLT = effect("damage", "chosen character", amount=2)


def test_spell_damage_adds_to_a_spell() -> None:
    before = state(board=[minion(0, 2, spell_damage=1), minion(0, 2, spell_damage=2)], hand=[spell(BOLT)])
    assert play(before, FACE).enemy.hero.health == 25


def test_spell_damage_adds_to_each_target_and_to_split_damage() -> None:
    caster = minion(0, 2, spell_damage=1)
    wave = spell(effect("damage", "all enemy minions", amount=1))
    after = play(state(board=[caster], enemy=[minion(1, 5), minion(1, 5)], hand=[wave]))
    assert [m.health for m in after.enemy.board] == [3, 3]
    missiles = spell(effect("damage", "all enemy characters", amount=3, split=True))
    assert play(state(board=[caster], hand=[missiles]), rng=Random(1)).enemy.hero.health == 26


def test_spell_damage_adds_nothing_to_powers_battlecries_and_healing() -> None:
    caster = minion(0, 2, spell_damage=3)
    before = state(
        board=[caster],
        hand=[card(1, 1, "", BOLT), spell(effect("heal", "friendly hero", amount=2))],
        power=power_card(BOLT),
        health=10,
    )
    assert use_power(before, FACE).enemy.hero.health == 28
    assert play(before, FACE).enemy.hero.health == 28
    assert play(before, card="me.hand.1").me.hero.health == 12


def test_spell_damage_of_the_enemy_or_of_a_silenced_minion_does_not_count() -> None:
    theirs = player("enemy", board=[minion(0, 2, spell_damage=1)])
    mine = minion(0, 2, spell_damage=1, silenced=True)
    assert play(state(board=[mine], enemy=theirs, hand=[spell(BOLT)]), FACE).enemy.hero.health == 28
