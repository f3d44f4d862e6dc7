"""The clusterings of Schwensfeier 2019 for every class: distance x linkage, beside k-means and DBSCAN."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from planner.meta.deck_clusters import DISTANCES, LINKAGES, agreement, cluster_metagame, jaccard, v_measure
from planner.meta.known_decks import Metagame, Numbers
from planner.meta.prediction_study import csv_text

_RADII: Final = np.round(np.arange(0.05, 1.0, 0.05), 2)  # of DBSCAN, as Jaccard distances
_NEIGHBOURS: Final = (2, 3, 5)  # decks within the radius that make a deck a core point of DBSCAN
_RESTARTS: Final = 10  # of k-means


class ClusteringResult(NamedTuple):
    """How well one clustering of a class matches the archetypes."""

    player_class: str
    method: str
    distance: str
    decks: int
    labels: int
    clusters: int  # with the largest V-measure
    homogeneity: float
    completeness: float
    v_measure: float
    v_at_labels: float | None = None  # with as many clusters as archetypes; DBSCAN has no such setting


def study_class(player_class: str, decks: Metagame, beta: float = 1.0) -> Iterator[ClusteringResult]:
    """Yield the ten trees, k-means and DBSCAN of one class; each at its best number of clusters."""
    labels = list(decks.archetypes)
    count = len(set(labels))
    common = (len(decks), count)
    for distance in DISTANCES:
        for linkage in LINKAGES:
            curve = agreement(cluster_metagame(decks, distance, linkage), beta=beta)
            homogeneity, completeness, best = (float(column[curve.best - 1]) for column in curve)
            at_labels = float(curve.v_measure[count - 1])
            yield ClusteringResult(
                player_class, linkage, distance, *common, curve.best, homogeneity, completeness, best, at_labels
            )
    yield _best_of(player_class, "k-means", "euclidean", decks, k_means_cuts(decks, count), beta)
    yield _best_of(player_class, "DBSCAN", "jaccard", decks, dbscan_cuts(decks), beta)


def _best_of(
    player_class: str,
    method: str,
    distance: str,
    decks: Metagame,
    cuts: Sequence[npt.NDArray[np.int64]],
    beta: float,
) -> ClusteringResult:
    labels = list(decks.archetypes)
    count = len(set(labels))
    scored = [(len(set(cut.tolist())), *measures(labels, cut, beta)) for cut in cuts]
    best = max(scored, key=lambda one: one[3])
    at_labels = [one[3] for one in scored if one[0] == count] if method == "k-means" else []
    return ClusteringResult(player_class, method, distance, len(decks), count, *best, max(at_labels, default=None))


def measures(labels: Sequence[str], clusters: npt.NDArray[np.int64], beta: float) -> tuple[float, float, float]:
    """Return homogeneity, completeness and V-measure of one clustering."""
    from sklearn.metrics import completeness_score, homogeneity_score  # noqa: PLC0415  (an extra, slow to import)

    homogeneity = float(homogeneity_score(labels, clusters))
    completeness = float(completeness_score(labels, clusters))
    return homogeneity, completeness, float(v_measure(np.array([homogeneity]), np.array([completeness]), beta)[0])


def k_means_cuts(decks: Metagame, labels: int) -> list[npt.NDArray[np.int64]]:
    """Return the clusters of k-means on the vectors of copies, for 1 to twice as many clusters as archetypes."""
    from sklearn.cluster import KMeans  # noqa: PLC0415  (an extra, slow to import)
    from threadpoolctl import threadpool_limits  # noqa: PLC0415

    counts = decks.counts.astype(np.float64)
    sizes = range(1, min(2 * labels, len(np.unique(counts, axis=0))) + 1)
    with threadpool_limits(1):  # so few decks that threads only wait for each other
        return [KMeans(size, n_init=_RESTARTS, random_state=1).fit(counts).labels_.astype(np.int64) for size in sizes]


def dbscan_cuts(decks: Metagame) -> list[npt.NDArray[np.int64]]:
    """Return the clusters of DBSCAN on Jaccard distances for a grid of its two parameters.

    A deck that DBSCAN calls noise is a cluster of its own.
    """
    from sklearn.cluster import DBSCAN  # noqa: PLC0415  (an extra, slow to import)

    distances: Numbers = jaccard(decks)
    cuts = []
    for radius in _RADII:
        for neighbours in _NEIGHBOURS:
            found = DBSCAN(eps=float(radius), min_samples=neighbours, metric="precomputed").fit(distances).labels_
            noise = np.flatnonzero(found < 0)
            clusters = found.astype(np.int64)
            clusters[noise] = clusters.max() + 1 + np.arange(len(noise))
            cuts.append(clusters)
    return cuts


def study_classes(
    metagame: Metagame, beta: float = 1.0, on_class_done: Callable[[str], None] = lambda _: None
) -> list[ClusteringResult]:
    """Return the results of every class."""
    results: list[ClusteringResult] = []
    for player_class in metagame.classes:
        results += study_class(player_class, metagame.of_class(player_class), beta)
        on_class_done(player_class)
    return results


def results_table(results: Sequence[ClusteringResult]) -> str:
    """Return the results as CSV."""
    header = "class,method,distance,decks,archetypes,clusters,homogeneity,completeness,v_measure,v_at_archetypes"
    return csv_text(header.split(","), results)


class Winner(NamedTuple):
    """The best methods of a class; equal V-measures share the place."""

    player_class: str
    methods: tuple[str, ...]
    v_measure: float


def winners(results: Sequence[ClusteringResult]) -> list[Winner]:
    """Return the best linkages for each class, over both distances."""
    best = []
    for player_class in dict.fromkeys(one.player_class for one in results):
        own = [one for one in results if one.player_class == player_class and one.method in LINKAGES]
        top = max(one.v_measure for one in own)
        names = tuple(f"{one.method}, {one.distance}" for one in own if one.v_measure > top - 1e-9)
        best.append(Winner(player_class, names, top))
    return best
