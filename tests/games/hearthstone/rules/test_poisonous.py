"""Poisonous: kills every minion that it damages, but not heroes."""

from __future__ import annotations

from random import Random

from tests.build import CARD, FACE, ME, MINE, YOURS, attack, card, effect, find, minion, play, state, stats, weapon


def test_poisonous_kills_every_damaged_minion() -> None:
    after = attack(state(board=[minion(1, 1, "poisonous")], enemy=[minion(1, 12)]))
    assert find(after, YOURS) is None


def test_poisonous_kills_its_attacker_too() -> None:
    assert find(attack(state(board=[minion(1, 12)], enemy=[minion(1, 1, "poisonous")])), MINE) is None


def test_poisonous_needs_attack() -> None:
    assert stats(attack(state(board=[minion(1, 2)], enemy=[minion(0, 5, "poisonous")]))) == (1, 2)


def test_poisonous_does_not_kill_an_immune_minion() -> None:
    after = attack(state(board=[minion(1, 2, "immune")], enemy=[minion(1, 5, "poisonous")]))
    assert stats(after) == (1, 2)


def test_poisonous_does_not_kill_heroes() -> None:
    assert attack(state(board=[minion(1, 1, "poisonous")]), target=FACE).enemy.hero.health == 29
    assert attack(state(weapon=weapon(1, 1), enemy=[minion(1, 5, "poisonous")]), ME).me.hero.health == 29


def test_poisonous_battlecry_damage_kills() -> None:
    snake = card(1, 1, "poisonous", effect("damage", "chosen minion", amount=1))
    assert find(play(state(hand=[snake], enemy=[minion(9, 9)]), YOURS), YOURS) is None


def test_poisonous_weapon_kills() -> None:
    assert find(attack(state(weapon=weapon(1, 1, "poisonous"), enemy=[minion(0, 9)]), ME), YOURS) is None


def test_poisoned_minions_are_not_random_targets() -> None:
    # The first effect poisons every enemy minion; only the hero is left for the second.
    snake = card(
        1,
        1,
        "poisonous",
        effect("damage", "all enemy minions", amount=1),
        effect("damage", "random enemy character", amount=5),
    )
    for seed in range(10):
        after = play(state(hand=[snake], enemy=[minion(9, 9), minion(9, 9)]), rng=Random(seed))
        assert after.enemy.hero.health == 25
        assert find(after, CARD) is not None
