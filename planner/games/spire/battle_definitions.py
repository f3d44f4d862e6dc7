"""Cards, statuses and enemies as values, with their actions in the form in which a battle runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from planner.games.spire.action_language import Step
from planner.games.spire.vocabulary import MAX_NUMBER, StatusFunction


@dataclass(frozen=True)
class ValueChange:
    """How a status changes a value; exactly one field is set."""

    add: int = 0
    stacks: bool = False  # add the amount of the status
    times: Fraction | None = None
    call: StatusFunction | None = None


@dataclass(frozen=True)
class Callback:
    """What a status does at a moment; exactly one field is set."""

    program: tuple[Step, ...] = ()
    remove: bool = False
    call: StatusFunction | None = None


# Each object exists once per library, so that it compares by identity; a function of an extension cannot change it.


@dataclass(frozen=True, eq=False)
class Status:
    """A status, which may change values and run callbacks."""

    name: str
    rank: int  # position in the definitions; callbacks run in this order
    good: bool = False
    stacking: str = ""
    each_turn: int = 0
    points: Fraction = Fraction(1)  # of one stack, in the terms of a profile
    keeps_hand: bool = False  # while the player has it, the hand is not discarded
    changes: Mapping[str, tuple[ValueChange, ...]] = field(default_factory=dict)  # of values, by event
    callbacks: Mapping[str, tuple[Callback, ...]] = field(default_factory=dict)
    on_end: tuple[Step, ...] = ()

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Card:
    """A card at one upgrade level."""

    name: str
    level: int
    cost: int
    type: str
    program: tuple[Step, ...]
    next: Card | None  # the upgraded card; None for cards without an upgrade or with unlimited upgrades
    text: str | None  # replaces the generated description
    retain: bool  # stays in hand at the end of the turn
    rank: int  # position in the definitions
    order: int = field(init=False)  # sort key of piles: by definition, then by level

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", self.rank * (MAX_NUMBER + 1) + self.level)

    @property
    def title(self) -> str:
        """Return the name with its upgrades: Strike, Strike+, Searing Blow+3."""
        return self.name + ("" if not self.level else "+" if self.level == 1 else f"+{self.level}")

    def __repr__(self) -> str:
        return self.title


@dataclass(frozen=True, eq=False)
class EnemyMove:
    """What an enemy does in one turn."""

    name: str
    program: tuple[Step, ...]


class MovePattern(NamedTuple):
    """The order of an enemy's moves; moves are indices."""

    rotation: tuple[int, ...]  # repeated forever; empty if moves are random
    first: int | None  # None means a random move of the rotation
    chances: tuple[int, ...]  # of each move, in per cent
    max_repeats: tuple[int, ...]  # how often each move may come in a row; 0 means no limit


@dataclass(frozen=True, eq=False)
class EnemyKind:
    """An enemy: its range of health, its moves and their order."""

    name: str
    health: tuple[int, int]
    moves: tuple[EnemyMove, ...]
    pattern: MovePattern

    def __repr__(self) -> str:
        return self.name
