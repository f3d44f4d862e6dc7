"""The strength and speed of the agents, compared with Bateni and Whitehead 2024."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

import pytest

from planner.agents.agent_spec import FirstAgent
from planner.cli import main
from planner.games.spire import battle_rules
from planner.games.spire.battle_agents import LookAheadAgent
from planner.games.spire.battle_codec import scenario
from planner.games.spire.battle_planner import BattleWeights
from planner.games.spire.battle_state import END, Action, Battle
from planner.games.spire.spire_game import GAME, Spire
from planner.planning.plan import PlanOptions

first_agent = partial(FirstAgent, GAME)


class RandomAgent:
    """Takes a random legal action."""

    def __init__(self, rng: Random) -> None:
        self.random = rng.random

    def decide(self, state: Battle) -> Action:
        legal = battle_rules.legal_actions(state)
        return legal[int(self.random() * len(legal))]


class PlannedAgent:
    """Plays the best turn under a profile."""

    def __init__(self, profile: str) -> None:
        self.weights, self.waiting = BattleWeights.of(profile), list[Action]()

    def decide(self, state: Battle) -> Action:
        if not self.waiting:
            plan = next(Spire().plans(state, self.weights, PlanOptions()))
            self.waiting = [*plan.actions, *([END] if plan.reveals is None else [])]
        return self.waiting.pop(0)


def fight(make: Callable[[Random], Any], seed: int, name: str = "starter") -> Battle:
    rng, agent = Random(seed), make(Random(seed + 10**6))
    state = battle_rules.start(scenario(name), rng)
    while battle_rules.outcome(state) is None:
        state = battle_rules.apply(state, agent.decide(state), rng)
    return state


def win_rate(make: Callable[[Random], Any], battles: int) -> float:
    return sum(fight(make, seed).health > 0 for seed in range(battles)) / battles


def test_random_agent_wins_90_percent() -> None:
    assert 0.85 <= win_rate(RandomAgent, 600) <= 0.95


@pytest.mark.long
def test_random_agent_wins_90_percent_of_2000_battles() -> None:
    assert 0.85 <= win_rate(RandomAgent, 2000) <= 0.95


def test_lookahead_wins_99_percent() -> None:
    assert win_rate(LookAheadAgent, 200) >= 0.99
    assert win_rate(first_agent, 100) > 0.9


@pytest.mark.long
def test_lookahead_wins_99_percent_of_2000_battles() -> None:
    assert win_rate(LookAheadAgent, 2000) >= 0.99


def test_first_takes_the_published_numbers_of_turns_and_actions() -> None:
    """Actions are cards played and targets chosen, also of a single enemy; ending a turn has no alternative."""
    turns, actions = [], []
    for seed in range(400):
        rng, agent, count = Random(seed), first_agent(Random(0)), 0
        state = battle_rules.start(scenario("starter"), rng)
        while battle_rules.outcome(state) is None:
            action = agent.decide(state)
            if action != END:
                count += 2 if state.hand[action.position].type == "attack" else 1
            state = battle_rules.apply(state, action, rng)
        turns.append(state.turn)
        actions.append(count)
    assert fmean(turns) == pytest.approx(5, abs=0.5)
    assert fmean(actions) == pytest.approx(23, abs=1)


@pytest.mark.parametrize("name", ["starter", "batter", "bomb", "suffer"])
def test_planner_keeps_more_health_than_lookahead(name: str) -> None:
    gains = [
        fight(lambda _: PlannedAgent("spire_careful"), seed, name).health - fight(LookAheadAgent, seed, name).health
        for seed in range(60)
    ]
    mean, half = fmean(gains), 1.96 * stdev(gains) / math.sqrt(len(gains))
    print(f"{name}: {mean:+.1f} health, 95 % from {mean - half:+.1f} to {mean + half:+.1f}")  # noqa: T201
    assert mean - half > 0


def test_hard_scenarios_separate_the_agents() -> None:
    with (Path(__file__).parents[3] / "results" / "spire_hard" / "summary.csv").open(encoding="utf-8") as file:
        band = {row["agent"]: row for row in csv.DictReader(file) if row["scenario"] == "band"}
    order = ("random", "first", "lookahead", "spire_balanced")
    for worse, better in pairwise(order):
        assert float(band[worse]["high"]) < float(band[better]["low"])
    wins = [
        sum(fight(make, seed, "band").health > 0 for seed in range(25))
        for make in (RandomAgent, first_agent, LookAheadAgent, lambda _: PlannedAgent("spire_balanced"))
    ]
    assert wins == sorted(wins)
    assert wins[0] == 0
    assert wins[3] >= wins[1] + 10


def test_deeper_lookahead_finds_a_combination() -> None:
    # Stimulate is useless alone, but strong before Batter.
    deep = [fight(lambda rng: LookAheadAgent(rng, 2), seed, "batter").turn for seed in range(40)]
    shallow = [fight(LookAheadAgent, seed, "batter").turn for seed in range(40)]
    assert fmean(deep) < fmean(shallow) - 1


@pytest.mark.parametrize(("make", "minimum"), [(RandomAgent, 1500), (LookAheadAgent, 100)])
def test_speed(make: Callable[[Random], Any], minimum: int) -> None:
    fight(make, 0)
    rates = []
    for attempt in range(3):  # the best of three: other processes share the machine
        began, battles = time.process_time(), minimum // 5
        for seed in range(battles):
            fight(make, attempt * battles + seed)
        rates.append(battles / (time.process_time() - began))
    assert max(rates) >= minimum


def test_bench_battles_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "battles", "--agents", "random, spire_careful", "--seconds", "0.1"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("random", "spire_careful", "battles/s"))
