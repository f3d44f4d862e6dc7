"""What random turns show seldom or never: boards built by hand around where a proof could be wrong."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from typing import Final

import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Effect
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.explanation import lethal_missed_by
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.scoring import replay
from planner.games.hearthstone.turn.turn_plan import plan_turn, plan_turns
from tests.build import FILLER, card, effect, minion, spell, state
from tests.games.hearthstone.engine.judge import Truth

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

SOON: Final = 2.0  # seconds of work, on a slow machine
MOST_STATES: Final = 20_000


def best(board: str | GameState, weights: Weights | dict[str, float]) -> float:
    """What the best turn earns: the engine's, proved, and the judge's."""
    given = Weights.of(weights)
    here = state_from_text(board) if isinstance(board, str) else board
    here = observe(here, here.seat)
    plan = plan_turn(here, given)
    truth = Truth(here, given, MOST_STATES).best()
    assert truth is not None
    assert (plan.status, plan.solver) == ("optimal", "engine")
    assert Fraction(replay(here, plan.actions).scaled_score(given)) / given.integer_scale() == truth.worth
    assert len(plan.actions) == -truth.fewer
    return plan.objective


# -- turns without an end


def again(*others: Effect) -> Card:
    """A minion that comes again when it dies, and does these things."""
    made = card(1, 1, "charge", effect("summon", on="death", makes=FILLER), *others)
    (summon, *_) = made.effects
    object.__setattr__(summon, "made", (made,))
    return made


def echo(*effects: Effect) -> Card:
    """A spell that can be played again and again, if it can be paid."""
    return spell(*effects, words="echo")


MANA: Final = effect("mana", amount=1)
ENDLESS: Final = {
    "a spell that pays for itself": state(1, hand=[echo(MANA)]),
    "a spell that pays for itself and gives more": state(1, hand=[echo(MANA, effect("armor", amount=1))]),
    "a minion that comes again": state(
        0, [minion(1, 1, of=again(effect("heal", "all enemy characters", amount=9, on="death")))], [minion(2, 9)]
    ),
    "an army that grows": state(1, hand=[echo(replace(MANA, amount=2), effect("summon", makes=card(1, 1, "charge")))]),
    "a minion that pays for itself": state(1, [], [minion(9, 999)], [card(1, 1, "rush echo", MANA)]),
    "a hero who grows": state(
        1, [minion(1, 1)], [minion(0, 3)], [echo(MANA, effect("buff", "friendly hero", attack=1, health=1))]
    ),
}


@pytest.mark.parametrize("weights", [{"face_damage": 1}, {"card_value": 1, "own_survival": 1}, {"own_health": 1}])
@pytest.mark.parametrize("name", ENDLESS)
def test_a_turn_without_an_end_ends_soon_and_proves_nothing(name: str, weights: dict[str, float]) -> None:
    began = time.process_time()
    here = ENDLESS[name]
    plan = plan_turn(here, weights)
    assert time.process_time() - began < SOON
    assert (plan.status, plan.proof, plan.stopped) == ("feasible", None, "action limit")
    assert float(replay(observe(here, 0), plan.actions).scaled_score(Weights.of(weights))) == plan.objective


@pytest.mark.parametrize("weights", [{"face_damage": 1}, {"minion_damage": 2, "face_damage": 1, "enemy_threat": 1}])
@pytest.mark.parametrize(
    "here",
    [
        state(1, hand=[echo(MANA, effect("damage", "enemy hero", amount=1))]),
        state(0, [minion(1, 1, of=again())], [minion(2, 9), minion(1, 3)], enemy_health=9),
    ],
    ids=["a spell that pays for itself until the hero falls", "a minion that comes again until all have fallen"],
)
def test_a_long_turn_that_has_an_end_is_proved(here: GameState, weights: dict[str, float]) -> None:
    best(here, weights)


# -- the next best


def test_the_same_actions_count_in_their_better_order() -> None:
    """The great one takes the shield and the small one kills: 5; the other way round 3 of 4 are wasted, which is 2."""
    here = state_from_text("0 mana | me 30hp: 1/1, 4/4 | enemy 30hp: 0/1 divine_shield")
    plans = plan_turns(here, {"face_damage": 2, "minion_damage": 1, "overkill": 1}, k=6)
    assert [plan.objective for plan in plans] == [10, 9, 8, 6, 5, 4]


# -- limits


def test_no_time_at_all_is_a_limit() -> None:
    bodies = ", ".join(f"{n}/{n + 1}" for n in range(1, 7))
    here = state_from_text(f"9 mana | me 30hp: {bodies} | hand: Fireball, Darkbomb, Frostbolt | enemy 30hp: {bodies}")
    began = time.process_time()
    plan = plan_turn(here, "true_balanced", time_limit=1e-9)
    assert time.process_time() - began < SOON
    assert (plan.status, plan.stopped) == ("feasible", "time limit")
    assert plan.objective < plan.bound


# -- hard rules that nobody can keep


def test_what_no_turn_can_keep_is_refused_in_one_line() -> None:
    doom = minion(0, 5, "", effect("damage", "friendly hero", amount=9, on="turn_end"))
    here = state(0, [doom, minion(1, 1)], [minion(2, 2)], health=3)
    weights = replace(Weights.of("aggro_face"), forbid=(Rule("own_hero_death"),))
    for limit in (None, 5.0):
        with pytest.raises(PlannerError, match=r"^weights: aggro_face: no turn .* \(own_hero_death\)$"):
            plan_turn(here, weights, time_limit=limit)


def test_a_rule_that_one_turn_alone_keeps() -> None:
    doom = minion(0, 1, "", effect("damage", "friendly hero", amount=9, on="turn_end"))
    here = state(1, [doom], [minion(2, 2)], [spell(effect("damage", "chosen minion", amount=1))], health=3)
    weights = replace(Weights.of({"minion_damage": 5}), forbid=(Rule("own_hero_death"),))
    assert best(here, weights) == 0


# -- who is who, and when they came


def test_equal_bodies_that_count_for_different_health() -> None:
    """One was hurt before the turn, the other was healed in it: they look alike, and one counts for 1, one for 5."""
    heal = spell(effect("heal", "chosen minion", amount=4), cost=0)
    here = state(0, [minion(2, 5, hurt=4), minion(2, 5)], [minion(5, 2, "taunt")], [heal])
    assert best(here, {"own_survival": 1, "minion_damage": 3}) == 6 + 5


def test_the_older_deathrattle_comes_first() -> None:
    """Room for one: whoever of the two falls as the elder fills it."""
    small, great = card(1, 1, name="Small"), card(7, 7, name="Great")
    board = [
        minion(1, 1, "", effect("summon", on="death", makes=small), attacks_left=0, entered=2),
        minion(1, 1, "", effect("summon", on="death", makes=great), attacks_left=0, entered=1),
        *(minion(0, 9, attacks_left=0) for _ in range(5)),
    ]
    here = state(1, board, [], [spell(effect("damage", "all minions", amount=1))])
    assert best(here, {"token_worth": 1}) == 2 + 14


def test_the_order_of_two_plays_decides_who_comes_back_first() -> None:
    low, high = card(1, 1, "reborn", cost=0, name="Low"), card(1, 9, "reborn", cost=0, name="High")
    rest = [minion(0, 1, "", effect("summon", on="death", makes=card(1, 1)), attacks_left=0) for _ in range(3)]
    here = state(0, rest, [], [low, high, spell(effect("destroy", "all minions"), cost=0)])
    best(here, {"own_survival": 1, "own_remaining_health": 3, "token_worth": 2})


# -- odd fields that a caller may give


@pytest.mark.parametrize(
    "odd",
    [
        "2/3 attacks_left=3",
        "0/3 windfury",
        "3/3 charge summoned_this_turn=true",
        "3/3 rush windfury summoned_this_turn=true",
        "3/3 taunt reborn silenced=true",
        "4/4 attack_this_turn=3",
        '4/4 windfury keywords_this_turn=["windfury"]',
        "3/3 poisonous frozen",
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
def test_odd_minions_on_either_side(odd: str, weights: dict[str, float]) -> None:
    owl = "hand: Ironbeak Owl, Frostbolt"
    best(f"5 mana | me 9hp: {odd}, 2/2 | {owl} | enemy 7hp: 3/2 taunt, 2/4", weights)
    best(f"5 mana | me 9hp: 3/2, 2/2 windfury | {owl} | enemy 7hp: {odd}, 1/1", weights)


# -- lethal


@pytest.mark.parametrize(
    ("board", "left"),
    [
        ("1 mana | me 30hp: 1/1 | hand: Arcane Missiles | enemy 4hp: 0/1", 1),  # the 1/1 opens the way for three of 4
        ("0 mana | me 30hp: Ragnaros the Firelord | enemy 8hp", 0),
        ("0 mana | me 30hp: Ragnaros the Firelord | enemy 8hp: 0/1", 8),
        ("0 mana | me 30hp: Zombie Chow | enemy 3hp max_health=30: 5/5 taunt", 3),
        ("2 mana | me 30hp: 3/3 frozen | hand: Ironbeak Owl cost=2 | enemy 3hp", 0),
        ("0 mana | me 1hp: 4/4 | enemy 3hp: Abomination", 1),  # our hero falls with it, and the enemy is left with 1
    ],
)
def test_what_the_enemy_hero_is_left_with(board: str, left: int) -> None:
    here = state_from_text(board)
    assert lethal_missed_by(here) == Truth(here, Weights(), MOST_STATES).least_health() == left


def test_where_a_turn_has_no_end_nobody_says_that_none_kills() -> None:
    """Three hundred turns of growing would kill: more than were looked at."""
    grows = echo(MANA, effect("buff", "friendly hero", attack=1))
    assert lethal_missed_by(state(1, hand=[grows], enemy_health=300)) is None
    assert lethal_missed_by(state(1, hand=[grows], enemy_health=3)) == 0
