"""How a game ended, as a small value for the store; what differs from run to run (times) is kept apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from planner.arena.match.record import MatchRecord, RecordedMove
from planner.arena.match.referee import forfeit
from planner.arena.tournament.schedule import Fixture

DRAW: Final = -1
# Decision times are counted in bins that can be added up: ten to a factor of ten, from a microsecond on.
BINS_PER_DECADE: Final = 10
BINS: Final = 9 * BINS_PER_DECADE


class ThinkingTime(NamedTuple):
    """How long one agent took in one game."""

    seconds: float = 0.0
    slowest: float = 0.0
    # "bin:decisions ...", without the empty bins: small, where there are a million games. The steps of a plan that was
    # made already are no decisions here: they take no time, and there are more of them than of plans.
    histogram: str = ""


class Result(NamedTuple):
    """The game at this place of the schedule."""

    place: int
    winner: int  # 0 the first seat, 1 the second, -1 nobody; where there is one seat, 0 is won and -1 is lost
    reason: str
    rounds: int
    turns: int
    decisions: tuple[int, ...]  # that were carried out from the first turn on, by seat
    times: tuple[ThinkingTime, ...] = ()
    seconds: float = 0.0  # the whole game
    measures: Mapping[str, float] = {}  # what the game itself counts
    cards: tuple[str, ...] = ()  # what became of each seat's cards, as `Game.cards_used` tells it; empty: not known
    said: tuple[str, ...] = ()  # what users' agents wrote to stderr, by seat; in no journal and no table


def result_of(place: int, record: MatchRecord, seconds: float) -> Result:
    """The result of a match that was played."""
    made: list[list[RecordedMove]] = [[] for _ in record.agents]
    for turn in record.turns:
        if turn.number > 0:
            made[turn.seat].extend(turn.moves)
    end = record.outcome
    return Result(
        place=place,
        winner=DRAW if end.winner is None else end.winner,
        reason=end.reason,
        rounds=end.rounds,
        turns=sum(turn.number > 0 for turn in record.turns),
        decisions=tuple(map(len, made)),
        times=tuple(map(_times, made)),
        seconds=seconds,
        measures=dict(record.game.measures(record.final)),
        cards=record.cards_used(),
        said=record.said,
    )


def forfeited(fixture: Fixture, seat: int, turn: int, reason: str, seconds: float) -> Result:
    """The agent in this seat lost, and its process with it: the decisions were not saved."""
    seats = len(fixture.agents)
    end = forfeit(seat, seats, reason, turn)
    winner = DRAW if end.winner is None else end.winner
    return Result(fixture.place, winner, end.reason, end.rounds, turn, (0,) * seats, (ThinkingTime(),) * seats, seconds)


def bin_edges() -> list[float]:
    """Where the bins begin, and the end of the last."""
    return [0.0, *(1e-6 * 10 ** (number / BINS_PER_DECADE) for number in range(1, BINS)), math.inf]


def _times(moves: list[RecordedMove]) -> ThinkingTime:
    seconds = [move.seconds for move in moves]
    thought = _histogram(move.seconds for move in moves if move.thought)
    return ThinkingTime(sum(seconds), max(seconds, default=0.0), thought)


def read_histogram(text: str) -> list[tuple[int, int]]:
    """(bin, decisions) for every bin that is not empty."""
    return [(int(number), int(count)) for number, _, count in (part.partition(":") for part in text.split())]


def _histogram(seconds: Iterable[float]) -> str:
    def place(time: float) -> int:
        number = math.floor((math.log10(time) + 6) * BINS_PER_DECADE) if time > 0 else 0
        return min(max(number, 0), BINS - 1)

    return " ".join(f"{number}:{count}" for number, count in sorted(Counter(map(place, seconds)).items()))
