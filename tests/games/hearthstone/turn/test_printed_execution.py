"""`execution: printed`: the model's solution carried out as section 6.5 of Guo (2025) prints it.

tests/games/hearthstone/guo_program.py is the same program, written a second time from the document alone.
"""

from __future__ import annotations

import importlib.util
from itertools import product
from random import Random

import pytest

from planner import plan_turn
from planner.agents.planner_agent import PlannerAgent
from planner.arena.match.referee import play_match
from planner.arena.match.replay import walk
from planner.games.hearthstone.cards import keywords as kw
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.match_setup import MatchSetup
from planner.games.hearthstone.rules.actions import Attack, Batch, EndTurn, Play
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.match_flow import outcome
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player
from planner.games.hearthstone.rules.state_json import state_from_dict
from planner.games.hearthstone.turn import native
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.thesis_program import READINGS, Choice, printed_batch
from planner.solvers import installed

PRINTED = Ruleset.of("thesis_printed")
PROFILES = ("keep_alive", "board_clear", "aggro_face", "value_trade", "aggro_tempo", "true_balanced", "author_favorite")
KEYWORDS = {"Charge": kw.CHARGE, "Rush": kw.RUSH, "Taunt": kw.TAUNT}
needs_engine = pytest.mark.skipif(not available(), reason="the engine is not compiled here")
needs_gurobi = pytest.mark.skipif(importlib.util.find_spec("gurobipy") is None, reason="Gurobi is not installed")


def random_turn(rng: Random, values: bool = False) -> GameState:
    """Return a turn with charge, rush and taunt, as the decks of Guo (2025) allow it; boards are often full."""

    def card(name: str) -> Card:
        bits = rng.choice((0, 0, kw.TAUNT, kw.CHARGE, kw.RUSH))
        return Card(name, cost=rng.randint(0, 6), attack=rng.randint(0, 6), health=rng.randint(1, 7), keywords=bits)

    def minion(name: str) -> Minion:
        printed = card(name)
        return Minion(name, printed, printed.attack, rng.randint(1, printed.health), printed.health, printed.keywords)

    mine = tuple(minion(f"me.board.{n}") for n in range(rng.choice((0, 1, 2, 3, 4, 6, 7))))
    theirs = tuple(minion(f"enemy.board.{n}") for n in range(rng.choice((0, 1, 2, 3, 4, 5))))
    cards = [card(f"me.hand.{n}") for n in range(rng.randint(0, 6))]
    hand = tuple(HandCard(c.name, c, c.cost, rng.randint(0, 4) if values else 1) for c in cards)
    me = Player(Hero(30, 30), mine, hand, mana=rng.randint(1, 10), crystals=10)
    return GameState(me, Player(Hero(rng.randint(1, 30), 30), theirs), PRINTED)


# -- against the second program


