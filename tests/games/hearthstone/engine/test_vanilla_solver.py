"""The vanilla solver: its plans are the truth and the program's, its bounds hold, and its prunes change nothing."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from operator import attrgetter
from random import Random

import pytest

from planner.games.hearthstone.engine import available

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner import plan_turn
from planner.games.hearthstone import _engine
from planner.games.hearthstone.cards import keywords as kw
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.actions import Attack
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, Hero, Minion, Player
from planner.games.hearthstone.rules.state_text import state_from_text
from planner.games.hearthstone.turn.hearthstone_weights import EXTRA_TERMS, TERMS, Rule, Weights, end_allowed
from planner.games.hearthstone.turn.native import EVERY_PRUNE, Technique, best_turns, plan_vanilla
from planner.games.hearthstone.turn.scoring import replay
from tests.games.hearthstone.engine.aimed_turns import crowded_vanilla_turn
from tests.games.hearthstone.exhaustive import best_by_search
from tests.games.hearthstone.turn.random_states import random_state, random_weights

BOUND, PRICES, DOMINATED = 1, 2, 4  # the bits of `Prune` in engine/vanilla/vanilla_plan.hpp


def fresh_seed() -> int:
    """Return a new seed for each run; a failure names it."""
    return Random().randrange(2**40)


def any_weights(rng: Random) -> Weights:
    """Return the eight terms, further ones in half of the cases, and hard rules in a quarter."""
    terms = random_weights(rng).terms()
    if rng.random() < 0.5:
        terms |= {term: rng.choice((1, 2, 3, 5, 0.5, -1, -2, 10)) for term in EXTRA_TERMS if rng.random() < 0.35}
    weights = Weights.of(terms)
    if rng.random() < 0.75:
        return weights
    forbidden = [
        Rule("attack_with", word=rng.choice(("taunt", "charge", "divine_shield", "stealth", "hero", "windfury"))),
        Rule("attack_on", word=rng.choice(("hero", "minions"))),
        Rule("trade_below", number=rng.choice((0.5, 1, 1.5))),
        Rule("own_hero_death"),
    ]
    required = [Rule(kind, number=rng.randint(1, 4)) for kind in ("keep_mana", "keep_minions", "keep_cards")]
    return replace(
        weights,
        forbid=tuple(rule for rule in forbidden if rng.random() < 0.3),
        require=tuple(rule for rule in required if rng.random() < 0.3),
    )


def any_case(seed: int, most: int = 3) -> tuple[GameState, Weights]:
    rng = Random(seed)
    return random_state(rng, most, most, density=rng.choice((0.2, 0.4, 0.6))), any_weights(rng)


def check_truth(seed: int, prunes: int = EVERY_PRUNE) -> bool:
    """Compare with a search of every state. Returns False where nothing was proved."""
    state, weights = any_case(seed)
    found = plan_vanilla(state, weights, prunes=prunes)
    assert found is not None
    truth, _ = best_by_search(state, weights)
    assert found.bound is None or found.bound >= truth, f"seed {seed}"
    if not found.proved:
        return False
    earned = replay(state, found.actions)
    assert found.score == truth, f"seed {seed}"
    assert earned.scaled_score(weights) == found.score * weights.integer_scale(), f"seed {seed}"
    assert end_allowed(weights, state, earned.end), f"seed {seed}"
    assert found.hero_lives == (earned.end.me.hero.health > 0), f"seed {seed}"
    return True


def test_the_plan_is_the_best_of_every_state() -> None:
    first = fresh_seed()
    proved = sum(check_truth(seed) for seed in range(first, first + 250))
    assert proved > 200, f"from seed {first}: hardly any plan is proved: the test proves little"


@pytest.mark.long
def test_the_plan_is_the_best_of_every_state_at_length() -> None:
    first = fresh_seed()
    assert sum(check_truth(seed) for seed in range(first, first + 10_000)) > 9_000, f"from seed {first}"


def check_crowded_turns(turns: int) -> None:
    """Compare with the engine's search of every state on this many turns."""
    first, by_states = fresh_seed(), Technique.MERGE_STATES | Technique.MERGE_ACTIONS
    compared = 0
    for seed in range(first, first + turns):
        state, weights = crowded_vanilla_turn(Random(seed))
        found, truth = plan_vanilla(state, weights), best_turns(state, weights, techniques=by_states, effort=20_000)
        assert found is not None
        assert truth is not None
        if truth.proved:
            assert found.bound is None or found.bound >= truth.turns[0].score, f"seed {seed}"
        if found.proved and truth.proved:
            compared += 1
            best = truth.turns[0]
            assert (found.score, len(found.actions)) == (best.score, len(best.actions)), f"seed {seed}"
    assert compared > turns / 2, f"from seed {first}"


