"""Boards built by hand where a proof could be wrong; random turns rarely reach them."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from typing import Final

import pytest

from planner import plan_turn, plan_turns
from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Effect
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.explanation import lethal_missed_by
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.native import Technique, best_turns
from planner.games.hearthstone.turn.scoring import replay
from tests.build import FILLER, card, effect, minion, spell, state
from tests.games.hearthstone.engine.judge import Truth

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

MAX_SECONDS: Final = 2.0  # of processor time, on a slow machine
MAX_STATES: Final = 20_000


def best_by_merging(here: GameState, profile: Weights) -> Fraction:
    """Return the best score that the engine finds without a bound, which could hide that it merged different states."""
    found = best_turns(here, profile, techniques=Technique.MERGE_STATES, ties=False)
    assert found is not None
    assert found.proved
    return found.turns[0].score


def best(board: str | GameState, weights: Weights | dict[str, float]) -> float:
    """Return the score of the best turn, on which the engine, with a proof, and the judge agree."""
    profile = Weights.of(weights)
    here = state_from_text(board) if isinstance(board, str) else board
    here = observe(here, here.seat)
    plan = plan_turn(here, profile)
    truth = Truth(here, profile, MAX_STATES).best()
    assert truth is not None
    assert (plan.status, plan.solver) == ("optimal", "engine")
    assert Fraction(replay(here, plan.actions).scaled_score(profile)) / profile.integer_scale() == truth.score
    assert len(plan.actions) == -truth.actions
    assert best_by_merging(here, profile) == truth.score
    return plan.objective


# -- turns without an end


def self_summoning(*others: Effect) -> Card:
    """Return a minion that summons itself when it dies, with further effects."""
    created = card(1, 1, "charge", effect("summon", on="death", makes=FILLER), *others)
    (summon, *_) = created.effects
    object.__setattr__(summon, "made", (created,))
    return created


def echo(*effects: Effect) -> Card:
    """Return a spell with echo."""
    return spell(*effects, words="echo")


MANA: Final = effect("mana", amount=1)
ENDLESS: Final = {
    "a spell that pays for itself": state(1, hand=[echo(MANA)]),
    "a spell that pays for itself and gives more": state(1, hand=[echo(MANA, effect("armor", amount=1))]),
    "a minion that summons itself": state(
        0,
        [minion(1, 1, of=self_summoning(effect("heal", "all enemy characters", amount=9, on="death")))],
        [minion(2, 9)],
    ),
    "a growing army": state(1, hand=[echo(replace(MANA, amount=2), effect("summon", makes=card(1, 1, "charge")))]),
    "a minion that pays for itself": state(1, [], [minion(9, 999)], [card(1, 1, "rush echo", MANA)]),
    "a growing hero": state(
        1, [minion(1, 1)], [minion(0, 3)], [echo(MANA, effect("buff", "friendly hero", attack=1, health=1))]
    ),
}


@pytest.mark.parametrize("weights", [{"face_damage": 1}, {"card_value": 1, "own_survival": 1}, {"own_health": 1}])
@pytest.mark.parametrize("name", ENDLESS)
def test_the_search_of_an_endless_turn_stops_without_a_proof(name: str, weights: dict[str, float]) -> None:
    started = time.process_time()
    here = ENDLESS[name]
    plan = plan_turn(here, weights)
    assert time.process_time() - started < MAX_SECONDS
    assert (plan.status, plan.proof, plan.stopped) == ("feasible", None, "action limit")
    assert float(replay(observe(here, 0), plan.actions).scaled_score(Weights.of(weights))) == plan.objective


@pytest.mark.parametrize("weights", [{"face_damage": 1}, {"minion_damage": 2, "face_damage": 1, "enemy_threat": 1}])
@pytest.mark.parametrize(
    "here",
    [
        state(1, hand=[echo(MANA, effect("damage", "enemy hero", amount=1))]),
        state(0, [minion(1, 1, of=self_summoning())], [minion(2, 9), minion(1, 3)], enemy_health=9),
    ],
    ids=["a spell that pays for itself until the hero dies", "a minion that summons itself until all are dead"],
)
def test_a_long_turn_with_an_end_is_proved(here: GameState, weights: dict[str, float]) -> None:
    best(here, weights)


# -- several turns


def test_a_set_of_actions_counts_in_its_better_order() -> None:
    """If the 4/4 removes the shield and the 1/1 kills, the score is 5; the other way round, 3 of 4 damage are overkill."""
    here = state_from_text("0 mana | me 30hp: 1/1, 4/4 | enemy 30hp: 0/1 divine_shield")
    plans = plan_turns(here, {"face_damage": 2, "minion_damage": 1, "overkill": 1}, k=6)
    assert [plan.objective for plan in plans] == [10, 9, 8, 6, 5, 4]


# -- limits


def test_a_tiny_time_limit_is_kept() -> None:
    minions = ", ".join(f"{n}/{n + 1}" for n in range(1, 7))
    here = state_from_text(f"9 mana | me 30hp: {minions} | hand: Fireball, Darkbomb, Frostbolt | enemy 30hp: {minions}")
    started = time.process_time()
    plan = plan_turn(here, "true_balanced", time_limit=1e-9)
    assert time.process_time() - started < MAX_SECONDS
    assert (plan.status, plan.stopped) == ("feasible", "time limit")
    assert plan.objective < plan.bound


# -- hard rules that no turn satisfies


def test_hard_rules_that_no_turn_satisfies_are_refused() -> None:
    doom = minion(0, 5, "", effect("damage", "friendly hero", amount=9, on="turn_end"))
    here = state(0, [doom, minion(1, 1)], [minion(2, 2)], health=3)
    weights = replace(Weights.of("aggro_face"), forbid=(Rule("own_hero_death"),))
    for limit in (None, 5.0):
        with pytest.raises(PlannerError, match=r"^weights: aggro_face: no turn .* \(own_hero_death\)$"):
            plan_turn(here, weights, time_limit=limit)


def test_a_hard_rule_that_only_one_turn_satisfies() -> None:
    doom = minion(0, 1, "", effect("damage", "friendly hero", amount=9, on="turn_end"))
    here = state(1, [doom], [minion(2, 2)], [spell(effect("damage", "chosen minion", amount=1))], health=3)
    weights = replace(Weights.of({"minion_damage": 5}), forbid=(Rule("own_hero_death"),))
    assert best(here, weights) == 0


# -- identity and order of arrival


def test_equal_minions_with_different_initial_health() -> None:
    """One was damaged before the turn and healed in it: the two look alike, but one counts 1 and the other 5."""
    mine = "all friendly minions"
    prepare = spell(effect("heal", mine, amount=4), effect("buff", mine, attack=2), cost=0)
    twin = card(0, 5, name="Twin")
    twins = [minion(0, 5, hurt=4, of=twin), minion(0, 5, of=twin)]
    for board in (twins, twins[::-1]):
        here = state(0, board, [minion(5, 2, "taunt", effect("armor", amount=1, on="death"))], [prepare])
        assert best(here, {"own_survival": 1, "minion_damage": 3}) == 6 + 5


def test_the_older_deathrattle_happens_first() -> None:
    """With one free slot, the minion that entered first fills it."""
    small, great = card(1, 1, name="Small"), card(7, 7, name="Great")
    board = [
        minion(1, 1, "", effect("summon", on="death", makes=small), attacks_left=0, entered=2),
        minion(1, 1, "", effect("summon", on="death", makes=great), attacks_left=0, entered=1),
        *(minion(0, 9, attacks_left=0) for _ in range(5)),
    ]
    here = state(1, board, [], [spell(effect("damage", "all minions", amount=1))])
    assert best(here, {"token_worth": 1}) == 2 + 14


def test_the_order_of_two_plays_decides_which_is_reborn_first() -> None:
    low, high = card(1, 1, "reborn", cost=0, name="Low"), card(1, 9, "reborn", cost=0, name="High")
    rest = [minion(0, 1, "", effect("summon", on="death", makes=card(1, 1)), attacks_left=0) for _ in range(3)]
    here = state(0, rest, [], [low, high, spell(effect("destroy", "all minions"), cost=0)])
    best(here, {"own_survival": 1, "own_remaining_health": 3, "token_worth": 2})


# -- unusual fields


@pytest.mark.parametrize(
    "unusual",
    [
        "2/3 attacks_left=3",
        "0/3 windfury",
        "3/3 charge summoned_this_turn=true",
        "3/3 rush windfury summoned_this_turn=true",
        "3/3 taunt reborn silenced=true",
        "4/4 attack_this_turn=3",
        '4/4 windfury keywords_this_turn=["windfury"]',
        "3/3 poisonous frozen",
        '4/4 windfury frozen keywords_this_turn=["frozen"]',
        "5/1 divine_shield immune",
        "4/2 aura_attack=2 aura_health=1",
        "2/2 stealth lifesteal",
    ],
)
@pytest.mark.parametrize(
    "weights",
    [
        {"face_damage": 2, "minion_damage": 1, "own_survival": 1, "enemy_threat": 2, "damage_taken": 1},
        {"own_attack": 2, "own_keywords": 3, "own_remaining_health": 1, "board_clear": 4, "enemy_remaining_health": 1},
        {"lethal": 5, "damage_to_come": 2, "token_worth": 2, "overkill": 1, "own_survival": -1},
    ],
)
def test_unusual_minions_on_either_side(unusual: str, weights: dict[str, float]) -> None:
    owl = "hand: Ironbeak Owl, Frostbolt"
    best(f"5 mana | me 9hp: {unusual}, 2/2 | {owl} | enemy 7hp: 3/2 taunt, 2/4", weights)
    best(f"5 mana | me 9hp: 3/2, 2/2 windfury | {owl} | enemy 7hp: {unusual}, 1/1", weights)


# -- lethal


@pytest.mark.parametrize(
    ("board", "left"),
    [
        (
            "1 mana | me 30hp: 1/1 | hand: Arcane Missiles | enemy 4hp: 0/1",
            1,
        ),  # the 1/1 removes the minion, so all 3 missiles hit the hero
        ("0 mana | me 30hp: Ragnaros the Firelord | enemy 8hp", 0),
        ("0 mana | me 30hp: Ragnaros the Firelord | enemy 8hp: 0/1", 8),
        ("0 mana | me 30hp: Zombie Chow | enemy 3hp max_health=30: 5/5 taunt", 3),
        ("2 mana | me 30hp: 3/3 frozen | hand: Ironbeak Owl cost=2 | enemy 3hp", 0),
        ("0 mana | me 1hp: 4/4 | enemy 3hp: Abomination", 1),  # the own hero dies too, and the enemy has 1 left
    ],
)
def test_lethal_missed_by(board: str, left: int) -> None:
    here = state_from_text(board)
    assert lethal_missed_by(here) == Truth(here, Weights(), MAX_STATES).least_health() == left


def test_lethal_missed_by_is_unknown_for_an_endless_turn() -> None:
    """Growing three hundred times would kill, but the search stops earlier."""
    grows = echo(MANA, effect("buff", "friendly hero", attack=1))
    assert lethal_missed_by(state(1, hand=[grows], enemy_health=300)) is None
    assert lethal_missed_by(state(1, hand=[grows], enemy_health=3)) == 0
