"""The figures of a prediction study and of a study of replays: considered cards, success by turn, reliability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from planner.meta.clustering_plots import GREEN, new_plot, remove_frame
from planner.meta.known_decks import Numbers
from planner.meta.prediction_study import RANKS, TURNS, Evaluation
from planner.meta.replay_study import TREE, ReplayStudy
from planner.stats.figure_style import BLUE, INK, MUTED, ORANGE, SEQUENTIAL, style

_MIN_TURNS: Final = 5  # a share of fewer turns is not drawn
_COMPARED: Final = ("stochastic", TREE, "mixture")
_COLOURS: Final = {"stochastic": ORANGE, "mixture": GREEN}  # a tree is blue


def study_figures(evaluations: Sequence[Evaluation]) -> dict[str, Figure]:
    """Return the figures 4.4 to 4.6, D.1 and D.2 of Schwensfeier 2019 with the mixture added, and the reliability."""
    by_method = {evaluation.method: evaluation for evaluation in evaluations}
    trees = {name: evaluation for name, evaluation in by_method.items() if name.startswith("tree")}
    best_tree = TREE if TREE in trees else list(trees)[-1]
    compared = {name: by_method[name] for name in by_method if name not in trees or name == best_tree}
    return {
        "cards": _considered({"": compared}, "cards"),
        "decks": _considered({"": compared}, "decks"),
        "success": _success_by_turn(compared, len(compared)),
        "success_trees": _success_by_turn(dict(list(trees.items())[:3]), min(3, len(trees))),
        "reliability": _reliability(compared),
    }


def replay_figures(study: ReplayStudy, player_class: str = "paladin") -> dict[str, Figure]:
    """Return the figures by name. Those of one class use unfiltered replays: the filter leaves too few."""
    replays = study.preparation("unfiltered, with hero powers")
    filtered = study.preparation("filtered, with hero powers")
    generated = study.generated
    sources = {"generated": generated, "replays": replays}
    of_class = {source: one.of_class(player_class) for source, one in sources.items()}
    compared = {source: {name: rows[name] for name in _COMPARED} for source, rows in of_class.items()}
    all_panels = {f"{name}, {source}": one.evaluations[name] for source, one in sources.items() for name in _COMPARED}
    trees = ("stochastic", TREE, "tree single 0.9", "tree single 0.75", "mixture")
    return {
        "figure_4_4": _considered(compared, "cards", f" for a {player_class}"),
        "figure_4_5": _considered(compared, "decks", f" for a {player_class}"),
        "figure_4_6": _success_by_turn(
            {f"{TREE}, {one.name}": one.evaluations[TREE] for one in (filtered, replays)}, columns=2, stated=40
        ),
        "figure_d_1": _success_by_turn(all_panels, columns=3),
        "figure_d_2": _success_by_turn(
            {f"{name}, {player_class}": of_class["replays"][name] for name in trees}, columns=3
        ),
    }


def _considered(evaluations: Mapping[str, Mapping[str, Evaluation]], what: str, of: str = "") -> Figure:
    """Draw the mean number of considered `cards` or `decks` by turn, for the methods of each source."""
    with new_plot(7.6, 4.2) as (figure, axes):
        for line, (source, by_method) in zip(("-", (0, (4, 2))), evaluations.items(), strict=False):
            for method, evaluation in by_method.items():
                values = _mean_by_turn(evaluation, getattr(evaluation, what))
                turns = np.arange(1, TURNS + 1)
                label = f"{method}, {source}" if source else method
                colour = _COLOURS.get(method, BLUE)
                axes.plot(turns, values, color=colour, linestyle=line, marker="o", markersize=3, label=label)
        axes.set_ylabel(f"{what} considered{of}, mean")
        axes.set_ylim(0, None)
        axes.legend(frameon=False, fontsize=8, ncols=len(evaluations))
        _label_turns(axes)
    return figure


def _success_by_turn(evaluations: Mapping[str, Evaluation], columns: int, stated: float | None = None) -> Figure:
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
                values = 100 * _mean_by_turn(evaluation, evaluation.rank < top)
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
            _label_turns(axes)
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


def _mean_by_turn(evaluation: Evaluation, values: npt.NDArray[np.generic]) -> Numbers:
    """Return the mean of these values in each turn; NaN in a turn in which few cards were played."""
    counts = np.bincount(evaluation.turn, minlength=TURNS + 1)[1:]
    return np.where(counts >= _MIN_TURNS, evaluation.by_turn(values), np.nan)


def _reliability(evaluations: Mapping[str, Evaluation]) -> Figure:
    """Draw how often predictions came true by their chance; the diagonal is perfect calibration."""
    with new_plot(5.6, 5.2) as (figure, axes):
        axes.plot([1e-3, 1], [1e-3, 1], color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        for method, evaluation in evaluations.items():
            count, chances, hits = evaluation.bins
            shown = (count >= 50) & (hits > 0)
            predicted, observed = chances[shown] / count[shown], hits[shown] / count[shown]
            axes.plot(predicted, observed, "o-", color=_COLOURS.get(method, BLUE), label=method)
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


def _label_turns(axes: Axes) -> None:
    """Label the turns below a plot."""
    axes.set_xlabel("turn")
    axes.set_xticks(range(1, TURNS + 1, 2))
    remove_frame(axes)
