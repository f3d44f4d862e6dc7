"""The damage and overkill that are counted while an action is carried out."""

from __future__ import annotations

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.actions import Attack, Play
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.resolve import resolve_action
from planner.games.hearthstone.rules.state import GameState, Player
from tests.build import CARD, FACE, MINE, YOURS, effect, minion, player, spell, state

ALL = spell(effect("damage", "all enemy characters", amount=5))


def after_attack(before: GameState, target: str = YOURS) -> MutableState:
    return resolve_action(before, Attack(MINE, target))


def after_play(*spells: Card, enemy: Player) -> MutableState:
    return resolve_action(state(hand=spells, enemy=enemy), Play(CARD))


def test_overkill_is_damage_above_the_health_of_a_minion() -> None:
    assert after_attack(state(board=[minion(5, 5)], enemy=[minion(1, 3, hurt=1)])).overkill == 3
    assert after_attack(state(board=[minion(3, 5)], enemy=[minion(1, 3)])).overkill == 0


def test_overkill_of_a_hero_is_damage_above_health_and_armor() -> None:
    before = state(board=[minion(9, 5)], enemy=player("enemy", health=3, armor=2))
    table = after_attack(before, FACE)
    assert (table.dealt_to_hero, table.overkill) == (9, 4)


def test_overkill_is_zero_against_a_shield_or_immunity() -> None:
    guarded = [minion(1, 1, "divine_shield"), minion(1, 1, "immune"), minion(1, 2)]
    table = after_play(ALL, enemy=player("enemy", board=guarded, health=2, words="immune"))
    assert (table.dealt_to_minions, table.overkill) == (10, 3)


def test_overkill_of_a_dying_minion_is_all_damage() -> None:
    twice = spell(*[effect("damage", "all enemy minions", amount=5)] * 2)
    assert after_play(twice, enemy=player("enemy", board=[minion(1, 2)])).overkill == 3 + 5


def test_overkill_of_own_minions_or_by_the_enemy_does_not_count() -> None:
    bomb = minion(1, 1, "", effect("damage", "all enemy minions", amount=9, on="death"))
    assert after_attack(state(board=[minion(1, 1)], enemy=[bomb])).overkill == 0
