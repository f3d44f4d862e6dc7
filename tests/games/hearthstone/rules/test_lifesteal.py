"""Lifesteal: its damage heals its owner's hero."""

from __future__ import annotations

from planner.games.hearthstone.rules.match_flow import outcome
from tests.build import FACE, ME, MINE, YOURS, attack, card, effect, minion, play, player, spell, state, weapon


def test_lifesteal_heals_by_the_damage_dealt() -> None:
    assert attack(state(board=[minion(3, 3, "lifesteal")], health=10), target=FACE).me.hero.health == 13


def test_lifesteal_heals_for_overkill_and_for_armor() -> None:
    assert attack(state(board=[minion(7, 3, "lifesteal")], enemy=[minion(1, 1)], health=10)).me.hero.health == 17
    armored = state(board=[minion(3, 3, "lifesteal")], enemy=player("enemy", armor=9), health=10)
    assert attack(armored, target=FACE).me.hero.health == 13


def test_lifesteal_stops_at_full_health() -> None:
    assert attack(state(board=[minion(3, 3, "lifesteal")], health=29), target=FACE).me.hero.health == 30


def test_lifesteal_of_a_defender_heals_its_own_hero() -> None:
    after = attack(state(board=[minion(1, 9)], enemy=player("enemy", board=[minion(4, 4, "lifesteal")], health=5)))
    assert after.enemy.hero.health == 9


def test_lifesteal_does_not_heal_from_prevented_damage() -> None:
    before = state(board=[minion(3, 3, "lifesteal")], enemy=[minion(1, 1, "divine_shield")], health=10)
    assert attack(before).me.hero.health == 10


def test_lifesteal_of_a_weapon_heals_after_the_fight() -> None:
    # The damage takes the hero to -1, and the lifesteal of the same fight heals it before deaths are checked.
    after = attack(state(weapon=weapon(4, 2, "lifesteal"), enemy=[minion(4, 9)], health=3), ME)
    assert after.me.hero.health == 3
    assert outcome(after) is None


def test_lifesteal_spell_and_battlecry_heal() -> None:
    drain = effect("damage", "chosen minion", amount=3)
    hand = [spell(drain, words="lifesteal"), card(1, 1, "lifesteal", drain)]
    before = state(hand=hand, enemy=[minion(1, 9)], health=10)
    assert play(before, YOURS).me.hero.health == 13
    assert play(before, YOURS, "me.hand.1").me.hero.health == 13


def test_lifesteal_counts_each_target_of_a_spell() -> None:
    wave = spell(effect("damage", "all enemy minions", amount=2), words="lifesteal")
    assert play(state(hand=[wave], enemy=[minion(1, 1)] * 3, health=10)).me.hero.health == 16


def test_lifesteal_of_a_deathrattle_heals() -> None:
    bomb = minion(1, 1, "lifesteal", effect("damage", "enemy hero", amount=2, on="death"))
    after = attack(state(board=[bomb], enemy=[minion(1, 9)], health=10), MINE)
    assert after.me.hero.health == 13
