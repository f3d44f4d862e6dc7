"""What a game is: a core that every game implements, and optional capabilities that only some games have.

States and actions are values: immutable, comparable, hashable. Applying an action returns a new state. All randomness
is passed in. A decision inside a turn (a mulligan, "discard a card") is a state whose legal actions are the choices.

- `Game` is the core: 16 methods. `BaseGame` implements what it can, and adds defaults for text, tables and files.
- A capability such as `HasPrompts` is a protocol of its own. Ask for it with `isinstance`, or with `require`, which
  raises an error for the user. Planning has its capabilities in planner/planning/capabilities.py.

docs/how-to/games.md shows how to add a game.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

from planner.errors import PlannerError, quote
from planner.formats.documents import parse_json
from planner.formats.values import Fields, as_list

if TYPE_CHECKING:
    from planner.formats.json_schema import FileKind, Schema

# Metadata of a dataclass field: an experiment's digest leaves the field out where it has its default value.
OMIT_DEFAULT_FROM_DIGEST: Final = {"omit_default_from_digest": True}

# What became of a card in a match.
UNSEEN, DRAWN, PLAYED = "012"

State = TypeVar("State")
Action = TypeVar("Action")
Setup = TypeVar("Setup")
_Capability = TypeVar("_Capability")


@dataclass(frozen=True)
class Outcome:
    """How a match ended: the points of each seat from 0 (lost) to 1 (won), the reason, and the number of rounds."""

    points: tuple[float, ...]
    reason: str  # one or two words: damage, fatigue, turn limit; the match runner adds crash, illegal action, time
    rounds: int

    @classmethod
    def ranked(cls, scores: Sequence[Any], reason: str, rounds: int) -> Outcome:
        """Return the outcome of a match in which the seat with the highest score wins.

        The points of a seat are the share of the other seats with a lower score; equal scores count half. Scores may be
        any values that can be compared, such as `(points, -turns)`.
        """
        others = max(1, len(scores) - 1)
        points = [sum((own > other) + (own >= other) for other in scores) - 1 for own in scores]
        return cls(tuple(twice / (2 * others) for twice in points), reason, rounds)

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat, 1 for the most points. Seats with equal points share a place: 1, 2, 2, 4."""
        return tuple(1 + sum(other > own for other in self.points) for own in self.points)

    @property
    def winner(self) -> int | None:
        """The seat with more points than all others, or None."""
        best = max(self.points)
        if len(self.points) == 1:
            return 0 if best > 0 else None
        return self.points.index(best) if self.points.count(best) == 1 else None

    def __str__(self) -> str:
        if len(self.points) == 1:
            return f"{'won' if self.winner == 0 else 'lost'} by {self.reason}"
        first = [f"player {seat + 1}" for seat, place in enumerate(self.places) if place == 1]
        if len(first) == 1:
            return f"{first[0]} wins by {self.reason}"
        if len(first) == len(self.points):
            return f"a draw by {self.reason}"
        return f"{', '.join(first[:-1])} and {first[-1]} share first place by {self.reason}"


class Agent(Protocol):
    """Decides one action at a time, and sees only what its seat can see."""

    @property
    def name(self) -> str:
        """The agent's name in tables and logs."""

    def decide(self, state: Any) -> Any:
        """Return a legal action; `state` is what `Game.observe` shows to the seat."""


class Game(Protocol[State, Action, Setup]):
    """The core of a game. Seats are numbered from 0; seat 0 moves first unless the setup says otherwise."""

    name: str

    # -- playing

    def start(self, setup: Setup, rng: Random) -> State:
        """Return the first state of a match: shuffled and dealt."""
        raise NotImplementedError

    def seats(self, state: State) -> int:
        """Return the number of players."""
        raise NotImplementedError

    def to_move(self, state: State) -> int:
        """Return the seat that decides next; undefined after the end."""
        raise NotImplementedError

    def turn(self, state: State) -> int:
        """Return the turn number: 1 for the first turn, 0 for decisions before it, such as a mulligan.

        The number never decreases, and all decisions under one number from 1 on are one turn. It belongs to the seat
        that decides first; decisions of other seats in it, such as a reaction, do not divide it.
        """
        raise NotImplementedError

    def legal_actions(self, state: State) -> Sequence[Action]:
        """Return every legal action of the seat to move, in a fixed order; empty after the end."""
        raise NotImplementedError

    def illegal_reason(self, state: State, action: Any) -> str | None:
        """Return in one line why the action is illegal now, or None if it is legal. Accepts any value."""

    def apply(self, state: State, action: Action, rng: Random) -> State:
        """Return the state after a legal action; legality is not checked again."""
        raise NotImplementedError

    def outcome(self, state: State) -> Outcome | None:
        """Return how the match ended, or None while it runs."""
        raise NotImplementedError

    def observe(self, state: State, seat: int) -> State:
        """Return the state as this seat sees it: independent of hidden information, with the same legal actions."""

    def default_action(self, state: State) -> Action:
        """Return the action of an agent that does nothing: end the turn, or the simplest choice.

        A seat that has forfeited a match of more than two seats continues with it.
        """

    # -- as data: readers raise a PlannerError of one line

    def state_to_json(self, state: State) -> dict[str, Any]:
        """Return the complete state as JSON values."""
        raise NotImplementedError

    def state_from_json(self, data: Any) -> State:
        """Read a state; omitted fields have the default that a player would expect."""
        raise NotImplementedError

    def action_to_json(self, action: Action) -> dict[str, Any]:
        """Return the action as JSON values."""
        raise NotImplementedError

    def action_from_json(self, data: Any, place: str = "action") -> Action:
        """Read an action; errors begin with `place`."""
        raise NotImplementedError

    def setup_to_json(self, setup: Setup) -> dict[str, Any]:
        """Return what `start` needs as JSON values."""
        raise NotImplementedError

    def setup_from_json(self, data: Any) -> Setup:
        """Read a setup."""
        raise NotImplementedError


