"""Weapons: a hero attacks with its weapon, each attack costs durability, a new weapon replaces the old one."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Attack
from tests.build import (
    FACE,
    ME,
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
    power_card,
    spell,
    state,
    use_power,
    weapon,
    weapon_card,
)


def test_a_weapon_lets_the_hero_attack_once() -> None:
    after = attack(play(state(hand=[weapon_card(3, 2)])), ME, FACE)
    assert after.enemy.hero.health == 27
    assert after.me.weapon is not None
    assert after.me.weapon.durability == 1
    assert illegal_reason(after, Attack(ME, FACE)) == "your hero has no attacks left"


def test_without_a_weapon_the_hero_has_no_attack() -> None:
    assert illegal_reason(state(), Attack(ME, FACE)) == "your hero has no attack"


def test_a_hero_takes_damage_from_the_minion_it_attacks() -> None:
    after = attack(state(weapon=weapon(3, 2), enemy=[minion(4, 3)], armor=1), ME)
    assert (after.me.hero.armor, after.me.hero.health) == (0, 27)
    assert find(after, YOURS) is None


def test_a_weapon_breaks_with_its_last_attack() -> None:
    assert attack(state(weapon=weapon(3, 1)), ME, FACE).me.weapon is None


def test_an_attacked_hero_deals_no_damage() -> None:
    after = attack(state(board=[minion(1, 1)], enemy=player("enemy", weapon=weapon(5, 5))), target=FACE)
    assert find(after, "me.board.0") is not None


def test_equip_effect_replaces_the_weapon() -> None:
    forge = power_card(effect("equip", makes=weapon_card(1, 2)))
    after = use_power(state(weapon=weapon(5, 5), power=forge))
    assert after.me.weapon is not None
    assert (after.me.weapon.attack, after.me.weapon.durability) == (1, 2)


def test_a_weapon_played_after_the_attack_does_not_attack_again() -> None:
    after = play(attack(state(weapon=weapon(3, 1), hand=[weapon_card(2, 2)]), ME, FACE))
    assert not legal(after, Attack(ME, FACE))


def test_a_windfury_weapon_attacks_twice() -> None:
    after = attack(attack(play(state(hand=[weapon_card(2, 8, "windfury")])), ME, FACE), ME, FACE)
    assert after.enemy.hero.health == 26
    assert not legal(after, Attack(ME, FACE))
    assert legal(pass_turns(after, 2), Attack(ME, FACE))


def test_two_windfury_weapons_in_a_turn_attack_twice() -> None:
    after = play(play(state(hand=[weapon_card(2, 8, "windfury")] * 2)), card="me.hand.1")
    assert after.me.hero.attacks_left == 2


def test_a_weapon_after_a_windfury_weapon_attacks_once() -> None:
    twice = play(state(hand=[weapon_card(2, 8, "windfury"), weapon_card(2, 2)]))
    assert play(twice, card="me.hand.1").me.hero.attacks_left == 1
    assert play(attack(twice, ME, FACE), card="me.hand.1").me.hero.attacks_left == 0


def test_a_broken_windfury_weapon_loses_its_second_attack() -> None:
    once = attack(play(state(hand=[weapon_card(2, 1, "windfury"), weapon_card(2, 2)])), ME, FACE)
    assert not legal(play(once, card="me.hand.1"), Attack(ME, FACE))


def test_windfury_given_to_a_hero_counts() -> None:
    gale = spell(effect("buff", "friendly hero", attack=1, keywords="windfury", this_turn=True))
    after = attack(attack(play(state(hand=[gale])), ME, FACE), ME, FACE)
    assert after.enemy.hero.health == 28


def test_a_weapon_adds_to_the_attack_of_the_hero() -> None:
    claw = power_card(effect("buff", "friendly hero", attack=1, this_turn=True))
    after = attack(use_power(state(weapon=weapon(2, 2), power=claw)), ME, FACE)
    assert after.enemy.hero.health == 27
