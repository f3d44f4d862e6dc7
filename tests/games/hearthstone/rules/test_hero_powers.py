"""The hero powers of the eleven classes, and their common rules."""

from __future__ import annotations

from random import Random

import pytest

from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import CLASSES
from planner.games.hearthstone.rules.actions import Attack, HeroPower
from planner.games.hearthstone.rules.state import GameState
from tests.build import (
    FACE,
    ME,
    MINE,
    YOURS,
    attack,
    board,
    find,
    illegal_reason,
    legal,
    minion,
    pass_turns,
    state,
    use_power,
)

POWERS = catalogue.standard().hero_powers
TOTEMS = {"Healing Totem", "Searing Totem", "Stoneclaw Totem", "Wrath of Air Totem"}


def with_power(name: str, **fields: object) -> GameState:
    return state(**{"power": POWERS[name], "mana": 2, **fields})  # type: ignore[arg-type]


def test_each_class_has_a_hero_power() -> None:
    assert set(POWERS) == set(CLASSES)


def test_deathknight_ghoul_has_charge_and_dies_at_the_end_of_the_turn() -> None:
    after = use_power(with_power("deathknight"))
    ghoul = after.me.board[0].id
    after = attack(after, ghoul, FACE)
    assert after.enemy.hero.health == 29
    assert find(pass_turns(after), ghoul) is None


def test_demonhunter_claws_last_for_the_turn() -> None:
    after = use_power(with_power("demonhunter"))
    assert after.me.mana == 1
    assert attack(after, ME, FACE).enemy.hero.health == 29
    assert pass_turns(after).enemy.hero.attack_this_turn == 0


def test_druid_gets_attack_and_armor() -> None:
    after = attack(use_power(with_power("druid")), ME, FACE)
    assert (after.enemy.hero.health, after.me.hero.armor) == (29, 1)


def test_hunter_shoots_the_enemy_hero() -> None:
    assert use_power(with_power("hunter")).enemy.hero.health == 28


def test_mage_shoots_any_character() -> None:
    before = with_power("mage", board=[minion(1, 1)], enemy=[minion(1, 1)])
    assert find(use_power(before, YOURS), YOURS) is None
    assert find(use_power(before, MINE), MINE) is None
    assert use_power(before, FACE).enemy.hero.health == 29
    assert use_power(before, ME).me.hero.health == 29
    everybody = "me.hero, me.board.0, enemy.hero, enemy.board.0"
    assert illegal_reason(before, HeroPower()) == f"Fireblast needs a target: one of {everybody}"


def test_paladin_recruits() -> None:
    after = use_power(with_power("paladin"))
    assert board(after.me) == ["Silver Hand Recruit"]
    assert not legal(after, Attack(after.me.board[0].id, FACE))


def test_priest_heals_any_character() -> None:
    before = with_power("priest", board=[minion(1, 5, hurt=1)], health=20)
    assert use_power(before, ME).me.hero.health == 22
    assert use_power(before, MINE).me.board[0].health == 5


def test_rogue_equips_a_dagger() -> None:
    after = use_power(with_power("rogue"))
    assert after.me.weapon is not None
    assert (after.me.weapon.attack, after.me.weapon.durability) == (1, 2)


def test_shaman_summons_a_totem_that_is_not_on_the_board() -> None:
    for seed in range(8):
        after = with_power("shaman")
        for _ in TOTEMS:
            after = use_power(after, rng=Random(seed))
            after = after._replace(me=after.me._replace(power_used=False, mana=2))
        assert set(board(after.me)) == TOTEMS
        assert illegal_reason(after, HeroPower()) == "Totemic Call has no new minion to summon"


def test_warlock_pays_health_for_a_card() -> None:
    after = use_power(with_power("warlock"))
    assert (after.me.hero.health, len(after.me.hand)) == (28, 1)


def test_warrior_armors_up() -> None:
    assert use_power(with_power("warrior")).me.hero.armor == 2


@pytest.mark.parametrize("name", CLASSES)
def test_a_hero_power_is_used_once_a_turn(name: str) -> None:
    before = with_power(name, mana=10)
    target = FACE if name in ("mage", "priest") else None
    after = use_power(before, target, Random(0))
    assert after.me.mana == 10 - POWERS[name].cost
    assert illegal_reason(after, HeroPower(target)) == "your hero power was used this turn"
    assert legal(pass_turns(after, 2), HeroPower(target))


@pytest.mark.parametrize("name", CLASSES)
def test_a_hero_power_needs_mana(name: str) -> None:
    before = with_power(name, mana=POWERS[name].cost - 1)
    assert illegal_reason(before, HeroPower()).endswith(f"you have {before.me.mana} mana")


@pytest.mark.parametrize("name", ["deathknight", "paladin", "shaman"])
def test_a_hero_power_that_summons_needs_room(name: str) -> None:
    assert illegal_reason(with_power(name, board=[minion(1, 1)] * 7), HeroPower()) == "your board is full (7)"


def test_a_hero_power_without_a_choice_takes_no_target() -> None:
    assert illegal_reason(with_power("hunter"), HeroPower(FACE)) == "Steady Shot takes no target"


def test_a_player_without_a_hero_power_cannot_use_it() -> None:
    assert illegal_reason(state(), HeroPower()) == "you have no hero power"


def test_a_hero_power_counts_neither_as_a_card_nor_as_a_spell() -> None:
    after = use_power(with_power("hunter", board=[minion(0, 2, spell_damage=2)]))
    assert after.enemy.hero.health == 28
    assert after.me.cards_played == 0
