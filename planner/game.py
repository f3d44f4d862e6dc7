"""What a game is: the few functions that arena, agents, search and service rely on, whichever game it is.

States and actions are values: immutable, comparable, hashable. Applying an action gives a new state. All randomness is
handed in. A question that a card asks half-way (a mulligan, "discard a card of your choice") is a state whose legal
actions are the answers. docs/how-to/games.md shows how to add a game.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar, cast

from planner.errors import PlannerError, quote
from planner.formats.documents import parse_json
from planner.formats.values import Fields, as_list

if TYPE_CHECKING:
    from planner.formats.json_schema import FileKind, Schema

# Metadata of a dataclass field: an experiment's digest leaves the field out where it has its default value.
OMIT_DEFAULT_FROM_DIGEST: Final = {"omit_default_from_digest": True}

State = TypeVar("State")
Action = TypeVar("Action")
Setup = TypeVar("Setup")


@dataclass(frozen=True)
class Outcome:
    """How a match ended: what each seat scored, from 0 (lost) to 1 (won), why, and after how many rounds."""

    points: tuple[float, ...]
    reason: str  # in a word or two, such as damage, fatigue, turn limit; a driver adds crash, illegal action, time
    rounds: int

    @property
    def winner(self) -> int | None:
        """The seat that scored more than all others; None where there is none."""
        best = max(self.points)
        if len(self.points) == 1:
            return 0 if best > 0 else None
        return self.points.index(best) if self.points.count(best) == 1 else None

    def __str__(self) -> str:
        if len(self.points) == 1:
            return f"{'won' if self.winner == 0 else 'lost'} by {self.reason}"
        return f"a draw by {self.reason}" if self.winner is None else f"player {self.winner + 1} wins by {self.reason}"


class CardList(NamedTuple):
    """What a seat plays with: its name, such as that of a deck, and the names of its cards, each once."""

    name: str
    cards: tuple[str, ...]


class Agent(Protocol):
    """Who decides, one action at a time, and sees only what the seat can see."""

    @property
    def name(self) -> str:
        """How tables and logs call it."""

    def decide(self, state: Any) -> Any:
        """One of the legal actions of this state, which is what `Game.observe` shows."""


class Encoding(Protocol):
    """States and actions of a game as numbers, for learners: the same number means the same thing in every state."""

    actions: int  # how many numbers there are for actions, from 0

    @property
    def names(self) -> Sequence[str]:
        """What each number of an observation is."""

    def number(self, state: Any, action: Any) -> int | None:
        """The number of this legal action; None where it has none."""

    def observation(self, state: Any, seat: int) -> Sequence[float]:
        """What this seat sees, as numbers."""


class Game(Protocol[State, Action, Setup]):
    """A game of one or more seats. Seats are numbered from 0; seat 0 moves first unless the setup says otherwise."""

    @property
    def name(self) -> str:
        """As files and states name it."""

    # -- playing

    def start(self, setup: Setup, chance: Random) -> State:
        """The first state of a match: shuffled and dealt."""

    def seats(self, state: State) -> int:
        """How many players there are."""

    def to_move(self, state: State) -> int:
        """The seat whose decision is awaited. Has no meaning after the end."""

    def turn(self, state: State) -> int:
        """The number of the turn: it grows, and the decisions of one seat under one number are one turn.

        The first is 1; what is decided before it (a mulligan) belongs to turn 0.
        """

    def legal_actions(self, state: State) -> Sequence[Action]:
        """All that the seat to move may do now, always in the same order; nothing after the end."""

    def illegal_reason(self, state: State, action: Any) -> str | None:
        """Why this is not legal now, in one line, or None if it is. Anything at all may be asked about."""

    def apply(self, state: State, action: Action, chance: Random) -> State:
        """The state after this action, which must be legal (`illegal_reason` is not asked again)."""

    def referee(self) -> Any:
        """The same game by the rules that are the authority, for whoever checks what was played."""

    def outcome(self, state: State) -> Outcome | None:
        """How the match ended, or None while it runs."""

    def observe(self, state: State, seat: int) -> State:
        """The state as this seat may see it: nothing depends on what is hidden, and the same actions are legal."""

    def default_action(self, state: State) -> Action:
        """What whoever wants nothing does: the turn ends, a question gets its plainest answer."""

    def decide_prompt(self, state: State, profile: Any = None) -> Action | None:
        """A sensible answer where the state asks a question that is no turn, such as a mulligan; else None.

        A weight profile may say what is sensible.
        """

    # -- as data: JSON values, and one line of text. Readers refuse with a PlannerError of one line.

    def state_to_json(self, state: State) -> dict[str, Any]:
        """The state in the JSON form, whole."""

    def state_from_json(self, data: Any) -> State:
        """From the JSON form; what a caller leaves out has the default that a player would expect."""

    def state_schema(self) -> dict[str, Any]:
        """The JSON form of a state as a JSON schema: names, kinds and bounds, as the service describes it."""

    def action_to_json(self, action: Action) -> dict[str, Any]:
        """The action in the JSON form."""

    def action_from_json(self, data: Any, place: str = "action") -> Action:
        """From the JSON form; `place` is named in a refusal."""

    def setup_to_json(self, setup: Setup) -> dict[str, Any]:
        """What `start` needs, in the JSON form."""

    def setup_from_json(self, data: Any) -> Setup:
        """From the JSON form."""

    def state_to_text(self, state: State) -> str:
        """The state as one line that can be pasted into a bug report."""

    def state_from_text(self, text: str) -> State:
        """From that line."""

    def action_to_text(self, action: Action) -> str:
        """The action as one line."""

    def action_from_text(self, text: str) -> Action:
        """From that line."""

    # -- for people

    def seat_names(self, state: State) -> Sequence[str]:
        """What to call the players of this match, by seat."""

    def show(self, state: State, width: int = 80) -> str:
        """The table as a picture of plain text, some lines high, as the seat to move sees it."""

    def describe_action(self, state: State, action: Action, after: State | None = None) -> str:
        """What this action does from this state, as one sentence without a full stop.

        `after`, where it is known, is the state that it led to: then also what came of it.
        """

    def describe_turn(self, state: State, actions: Sequence[Action], briefly: bool = False) -> list[str]:
        """The actions of a plan, one sentence each, told to whoever is to move; briefly: without what they lead to."""

    # -- for studies

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """Agents that only this game has, by name; all that one does comes from its generator and the states."""

    @property
    def profiles(self) -> type[Any] | None:
        """The class of its weight profiles (`planner.planning.weights.Profile`); None where no turn can be planned."""

    @property
    def setup_fields(self) -> Sequence[str]:
        """The fields of an experiment file that are this game's business: decks, rules, scenarios, ..."""

    def setups_from_file(self, file: Fields) -> Sequence[Setup]:
        """The setups that these fields of an experiment file name, in the order in which games take them."""

    def setup_from_words(self, words: Sequence[str], rules: str = "") -> Setup:
        """The setup that these words of a command line name: decks, a scenario; `rules` as the game knows them."""

    def with_cards(self, files: Sequence[Path]) -> Game[State, Action, Setup]:
        """The same game with the cards in these files of a designer's added to its own: for whatever it reads."""

    def files(self) -> Sequence[FileKind]:
        """The kinds of files that people write for it, beside profiles and experiments."""

    def setup_schema(self) -> Mapping[str, Schema]:
        """What its `setup_fields` may hold in an experiment, as JSON schemas."""

    def swapped(self, setup: Setup) -> Setup:
        """The same with what belongs to the two seats exchanged."""

    def setup_columns(self, setup: Setup) -> Mapping[str, str]:
        """The setup as tables list it: columns and values, such as the name of each seat's deck."""

    def decklist(self, setup: Setup, seat: int) -> Sequence[Any]:
        """The cards that the player in this seat brings, for agents to whom lists are open."""

    def setups_summary(self, setups: Sequence[Setup]) -> Mapping[str, Any]:
        """These setups as the manifest of a tournament describes them, as JSON values."""

    def encoding(self, setup: Setup) -> Encoding | None:
        """Matches from this setup as numbers; None where the game has no such form."""

    def measures(self, state: State) -> Mapping[str, float]:
        """Numbers about a finished match that tables keep beside its outcome; always the same columns."""

    def cards_of(self, setup: Setup) -> Sequence[CardList]:
        """What each seat plays with; nothing where a game has no cards."""

    def cards_used(self, setup: Setup, states: Sequence[State], actions: Sequence[Action]) -> Sequence[str]:
        """What became of these cards in a match, by seat: a sign for each, one of `UNSEEN`, `DRAWN` and `PLAYED`.

        `states` are those before each action, and the last one. Of several copies the one that came farthest counts.
        """


