"""The PettingZoo environment: its own conformance test, and the same matches as in the arena."""

from __future__ import annotations

import numpy as np
import pytest

from planner.games.hearthstone import MatchSetup

pytest.importorskip("pettingzoo", reason="an extra")

from pettingzoo.test import api_test, seed_test

from planner.pettingzoo import MatchAECEnv

SETUP = MatchSetup.of("mage", "warrior")


@pytest.mark.filterwarnings("ignore")  # the test itself warns that the action space has no natural bounds
def test_conforms_to_the_api() -> None:
    api_test(MatchAECEnv(SETUP), num_cycles=200)
    seed_test(lambda: MatchAECEnv(SETUP), num_cycles=50)


def play(env: MatchAECEnv, seed: int) -> dict[str, float]:
    rng, rewards = np.random.default_rng(seed), dict[str, float]()
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, reward, terminated, _, _ = env.last()
        rewards[agent] = reward
        env.step(None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return rewards


def test_rewards_are_those_of_the_outcome() -> None:
    env = MatchAECEnv(SETUP)
    rewards = play(env, 3)
    end = env.environment.outcome
    assert end is not None
    assert list(rewards.values()) == [2 * points - 1 for points in end.points] != [0, 0]


def test_illegal_action_ends_the_match() -> None:
    env = MatchAECEnv(SETUP)
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0]))
    assert all(env.terminations.values())
    assert env.rewards[agent] == -1.0
    assert sum(env.rewards.values()) == -1.0