def test_the_plan_is_the_best_where_there_is_hardly_any_room() -> None:
    check_crowded_turns(400)


@pytest.mark.long
def test_the_plan_is_the_best_where_there_is_hardly_any_room_at_length() -> None:
    check_crowded_turns(20_000)


@pytest.mark.parametrize("off", [BOUND, PRICES, DOMINATED, BOUND | PRICES | DOMINATED])
def test_prunes_do_not_change_the_plan(off: int) -> None:
    first = fresh_seed()
    compared = 0
    for seed in range(first, first + 60):
        state, weights = any_case(seed)
        pruned, complete = (
            plan_vanilla(state, weights),
            plan_vanilla(state, weights, prunes=EVERY_PRUNE & ~off, work=2_000_000),
        )
        assert pruned is not None
        assert complete is not None
        if pruned.proved and complete.proved:
            compared += 1
            assert pruned == complete, f"seed {seed}"
    assert compared > 40, f"from seed {first}"


def test_the_bound_holds_wherever_the_search_stops() -> None:
    first = fresh_seed()
    ended = 0
    for seed in range(first, first + 80):
        state, weights = any_case(seed)
        truth, _ = best_by_search(state, weights)
        for work in (1, 3, 10, 40):
            found = plan_vanilla(state, weights, work=work)
            assert found is not None
            if found.bound is not None:
                ended += not found.proved
                assert found.bound >= truth, f"seed {seed}, work {work}"
            assert found.score <= truth, f"seed {seed}, work {work}"
    assert ended > 40, f"from seed {first}"


def same_plan(seed: int, most: int) -> bool:
    rng = Random(seed)
    state, weights = random_state(rng, most, most, density=rng.choice((0.15, 0.3, 0.5))), random_weights(rng)
    found = plan_vanilla(state, weights)
    assert found is not None
    if not found.proved:
        return False
    by_program = plan_turn(state, weights, "highs")
    assert float(found.score) == by_program.objective, f"seed {seed}"
    assert found.actions == by_program.actions, f"seed {seed}"
    return True


def test_the_plan_is_the_one_of_the_program() -> None:
    first = fresh_seed()
    assert sum(same_plan(seed, 4) for seed in range(first, first + 80)) > 60, f"from seed {first}"


@pytest.mark.long
def test_the_plan_is_the_one_of_the_program_at_length() -> None:
    first = fresh_seed()
    assert sum(same_plan(seed, 5) for seed in range(first, first + 2_000)) > 1_600, f"from seed {first}"


# -- one hit

ATTACKER_KEYWORDS = (
    kw.CHARGE, kw.WINDFURY, kw.DIVINE_SHIELD, kw.STEALTH, kw.REBORN, kw.IMMUNE, kw.LIFESTEAL, kw.POISONOUS, kw.FREEZE,
)  # fmt: skip
TARGET_KEYWORDS = (kw.TAUNT, kw.DIVINE_SHIELD, kw.POISONOUS, kw.LIFESTEAL, kw.FREEZE, kw.REBORN)


def sets_of(bits: tuple[int, ...], most: int) -> list[int]:
    return [sum(chosen) for size in range(most + 1) for chosen in combinations(bits, size)]


