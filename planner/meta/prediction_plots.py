"""The figures of a prediction study: distance matrix, dendrogram, V-measure, considered cards, success, reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.ticker import FixedLocator, NullLocator

from planner.meta.deck_clusters import Agreement, Clustering
from planner.meta.known_decks import Numbers
from planner.meta.prediction_study import RANKS, TURNS, Evaluation
from planner.stats.figure_style import BLUE, GRID, INK, MUTED, ORANGE, SEQUENTIAL, style

_LABELLED_DECKS: Final = 60
_MIN_TURNS: Final = 5  # a share of fewer turns is not drawn
SERIES: Final = (BLUE, ORANGE, "#1b7837", "#7b6bae", "#8c510a", "#c51b7d", "#5f6b7a")


# -- clusters


def distance_matrix(clustering: Clustering) -> Figure:
    """Draw the distances of all pairs of decks, sorted by archetype; lines separate the archetypes."""
    with style():
        figure = Figure(figsize=(8.4, 7.0), layout="constrained")
        axes = figure.add_subplot()
        image, names = draw_distances(axes, clustering)
        starts = [index for index, name in enumerate(names) if index == 0 or names[index - 1] != name]
        if len(starts) <= 25:
            ends = [*starts[1:], len(names)]
            axes.set_yticks([(a + b - 1) / 2 for a, b in zip(starts, ends, strict=True)], [names[a] for a in starts])
        axes.tick_params(length=0, labelsize=8.5)
        bar = figure.colorbar(image, ax=axes, shrink=0.7)
        bar.outline.set_visible(False)
        bar.set_label(f"{clustering.distance} distance", color=MUTED)
    return figure


def draw_distances(axes: Axes, clustering: Clustering) -> tuple[AxesImage, list[str]]:
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
    width = max(8.9, 0.16 * decks if decks <= _LABELLED_DECKS else 0)
    with style():
        figure = Figure(figsize=(width, 5.2), layout="constrained")
        axes = figure.add_subplot()
        draw_dendrogram(axes, clustering, labelled=decks <= _LABELLED_DECKS)
        axes.set_ylabel(f"{clustering.distance} distance, {clustering.linkage} linkage")
        axes.set_xlabel(f"{decks} decks")
    return figure


def draw_dendrogram(axes: Axes, clustering: Clustering, labelled: bool = False) -> None:
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
        "success": success_by_turn({one.method: one for one in compared}, len(compared)),
        "success_trees": success_by_turn({one.method: one for one in trees[:3]}, len(trees[:3])),
        "reliability": reliability(compared),
    }


def considered(evaluations: Sequence[Evaluation], what: str) -> Figure:
    """Draw the mean number of considered `cards` or `decks` by turn."""
    with style():
        figure = Figure(figsize=(7.2, 3.8), layout="constrained")
        axes = figure.add_subplot()
        axes.set_ylabel(f"{what} considered, mean")
        label_turns(axes)
        for colour, evaluation in zip(SERIES, evaluations, strict=False):
            values = evaluation.by_turn(evaluation.cards if what == "cards" else evaluation.decks)
            axes.plot(np.arange(1, TURNS + 1), values, color=colour, marker="o", markersize=3, label=evaluation.method)
        axes.set_ylim(0, None)
        axes.legend(frameon=False, fontsize=9)
    return figure


def success_by_turn(evaluations: Mapping[str, Evaluation], columns: int, stated: float | None = None) -> Figure:
    """Draw the success of the top 1 to the top 10 cards by turn, a panel per title.

    A dotted line marks what Schwensfeier 2019 states.
    """
    rows = -(-len(evaluations) // columns)
    with style():
        figure = Figure(figsize=(4.2 * columns, 3.6 * rows), layout="constrained")
        panels: Sequence[Axes] = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel().tolist()
        for axes in panels[len(evaluations) :]:
            axes.axis("off")
        for axes, (title, evaluation) in zip(panels, evaluations.items(), strict=False):
            ends: dict[int, tuple[int, float]] = {}
            for top in range(1, RANKS + 1):
                values = 100 * mean_by_turn(evaluation, evaluation.rank < top)
                axes.plot(np.arange(1, TURNS + 1), values, color=SEQUENTIAL(0.25 + 0.75 * top / RANKS), linewidth=1.5)
                shown = np.flatnonzero(np.isfinite(values))
                if top in (1, 3, 5, 10) and len(shown):
                    ends[top] = (int(shown[-1]) + 1, float(values[shown[-1]]))
            _label_ends(axes, ends)
            if stated is not None:
                axes.axhline(stated, color=MUTED, linewidth=1, linestyle=":")
                axes.text(1, 95, f"dotted: the {stated:g} % that Schwensfeier 2019 states", fontsize=8, color=MUTED)
            axes.set_title(f"{title}\n{len(evaluation.rank):,} turns", fontsize=9, loc="left")
            axes.set_xlim(0.6, TURNS + 2.6)
            axes.set_ylim(0, 100)
            label_turns(axes)
        for axes in panels[::columns]:
            axes.set_ylabel("turns with a card among the top x, %")
    return figure


def _label_ends(axes: Axes, ends: Mapping[int, tuple[int, float]]) -> None:
    """Label the lines at their ends, the top 10 first; a label that would cover another one is left out."""
    heights: list[float] = []
    for top, (turn, height) in sorted(ends.items(), reverse=True):
        if all(abs(height - other) >= 5 for other in heights):
            axes.text(turn + 0.25, height, f"top {top}", fontsize=8, color=INK, va="center")
            heights.append(height)


def mean_by_turn(evaluation: Evaluation, values: npt.NDArray[np.generic]) -> Numbers:
    """Return the mean of these values in each turn; NaN in a turn in which few cards were played."""
    counts = np.bincount(evaluation.turn, minlength=TURNS + 1)[1:]
    return np.where(counts >= _MIN_TURNS, evaluation.by_turn(values), np.nan)


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


def label_turns(axes: Axes) -> None:
    """Label the turns below a plot."""
    axes.set_xlabel("turn")
    axes.set_xticks(range(1, TURNS + 1, 2))
    remove_frame(axes)


def remove_frame(axes: Axes) -> None:
    """Leave only horizontal grid lines."""
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.tick_params(length=0, labelcolor=INK)
