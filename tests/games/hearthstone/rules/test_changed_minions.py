"""Effects that set numbers, transform minions, or return them to the hand."""

from __future__ import annotations

from tests.build import MINE, YOURS, board, card, effect, get, minion, pass_turns, play, spell, state, stats

SHEEP = card(1, 1, name="Sheep")
FRIEND = minion(2, 5, hurt=2)
AURA = minion(1, 9, "", effect("buff", "all other friendly minions", attack=1, health=1, on="aura"))


def test_set_attack_replaces_permanent_and_temporary_buffs() -> None:
    strong = minion(6, 5, attack_this_turn=2)
    after = play(state(board=[strong], hand=[spell(effect("set_attack", "chosen minion", amount=1))]), MINE)
    assert stats(after, MINE) == (1, 5)
    assert get(pass_turns(after, 2), MINE).attack == 1  # nothing is removed at the end of the turn


def test_set_attack_keeps_the_attack_of_auras() -> None:
    start = state(board=[AURA, FRIEND], hand=[spell(), spell(effect("set_attack", "all friendly minions", amount=3))])
    after = play(play(start), card="me.hand.1")
    assert [one.attack for one in after.me.board] == [3, 4]


def test_silence_restores_health_that_was_set() -> None:
    set_and_silence = spell(effect("set_health", "chosen minion", amount=4), effect("silence", "chosen minion"))
    after = play(state(board=[minion(2, 9, hurt=8)], hand=[set_and_silence]), MINE)
    assert (get(after, MINE).health, get(after, MINE).max_health) == (9, 9)


def test_silence_keeps_damage_after_health_was_set() -> None:
    damage = effect("damage", "chosen minion", amount=1)
    weaken = spell(effect("set_health", "chosen minion", amount=4), damage, effect("silence", "chosen minion"))
    after = play(state(board=[minion(2, 9)], hand=[weaken]), MINE)
    assert (get(after, MINE).health, get(after, MINE).max_health) == (8, 9)


def test_set_health_replaces_the_maximum() -> None:
    less = play(state(enemy=[minion(2, 9)], hand=[spell(effect("set_health", "all minions", amount=1))]))
    assert (get(less, YOURS).health, get(less, YOURS).max_health) == (1, 1)


def test_transform_creates_a_new_minion_with_the_same_id() -> None:
    old = minion(5, 5, "taunt", effect("summon", makes=SHEEP, on="death"))
    after = play(state(enemy=[old], hand=[spell(effect("transform", "chosen minion", makes=SHEEP))]), YOURS)
    sheep = get(after, YOURS)
    assert (sheep.card, (sheep.attack, sheep.health), sheep.keywords, sheep.fresh) == (SHEEP, (1, 1), 0, True)


def test_transform_saves_a_destroyed_minion() -> None:
    both = spell(effect("destroy", "all enemy minions"), effect("transform", "all enemy minions", makes=SHEEP))
    assert board(play(state(enemy=[minion(5, 5)], hand=[both])).enemy) == ["Sheep"]


def test_return_gives_the_printed_card_to_its_owner() -> None:
    sap = spell(effect("return", "chosen enemy minion"))
    after = play(state(enemy=[minion(9, 9, of=card(5, 5, cost=4), attacks_left=0)], hand=[sap]), YOURS)
    (held,) = after.enemy.hand
    assert (held.id, held.cost, held.card.attack, after.enemy.board) == (YOURS, 4, 5, ())


def test_return_kills_the_minion_if_the_hand_is_full() -> None:
    martyr = minion(1, 1, "", effect("armor", amount=3, on="death"))
    vanish = spell(effect("return", "all minions"))
    after = play(state(board=[martyr, FRIEND], hand=[vanish, *[SHEEP] * 9]))
    assert (len(after.me.hand), after.me.hero.armor, after.me.board) == (10, 0, ())
    full = play(state(board=[martyr, FRIEND], hand=[vanish, *[SHEEP] * 10]))
    assert (len(full.me.hand), full.me.hero.armor, full.me.board) == (10, 3, ())


def test_return_cancels_the_turn_end_effects_of_the_minion() -> None:
    sends = minion(1, 5, "", effect("return", "all other friendly minions", on="turn_end"), entered=1)
    hits = minion(1, 5, "", effect("damage", "enemy hero", amount=5, on="turn_end"), entered=2)
    after = pass_turns(state(board=[sends, hits]))
    assert (after.me.hero.health, len(after.enemy.board)) == (30, 1)
