"""Rules that stop an experiment before all its games are played.

A rule looks at finished games in the order of the schedule, without gaps. It therefore stops at the same game however
many workers there are; games after that point do not count even if they are finished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result, half_points
from planner.arena.tournament.schedule import UNPAIRED, Fixture


class Stopping:
    """The rule that never stops. Subclasses override `_is_enough`."""

    def __init__(self, games: Sequence[Fixture], results: Mapping[int, Result]) -> None:
        self.games, self.results = games, results
        self.counted = 0
        self.stopped = False

    def length(self) -> int:
        """Return how many games from the beginning of the schedule count by now."""
        while not self.stopped and self.counted in self.results:
            self.stopped = self._is_enough(self.counted)
            self.counted += 1
        return self.counted

    def _is_enough(self, index: int) -> bool:  # noqa: ARG002  (for subclasses)
        """Return whether the run can stop after this game; called for every game in the order of the schedule."""
        return False

    def summary(self) -> dict[str, Any]:
        """Return the state of the rule, for the manifest and for progress displays."""
        return {}


class SprtStopping(Stopping):
    """Stops as soon as the sequential test of the first agent against the second is decided."""

    def __init__(self, experiment: Experiment, games: Sequence[Fixture], results: Mapping[int, Result]) -> None:
        from planner.stats.paired_tests import Sprt  # noqa: PLC0415  (numpy and scipy, only for these experiments)

        super().__init__(games, results)
        options = experiment.sprt
        assert options is not None
        self.test = Sprt(options.elo0, options.elo1, options.alpha, options.beta)
        self._open_pairs: dict[int, tuple[int, int]] = {}  # by pair: games, half points of the first agent in them
        self._pair_games = experiment.seats  # the first agent takes each seat once

    def _is_enough(self, index: int) -> bool:
        """Add the game to the test: pair by pair, or game by game if the games are not paired."""
        game = self.games[index]
        seats = len(game.agents)
        points, played = half_points(self.results[index], game.agents.index(0), seats), 1
        if game.pair != UNPAIRED:
            before, earlier = self._open_pairs.pop(game.pair, (0, 0))
            played, points = before + 1, earlier + points
            if played < self._pair_games:
                self._open_pairs[game.pair] = played, points
                return False
        counts = [0] * (2 * (seats - 1) * played + 1)
        counts[points] = 1
        return self.test.update(counts) != "continue"

    def summary(self) -> dict[str, Any]:
        """Return the decision, the log-likelihood ratio and its bounds."""
        test = self.test
        return {
            "sprt": {
                "decision": test.decision,
                "llr": round(test.llr, 4),
                "games": self.counted,
                "elo0": test.elo0,
                "elo1": test.elo1,
                "lower": round(test.lower, 4),
                "upper": round(test.upper, 4),
            }
        }


def describe_sprt(sprt: Mapping[str, Any], agents: Sequence[str]) -> str:
    """Describe a test in one line, from the summary in a manifest or of a run in progress."""
    limits = f", stops at {sprt['lower']:.2f} and {sprt['upper']:.2f}" if "lower" in sprt else ""
    hypotheses = {"accept H0": ("elo0", "elo1"), "accept H1": ("elo1", "elo0")}.get(sprt["decision"])
    if hypotheses is None:
        decision = "not decided"
    elif hypotheses[0] in sprt:
        accepted, rejected = hypotheses
        decision = f"{sprt['decision']}, {sprt[accepted]:g} Elo rather than {sprt[rejected]:g}"
    else:
        decision = sprt["decision"]
    return f"{' against '.join(agents)}: {decision} after {sprt['games']:,} games (LLR {sprt['llr']:.2f}{limits})"


def stopping_rule(experiment: Experiment, games: Sequence[Fixture], results: Mapping[int, Result]) -> Stopping:
    """Return the rule that the experiment asks for."""
    return Stopping(games, results) if experiment.sprt is None else SprtStopping(experiment, games, results)
