"""Replay matches: walk through a record, and check a log against the rules move by move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from planner.arena.match.record import MatchRecord, RecordedMove, RecordedTurn, digest
from planner.arena.match.referee import (
    LEFT,
    UNTERMINATED,
    chance,
    deal,
    forfeit,
    give_up,
    is_forfeit,
    rank_forfeits,
)
from planner.errors import MAX_MESSAGE_LENGTH, PlannerError, truncate_middle
from planner.formats.documents import parse_json, read_text
from planner.game import AnyGame, HasReferee, Outcome
from planner.match_options import Adjudicator


class ReplayedMove(NamedTuple):
    """One move with the states before and after it."""

    before: Any
    move: RecordedMove
    after: Any


def walk(record: MatchRecord) -> Iterator[ReplayedMove]:
    """Yield the moves of a recorded match with their states; nothing is checked."""
    for start, turn, rng in walk_turns(record):
        state = start
        for move in turn.moves:
            before, state = state, record.game.apply(state, move.action, rng)
            yield ReplayedMove(before, move, state)


class ReplayedTurn(NamedTuple):
    """One turn with the state in which it began, and a copy of the match's generator at that moment."""

    before: Any
    turn: RecordedTurn
    chance: Random


def walk_turns(record: MatchRecord) -> Iterator[ReplayedTurn]:
    """Yield the turns of a recorded match with their states; an illegal move raises a PlannerError."""
    game, rng = record.game, chance(record.seed)
    state = record.initial
    for turn in record.turns:
        before, copy = state, Random()
        copy.setstate(rng.getstate())
        for number, move in enumerate(turn.moves, 1):
            if (problem := game.illegal_reason(state, move.action)) is not None:
                text = game.action_to_text(move.action)
                raise PlannerError(f"turn {turn.number}, action {number} ({text}): {problem}")
            state = game.apply(state, move.action, rng)
        yield ReplayedTurn(before, turn, copy)


@dataclass(frozen=True)
class Verdict:
    """The result of a replay: the number of moves that agree, and the first difference, if there is one."""

    record: MatchRecord
    moves: int
    problem: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the log agrees with the rules."""
        return self.problem is None


def load_logs(path: Path, game: AnyGame | None = None) -> list[MatchRecord]:
    """Read a file with one log, or with one log on each line; `game` is required for a user's own game."""
    text = read_text(path)
    lines = text.splitlines()
    if len(lines) < 2 or not lines[0].endswith("}"):  # a single log may be indented
        return [parse_log(text, str(path), game)]
    return [parse_log(line, f"{path}:{number}", game) for number, line in enumerate(lines, 1) if line.strip()]


def parse_log(text: str, source: str = "log", game: AnyGame | None = None) -> MatchRecord:
    """Read the log in this JSON text; error messages begin with `source`."""
    data = parse_json(text, source)
    try:
        return MatchRecord.from_dict(data, game)
    except PlannerError as error:
        raise PlannerError(f"{source}: {str(error).removeprefix('log: ')}") from None


def verify_log(log: MatchRecord | Any, game: AnyGame | None = None) -> Verdict:
    """Replay a record or its JSON form from the deal, with the same seed; stop at the first difference."""
    record = log if isinstance(log, MatchRecord) else MatchRecord.from_dict(log, game)
    replay = _Replay(record)
    problem = replay.find_difference()
    return Verdict(record, problem=problem and truncate_middle(problem, MAX_MESSAGE_LENGTH), moves=replay.moves)


