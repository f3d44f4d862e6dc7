"""What a game is: the few functions that arena, agents, search and service rely on, whichever game it is.

States and actions are values: immutable, comparable, hashable. Applying an action gives a new state. All randomness is
handed in. A question that a card asks half-way (a mulligan, "discard a card of your choice") is a state whose legal
actions are the answers. docs/games.md shows how to add a game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, TypeVar

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
        """The number of the turn: it grows, and the decisions of one seat under one number are one turn."""

    def legal_actions(self, state: State) -> Sequence[Action]:
        """All that the seat to move may do now, always in the same order; nothing after the end."""

    def why_not(self, state: State, action: Any) -> str | None:
        """Why this is not legal now, in one line, or None if it is. Anything at all may be asked about."""

    def apply(self, state: State, action: Action, chance: Random) -> State:
        """The state after this action, which must be legal (`why_not` is not asked again)."""

    def outcome(self, state: State) -> Outcome | None:
        """How the match ended, or None while it runs."""

    def observe(self, state: State, seat: int) -> State:
        """The state as this seat may see it: nothing in it depends on what is hidden from it."""

    # -- as data: JSON values, and one line of text. Readers refuse with a PlannerError of one line.

    def state_to_json(self, state: State) -> dict[str, Any]:
        """The state in the JSON form, whole."""

    def state_from_json(self, data: Any) -> State:
        """From the JSON form; what a caller leaves out has the default that a player would expect."""

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

    def show(self, state: State) -> str:
        """The table as a picture of plain text, some lines high."""

    def tell(self, state: State, action: Action) -> str:
        """What this action does from this state, as one sentence without a full stop."""
