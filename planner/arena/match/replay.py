"""A log is a claim; the referee checks it move by move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from planner.arena.match.record import MatchRecord, RecordedMove, RecordedTurn, digest
from planner.arena.match.referee import chance, deal, forfeit
from planner.errors import MAX_MESSAGE_LENGTH, PlannerError, truncate_middle
from planner.formats.documents import parse_json, read_text
from planner.game import AnyGame, HasReferee

FORFEITS = ("crash", "illegal action", "time")  # what ends a match without the referee's doing


class ReplayedMove(NamedTuple):
    """One move with the states around it."""

    before: Any
    move: RecordedMove
    after: Any


def walk(record: MatchRecord) -> Iterator[ReplayedMove]:
    """The match once more, move by move, as it was recorded: nothing is checked."""
    rng = chance(record.seed)
    state = record.initial
    for turn in record.turns:
        for move in turn.moves:
            before, state = state, record.game.apply(state, move.action, rng)
            yield ReplayedMove(before, move, state)


class ReplayedTurn(NamedTuple):
    """One turn with the state in which it began, and the match's generator as it stood then."""

    before: Any
    turn: RecordedTurn
    chance: Random


def walk_turns(record: MatchRecord) -> Iterator[ReplayedTurn]:
    """The match once more, turn by turn, as it was recorded: nothing is checked."""
    rng = chance(record.seed)
    state = record.initial
    for turn in record.turns:
        then = Random()
        then.setstate(rng.getstate())
        yield ReplayedTurn(state, turn, then)
        for move in turn.moves:
            state = record.game.apply(state, move.action, rng)


@dataclass(frozen=True)
class Verdict:
    """What a replay found: how many moves agree, and the first difference, if there is one."""

    record: MatchRecord
    moves: int
    problem: str | None = None

    @property
    def ok(self) -> bool:
        """Does the log show the match as the rules say it went?"""
        return self.problem is None


def load_log(path: Path, of: AnyGame | None = None) -> MatchRecord:
    """The log in this file, or a one-line refusal; `of` is needed for a game of one's own."""
    return parse_log(read_text(path), str(path), of)


def parse_log(text: str, where: str = "log", of: AnyGame | None = None) -> MatchRecord:
    """The log in this JSON text, or a one-line refusal that begins with `where`."""
    data = parse_json(text, where)
    try:
        return MatchRecord.from_dict(data, of)
    except PlannerError as error:
        raise PlannerError(f"{where}: {str(error).removeprefix('log: ')}") from None


def verify_log(log: MatchRecord | Any, of: AnyGame | None = None) -> Verdict:
    """Replay a record, or its JSON form, from the deal with the same luck; stop at the first difference."""
    record = log if isinstance(log, MatchRecord) else MatchRecord.from_dict(log, of)
    replay = _Replay(record)
    problem = replay.find_difference()
    return Verdict(record, problem=problem and truncate_middle(problem, MAX_MESSAGE_LENGTH), moves=replay.moves)


class _Replay:
    def __init__(self, record: MatchRecord) -> None:
        self.record = record
        self.game = record.game.referee() if isinstance(record.game, HasReferee) else record.game
        self.state = record.initial
        self.rng = chance(record.seed)
        self.moves = 0

    def find_difference(self) -> str | None:
        return self._deal() or self._turns() or self._end()

    def _deal(self) -> str | None:
        try:
            dealt = deal(self.game, self.record.setup, self.record.seed)
        except PlannerError as error:
            return f"the deal: {error}"
        if self.game.seats(dealt) != len(self.record.agents):
            return f"the deal: {len(self.record.agents)} agents, but {self.game.seats(dealt)} play this match"
        if dealt != self.state:
            return f"the deal: expected state {digest(self.game, self.state)}, actual state {digest(self.game, dealt)}"
        return self._compare("the deal", self.record.start)

    def _turns(self) -> str | None:
        game = self.game
        for turn in self.record.turns:
            actual = (game.turn(self.state), game.to_move(self.state))
            if (turn.number, turn.seat) != actual:
                expected = f"turn {turn.number} of player {turn.seat + 1}"
                return f"turn {turn.number}: expected {expected}, actual turn {actual[0]} of player {actual[1] + 1}"
            for number, move in enumerate(turn.moves, 1):
                place = f"turn {turn.number}, action {number} ({game.action_to_text(move.action)})"
                if (game.turn(self.state), game.to_move(self.state)) != actual:
                    return f"{place}: expected a legal action, actual: the turn had ended"
                problem = game.illegal_reason(self.state, move.action)
                if problem is not None:
                    return f"{place}: expected a legal action, actual: {problem}"
                self.state = game.apply(self.state, move.action, self.rng)
                problem = self._compare(place, move.digest)
                if problem is not None:
                    return problem
                self.moves += 1
        return None

    def _end(self) -> str | None:
        """The outcome is the referee's, unless an agent forfeited: that a replay cannot see, only who was to move."""
        game, claimed, actual = self.game, self.record.outcome, self.game.outcome(self.state)
        if actual is None and claimed.reason.split(":")[0] in FORFEITS:
            seat, turn = game.to_move(self.state), game.turn(self.state)
            actual = forfeit(seat, game.seats(self.state), claimed.reason, turn)
        if actual is None:
            return f"the end: expected {claimed}, actual the match goes on"
        if (claimed.points, claimed.reason) != (actual.points, actual.reason):
            return f"the end: expected {claimed}, actual {actual}"
        if claimed.rounds != actual.rounds:
            return f"the end: expected {claimed.rounds} rounds, actual {actual.rounds}"
        return None

    def _compare(self, place: str, expected: str) -> str | None:
        actual = digest(self.game, self.state)
        return None if actual == expected else f"{place}: expected state {expected}, actual state {actual}"
