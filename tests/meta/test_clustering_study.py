"""The trees of every class beside k-means and DBSCAN."""

from __future__ import annotations

import numpy as np
import pytest

from planner.games.hearthstone.metagame import load_metagame
from planner.meta.clustering_plots import class_figures
from planner.meta.clustering_study import dbscan_cuts, k_means_cuts, results_table, study_classes, winners
from planner.meta.deck_clusters import agreement, cluster_metagame, v_measure
from tests.meta.small import STUDY, deck, random_metagame

sklearn_metrics = pytest.importorskip("sklearn.metrics")


@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_v_measure_equals_that_of_scikit_learn(beta: float) -> None:
    known = random_metagame(4)
    clustering = cluster_metagame(known, "jaccard", "average")
    curve = agreement(clustering, beta=beta)
    for k in (1, 3, 5, 9, len(known)):
        expected = sklearn_metrics.v_measure_score(known.archetypes, clustering.cut(k), beta=beta)
        assert curve.v_measure[k - 1] == pytest.approx(expected)


def test_beta_above_one_weighs_completeness() -> None:
    """Equation 4.7 of Schwensfeier 2019; its text says the opposite."""
    low, high = np.array([0.2]), np.array([0.9])
    assert v_measure(low, high, 3.0)[0] > v_measure(low, high, 1.0)[0]
    assert v_measure(high, low, 3.0)[0] < v_measure(high, low, 1.0)[0]
    assert v_measure(np.zeros(1), np.zeros(1))[0] == 0


def test_every_class_has_twelve_results() -> None:
    known = random_metagame(2, decks=40, classes=2)
    results = study_classes(known)
    assert len(results) == 2 * (2 * 5 + 2)
    for one in results:
        assert 0 <= one.v_measure <= 1
        assert one.v_at_labels is None or one.v_at_labels <= one.v_measure + 1e-9
    assert results_table(results).count("\n") == 25
    assert [best.player_class for best in winners(results)] == ["class 0", "class 1"]
    assert set(class_figures(known)) == {"distances", "dendrograms", "v_measures"}


def test_clear_clusters_are_found_by_every_method() -> None:
    groups = [{"a": 2, "b": 2, "c": 2}, {"x": 2, "y": 2, "z": 2}]
    decks = [deck({**group, f"tech {index}": 1}, archetype=str(number), games=5)
             for number, group in enumerate(groups) for index in range(4)]  # fmt: skip
    known = type(random_metagame(1))(decks)
    assert {one.v_measure for one in study_classes(known)} == {1.0}
    assert [len(set(cut.tolist())) for cut in k_means_cuts(known, 2)] == [1, 2, 3, 4]
    outliers = type(known)([*decks, deck({"alone": 2}, archetype="2"), deck({"apart": 2}, archetype="3")])
    assert max(len(set(cut.tolist())) for cut in dbscan_cuts(outliers) if len(set(cut[:8].tolist())) == 2) == 4


@pytest.mark.skipif(not STUDY.exists(), reason="the decks of Schwensfeier 2019 are not available")
def test_paladin_and_druid_decks_as_in_the_document() -> None:
    known = load_metagame(STUDY)
    for player_class, linkage in (("paladin", "single"), ("druid", "ward")):
        curves = {
            name: agreement(cluster_metagame(known.of_class(player_class), "jaccard", name))
            for name in ("single", "complete", "average", "centroid", "ward")
        }
        assert max(curves, key=lambda name: float(curves[name].v_measure.max())) == linkage
    assert agreement(cluster_metagame(known.of_class("paladin"))).best == 11
