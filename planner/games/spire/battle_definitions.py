"""Cards, statuses and enemies as values, with their actions compiled so that a battle can run them fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from planner.games.spire.action_language import Amount, Atom, Check, Step
from planner.games.spire.vocabulary import MAX_NUMBER, Group, StatusFunction, Verb

if TYPE_CHECKING:
    from planner.games.spire.card_library import Library

# -- compiled steps: numbers fixed for one upgrade level, statuses looked up


class Operation(NamedTuple):
    """An atomic action with its arguments."""

    verb: Verb
    arguments: Mapping[str, Any]
    stacks: tuple[str, ...]  # the arguments that are the amount of the status that runs this operation


class CompiledStep(NamedTuple):
    """A target, the operations on it, and the condition on which they depend."""

    how: str  # nothing, fixed, this, chosen, random, all
    group: Group | None
    pile: str  # empty for fighters
    number: int  # of cards
    operations: tuple[Operation, ...]
    condition: Callable[[Any, Any], bool] | None  # called with the battle and the acting fighter


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

    program: tuple[CompiledStep, ...] = ()
    remove: bool = False
    call: StatusFunction | None = None


def compile_steps(steps: tuple[Step, ...], level: int, library: Library) -> tuple[CompiledStep, ...]:
    """Compile steps for one upgrade level."""
    program = []
    for step in steps:
        target = step.target
        operations = tuple(_operation(atom, level, library) for atom in step.atoms)
        condition = None if step.check is None else _compile_check(step.check, library)
        if target is None:
            program.append(CompiledStep("nothing", None, "", 0, operations, condition))
        else:
            compiled = CompiledStep(target.how, target.group, target.group.pile, target.number, operations, condition)
            program.append(compiled)
    return tuple(program)


def _operation(atom: Atom, level: int, library: Library) -> Operation:
    arguments = {
        name: value.at(level) if isinstance(value, Amount) else library.statuses[value] if name == "status" else value
        for name, value in atom.arguments.items()
    }
    return Operation(atom.verb, arguments, tuple(name for name, amount in atom.amounts.items() if amount.stacks))


def _compile_check(check: Check, library: Library) -> Callable[[Any, Any], bool]:
    function, argument = check.condition.function, check.argument
    if argument is None:
        return function
    value = library.statuses[argument] if isinstance(argument, str) else argument
    return lambda battle, source: function(battle, source, value)


# -- definitions. Each object exists once per library, so that it compares by identity; a function cannot change it.


@dataclass(frozen=True, eq=False)
class Status:
    """A status, which may change values and run callbacks."""

    name: str
    rank: int  # position in the definitions; callbacks run in this order
    good: bool
    stacking: str
    each_turn: int
    points: Fraction  # of one stack, in the terms of a profile
    keeps_hand: bool = False  # while the player has it, the hand is not discarded
    changes: Mapping[str, tuple[ValueChange, ...]] = field(default_factory=dict)  # of values, by event
    callbacks: Mapping[str, tuple[Callback, ...]] = field(default_factory=dict)
    on_end: tuple[CompiledStep, ...] = ()

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Card:
    """A card at one upgrade level."""

    name: str
    level: int
    cost: int
    type: str
    steps: tuple[Step, ...]
    program: tuple[CompiledStep, ...]
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
    steps: tuple[Step, ...]
    program: tuple[CompiledStep, ...]


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