class _Replay:
    """The state of a replay. Each check returns a message for the first difference it finds, or None."""

    def __init__(self, record: MatchRecord) -> None:
        self.record = record
        self.game = record.game.referee() if isinstance(record.game, HasReferee) else record.game
        self.state = record.initial
        self.rng = chance(record.seed)
        self.moves = 0
        self.adjudicator = Adjudicator(self.game, record.adjudication)
        self.adjudicated: Outcome | None = None
        self.forfeited_at = {forfeit.seat: forfeit.move for forfeit in record.forfeits}

    def find_difference(self) -> str | None:
        return self._check_deal() or self._check_turns() or self._check_outcome()

    def _check_deal(self) -> str | None:
        try:
            dealt = deal(self.game, self.record.setup, self.record.seed)
            self.record.adjudication.check(self.game, self.game.seats(dealt))
        except PlannerError as error:
            return f"the deal: {error}"
        if self.game.seats(dealt) != len(self.record.agents):
            return f"the deal: {len(self.record.agents)} agents, but this match has {self.game.seats(dealt)} seats"
        if dealt != self.state:
            return f"the deal: expected state {digest(self.game, self.state)}, actual state {digest(self.game, dealt)}"
        return self._compare_digest("the deal", self.record.start)

    def _check_turns(self) -> str | None:
        game = self.game
        for turn in self.record.turns:
            if self.adjudicated is not None:
                return f"turn {turn.number}: expected more turns, actual: {self.adjudicated}"
            actual = (game.turn(self.state), game.to_move(self.state))
            if (turn.number, turn.seat) != actual:
                expected = f"turn {turn.number} of player {turn.seat + 1}"
                return f"turn {turn.number}: expected {expected}, actual turn {actual[0]} of player {actual[1] + 1}"
            for number, move in enumerate(turn.moves, 1):
                location = f"turn {turn.number}, action {number} ({game.action_to_text(move.action)})"
                seat = game.to_move(self.state)
                if game.turn(self.state) != turn.number or (seat != turn.seat and not turn.number):
                    return f"{location}: expected a legal action, actual: the turn had ended"
                if seat != turn.seat_of(move):
                    return f"{location}: expected player {turn.seat_of(move) + 1}, actual player {seat + 1} decides"
                problem = game.illegal_reason(self.state, move.action)
                if problem is not None:
                    return f"{location}: expected a legal action, actual: {problem}"
                if self.moves >= self.forfeited_at.get(seat, self.moves + 1):
                    default = game.default_action(game.observe(self.state, seat))
                    if move.action != default:
                        text = game.action_to_text(default)
                        return (
                            f"{location}: expected {text}, the default action, after the forfeit of player {seat + 1}"
                        )
                self.state = game.apply(self.state, move.action, self.rng)
                problem = self._compare_digest(location, move.digest)
                if problem is not None:
                    return problem
                self.moves += 1
            # Not after a forfeit, which ends the match within a turn.
            if turn.number > 0 and game.turn(self.state) != turn.number and game.outcome(self.state) is None:
                self.adjudicated = self.adjudicator.judge(self.state, turn.number)
        return None

    def _check_outcome(self) -> str | None:
        """Compare the outcomes. A replay cannot verify a forfeit, only which seat was to move.

        A person can leave at any time, so nothing but the order of those who left can be verified then.
        """
        game, claimed, actual = self.game, self.record.outcome, self.adjudicated or self.game.outcome(self.state)
        seats, forfeits = game.seats(self.state), self.record.forfeits
        late = next((forfeit for forfeit in forfeits if forfeit.move > self.moves), None)
        if late is not None:
            return f"the end: player {late.seat + 1} forfeits after {late.move} moves, actual {self.moves} moves"
        kind = claimed.reason.partition(":")[0]
        if actual is None and (kind == UNTERMINATED or (kind == LEFT and forfeits)):
            reason = claimed.reason if kind == UNTERMINATED else forfeits[-1].reason
            actual = give_up(forfeits, seats, reason, game.turn(self.state))
        elif actual is None and is_forfeit(claimed.reason):
            seat, turn = game.to_move(self.state), game.turn(self.state)
            if seats <= 2:
                actual = forfeit(seat, seats, claimed.reason, turn)
            elif len(forfeits) == seats - 1 and forfeits[-1].seat == seat:
                actual = rank_forfeits(None, forfeits, seats, turn)
        elif actual is not None:
            actual = rank_forfeits(actual, forfeits, seats, game.turn(self.state))
        if actual is None:
            return f"the end: expected {claimed}, actual: the match is not over"
        if (claimed.points, claimed.reason) != (actual.points, actual.reason):
            return f"the end: expected {claimed}, actual {actual}"
        if claimed.rounds != actual.rounds:
            return f"the end: expected {claimed.rounds} rounds, actual {actual.rounds}"
        return None

    def _compare_digest(self, location: str, expected: str) -> str | None:
        actual = digest(self.game, self.state)
        return None if actual == expected else f"{location}: expected state {expected}, actual state {actual}"
