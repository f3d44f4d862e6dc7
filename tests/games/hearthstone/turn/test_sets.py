"""The optimum without a solver is the program's, plan and all; and it is not used where it is not proved."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from planner.games.hearthstone.cards import keywords as kw
from planner.games.hearthstone.rules.actions import Play
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, Hero, Minion
from planner.games.hearthstone.turn.lexicographic import Clock
from planner.games.hearthstone.turn.plan import plan_turn
from planner.games.hearthstone.turn.schedule import schedule
from planner.games.hearthstone.turn.subsets import best_split, splits
from planner.games.hearthstone.turn.thesis_sets import best_choice
from planner.games.hearthstone.turn.weights import Rule, Weights
from tests.games.hearthstone.turn.random_states import random_state, random_weights


def plain_state(seed: int, board: int, hand: int) -> GameState:
    return random_state(Random(seed), board, hand, density=0.15)


@pytest.mark.parametrize("block", range(6))
@pytest.mark.parametrize("formulation", ["exact", "thesis"])
def test_the_plan_is_the_programs(formulation: str, block: int) -> None:
    without = 0
    for seed in range(25 * block, 25 * (block + 1)):
        state, weights = plain_state(seed, 3, 4), random_weights(Random(seed))
        auto = plan_turn(state, weights, formulation=formulation)
        without += auto.solver == "sets"
        named = plan_turn(state, weights, "highs", formulation)
        assert named.solver == "highs"
        assert (auto.claimed, auto.actions) == (named.claimed, named.actions), f"seed {seed}"
    assert without > 5, "hardly ever used: the test proves nothing"


@pytest.mark.long
@pytest.mark.parametrize("block", range(40))
def test_the_plan_is_the_programs_at_length(block: int) -> None:
    for seed in range(1000 + 25 * block, 1000 + 25 * (block + 1)):
        state, weights = plain_state(seed, 5, 5), random_weights(Random(seed))
        for formulation in ("exact", "thesis"):
            auto, named = (plan_turn(state, weights, solver, formulation) for solver in ("auto", "highs"))
            assert (auto.claimed, auto.actions) == (named.claimed, named.actions), f"seed {seed}"


def test_a_full_board_meets_the_hand_through_deaths() -> None:
    """Four minions where four fit, and four cards: whoever dies makes a place, and the sets must count that."""
    made_room = 0
    for seed in range(40):
        rng = Random(9000 + seed)
        state = random_state(rng, 4, 4, density=0.1, exact_size=True)
        state = state._replace(rules=Ruleset(name="board4", board_limit=4))
        weights = Weights(card_value=9, minion_damage=2, face_damage=1)
        auto = plan_turn(state, weights)
        if auto.solver == "sets":
            assert auto.actions == plan_turn(state, weights, "highs").actions, f"seed {seed}"
            made_room += any(isinstance(action, Play) for action in auto.actions)
    assert made_room > 3, "nobody ever made room: the test proves nothing"


def changed(state: GameState, **fields: object) -> GameState:
    """The state with the first own minion changed."""
    first = state.me.board[0]._replace(**fields)  # type: ignore[arg-type]
    return state._replace(me=state.me._replace(board=(first, *state.me.board[1:])))


def with_enemy(state: GameState, minion: Minion) -> GameState:
    return state._replace(enemy=state.enemy._replace(board=(minion, *state.enemy.board[1:])))


@pytest.fixture
def plain() -> GameState:
    """Two against two without keywords, of the kind that the method is proved for."""
    state = next(
        state
        for state in (random_state(Random(seed), 2, 2, density=0.0, exact_size=True) for seed in range(100))
        if state.me.weapon is None and state.me.board[0].attack > 0 and state.me.board[0].card.attack > 0
    )
    rested = changed(state, attacks_left=1, fresh=False)
    assert best_split(rested, Weights(face_damage=1)) is not None
    return rested


EAGER = Weights(face_damage=1, minion_damage=1, enemy_threat=1)


@pytest.mark.parametrize("fields", [{"attacks_left": 2}, {"keywords": kw.WINDFURY, "attacks_left": 2}])
def test_not_for_those_who_strike_twice(plain: GameState, fields: dict[str, int]) -> None:
    assert best_split(changed(plain, **fields), EAGER) is None


def test_not_for_those_who_return_to_strike_again(plain: GameState) -> None:
    card = plain.me.board[0].card
    rusher = card.__class__(card.name, attack=2, health=2, keywords=kw.REBORN | kw.RUSH)
    assert best_split(changed(plain, card=rusher, keywords=rusher.keywords), EAGER) is None


def test_not_where_the_enemy_heals_himself(plain: GameState) -> None:
    healer = plain.enemy.board[0]._replace(attack=2, keywords=kw.LIFESTEAL)
    wounded = with_enemy(plain, healer)
    wounded = wounded._replace(enemy=wounded.enemy._replace(hero=Hero(10, 30)))
    assert best_split(wounded, EAGER) is None
    whole = wounded._replace(enemy=wounded.enemy._replace(hero=Hero(30, 30)))
    assert best_split(whole, EAGER) is not None


def test_not_where_a_guard_comes_up_in_the_middle(plain: GameState) -> None:
    first = plain.enemy.board[0]
    card = first.card.__class__(first.card.name, attack=1, health=2, keywords=kw.TAUNT)
    assert best_split(with_enemy(plain, first._replace(card=card, keywords=kw.REBORN)), EAGER) is None


def test_not_under_rules_about_the_end_of_the_turn(plain: GameState) -> None:
    for weights in (
        Weights(face_damage=1, require=(Rule("keep_mana", 1),)),
        Weights(face_damage=1, forbid=(Rule("own_hero_death"),)),
        Weights(face_damage=1, board_clear=-1),
    ):
        assert best_split(plain, weights) is None


def test_sealed_minions_do_not_die() -> None:
    """An enemy that is sealed is left alive, and an own one strikes no blow of which it dies, returning or not."""
    changed_by_a_seal = 0
    for seed in range(60):
        state, weights = plain_state(seed, 3, 3), random_weights(Random(seed))
        free = best_split(state, weights)
        for sealed in (minion.id for minion in (*state.me.board, *state.enemy.board) if free):
            split = best_split(state, weights, sealed=frozenset({sealed}))
            if split is None:
                continue
            assert free is not None
            assert split.objective <= free.objective
            turn = schedule(state, split.units, split.plays, split.struck, lambda _: True, Clock(None))
            if turn is not None:
                end = {minion.id: minion for minion in (*turn[1].end.me.board, *turn[1].end.enemy.board)}
                start = next(m for m in (*state.me.board, *state.enemy.board) if m.id == sealed)
                assert sealed in end, f"seed {seed}: {sealed} died"
                assert end[sealed].entered == start.entered, f"seed {seed}: {sealed} died and came back"
                changed_by_a_seal += split.struck != free.struck
    assert changed_by_a_seal > 10, "seals hardly ever matter: the test proves nothing"


def test_not_with_terms_beyond_the_eight(plain: GameState) -> None:
    weights = Weights(face_damage=1)
    object.__setattr__(weights, "extra", (("a_later_term", 1),))
    assert best_split(plain, weights) is None


def test_numbers_of_any_size(plain: GameState) -> None:
    """A million attack at a million points, and beside it a millionth of a point: every digit counts."""
    huge = changed(plain, attack=10**6)
    plan = plan_turn(huge, Weights(face_damage=10**6, enemy_threat=0.000001))
    assert plan.status == "optimal"
    assert plan.solver == "sets"
    assert plan.claimed == plan.objective


def test_prices_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all is priced the bounds leave out much of the tables, but never the best split."""
    for seed in range(60):
        rng = Random(seed)
        state, weights = random_state(rng, 5, 5, density=0.1), random_weights(rng)
        found = []
        for little in (10**9, 0):
            monkeypatch.setattr("planner.games.hearthstone.turn.packing.LITTLE", little)
            found.append([(split.objective, split.plays, split.struck) for split in islice(splits(state, weights), 5)])
        assert found[0] == found[1], f"seed {seed}"


def test_splits_come_in_order() -> None:
    """From best to worst, with other fights each time: one that has no legal order is followed by the next."""
    several = 0
    for seed in range(60):
        state, weights = plain_state(seed, 3, 3), random_weights(Random(seed))
        found = list(islice(splits(state, weights), 8))
        assert [split.objective for split in found] == sorted((split.objective for split in found), reverse=True)
        fights = [[[blow for blow in path if blow.life] for path in split.struck] for split in found]
        assert all(fight not in fights[:number] for number, fight in enumerate(fights))
        several += len(found) > 1
    assert several > 20, "hardly any turn has several: the test proves nothing"


def test_the_thesis_on_sets_knows_its_limits(plain: GameState) -> None:
    assert best_choice(plain, EAGER) is not None
    assert best_choice(changed(plain, keywords=kw.WINDFURY), EAGER) is None
    assert best_choice(plain, Weights(face_damage=-1)) is None
