"""Combo: effects that depend on another card being played before in the same turn."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Play
from tests.build import (
    CARD,
    FACE,
    YOURS,
    card,
    effect,
    legal,
    minion,
    pass_turns,
    play,
    power_card,
    spell,
    state,
    use_power,
)

STAB = spell(
    effect("damage", "enemy hero", amount=2, combo=False), effect("damage", "enemy hero", amount=4, combo=True)
)


def test_combo_needs_a_card_before_it() -> None:
    before = state(hand=[spell(cost=0), STAB])
    assert play(before, card="me.hand.1").enemy.hero.health == 28
    assert play(play(before), card="me.hand.1").enemy.hero.health == 26


def test_combo_ignores_hero_powers_and_earlier_turns() -> None:
    before = state(hand=[spell(cost=0), STAB], power=power_card(effect("armor", amount=1)))
    assert play(use_power(before), card="me.hand.1").enemy.hero.health == 28
    assert play(pass_turns(play(before), 2), card="me.hand.1").enemy.hero.health == 28


def test_combo_chooses_a_target_only_when_it_happens() -> None:
    agent = card(3, 3, "", effect("damage", "chosen enemy minion", amount=2, combo=True))
    before = state(hand=[agent, spell(cost=0)], enemy=[minion(1, 1)])
    assert legal(before, Play(CARD))
    assert not legal(before, Play(CARD, YOURS))
    after = play(before, card="me.hand.1")
    assert legal(after, Play(CARD, YOURS))
    assert not legal(after, Play(CARD))
    assert not legal(after, Play(CARD, FACE))
