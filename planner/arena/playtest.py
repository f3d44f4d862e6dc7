"""What a change of the setup does to those who play it: both forms from the same seeds, so that luck cancels out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from planner.agents.spec import AgentSpec
from planner.arena.match import agent_seed, play_match
from planner.arena.seeds import derive_seed
from planner.game import AnyGame
from planner.stats.intervals import Interval, mean_interval


@dataclass(frozen=True)
class AgentChange:
    """What one agent scores and measures before and after the change, and the mean difference with its interval."""

    agent: str
    games: int
    before: Mapping[str, float]
    after: Mapping[str, float]
    change: Mapping[str, Interval]


def playtest(
    of: AnyGame, before: Any, after: Any, agents: Sequence[AgentSpec], games: int, seed: int
) -> list[AgentChange]:
    """Play both setups of a game of one seat with each agent: `score` is its points, the rest the game's measures."""
    changes = []
    for spec in agents:
        seeds = [derive_seed(seed, number) for number in range(games)]
        without, with_it = ([_play(of, setup, spec, one) for one in seeds] for setup in (before, after))
        changes.append(
            AgentChange(
                spec.agent,
                games,
                {key: fmean(one[key] for one in without) for key in without[0]},
                {key: fmean(one[key] for one in with_it) for key in without[0]},
                {
                    key: mean_interval([new[key] - old[key] for old, new in zip(without, with_it, strict=True)])
                    for key in without[0]
                },
            )
        )
    return changes


def _play(of: AnyGame, setup: Any, spec: AgentSpec, seed: int) -> dict[str, float]:
    record = play_match([spec.make(of, agent_seed(seed, 0))], setup, seed, of)
    return {"score": record.outcome.points[0], **of.measures(record.final)}