def duel(mine: int, theirs: int, health: int, back: int) -> GameState:
    attacker = Card("attacker", attack=3, health=4, keywords=mine & ~kw.IMMUNE)
    target = Card("target", attack=back, health=5, keywords=theirs)
    left = kw.attacks_per_turn(mine)
    me = Player(Hero(30, 30), (Minion("me.board.0", attacker, 2, health, 4, mine, left),))
    enemy = Player(Hero(30, 30), (Minion("enemy.board.0", target, back, 5, 5, theirs),))
    return GameState(me, enemy, Ruleset())


@pytest.mark.parametrize(("health", "back"), [(1, 0), (1, 1), (3, 2), (4, 4)])
def test_a_hit_does_what_the_referee_says(health: int, back: int) -> None:
    numbers = attrgetter("attack", "health", "keywords", "attacks_left", "fresh")  # what later hits depend on
    for mine in sets_of(ATTACKER_KEYWORDS, 4):
        for theirs in sets_of(TARGET_KEYWORDS, 3):
            state = duel(mine, theirs, health, back)
            after = apply_verified(state, Attack("me.board.0", "enemy.board.0"))
            outcome = _engine.resolve_hit(state)
            left = list(map(numbers, outcome.me.board)) if outcome else []
            assert left == list(map(numbers, after.me.board)), str(state)


# -- boards on which the solver was wrong once

