"""Figures of clusters: distances, dendrograms, and their agreement with the archetypes, for one class or for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import FixedLocator, NullLocator

from planner.meta.deck_clusters import LINKAGES, Agreement, Clustering, agreement, cluster_metagame
from planner.meta.known_decks import Metagame
from planner.stats.figure_style import BLUE, GRID, INK, MUTED, ORANGE, SEQUENTIAL, style

_LABELLED_DECKS: Final = 60
_COLUMNS: Final = 3
GREEN: Final = "#1b7837"
_SERIES: Final = (BLUE, ORANGE, GREEN, "#7b6bae", "#8c510a", "#c51b7d", "#5f6b7a")


@contextmanager
def new_plot(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """Yield a figure of this size in inches, with one plot."""
    with style():
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure, figure.add_subplot()


def remove_frame(axes: Axes) -> None:
    """Leave only horizontal grid lines."""
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.tick_params(length=0, labelcolor=INK)


# -- one metagame


def distance_matrix(clustering: Clustering) -> Figure:
    """Draw the distances of all pairs of decks, sorted by archetype; lines separate the archetypes."""
    with new_plot(8.4, 7.0) as (figure, axes):
        image, names = _draw_distances(axes, clustering)
        starts = [index for index, name in enumerate(names) if index == 0 or names[index - 1] != name]
        if len(starts) <= 25:
            ends = [*starts[1:], len(names)]
            axes.set_yticks([(a + b - 1) / 2 for a, b in zip(starts, ends, strict=True)], [names[a] for a in starts])
        axes.tick_params(length=0, labelsize=8.5)
        bar = figure.colorbar(image, ax=axes, shrink=0.7)
        bar.outline.set_visible(False)
        bar.set_label(f"{clustering.distance} distance", color=MUTED)
    return figure


def _draw_distances(axes: Axes, clustering: Clustering) -> tuple[AxesImage, list[str]]:
    """Draw the distances without labels; also return the archetypes in the order of the rows."""
    labels = clustering.metagame.archetypes
    order = sorted(range(len(labels)), key=lambda deck: labels[deck])
    names = [labels[deck] for deck in order]
    square = clustering.distances[np.ix_(order, order)]
    highest = 1 if clustering.distance == "jaccard" else None
    image = axes.imshow(square, cmap=SEQUENTIAL.reversed(), vmin=0, vmax=highest, interpolation="nearest")
    for index in range(1, len(names)):
        if names[index] != names[index - 1]:
            axes.axhline(index - 0.5, color="white", linewidth=0.7)
            axes.axvline(index - 0.5, color="white", linewidth=0.7)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    return image, names


def dendrogram(clustering: Clustering) -> Figure:
    """Draw the merges as a tree; the decks are labelled if there are at most 60."""
    decks = len(clustering.metagame)
    is_labelled = decks <= _LABELLED_DECKS
    with new_plot(max(8.9, 0.16 * decks if is_labelled else 0), 5.2) as (figure, axes):
        _draw_dendrogram(axes, clustering, is_labelled)
        axes.set_ylabel(f"{clustering.distance} distance, {clustering.linkage} linkage")
        axes.set_xlabel(f"{decks} decks")
    return figure


def _draw_dendrogram(axes: Axes, clustering: Clustering, labelled: bool = False) -> None:
    """Draw the merges as a tree; a single deck has none."""
    from scipy.cluster import hierarchy  # noqa: PLC0415  (slow to import)

    if len(clustering.merges):
        hierarchy.dendrogram(
            clustering.merges,
            ax=axes,
            no_labels=not labelled,
            labels=clustering.metagame.archetypes,
            color_threshold=0,
            above_threshold_color=BLUE,
            leaf_font_size=7,
        )
    remove_frame(axes)


def agreement_curves(curves: Mapping[str, Agreement], labels: int) -> Figure:
    """Draw homogeneity, completeness and V-measure by the number of clusters; a dotted line marks `labels`."""
    with style():
        figure = Figure(figsize=(8.9, 6.4), layout="constrained")
        grid = figure.add_gridspec(2, 2)
        panels = [figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, :])]
        for axes, measure in zip(panels, ("homogeneity", "completeness", "v_measure"), strict=True):
            for colour, (name, curve) in zip(_SERIES, curves.items(), strict=False):
                values = getattr(curve, measure)
                axes.plot(np.arange(1, len(values) + 1), values, color=colour, linewidth=1.4, label=name)
            axes.axvline(labels, color=MUTED, linewidth=1, linestyle=":")
            axes.set_title(measure.replace("_", "-").capitalize(), fontsize=10, loc="left")
            axes.set_ylim(0, 1.02)
            remove_frame(axes)
        panels[-1].set_xlabel("clusters")
        panels[-1].legend(frameon=False, fontsize=9, ncols=2, loc="lower right")
    return figure


# -- all classes


def class_figures(metagame: Metagame, beta: float = 1.0) -> dict[str, Figure]:
    """Return a figure of the Jaccard distances, the single-linkage trees and the V-measures, a panel per class."""
    return {
        "distances": _panels(metagame, lambda axes, decks: _draw_distances(axes, _single(decks)), 3.0),
        "dendrograms": _panels(metagame, lambda axes, decks: _draw_dendrogram(axes, _single(decks)), 2.6),
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
        colour = _SERIES[LINKAGES.index(linkage)]
        axes.plot(np.arange(1, len(curve) + 1), curve, color=colour, linestyle=line, linewidth=1.3, label=label)
    axes.axvline(len(set(decks.archetypes)), color=MUTED, linewidth=1, linestyle=":")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator([1, 3, 10, 30, 100]))
    axes.xaxis.set_major_formatter(lambda count, _: f"{count:g}")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("clusters")
    remove_frame(axes)