UNSEEN, DRAWN, PLAYED = "012"  # what became of a card in a match
AnyGame: TypeAlias = Game[Any, Any, Any]
_UNTOUCHED = Random(0).getstate()


class BaseGame(Generic[State, Action, Setup]):
    """What a simple game need not write: nothing is hidden, no planner, JSON as its text, setups in JSON."""

    name: str
    profiles: type[Any] | None = None
    setup_fields: Sequence[str] = ("setups",)

    def legal_actions(self, state: State) -> Sequence[Action]:
        """All that the seat to move may do now."""
        raise NotImplementedError

    def illegal_reason(self, state: State, action: Any) -> str | None:
        """Whatever is not among the legal actions is not legal."""
        return None if action in self.legal_actions(state) else f"{quote(action)} is not legal now"

    def observe(self, state: State, seat: int) -> State:  # noqa: ARG002  (others hide something)
        """Nothing is hidden."""
        return state

    def referee(self) -> Any:
        """This very game."""
        return self

    def default_action(self, state: State) -> Action:
        """The last of the legal actions."""
        return self.legal_actions(state)[-1]

    def decide_prompt(self, state: State, profile: Any = None) -> Action | None:  # noqa: ARG002
        """There are only turns."""
        return None

    def state_to_json(self, state: State) -> dict[str, Any]:
        """The state in the JSON form."""
        raise NotImplementedError

    def state_from_json(self, data: Any) -> State:
        """From the JSON form."""
        raise NotImplementedError

    def state_schema(self) -> dict[str, Any]:
        """Any object: the reader says what is wrong with it."""
        return {"type": "object"}

    def action_to_json(self, action: Action) -> dict[str, Any]:
        """The action in the JSON form."""
        raise NotImplementedError

    def action_from_json(self, data: Any, place: str = "action") -> Action:
        """From the JSON form."""
        raise NotImplementedError

    def setup_to_json(self, setup: Setup) -> dict[str, Any]:
        """The setup in the JSON form."""
        raise NotImplementedError

    def setup_from_json(self, data: Any) -> Setup:
        """From the JSON form."""
        raise NotImplementedError

    def state_to_text(self, state: State) -> str:
        """The JSON form in one line."""
        return json.dumps(self.state_to_json(state))

    def state_from_text(self, text: str) -> State:
        """From that line."""
        return self.state_from_json(parse_json(text, "state"))

    def action_to_text(self, action: Action) -> str:
        """The JSON form in one line."""
        return json.dumps(self.action_to_json(action))

    def action_from_text(self, text: str) -> Action:
        """From that line."""
        return self.action_from_json(parse_json(text, "action"))

    def seats(self, state: State) -> int:
        """How many players there are."""
        raise NotImplementedError

    def seat_names(self, state: State) -> Sequence[str]:
        """Numbered."""
        return [f"player {seat + 1}" for seat in range(self.seats(state))]

    def show(self, state: State, width: int = 80) -> str:  # noqa: ARG002  (others draw a table)
        """The line of text."""
        return self.state_to_text(state)

    def describe_action(self, state: State, action: Action, after: State | None = None) -> str:  # noqa: ARG002
        """The line of text."""
        return self.action_to_text(action)

    def describe_turn(self, state: State, actions: Sequence[Action], briefly: bool = False) -> list[str]:
        """Each as `tell` has it. Behind what chance decides nothing is certain: that is told as a line of text."""
        lines, chance = [], Random(0)
        game = cast(Game[State, Action, Setup], self)
        for action in actions:
            if self.illegal_reason(state, action) is not None:
                lines.append(self.action_to_text(action))
                continue
            after = game.apply(state, action, chance)
            lines.append(
                self.describe_action(state, action, None if briefly or chance.getstate() != _UNTOUCHED else after)
            )
            state = after
        return lines

    def baselines(self) -> Mapping[str, Callable[[Random], Agent]]:
        """None of its own."""
        return {}

    def setups_from_file(self, file: Fields) -> Sequence[Setup]:
        """A list of setups in their JSON form."""
        return file.read("setups", lambda given: [self._setup(one) for one in as_list(given)], [])

    def setup_from_words(self, words: Sequence[str], rules: str = "") -> Setup:  # noqa: ARG002
        """One word: a setup in its JSON form."""
        if len(words) != 1:
            raise PlannerError(f"{len(words)} words, but one setup in its JSON form names a match of {self.name}")
        return self._setup(parse_json(words[0], "setup"))

    def _setup(self, data: Any) -> Setup:
        """What a simple game does not check, Python does: `Race(**data)` with a field that it does not know."""
        try:
            return self.setup_from_json(data)
        except (TypeError, ValueError, KeyError) as error:
            raise PlannerError(f"setup: {quote(data)} is none of {self.name}: {error}") from error

    def with_cards(self, files: Sequence[Path]) -> Any:
        """It has none."""
        raise PlannerError(f"{files[0]}: {self.name} takes no cards from files")

    def files(self) -> Sequence[FileKind]:
        """None."""
        return ()

    def setup_schema(self) -> Mapping[str, Schema]:
        """Lists of setups in their JSON form, about which nothing is known."""
        return {key: {} for key in self.setup_fields}

    def swapped(self, setup: Setup) -> Setup:
        """The seats own nothing."""
        return setup

    def setup_columns(self, setup: Setup) -> Mapping[str, str]:
        """One column with the JSON form."""
        return {"setup": json.dumps(self.setup_to_json(setup))}

    def decklist(self, setup: Setup, seat: int) -> Sequence[Any]:  # noqa: ARG002
        """Nothing that anybody would need to be told."""
        return ()

    def setups_summary(self, setups: Sequence[Setup]) -> Mapping[str, Any]:
        """Their columns."""
        return {"setups": [dict(self.setup_columns(setup)) for setup in setups]}

    def encoding(self, setup: Setup) -> Encoding | None:  # noqa: ARG002
        """None: states and actions are no numbers."""
        return None

    def measures(self, state: State) -> Mapping[str, float]:  # noqa: ARG002
        """None."""
        return {}

    def cards_of(self, setup: Setup) -> Sequence[CardList]:  # noqa: ARG002
        """No cards."""
        return ()

    def cards_used(self, setup: Setup, states: Sequence[State], actions: Sequence[Action]) -> Sequence[str]:  # noqa: ARG002
        """No cards."""
        return ()
