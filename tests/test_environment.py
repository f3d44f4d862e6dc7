"""The environment plays the same matches as the arena, and encodes them as numbers for learners."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np
import pytest

from planner import Environment, PlannerError, play_match
from planner.games import game, load_game
from planner.games.hearthstone import Attack, EndTurn, MatchSetup, Play, Ruleset, load_deck
from planner.games.spire.battle_state import Action
from tests.games import toy

gymnasium = pytest.importorskip("gymnasium", reason="an extra")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from planner.gym import MatchEnv  # noqa: E402

HEARTHSTONE = MatchSetup.of("mage", "warrior")
TINY = Ruleset(name="tiny", deck_size=6, hero_health=10, board_limit=2, hand_limit=5, starting_hand=(2, 3))


def setup_of(name: str) -> Any:
    if name == "tiny":
        decks = (load_deck("mage"), load_deck("hunter"))
        return MatchSetup(decks, TINY)
    return HEARTHSTONE if name == "hearthstone" else game("spire").setup_from_words([name])


def game_of(name: str) -> str:
    return "hearthstone" if name in ("tiny", "hearthstone") else "spire"


SETUPS = ("hearthstone", "tiny", "starter", "batter")


# -- reset, observe, legal, step


@pytest.mark.parametrize("name", ["hearthstone", "starter"])
def test_same_actions_give_the_same_match_as_in_the_arena(name: str) -> None:
    """A seed gives the same match as in `play_match`."""
    of, setup = game(game_of(name)), setup_of(name)
    agents = ["random"] * of.seats(of.start(setup, Random(0)))
    record = play_match(agents, setup, 11, of)
    environment = Environment(setup, of.name)
    state = environment.reset(seed=11)
    rewards: tuple[float, ...] = ()
    for turn in record.turns:
        for move in turn.moves:
            assert environment.seat == turn.seat
            assert move.action in environment.legal()
            assert list(of.legal_actions(state)) == list(environment.legal())
            assert environment.outcome is None
            state, rewards, over = environment.step(move.action)
            assert over or not any(rewards)
    assert environment.outcome == record.outcome
    assert rewards == tuple(2 * points - 1 for points in record.outcome.points)
    assert environment.state == record.final
    assert not environment.legal()
    with pytest.raises(PlannerError, match="illegal action: "):
        environment.step(record.turns[0].moves[0].action)


def test_illegal_action_changes_nothing() -> None:
    environment = Environment(HEARTHSTONE)
    with pytest.raises(PlannerError, match="no match has been started"):
        environment.legal()
    environment.reset(3)
    before = environment.state
    for junk in (None, 7, "end", object()):
        with pytest.raises(PlannerError, match="illegal action: "):
            environment.step(junk)
    assert environment.state == before
    assert environment.reset(3) == environment.observe()
    assert environment.state == before


def test_hidden_cards_are_not_visible() -> None:
    environment = Environment(HEARTHSTONE)
    environment.reset(3)
    for seat in (0, 1):
        seen = environment.observe(seat)
        assert {held.card.name for held in seen.player(1 - seat).hand} == {"?"}
        assert {held.card.name for held in seen.player(seat).deck} == {"?"}
        assert "?" not in {held.card.name for held in seen.player(seat).hand}


def test_any_game_and_any_number_of_seats() -> None:
    of = load_game("tests.games.toy:GAME")
    for players in (1, 2, 3):
        environment = Environment(toy.Race(players, 20, 30), of)  # type: ignore[attr-defined]
        environment.reset(1)
        while environment.outcome is None:
            step = environment.step(environment.legal()[0])
        assert len(step.rewards) == players
        assert step.over
    with pytest.raises(PlannerError, match="a numeric encoding is not supported"):
        MatchEnv(toy.Race(2, 20, 30), game=of)  # type: ignore[attr-defined]


# -- as numbers


@pytest.mark.parametrize("name", SETUPS)
def test_every_legal_action_has_its_own_number(name: str) -> None:
    """In random matches; observations have as many numbers as names."""
    of, setup = game(game_of(name)), setup_of(name)
    encoding = of.encoding(setup)
    assert encoding is not None
    rng, environment = Random(5), Environment(setup, of.name)
    seen: set[int] = set()
    assert len(set(encoding.names)) == len(encoding.names)
    for seed in range(6):
        environment.reset(seed)
        while environment.outcome is None:
            legal = environment.legal()
            numbers = [encoding.number(environment.state, action) for action in legal]
            assert len(set(numbers)) == len(numbers)
            assert all(number is not None and 0 <= number < encoding.actions for number in numbers)
            assert numbers == [encoding.number(environment.observe(), action) for action in legal]
            seen.update(number for number in numbers if number is not None)
            vector = encoding.observation(environment.observe(), environment.seat)
            assert len(vector) == len(encoding.names)
            assert list(vector) == list(encoding.observation(environment.state, environment.seat))  # nothing hidden
            environment.step(legal[int(rng.random() * len(legal))])
    assert len(seen) > 5


def test_choices_of_prompts_have_numbers() -> None:
    of = game("spire")
    encoding = of.encoding(setup_of("starter"))
    assert encoding is not None
    actions = [Action("end"), Action("play", 3), Action("card", 0), Action("fighter", -1), Action("fighter", 3)]
    numbers = [encoding.number(None, action) for action in actions]
    assert numbers == [0, 4, 101, 201, encoding.actions - 1]
    assert encoding.number(None, Action("card", 100)) is None


def test_number_means_the_same_in_every_state() -> None:
    of = game("hearthstone")
    encoding = of.encoding(HEARTHSTONE)
    assert encoding is not None
    board, hand = ["Chillwind Yeti", "Bloodfen Raptor"], ["Wolfrider", "Fireball"]
    enemy = {"hero": {"health": 30}, "board": ["Boulderfist Ogre"]}
    me = {"hero": {"health": 30}, "board": board, "hand": hand}
    state = of.state_from_json({"mana": 5, "me": me, "enemy": enemy})
    numbers = {of.action_to_text(action): encoding.number(state, action) for action in of.legal_actions(state)}
    hits, play = 1 + 10 * 17, 1 + 17  # where attacks begin, and the plays of the second card
    wanted = {
        EndTurn(): 0,
        Play("me.hand.0"): 1,
        Play("me.hand.1", "me.hero"): play + 1,
        Play("me.hand.1", "me.board.1"): play + 3,
        Play("me.hand.1", "enemy.hero"): play + 9,
        Play("me.hand.1", "enemy.board.0"): play + 10,
        Attack("me.board.0", "enemy.hero"): hits + 8,
        Attack("me.board.1", "enemy.board.0"): hits + 17,
    }
    assert {action: encoding.number(state, action) for action in wanted} == wanted
    assert set(wanted.values()) <= set(numbers.values())
    names = dict(zip(encoding.names, encoding.observation(state, state.seat), strict=True))
    assert (names["me.mana"], names["me.board.1.attack"], names["enemy.board.0.health"]) == (5, 3, 7)
    assert (names["me.hand.0.charge"], names["me.hand.1.spell"], names["me.hand.2.card"]) == (1, 1, 0)
    assert names["me.board.0.card"] == names["me.board.0.card"] != names["me.board.1.card"]


# -- Gymnasium


@pytest.mark.parametrize("name", SETUPS)
def test_environment_passes_the_checker_of_gymnasium(name: str) -> None:
    env = MatchEnv(setup_of(name), game=game_of(name), render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not having a spec")  # it is made, not looked up by a name
        check_env(env)
    env.close()


@pytest.mark.parametrize(
    ("name", "opponent", "seat"), [("hearthstone", "greedy", 1), ("tiny", "random", 0), ("starter", "random", 0)]
)
def test_masked_play_ends_with_a_result(name: str, opponent: str, seat: int) -> None:
    env = MatchEnv(setup_of(name), opponent, seat, game_of(name))
    rng, rewards = np.random.default_rng(3), []
    for seed in (1, 2):
        observation, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            assert env.observation_space.contains(observation)
            assert info["action_mask"].shape == (env.action_space.n,)
            assert info["outcome"] == ""
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            observation, reward, terminated, truncated, info = env.step(action)
            assert not truncated
            assert terminated or reward == 0
        assert not info["action_mask"].any()
        assert " by " in info["outcome"]
        rewards.append(reward)
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)
    assert set(rewards) <= {-1.0, 0.0, 1.0}


def test_equal_seeds_and_actions_give_equal_matches() -> None:
    def played(seed: int) -> list[list[float]]:
        env, rng = MatchEnv(setup_of("tiny")), np.random.default_rng(1)
        observation, info = env.reset(seed=seed)
        seen, terminated = [observation.tolist()], False
        while not terminated:
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            observation, _, terminated, _, info = env.step(action)
            seen.append(observation.tolist())
        return seen

    assert played(1) == played(1)
    assert played(1) != played(2)


def test_illegal_action_loses() -> None:
    env = MatchEnv(HEARTHSTONE)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    _, info = env.reset(seed=1)
    wrong = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, _, info = env.step(wrong)
    assert (reward, terminated) == (-1.0, True)
    assert info["outcome"] == f"illegal action: {wrong} is not legal now"


def test_opponent_that_breaks_the_rules_loses() -> None:
    class Rude:
        name = "rude"

        def decide(self, _: object) -> object:
            return None

    env = MatchEnv(MatchSetup.of("thesis_paladin", "thesis_warrior", rules="thesis"), Rude())
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(0)  # the end of the turn
    assert (reward, terminated) == (1.0, True)
    assert info["outcome"].startswith("opponent: illegal action: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seat": 2}, "seat: must be from 0 to 1, got 2"),
        ({"seat": -1}, "seat: must be from 0 to 1, got -1"),
        ({"render_mode": "human"}, "render_mode: 'hum"),
    ],
)
def test_invalid_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(PlannerError, match=message):
        MatchEnv(HEARTHSTONE, **arguments)
