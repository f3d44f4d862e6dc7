"""What was played: a match as a value, and as JSON that can be replayed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError, quote
from planner.formats import values
from planner.game import AnyGame, HasCards, Outcome
from planner.games import game

VERSION: Final = 2


def digest(of: AnyGame, state: Any) -> str:
    """A short fingerprint of a state: two states that differ anywhere have different ones."""
    return hashlib.blake2b(of.state_to_text(state).encode(), digest_size=8).hexdigest()


class RecordedMove(NamedTuple):
    """One action, the state that it led to, how long it took to decide, and whether it had to be decided."""

    action: Any
    digest: str  # of the state after it; empty where nobody asked for digests
    seconds: float = 0.0
    thought: bool = True  # False for a step of a plan that the agent had made already; logs do not say


class RecordedTurn(NamedTuple):
    """The decisions of one player's turn; what comes before the first turn has the number 0."""

    number: int
    seat: int
    moves: tuple[RecordedMove, ...]


@dataclass(frozen=True)
class MatchRecord:
    """A match from the deal to its outcome."""

    game: AnyGame = field(repr=False)
    agents: tuple[str, ...]
    setup: Any = field(repr=False)
    seed: int
    initial: Any = field(repr=False)  # as dealt
    start: str  # the digest of that
    turns: tuple[RecordedTurn, ...] = field(repr=False)
    outcome: Outcome
    final: Any = field(default=None, repr=False, compare=False)  # the last state; a log does not hold it
    states: tuple[Any, ...] = field(default=(), repr=False, compare=False)  # before each move; a log holds none
    said: tuple[str, ...] = field(default=(), repr=False, compare=False)  # by seat, what users' agents wrote to stderr

    def cards_used(self) -> tuple[str, ...]:
        """What became of each seat's cards, as the game tells it of a match that was played here."""
        actions = [move.action for turn in self.turns for move in turn.moves]
        if not isinstance(self.game, HasCards):
            return ()
        return tuple(self.game.cards_used(self.setup, (*self.states, self.final), actions))

    @property
    def rounds(self) -> int:
        """How long it was, as the game counts it."""
        return self.outcome.rounds

    def to_dict(self, seconds: bool = True) -> dict[str, Any]:
        """The JSON form; without `seconds`, and what agents said, the same match gives the same text."""
        if not self.start:
            raise ValueError("a log needs the digests of its states: play_match(..., digests=True)")

        def move_to_dict(move: RecordedMove) -> dict[str, Any]:
            entry = {"action": self.game.action_to_json(move.action), "digest": move.digest}
            return entry | {"seconds": round(move.seconds, 6)} if seconds else entry

        end = self.outcome
        return {
            "match_log": VERSION,
            "game": self.game.name,
            "agents": list(self.agents),
            "setup": self.game.setup_to_json(self.setup),
            "seed": self.seed,
            "initial": self.game.state_to_json(self.initial),
            "start": self.start,
            "turns": [
                {"turn": turn.number, "seat": turn.seat, "moves": [move_to_dict(move) for move in turn.moves]}
                for turn in self.turns
            ],
            "outcome": {"points": list(end.points), "reason": end.reason, "rounds": end.rounds},
            **({"stderr": list(self.said)} if seconds and any(self.said) else {}),
        }

    @classmethod
    def from_dict(cls, log: Any, of: AnyGame | None = None) -> MatchRecord:
        """From the JSON form. What is not a log is refused with the place and the value.

        `of` is the game where it is one's own: what a log names is not imported.
        """
        if not isinstance(log, Mapping) or "match_log" not in log:
            raise PlannerError("log: is not the log of a match: it has no 'match_log'")
        if log["match_log"] != VERSION:
            older = log["match_log"] == 1
            why = ", in which a mulligan was no action" if older else ""
            raise PlannerError(
                f"log: match_log: version {quote(log['match_log'])}{why}; this program reads {VERSION}: play it again"
            )
        try:
            return cls._read(dict(log), of)
        except PlannerError as error:
            raise PlannerError(f"log: {error}") from None

    @classmethod
    def _read(cls, log: dict[str, Any], of: AnyGame | None) -> MatchRecord:
        named = values.read_field(log, "game", values.name)
        if of is None or of.name != named:
            of = values.read_field(log, "game", game)
        agents = values.read_field(log, "agents", values.as_list)
        if not agents or not all(isinstance(name, str) for name in agents):
            raise PlannerError(f"agents: {quote(agents)} is not a list of names")
        end = values.read_field(log, "outcome", values.as_mapping)
        points = values.read_field(end, "points", values.as_list, "outcome")
        if len(points) != len(agents) or not all(type(score) in (int, float) and 0 <= score <= 1 for score in points):
            raise PlannerError(f"outcome.points: {quote(points)} is not a number from 0 to 1 for each agent")
        return cls(
            game=of,
            agents=tuple(agents),
            setup=values.read_field(log, "setup", of.setup_from_json),
            seed=values.read_field(
                log, "seed", partial(values.integer, maximum=2**64 - 1)
            ),  # tournaments use all 64 bits
            initial=values.read_field(log, "initial", lambda value: of.state_from_json(values.as_mapping(value))),
            start=values.read_field(log, "start", values.text),
            turns=tuple(
                _turn(of, f"turns[{number}]", turn)
                for number, turn in enumerate(values.read_field(log, "turns", values.as_list))
            ),
            outcome=Outcome(
                tuple(map(float, points)),
                values.read_field(end, "reason", values.text, "outcome"),
                values.read_field(end, "rounds", partial(values.integer, minimum=0), "outcome"),
            ),
            said=tuple(map(str, values.read_field(log, "stderr", values.as_list))) if "stderr" in log else (),
        )


def _turn(of: AnyGame, place: str, given: Any) -> RecordedTurn:
    turn = _mapping(given, place)
    moves = values.read_field(turn, "moves", values.as_list, place)
    return RecordedTurn(
        values.read_field(turn, "turn", values.integer, place),
        values.read_field(turn, "seat", values.integer, place),
        tuple(_move(of, f"{place}.moves[{number}]", move) for number, move in enumerate(moves)),
    )


def _move(of: AnyGame, place: str, given: Any) -> RecordedMove:
    move = _mapping(given, place)
    if "action" not in move:
        raise PlannerError(f"{place}.action: is missing")
    action = of.action_from_json(move["action"], f"{place}.action")
    seconds = values.read_field(move, "seconds", values.number, place) if "seconds" in move else 0.0
    return RecordedMove(action, values.read_field(move, "digest", values.text, place), seconds)


def _mapping(given: Any, place: str) -> Mapping[str, Any]:
    return values.read_field({place: given}, place, values.as_mapping)
