"""Every card is played at every possible target, and exactly the expected changes happen.

The expectations come from `expected.py` and `oracle.py`, which do not use the YAML files.
"""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest

from planner.games.hearthstone.rules.actions import EndTurn, Play
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.state import GameState
from tests.games.hearthstone.cards.expected import ALL, EFFECTS, PLAIN_KINDS, Fact, Printed, rows
from tests.games.hearthstone.cards.helpers import CARDS, choices, facts, find, run, scene, scene_minion
from tests.games.hearthstone.cards.oracle import after_playing, group, targets

MISSILES = [card for card in ALL if any(fact.verb == "missiles" for fact in card.facts)]
FIXED = [card for card in ALL if card not in MISSILES]
DAMAGE_SPELLS = [card for card in ALL if card.type == "spell" and any(f.verb == "damage" for f in card.facts)]
MINIONS = [card for card in ALL if card.type == "minion"]


def empty(state: GameState) -> GameState:
    """Return the scene with only the heroes."""
    return state._replace(me=state.me._replace(board=()), enemy=state.enemy._replace(board=()))


def test_no_card_is_missing() -> None:
    powers = {name for name, card in CARDS.items() if card.type == "hero_power"}  # test_hero_powers.py covers them
    assert {card.name for card in ALL} == set(CARDS) - powers


def test_every_simple_card_with_an_effect_has_an_expectation() -> None:
    assert {row["id"] for row in rows() if row["kind"] not in PLAIN_KINDS} == set(EFFECTS)


@pytest.mark.parametrize("card", FIXED, ids=str)
def test_playing_a_card_changes_exactly_what_is_expected(card: Printed) -> None:
    state = scene(CARDS[card.name])
    assert choices(state) == targets(state, card)
    for target in targets(state, card):
        after = apply(state, Play("card", target))
        assert facts(after) == after_playing(state, card, target), f"aimed at {target}"


@pytest.mark.parametrize("card", MISSILES, ids=str)
@pytest.mark.parametrize("spell_damage", [0, 2])
def test_split_damage_hits_only_allowed_targets_one_at_a_time(card: Printed, spell_damage: int) -> None:
    state = scene(CARDS[card.name], spell_damage=spell_damage)
    (fact,) = card.facts
    amount = fact.amount + (spell_damage if card.type == "spell" else 0)
    expected = after_playing(state, card, None)
    may = group(expected, fact.who)
    assert choices(state) == {None}
    ever_hit: set[str] = set()
    for seed in range(30):
        found = facts(apply(state, Play("card"), Random(seed)))
        hits = {name: expected[name]["health"] - found[name]["health"] for name in may}
        assert sum(hits.values()) == amount
        assert min(hits.values()) >= 0
        ever_hit |= {name for name, hit in hits.items() if hit}
        unhurt = deepcopy(found)
        for name, hit in hits.items():
            unhurt[name]["health"] += hit
        assert unhurt == expected
    assert ever_hit == set(may)


@pytest.mark.parametrize("card", MISSILES, ids=str)
def test_split_damage_never_hits_dead_minions(card: Printed) -> None:
    """With many 1/1 minions and one that survives, every point of damage hits a living target."""
    state = scene(CARDS[card.name])
    (fact,) = card.facts
    crowd = tuple(scene_minion(f"e.{number}", health=1) for number in range(3))
    state = state._replace(
        me=state.me._replace(board=()), enemy=state.enemy._replace(board=(*crowd, scene_minion("e.whole")))
    )
    for seed in range(10):
        after = apply(state, Play("card"), Random(seed))
        dead = 3 - sum(minion.id != "e.whole" for minion in after.enemy.board)
        whole = find(after, "e.whole")
        assert whole is not None
        lost = 40 - whole.health + (22 - after.enemy.hero.health) + (20 - after.me.hero.health)
        assert dead + lost == fact.amount


@pytest.mark.parametrize("card", DAMAGE_SPELLS, ids=str)
def test_spell_damage_adds_to_its_damage(card: Printed) -> None:
    state = scene(CARDS[card.name], spell_damage=2)
    for target in targets(state, card):
        assert facts(apply(state, Play("card", target))) == after_playing(state, card, target, bonus=2)


# The tests below check all cards at once and report the cards that fail.


def test_spell_damage_changes_nothing_else() -> None:
    for card in FIXED:
        if card.facts and card not in DAMAGE_SPELLS:
            state = scene(CARDS[card.name], spell_damage=2)
            for target in targets(state, card):
                assert facts(apply(state, Play("card", target))) == after_playing(state, card, target), card.name


def test_a_card_needs_its_mana() -> None:
    def refused(card: Printed) -> bool:
        state = scene(CARDS[card.name])
        poor = state._replace(me=state.me._replace(mana=card.cost - 1))
        problem = f"{card.name} costs {card.cost}, you have {card.cost - 1} mana"
        return not choices(poor) and all(
            illegal_reason(poor, Play("card", to)) == problem for to in targets(state, card)
        )

    assert [card.name for card in ALL if card.cost and not refused(card)] == []


def test_a_minion_needs_room() -> None:
    def refused(card: Printed) -> bool:
        state = scene(CARDS[card.name])
        crowd = tuple(scene_minion(f"crowd.{number}") for number in range(3))
        full = state._replace(me=state.me._replace(board=(*state.me.board, *crowd)))
        if "magnetic" in card.keywords:  # it can merge into the mech instead
            return choices(full) == {"mech"}
        return not choices(full) and illegal_reason(full, Play("card")) == "your board is full (7)"

    assert [card.name for card in MINIONS if not refused(card)] == []


def test_a_minion_can_be_played_without_a_target_for_its_battlecry() -> None:
    for card in MINIONS:
        alone = empty(scene(CARDS[card.name]))
        if "one character" in {fact.who for fact in card.facts}:  # heroes are always targets
            assert choices(alone) == {"me.hero", "enemy.hero"}, card.name
            continue
        minion = find(apply(alone, Play("card"), Random(0)), "card")
        assert minion is not None, card.name
        assert (minion.attack, minion.health) == (card.attack, card.health), card.name


def test_a_spell_without_a_target_cannot_be_played() -> None:
    def aimed_at_minions(fact: Fact) -> bool:
        return fact.who.startswith("one ") and fact.who not in ("one character", "one friend")

    for card in ALL:
        if card.type == "spell" and any(map(aimed_at_minions, card.facts)):
            alone = empty(scene(CARDS[card.name]))
            assert not choices(alone), card.name
            assert illegal_reason(alone, Play("card")) == f"{card.name} has no target"


def test_temporary_effects_end_with_the_turn() -> None:
    fleeting = [card for card in ALL if any(fact.this_turn or fact.verb == "hero attack" for fact in card.facts)]
    assert len(fleeting) == 10
    for card in fleeting:
        state = scene(CARDS[card.name])
        for target in targets(state, card):
            after = run(state, Play("card", target), EndTurn())  # the seats are swapped
            assert after.enemy.hero.attack_this_turn == 0, card.name
            for minion in (*after.me.board, *after.enemy.board):
                assert minion.attack == minion.card.attack, card.name
                assert minion.keywords == minion.card.keywords, card.name
                assert (minion.attack_this_turn, minion.keywords_this_turn) == (0, 0), card.name
