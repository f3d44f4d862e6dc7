"""Deathrattles: all dead minions leave together, then their effects in order of entering the board, then reborn."""

from __future__ import annotations

from random import Random

from planner.games.hearthstone.rules.match_flow import outcome
from planner.games.hearthstone.rules.state import Minion
from tests.build import MINE, YOURS, attack, board, card, effect, find, minion, play, player, spell, state, stats

WIPE = spell(effect("destroy", "all minions"))


def minion_with_deathrattle(name: str, **fields: int) -> Minion:
    return minion(1, 1, "", effect("summon", makes=card(1, 1, name=name), on="death"), **fields)


def test_death_effects_happen() -> None:
    dying = minion(1, 1, "", effect("damage", "enemy hero", amount=2, on="death"))
    assert attack(state(board=[dying], enemy=[minion(1, 9)])).enemy.hero.health == 28


def test_death_of_an_enemy_works_for_the_enemy() -> None:
    dying = minion(1, 1, "", effect("damage", "enemy hero", amount=2, on="death"))
    after = attack(state(board=[minion(1, 9)], enemy=[dying]))
    assert (after.me.hero.health, after.enemy.hero.health) == (28, 30)


def test_death_effects_happen_in_order_of_entering_the_board() -> None:
    # The names of the tokens show the order.
    first, second, third = (
        minion_with_deathrattle(name, entered=entered) for name, entered in (("A", 3), ("B", 1), ("C", 2))
    )
    after = play(state(board=[first, second, third], hand=[WIPE]))
    assert board(after.me) == ["B", "C", "A"]


def test_death_effects_of_both_sides_mix_by_order_of_entering() -> None:
    # Damage before the armor reduces health, damage after it reduces armor.
    mine = minion(1, 1, "", effect("armor", amount=5, on="death"), entered=9)
    theirs = minion(1, 1, "", effect("damage", "enemy hero", amount=3, on="death"), entered=4)
    hero = attack(state(board=[mine], enemy=[theirs])).me.hero
    assert (hero.health, hero.armor) == (27, 5)
    hero = attack(state(board=[mine._replace(entered=1)], enemy=[theirs])).me.hero
    assert (hero.health, hero.armor) == (30, 2)


def test_death_removes_both_sides_before_any_effect() -> None:
    # All seven die: the token has room although its deathrattle is the first.
    token = effect("summon", makes=card(2, 2, name="Token"), on="death")
    others = [minion(1, 1) for _ in range(6)]
    after = play(state(board=[minion(1, 1, "", token), *others], hand=[WIPE]))
    assert board(after.me) == ["Token"]


def test_death_effects_chain_until_no_minion_dies() -> None:
    boom = effect("damage", "all minions", amount=1, on="death")
    chain = [minion(0, health, "", boom) for health in (1, 1, 2)]
    after = attack(state(board=[minion(1, 9)], enemy=chain))
    assert after.enemy.board == ()
    assert stats(after) == (1, 6)


def test_death_in_a_chain_waits_for_earlier_death_effects() -> None:
    # A bomb that explodes before the token is summoned does not damage it; a later one does.
    bomb = minion(1, 1, "", effect("damage", "all minions", amount=1, on="death"))
    after = play(state(board=[bomb, minion_with_deathrattle("Token")], hand=[WIPE]))
    assert board(after.me) == ["Token"]
    after = play(state(board=[minion_with_deathrattle("Token"), bomb], hand=[WIPE]))
    assert board(after.me) == []


def test_death_effect_of_a_silenced_minion_is_lost() -> None:
    hush = spell(effect("silence", "chosen minion"))
    before = state(board=[minion_with_deathrattle("Token")], hand=[hush, WIPE])
    assert play(play(before, MINE), card="me.hand.1").me.board == ()


def test_death_effects_still_happen_when_a_hero_died_at_the_same_moment() -> None:
    dying = minion(1, 1, "", effect("damage", "enemy hero", amount=2, on="death"))
    storm = spell(effect("damage", "all enemy characters", amount=1))
    after = play(state(health=2, hand=[storm], enemy=player("enemy", board=[dying], health=1)))
    assert str(outcome(after)) == "a draw by damage"


def test_death_effects_with_random_outcomes_use_the_generator() -> None:
    dying = minion(1, 1, "", effect("damage", "random enemy minion", amount=5, on="death"))
    before = state(board=[dying], enemy=[minion(1, 9), minion(1, 9), minion(1, 9)])
    hit = {tuple(m.health for m in attack(before, rng=Random(seed)).enemy.board) for seed in range(20)}
    assert len(hit) == 3


def test_death_of_both_fighters_at_the_same_time() -> None:
    after = attack(state(board=[minion(2, 2)], enemy=[minion(2, 2)]))
    assert find(after, MINE) is None
    assert find(after, YOURS) is None
