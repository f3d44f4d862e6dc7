"""How a match may begin and end besides the rules of its game: a given position, and adjudication."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError, quote
from planner.formats.documents import parse_json, read_text
from planner.formats.values import (
    as_mapping,
    first_unknown_key,
    integer,
    number,
    optional,
    read_field,
    text,
    unknown_field,
)
from planner.game import AnyGame, CardList, EstimatesPoints, HasCards, Outcome, require

POSITION: Final = "position"
ADJUDICATION: Final = "adjudication"  # the reason of an outcome that the match runner has decided
RESIGN_FIELDS: Final = ("turns", "score")
MIN_SCORE, MAX_SCORE = 0.5, 1.0


# -- positions: a setup that every game has


@dataclass(frozen=True)
class StartPosition:
    """A state from which a match starts, in place of a game's own setup."""

    name: str  # in tables: the file and the line
    state: Any


def read_states(game: AnyGame, path: Path) -> dict[int, Any]:
    """Read a file with a state in each line, in JSON or as text; lines that begin with # are comments.

    Returns the states by the number of their line.
    """
    states = {}
    for line_number, line in enumerate(read_text(path).splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                is_json = line.lstrip().startswith("{")
                state = _state_from_json(game, parse_json(line, "state")) if is_json else game.state_from_text(line)
            except PlannerError as error:
                raise PlannerError(f"{path}:{line_number}: {error}") from None
            states[line_number] = state
    if not states:
        raise PlannerError(f"{path}: contains no states")
    return states


def _state_from_json(game: AnyGame, data: dict[str, Any]) -> Any:
    """Read a state, which may name its game."""
    name = data.pop("game", game.name)
    if name != game.name:
        raise PlannerError(f"game: the matches are of {game.name}, the state is of {quote(name)}")
    return game.state_from_json(data)


def read_positions(game: AnyGame, path: Path) -> list[StartPosition]:
    """Read the positions in a file; a match must be able to start from each of them."""
    positions: list[StartPosition] = []
    for line, state in read_states(game, path).items():
        position = StartPosition(f"{path.stem}:{line}", state)
        try:
            start = begin(game, position, Random(0))
        except PlannerError as error:
            raise PlannerError(f"{path}:{line}: {error}") from None
        if positions and game.seats(start) != game.seats(positions[0].state):
            seats = game.seats(positions[0].state)
            raise PlannerError(f"{path}:{line}: has {game.seats(start)} seats, the first state has {seats}")
        positions.append(position)
    return positions


def begin(game: AnyGame, setup: Any, rng: Random) -> Any:
    """Return the first state of a match from a setup of the game or from a position."""
    if not isinstance(setup, StartPosition):
        return game.start(setup, rng)
    if game.outcome(setup.state) is not None:
        raise PlannerError("the match is already over in this state")
    return game.start_from(setup.state, rng)


def setup_to_json(game: AnyGame, setup: Any) -> dict[str, Any]:
    """Return the setup or position as JSON values."""
    if isinstance(setup, StartPosition):
        return {POSITION: setup.name, "state": game.state_to_json(setup.state)}
    return game.setup_to_json(setup)


def setup_from_json(game: AnyGame, data: Any) -> Any:
    """Read what `setup_to_json` writes."""
    if not isinstance(data, Mapping) or POSITION not in data:
        return game.setup_from_json(data)
    state = read_field(data, "state", lambda value: game.state_from_json(as_mapping(value)))
    return StartPosition(read_field(data, POSITION, text), state)


def setup_columns(game: AnyGame, setup: Any) -> Mapping[str, str]:
    """Return the columns that describe the setup or position in tables."""
    return {POSITION: setup.name} if isinstance(setup, StartPosition) else game.setup_columns(setup)


def setups_summary(game: AnyGame, setups: Sequence[Any]) -> Mapping[str, Any]:
    """Return the setups or positions as the manifest of a tournament describes them."""
    if isinstance(setups[0], StartPosition):
        return {"positions": [setup.name for setup in setups]}
    return game.setups_summary(setups)


def card_lists(game: AnyGame, setup: Any) -> Sequence[CardList]:
    """Return the card list of each seat; empty where it is not known."""
    return game.cards_of(setup) if isinstance(game, HasCards) and not isinstance(setup, StartPosition) else ()


# -- adjudication


class Resign(NamedTuple):
    """A seat loses when the game estimates the other seat's points at `score` or more for `turns` turns running."""

    turns: int
    score: float


@dataclass(frozen=True)
class Adjudication:
    """When the match runner ends a match; by default never."""

    max_turns: int | None = None  # after so many turns of all seats a match is a draw, or lost in a game of one seat
    resign: Resign | None = None

    @property
    def max_turns_reason(self) -> str:
        """The reason of a match that the turn limit ended."""
        return f"{ADJUDICATION}: {self.max_turns} turns"

    @property
    def resign_reason(self) -> str:
        """The reason of a match that the estimate ended."""
        assert self.resign is not None
        return f"{ADJUDICATION}: estimate of {self.resign.score:g} or more for {self.resign.turns} turns"

    def check(self, game: AnyGame, seats: int) -> None:
        """Raise an error if matches of this game cannot be adjudicated like this."""
        if self.resign is not None:
            require(game, EstimatesPoints, "resign")
            if seats > 2:
                raise PlannerError(f"resign: needs a game of one or two seats, this one has {seats}")

    def to_json(self) -> dict[str, Any]:
        """Return the options that are set as JSON values."""
        limit = {} if self.max_turns is None else {"max_turns": self.max_turns}
        return limit if self.resign is None else {**limit, "resign": self.resign._asdict()}

    @classmethod
    def from_json(cls, data: Any) -> Adjudication:
        """Read what `to_json` writes."""
        entry = as_mapping(data)
        return cls(optional(entry, "max_turns", max_turns, None), optional(entry, "resign", read_resign, None))


max_turns = partial(integer, minimum=1, maximum=1_000_000)


def read_resign(value: Any) -> Resign:
    """Read `{turns: 4, score: 0.9}`."""
    if not isinstance(value, Mapping):
        raise PlannerError(f"must be a mapping such as {{turns: 4, score: 0.9}}, got {quote(value)}")
    if (unknown := first_unknown_key(value, RESIGN_FIELDS)) is not None:
        raise PlannerError(unknown_field(unknown, RESIGN_FIELDS))
    score = partial(number, minimum=MIN_SCORE, maximum=MAX_SCORE)
    resign = Resign(read_field(value, "turns", max_turns), read_field(value, "score", score))
    if resign.score == MIN_SCORE:
        raise PlannerError(f"score: must be above {MIN_SCORE}, at which the seats are even")
    return resign


class Adjudicator:
    """Watches one match. Call `judge` after every turn that the match survived."""

    def __init__(self, game: AnyGame, adjudication: Adjudication) -> None:
        self._game, self._options = game, adjudication
        self._turns = 0
        self._streaks: dict[int, int] = {}  # by seat: turns in a row in which it was certain of winning

    def judge(self, state: Any, turn: int) -> Outcome | None:
        """Return how the match ends after the turn with this number, which led to this state; None: it goes on."""
        game, options = self._game, self._options
        self._turns += 1
        seats = game.seats(state)
        rounds = -(-turn // seats)
        if options.resign is not None and isinstance(game, EstimatesPoints):
            points = game.estimate_points(state)
            # In a game of one seat, the enemies have what the player lacks.
            for seat, share in enumerate(points if seats > 1 else (*points, 1 - points[0])):
                self._streaks[seat] = self._streaks.get(seat, 0) + 1 if share >= options.resign.score else 0
                if self._streaks[seat] >= options.resign.turns:
                    won = tuple(float(other == seat) for other in range(seats))
                    return Outcome(won, options.resign_reason, rounds)
        if options.max_turns is not None and self._turns >= options.max_turns:
            return Outcome((0.5,) * seats if seats > 1 else (0.0,), options.max_turns_reason, rounds)
        return None


def is_adjudicated(reason: str) -> bool:
    """Return whether the match runner ended a match that has this reason."""
    return reason.partition(":")[0] == ADJUDICATION
