"""Figures of the clusterings of every class: distances, dendrograms, and V-measure by the number of clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from planner.meta.deck_clusters import LINKAGES, Clustering, agreement, cluster_metagame
from planner.meta.known_decks import Metagame
from planner.meta.prediction_plots import SERIES, draw_dendrogram, draw_distances, remove_frame
from planner.stats.figure_style import MUTED, style

_COLUMNS: Final = 3


def class_figures(metagame: Metagame, beta: float = 1.0) -> dict[str, Figure]:
    """Return a figure of the Jaccard distances, the single-linkage trees and the V-measures, a panel per class."""
    return {
        "distances": _panels(metagame, lambda axes, decks: draw_distances(axes, _single(decks)), 3.0),
        "dendrograms": _panels(metagame, lambda axes, decks: draw_dendrogram(axes, _single(decks)), 2.6),
        "v_measures": _panels(metagame, lambda axes, decks: _draw_v_measures(axes, decks, beta), 3.0, legend=True),
    }


def _single(decks: Metagame) -> Clustering:
    return cluster_metagame(decks, "jaccard", "single")


def _panels(
    metagame: Metagame, draw: Callable[[Axes, Metagame], object], height: float, legend: bool = False
) -> Figure:
    rows = -(-len(metagame.classes) // _COLUMNS)
    with style():
        figure = Figure(figsize=(3.9 * _COLUMNS, height * rows + 0.5), layout="constrained")
        panels = figure.subplots(rows, _COLUMNS, squeeze=False).ravel().tolist()
        for axes, player_class in zip(panels, metagame.classes, strict=False):
            decks = metagame.of_class(player_class)
            draw(axes, decks)
            archetypes = len(set(decks.archetypes))
            axes.set_title(f"{player_class}: {len(decks)} decks, {archetypes} archetypes", fontsize=10, loc="left")
        for axes in panels[len(metagame.classes) :]:
            axes.axis("off")
        if legend:
            handles, labels = panels[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=9)
    return figure


def _draw_v_measures(axes: Axes, decks: Metagame, beta: float) -> None:
    curves = [("jaccard", linkage, linkage, "-") for linkage in LINKAGES]
    for distance, linkage, label, line in (*curves, ("euclidean", "single", "single, euclidean", ":")):
        curve = agreement(cluster_metagame(decks, distance, linkage), beta=beta).v_measure
        colour = SERIES[LINKAGES.index(linkage)]
        axes.plot(np.arange(1, len(curve) + 1), curve, color=colour, linestyle=line, linewidth=1.3, label=label)
    axes.axvline(len(set(decks.archetypes)), color=MUTED, linewidth=1, linestyle=":")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator([1, 3, 10, 30, 100]))
    axes.xaxis.set_major_formatter(lambda count, _: f"{count:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("clusters")
    remove_frame(axes)