# -- capabilities


class CardList(NamedTuple):
    """The cards of one seat: the name of the deck, and the name of each different card once."""

    name: str
    cards: tuple[str, ...]


class Encoding(Protocol):
    """States and actions as numbers, for learners: a number means the same in every state."""

    actions: int  # actions are numbered from 0 to actions - 1

    @property
    def names(self) -> Sequence[str]:
        """The meaning of each number of an observation."""

    def number(self, state: Any, action: Any) -> int | None:
        """Return the number of a legal action, or None if it has none."""

    def observation(self, state: Any, seat: int) -> Sequence[float]:
        """Return what this seat sees as numbers."""


@runtime_checkable
class HasPrompts(Protocol):
    """A game with decisions that are not part of a turn, such as a mulligan."""

    def decide_prompt(self, state: Any, profile: Any = None) -> Any | None:
        """Return a sensible choice where the state is such a decision, else None; a weight profile may guide it."""


@runtime_checkable
class HasReferee(Protocol):
    """A game whose matches are played by a fast implementation of the rules."""

    def referee(self) -> AnyGame:
        """Return the same game by its reference rules, which judge what was played."""

    def engine_id(self) -> str | None:
        """Return an identifier of the fast implementation, or None where it is not available."""


@runtime_checkable
class HasCards(Protocol):
    """A game that users can extend with cards, and whose tables count cards."""

    def with_cards(self, files: Sequence[Path]) -> AnyGame:
        """Return the same game with the cards of these files added to its own."""

    def cards_of(self, setup: Any) -> Sequence[CardList]:
        """Return the card list of each seat."""

    def cards_used(self, setup: Any, states: Sequence[Any], actions: Sequence[Any]) -> Sequence[str]:
        """Return, by seat, a character for each card of `cards_of`: `UNSEEN`, `DRAWN` or `PLAYED`.

        `states` are the states before each action and the last one. Of several copies the furthest one counts.
        """


class CardEntry(NamedTuple):
    """A card as a list shows it."""

    name: str
    cost: str
    kind: str
    text: str


@runtime_checkable
class ListsCards(Protocol):
    """A game whose cards can be listed."""

    def card_entries(self) -> Sequence[CardEntry]:
        """Return every card that comes with the game."""


@runtime_checkable
class EncodesForLearners(Protocol):
    """A game whose states and actions have a numeric form."""

    def encoding(self, setup: Any) -> Encoding:
        """Return the numeric form of matches with this setup."""


@runtime_checkable
class SamplesHidden(Protocol):
    """A game with hidden information that can guess it, for agents that play on from what they see."""

    def sample_hidden(self, observation: Any, rng: Random) -> Any:
        """Return a complete state that the seat to move would observe like this; nothing else is known of it."""


@runtime_checkable
class EstimatesPoints(Protocol):
    """A game whose unfinished matches can be judged, for agents that do not play on to the end."""

    def estimate_points(self, state: Any) -> Sequence[float]:
        """Return the points that each seat can expect, from 0 to 1."""


# By class of the game and capability: `isinstance` with a protocol takes 10 µs, a twentieth of a plan.
_SUPPORTED: Final[dict[tuple[type, type], bool]] = {}


def require(game: AnyGame, capability: type[_Capability], feature: str) -> _Capability:
    """Return the game as this capability, or raise `FEATURE is not supported for GAME`."""
    key = type(game), capability
    if key not in _SUPPORTED:
        _SUPPORTED[key] = isinstance(game, capability)
    if not _SUPPORTED[key]:
        raise PlannerError(f"{feature} is not supported for {game.name}")
    return cast(_Capability, game)


# -- defaults

_UNUSED_GENERATOR: Final = Random(0).getstate()


