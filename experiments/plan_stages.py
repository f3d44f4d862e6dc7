"""Measure what the time of `plan_turn` goes into: `python -m experiments.plan_stages recorded`.

Every turn is planned several times, one turn after the other. The time of a stage is the shortest for each turn, so
that other programs on the machine count little. The clocks themselves add about 5 %.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from statistics import fmean
from time import perf_counter_ns
from typing import Any

from planner import api
from planner.bench.benchmark_positions import load_positions, random_positions
from planner.bench.speed import PlanningTask
from planner.games.hearthstone.turn import native, turn_plan

PASSES = 12
TURNS = 300
# By name: where `plan_turn` finds the function that does this. A stage may contain others.
STAGES: dict[str, tuple[Any, str]] = {
    "read the state": (api, "read_state"),
    "call the engine": (native, "best_turns"),
    "in the engine": (native.compiled_engine(), "best_turns"),
    "replay": (turn_plan, "replay"),
    "make the plan": (turn_plan._Task, "plan"),
}
ALL = "all"


def timed(times: dict[str, int], stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with a clock that adds its nanoseconds to the stage."""

    def call(*arguments: Any, **options: Any) -> Any:
        began = perf_counter_ns()
        try:
            return function(*arguments, **options)
        finally:
            times[stage] = times.get(stage, 0) + perf_counter_ns() - began

    return call


def shortest_times(tasks: list[PlanningTask]) -> list[dict[str, int]]:
    """Return for each turn the shortest time of each stage, in nanoseconds."""
    times: dict[str, int] = {}
    for stage, (place, name) in STAGES.items():
        setattr(place, name, timed(times, stage, getattr(place, name)))
    plan = timed(times, ALL, api.plan_turn)
    best: list[dict[str, int]] = [{} for _ in tasks]
    for _ in range(PASSES):
        for own, task in zip(best, tasks, strict=True):
            times.clear()
            plan(task.mapping, task.profile)
            for stage, time in times.items():
                own[stage] = min(time, own.get(stage, time))
    return best


def main(source: str) -> None:
    """Print the mean of each stage in microseconds, and its share."""
    kind, _, name = source.partition(":")
    positions = random_positions(name, seed=4242, limit=TURNS) if kind == "random" else load_positions(source)
    best = shortest_times([PlanningTask.from_position(position) for position in positions])
    total = fmean(own[ALL] for own in best)
    for stage in (*STAGES, ALL):
        mean = fmean(own.get(stage, 0) for own in best)
        sys.stdout.write(f"{stage:16} {mean / 1000:6.1f} microseconds {100 * mean / total:4.0f} %\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "recorded")
