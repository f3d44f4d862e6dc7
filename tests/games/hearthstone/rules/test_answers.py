"""Reactions: effects that trigger on the actions of the owner, and on own attacks."""

from __future__ import annotations

from random import Random

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.state import Minion
from tests.build import (
    FACE,
    ME,
    MINE,
    YOURS,
    attack,
    card,
    effect,
    get,
    minion,
    play,
    spell,
    state,
    stats,
    use_power,
    weapon,
)

BOLT = spell(effect("damage", "chosen character", amount=3))


def on(trigger: str, do: str = "buff", to: str | None = "self", **fields: int) -> Card:
    return card(2, 3, "", effect(do, to, on=trigger, **fields))


def here(of: Card, **fields: int) -> Minion:
    return minion(of.attack, of.health, of=of, **fields)


def test_cast_triggers_before_the_spell() -> None:
    draws = on("cast", "draw", None, count=1)
    whole_hand = spell(effect("buff", "self", attack=0, health=1), effect("armor", amount=1, times="hand"))
    after = play(state(board=[here(draws)], hand=[whole_hand]))
    assert (len(after.me.hand), after.me.hero.armor) == (1, 1)


def test_cast_triggers_only_for_spells_of_the_owner() -> None:
    grows = on("cast", attack=1)
    after = play(state(board=[here(grows)], enemy=[here(grows)], hand=[card(1, 1)]))
    assert stats(after, MINE) == (2, 3)
    after = play(state(board=[here(grows)], enemy=[here(grows)], hand=[spell()]))
    assert (stats(after, MINE), stats(after, YOURS)) == ((3, 3), (2, 3))


def test_after_cast_triggers_after_deaths() -> None:
    pyromancer = on("after_cast", "damage", "all minions", amount=1)
    after = play(state(board=[here(pyromancer)], enemy=[minion(1, 3), minion(1, 1)], hand=[BOLT]), YOURS)
    assert stats(after, MINE) == (2, 2)
    assert after.enemy.board == ()
    dead = play(state(board=[here(pyromancer)], enemy=[minion(1, 1)], hand=[BOLT]), MINE)
    assert len(dead.enemy.board) == 1  # it died from the spell and does not react


def test_after_cast_does_not_trigger_after_the_end_of_the_match() -> None:
    suicidal = on("after_cast", "damage", "friendly hero", amount=99)
    after = play(state(board=[here(suicidal)], hand=[BOLT], enemy_health=3), FACE)
    assert after.me.hero.health == 30


def test_after_power_triggers_after_the_hero_power() -> None:
    power = Card("Power", type="hero_power", cost=2, effects=(effect("armor", amount=2),))
    after = use_power(state(board=[here(on("after_power", attack=1))], power=power))
    assert stats(after, MINE) == (3, 3)


def test_after_swing_triggers_after_attacks_of_the_hero() -> None:
    start = state(board=[here(on("after_swing", attack=1))], enemy=[minion(1, 1)], weapon=weapon(2, 2))
    assert stats(attack(start, ME, YOURS), MINE) == (3, 3)
    assert stats(attack(start, MINE, FACE), MINE) == (2, 3)


def test_attack_triggers_before_the_damage() -> None:
    start = state(board=[here(on("attack", attack=5))], enemy=[minion(1, 7)])
    assert attack(start, MINE, YOURS).enemy.board == ()
    shy = on("attack", "return", "self")
    left = attack(state(board=[here(shy)], enemy=[minion(1, 7)]), MINE, YOURS)
    assert (stats(left, YOURS), len(left.me.hand)) == ((1, 7), 1)


def test_after_attack_triggers_only_if_the_attacker_survives() -> None:
    draws = on("after_attack", "draw", None, count=1)
    assert len(attack(state(board=[here(draws)], enemy=[minion(1, 7)]), MINE, YOURS).me.hand) == 1
    assert len(attack(state(board=[here(draws)], enemy=[minion(3, 7)]), MINE, YOURS).me.hand) == 0
    back = minion(2, 3, "reborn", effect("draw", count=1, on="after_attack"))
    reborn = attack(state(board=[back], enemy=[minion(3, 7)]), MINE, YOURS)
    assert (len(reborn.me.board), len(reborn.me.hand)) == (1, 0)  # another minion than the attacker


def test_reactions_can_be_silenced_and_happen_in_order_of_entering() -> None:
    quiet = minion(2, 3, of=on("after_cast", attack=1), silenced=True)
    assert stats(play(state(board=[quiet], hand=[spell()])), MINE) == (2, 3)
    first = minion(1, 9, "", effect("damage", "random enemy minion", amount=1, on="after_cast"), entered=5)
    second = minion(1, 9, "", effect("heal", "all enemy minions", amount=1, on="after_cast"), entered=9)
    for board, health in (([first, second], 5), ([first._replace(entered=9), second._replace(entered=5)], 4)):
        after = play(state(board=board, enemy=[minion(1, 5)], hand=[spell()]), rng=Random(1))
        assert get(after, YOURS).health == health
