"""What a change does to a number: measured before and after on the same seeds, so that luck cancels out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from planner.stats.intervals import Interval, mean_interval, wilson


@dataclass(frozen=True)
class Shift:
    """The mean before and after the change, and the mean of the differences with its interval."""

    games: int  # that were played in both versions
    before: float
    after: float
    change: Interval

    @property
    def clear(self) -> bool:
        """Is the interval on one side of 0?"""
        return self.change.low > 0 or self.change.high < 0


def shift(before: ArrayLike, after: ArrayLike, widest: float | None = None) -> Shift:
    """Values of the same games before and after, game by game; `widest` is the most by which two can differ.

    The interval is Student's for the mean of independent differences. Where all of them are the same it would claim to
    be certain; then it is what a share of other games as large as Wilson's interval of none in so many could do at
    most. Where nobody knows how far two can differ, that is the largest value that was seen.
    """
    old, new = np.asarray(before, np.float64), np.asarray(after, np.float64)
    differences = new - old
    change = mean_interval(differences)
    if len(differences) and np.ptp(differences) == 0:
        same, share = float(differences[0]), wilson(0, len(differences)).high
        most = float(max(np.abs(old).max(), np.abs(new).max())) if widest is None else widest
        change = Interval(same, same - share * (most + same), same + share * (most - same))
    return Shift(len(old), float(old.mean()), float(new.mean()), change)
