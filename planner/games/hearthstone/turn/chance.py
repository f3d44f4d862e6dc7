"""What chance can make of an action: every outcome with its probability, where they are few enough to list."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final, NamedTuple

from planner.games.hearthstone.rules.table import CERTAIN_ONLY, Chance, ChanceError, Table, Told

MOST_RUNS: Final = 1000  # an expectation over more is not cheap: then what chance decides is left out

Run = Callable[[Chance | None], Table]  # carries something out with this generator


class Possible(NamedTuple):
    """A table that an action can leave, and how probable that is."""

    probability: Fraction | int
    table: Table
    complete: bool = True  # False: there were too many to list, so this is what is certain, and chance is left out


class _Stop(NamedTuple):
    """Where runs stopped for a choice: one way to come there, how probable all ways are, and how many choices."""

    told: tuple[int, ...]
    probability: Fraction
    choices: int


def _likely_runs(count: int, times: int) -> int:
    """How many runs it takes to deal so many blows among so many: after each, only how often each was hit matters."""
    return sum(count * math.comb(dealt + count - 1, dealt) for dealt in range(times))


def outcomes(run: Run) -> list[Possible]:
    """What can come of it; one outcome where chance has no say.

    Runs that come to the same table on their way go on as one. Where they are too many there is one outcome: each
    effect carried out up to the point at which chance would decide.
    """
    try:
        return [Possible(1, run(None))]
    except ChanceError as first:
        if _likely_runs(first.count, first.times) > MOST_RUNS:
            return [Possible(1, run(CERTAIN_ONLY), complete=False)]
    found: dict[object, Possible] = {}
    scripts: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    runs = 0
    while scripts:
        runs += len(scripts)
        if runs > MOST_RUNS:
            return [Possible(1, run(CERTAIN_ONLY), complete=False)]
        stops: dict[object, _Stop] = {}
        for told, probability in scripts:
            try:
                table = run(Told(told))
            except ChanceError as chance:
                key: object = (chance.count, chance.table.position())
                stop = stops.get(key) or _Stop(told, Fraction(0), chance.count)
                stops[key] = stop._replace(probability=stop.probability + probability)
            else:
                key = table.position()
                earlier = found[key].probability if key in found else 0
                found[key] = Possible(earlier + probability, table)
        scripts = [
            ((*stop.told, choice), stop.probability / stop.choices)
            for stop in stops.values()
            for choice in range(stop.choices)
        ]
    return list(found.values())
