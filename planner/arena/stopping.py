"""When an experiment may end before all its games are played.

A rule sees the finished games only as an unbroken beginning of the schedule, one more game at a time. So it stops
at the same game however many workers there are, and games beyond it that were finished already do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.arena.experiment import Experiment
from planner.arena.result import Result
from planner.arena.schedule import UNPAIRED, Fixture


class Stopping:
    """Never stops. Others say in `stop` whether the games so far are enough."""

    def __init__(self) -> None:
        self.seen = 0
        self.stopped = False

    def length(self, games: Sequence[Fixture], results: Mapping[int, Result]) -> int:
        """How many games from the beginning of the schedule count by now."""
        while not self.stopped and self.seen < len(games) and games[self.seen].place in results:
            self.seen += 1
            last = games[self.seen - 1]
            self.stopped = self.stop(last, results[last.place])
        return self.seen

    def stop(self, game: Fixture, result: Result) -> bool:  # noqa: ARG002  (others look)
        """Told of every game in the order of the schedule: was this the last one that is needed?"""
        return False

    def summary(self) -> dict[str, Any]:
        """For the manifest."""
        return {}


class SprtStopping(Stopping):
    """Stops as soon as the sequential test of the first agent against the second has decided."""

    def __init__(self, experiment: Experiment) -> None:
        from planner.stats.sprt import Sprt  # noqa: PLC0415  (numpy and scipy, for those who ask)

        super().__init__()
        options = experiment.sprt
        assert options is not None
        self.test = Sprt(options.elo0, options.elo1, options.alpha, options.beta)
        self._half: dict[int, int] = {}  # by pair: half points of the first agent in the game that is finished

    def stop(self, game: Fixture, result: Result) -> bool:
        """Fed pair by pair, or game by game where the games are not paired."""
        points = {0: 2, 1: 0}.get(result.winner, 1)
        if game.first != 0:
            points = 2 - points
        if game.pair == UNPAIRED:
            counts = [0] * 3
        elif game.pair in self._half:
            points += self._half.pop(game.pair)
            counts = [0] * 5
        else:
            self._half[game.pair] = points
            return False
        counts[points] = 1
        return self.test.update(counts) != "continue"

    def summary(self) -> dict[str, Any]:
        """What was decided, and how surely."""
        return {"sprt": {"decision": self.test.decision, "llr": round(self.test.llr, 4), "games": self.seen}}


def stopping_rule(experiment: Experiment) -> Stopping:
    """What the experiment asks for."""
    return Stopping() if experiment.sprt is None else SprtStopping(experiment)
