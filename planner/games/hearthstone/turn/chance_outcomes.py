"""The outcomes of chance: every table that a random effect can leave, with its exact probability."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.random_choices import CERTAIN_ONLY, Chance, ChanceError, ScriptedChoices

# A random effect that needs more runs to list its outcomes counts for its certain part only. The outcomes of an action
# and those of the end of the turn after each of them share the runs. As in engine/rules/chance.hpp.
MAX_RUNS: Final = 12_000

Run = Callable[[Chance | None], MutableState]  # carries something out with this generator


class Possible(NamedTuple):
    """A table that an action can leave, and its probability."""

    probability: Fraction | int
    table: MutableState
    complete: bool = True  # False: there are too many outcomes to list, and this is the certain part


class TooManyRunsError(Exception):
    """The outcomes cannot be listed within the runs that are left."""


class RunBudget:
    """The runs that are left for listing outcomes."""

    def __init__(self) -> None:
        self._left = MAX_RUNS

    def take(self, runs: int) -> None:
        """Use this many runs."""
        if runs > self._left:
            raise TooManyRunsError
        self._left -= runs


class _Branching(NamedTuple):
    """A point at which chance decides: the choices that lead there, their total probability, and the next choices."""

    choices: tuple[int, ...]
    probability: Fraction
    next: ChanceError


def outcomes(run: Run) -> list[Possible]:
    """Return every outcome; a single one where chance does not decide anything.

    Runs that reach the same table are merged. Where there are too many, the only outcome is the
    certain part.
    """
    try:
        return list_outcomes(run, RunBudget())
    except TooManyRunsError:
        return [certain_part(run)]


def certain_part(run: Run) -> Possible:
    """Carry each effect out up to the point at which chance would decide."""
    return Possible(1, run(CERTAIN_ONLY), complete=False)


def list_outcomes(run: Run, budget: RunBudget) -> list[Possible]:
    """Return every outcome, as `outcomes` does; a `TooManyRunsError` where the budget does not suffice."""
    try:
        return [Possible(1, run(None))]
    except ChanceError:
        pass
    found: dict[object, Possible] = {}
    scripts: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while scripts:
        budget.take(len(scripts))
        branchings: dict[object, _Branching] = {}
        for choices, probability in scripts:
            script = ScriptedChoices(choices, lists_outcomes=True)
            try:
                table = run(script)
            except ChanceError as chance:
                key = script.continuation()
                branching = branchings.get(key) or _Branching(choices, Fraction(0), chance)
                branchings[key] = branching._replace(probability=branching.probability + probability)
            else:
                key = table.snapshot()
                earlier = found[key].probability if key in found else 0
                found[key] = Possible(earlier + probability, table)
        scripts = []
        for branching in branchings.values():
            options = _options(branching.next)
            scripts += [
                ((*branching.choices, *option), branching.probability * probability) for option, probability in options
            ]
    return list(found.values())


def _options(chance: ChanceError) -> list[tuple[tuple[int, ...], Fraction]]:
    """Return every way to make a choice, with its probability."""
    if not chance.room:
        return [((choice,), Fraction(1, chance.count)) for choice in range(chance.count)]
    # Split damage: after each point, only the number of hits on each target matters. Weights are integers, since sums
    # of fractions would take most of the time.
    room = chance.room
    if _too_many_splits(room, chance.times):
        raise TooManyRunsError
    layer = {(0,) * len(room): 1}
    total = 1
    for _point in range(chance.times):
        targets = {hits: [i for i, most in enumerate(room) if hits[i] < most] for hits in layer}
        factor = math.lcm(*(len(indices) or 1 for indices in targets.values()))
        following: dict[tuple[int, ...], int] = {}
        for hits, weight in layer.items():
            indices = targets[hits]
            if not indices:
                following[hits] = following.get(hits, 0) + weight * factor
            for index in indices:
                after = (*hits[:index], hits[index] + 1, *hits[index + 1 :])
                following[after] = following.get(after, 0) + weight * (factor // len(indices))
        layer, total = following, total * factor
    return [(hits, Fraction(weight, total)) for hits, weight in layer.items()]


def _too_many_splits(room: Sequence[int], points: int) -> bool:
    """Return whether there are more than `MAX_RUNS` ways to split `points`, or fewer, among targets with this room."""
    ways = [1, *[0] * points]  # of splitting so many points among the targets so far
    for most in room:
        before = ways
        ways = [sum(before[max(0, total - most) : total + 1]) for total in range(points + 1)]
        if max(ways) > MAX_RUNS:
            return True
    return False
