"""Actions made ready to be carried out: numbers fixed for one level of upgrade, statuses looked up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from planner.errors import PlannerError, did_you_mean, quote
from planner.games.spire.language import Step

if TYPE_CHECKING:
    from planner.games.spire.library import Library, Status

# What data cannot say: called with the table, the fighter who has the status, the status as held, and the value that
# the event may change (0 for a moment). It gives the value back, changed or not.
StatusFunction: TypeAlias = Callable[[Any, Any, Any, int], int]
_FUNCTIONS: Final[dict[str, StatusFunction]] = {}


def register_status_function(name: str) -> Callable[[StatusFunction], StatusFunction]:
    """Make a function known to status files under this name (`call: name`)."""

    def keep(function: StatusFunction) -> StatusFunction:
        _FUNCTIONS[name] = function
        return function

    return keep


def status_function(name: Any) -> StatusFunction:
    """The function of this name."""
    if not isinstance(name, str) or name not in _FUNCTIONS:
        hint = did_you_mean(name, _FUNCTIONS) or "; a designer registers one with register_status_function"
        raise PlannerError(f"{quote(name)} is not a function{hint}")
    return _FUNCTIONS[name]


class Op(NamedTuple):
    """An atomic action with its numbers."""

    verb: str
    amount: int
    stacks: bool  # the amount is that of the status which does it
    hits: int
    status: Status | None
    turns: int
    into: str


class Run(NamedTuple):
    """A step: whom it is pointed at, and what is done to them."""

    how: str  # nobody, self, player, this, chosen, random, all
    whom: str  # enemies, everyone, or a pile
    number: int  # how many cards
    ops: tuple[Op, ...]


@dataclass(frozen=True)
class Value:
    """How a status changes a value: one of these."""

    add: int = 0
    stacks: bool = False  # add as much as the status has
    times: Fraction | None = None
    call: StatusFunction | None = None


@dataclass(frozen=True)
class Listener:
    """What a status does at a moment: one of these."""

    program: tuple[Run, ...] = ()
    remove: bool = False
    call: StatusFunction | None = None


def compiled(steps: tuple[Step, ...], level: int, library: Library) -> tuple[Run, ...]:
    """The steps of a card at this level of upgrade."""
    runs = []
    for step in steps:
        ops = tuple(
            Op(
                atom.verb,
                atom.amount.at(level),
                atom.amount.stacks,
                atom.hits.at(level),
                library.statuses[atom.status] if atom.status else None,
                atom.turns,
                atom.into,
            )
            for atom in step.atoms
        )
        how, whom, number = step.target or ("nobody", "", 0)
        runs.append(Run(how, whom, number, ops))
    return tuple(runs)
