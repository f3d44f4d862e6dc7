"""A played match as a value, and as a JSON log that can be replayed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError, quote
from planner.formats import values
from planner.game import AnyGame, HasCards, Outcome
from planner.games import game as game_by_name
from planner.games import is_path
from planner.match_options import ADJUDICATION, Adjudication, StartPosition, setup_from_json, setup_to_json

VERSION: Final = 2
_seed: Final = partial(values.integer, maximum=2**64 - 1)  # tournaments use all 64 bits


def digest(game: AnyGame, state: Any) -> str:
    """Return a short fingerprint of a state; different states have different fingerprints."""
    return hashlib.blake2b(game.state_to_text(state).encode(), digest_size=8).hexdigest()


class RecordedMove(NamedTuple):
    """One action, the fingerprint of the state after it, and how it was decided."""

    action: Any
    digest: str  # of the state after the action; empty if the match was played without digests
    seconds: float = 0.0
    thought: bool = True  # False for a step of a plan that the agent had made before; not part of a log
    seat: int | None = None  # the deciding seat, if it is another seat's turn (a reaction)


class RecordedTurn(NamedTuple):
    """The moves of one turn. Decisions before the first turn (a mulligan) have number 0."""

    number: int
    seat: int
    moves: tuple[RecordedMove, ...]

    def seat_of(self, move: RecordedMove) -> int:
        """Return the seat that decided this move."""
        return self.seat if move.seat is None else move.seat


class Forfeit(NamedTuple):
    """A seat that forfeited; the game's default action continues for it.

    Agents forfeit when they are to move, which with one or two seats ends the match and is not listed. People may also
    leave when another seat is to move.
    """

    seat: int
    move: int  # the number of moves of the match before it
    reason: str


@dataclass(frozen=True)
class MatchRecord:
    """A match from the deal to its outcome."""

    game: AnyGame = field(repr=False)
    agents: tuple[str, ...]
    setup: Any = field(repr=False)
    seed: int
    initial: Any = field(repr=False)  # the state after the deal
    start: str  # its digest
    turns: tuple[RecordedTurn, ...] = field(repr=False)
    outcome: Outcome
    forfeits: tuple[Forfeit, ...] = ()  # in the order in which they happened
    adjudication: Adjudication = Adjudication()  # noqa: RUF009  (frozen)
    final: Any = field(default=None, repr=False, compare=False)  # the last state; not part of a log
    states: tuple[Any, ...] = field(default=(), repr=False, compare=False)  # before each move; not part of a log
    stderr: tuple[str, ...] = field(default=(), repr=False, compare=False)  # by seat, what user agents wrote there
    # By seat, the decisions that a language model did not make; empty without one.
    fallbacks: tuple[int, ...] = field(default=(), repr=False, compare=False)

    def cards_used(self) -> tuple[str, ...]:
        """Return what happened to each seat's cards (see `Game.cards_used`); only for a match that was played here."""
        if not isinstance(self.game, HasCards) or isinstance(self.setup, StartPosition):
            return ()
        actions = [move.action for turn in self.turns for move in turn.moves]
        return tuple(self.game.cards_used(self.setup, (*self.states, self.final), actions))

    @property
    def rounds(self) -> int:
        """The length of the match, as the game counts it."""
        return self.outcome.rounds

    def to_dict(self, seconds: bool = True) -> dict[str, Any]:
        """Return the JSON form. Without `seconds` it has neither times nor stderr, and is the same for every run."""
        if not self.start:
            raise ValueError("a log needs the digests of its states: play_match(..., digests=True)")

        def move_to_dict(move: RecordedMove) -> dict[str, Any]:
            entry: dict[str, Any] = {"action": self.game.action_to_json(move.action), "digest": move.digest}
            entry |= {} if move.seat is None else {"seat": move.seat}
            return entry | {"seconds": round(move.seconds, 6)} if seconds else entry

        outcome = self.outcome
        return {
            "match_log": VERSION,
            "game": self.game.name,
            "agents": list(self.agents),
            "setup": setup_to_json(self.game, self.setup),
            "seed": self.seed,
            "initial": self.game.state_to_json(self.initial),
            "start": self.start,
            "turns": [
                {"turn": turn.number, "seat": turn.seat, "moves": [move_to_dict(move) for move in turn.moves]}
                for turn in self.turns
            ],
            "outcome": {"points": list(outcome.points), "reason": outcome.reason, "rounds": outcome.rounds},
            **({"forfeits": [forfeit._asdict() for forfeit in self.forfeits]} if self.forfeits else {}),
            **({ADJUDICATION: rules} if (rules := self.adjudication.to_json()) else {}),
            **({"stderr": list(self.stderr)} if seconds and any(self.stderr) else {}),
        }

    @classmethod
    def from_dict(cls, log: Any, game: AnyGame | None = None) -> MatchRecord:
        """Read the JSON form; raise a PlannerError with the path and the value if it is not a log.

        `game` is required for a user's own game: a module that a log names is never imported.
        """
        if not isinstance(log, Mapping) or "match_log" not in log:
            raise PlannerError("log: not a match log: the field 'match_log' is missing")
        if log["match_log"] != VERSION:
            raise PlannerError(
                f"log: match_log: version must be {VERSION}, got {quote(log['match_log'])}; play the match again"
            )
        try:
            return cls._read(dict(log), game)
        except PlannerError as error:
            raise PlannerError(f"log: {error}") from None

    @classmethod
    def _read(cls, log: dict[str, Any], game: AnyGame | None) -> MatchRecord:
        name = values.read_field(log, "game", values.name)
        if game is not None and is_path(game.name) and is_path(name) and game.name != name:
            raise PlannerError(f"game: the log names {quote(name)}; name it with the same path, got {quote(game.name)}")
        if game is None or game.name != name:
            try:
                game = values.read_field(log, "game", game_by_name)
            except PlannerError as error:
                hint = f"if you trust it, name it with --game {name}" if "/" in name or ":" in name else ""
                raise PlannerError(f"{error}; {hint or 'your own game must be named with --game'}") from None
        agents = values.read_field(log, "agents", values.as_list)
        if not agents or not all(isinstance(agent, str) for agent in agents):
            raise PlannerError(f"agents: {quote(agents)} is not a list of names")
        read_forfeit = partial(_read_forfeit, len(agents))
        return cls(
            game=game,
            agents=tuple(agents),
            setup=values.read_field(log, "setup", partial(setup_from_json, game)),
            seed=values.read_field(log, "seed", _seed),
            initial=values.read_field(log, "initial", lambda value: game.state_from_json(values.as_mapping(value))),
            start=values.read_field(log, "start", values.text),
            turns=tuple(values.read_list(log, "turns", partial(_read_turn, game))),
            outcome=_read_outcome(values.read_field(log, "outcome", values.as_mapping), len(agents)),
            forfeits=tuple(values.read_list(log, "forfeits", read_forfeit)) if "forfeits" in log else (),
            adjudication=values.optional(log, ADJUDICATION, Adjudication.from_json, Adjudication()),
            stderr=tuple(map(str, values.optional(log, "stderr", values.as_list, []))),
        )


