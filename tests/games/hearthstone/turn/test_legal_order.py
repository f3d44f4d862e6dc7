"""An order is found wherever there is one: the usual order, what waits to the end and what is called too full are
compared with every order there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from planner.games.hearthstone.cards import keywords as kw
from planner.games.hearthstone.rules.actions import Action, Attack, Play
from planner.games.hearthstone.rules.legal import verify
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.clock import Clock
from planner.games.hearthstone.turn.fighters import Blow, Unit, blows, lives, units
from planner.games.hearthstone.turn.legal_order import Accepts, _search, legal_order
from planner.games.hearthstone.turn.objective import Earned, replay
from planner.games.hearthstone.turn.plan import plan_turn
from planner.games.hearthstone.turn.weights import Weights
from tests.games.hearthstone.turn.random_states import random_state

EAGER = Weights(card_value=9, minion_damage=2, face_damage=1, enemy_threat=1)


def crowded(seed: int, room: int = 0) -> GameState:
    """Three minions where three (and some more) fit, charge and rush in hand, and often a guard in the way."""
    rng = Random(seed)
    state = random_state(rng, 3, 3, density=0.05, exact_size=True)
    hand = tuple(
        held._replace(card=held.card.__class__(held.card.name, attack=2, health=2, keywords=kw.RUSH), cost=1)
        for held in state.me.hand
    )
    board = state.enemy.board
    if rng.random() < 0.7:
        board = (board[0]._replace(keywords=kw.TAUNT), *board[1:])
    rules = Ruleset(name=f"board{3 + room}", board_limit=3 + room)
    me = state.me._replace(hand=hand, mana=3)
    return state._replace(rules=rules, me=me, enemy=state.enemy._replace(board=board))


class Choice(NamedTuple):
    """Plays and blows, in no order: a legal turn's own, or one in which somebody else strikes the same blow."""

    units: list[Unit]
    plays: list[Play]
    struck: list[list[Blow]]


def choices(state: GameState, rng: Random) -> Iterator[Choice]:
    """Who strikes whom at random, with all cards that can be paid: some have a legal order, and some have none."""
    everyone, targets = units(state, EAGER), lives(state.enemy)
    plays = [Play(unit.id) for unit in everyone if unit.held is not None]
    for _ in range(4):
        struck: list[list[Blow]] = []
        for unit in everyone:
            able = [blow for blow in blows(unit, targets, True, EAGER) if blow.source == unit.start]
            struck.append([rng.choice(able)] if able and rng.random() < 0.7 else [])
        yield Choice(everyone, plays, struck)


def anything(_: Earned) -> bool:
    return True


def any_order(state: GameState, start: GameState, left: Sequence[Action], done: list[Action], accepts: Accepts) -> bool:
    """Is there an order of these actions that is accepted? Tries them all."""
    if not left:
        return accepts(replay(start, done))
    return any(
        any_order(apply_verified(state, action), start, [o for o in left if o != action], [*done, action], accepts)
        for action in left
        if verify(state, action) is None
    )


def test_every_order_there_is() -> None:
    found = none = 0
    for seed in range(22):
        state = crowded(seed, room=seed % 2)
        for choice in choices(state, Random(f"choices {seed}")):
            turn = legal_order(state, *choice, anything, Clock(None))
            attacks = [
                Attack(unit.id, blow.target)
                for unit, path in zip(choice.units, choice.struck, strict=True)
                for blow in path
            ]
            actions: list[Action] = [*choice.plays, *attacks]
            assert (turn is not None) == any_order(state, state, actions, [], anything), f"seed {seed}"
            if turn is not None:
                assert sorted(map(str, turn[0])) == sorted(map(str, actions))
                assert turn[1] == replay(state, turn[0])
            search = _search(state, *choice, anything, Clock(None))
            assert (search is None) == (turn is None), f"seed {seed}: the usual order hides what the search would do"
            found += turn is not None
            none += turn is None
    assert found > 5, "hardly any turn has an order: the test proves little"
    assert none > 5, "hardly any turn has none: the test proves little"


def test_what_ends_the_match_comes_last() -> None:
    """Two blows of one minion kill the hero: the card and the other's blow must come before the second of them."""
    idle = {"attack": 1, "health": 1, "attacks_left": 0}
    state = {
        "mana": 5,
        "me": {
            "hero": {"health": 3},
            "board": [
                {"attack": 2, "health": 2},
                {"attack": 5, "health": 2, "keywords": ["charge", "reborn"], "summoned_this_turn": True},
                {"attack": 5, "health": 2, "attacks_left": 2},
                *[idle] * 4,
            ],
            "hand": [{"attack": 3, "health": 5, "cost": 5}],
        },
        "enemy": {"hero": {"health": 9}, "board": [{"attack": 3, "health": 2}, {"attack": 4, "health": 1}]},
    }
    terms = ("lethal", "face_damage", "own_survival", "minion_damage", "damage_taken")
    plan = plan_turn(state, dict.fromkeys(terms, 1))
    assert plan.objective == 29
    assert plan.lethal
    assert plan.actions[-1] == Attack("me.board.2", "enemy.hero")