@needs_gurobi
def test_1000_random_turns_equal_the_second_program() -> None:
    from tests.games.hearthstone import guo_program as guo

    def minion(card: Card, health: int, cost: int = 0, value: float = 1) -> guo.Minion:
        names = tuple(name for name, bit in KEYWORDS.items() if card.keywords & bit)
        return guo.Minion(card.attack, health, cost, names, int(value))

    def players(state: GameState) -> tuple[guo.Player, guo.Player]:
        board = [minion(m.card, m.health) for m in state.me.board]
        hand = [minion(held.card, held.card.health, held.cost, held.value) for held in state.me.hand]
        active = guo.Player(state.me.hero.health, state.me.mana, board, hand)
        return active, guo.Player(state.enemy.hero.health, 0, [minion(m.card, m.health) for m in state.enemy.board])

    def chosen(state: GameState, weights: Weights) -> guo.Solution:
        """Return the choice of our own model in the form of the second program."""
        choice = native.thesis_choice(state, weights, READINGS["thesis"]._replace(most_actions=True))
        assert choice is not None
        return guo.Solution(
            choice.objective / choice.scale,
            dict.fromkeys(choice.face, 1), dict.fromkeys(choice.hits, 1), dict.fromkeys(choice.plays, 1), False,
        )  # fmt: skip

    def summary(active: guo.Player, opponent: guo.Player) -> object:
        boards = [[(m.attack, m.health) for m in player.board] for player in (active, opponent)]
        return opponent.health, active.mana, boards, [(card.attack, card.health) for card in active.hand]

    rng = Random(65)
    unique = dead_targets = 0
    for number in range(1000):
        state, weights = random_turn(rng, values=number % 2 == 0), Weights.of(rng.choice(PROFILES))
        plan = plan_turn(state, weights, formulation="thesis")
        active, opponent = players(state)
        solution = guo.run_single_turn(active, opponent, [weights.terms()[term] for term in TERMS])
        assert plan.claimed == pytest.approx(solution.objective), f"turn {number}: {state}"
        unique += solution.unique
        guo.apply_solver_results(solution if solution.unique else chosen(state, weights), active, opponent)
        end = plan.end
        boards = [[(m.attack, m.health) for m in player.board] for player in (end.me, end.enemy)]
        hand = [(held.card.attack, held.card.health) for held in end.me.hand]
        ours = (end.enemy.hero.health, end.me.mana, boards, hand)
        assert ours == summary(active, opponent), f"turn {number}: {state}"
        attacks = [part for batch in plan.actions for part in batch.actions if isinstance(part, Attack)]
        dead_targets += any(
            sum(
                next(m.attack for m in (*state.me.board, *(h.card for h in state.me.hand)) if _id(m) == part.attacker)
                for part in attacks if part.target == target.id
            ) >= target.health + max((m.attack for m in state.me.board), default=0)
            for target in state.enemy.board
        )  # fmt: skip
    assert unique > 300
    assert dead_targets > 20


def _id(minion: Minion | Card) -> str:
    return minion.id if isinstance(minion, Minion) else minion.name


# -- by hand


def state_of(board: str, **more: object) -> GameState:
    mine, theirs = ([tuple(map(int, m.split("/"))) for m in side.split()] for side in board.split(" vs "))
    return state_from_dict(
        {
            "mana": 0,
            "ruleset": "thesis_printed",
            "me": {"hero": {"health": 30}, "board": [{"attack": a, "health": h} for a, h in mine]},
            "enemy": {"hero": {"health": 30}, "board": [{"attack": a, "health": h} for a, h in theirs]},
            **more,
        }
    )


def test_attacks_on_a_dead_minion_happen_and_it_hits_back() -> None:
    state = state_of("3/4 3/4 3/4 vs 2/3")
    batch = printed_batch(state, Choice(0, 1, [], [(0, 0), (1, 0), (2, 0)], []))
    after = apply(state, batch)
    assert [minion.health for minion in after.me.board] == [2, 2, 2]
    assert not after.enemy.board


def test_a_minion_from_the_hand_lands_only_its_first_attack() -> None:
    state = state_of("1/1 vs 1/9 1/9")._replace()
    charger = Card("charger", cost=1, attack=3, health=2, keywords=kw.CHARGE)
    state = state._replace(me=state.me._replace(hand=(HandCard("c", charger, 1),), mana=1))
    batch = printed_batch(state, Choice(0, 1, [1], [(1, 0), (1, 1)], [1]))
    assert batch.actions == (Play("c"), Attack("c", state.enemy.board[0].id))


def test_taunt_is_not_checked_when_the_attacks_are_carried_out() -> None:
    state = state_from_dict(
        {
            "mana": 0,
            "ruleset": "thesis_printed",
            "me": {"hero": {"health": 30}, "board": [{"attack": 3, "health": 4}]},
            "enemy": {"hero": {"health": 3}, "board": [{"attack": 1, "health": 9, "keywords": ["taunt"]}]},
        }
    )
    assert apply(state, Batch((Attack("me.board.0", "enemy.hero"),))).enemy.hero.health == 0


def test_cards_are_played_before_the_attacks_make_room() -> None:
    state = state_of(" ".join(["1/1"] * 7) + " vs 3/9")
    card = Card("late", cost=0, attack=1, health=1)
    state = state._replace(me=state.me._replace(hand=(HandCard("late", card, 0),)))
    assert printed_batch(state, Choice(0, 1, [7], [(0, 0)], [])).actions == (
        Attack(state.me.board[0].id, state.enemy.board[0].id),
    )


