"""How far two decks are from each other: every pair, as a square matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from planner.meta.decks import Metagame, Numbers


def euclidean(metagame: Metagame) -> Numbers:
    """The length of the difference of the two rows of counts."""
    counts = metagame.counts.astype(np.float64)
    squares = (counts**2).sum(axis=1)
    # The products of whole numbers are exact, so decks that are equally far apart tie to the last bit.
    lengths: Numbers = np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2 * counts @ counts.T, 0))
    return lengths


def jaccard(metagame: Metagame) -> Numbers:
    """One minus the size of the intersection over the size of the union, both of multisets."""
    shared = np.zeros((len(metagame), len(metagame)))
    for copies in range(1, metagame.most + 1):  # the minimum of two counts, as one product of matrices for each copy
        has = (metagame.counts >= copies).astype(np.float64)
        shared += has @ has.T
    sizes = metagame.counts.sum(axis=1).astype(np.float64)
    union = sizes[:, None] + sizes[None, :] - shared
    found: Numbers = 1 - np.divide(shared, union, out=np.ones_like(shared), where=union > 0)
    return found


DISTANCES: Final[dict[str, Callable[[Metagame], Numbers]]] = {"jaccard": jaccard, "euclidean": euclidean}
