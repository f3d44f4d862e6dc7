"""Agglomerative clustering of decks: the merges, exact cuts, and how well a cut matches the archetypes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from planner.errors import PlannerError
from planner.formats.values import one_of
from planner.meta.decks import Metagame, Numbers
from planner.meta.distance import DISTANCES

LINKAGES: Final = ("single", "complete", "average", "centroid", "ward")


class Clustering(NamedTuple):
    """The merges of a metagame's decks in scipy's form: row i joins two clusters into number n + i."""

    metagame: Metagame
    distance: str
    linkage: str
    distances: Numbers  # square
    merges: Numbers

    def cut(self, k: int) -> list[int]:
        """The cluster of each deck when exactly k are left, numbered in the order of their first decks.

        The first n - k merges are carried out, so ties in distance leave k clusters all the same. Which of several
        tied merges comes first depends on the order of the decks.
        """
        size = len(self.metagame)
        if not 1 <= k <= size:
            raise PlannerError(f"{k} clusters of {size} decks: k is a whole number from 1 to {size}")
        owner = list(range(2 * size - 1))
        for row in range(size - k):
            first, second = map(int, self.merges[row, :2])
            owner[first] = owner[second] = size + row
        for cluster in range(2 * size - 2, -1, -1):  # an owner comes behind those it owns
            owner[cluster] = owner[owner[cluster]]
        numbers: dict[int, int] = {}
        return [numbers.setdefault(owner[deck], len(numbers)) for deck in range(size)]


class Agreement(NamedTuple):
    """How well clusters match labels, for k = 1 .. n clusters, in the order of k."""

    homogeneity: Numbers
    completeness: Numbers
    v_measure: Numbers

    @property
    def best(self) -> int:
        """The least k with the largest V-measure."""
        return int(np.argmax(self.v_measure)) + 1


def cluster(metagame: Metagame, distance: str = "jaccard", linkage: str = "single") -> Clustering:
    """Merge the two nearest clusters until one is left."""
    from scipy.cluster import hierarchy  # noqa: PLC0415  (slow to import, and only this needs them)
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    one_of(distance, DISTANCES)
    one_of(linkage, LINKAGES)
    square = DISTANCES[distance](metagame)
    if len(metagame) == 1:
        return Clustering(metagame, distance, linkage, square, np.zeros((0, 4)))
    # Centroid and Ward are defined for Euclidean distances; with others the update formula is used as it stands, as
    # the document does.
    merges = hierarchy.linkage(squareform(square, checks=False), linkage)  # type: ignore[arg-type]  # checked above
    return Clustering(metagame, distance, linkage, square, merges)


def agreement(clustering: Clustering, labels: Sequence[Hashable] | None = None) -> Agreement:
    """Homogeneity, completeness and V-measure of every cut, after Rosenberg and Hirschberg (2007).

    Each merge changes two clusters only, so all n cuts together cost little more than one.
    """
    labels = clustering.metagame.archetypes if labels is None else labels
    size = len(labels)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    table = np.zeros((2 * size - 1, len(numbers)))
    for deck, label in enumerate(labels):
        table[deck, numbers[label]] = 1
    joint, sizes = np.zeros(size), np.zeros(size)  # sums of a log a, by the number of merges
    for row in range(size - 1):
        first, second = map(int, clustering.merges[row, :2])
        table[size + row] = table[first] + table[second]
        old, new = table[[first, second]], table[size + row]
        joint[row + 1] = joint[row] + _sum(new) - _sum(old)
        sizes[row + 1] = sizes[row] + _sum(new.sum()) - _sum(old.sum(axis=1))
    by_label = _sum(table[:size].sum(axis=0))
    whole = _sum(np.float64(size))
    of_labels, of_clusters = (whole - by_label) / size, (whole - sizes) / size
    homogeneity = 1 - _share((sizes - joint) / size, np.full(size, of_labels))
    completeness = 1 - _share((by_label - joint) / size, of_clusters)
    both = homogeneity + completeness
    v_measure = np.divide(2 * homogeneity * completeness, both, out=np.zeros(size), where=both > 0)
    return Agreement(homogeneity[::-1], completeness[::-1], v_measure[::-1])


def _sum(counts: npt.NDArray[np.float64] | np.float64) -> float:
    """The sum of a log a, where 0 log 0 is 0."""
    values = np.atleast_1d(counts)
    values = values[values > 0]
    return float((values * np.log(values)).sum())


def _share(conditional: Numbers, entropy: Numbers) -> Numbers:
    """The part of an entropy that is left; nothing where there was none, but for rounding."""
    known = entropy > 1e-12
    return np.clip(np.divide(conditional, entropy, out=np.zeros_like(conditional), where=known), 0, 1)
