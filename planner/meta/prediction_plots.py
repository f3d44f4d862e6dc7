"""The figures of a prediction study: distance matrix, dendrogram, V-measure, considered cards, success, reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from planner.meta.deck_clusters import Agreement, Clustering
from planner.meta.prediction_study import RANKS, TURNS, Evaluation
from planner.stats.figure_style import BLUE, GRID, INK, MUTED, ORANGE, SEQUENTIAL, style

SERIES: Final = (BLUE, ORANGE, "#1b7837", "#7b6bae", "#8c510a", "#c51b7d", "#5f6b7a")


# -- clusters


def distance_matrix(clustering: Clustering) -> Figure:
    """Draw the distances of all pairs of decks, sorted by archetype; lines separate the archetypes."""
    labels = clustering.metagame.archetypes
    order = sorted(range(len(labels)), key=lambda deck: labels[deck])
    square = clustering.distances[np.ix_(order, order)]
    names = [labels[deck] for deck in order]
    starts = [index for index, name in enumerate(names) if index == 0 or names[index - 1] != name]
    with style():
        figure = Figure(figsize=(8.4, 7.0), layout="constrained")
        axes = figure.add_subplot()
        image = axes.imshow(square, cmap=SEQUENTIAL.reversed(), vmin=0, interpolation="nearest")
        for start in starts[1:]:
            axes.axhline(start - 0.5, color="white", linewidth=0.8)
            axes.axvline(start - 0.5, color="white", linewidth=0.8)
        if len(starts) <= 25:
            ends = [*starts[1:], len(names)]
            axes.set_yticks([(a + b - 1) / 2 for a, b in zip(starts, ends, strict=True)], [names[a] for a in starts])
        else:
            axes.set_yticks([])
        axes.set_xticks([])
        axes.tick_params(length=0, labelsize=8.5)
        axes.spines[:].set_visible(False)
        bar = figure.colorbar(image, ax=axes, shrink=0.7)
        bar.outline.set_visible(False)
        bar.set_label(f"{clustering.distance} distance", color=MUTED)
    return figure


def dendrogram(clustering: Clustering) -> Figure:
    """Draw the merges as a tree; the decks are labelled if there are at most 60."""
    from scipy.cluster import hierarchy  # noqa: PLC0415  (slow to import)

    names = [f"{deck.archetype}" for deck in clustering.metagame.decks]
    labelled = len(names) <= 60
    with style():
        figure = Figure(figsize=(max(8.9, 0.16 * len(names) if labelled else 8.9), 5.2), layout="constrained")
        axes = figure.add_subplot()
        hierarchy.dendrogram(
            clustering.merges,
            ax=axes,
            no_labels=not labelled,
            labels=names,
            color_threshold=0,
            above_threshold_color=BLUE,
            leaf_font_size=7,
        )
        axes.set_ylabel(f"{clustering.distance} distance, {clustering.linkage} linkage")
        axes.set_xlabel(f"{len(names)} decks")
        remove_frame(axes)
    return figure


def agreement_curves(curves: Mapping[str, Agreement], labels: int) -> Figure:
    """Draw homogeneity, completeness and V-measure by the number of clusters; a dotted line marks `labels`."""
    with style():
        figure = Figure(figsize=(8.9, 6.4), layout="constrained")
        grid = figure.add_gridspec(2, 2)
        panels = [figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, :])]
        for axes, measure in zip(panels, ("homogeneity", "completeness", "v_measure"), strict=True):
            for colour, (name, curve) in zip(SERIES, curves.items(), strict=False):
                values = getattr(curve, measure)
                axes.plot(np.arange(1, len(values) + 1), values, color=colour, linewidth=1.4, label=name)
            axes.axvline(labels, color=MUTED, linewidth=1, linestyle=":")
            axes.set_title(measure.replace("_", "-").capitalize(), fontsize=10, loc="left")
            axes.set_ylim(0, 1.02)
            remove_frame(axes)
        panels[-1].set_xlabel("clusters")
        panels[-1].legend(frameon=False, fontsize=9, ncols=2, loc="lower right")
    return figure


# -- predictions


def study_figures(evaluations: Sequence[Evaluation]) -> dict[str, Figure]:
    """Return the figures 4.4 to 4.6, D.1 and D.2 of Schwensfeier 2019 with the mixture added, and the reliability."""
    trees = [evaluation for evaluation in evaluations if evaluation.method.startswith("tree")]
    best_tree = next((tree for tree in trees if tree.method == "tree single 0.99"), trees[-1])
    others = [evaluation for evaluation in evaluations if not evaluation.method.startswith("tree")]
    compared = [*others, best_tree]
    return {
        "cards": considered(compared, "cards"),
        "decks": considered(compared, "decks"),
        "success": success_by_turn(compared),
        "success_trees": success_by_turn(trees[:3]),
        "reliability": reliability(compared),
    }


def considered(evaluations: Sequence[Evaluation], what: str) -> Figure:
    """Draw the mean number of considered `cards` or `decks` by turn."""
    with style():
        figure = Figure(figsize=(7.2, 3.8), layout="constrained")
        axes = figure.add_subplot()
        axes.set_xlabel("turn")
        axes.set_ylabel(f"{what} considered, mean")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        remove_frame(axes)
        for colour, evaluation in zip(SERIES, evaluations, strict=False):
            values = evaluation.by_turn(evaluation.cards if what == "cards" else evaluation.decks)
            axes.plot(np.arange(1, TURNS + 1), values, color=colour, marker="o", markersize=3, label=evaluation.method)
        axes.set_ylim(0, None)
        axes.legend(frameon=False, fontsize=9)
    return figure


def success_by_turn(evaluations: Sequence[Evaluation]) -> Figure:
    """Draw the success of the top 1 to the top 10 cards by turn, one panel per method."""
    with style():
        figure = Figure(figsize=(4.4 * len(evaluations), 3.8), layout="constrained")
        panels = figure.subplots(1, len(evaluations), sharey=True, squeeze=False)[0]
        for axes, evaluation in zip(panels, evaluations, strict=True):
            for top in range(1, RANKS + 1):
                colour = SEQUENTIAL(0.25 + 0.75 * top / RANKS)
                values = 100 * evaluation.by_turn(evaluation.rank < top)
                axes.plot(np.arange(1, TURNS + 1), values, color=colour, linewidth=1.5)
                if top in (1, 3, 5, 10) and np.isfinite(values[-1]):
                    axes.text(TURNS + 0.25, values[-1], f"top {top}", fontsize=8, color=INK, va="center")
            axes.set_title(evaluation.method, fontsize=10, loc="left")
            axes.set_xlim(0.6, TURNS + 2.6)
            axes.set_ylim(0, 100)
            axes.set_xlabel("turn")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            remove_frame(axes)
        panels[0].set_ylabel("turns with a card among the top x, %")
    return figure


def reliability(evaluations: Sequence[Evaluation]) -> Figure:
    """Draw how often predictions came true by their chance; the diagonal is perfect calibration."""
    with style():
        figure = Figure(figsize=(5.6, 5.2), layout="constrained")
        axes = figure.add_subplot()
        axes.plot([1e-3, 1], [1e-3, 1], color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        for colour, evaluation in zip(SERIES, evaluations, strict=False):
            count, chances, hits = evaluation.bins
            shown = (count >= 50) & (hits > 0)
            predicted, observed = chances[shown] / count[shown], hits[shown] / count[shown]
            axes.plot(predicted, observed, "o-", color=colour, label=evaluation.method)
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(FixedLocator([0.001, 0.01, 0.1, 1]))
            axis.set_major_formatter(lambda chance, _: f"{100 * chance:g} %")
            axis.set_minor_locator(NullLocator())
        axes.set_xlabel("predicted chance of a card")
        axes.set_ylabel("share of these cards that were played")
        axes.legend(frameon=False, fontsize=9)
        remove_frame(axes)
    return figure


def remove_frame(axes: Axes) -> None:
    """Leave only horizontal grid lines."""
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.tick_params(length=0, labelcolor=INK)
