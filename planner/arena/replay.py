"""A log is a claim; the referee checks it move by move."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from planner.arena.match import chance, rounds_played
from planner.arena.record import MatchRecord, Move, digest
from planner.files import PlannerError, read_text
from planner.games.hearthstone.rules.legal import verify
from planner.games.hearthstone.rules.match import Outcome, mulligan, outcome
from planner.games.hearthstone.rules.resolve import apply_verified
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.text import action_to_text

FORFEITS = ("crash", "illegal action", "time")  # what ends a match without the referee's doing


class Step(NamedTuple):
    """One move with the states around it."""

    before: GameState
    move: Move
    after: GameState


def walk(record: MatchRecord) -> Iterator[Step]:
    """The match once more, move by move, as it was recorded: nothing is checked."""
    rng = chance(record.seed)
    state = record.initial
    for seat, replaced in enumerate(record.mulligans):
        state = mulligan(state, seat, replaced, rng)
    for turn in record.turns:
        for move in turn.moves:
            before, state = state, apply_verified(state, move.action, rng)
            yield Step(before, move, state)


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


def load_log(path: Path) -> MatchRecord:
    """The log in this file, or a one-line refusal."""
    return parse_log(read_text(path), str(path))


def parse_log(text: str, where: str = "log") -> MatchRecord:
    """The log in this JSON text, or a one-line refusal that begins with `where`."""
    try:
        data: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise PlannerError(f"{where}:{error.lineno}: not JSON: {error.msg}") from None
    except RecursionError:
        raise PlannerError(f"{where}: nested too deeply") from None
    except ValueError as error:  # a number with thousands of digits
        raise PlannerError(f"{where}: {str(error).splitlines()[0]}") from None
    try:
        return MatchRecord.from_dict(data)
    except PlannerError as error:
        raise PlannerError(f"{where}: {str(error).removeprefix('log: ')}") from None


def verify_log(log: MatchRecord | Any) -> Verdict:
    """Replay a record, or its JSON form, from the deal with the same luck; stop at the first difference."""
    record = log if isinstance(log, MatchRecord) else MatchRecord.from_dict(log)
    replay = _Replay(record)
    return Verdict(record, problem=replay.find_difference(), moves=replay.moves)


class _Replay:
    def __init__(self, record: MatchRecord) -> None:
        self.record = record
        self.state: GameState = record.initial
        self.rng = chance(record.seed)
        self.moves = 0

    def find_difference(self) -> str | None:
        return self._mulligans() or self._turns() or self._end()

    def _mulligans(self) -> str | None:
        for seat, replaced in enumerate(self.record.mulligans):
            try:
                self.state = mulligan(self.state, seat, replaced, self.rng)
            except PlannerError as error:
                return str(error)
        return _compare("the start", self.record.start, self.state)

    def _turns(self) -> str | None:
        for turn in self.record.turns:
            if (turn.number, turn.seat) != (self.state.turn, self.state.seat):
                expected = f"turn {turn.number} of player {turn.seat + 1}"
                actual = f"turn {self.state.turn} of player {self.state.seat + 1}"
                return f"turn {turn.number}: expected {expected}, actual {actual}"
            for number, move in enumerate(turn.moves, 1):
                place = f"turn {turn.number}, action {number} ({action_to_text(move.action)})"
                if self.state.turn != turn.number:
                    return f"{place}: expected a legal action, actual: the turn had ended"
                problem = verify(self.state, move.action)
                if problem is not None:
                    return f"{place}: expected a legal action, actual: {problem}"
                self.state = apply_verified(self.state, move.action, self.rng)
                problem = _compare(place, move.digest, self.state)
                if problem is not None:
                    return problem
                self.moves += 1
        return None

    def _end(self) -> str | None:
        """The outcome is the referee's, unless an agent forfeited: that a replay cannot see, only who was to move."""
        claimed, actual = self.record.outcome, outcome(self.state)
        forfeit = claimed.reason.split(":")[0] in FORFEITS
        mover = len(self.record.mulligans) if self.state.turn == 0 else self.state.seat
        if forfeit and actual is None:
            actual = Outcome(1 - mover, claimed.reason)
        if claimed != actual:
            return f"the end: expected {claimed}, actual {actual or 'the match goes on'}"
        rounds = rounds_played(self.state)
        if self.record.rounds != rounds:
            return f"the end: expected {self.record.rounds} rounds, actual {rounds}"
        return None


def _compare(place: str, expected: str, state: GameState) -> str | None:
    actual = digest(state)
    return None if actual == expected else f"{place}: expected state {expected}, actual state {actual}"
