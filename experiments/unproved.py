"""Play a study again and count the plans without a proof: `python -m experiments.unproved effects`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from planner.arena.match.referee import agent_seed, play_match
from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.schedule import schedule
from planner.games.hearthstone.hearthstone_game import Hearthstone
from planner.games.hearthstone.rules.state import GameState
from planner.planning.plan import PlanOptions

WORKERS = 2


class Watched(Hearthstone):
    """The game, counting how the search for each plan ended."""

    def __init__(self) -> None:
        self.ends: Counter[str] = Counter()

    def plans(self, state: GameState, weights: Any, options: PlanOptions) -> Iterator[Any]:
        """Yield the best turns from this state and count how their searches ended."""
        for plan in super().plans(state, weights, options):
            self.ends["proved" if plan.status == "optimal" else plan.stopped] += 1
            yield plan


def ends_of_plans(study: str, part: int) -> Counter[str]:
    """Play one of `WORKERS` parts of the study's games."""
    experiment, game = load_experiment(study), Watched()
    for fixture in schedule(experiment)[part::WORKERS]:
        agents = [
            experiment.agents[agent].spec.make(game, agent_seed(fixture.seed, seat))
            for seat, agent in enumerate(fixture.agents)
        ]
        play_match(agents, experiment.setups[fixture.setup], fixture.seed, game)
    return game.ends


def main(study: str) -> None:
    """Print how the plans ended, most frequent first."""
    with ProcessPoolExecutor(WORKERS) as pool:
        total = sum(pool.map(ends_of_plans, [study] * WORKERS, range(WORKERS)), Counter[str]())
    summary = ", ".join(f"{end} {count}" for end, count in total.most_common())
    sys.stdout.write(f"{study}: {total.total()} plans: {summary}\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "effects")
