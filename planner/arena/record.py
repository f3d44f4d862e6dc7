"""What was played: a match as a value, and as JSON that can be replayed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from planner.files import PlannerError, show
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.codec import action_from_dict, action_to_dict, state_from_dict, state_to_dict
from planner.games.hearthstone.rules.match import Outcome
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.text import state_to_text

VERSION: Final = 1


def digest(state: GameState) -> str:
    """A short fingerprint of a state: two states that differ anywhere have different ones."""
    return hashlib.blake2b(state_to_text(state).encode(), digest_size=8).hexdigest()


class Move(NamedTuple):
    """One action, the state that it led to, and how long it took to decide."""

    action: Action
    digest: str  # of the state after it; empty where nobody asked for digests
    seconds: float = 0.0


class Turn(NamedTuple):
    """The moves of one player's turn."""

    number: int
    seat: int
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class MatchRecord:
    """A match from the deal to its outcome."""

    agents: tuple[str, str]
    decks: tuple[str, str]
    seed: int
    initial: GameState  # dealt, before the mulligan
    mulligans: tuple[tuple[str, ...], ...]  # empty where the rules have none
    start: str  # the digest of the state in which the first turn begins
    turns: tuple[Turn, ...]
    outcome: Outcome
    rounds: int  # turns as the thesis counts them: both players' turns are one

    def to_dict(self, seconds: bool = True) -> dict[str, Any]:
        """The JSON form; without `seconds` the same match gives the same text."""
        if not self.start:
            raise ValueError("a log needs the digests of its states: play_match(..., digests=True)")

        def move_to_dict(move: Move) -> dict[str, Any]:
            entry = {"action": action_to_dict(move.action), "digest": move.digest}
            return entry | {"seconds": round(move.seconds, 6)} if seconds else entry

        return {
            "match_log": VERSION,
            "agents": list(self.agents),
            "decks": list(self.decks),
            "seed": self.seed,
            "initial": state_to_dict(self.initial),
            "mulligans": [list(replaced) for replaced in self.mulligans],
            "start": self.start,
            "turns": [
                {"turn": turn.number, "seat": turn.seat, "moves": [move_to_dict(move) for move in turn.moves]}
                for turn in self.turns
            ],
            "outcome": {"winner": self.outcome.winner, "reason": self.outcome.reason},
            "rounds": self.rounds,
        }

    @classmethod
    def from_dict(cls, log: Any) -> MatchRecord:
        """From the JSON form. What is not a log is refused with the place and the value."""
        if not isinstance(log, Mapping) or "match_log" not in log:
            raise PlannerError("log: is not the log of a match: it has no 'match_log'")
        if log["match_log"] != VERSION:
            raise PlannerError(f"log: match_log: version {show(log['match_log'])}, this program reads {VERSION}")
        names = [_field(log, "", key, list) for key in ("agents", "decks")]
        for key, pair in zip(("agents", "decks"), names, strict=True):
            if len(pair) != 2 or not all(isinstance(name, str) for name in pair):
                raise PlannerError(f"log: {key}: {show(pair)} is not two names")
        turns = _field(log, "", "turns", list)
        end = _field(log, "", "outcome", dict)
        winner = end.get("winner")
        if winner not in (0, 1, None) or isinstance(winner, bool):
            raise PlannerError(f"log: outcome.winner: {show(winner)} is not 0, 1 or null")
        return cls(
            agents=(names[0][0], names[0][1]),
            decks=(names[1][0], names[1][1]),
            seed=_field(log, "", "seed", int),
            initial=_state(_field(log, "", "initial", dict)),
            mulligans=tuple(map(_mulligan, _field(log, "", "mulligans", list))),
            start=_field(log, "", "start", str),
            turns=tuple(_turn(f"turns[{number}]", turn) for number, turn in enumerate(turns)),
            outcome=Outcome(winner, _field(end, "outcome.", "reason", str)),
            rounds=_field(log, "", "rounds", int),
        )


def _field(entry: Mapping[str, Any], place: str, key: str, kind: type | tuple[type, ...]) -> Any:
    if key not in entry:
        raise PlannerError(f"log: {place}{key}: is missing")
    value = entry[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        words = {list: "a list", dict: "a mapping", int: "a whole number", str: "text"}
        wanted = words[kind] if isinstance(kind, type) else "a number"
        raise PlannerError(f"log: {place}{key}: {show(value)} is not {wanted}")
    return value


def _state(entry: dict[str, Any]) -> GameState:
    try:
        return state_from_dict(entry)
    except PlannerError as error:
        raise PlannerError(f"log: initial: {error}") from None


def _mulligan(replaced: Any) -> tuple[str, ...]:
    if not isinstance(replaced, list) or not all(isinstance(name, str) for name in replaced):
        raise PlannerError(f"log: mulligans: {show(replaced)} is not a list of ids")
    return tuple(replaced)


def _turn(place: str, turn: Any) -> Turn:
    if not isinstance(turn, dict):
        raise PlannerError(f"log: {place}: {show(turn)} is not a mapping")
    moves = _field(turn, f"{place}.", "moves", list)
    return Turn(
        _field(turn, f"{place}.", "turn", int),
        _field(turn, f"{place}.", "seat", int),
        tuple(_move(f"{place}.moves[{number}]", move) for number, move in enumerate(moves)),
    )


def _move(place: str, move: Any) -> Move:
    if not isinstance(move, dict):
        raise PlannerError(f"log: {place}: {show(move)} is not a mapping")
    action = action_from_dict(_field(move, f"{place}.", "action", dict), f"log: {place}.action")
    seconds = _field(move, f"{place}.", "seconds", (int, float)) if "seconds" in move else 0.0
    return Move(action, _field(move, f"{place}.", "digest", str), seconds)
