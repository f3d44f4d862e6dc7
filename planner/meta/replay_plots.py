"""The figures 4.4 to 4.6, D.1 and D.2 of Schwensfeier 2019 from a study of replays, with the mixture added."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from planner.meta.known_decks import Numbers
from planner.meta.prediction_plots import remove_frame
from planner.meta.prediction_study import RANKS, TURNS, Evaluation
from planner.meta.replay_study import TREE, Preparation, ReplayStudy
from planner.stats.figure_style import BLUE, INK, MUTED, ORANGE, SEQUENTIAL, style

_COMPARED: Final = ("stochastic", TREE, "mixture")
_COLOURS: Final = dict(zip(_COMPARED, (ORANGE, BLUE, "#1b7837"), strict=True))
_MIN_TURNS: Final = 5  # a share of fewer turns is not drawn


def replay_figures(study: ReplayStudy, player_class: str = "paladin") -> dict[str, Figure]:
    """Return the figures by name. Those of one class use unfiltered replays: the filter leaves too few."""
    replays = study.preparation("unfiltered, with hero powers")
    filtered = study.preparation("filtered, with hero powers")
    generated = study.generated
    of_class = {"generated": generated.of_class(player_class), "replays": replays.of_class(player_class)}
    all_panels = _panels(("generated", generated), ("replays", replays))
    trees = ("stochastic", TREE, "tree single 0.9", "tree single 0.75", "mixture")
    return {
        "figure_4_4": _considered(of_class, "cards", player_class),
        "figure_4_5": _considered(of_class, "decks", player_class),
        "figure_4_6": _success({f"{TREE}, {one.name}": one.evaluations[TREE] for one in (filtered, replays)}, 40),
        "figure_d_1": _success(all_panels, columns=3),
        "figure_d_2": _success({f"{name}, {player_class}": of_class["replays"][name] for name in trees}, columns=3),
    }


def _panels(*preparations: tuple[str, Preparation]) -> dict[str, Evaluation]:
    return {f"{name}, {title}": one.evaluations[name] for title, one in preparations for name in _COMPARED}


def _considered(evaluations: Mapping[str, Mapping[str, Evaluation]], what: str, player_class: str) -> Figure:
    with style():
        figure = Figure(figsize=(7.6, 4.2), layout="constrained")
        axes = figure.add_subplot()
        for title, by_method in evaluations.items():
            for method in _COMPARED:
                values = _by_turn(
                    by_method[method], by_method[method].cards if what == "cards" else by_method[method].decks
                )
                line = "-" if title == "generated" else (0, (4, 2))
                label = f"{method}, {title}"
                turns = np.arange(1, TURNS + 1)
                axes.plot(turns, values, color=_COLOURS[method], linestyle=line, marker="o", markersize=3, label=label)
        axes.set_ylabel(f"{what} considered for a {player_class}, mean")
        axes.set_ylim(0, None)
        axes.legend(frameon=False, fontsize=8, ncols=2)
        _finish(axes)
    return figure


def _success(evaluations: Mapping[str, Evaluation], stated: float | None = None, columns: int = 2) -> Figure:
    """Draw the success of the top 1 to the top 10 by turn; a dotted line marks what the document states."""
    rows = -(-len(evaluations) // columns)
    with style():
        figure = Figure(figsize=(4.2 * columns, 3.6 * rows), layout="constrained")
        panels: Sequence[Axes] = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel().tolist()
        for axes in panels[len(evaluations) :]:
            axes.axis("off")
        for axes, (title, evaluation) in zip(panels, evaluations.items(), strict=False):
            ends: dict[int, tuple[int, float]] = {}
            for top in range(1, RANKS + 1):
                values = 100 * _by_turn(evaluation, evaluation.rank < top)
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
            _finish(axes)
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


def _by_turn(evaluation: Evaluation, values: npt.NDArray[np.generic]) -> Numbers:
    counts = np.bincount(evaluation.turn, minlength=TURNS + 1)[1:]
    return np.where(counts >= _MIN_TURNS, evaluation.by_turn(values), np.nan)


def _finish(axes: Axes) -> None:
    axes.set_xlabel("turn")
    axes.set_xticks(range(1, TURNS + 1, 2))
    remove_frame(axes)
