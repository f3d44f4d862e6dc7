"""How a game ended, as a small value for the store; what differs from run to run (times) is kept apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from planner.arena.record import MatchRecord

DRAW: Final = -1
# Decision times are counted in bins that can be added up: ten to a factor of ten, from a microsecond on.
BINS_PER_DECADE: Final = 10
BINS: Final = 9 * BINS_PER_DECADE


class Times(NamedTuple):
    """How long one agent took in one game."""

    seconds: float = 0.0
    slowest: float = 0.0
    histogram: str = ""  # "bin:decisions ...", without the empty bins: small, where there are a million games


class Result(NamedTuple):
    """The game at this place of the schedule."""

    place: int
    winner: int  # 0 the first seat, 1 the second, -1 nobody
    reason: str
    rounds: int
    turns: int
    decisions: tuple[int, int]  # that were carried out, by seat
    times: tuple[Times, Times] = (Times(), Times())
    seconds: float = 0.0  # the whole game


def result_of(place: int, record: MatchRecord, seconds: float) -> Result:
    """The result of a match that was played."""
    spent: tuple[list[float], list[float]] = ([], [])
    for turn in record.turns:
        spent[turn.seat].extend(move.seconds for move in turn.moves)
    end = record.outcome
    return Result(
        place=place,
        winner=DRAW if end.winner is None else end.winner,
        reason=end.reason,
        rounds=record.rounds,
        turns=len(record.turns),
        decisions=(len(spent[0]), len(spent[1])),
        times=(_times(spent[0]), _times(spent[1])),
        seconds=seconds,
    )


def forfeit(place: int, seat: int, turn: int, reason: str, seconds: float) -> Result:
    """The agent in this seat lost, and its process with it: the decisions were not saved."""
    return Result(place, 1 - seat, reason, (turn + 1) // 2, turn, (0, 0), seconds=seconds)


def bin_edges() -> list[float]:
    """Where the bins begin, and the end of the last."""
    return [0.0, *(1e-6 * 10 ** (number / BINS_PER_DECADE) for number in range(1, BINS)), math.inf]


def _times(seconds: list[float]) -> Times:
    return Times(sum(seconds), max(seconds, default=0.0), _histogram(seconds))


def read_histogram(text: str) -> list[tuple[int, int]]:
    """(bin, decisions) for every bin that is not empty."""
    return [(int(number), int(count)) for number, _, count in (part.partition(":") for part in text.split())]


def _histogram(seconds: Iterable[float]) -> str:
    def place(time: float) -> int:
        number = math.floor((math.log10(time) + 6) * BINS_PER_DECADE) if time > 0 else 0
        return min(max(number, 0), BINS - 1)

    return " ".join(f"{number}:{count}" for number, count in sorted(Counter(map(place, seconds)).items()))
