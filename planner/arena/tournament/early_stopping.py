"""When an experiment may end before all its games are played.

A rule sees the finished games only as an unbroken beginning of the schedule, one more game at a time. So it stops
at the same game however many workers there are, and games beyond it that were finished already do not count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.schedule import UNPAIRED, Schedule


class Stopping:
    """Never stops. Others say in `_enough` whether the games so far are enough."""

    def __init__(self, games: Schedule, results: Mapping[int, Result]) -> None:
        self.games, self.results = games, results
        self.seen = 0
        self.stopped = False

    def length(self) -> int:
        """How many games from the beginning of the schedule count by now."""
        while not self.stopped and self.seen in self.results:
            self.stopped = self._enough(self.seen)
            self.seen += 1
        return self.seen

    def _enough(self, place: int) -> bool:  # noqa: ARG002  (others look)
        """Told of every game in the order of the schedule: was this the last one that is needed?"""
        return False

    def summary(self) -> dict[str, Any]:
        """For the manifest, and for those who watch."""
        return {}


class SprtStopping(Stopping):
    """Stops as soon as the sequential test of the first agent against the second has decided."""

    def __init__(self, experiment: Experiment, games: Schedule, results: Mapping[int, Result]) -> None:
        from planner.stats.paired_tests import Sprt  # noqa: PLC0415  (numpy and scipy, for those who ask)

        super().__init__(games, results)
        options = experiment.sprt
        assert options is not None
        self.test = Sprt(options.elo0, options.elo1, options.alpha, options.beta)
        self._half: dict[int, int] = {}  # by pair: half points of the first agent in the game that is finished

    def _enough(self, place: int) -> bool:
        """Fed pair by pair, or game by game where the games are not paired."""
        game = self.games[place]
        points = {0: 2, 1: 0}.get(self.results[place].winner, 1)
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
        """What was decided, how surely, and between what."""
        test = self.test
        found = {"decision": test.decision, "llr": round(test.llr, 4), "games": self.seen, "elo0": test.elo0,
                 "elo1": test.elo1, "lower": round(test.lower, 4), "upper": round(test.upper, 4)}  # fmt: skip
        return {"sprt": found}


def verdict(sprt: Mapping[str, Any], agents: Sequence[str]) -> str:
    """What a test said, from its `summary`: in the manifest of a run, or of one that is under way."""
    limits = f", stops at {sprt['lower']:.2f} and {sprt['upper']:.2f}" if "lower" in sprt else ""
    what = {"accept H0": ("elo0", "elo1"), "accept H1": ("elo1", "elo0")}.get(sprt["decision"])
    if what is None:
        found = "not decided"
    elif what[0] in sprt:
        found = f"{sprt['decision']}, {sprt[what[0]]:g} Elo rather than {sprt[what[1]]:g}"
    else:
        found = sprt["decision"]
    return f"{' against '.join(agents)}: {found} after {sprt['games']:,} games (LLR {sprt['llr']:.2f}{limits})"


def stopping_rule(experiment: Experiment, games: Schedule, results: Mapping[int, Result]) -> Stopping:
    """What the experiment asks for."""
    return Stopping(games, results) if experiment.sprt is None else SprtStopping(experiment, games, results)