class BaseGame(Game[State, Action, Setup]):
    """Base class of games: nothing is hidden, texts are JSON, and setups are written in JSON.

    A new game implements the methods of `Game` that have no default here, and overrides what it can do better.
    """

    setup_fields: Sequence[str] = ("setups",)  # the fields of an experiment file that this game reads

    # -- the core

    def illegal_reason(self, state: State, action: Any) -> str | None:
        """Look the action up among the legal ones."""
        return None if action in self.legal_actions(state) else f"{quote(action)} is not legal now"

    def observe(self, state: State, seat: int) -> State:  # noqa: ARG002  (games with hidden information use it)
        """Return the state itself: nothing is hidden."""
        return state

    def default_action(self, state: State) -> Action:
        """Return the last legal action."""
        return self.legal_actions(state)[-1]

    # -- text

    def state_schema(self) -> dict[str, Any]:
        """Return the JSON schema of a state; by default any object."""
        return {"type": "object"}

    def state_to_text(self, state: State) -> str:
        """Return the state as one line that can be pasted into a bug report."""
        return json.dumps(self.state_to_json(state))

    def state_from_text(self, text: str) -> State:
        """Read the line that `state_to_text` writes."""
        return self.state_from_json(parse_json(text, "state"))

    def action_to_text(self, action: Action) -> str:
        """Return the action as one line."""
        return json.dumps(self.action_to_json(action))

    def action_from_text(self, text: str) -> Action:
        """Read the line that `action_to_text` writes."""
        return self.action_from_json(parse_json(text, "action"))

    def seat_names(self, state: State) -> Sequence[str]:
        """Return what to call the players of this match, by seat."""
        return [f"player {seat + 1}" for seat in range(self.seats(state))]

    def rules_text(self) -> str:
        """Return the rules in a few sentences, for players who do not know the game; by default nothing."""
        return ""

    def show(self, state: State, width: int = 80) -> str:  # noqa: ARG002  (games that draw a board use it)
        """Return the board as plain text of this width, as the seat to move sees it."""
        return self.state_to_text(state)

    def describe_action(self, state: State, action: Action, after: State | None = None) -> str:  # noqa: ARG002
        """Return what the action does, as a sentence without a full stop; with its results where `after` is known."""
        return self.action_to_text(action)

    def describe_turn(self, state: State, actions: Sequence[Action], briefly: bool = False) -> list[str]:
        """Describe each action of a turn; without results if `briefly`, and none after a chance event."""
        lines, rng = [], Random(0)
        for action in actions:
            if self.illegal_reason(state, action) is not None:
                lines.append(self.action_to_text(action))
                continue
            after = self.apply(state, action, rng)
            certain = rng.getstate() == _UNUSED_GENERATOR
            lines.append(self.describe_action(state, action, after if certain and not briefly else None))
            state = after
        return lines

    # -- studies

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """Return the agents that only this game has, by name; the generator decides everything they choose."""
        return {}

    def files(self) -> Sequence[FileKind]:
        """Return the kinds of files that users write for this game, besides profiles and experiments."""
        return ()

    def setup_schema(self) -> Mapping[str, Schema]:
        """Return the JSON schema of each field of `setup_fields`."""
        return {key: {} for key in self.setup_fields}

    def setup_names(self) -> Sequence[str]:
        """Return the names of what matches start from, such as decks; empty where every match starts alike."""
        return ()

    def setups_from_file(self, file: Fields) -> Sequence[Setup]:
        """Read the setups of an experiment file, in the order in which games use them."""
        return file.read("setups", lambda entries: [self._read_setup(entry) for entry in as_list(entries)], [])

    def setup_from_words(self, words: Sequence[str], rules: str = "") -> Setup:  # noqa: ARG002
        """Read a setup from the words of a command line; `rules` names a ruleset where the game has some."""
        if len(words) != 1:
            raise PlannerError(f"a match of {self.name} takes one setup in JSON, got {len(words)} words")
        return self._read_setup(parse_json(words[0], "setup"))

    def _read_setup(self, data: Any) -> Setup:
        """Turn Python's own errors, such as an unknown field of a dataclass, into a PlannerError."""
        try:
            return self.setup_from_json(data)
        except (TypeError, ValueError, KeyError) as error:
            raise PlannerError(f"setup: {quote(data)} is not a setup of {self.name}: {error}") from error

    def start_from(self, state: State, rng: Random) -> State:  # noqa: ARG002  (games with a hidden order use it)
        """Return this state as the start of a match; a game whose cards have a hidden order shuffles them."""
        return state

    def with_seats(self, setup: Setup, seats: int) -> Setup:  # noqa: ARG002  (games for any number of players use it)
        """Return the setup for this many players, or the same setup if the number cannot be chosen."""
        return setup

    def swapped(self, setup: Setup) -> Setup:
        """Return the setup with the belongings of the two seats exchanged."""
        return setup

    def setup_columns(self, setup: Setup) -> Mapping[str, str]:
        """Return the columns that describe the setup in tables, such as the deck of each seat."""
        return {"setup": json.dumps(self.setup_to_json(setup))}

    def setups_summary(self, setups: Sequence[Setup]) -> Mapping[str, Any]:
        """Return the setups as the manifest of a tournament describes them."""
        return {"setups": [dict(self.setup_columns(setup)) for setup in setups]}

    def measures(self, state: State) -> Mapping[str, float]:  # noqa: ARG002  (games with measures use it)
        """Return numbers about a finished match for the tables; always the same columns."""
        return {}


AnyGame: TypeAlias = BaseGame[Any, Any, Any]
