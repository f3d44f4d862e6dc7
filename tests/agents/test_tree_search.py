"""Monte-Carlo tree search beats simple agents in every game, and knows no more than its observation."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner.agents.agent_spec import agent_spec, make_agent
from planner.agents.tree_search import TreeSearchAgent
from planner.arena.match.referee import play_match
from planner.errors import PlannerError
from planner.game import AnyGame, SamplesHidden
from planner.games import load_game
from tests.games import toy, tribute

STUDY = Path(__file__).parents[2] / "results" / "tree_search" / "strength.csv"


def share_won(agent: str, other: str, game: AnyGame, setup: Any, seeds: Sequence[int]) -> float:
    """Return the share of points of the agent, which changes seats from match to match."""
    points = 0.0
    for seed in seeds:
        seat = seed % 2
        names = [agent, other] if seat == 0 else [other, agent]
        points += play_match(names, setup, seed, game).outcome.points[seat]
    return points / len(seeds)


@pytest.mark.parametrize(
    ("name", "words", "agent", "matches"),
    [
        ("hearthstone", ["mage", "warrior"], "mcts:50", 2),
        ("dominion", [], "mcts:5", 2),
        ("caveman", [], "mcts:20", 1),
        pytest.param("ascension", [], "mcts:20", 4, marks=pytest.mark.long),
        pytest.param("hearthstone", ["mage", "warrior"], "mcts", 20, marks=pytest.mark.long),
        pytest.param("dominion", [], "mcts:20", 10, marks=pytest.mark.long),
        pytest.param("caveman", [], "mcts:20", 10, marks=pytest.mark.long),
    ],
)
def test_it_beats_random_play(name: str, words: list[str], agent: str, matches: int) -> None:
    game = load_game(name)
    assert share_won(agent, "random", game, game.setup_from_words(words), range(matches)) >= 0.75


def test_it_wins_more_battles_than_random_and_first() -> None:
    game = load_game("spire")
    easy = game.setup_to_json(game.setup_from_words(["starter"]))
    setup = game.setup_from_json({**easy, "enemies": ["Jaw Worm", "Jaw Worm"], "health": 56})

    def won(agent: str) -> float:
        return sum(play_match([agent], setup, seed, game).outcome.points[0] for seed in range(8))

    assert won("mcts:50") > max(won("first"), won("random"))


def test_it_plays_games_of_users_and_more_than_two_seats() -> None:
    pig: Any = vars(toy)  # executed from the documentation
    assert share_won("mcts:50", "random", pig["GAME"], pig["Race"](2, 20), range(10)) > 0.6
    points = [0.0] * 3
    for seed in range(12):
        seat = seed % 3
        names = ["random"] * 3
        names[seat] = "mcts:60"
        outcome = play_match(names, tribute.Court(), seed, tribute.GAME).outcome
        points[0] += outcome.points[seat]
        points[1] += outcome.points[(seat + 1) % 3]
    assert points[0] > points[1]


@pytest.mark.parametrize(
    ("name", "words"), [("hearthstone", ["mage", "warrior"]), ("dominion", []), ("ascension", []), ("caveman", [])]
)
def test_equal_observations_give_equal_decisions(name: str, words: list[str]) -> None:
    """States that differ only in hidden cards are the same to the agent, and to the cards that it samples."""
    game, rng = load_game(name), Random(3)
    assert isinstance(game, SamplesHidden)
    state = game.start(game.setup_from_words(words), rng)
    chooser = make_agent("random", 4, game)
    compared = 0
    while game.outcome(state) is None and compared < 6:
        seat = game.to_move(state)
        seen = game.observe(state, seat)
        twin = game.sample_hidden(seen, Random(compared))
        assert game.observe(twin, seat) == seen
        if len(game.legal_actions(state)) > 1:
            decisions = [make_agent("mcts:10", 9, game).decide(game.observe(each, seat)) for each in (state, twin)]
            assert decisions[0] == decisions[1]
            compared += 1
        state = game.apply(state, chooser.decide(seen), rng)
    assert compared == 6


def test_equal_observations_give_equal_decisions_in_a_battle() -> None:
    """Nothing is hidden in a battle, so a state that was written and read is the same observation."""
    game, rng = load_game("spire"), Random(3)
    assert not isinstance(game, SamplesHidden)
    state = game.start(game.setup_from_words(["worms"]), rng)
    for _ in range(6):
        twin = game.state_from_text(game.state_to_text(state))
        decisions = [make_agent("mcts:20", 9, game).decide(game.observe(each, 0)) for each in (state, twin)]
        assert decisions[0] == decisions[1]
        state = game.apply(state, decisions[0], rng)


def test_committed_study_shows_that_it_beats_random_and_first() -> None:
    """In battles each agent fights alone; in other games the share of the other agent is the rest."""
    rows = list(csv.DictReader(STUDY.read_text(encoding="utf-8").splitlines()))
    assert {row["game"] for row in rows} == {"spire", "hearthstone", "dominion", "caveman", "ascension"}
    for row in rows:
        if (row["game"], row["other"]) == ("ascension", "first"):
            continue  # the exception that docs/how-to/language_models.md names
        rival = float(row["other_share"]) if row["game"] == "spire" else 0.5
        assert float(row["low"]) > rival, row


def test_it_finds_a_kill_that_takes_two_actions() -> None:
    game = load_game("hearthstone")
    state = game.state_from_json(
        {
            "mana": 0,
            "me": {"hero": {"health": 1}, "board": [{"attack": 3, "health": 3}, {"attack": 4, "health": 4}]},
            "enemy": {
                "hero": {"health": 4},
                "board": [{"attack": 1, "health": 3, "keywords": ["taunt"]}, {"attack": 9, "health": 9}],
            },
        }
    )
    action = TreeSearchAgent(game, Random(1), 300).decide(state)
    assert game.action_to_json(action) == {"type": "attack", "attacker": "me.board.0", "target": "enemy.board.0"}


@pytest.mark.parametrize("name", ["mcts:", "mcts:0", "mcts:x", "mcts:-5", "mcts:99999999999", "mcts:٣"])
def test_a_bad_budget_is_refused(name: str) -> None:
    with pytest.raises(PlannerError, match="is not mcts:N with N iterations from 1 to 1,000,000"):
        agent_spec(name)


def test_the_name_tells_the_budget() -> None:
    assert agent_spec("mcts:500").short_name == make_agent("mcts:500", 1).name == "mcts:500"
    assert agent_spec("mcts").short_name == make_agent("mcts:100", 1).name == "mcts"


def test_time_limit_ends_the_search_after_an_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_game("hearthstone")
    state = game.start(game.setup_from_words(["mage", "warrior"]), Random(1))
    iterations = list[int]()
    iterate = TreeSearchAgent._iterate

    def counted(self: TreeSearchAgent, *arguments: Any) -> None:
        iterations.append(1)
        iterate(self, *arguments)

    monkeypatch.setattr(TreeSearchAgent, "_iterate", counted)
    for limit, expected in ((1e-9, 1), (1000.0, 7)):
        iterations.clear()
        agent = agent_spec("mcts:7", game, time_limit=limit).make(game, 1)
        assert agent.decide(state) in game.legal_actions(state)
        assert len(iterations) == expected
    with pytest.raises(PlannerError, match="'mcts' is not a planner: it does not support effort"):
        agent_spec("mcts", game, effort=7)
