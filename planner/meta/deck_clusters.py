"""Clusters of decks (Schwensfeier 2019): distances, agglomerative clustering, and prediction by the cluster tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from planner.errors import PlannerError
from planner.formats.values import number, one_of
from planner.meta.known_decks import Metagame, Numbers
from planner.meta.prediction import Forecast, Seen, normalised, seen_columns

LINKAGES: Final = ("single", "complete", "average", "centroid", "ward")
THRESHOLDS: Final = (0.75, 0.9, 0.99)
_TINY: Final = 1e-300


# -- distances of all pairs of decks, as a square matrix


def euclidean(metagame: Metagame) -> Numbers:
    """Return the Euclidean distances of the rows of counts."""
    counts = metagame.counts.astype(np.float64)
    squares = (counts**2).sum(axis=1)
    # Products of integers are exact, so equal distances tie to the last bit.
    distances: Numbers = np.sqrt(np.maximum(squares[:, None] + squares[None, :] - 2 * counts @ counts.T, 0))
    return distances


def jaccard(metagame: Metagame) -> Numbers:
    """Return 1 minus the size of the intersection divided by the size of the union, both of multisets."""
    shared = np.zeros((len(metagame), len(metagame)))
    for copies in range(1, metagame.max_copies + 1):  # the minimum of two counts, as one matrix product per copy
        has_copies = (metagame.counts >= copies).astype(np.float64)
        shared += has_copies @ has_copies.T
    sizes = metagame.counts.sum(axis=1).astype(np.float64)
    union = sizes[:, None] + sizes[None, :] - shared
    distances: Numbers = 1 - np.divide(shared, union, out=np.ones_like(shared), where=union > 0)
    return distances


DISTANCES: Final[dict[str, Callable[[Metagame], Numbers]]] = {"jaccard": jaccard, "euclidean": euclidean}


# -- agglomerative clustering


class Clustering(NamedTuple):
    """The merges of a metagame's decks in the form of scipy: row i joins two clusters into cluster n + i."""

    metagame: Metagame
    distance: str
    linkage: str
    distances: Numbers  # a square matrix
    merges: Numbers

    def cut(self, k: int) -> list[int]:
        """Return the cluster of each deck when exactly k clusters are left, numbered by their first decks.

        Exactly n - k merges are carried out, so ties in distance do not change the number of clusters. Which of
        several tied merges comes first depends on the order of the decks.
        """
        size = len(self.metagame)
        if not 1 <= k <= size:
            raise PlannerError(f"k: must be between 1 and {size} for {size} decks, got {k}")
        owner = list(range(2 * size - 1))
        for row in range(size - k):
            first, second = map(int, self.merges[row, :2])
            owner[first] = owner[second] = size + row
        for cluster in range(2 * size - 2, -1, -1):  # an owner has a larger number than its members
            owner[cluster] = owner[owner[cluster]]
        numbers: dict[int, int] = {}
        return [numbers.setdefault(owner[deck], len(numbers)) for deck in range(size)]


def cluster_metagame(metagame: Metagame, distance: str = "jaccard", linkage: str = "single") -> Clustering:
    """Merge the two nearest clusters until one is left."""
    from scipy.cluster import hierarchy  # noqa: PLC0415  (slow to import)
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    one_of(distance, DISTANCES)
    one_of(linkage, LINKAGES)
    distances = DISTANCES[distance](metagame)
    if len(metagame) == 1:
        return Clustering(metagame, distance, linkage, distances, np.zeros((0, 4)))
    # Centroid and Ward linkage are defined for Euclidean distances. Like Schwensfeier 2019, we use the update formula
    # for other distances too.
    merges = hierarchy.linkage(squareform(distances, checks=False), linkage)  # type: ignore[arg-type]  # checked above
    return Clustering(metagame, distance, linkage, distances, merges)


# -- agreement of clusters and archetypes


class Agreement(NamedTuple):
    """How well clusters match labels, for k = 1, ..., n clusters."""

    homogeneity: Numbers
    completeness: Numbers
    v_measure: Numbers

    @property
    def best(self) -> int:
        """Return the smallest k with the largest V-measure."""
        return int(np.argmax(self.v_measure)) + 1


def v_measure(homogeneity: Numbers, completeness: Numbers, beta: float = 1.0) -> Numbers:
    """Return the weighted harmonic mean; a `beta` above 1 weighs completeness more strongly."""
    below = beta * homogeneity + completeness
    above = (1 + beta) * homogeneity * completeness
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def agreement(clustering: Clustering, beta: float = 1.0) -> Agreement:
    """Return homogeneity, completeness and V-measure of every cut, after Rosenberg and Hirschberg (2007).

    The labels are the archetypes. Each merge changes only two clusters, so all n cuts together cost little more than
    one.
    """
    labels = clustering.metagame.archetypes
    size = len(labels)
    numbers = {label: index for index, label in enumerate(dict.fromkeys(labels))}
    table = np.zeros((2 * size - 1, len(numbers)))
    for deck, label in enumerate(labels):
        table[deck, numbers[label]] = 1
    joint, sizes = np.zeros(size), np.zeros(size)  # sums of a log a, by the number of merges
    for row in range(size - 1):
        first, second = map(int, clustering.merges[row, :2])
        table[size + row] = table[first] + table[second]
        old, new = table[[first, second]], table[size + row]
        joint[row + 1] = joint[row] + _sum_of_a_log_a(new) - _sum_of_a_log_a(old)
        sizes[row + 1] = sizes[row] + _sum_of_a_log_a(new.sum()) - _sum_of_a_log_a(old.sum(axis=1))
    by_label = _sum_of_a_log_a(table[:size].sum(axis=0))
    total = _sum_of_a_log_a(np.float64(size))
    label_entropy, cluster_entropy = (total - by_label) / size, (total - sizes) / size
    homogeneity = 1 - _relative_entropy((sizes - joint) / size, np.full(size, label_entropy))
    completeness = 1 - _relative_entropy((by_label - joint) / size, cluster_entropy)
    return Agreement(homogeneity[::-1], completeness[::-1], v_measure(homogeneity, completeness, beta)[::-1])


