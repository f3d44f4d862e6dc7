"""The result of one game of a tournament, as a small value for the journal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from planner.arena.match.record import MatchRecord, RecordedMove
from planner.arena.match.referee import forfeit, forfeit_of
from planner.arena.tournament.schedule import Fixture
from planner.planning.capabilities import PlayedMatch

DRAW: Final = -1
# Decision times are counted in bins, so that histograms can be added: ten bins per factor of ten, from a microsecond.
BINS_PER_DECADE: Final = 10
BINS: Final = 9 * BINS_PER_DECADE


class ThinkingTime(NamedTuple):
    """How long one agent took in one game."""

    seconds: float = 0.0
    slowest: float = 0.0
    # "bin:decisions ..." without empty bins, to keep the journal small. Steps of a plan that was made before do not
    # count: they take no time, and there are more of them than of plans.
    histogram: str = ""


class Result(NamedTuple):
    """How the game at this position of the schedule ended."""

    position: int
    winner: int  # the seat, or -1 for a draw or a shared first place; with one seat 0 is won and -1 is lost
    reason: str
    rounds: int
    turns: int
    decisions: tuple[int, ...]  # by seat: actions from the first turn on
    times: tuple[ThinkingTime, ...] = ()
    seconds: float = 0.0  # of the game
    measures: Mapping[str, float] = {}  # what the game itself counts
    cards: tuple[str, ...] = ()  # what happened to each seat's cards (see `Game.cards_used`); empty: not known
    # Only in games of more than two seats, by seat: the place from 1, and why the agent forfeited ("" if it did not).
    places: tuple[int, ...] = ()
    forfeits: tuple[str, ...] = ()
    fallbacks: tuple[int, ...] = ()  # by seat, decisions that a language model did not make; empty without one
    stderr: tuple[str, ...] = ()  # by seat, what user agents wrote there; not part of the journal or the tables


def result_of(position: int, record: MatchRecord, seconds: float) -> Result:
    """Return the result of a match that was played."""
    moves: list[list[RecordedMove]] = [[] for _ in record.agents]
    for turn in record.turns:
        for move in turn.moves if turn.number > 0 else ():
            moves[turn.seat_of(move)].append(move)
    outcome = record.outcome
    return Result(
        position=position,
        winner=DRAW if outcome.winner is None else outcome.winner,
        reason=outcome.reason,
        rounds=outcome.rounds,
        turns=sum(turn.number > 0 for turn in record.turns),
        decisions=tuple(map(len, moves)),
        times=tuple(map(_thinking_time, moves)),
        seconds=seconds,
        measures=dict(record.game.measures(record.final)),
        cards=record.cards_used(),
        places=outcome.places if len(record.agents) > 2 else (),
        forfeits=tuple(forfeit_of(record, seat) for seat in range(len(record.agents))) if record.forfeits else (),
        fallbacks=record.fallbacks,
        stderr=record.stderr,
    )


def result_of_played(position: int, match: PlayedMatch) -> Result:
    """Return the result of a match that a game has played by itself."""
    return Result(
        position=position,
        winner=match.winner,
        reason=match.reason,
        rounds=match.rounds,
        turns=match.turns,
        decisions=tuple(match.decisions),
        times=tuple(ThinkingTime(*times) for times in match.times),
        seconds=match.seconds,
        cards=tuple(match.cards),
    )


def forfeited(fixture: Fixture, seat: int, turn: int, reason: str, seconds: float) -> Result:
    """Return the result of a game that the agent in this seat lost together with its process; decisions are unknown."""
    seats = len(fixture.agents)
    outcome = forfeit(seat, seats, reason, turn)
    winner = DRAW if outcome.winner is None else outcome.winner
    unknown = (0,) * seats, (ThinkingTime(),) * seats
    result = Result(fixture.position, winner, outcome.reason, outcome.rounds, turn, *unknown, seconds)
    if seats <= 2:
        return result
    reasons = tuple(outcome.reason if other == seat else "" for other in range(seats))
    return result._replace(places=outcome.places, forfeits=reasons)


def half_points(result: Result, seat: int, others: Sequence[int]) -> int:
    """Return 2 for each of these other seats that finished behind this one and 1 for each that shared its place.

    With one seat it is 2 for a win.
    """
    if not result.places:
        return 2 * (result.winner == seat) + (result.winner < 0 and len(others) > 0)
    own = result.places[seat]
    return sum((result.places[other] > own) + (result.places[other] >= own) for other in others)


def score(result: Result, seat: int, others: Sequence[int]) -> float:
    """Return the share of these other seats that finished behind this one; with one seat, 1 for a win."""
    return half_points(result, seat, others) / (2 * max(1, len(others)))


def other_seats(seat: int, seats: int) -> list[int]:
    """Return all seats but this one."""
    return [other for other in range(seats) if other != seat]


def bin_edges() -> list[float]:
    """Return where the bins of the histogram begin, and the end of the last one."""
    return [0.0, *(1e-6 * 10 ** (number / BINS_PER_DECADE) for number in range(1, BINS)), math.inf]


def read_histogram(text: str) -> list[tuple[int, int]]:
    """Return (bin, decisions) for every bin that is not empty."""
    return [(int(number), int(count)) for number, _, count in (part.partition(":") for part in text.split())]


def _thinking_time(moves: list[RecordedMove]) -> ThinkingTime:
    seconds = [move.seconds for move in moves]
    histogram = _histogram(move.seconds for move in moves if move.thought)
    return ThinkingTime(sum(seconds), max(seconds, default=0.0), histogram)


def _histogram(seconds: Iterable[float]) -> str:
    def bin_of(time: float) -> int:
        number = math.floor((math.log10(time) + 6) * BINS_PER_DECADE) if time > 0 else 0
        return min(max(number, 0), BINS - 1)

    return " ".join(f"{number}:{count}" for number, count in sorted(Counter(map(bin_of, seconds)).items()))
