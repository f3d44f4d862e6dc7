"""The baselines play legal moves, are repeatable, and the greedy agent makes sensible choices."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from planner.agents.agent_spec import RandomAgent, agent_names, make_agent
from planner.errors import PlannerError
from planner.games.hearthstone.hearthstone_agents import BaseAgent, GreedyAgent, state_value
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.actions import Attack, EndTurn, Mulligan, Play
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import state_from_dict

YETI = {"attack": 4, "health": 5}


def table(mana: int = 0, mine: Any = (), theirs: Any = (), enemy_health: int = 30, hand: Any = ()) -> GameState:
    me = {"hero": {"health": 30}, "board": list(mine), "hand": list(hand)}
    enemy = {"hero": {"health": enemy_health}, "board": list(theirs)}
    return state_from_dict({"mana": mana, "me": me, "enemy": enemy})


def test_random_play_is_uniform_over_legal_actions() -> None:
    state = table(mine=[YETI], theirs=[YETI])  # attack the minion, the hero, or end the turn
    agent = RandomAgent(GAME, Random(1))
    counts = Counter(agent.decide(state) for _ in range(3000))
    assert set(counts) == set(legal_actions(state))
    assert all(900 < count < 1100 for count in counts.values())


@pytest.mark.parametrize("name", agent_names())
def test_same_seed_same_decisions(name: str) -> None:
    state = table(mana=10, mine=[YETI, YETI], theirs=[YETI, YETI], hand=["Wolfrider", "Fireball"])
    first, second = make_agent(name, 5), make_agent(name, 5)
    count = 2 if name == "mcts" else 20  # a search takes a while
    assert [first.decide(state) for _ in range(count)] == [second.decide(state) for _ in range(count)]
    assert first.name == name


def test_agent_without_act_is_named() -> None:
    class Unfinished(BaseAgent):
        pass

    with pytest.raises(NotImplementedError, match=r"^Unfinished must define act\(\)$"):
        Unfinished().decide(table())


def test_unknown_agent_suggests_the_nearest_name() -> None:
    with pytest.raises(PlannerError, match="'greddy' is not an agent; did you mean 'greedy'"):
        make_agent("greddy", 1)
    with pytest.raises(PlannerError, match="known agents: first, greedy, mcts, random"):
        make_agent("", 1)


def greedy(state: GameState) -> object:
    return GreedyAgent(Random(1)).decide(state)


def test_greedy_kills_the_hero_before_anything_else() -> None:
    state = table(mine=[YETI], theirs=[{"attack": 9, "health": 1}], enemy_health=4)
    assert greedy(state) == Attack("me.board.0", "enemy.hero")


def test_greedy_trades_up() -> None:
    state = table(mine=[{"attack": 2, "health": 2}], theirs=[{"attack": 8, "health": 2}])
    assert greedy(state) == Attack("me.board.0", "enemy.board.0")


def test_greedy_does_not_throw_a_minion_away() -> None:
    state = table(mine=[{"attack": 1, "health": 5}], theirs=[{"attack": 7, "health": 7, "keywords": ["taunt"]}])
    assert greedy(state) == EndTurn()


def test_greedy_plays_the_strongest_affordable_minion() -> None:
    state = table(mana=5, hand=["Wolfrider", "Chillwind Yeti", "Boulderfist Ogre"])
    assert greedy(state) == Play("me.hand.1")


def test_greedy_mulligan_replaces_expensive_cards() -> None:
    state = table(hand=["Wolfrider", "Chillwind Yeti", "Boulderfist Ogre"])
    state = state._replace(turn=0)
    dear = Mulligan(("me.hand.1", "me.hand.2"))
    assert make_agent("greedy", 1).decide(state) == make_agent("aggro_face", 1).decide(state) == dear
    assert make_agent("random", 1).decide(state) == GAME.default_action(state) == Mulligan()


def test_board_value_is_fair() -> None:
    state = table(mine=[YETI], theirs=[YETI])
    swapped = state._replace(me=state.enemy, enemy=state.me)
    assert state_value(state) == -state_value(swapped)
    assert state_value(table(mine=[YETI])) > state_value(table())