def test_a_win_of_the_second_player_counts_one_round_more() -> None:
    state = state_of("3/1 vs 1/1")._replace(turn=8, seat=1)
    state = state._replace(enemy=state.enemy._replace(hero=Hero(3, 30)))
    end = apply(state, Batch((Attack(state.me.board[0].id, "enemy.hero"),)))
    result, legal = outcome(end), outcome(end._replace(rules=Ruleset.of("thesis")))
    assert result is not None
    assert legal is not None
    assert (result.points, result.rounds, legal.rounds) == ((0.0, 1.0), 5, 4)


@pytest.mark.parametrize(
    ("batch", "reason"),
    [
        (Batch((Attack("me.board.0", "enemy.board.0"), Attack("me.board.0", "enemy.hero"))), "cannot carry out"),
        (Batch((Play("me.hand.0"),)), "cannot carry out"),
        (Batch((Attack("me.board.7", "enemy.hero"),)), "cannot carry out"),
    ],
)
def test_an_impossible_batch_is_illegal(batch: Batch, reason: str) -> None:
    assert reason in (illegal_reason(state_of("3/1 vs 1/1"), batch) or "")


def test_a_batch_needs_printed_execution() -> None:
    state = state_of("3/1 vs 1/1")._replace(rules=Ruleset.of("thesis"))
    assert "execution is legal" in (illegal_reason(state, Batch((Attack("me.board.0", "enemy.hero"),))) or "")


def test_a_batch_has_a_json_form_a_text_form_and_a_description() -> None:
    batch = Batch((Play("a"), Attack("b c", "enemy.hero")))
    assert GAME.action_from_json(GAME.action_to_json(batch)) == batch
    assert GAME.action_from_text(GAME.action_to_text(batch)) == batch
    assert GAME.action_to_text(batch) == 'batch play a & attack "b c" -> enemy.hero'
    assert GAME.action_from_text("batch") == Batch(())
    state = state_of("3/1 vs 1/1")
    description = GAME.describe_action(state, Batch((Attack("me.board.0", "enemy.board.0"),)))
    assert description.startswith("at once: Minion attacks Minion"), description


# -- matches


def planners(first: str, second: str, formulation: str, solver: str = "auto") -> list[PlannerAgent]:
    return [PlannerAgent(name, formulation=formulation, solver=solver) for name in (first, second)]


@needs_engine
@pytest.mark.parametrize("formulation", ["thesis", "thesis_every_minion"])
def test_matches_of_the_engine_are_those_of_the_referee(formulation: str) -> None:
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", "thesis_printed")
    rng = Random(3)
    for seed in range(4):
        names = rng.choice(PROFILES), rng.choice(PROFILES)
        record = play_match(planners(*names, formulation), setup, seed)
        reading = READINGS[formulation]._replace(most_actions=True)
        pairing = Weights.of(names[0]), Weights.of(names[1])
        (match,) = native.thesis_matches(record.initial, [pairing], reading) or [None]
        assert match is not None
        assert record.outcome.points == ((1.0, 0.0) if match.winner == 0 else (0.0, 1.0))
        assert record.outcome.rounds == match.rounds
        assert len(record.turns) == match.turns
        *_, last = walk(record)
        assert last.after == record.final


def chosen_actions(first: str, second: str, solver: str, seed: int) -> list[list[object]]:
    """Play a match with this solver, and return the actions of each turn."""
    setup = MatchSetup.of("thesis_paladin", "thesis_warrior", "thesis_printed")
    record = play_match(planners(first, second, "thesis", solver), setup, seed)
    return [[move.action for move in turn.moves] for turn in record.turns]


@needs_engine
@pytest.mark.parametrize("solver", installed())
def test_every_solver_plays_the_same_match(solver: str) -> None:
    turns = chosen_actions("value_trade", "true_balanced", "auto", 5)
    assert any(isinstance(action, Batch) for turn in turns for action in turn)
    assert all(isinstance(turn[-1], EndTurn) for turn in turns[:-1])
    assert chosen_actions("value_trade", "true_balanced", solver, 5) == turns


@needs_engine
@pytest.mark.long
@pytest.mark.parametrize("solver", installed())
def test_every_solver_plays_the_same_matrix(solver: str) -> None:
    for seed, (first, second) in enumerate(product(PROFILES, PROFILES)):
        assert chosen_actions(first, second, solver, seed) == chosen_actions(first, second, "auto", seed), (
            first,
            second,
        )
