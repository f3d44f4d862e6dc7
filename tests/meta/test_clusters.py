"""Distances of multisets, exact cuts, and the measures of every cut against scikit-learn's."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.metagame import load_metagame
from planner.meta import Metagame
from planner.meta.clusters import LINKAGES, agreement, cluster
from planner.meta.distance import DISTANCES, euclidean, jaccard
from tests.meta.small import STUDY, deck, random_metagame

study = pytest.mark.skipif(not STUDY.exists(), reason="the study's decks are not here")


def test_a_deck_is_a_multiset() -> None:
    one, two = (deck(cards).multiset for cards in ({"x": 2, "y": 1, "w": 3}, {"x": 1, "z": 2, "w": 2}))
    assert one | two == Counter({"x": 2, "y": 1, "z": 2, "w": 3})
    assert one & two == Counter({"x": 1, "w": 2})
    assert one - two == Counter({"x": 1, "y": 1, "w": 1})


def test_distances_are_those_of_multisets() -> None:
    known = random_metagame(3)
    near, far = jaccard(known), euclidean(known)
    for a in range(0, 40, 3):
        for b in range(0, 40, 7):
            one, two = known.decks[a].multiset, known.decks[b].multiset
            assert near[a, b] == pytest.approx(1 - (one & two).total() / (one | two).total())
            assert far[a, b] == pytest.approx(sum((one[c] - two[c]) ** 2 for c in one | two) ** 0.5)


@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize("linkage", LINKAGES)
def test_every_cut_is_exact_and_measured_as_scikit_learn_measures_it(distance: str, linkage: str) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    some = random_metagame(1, decks=28)
    known = Metagame([*some.decks, *some.decks[:8]])  # the same deck twice: ties at 0 under every linkage
    found = cluster(known, distance, linkage)
    assert len(set(found.merges[:, 2])) < len(found.merges), "no ties: this test would show nothing"
    curve = agreement(found)
    for k in range(1, 37):
        labels = found.cut(k)
        assert len(set(labels)) == k
        judged = metrics.homogeneity_completeness_v_measure(known.archetypes, labels)
        assert [values[k - 1] for values in curve] == pytest.approx(judged, abs=1e-9)
    finer, coarser = found.cut(12), found.cut(11)
    assert len(set(zip(finer, coarser, strict=True))) == 12  # each cluster lies within one of the next cut


def test_labels_of_one_kind_and_decks_that_are_all_alike() -> None:
    same = Metagame([deck({"x": 2}, archetype="one")] * 5)
    curve = agreement(cluster(same))
    assert curve.homogeneity == pytest.approx(np.ones(5))
    assert curve.best == 1
    assert cluster(Metagame([deck({"x": 1})])).cut(1) == [0]


@pytest.mark.parametrize("k", [0, 41, -3])
def test_a_cut_that_cannot_be_is_refused(k: int) -> None:
    with pytest.raises(PlannerError, match="k is a whole number from 1 to 40"):
        cluster(random_metagame(2)).cut(k)


def test_an_unknown_linkage_or_distance_is_refused() -> None:
    with pytest.raises(PlannerError, match=r"must be one of single, .*; got 'sinlge'"):
        cluster(random_metagame(2), linkage="sinlge")
    with pytest.raises(PlannerError, match="must be one of jaccard; got 'cosine'"):
        cluster(random_metagame(2), distance="cosine")


@study
def test_the_study_has_the_measures_that_were_found_independently() -> None:
    known = load_metagame(STUDY)
    single, complete = (agreement(cluster(known, "jaccard", linkage)) for linkage in ("single", "complete"))
    assert len(known) == 956
    assert single.v_measure[[71, 115]] == pytest.approx([0.924, 0.951], abs=0.0005)
    assert complete.v_measure[91] == pytest.approx(0.946, abs=0.0005)
    paladin = agreement(cluster(known.of_class("paladin")))
    assert paladin.best == 11  # as the document says


def test_three_thousand_decks_take_seconds() -> None:
    known = random_metagame(5, decks=3000, cards=200, size=15)
    before = time.process_time()
    agreement(cluster(known))
    assert time.process_time() - before < 10
