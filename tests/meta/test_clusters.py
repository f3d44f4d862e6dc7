"""Distances of multisets, exact cuts, and agreement measures compared with scikit-learn."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.metagame import load_metagame
from planner.meta import Metagame
from planner.meta.deck_clusters import DISTANCES, LINKAGES, agreement, cluster_metagame, euclidean, jaccard
from tests.meta.small import STUDY, deck, random_metagame

study = pytest.mark.skipif(not STUDY.exists(), reason="the decks of Schwensfeier 2019 are not available")


def test_deck_is_a_multiset() -> None:
    one, two = (deck(cards).multiset for cards in ({"x": 2, "y": 1, "w": 3}, {"x": 1, "z": 2, "w": 2}))
    assert one | two == Counter({"x": 2, "y": 1, "z": 2, "w": 3})
    assert one & two == Counter({"x": 1, "w": 2})
    assert one - two == Counter({"x": 1, "y": 1, "w": 1})


def test_distances_match_their_definition_on_multisets() -> None:
    known = random_metagame(3)
    jaccard_distances, euclidean_distances = jaccard(known), euclidean(known)
    for a in range(0, 40, 3):
        for b in range(0, 40, 7):
            one, two = known.decks[a].multiset, known.decks[b].multiset
            assert jaccard_distances[a, b] == pytest.approx(1 - (one & two).total() / (one | two).total())
            assert euclidean_distances[a, b] == pytest.approx(sum((one[c] - two[c]) ** 2 for c in one | two) ** 0.5)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("linkage", LINKAGES)
def test_every_cut_is_exact_and_agrees_with_scikit_learn(distance: str, linkage: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    base = random_metagame(1, decks=28)
    known = Metagame([*base.decks, *base.decks[:8]])  # duplicate decks: ties at 0 under every linkage
    clustering = cluster_metagame(known, distance, linkage)
    assert len(set(clustering.merges[:, 2])) < len(clustering.merges), "this test needs ties"
    curve = agreement(clustering)
    for k in range(1, 37):
        labels = clustering.cut(k)
        assert len(set(labels)) == k
        expected = metrics.homogeneity_completeness_v_measure(known.archetypes, labels)
        assert [values[k - 1] for values in curve] == pytest.approx(expected, abs=1e-9)
    finer, coarser = clustering.cut(12), clustering.cut(11)
    assert len(set(zip(finer, coarser, strict=True))) == 12  # each cluster is inside one cluster of the coarser cut


def test_single_label_and_identical_decks() -> None:
    same = Metagame([deck({"x": 2}, archetype="one")] * 5)
    curve = agreement(cluster_metagame(same))
    assert curve.homogeneity == pytest.approx(np.ones(5))
    assert curve.best == 1
    assert cluster_metagame(Metagame([deck({"x": 1})])).cut(1) == [0]


@pytest.mark.parametrize("k", [0, 41, -3])
def test_impossible_cut_is_rejected(k: int) -> None:
    with pytest.raises(PlannerError, match="k: must be between 1 and 40"):
        cluster_metagame(random_metagame(2)).cut(k)


def test_unknown_linkage_or_distance_is_rejected() -> None:
    with pytest.raises(PlannerError, match="got 'sinlge'; did you mean 'single'"):
        cluster_metagame(random_metagame(2), linkage="sinlge")
    with pytest.raises(PlannerError, match="must be one of jaccard, euclidean; got 'cosine'"):
        cluster_metagame(random_metagame(2), distance="cosine")


@study
def test_measures_on_the_decks_of_schwensfeier() -> None:
    known = load_metagame(STUDY)
    single, complete = (agreement(cluster_metagame(known, "jaccard", linkage)) for linkage in ("single", "complete"))
    assert len(known) == 956
    assert single.v_measure[[71, 115]] == pytest.approx([0.924, 0.951], abs=0.0005)
    assert complete.v_measure[91] == pytest.approx(0.946, abs=0.0005)
    paladin = agreement(cluster_metagame(known.of_class("paladin")))
    assert paladin.best == 11  # as in Schwensfeier 2019


def test_clustering_3000_decks_takes_seconds() -> None:
    known = random_metagame(5, decks=3000, cards=200, size=15)
    before = time.process_time()
    agreement(cluster_metagame(known))
    assert time.process_time() - before < 10
