"""Sets of attackers or cards as bit masks, and tables over all of them."""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]
Places = NDArray[np.intp]

LARGEST: Final = 2**57  # of a value with its tie-break: sums of these and of NEVER stay within 64 bits
NEVER: Final = -(2**59)


class Sets:
    """All sets of n things: who is in which, and every way to part a set in two."""

    def __init__(self, n: int) -> None:
        sets = np.arange(1 << n)
        self.size = len(sets)
        self.member: Array = ((sets[None, :] >> np.arange(n)[:, None]) & 1).astype(np.int64)  # n x 2^n
        parts = [sets[(sets & whole) == sets] for whole in sets]
        lengths = np.array([len(found) for found in parts])
        self._part: Places = np.concatenate(parts).astype(np.intp)
        self._rest: Places = np.repeat(sets, lengths).astype(np.intp) ^ self._part
        self._start: Places = (np.cumsum(lengths) - lengths).astype(np.intp)

    def convolve(self, before: Array, worth: Array) -> Array:
        """For each set, the best way to send one part of it the one way and the rest the other.

        `before` may have several rows; each is convolved with `worth`.
        """
        found: Array = np.maximum.reduceat(before[..., self._part] + worth[self._rest], self._start, axis=-1)
        return found

    def pairs(self, whole: int) -> tuple[Places, Places]:
        """The ways to part this set: the one part, and the rest."""
        begin = self._start[whole]
        end = self._start[whole + 1] if whole + 1 < self.size else None
        return self._part[begin:end], self._rest[begin:end]


@cache
def sets_of(n: int) -> Sets:
    """The tables for n things, made once."""
    return Sets(n)
