"""The figures 4.4 to 4.6, D.1 and D.2 of Schwensfeier 2019 from a study of replays, with the mixture added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from matplotlib.figure import Figure

from planner.meta.prediction_plots import label_turns, mean_by_turn, success_by_turn
from planner.meta.prediction_study import TURNS, Evaluation
from planner.meta.replay_study import TREE, Preparation, ReplayStudy
from planner.stats.figure_style import BLUE, ORANGE, style

_COMPARED: Final = ("stochastic", TREE, "mixture")
_COLOURS: Final = dict(zip(_COMPARED, (ORANGE, BLUE, "#1b7837"), strict=True))


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
        "figure_4_6": success_by_turn(
            {f"{TREE}, {one.name}": one.evaluations[TREE] for one in (filtered, replays)}, columns=2, stated=40
        ),
        "figure_d_1": success_by_turn(all_panels, columns=3),
        "figure_d_2": success_by_turn(
            {f"{name}, {player_class}": of_class["replays"][name] for name in trees}, columns=3
        ),
    }


def _panels(*preparations: tuple[str, Preparation]) -> dict[str, Evaluation]:
    return {f"{name}, {title}": one.evaluations[name] for title, one in preparations for name in _COMPARED}


def _considered(evaluations: Mapping[str, Mapping[str, Evaluation]], what: str, player_class: str) -> Figure:
    with style():
        figure = Figure(figsize=(7.6, 4.2), layout="constrained")
        axes = figure.add_subplot()
        for title, by_method in evaluations.items():
            for method in _COMPARED:
                values = mean_by_turn(
                    by_method[method], by_method[method].cards if what == "cards" else by_method[method].decks
                )
                line = "-" if title == "generated" else (0, (4, 2))
                label = f"{method}, {title}"
                turns = np.arange(1, TURNS + 1)
                axes.plot(turns, values, color=_COLOURS[method], linestyle=line, marker="o", markersize=3, label=label)
        axes.set_ylabel(f"{what} considered for a {player_class}, mean")
        axes.set_ylim(0, None)
        axes.legend(frameon=False, fontsize=8, ncols=2)
        label_turns(axes)
    return figure
