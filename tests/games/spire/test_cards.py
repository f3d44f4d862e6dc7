"""The effect of every shipped card and of its upgrade."""

from __future__ import annotations

import pytest

from planner.games.spire.battle_text import describe_card
from planner.games.spire.card_library import shipped_library
from tests.games.spire.battles import GOBLIN, amounts, battle, end, play, titles

TWO = (GOBLIN, GOBLIN)


def test_every_card_has_a_test() -> None:
    for name in shipped_library("").card_names:
        assert f"test_{name.lower().replace(' ', '_')}" in globals(), name


@pytest.mark.parametrize(("title", "damage"), [("Strike", 6), ("Strike+", 9)])
def test_strike(title: str, damage: int) -> None:
    after = play(battle(title, energy=1), title)
    assert (after.enemies[0].health, after.energy, titles(after.discard)) == (44 - damage, 0, [title])
    assert play(battle(title, enemies=TWO), title, 1).enemies[1].health == 44 - damage


@pytest.mark.parametrize(("title", "block"), [("Defend", 5), ("Defend+", 8)])
def test_defend(title: str, block: int) -> None:
    after = play(battle(title, block=2), title)
    assert after.block == 2 + block
    # The Goblin attacks for 11, then the block is lost.
    assert (end(after).health, end(after).block) == (80 - (11 - 2 - block), 0)


@pytest.mark.parametrize(("title", "damage", "vulnerable"), [("Bash", 8, 2), ("Bash+", 10, 3)])
def test_bash(title: str, damage: int, vulnerable: int) -> None:
    after = play(battle(title, enemies=TWO), title, 1)  # one choice for both parts
    assert (after.enemies[1].health, amounts(after.enemies[1].statuses)) == (44 - damage, {"vulnerable": vulnerable})
    assert after.enemies[0] == battle(enemies=TWO).enemies[0]


def test_split_bash() -> None:
    after = play(battle("Split Bash", enemies=TWO), "Split Bash", 1, 0)  # a choice for each part
    assert [(enemy.health, amounts(enemy.statuses)) for enemy in after.enemies] == [(44, {"vulnerable": 2}), (36, {})]


@pytest.mark.parametrize(("title", "damage"), [("Anger", 6), ("Anger+", 8)])
def test_anger(title: str, damage: int) -> None:
    after = play(battle(title, energy=0), title)
    assert (after.enemies[0].health, titles(after.discard)) == (44 - damage, [title, title])


def test_armaments() -> None:
    after = play(battle("Armaments", "Strike", "Defend"), "Armaments", "Defend")
    assert (after.block, titles(after.hand)) == (5, ["Strike", "Defend+"])
    # Only upgradable cards can be chosen, and a single option needs no choice.
    after = play(battle("Armaments", "Strike+", "Defend", "Concentrate"), "Armaments")
    assert titles(after.hand) == ["Strike+", "Defend+", "Concentrate"]
    assert titles(play(battle("Armaments"), "Armaments").discard) == ["Armaments"]


@pytest.mark.parametrize(("title", "damage"), [("Cleave", 8), ("Cleave+", 11)])
def test_cleave(title: str, damage: int) -> None:
    after = play(battle(title, enemies=(GOBLIN, {**GOBLIN, "block": 3}, GOBLIN)), title)
    assert [enemy.health for enemy in after.enemies] == [44 - damage, 44 - damage + 3, 44 - damage]


@pytest.mark.parametrize(("title", "block"), [("Impervious", 30), ("Impervious+", 40)])
def test_impervious(title: str, block: int) -> None:
    after = play(battle(title), title)
    assert (after.block, titles(after.exhaust), after.discard) == (block, [title], ())


@pytest.mark.parametrize(("title", "damage"), [("Searing Blow", 12), ("Searing Blow+", 16), ("Searing Blow+7", 40)])
def test_searing_blow(title: str, damage: int) -> None:
    assert play(battle(title), title).enemies[0].health == 44 - damage
    again = play(battle("Armaments", title), "Armaments").hand[0]
    assert describe_card(again) == f"Deal {damage + 4} damage to a chosen enemy."


def test_survivor() -> None:
    after = play(battle("Survivor", "Strike", "Defend"), "Survivor", "Strike")
    assert (after.block, titles(after.hand), titles(after.discard)) == (8, ["Defend"], ["Strike", "Survivor"])


def test_after_image() -> None:
    after = play(battle("After Image", "After Image", "Strike"), "After Image")
    assert (after.block, titles(after.exhaust)) == (1, ["After Image"])  # the status counts its own card
    after = play(play(after, "After Image"), "Strike")
    assert (after.block, amounts(after.statuses)) == (1 + 2 + 2, {"after image": 2})
    assert amounts(end(after).statuses) == {"after image": 2}


def test_concentrate() -> None:
    state = battle("Concentrate", "Strike", "Strike", "Defend", "Bash", energy=0)
    after = play(state, "Concentrate", "Strike", "Bash", "Strike")
    assert (after.energy, titles(after.hand)) == (2, ["Defend"])
    assert titles(after.discard) == ["Strike", "Strike", "Bash", "Concentrate"]
    # With at most three other cards there is no choice.
    after = play(battle("Concentrate", "Strike", "Strike", energy=0), "Concentrate")
    assert (after.energy, after.hand, len(after.discard)) == (2, (), 3)


def test_stimulate() -> None:
    after = play(battle("Stimulate", "Stimulate", "Strike", "Strike"), "Stimulate")
    after = play(play(after, "Stimulate"), "Strike")
    assert (after.enemies[0].health, after.statuses) == (44 - 6 - 8, ())
    assert play(after, "Strike").enemies[0].health == 44 - 6 - 8 - 6


def test_batter() -> None:
    assert play(battle("Batter"), "Batter").enemies[0].health == 44
    after = play(play(battle("Stimulate", "Batter"), "Stimulate"), "Batter")
    assert (after.enemies[0].health, after.statuses) == (4, ())  # vigor applies to all ten hits


def test_tolerate() -> None:
    after = play(battle("Tolerate"), "Tolerate")
    health = [80]
    for turn in range(3):  # the goblin deals 11, 7, 11; tolerance blocks 1, 3, 5
        after = end(after)
        health.append(after.health)
        assert amounts(after.statuses) == {"tolerance": 3 + 2 * turn}
    assert health == [80, 70, 66, 60]


def test_bomb() -> None:
    enemies = ({**GOBLIN, "block": 9}, GOBLIN)
    after = end(play(battle("Bomb", enemies=enemies, statuses=[{"status": "bomb", "amount": 40, "turns": 2}]), "Bomb"))
    assert [(active.amount, active.turns) for active in after.statuses] == [(40, 1), (40, 2)]
    after = end(after)
    assert [enemy.health for enemy in after.enemies] == [4, 4]  # the block is lost before the explosion
    assert [(active.amount, active.turns) for active in after.statuses] == [(40, 1)]
    assert all(enemy.health == 0 for enemy in end(after).enemies)


@pytest.mark.parametrize(("title", "damage"), [("Suffer", 15), ("Suffer+", 30)])
def test_suffer(title: str, damage: int) -> None:
    assert play(battle(title), title).enemies[0].health == 44 - damage
