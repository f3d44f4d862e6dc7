"""The figures of the study: distance matrices, dendrograms, V-measure, what is considered, success, reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from planner.meta.clusters import Agreement, Clustering
from planner.meta.evaluation import RANKS, Answers
from planner.meta.sequences import TURNS
from planner.stats.figure_style import BLUE, GRID, INK, MUTED, ORANGE, SEQUENTIAL, style

_COLOURS: Final = (BLUE, ORANGE, "#1b7837", "#7b6bae", "#8c510a", "#c51b7d", "#5f6b7a")


def distance_matrix(clustering: Clustering) -> Figure:
    """Every pair of decks, sorted by archetype; lines part the archetypes."""
    labels = clustering.metagame.archetypes
    order = sorted(range(len(labels)), key=lambda deck: labels[deck])
    square = clustering.distances[np.ix_(order, order)]
    named = [labels[deck] for deck in order]
    starts = [place for place, name in enumerate(named) if place == 0 or named[place - 1] != name]
    with style():
        figure = Figure(figsize=(8.4, 7.0), layout="constrained")
        axes = figure.add_subplot()
        image = axes.imshow(square, cmap=SEQUENTIAL.reversed(), vmin=0, interpolation="nearest")
        for start in starts[1:]:
            axes.axhline(start - 0.5, color="white", linewidth=0.8)
            axes.axvline(start - 0.5, color="white", linewidth=0.8)
        if len(starts) <= 25:
            ends = [*starts[1:], len(named)]
            axes.set_yticks([(a + b - 1) / 2 for a, b in zip(starts, ends, strict=True)], [named[a] for a in starts])
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
    """The merges as a tree; where there are too many decks to be named, only the tree."""
    from scipy.cluster import hierarchy  # noqa: PLC0415  (slow to import)

    names = [f"{deck.archetype}" for deck in clustering.metagame.decks]
    few = len(names) <= 60
    with style():
        figure = Figure(figsize=(max(8.9, 0.16 * len(names) if few else 8.9), 5.2), layout="constrained")
        axes = figure.add_subplot()
        hierarchy.dendrogram(
            clustering.merges, ax=axes, no_labels=not few, labels=names, color_threshold=0,
            above_threshold_color=BLUE, leaf_font_size=7,
        )  # fmt: skip
        axes.set_ylabel(f"{clustering.distance} distance, {clustering.linkage} linkage")
        axes.set_xlabel(f"{len(names)} decks")
        _open(axes)
    return figure


def agreement_curves(curves: Mapping[str, Agreement], labels: int) -> Figure:
    """Homogeneity, completeness and V-measure by the number of clusters; the dotted line is the number of labels."""
    with style():
        figure = Figure(figsize=(8.9, 6.4), layout="constrained")
        grid = figure.add_gridspec(2, 2)
        panels = [figure.add_subplot(grid[0, 0]), figure.add_subplot(grid[0, 1]), figure.add_subplot(grid[1, :])]
        for axes, what in zip(panels, ("homogeneity", "completeness", "v_measure"), strict=True):
            for colour, (name, found) in zip(_COLOURS, curves.items(), strict=False):
                values = getattr(found, what)
                axes.plot(np.arange(1, len(values) + 1), values, color=colour, linewidth=1.4, label=name)
            axes.axvline(labels, color=MUTED, linewidth=1, linestyle=":")
            axes.set_title(what.replace("_", "-").capitalize(), fontsize=10, loc="left")
            axes.set_ylim(0, 1.02)
            _open(axes)
        panels[-1].set_xlabel("clusters")
        panels[-1].legend(frameon=False, fontsize=9, ncols=2, loc="lower right")
    return figure


def considered(answers: Sequence[Answers], what: str) -> Figure:
    """The mean number of `cards` or `decks` that a method still looks at, turn by turn."""
    figure, axes = _turns(f"{what} considered, mean")
    with style():
        for colour, one in zip(_COLOURS, answers, strict=False):
            values = one.by_turn(one.cards if what == "cards" else one.decks)
            axes.plot(np.arange(1, TURNS + 1), values, color=colour, marker="o", markersize=3, label=one.method)
        axes.set_ylim(0, None)
        axes.legend(frameon=False, fontsize=9)
    return figure


def success_by_turn(answers: Sequence[Answers]) -> Figure:
    """One panel for each method: the success of the top 1 to the top 10 cards, turn by turn."""
    with style():
        figure = Figure(figsize=(4.4 * len(answers), 3.8), layout="constrained")
        panels = figure.subplots(1, len(answers), sharey=True, squeeze=False)[0]
        for axes, one in zip(panels, answers, strict=True):
            for top in range(1, RANKS + 1):
                colour = SEQUENTIAL(0.25 + 0.75 * top / RANKS)
                values = 100 * one.by_turn(one.rank < top)
                axes.plot(np.arange(1, TURNS + 1), values, color=colour, linewidth=1.5)
                if top in (1, 3, 5, 10) and np.isfinite(values[-1]):
                    axes.text(TURNS + 0.25, values[-1], f"top {top}", fontsize=8, color=INK, va="center")
            axes.set_title(one.method, fontsize=10, loc="left")
            axes.set_xlim(0.6, TURNS + 2.6)
            axes.set_ylim(0, 100)
            axes.set_xlabel("turn")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            _open(axes)
        panels[0].set_ylabel("turns with a card among the top x, %")
    return figure


def reliability(answers: Sequence[Answers]) -> Figure:
    """What was given a chance of p should come in a share p of the cases: the diagonal."""
    with style():
        figure = Figure(figsize=(5.6, 5.2), layout="constrained")
        axes = figure.add_subplot()
        axes.plot([1e-3, 1], [1e-3, 1], color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        for colour, one in zip(_COLOURS, answers, strict=False):
            asked, chance, true = one.bins
            some = (asked >= 50) & (true > 0)
            axes.plot(chance[some] / asked[some], true[some] / asked[some], "o-", color=colour, label=one.method)
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(FixedLocator([0.001, 0.01, 0.1, 1]))
            axis.set_major_formatter(lambda chance, _: f"{100 * chance:g} %")
            axis.set_minor_locator(NullLocator())
        axes.set_xlabel("chance that was given to a card")
        axes.set_ylabel("share of these cards that came")
        axes.legend(frameon=False, fontsize=9)
        _open(axes)
    return figure


def _turns(label: str) -> tuple[Figure, Axes]:
    with style():
        figure = Figure(figsize=(7.2, 3.8), layout="constrained")
        axes = figure.add_subplot()
        axes.set_xlabel("turn")
        axes.set_ylabel(label)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        _open(axes)
    return figure, axes


def _open(axes: Axes) -> None:
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color=GRID, linewidth=1)
    axes.tick_params(length=0, labelcolor=INK)
