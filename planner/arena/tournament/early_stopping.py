"""Rules that stop an experiment, or one of its pairings, before all games are played.

A rule looks at the finished games of a pairing in the order of the schedule, without gaps. It therefore stops at the
same game however many workers there are; games after that point do not count even if they are finished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.arena.tournament.experiment import SprtOptions
from planner.arena.tournament.game_result import Result, half_points, other_seats
from planner.arena.tournament.schedule import UNPAIRED, Fixture, Schedule


class _CandidateTest:
    """The sequential test of one agent against another, over the games of their pairing."""

    def __init__(self, tested: int, options: SprtOptions, alpha: float, seats: int) -> None:
        from planner.stats.paired_tests import Sprt  # noqa: PLC0415  (numpy and scipy, only for these experiments)

        self.tested = tested
        self.test = Sprt(options.elo0, options.elo1, alpha, options.beta)
        self.in_round: list[int] = []  # the positions of its games in the first round
        self.counted = 0
        self.stopped = False
        self._open_pairs: dict[int, tuple[int, int]] = {}  # by pair: games, half points of the agent in them
        self._pair_games = seats  # the first agent takes each seat once

    def add(self, game: Fixture, result: Result) -> None:
        """Add a game to the test: pair by pair, or game by game if the games are not paired."""
        self.counted += 1
        seats = len(game.agents)
        # In a game of many seats the second agent takes all seats but one, so the points of the first one decide.
        seat = game.agents.index(0)
        first = half_points(result, seat, other_seats(seat, seats))
        points, played = first if self.tested == 0 else 2 * (seats - 1) - first, 1
        if game.pair != UNPAIRED:
            before, earlier = self._open_pairs.pop(game.pair, (0, 0))
            played, points = before + 1, earlier + points
            if played < self._pair_games:
                self._open_pairs[game.pair] = played, points
                return
        counts = [0] * (2 * (seats - 1) * played + 1)
        counts[points] = 1
        self.stopped = self.test.update(counts) != "continue"

    def summary(self) -> dict[str, Any]:
        """Return the decision, the log-likelihood ratio and its bounds."""
        test = self.test
        return {
            "decision": test.decision,
            "llr": round(test.llr, 4),
            "games": self.counted,
            "elo0": test.elo0,
            "elo1": test.elo1,
            "lower": round(test.lower, 4),
            "upper": round(test.upper, 4),
        }


class Stopping:
    """Stops each pairing of an experiment with sequential tests as soon as its test is decided, and no other run.

    The first agent plays in every pairing that is tested.
    """

    def __init__(self, results: Mapping[int, Result], games: Schedule | None = None) -> None:
        self.results, self.games = results, games
        self.counted = 0  # games that count by now
        self._tests: dict[int, _CandidateTest] = {}  # by the agent that is not the first one
        # By position in a round: the test of a game, and the number of games of the same test before it.
        self._round: list[tuple[_CandidateTest, int]] = []
        if games is None or (options := games.experiment.sprt) is None:
            return
        self._names = games.experiment.names
        self._base = self._names.index(options.base) if options.base is not None else 1
        others = range(1, len(self._names))
        # The Bonferroni correction: with several candidates, alpha is the chance that any of them is accepted wrongly.
        alpha, seats = options.alpha / len(others), games.experiment.seats
        self._tests = {other: _CandidateTest(0 if self._base else other, options, alpha, seats) for other in others}
        for game in games[: games.games_per_round]:
            test = self._tests[max(game.agents)]
            self._round.append((test, len(test.in_round)))
            test.in_round.append(game.position)

    def update(self) -> None:
        """Look at the games that have finished since the last call, in the order of the schedule."""
        if self.games is None or not self._tests:
            while self.counted in self.results:
                self.counted += 1
            return
        for test in self._tests.values():
            while not test.stopped:
                number, in_round = divmod(test.counted, len(test.in_round))
                position = number * self.games.games_per_round + test.in_round[in_round]
                if position not in self.results:
                    break
                test.add(self.games[position], self.results[position])
        self.counted = sum(test.counted for test in self._tests.values())

    @property
    def stopped(self) -> bool:
        """Whether no further games are needed."""
        return bool(self._tests) and all(test.stopped for test in self._tests.values())

    def needs(self, position: int) -> bool:
        """Return whether the game at this position of the schedule is still to be played."""
        return not self._tests or not self._round[position % len(self._round)][0].stopped

    def positions(self) -> Sequence[int]:
        """Return the positions of the games that count, in ascending order: those up to the decision of each test."""
        if len(self._tests) <= 1:
            return range(self.counted)
        per_round = len(self._round)
        last = max(-(-test.counted // len(test.in_round)) for test in self._tests.values())
        return [
            number * per_round + index
            for number in range(last)
            for index, (test, before) in enumerate(self._round)
            if number * len(test.in_round) + before < test.counted
        ]

    def summary(self) -> dict[str, Any]:
        """Return the state of the test, or of each test if there are several, for the manifest and the progress."""
        if not self._tests:
            return {}
        tests = [test.summary() for test in self._tests.values()]
        if self._base == 1:
            return {"sprt": tests[0]}
        names = [{"agent": self._names[test.tested], "base": self._names[0]} for test in self._tests.values()]
        return {"sprt": [name | test for name, test in zip(names, tests, strict=True)]}


def sprt_tests(summary: Mapping[str, Any], agents: Sequence[str]) -> list[dict[str, Any]]:
    """Return the tests in a summary or manifest, each with its `agent` and `base`; empty if there are none."""
    tests = summary.get("sprt") or []
    if isinstance(tests, Mapping):  # a test of the first agent against the second
        return [{"agent": agents[0], "base": agents[1], **tests}]
    return list(tests)


def describe_sprt(sprt: Mapping[str, Any]) -> str:
    """Describe a test of `sprt_tests` in one line."""
    limits = f", stops at {sprt['lower']:.2f} and {sprt['upper']:.2f}" if "lower" in sprt else ""
    hypotheses = {"accept H0": ("elo0", "elo1"), "accept H1": ("elo1", "elo0")}.get(sprt["decision"])
    if hypotheses is None:
        decision = "not decided"
    elif hypotheses[0] in sprt:
        accepted, rejected = hypotheses
        decision = f"{sprt['decision']}, {sprt[accepted]:g} Elo rather than {sprt[rejected]:g}"
    else:
        decision = sprt["decision"]
    names = f"{sprt['agent']} against {sprt['base']}"
    return f"{names}: {decision} after {sprt['games']:,} games (LLR {sprt['llr']:.2f}{limits})"