def _read_turn(game: AnyGame, data: Any) -> RecordedTurn:
    turn = values.as_mapping(data)
    moves = values.read_list(turn, "moves", partial(_read_move, game))
    number, seat = (values.read_field(turn, key, values.integer) for key in ("turn", "seat"))
    return RecordedTurn(number, seat, tuple(moves))


def _read_move(game: AnyGame, data: Any) -> RecordedMove:
    move = values.as_mapping(data)
    action = game.action_from_json(values.read_field(move, "action", lambda action: action))
    seconds = values.optional(move, "seconds", values.number, 0.0)
    seat = values.optional(move, "seat", values.integer, None)
    return RecordedMove(action, values.read_field(move, "digest", values.text), seconds, seat=seat)


def _read_outcome(outcome: Mapping[str, Any], seats: int) -> Outcome:
    with values.at("outcome"):
        points = values.read_field(outcome, "points", values.as_list)
        if len(points) != seats or not all(type(score) in (int, float) and 0 <= score <= 1 for score in points):
            raise values.PlacedError(("points",), f"{quote(points)} is not a number from 0 to 1 for each agent")
        rounds = values.read_field(outcome, "rounds", partial(values.integer, minimum=0))
        return Outcome(tuple(map(float, points)), values.read_field(outcome, "reason", values.text), rounds)


def _read_forfeit(seats: int, data: Any) -> Forfeit:
    forfeit = values.as_mapping(data)
    seat = values.read_field(forfeit, "seat", partial(values.integer, minimum=0, maximum=seats - 1))
    move = values.read_field(forfeit, "move", partial(values.integer, minimum=0))
    return Forfeit(seat, move, values.read_field(forfeit, "reason", values.text))
