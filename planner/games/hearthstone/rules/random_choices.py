"""Random choices of the rules: by a generator, fixed in advance, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from planner.games.hearthstone.rules.mutable_state import MutableState


class ChanceError(ValueError):
    """A random choice among `count` is needed, up to `times` times, but there is no generator that makes it."""

    def __init__(self, state: MutableState, count: int, times: int, room: Sequence[int] = ()) -> None:
        super().__init__("this action has a random outcome: apply(state, action, rng) needs a generator")
        self.state, self.count, self.times = state, count, times
        self.room = tuple(room)  # for split damage that is asked for at once: the points that each target can take


class ScriptedChoices:
    """A substitute for a random generator that returns choices fixed in advance.

    With `lists_outcomes`, the choices for split damage are the number of hits on each target, not one for each point,
    and checkpoints are kept: runs with the same `continuation` go on alike.
    """

    def __init__(self, choices: Sequence[int], lists_outcomes: bool = False) -> None:
        self._choices, self._used = tuple(choices), 0
        self.lists_outcomes = lists_outcomes
        self.in_function = False  # a card's own function remembers what no checkpoint knows
        self._passed = self._within = self._at = 0
        self._memory: tuple[object, ...] = ()
        self._snapshot: object = None

    def next_hits(self, count: int) -> tuple[int, ...]:
        """Return the hits on each of `count` targets; nothing after the last choice."""
        hits = self._choices[self._used : self._used + count]
        self._used += len(hits)
        return hits

    def randrange(self, _count: int) -> int:
        """Return the next choice, or -1 after the last one."""
        if self._used == len(self._choices):
            return -1
        self._used += 1
        return self._choices[self._used - 1]

    def pass_checkpoint(self, snapshot: object, memory: tuple[object, ...]) -> None:
        """Keep a checkpoint; see `MutableState.checkpoint`."""
        self._passed, self._memory, self._within = self._passed + 1, memory, 0
        self._snapshot, self._at = snapshot, self._used

    def pass_repetition(self, snapshot: object, left: int) -> None:
        """Keep a checkpoint inside the effect after the last one; see `MutableState.repetition`."""
        self._within, self._snapshot, self._at = left, snapshot, self._used

    def continuation(self) -> object:
        """Return what decides how the run goes on: the last checkpoint and the choices since then."""
        return self._passed, self._memory, self._within, self._snapshot, self._choices[self._at :]


Chance = Random | ScriptedChoices
CERTAIN_ONLY = ScriptedChoices(())  # carries out each effect up to its first random choice
