"""Figures of the clusterings of every class: distances, dendrograms, and V-measure by the number of clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from planner.meta.deck_clusters import LINKAGES, agreement, cluster_metagame
from planner.meta.known_decks import Metagame
from planner.meta.prediction_plots import SERIES, remove_frame
from planner.stats.figure_style import BLUE, MUTED, SEQUENTIAL, style

_COLUMNS: Final = 3


def class_figures(metagame: Metagame, beta: float = 1.0) -> dict[str, Figure]:
    """Return a figure of the Jaccard distances, the single-linkage trees and the V-measures, a panel per class."""
    return {
        "distances": _panels(metagame, _draw_distances, 3.0),
        "dendrograms": _panels(metagame, _draw_dendrogram, 2.6),
        "v_measures": _panels(metagame, lambda axes, decks: _draw_v_measures(axes, decks, beta), 3.0, legend=True),
    }


def _panels(metagame: Metagame, draw: Callable[[Axes, Metagame], None], height: float, legend: bool = False) -> Figure:
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


def _draw_distances(axes: Axes, decks: Metagame) -> None:
    order = np.argsort(np.array(decks.archetypes), kind="stable")
    square = cluster_metagame(decks, "jaccard", "single").distances[np.ix_(order, order)]
    axes.imshow(square, cmap=SEQUENTIAL.reversed(), vmin=0, vmax=1, interpolation="nearest")
    names = [decks.archetypes[index] for index in order]
    for index in range(1, len(names)):
        if names[index] != names[index - 1]:
            axes.axhline(index - 0.5, color="white", linewidth=0.6)
            axes.axvline(index - 0.5, color="white", linewidth=0.6)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)


def _draw_dendrogram(axes: Axes, decks: Metagame) -> None:
    from scipy.cluster import hierarchy  # noqa: PLC0415  (slow to import)

    if len(decks) > 1:
        merges = cluster_metagame(decks, "jaccard", "single").merges
        hierarchy.dendrogram(merges, ax=axes, no_labels=True, color_threshold=0, above_threshold_color=BLUE)
    remove_frame(axes)


def _draw_v_measures(axes: Axes, decks: Metagame, beta: float) -> None:
    for distance, line in (("jaccard", "-"), ("euclidean", ":")):
        for colour, linkage in zip(SERIES, LINKAGES, strict=False):
            curve = agreement(cluster_metagame(decks, distance, linkage), beta=beta).v_measure
            label = linkage if distance == "jaccard" else f"{linkage}, euclidean"
            shown = distance == "jaccard" or linkage == "single"
            if shown:
                axes.plot(np.arange(1, len(curve) + 1), curve, color=colour, linestyle=line, linewidth=1.3, label=label)
    axes.axvline(len(set(decks.archetypes)), color=MUTED, linewidth=1, linestyle=":")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator([1, 3, 10, 30, 100]))
    axes.xaxis.set_major_formatter(lambda count, _: f"{count:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("clusters")
    remove_frame(axes)
