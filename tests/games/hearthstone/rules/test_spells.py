"""Spells, and one test for each effect."""

from __future__ import annotations

import pytest

from planner.games.hearthstone.cards.card import HIDDEN
from planner.games.hearthstone.cards.effect_vocabulary import Effect
from planner.games.hearthstone.rules.actions import Play
from planner.games.hearthstone.rules.match_flow import outcome
from tests.build import (
    CARD,
    FACE,
    ME,
    MINE,
    YOURS,
    board,
    card,
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
    weapon_card,
    words,
)


def test_damage_to_a_chosen_character() -> None:
    bolt = spell(effect("damage", "chosen character", amount=3))
    before = state(hand=[bolt], enemy=[minion(1, 3), minion(1, 4)])
    assert play(before, FACE).enemy.hero.health == 27
    assert find(play(before, YOURS), YOURS) is None
    assert stats(play(before, "enemy.board.1"), "enemy.board.1") == (1, 1)
    assert play(before, ME).me.hero.health == 27


def test_damage_to_a_hero_takes_armor_first() -> None:
    bolt = spell(effect("damage", "enemy hero", amount=3))
    hero = play(state(hand=[bolt], enemy=player("enemy", armor=2))).enemy.hero
    assert (hero.armor, hero.health) == (0, 29)


def test_damage_to_all_hits_both_sides_at_once() -> None:
    wave = spell(effect("damage", "all minions", amount=1))
    after = play(state(hand=[wave], board=[minion(1, 1), minion(1, 2)], enemy=[minion(1, 1)]))
    assert (len(after.me.board), len(after.enemy.board)) == (1, 0)


def test_heal_stops_at_the_maximum() -> None:
    cure = spell(effect("heal", "chosen character", amount=4))
    before = state(hand=[cure], board=[minion(1, 5, hurt=2)], health=20)
    assert stats(play(before, MINE)) == (1, 5)
    assert play(before, ME).me.hero.health == 24
    assert play(before, FACE).enemy.hero.health == 30


def test_armor_is_added() -> None:
    assert play(state(hand=[spell(effect("armor", amount=5))], armor=1)).me.hero.armor == 6


def test_buff_that_is_permanent() -> None:
    grow = spell(effect("buff", "chosen minion", attack=2, health=3, keywords="taunt"))
    after = pass_turns(play(state(hand=[grow], board=[minion(1, 4, hurt=1)]), MINE), 2)
    assert stats(after) == (3, 6)
    assert words(after) == ["taunt"]


def test_buff_for_a_turn() -> None:
    rage = spell(effect("buff", "all friendly minions", attack=2, this_turn=True))
    after = play(state(hand=[rage], board=[minion(1, 4)]))
    assert stats(after) == (3, 4)
    assert stats(pass_turns(after)) == (1, 4)


def test_buff_with_negative_attack_stops_at_zero() -> None:
    weaken = spell(effect("buff", "chosen minion", attack=-5))
    assert stats(play(state(hand=[weaken], enemy=[minion(2, 4)]), YOURS), YOURS) == (0, 4)


def test_buff_with_negative_attack_for_a_turn_is_returned() -> None:
    weaken = spell(effect("buff", "chosen minion", attack=-5, this_turn=True))
    after = play(state(hand=[weaken], enemy=[minion(2, 4)]), YOURS)
    assert stats(after, YOURS) == (0, 4)
    assert stats(pass_turns(after), YOURS) == (2, 4)


def test_buff_of_a_hero_adds_health_too() -> None:
    hero = play(state(hand=[spell(effect("buff", "friendly hero", health=5))])).me.hero
    assert (hero.health, hero.max_health) == (35, 35)


def test_summon_adds_a_minion_to_the_board() -> None:
    token = card(1, 1, "taunt", name="Token")
    after = play(state(hand=[spell(effect("summon", makes=token, count=2))]))
    assert board(after.me) == ["Token", "Token"]
    assert len({m.id for m in after.me.board}) == 2


def test_summon_for_the_enemy() -> None:
    gift = spell(effect("summon", makes=card(5, 5, name="Gift"), side="enemy"))
    assert board(play(state(hand=[gift])).enemy) == ["Gift"]


def test_summon_stops_at_a_full_board() -> None:
    many = spell(effect("summon", makes=card(1, 1, name="Token"), count=3))
    after = play(state(hand=[many], board=[minion(1, 1)] * 6))
    assert len(after.me.board) == 7


def test_summon_spell_needs_room() -> None:
    many = spell(effect("summon", makes=card(1, 1, name="Token")))
    before = state(hand=[many], board=[minion(1, 1)] * 7)
    assert illegal_reason(before, Play(CARD)) == "your board is full (7)"


def test_summon_as_one_of_several_effects_needs_no_room() -> None:
    both = spell(effect("damage", "enemy hero", amount=1), effect("summon", makes=card(1, 1, name="Token")))
    assert play(state(hand=[both], board=[minion(1, 1)] * 7)).enemy.hero.health == 29


def test_destroy_kills_regardless_of_health() -> None:
    end = spell(effect("destroy", "chosen minion"))
    assert find(play(state(hand=[end], enemy=[minion(9, 99)]), YOURS), YOURS) is None


