"""The hierarchical cluster tree of the document (section 3.5), and the walk down to the likely cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from planner.errors import PlannerError
from planner.formats.values import number
from planner.meta.clusters import Clustering, cluster
from planner.meta.decks import Metagame
from planner.meta.forecast import Forecast, Seen, normal, places

THRESHOLDS: Final = (0.75, 0.9, 0.99)


class WalkStep(NamedTuple):
    """One decision of the walk: the child taken or preferred, and its probability beside its sibling."""

    node: int
    probability: float
    taken: bool


class ClusterTree:
    """Clusters of decks: the first n are single decks, and each further one joins two, as the merges say."""

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
        # The games-weighted number of the next copy, after 0, 1, ... copies were seen: eq. 3.13 and Y_1, Y_2 of 3.16.
        copies = [np.maximum(known.counts - seen, 0) for seen in range(known.most + 1)]
        self.counts = [(self.members * known.games) @ count for count in copies]
        totals = np.maximum(self.counts[0].sum(axis=1, keepdims=True), 1e-300)
        self._log = []
        for count in self.counts:
            with np.errstate(divide="ignore"):
                logs = np.log(count / totals)
            # A card that the whole cluster lacks says nothing about its children.
            self._log.append(np.where(count[parent] > 0, logs, 0.0))

    @classmethod
    def of(
        cls, metagame: Metagame, distance: str = "jaccard", linkage: str = "single", threshold: float = 0.99
    ) -> ClusterTree:
        """Cluster the decks, and build the tree."""
        return cls(cluster(metagame, distance, linkage), threshold)

    def walk(self, seen: Sequence[Seen]) -> tuple[int, list[WalkStep]]:
        """From the root to the child that is likelier, as long as its probability reaches the threshold."""
        cards, copies = places(self.metagame, seen)
        evidence = np.zeros(2 * len(self.metagame) - 1)
        for place, before in zip(cards, copies, strict=True):
            if before < self.metagame.most:
                evidence += self._log[before][:, place]
        node, steps = self.root, []
        while node in self.children:
            pair = list(self.children[node])
            logs = np.log(np.maximum(self.sizes[pair], 1e-300)) + evidence[pair]
            if np.isneginf(logs).all():  # each child lacks one of the cards: none is likelier
                break
            chances = np.exp(logs - logs.max())
            chances /= chances.sum()
            better = int(np.argmax(chances))
            taken = bool(chances[better] >= self.threshold)
            steps.append(WalkStep(pair[better], float(chances[better]), taken))
            if not taken:
                break
            node = pair[better]
        return node, steps

    def predict(self, seen: Sequence[Seen], mana: float | None = None) -> Forecast:
        """Cards (3.22) and decks (3.23) of the cluster where the walk ends."""
        known = self.metagame
        node, _ = self.walk(seen)
        left = self.counts[0][node].copy()
        places_seen, copies = places(known, seen)
        decks = known.games * self.members[node]
        for place, before in zip(places_seen, copies, strict=True):
            left[place] = self.counts[min(before + 1, known.most)][node, place]
            count = np.maximum(known.counts[:, place] - before, 0)
            if (decks * count).any():  # a card that no deck of the cluster has (left) is ignored
                decks = normal(decks * count)
        return Forecast(known, known.cards, normal(left * known.playable(mana)), normal(decks), self.members[node])

    def depth(self) -> int:
        """The most steps from the root to a deck."""
        depths = np.zeros(2 * len(self.metagame) - 1, dtype=np.int64)
        for node in sorted(self.children, reverse=True):
            depths[list(self.children[node])] = depths[node] + 1
        return int(depths.max())

    def decks_of(self, node: int) -> list[int]:
        """The places of a cluster's decks in the metagame."""
        if not 0 <= node <= self.root:
            raise PlannerError(f"{node} is not a cluster: they are numbered from 0 to {self.root}")
        return [int(deck) for deck in np.flatnonzero(self.members[node])]