def _sum_of_a_log_a(counts: npt.NDArray[np.float64] | np.float64) -> float:
    """Return the sum of a log a, where 0 log 0 is 0."""
    values = np.atleast_1d(counts)
    values = values[values > 0]
    return float((values * np.log(values)).sum())


def _relative_entropy(conditional: Numbers, entropy: Numbers) -> Numbers:
    """Return the conditional entropy as a share of the entropy; 0 where the entropy is 0 up to rounding."""
    positive = entropy > 1e-12
    return np.clip(np.divide(conditional, entropy, out=np.zeros_like(conditional), where=positive), 0, 1)


# -- prediction


class WalkStep(NamedTuple):
    """One decision of the walk: the likelier child, its probability among the two, and whether it was entered."""

    node: int
    probability: float
    taken: bool


class ClusterTree:
    """Predicts by a walk from the root of the cluster tree to a likely cluster (Schwensfeier 2019, section 3.5).

    The first n clusters are single decks; each further one joins two clusters, as the merges say.
    """

    def __init__(self, clustering: Clustering, threshold: float = 0.99) -> None:
        self.clustering, self.metagame = clustering, clustering.metagame
        self.threshold = number(threshold, 0, 1)
        known, size = self.metagame, len(self.metagame)
        self.children: dict[int, tuple[int, int]] = {
            size + row: (int(merge[0]), int(merge[1])) for row, merge in enumerate(clustering.merges)
        }
        self.root = 2 * size - 2
        self.members = np.zeros((2 * size - 1, size), dtype=np.bool_)
        self.members[:size] = np.eye(size, dtype=np.bool_)
        parent = np.full(2 * size - 1, -1)
        for node, (first, second) in self.children.items():
            self.members[node] = self.members[first] | self.members[second]
            parent[[first, second]] = node
        self.sizes = self.members @ known.games  # eq. 3.12
        # The games-weighted number of the next copy after 0, 1, ... seen copies: eq. 3.13 and Y_1, Y_2 of 3.16.
        copies = [np.maximum(known.counts - seen, 0) for seen in range(known.max_copies + 1)]
        self.counts = [(self.members * known.games) @ count for count in copies]
        totals = np.maximum(self.counts[0].sum(axis=1, keepdims=True), _TINY)
        self._log_shares = []
        for count in self.counts:
            with np.errstate(divide="ignore"):
                logs = np.log(count / totals)
            # A card that a whole cluster lacks says nothing about its children.
            self._log_shares.append(np.where(count[parent] > 0, logs, 0.0))

    @classmethod
    def of(
        cls, metagame: Metagame, distance: str = "jaccard", linkage: str = "single", threshold: float = 0.99
    ) -> ClusterTree:
        """Cluster the decks and build the tree."""
        return cls(cluster_metagame(metagame, distance, linkage), threshold)

    def walk(self, seen: Sequence[Seen]) -> tuple[int, list[WalkStep]]:
        """Walk from the root to the likelier child as long as its probability reaches the threshold."""
        columns, earlier_copies = seen_columns(self.metagame, seen)
        evidence = np.zeros(2 * len(self.metagame) - 1)
        for column, earlier in zip(columns, earlier_copies, strict=True):
            if earlier < self.metagame.max_copies:
                evidence += self._log_shares[earlier][:, column]
        node, steps = self.root, []
        while node in self.children:
            pair = list(self.children[node])
            logs = np.log(np.maximum(self.sizes[pair], _TINY)) + evidence[pair]
            if np.isneginf(logs).all():  # each child lacks one of the cards, so neither is likelier
                break
            chances = np.exp(logs - logs.max())
            chances /= chances.sum()
            likelier = int(np.argmax(chances))
            taken = bool(chances[likelier] >= self.threshold)
            steps.append(WalkStep(pair[likelier], float(chances[likelier]), taken))
            if not taken:
                break
            node = pair[likelier]
        return node, steps

    def predict(self, seen: Sequence[Seen], mana: float | None = None) -> Forecast:
        """Predict by the cards (3.22) and decks (3.23) of the cluster where the walk ends."""
        known = self.metagame
        node, _ = self.walk(seen)
        left = self.counts[0][node].copy()
        decks = known.games * self.members[node]
        for column, earlier in zip(*seen_columns(known, seen), strict=True):
            left[column] = self.counts[min(earlier + 1, known.max_copies)][node, column]
            count = np.maximum(known.counts[:, column] - earlier, 0)
            if (decks * count).any():  # ignore a card of which no deck of the cluster has a copy left
                decks = normalised(decks * count)
        cards = normalised(left * known.affordable(mana))
        return Forecast(known, known.cards, cards, normalised(decks), self.members[node])

    def depth(self) -> int:
        """Return the largest number of steps from the root to a deck."""
        depths = np.zeros(2 * len(self.metagame) - 1, dtype=np.int64)
        for node in sorted(self.children, reverse=True):
            depths[list(self.children[node])] = depths[node] + 1
        return int(depths.max())

    def decks_of(self, node: int) -> list[int]:
        """Return the decks of a cluster, as indices into the metagame."""
        if not 0 <= node <= self.root:
            raise PlannerError(f"cluster: must be between 0 and {self.root}, got {node}")
        return [int(deck) for deck in np.flatnonzero(self.members[node])]