@pytest.mark.parametrize("board_size", [0, 2])
def test_destroy_and_silence_of_a_hero_do_not_affect_minions(board_size: int) -> None:
    minions = [minion(1, 1, "taunt") for _ in range(board_size)]
    heroes = spell(effect("silence", "all heroes"))
    after = play(state(hand=[heroes], board=minions))
    assert [m.silenced for m in after.me.board] == [False] * board_size
    end = spell(effect("destroy", "enemy hero"))
    after = play(state(hand=[end], enemy=minions))
    assert len(after.enemy.board) == board_size
    assert str(outcome(after)) == "player 1 wins by damage"


@pytest.mark.parametrize("saves", [effect("heal", "enemy hero", amount=5), effect("buff", "enemy hero", health=5)])
def test_no_later_effect_of_a_card_saves_a_destroyed_hero(saves: Effect) -> None:
    after = play(state(hand=[spell(effect("destroy", "enemy hero"), saves)]))
    assert after.enemy.hero.health == 0
    assert str(outcome(after)) == "player 1 wins by damage"


def test_a_hero_at_0_health_can_be_healed_after_the_other_one_is_destroyed() -> None:
    """Damage kills only at the end of the card's effects."""
    ours = effect("damage", "friendly hero", amount=30), effect("heal", "friendly hero", amount=2)
    after = play(state(hand=[spell(ours[0], effect("destroy", "enemy hero"), ours[1])]))
    assert (after.me.hero.health, after.enemy.hero.health) == (2, 0)


def test_silence_effect_removes_text_and_keywords() -> None:
    hush = spell(effect("silence", "chosen minion"))
    after = play(state(hand=[hush], board=[minion(1, 1, "taunt lifesteal"), minion(1, 1, "taunt")]), MINE)
    assert words(after) == []
    assert words(after, "me.board.1") == ["taunt"]


def test_freeze_effect_freezes_all_its_targets() -> None:
    after = play(state(hand=[spell(effect("freeze", "all enemy minions"))], enemy=[minion(1, 1), minion(2, 2)]))
    assert [words(after, m.id) for m in after.enemy.board] == [["frozen"], ["frozen"]]


def test_draw_effect_draws() -> None:
    assert len(play(state(hand=[spell(effect("draw", count=2))])).me.hand) == 2


def test_equip_effect_gives_a_weapon() -> None:
    after = play(state(hand=[spell(effect("equip", makes=weapon_card(4, 2)))]))
    assert after.me.weapon is not None
    assert after.me.weapon.attack == 4


def test_play_effects_happen_in_printed_order() -> None:
    # The health is added before the damage.
    first = spell(effect("buff", "chosen minion", health=2), effect("damage", "chosen minion", amount=3))
    assert stats(play(state(hand=[first], board=[minion(1, 2)]), MINE)) == (1, 1)


def test_play_pays_the_cost_and_leaves_the_hand() -> None:
    after = play(state(mana=5, hand=[spell(cost=3), card(1, 1)]))
    assert after.me.mana == 2
    assert [held.id for held in after.me.hand] == ["me.hand.1"]


def test_a_spell_without_a_target_cannot_be_played() -> None:
    bolt = spell(effect("damage", "chosen enemy minion", amount=3))
    assert illegal_reason(state(hand=[bolt]), Play(CARD)) == "Spell has no target"
    assert (
        illegal_reason(state(hand=[bolt], enemy=[minion(1, 1)]), Play(CARD))
        == "Spell needs a target: one of enemy.board.0"
    )


def test_a_spell_without_a_choice_takes_no_target() -> None:
    assert illegal_reason(state(hand=[spell()]), Play(CARD, FACE)) == "Spell takes no target"


def test_a_spell_may_require_a_tribe_or_damage() -> None:
    mech = minion(1, 3, tribes=("mech",))
    before = state(board=[mech, minion(1, 3, hurt=1)], hand=[spell(effect("destroy", "chosen mech"))])
    assert legal(before, Play(CARD, MINE))
    assert not legal(before, Play(CARD, "me.board.1"))
    before = state(board=[mech, minion(1, 3, hurt=1)], hand=[spell(effect("destroy", "chosen damaged minion"))])
    assert not legal(before, Play(CARD, MINE))
    assert legal(before, Play(CARD, "me.board.1"))


def test_a_spell_for_damaged_characters_includes_heroes() -> None:
    before = state(hand=[spell(effect("heal", "chosen damaged character", amount=3))], health=20)
    assert legal(before, Play(CARD, ME))
    assert not legal(before, Play(CARD, FACE))
    after = play(state(hand=[spell(effect("damage", "all undamaged characters", amount=3))], health=20))
    assert (after.me.hero.health, after.enemy.hero.health) == (20, 27)


def test_a_hidden_card_cannot_be_played() -> None:
    assert illegal_reason(state(hand=[HIDDEN]), Play(CARD)) == "a hidden card cannot be played"
    assert illegal_reason(state(), Play("missing")) == "missing is not in your hand"