NAMED = {
    # Only the second life taunts, so the hit on the hero must come before the death of the first.
    "a minion returns with taunt": (
        ("5 mana | me 8hp max_health=12 attack_this_turn=2 crystals=10 | hand: (1) 5/1 rush mega_windfury"
        " | enemy 23hp armor=2: 4/8, reborn.1 2/5 poisonous reborn"
        ' | cards: {"name": "reborn.1", "cost": 2, "attack": 4, "health": 2, "keywords": ["taunt"]}'),
        {"lethal": 3, "board_clear": -3, "face_damage": 20, "enemy_threat": -3, "minion_damage": 20, "damage_taken": 2},
    ),
    # The strong minion must break the shield, since our hero dies of its attack and has to attack last.
    "the hero has to attack last": (
        "4 mana | me 1hp attack_this_turn=1: 5/7 | hand: (4) 1/3 value=3 | enemy 6hp armor=5: 4/5 taunt divine_shield",
        {"lethal": 40, "board_clear": 20, "face_damage": 1, "enemy_threat": 10, "minion_damage": 2, "damage_taken": -2,
         "own_survival": 4, "card_value": 40},
    ),
    # The enemy hero is healed by 5 only if one 4/4 has attacked it, and lives so long only if no other one has. The last
    # 4/4 needs the position that the 1/1 leaves.
    "one attack before and two after the healing": (
        (
            '0 mana ruleset={"board_limit": 3} | me 30hp: 4/4 | hand: (0) 1/1 charge, (0) 4/1 charge, (0) 4/2 charge'
            " | enemy 6hp max_health=7: 5/9 lifesteal"
        ),
        {"face_damage": 2, "minion_damage": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_named_boards(name: str) -> None:
    text, terms = NAMED[name]
    state, weights = state_from_text(text), Weights.of({term: terms.get(term, 0) for term in TERMS})
    truth, _ = best_by_search(state, weights)
    found = plan_vanilla(state, weights)
    assert found is not None
    assert found.proved
    assert found.score == truth
    by_program = plan_turn(state, weights, "highs")
    assert (by_program.objective, by_program.actions) == (float(truth), found.actions)


def test_turns_of_equal_score_are_not_compared_one_by_one() -> None:
    board = (
        "10 mana | me 2hp: Minion 7/5, Minion 1/2 windfury, Minion 3/7, Minion 2/1 taunt charge windfury divine_shield,"
        " Minion 3/2 taunt, Minion 3/2 | hand: Minion (8) 2/5 value=3, Minion (3) 7/7 charge rush,"
        " Minion (7) 2/2 value=4, Minion (2) 2/3 charge rush value=4, Minion (3) 6/1 value=3,"
        " Minion (7) 6/7 windfury divine_shield value=2, Minion (4) 2/4 charge value=3, Minion (1) 2/7 charge value=4"
        " | enemy 21hp: Minion 4/7 charge, Minion 0/5 taunt divine_shield, Minion 3/3, Minion 5/6 charge,"
        " Minion 7/8 divine_shield, Minion 1/5 windfury, Minion 8/5 charge"
    )
    # An attack on a minion earns the same whatever the minion, and the tie-break decides. By its score alone, the
    # search takes more than a million steps.
    terms = {"lethal": 5, "board_clear": 14, "face_damage": 11, "own_survival": 5, "minion_damage": 20, "card_value": 5}
    weights = Weights.of(dict.fromkeys(TERMS, 0) | terms)
    found = plan_vanilla(state_from_text(board), weights, work=400_000)
    assert found is not None
    assert found.proved


# Turns that a looser linear program bounds so badly that hundreds of thousands of choices are tried.
LOOSELY_BOUNDED = {
    "a minion may not die in a fight that no option has, to free a slot": (
        (
            "10 mana | me 4hp: Minion 5/3 taunt, Minion 7/8, Minion 4/6 windfury, Minion 2/7 windfury, Minion 1/5,"
            " Minion 2/6, Minion 6/7 | hand: Minion (2) 1/5, Minion (4) 8/7 rush value=2, Minion (4) 8/4 charge,"
            " Minion (2) 4/5 value=2, Minion (1) 5/7 charge value=5, Minion (4) 1/1 value=3, Minion (4) 3/5,"
            " Minion (3) 3/8 rush value=2, Minion (3) 6/6 taunt value=3, Minion (1) 8/8 rush divine_shield value=3"
            " | enemy 1hp: Minion 0/4 divine_shield, Minion 1/6 charge rush, Minion 1/2, Minion 7/4 rush,"
            " Minion 5/1 taunt, Minion 2/2, Minion 1/1"
        ),
        {"lethal": 14, "board_clear": 3, "face_damage": 1, "enemy_threat": 19, "own_survival": 10, "minion_damage": 3,
         "damage_taken": 20, "card_value": 5},
    ),
    "only deaths in fights with taunt minions make room for such fights": (
        (
            "10 mana | me 9hp: Minion 8/5 charge, Minion 1/2, Minion 5/8, Minion 7/8 taunt, Minion 1/3, Minion 6/6,"
            " Minion 6/6 windfury | hand: Minion (2) 4/6, Minion (3) 4/4 value=4, Minion (5) 4/3,"
            " Minion (2) 5/1 charge value=2, Minion (6) 8/2 rush windfury value=3, Minion (4) 4/5 rush value=2,"
            " Minion (6) 6/2 value=4, Minion (6) 1/2 value=4, Minion (3) 4/4, Minion (4) 2/5 value=2"
            " | enemy 15hp: Minion 5/5, Minion 7/1, Minion 1/2 taunt, Minion 8/5, Minion 5/4 windfury,"
            " Minion 4/6 windfury"
        ),
        {"lethal": 8, "board_clear": 19, "face_damage": 17, "enemy_threat": 4, "minion_damage": 18, "damage_taken": 9,
         "card_value": 16},
    ),
    "the health of a hero that dies counts once": (
        (
            "10 mana | me 15hp: Minion 8/8 charge divine_shield, Minion 6/6 windfury, Minion 8/5, Minion 6/6,"
            " Minion 5/6, Minion 7/6 charge windfury, Minion 6/2 rush | hand: Minion (3) 3/4 value=2,"
            " Minion (4) 3/5 rush value=5, Minion (0) 5/3 windfury value=2, Minion (8) 7/4 value=5,"
            " Minion (1) 8/4 rush divine_shield value=4, Minion (8) 2/6 charge value=4, Minion (0) 2/8, Minion (7) 1/5,"
            " Minion (4) 4/3 taunt charge value=3 | enemy 10hp: Minion 7/1 rush divine_shield, Minion 5/1 charge,"
            " Minion 3/5, Minion 4/6, Minion 7/3 rush, Minion 2/3"
        ),
        "champion_standard",
    ),
    "hits cannot be split to leave a hero alive": (
        (
            "10 mana | me 10hp: Minion 7/4, Minion 8/2, Minion 3/8 windfury, Minion 2/2, Minion 7/8,"
            " Minion 4/2 rush windfury, Minion 8/3 rush windfury | hand: Minion (2) 3/3 taunt charge value=4,"
            " Minion (1) 5/2 windfury value=3, Minion (0) 8/1 value=2, Minion (2) 3/4 rush value=3,"
            " Minion (6) 3/4 value=2, Minion (1) 0/8 value=2, Minion (5) 7/6 value=2,"
            " Minion (2) 2/3 rush windfury value=4 | enemy 6hp: Minion 5/1 divine_shield, Minion 2/3, Minion 3/7,"
            " Minion 8/1, Minion 8/7, Minion 5/5 divine_shield, Minion 2/2"
        ),
        "aggro_face",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOSELY_BOUNDED)
def test_the_bound_knows_what_cannot_be_done(name: str) -> None:
    board, terms = LOOSELY_BOUNDED[name]
    weights = Weights.of(terms if isinstance(terms, str) else dict.fromkeys(TERMS, 0) | terms)
    found = plan_vanilla(state_from_text(board), weights, work=150_000)
    assert found is not None
    assert found.proved


def test_the_highest_claims_cannot_be_earned() -> None:
    """The order of healing and damage limits what can be earned: the best legal turn claims much less."""
    state = state_from_text(
        "2 mana | me 1hp: 5/5, 5/2 rush poisonous summoned_this_turn=true, 5/2 poisonous lifesteal, 5/3 taunt stealth,"
        " 5/1 | weapon 1/1 | hand: (0) 1/3 windfury stealth reborn freeze value=0.5, (3) 4/4 taunt lifesteal reborn,"
        " (1) 4/6 poisonous value=3, (1) 3/3 poisonous lifesteal value=2"
        " | enemy 24hp armor=2 max_health=25: 1/5 charge rush windfury poisonous, 4/3 stealth reborn cannot_attack"
    )
    terms = {"lethal": 2, "board_clear": 4, "face_damage": 1, "enemy_threat": 6, "own_survival": 20, "minion_damage": 8,
             "damage_taken": 5, "card_value": 6, "own_health": -2, "weapon_durability": 3,
             "cards_in_hand": 10}  # fmt: skip
    weights = Weights.of(terms)
    found, searched = (
        plan_vanilla(state, weights),
        best_turns(state, weights, techniques=Technique.ALL & ~Technique.SOLVE_VANILLA),
    )
    assert found is not None
    assert searched is not None
    assert found.proved
    assert found.score == searched.turns[0].score


@pytest.mark.parametrize(
    "board",
    [
        "4 mana | me 20hp: Chillwind Yeti | hand: Fireball | enemy 20hp: Chillwind Yeti",
        "0 mana | me 20hp: Zombie Chow | enemy 20hp: Chillwind Yeti",
        "0 mana | me 20hp: Chillwind Yeti | enemy 20hp: Zombie Chow",
        "0 mana | me 20hp: Imp Master | enemy 20hp: Chillwind Yeti",
        "0 mana | me 20hp: Chillwind Yeti | enemy 20hp: Raid Leader, Chillwind Yeti 5/5",
        "0 mana | me 20hp: Chillwind Yeti | enemy 20hp: Zombie Chow 2/3 reborn silenced=true",
    ],
)
def test_turns_with_effects_that_can_matter_are_not_vanilla(board: str) -> None:
    assert plan_vanilla(state_from_text(board), Weights.of("true_balanced")) is None


@pytest.mark.parametrize(
    "board",
    [
        "3 mana | me 20hp: Chillwind Yeti | hand: Fireball | enemy 20hp: Chillwind Yeti",
        "0 mana | me 20hp: Chillwind Yeti | enemy 20hp: Imp Master",
        "0 mana | me 20hp: Zombie Chow silenced=true | enemy 20hp: Chillwind Yeti",
    ],
)
def test_turns_with_effects_that_cannot_matter_are_vanilla(board: str) -> None:
    assert plan_vanilla(state_from_text(board), Weights.of("true_balanced")) is not None
