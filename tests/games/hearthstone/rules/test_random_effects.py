"""Random effects: every choice comes from the generator that is passed in."""

from __future__ import annotations

from random import Random

import pytest

from planner.games.hearthstone.rules.actions import Play, Trade
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.resolve import apply
from tests.build import (
    CARD,
    FACE,
    MINE,
    YOURS,
    attack,
    board,
    card,
    effect,
    get,
    illegal_reason,
    minion,
    pass_turns,
    play,
    player,
    spell,
    state,
)

DART = spell(effect("damage", "random enemy minion", amount=1))
MISSILES = spell(effect("damage", "all enemy characters", amount=3, split=True))
COMPANIONS = [card(1, 1, name=name) for name in ("Huffer", "Leokk", "Misha")]
THREE = [minion(1, 5), minion(1, 5), minion(1, 5)]


def test_chance_without_a_generator_is_a_clear_error() -> None:
    before = state(hand=[DART, MISSILES, card(1, 1, "tradeable")], enemy=THREE)
    for action in (Play("me.hand.0"), Play("me.hand.1"), Trade("me.hand.2")):
        with pytest.raises(ValueError, match=r"random outcome: apply\(state, action, rng\) needs a generator"):
            apply(before, action)


def test_chance_is_the_same_for_the_same_seed() -> None:
    before = state(hand=[MISSILES], enemy=THREE)
    assert play(before, rng=Random(5)) == play(before, rng=Random(5))
    assert len({play(before, rng=Random(seed)) for seed in range(30)}) > 5


def test_random_target_can_be_every_character_but_only_one() -> None:
    before = state(hand=[DART], enemy=THREE)
    hit = {tuple(m.health for m in play(before, rng=Random(seed)).enemy.board) for seed in range(30)}
    assert hit == {(4, 5, 5), (5, 4, 5), (5, 5, 4)}


def test_a_single_random_target_needs_no_generator() -> None:
    after = play(state(hand=[DART], enemy=[minion(1, 5)]))
    assert after.enemy.board[0].health == 4


def test_spell_on_a_random_minion_needs_a_minion() -> None:
    """Deadly Shot cannot be cast at an empty board."""
    assert illegal_reason(state(hand=[DART]), Play(CARD)) == "Spell has no target"
    assert Play(CARD) in legal_actions(state(hand=[DART], enemy=[minion(1, 1)]))


def test_spell_on_two_random_minions_needs_only_one() -> None:
    cleave = spell(effect("damage", "random 2 enemy minions", amount=2))
    after = play(state(hand=[cleave], enemy=[minion(1, 3)]))
    assert get(after, YOURS).health == 1


def test_spell_with_another_effect_needs_its_random_minion_too() -> None:
    """Dark Bargain destroys two random enemy minions, and discards two cards."""
    bargain = spell(effect("destroy", "random 2 enemy minions"), effect("discard", count=2))
    assert illegal_reason(state(hand=[bargain]), Play(CARD)) == "Spell has no target"


def test_minion_without_a_random_target_can_be_played() -> None:
    bomber = card(2, 2, "", effect("damage", "random enemy minion", amount=3))
    assert Play(CARD) in legal_actions(state(hand=[bomber]))


def test_random_targets_are_alive() -> None:
    twice = spell(effect("destroy", "random enemy minion"), effect("destroy", "random enemy minion"))
    for seed in range(10):
        assert len(play(state(hand=[twice], enemy=THREE), rng=Random(seed)).enemy.board) == 1


def test_split_damage_is_dealt_point_by_point_to_living_targets() -> None:
    shot = spell(effect("damage", "all enemy minions", amount=4, split=True))
    for seed in range(20):
        after = play(state(hand=[shot], enemy=[minion(1, 2), minion(1, 2)]), rng=Random(seed))
        assert after.enemy.board == ()


def test_split_damage_stops_without_targets() -> None:
    shot = spell(effect("damage", "all enemy minions", amount=9, split=True))
    assert play(state(hand=[shot], enemy=[minion(1, 2)]), rng=Random(0)).enemy.hero.health == 30


def test_one_of_several_cards_is_summoned() -> None:
    call = spell(effect("summon", makes=COMPANIONS))
    seen = {tuple(board(play(state(hand=[call]), rng=Random(seed)).me)) for seed in range(20)}
    assert seen == {("Huffer",), ("Leokk",), ("Misha",)}


def test_one_of_several_cards_may_be_summoned_twice() -> None:
    # Only hero powers avoid minions that are on the board.
    call = spell(effect("summon", makes=COMPANIONS, count=2))
    seen = {tuple(board(play(state(hand=[call]), rng=Random(seed)).me)) for seed in range(60)}
    assert len(seen) == 9


def test_the_generator_is_used_in_both_turns() -> None:
    zap = effect("damage", "random enemy character", amount=1, on="turn_start")
    before = state(board=THREE, enemy=player("enemy", board=[minion(1, 9, "", zap)]))
    with pytest.raises(ValueError, match="random outcome"):
        pass_turns(before)
    assert pass_turns(before, rng=Random(0)) != before


def test_certain_effects_do_not_use_the_generator() -> None:
    class UnusedGenerator(Random):
        def random(self) -> float:
            raise AssertionError

        def getrandbits(self, k: int, /) -> int:
            raise AssertionError

    before = state(board=[minion(3, 3)], enemy=[minion(1, 1)], hand=[card(2, 2)])
    assert attack(play(before, rng=UnusedGenerator()), MINE, FACE, rng=UnusedGenerator()).enemy.hero.health == 27
