"""The plots of a report.

Blue stands for the first seat or the better result, orange for the other one; the pair is safe for colour blindness.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from planner.stats.figure_style import BLUE, DIVERGING, GRID, INK, MUTED, ORANGE, SEQUENTIAL, style

_MAX_NUMBERED: Final = 24  # agents; with more of them the numbers do not fit into their cells


def wins_heatmap(scores: pd.DataFrame) -> Figure:
    """Plot the row agent's score when moving first, in percent; white is 50."""
    return _score_heatmap(scores, "row agent's score when moving first, %")


def ahead_heatmap(scores: pd.DataFrame) -> Figure:
    """Plot how often the row agent finished ahead of the column agent, in percent; white is 50."""
    figure = _score_heatmap(scores, "row agent finished ahead of the column agent, %")
    figure.axes[0].set_xlabel("")
    figure.axes[0].set_ylabel("")
    return figure


def _score_heatmap(scores: pd.DataFrame, label: str) -> Figure:
    figure = _heatmap(100 * scores, DIVERGING, Normalize(0, 100), "{:.1f}")
    bar = figure.axes[-1]
    bar.set_xlabel(label)
    bar.set_xticks([0, 25, 50, 75, 100])
    return figure


def turns_heatmap(turns: pd.DataFrame) -> Figure:
    """Plot the average length in rounds."""
    values = turns.to_numpy(np.float64)
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    figure = _heatmap(turns, SEQUENTIAL, Normalize(low, high if high > low else low + 1), "{:.1f}")
    figure.axes[-1].set_xlabel("average rounds")
    return figure


def _heatmap(square: pd.DataFrame, colours: Colormap, scale: Normalize, numbers: str) -> Figure:
    values = square.to_numpy(np.float64)
    rows, columns = values.shape
    width = min(0.88, 12 / max(columns, 1))  # inches
    with style():
        figure = Figure(figsize=(width * columns + 1.8, 0.56 * width * rows + 2.0), layout="constrained")
        axes = figure.add_subplot()
        image = axes.pcolormesh(np.ma.masked_invalid(values), cmap=colours, norm=scale, edgecolors="white", linewidth=2)
        axes.set_facecolor(GRID)  # for pairings that were not played
        axes.invert_yaxis()
        axes.set_xticks(
            np.arange(columns) + 0.5, list(map(str, square.columns)), rotation=35, ha="left", rotation_mode="anchor"
        )
        axes.set_yticks(np.arange(rows) + 0.5, list(map(str, square.index)))
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.set_xlabel("moves second", labelpad=6)
        axes.set_ylabel("moves first", labelpad=6)
        axes.tick_params(length=0, labelcolor=INK)
        axes.spines[:].set_visible(False)
        for row, column in zip(*np.nonzero(~np.isnan(values)), strict=True):
            if max(rows, columns) > _MAX_NUMBERED:
                break
            colour = _readable(colours(float(scale(values[row, column]))))
            text = numbers.format(values[row, column])
            label = axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour, fontsize=10)
            label.set_in_layout(False)  # it is inside the cell: measuring it would take most of the time
        bar = figure.colorbar(image, ax=axes, location="bottom", shrink=0.5, aspect=34, pad=0.03)
        bar.outline.set_visible(False)
        bar.ax.tick_params(length=0, labelcolor=MUTED)
    return figure


def _readable(background: Sequence[float]) -> str:
    """Return black or white, whichever has more contrast on this colour: at least 4.5 to 1 (WCAG)."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background[:3])
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "black"


def elo_plot(ratings: pd.DataFrame) -> Figure:
    """Plot Elo ratings with intervals, best first."""
    figure, axes = _agent_rows(list(ratings["agent"]))
    rows = np.arange(len(ratings))
    with style():
        axes.axvline(0, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.hlines(rows, ratings["low"], ratings["high"], color=BLUE, linewidth=3, alpha=0.45)
        axes.plot(ratings["elo"], rows, "o", color=BLUE, markersize=7)
        axes.set_xlabel("Elo (the mean of all agents is 0), with 95 % intervals")
        for row, (elo, low, high) in enumerate(ratings[["elo", "low", "high"]].itertuples(index=False)):
            _write_number(axes, row, f"{round(elo):+d} ± {(high - low) / 2:.0f}")
    return figure


def seat_plot(by_agent: pd.DataFrame) -> Figure:
    """Plot each agent's score when moving first and second, against the same opponents."""
    figure, axes = _agent_rows(list(by_agent["agent"]), bottom=0.35)
    columns = ["first_score", "second_score", "difference", "low", "high"]
    percents, rows = 100 * by_agent[columns], np.arange(len(by_agent))
    first, second = percents["first_score"], percents["second_score"]
    with style():
        axes.axvline(50, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.hlines(rows, second, first, color="#c3ccd6", linewidth=3, zorder=1)
        axes.plot(second, rows, "o", color="white", markeredgecolor=ORANGE, markeredgewidth=2, markersize=7,
                  label="moving second")  # fmt: skip
        axes.plot(first, rows, "o", color=BLUE, markersize=8, label="moving first")
        axes.set_xlim(-2, 102)
        axes.set_xlabel("score against the same opponents, %")
        _legend_below(figure, axes, 2)
        for row, (value, low, high) in enumerate(percents[columns[2:]].itertuples(index=False)):
            if not np.isnan(value):
                _write_number(axes, row, f"{value:+.1f} ± {(high - low) / 2:.1f}")
    return figure


def length_plot(distribution: pd.DataFrame, by_agent: pd.DataFrame) -> Figure:
    """Plot the distribution of rounds over all games, and quantiles for each agent."""
    names = list(by_agent["agent"])
    with style():
        figure = Figure(figsize=(8.9, 2.6 + 0.34 * len(names) + 0.6), layout="constrained")
        top, low = figure.subplots(2, 1, sharex=True, height_ratios=[2.4, 0.34 * len(names) + 0.4])
        top.bar(distribution["rounds"], 100 * distribution["share"], width=0.86, color="#7b6bae")
        top.set_ylabel("games, %")
        top.tick_params(labelcolor=MUTED, length=0)
        _style_grid(top, "y")
        label_agents(low, names)
        rows = np.arange(len(names))
        low.hlines(rows, by_agent["p10"], by_agent["p90"], color="#bfb5da", linewidth=2)
        low.hlines(rows, by_agent["q25"], by_agent["q75"], color="#7b6bae", linewidth=8)
        low.plot(by_agent["median"], rows, "|", color="white", markersize=9, markeredgewidth=2.5)
        low.xaxis.set_major_locator(MaxNLocator(integer=True))
        low.set_xlabel("rounds; by agent: median, middle half and middle 80 % of its games")
    return figure


def cards_plot(cards: pd.DataFrame) -> Figure:
    """Plot the score of the cards in games in which they were drawn, with intervals, against that of their deck."""
    figure, axes = _agent_rows([f"{row['card']} ({row['deck']})" for row in cards.to_dict("records")])
    rows = np.arange(len(cards))
    with style():
        axes.hlines(rows, 100 * cards["drawn_low"], 100 * cards["drawn_high"], color=BLUE, linewidth=3, alpha=0.45)
        axes.plot(100 * cards["drawn_score"], rows, "o", color=BLUE, markersize=6)
        axes.plot(100 * cards["score"], rows, "|", color=ORANGE, markersize=12, markeredgewidth=2)
        axes.set_xlabel("score where the card was drawn, %; orange: its deck")
    return figure


def places_plot(places: pd.DataFrame) -> Figure:
    """Plot how often each agent took each place, the first place at the left."""
    columns = [column for column in places.columns if column.startswith("place_")]
    figure, axes = _agent_rows(list(places["agent"]), bottom=0.35)
    share = places[columns].to_numpy(np.float64)
    share = 100 * share / np.maximum(share.sum(axis=1, keepdims=True), 1)
    rows, begin = np.arange(len(places)), np.zeros(len(places))
    with style():
        for place, column in enumerate(columns):
            colour = DIVERGING(0.92 - 0.84 * place / (len(columns) - 1))
            axes.barh(rows, share[:, place], left=begin, height=0.62, color=colour, label=column.replace("_", " "))
            begin = begin + share[:, place]
        axes.set_xlim(0, 100)
        axes.set_xlabel("games, %")
        _legend_below(figure, axes, len(columns))
        for row, mean in enumerate(places["mean_place"]):
            _write_number(axes, row, f"mean {mean:.2f}")
    return figure


def _agent_rows(names: list[str], bottom: float = 0.0) -> tuple[Figure, Axes]:
    with style():
        figure = Figure(figsize=(8.9, 0.36 * len(names) + 0.9 + bottom), layout="constrained")
        axes = figure.add_subplot()
        label_agents(axes, names)
    return figure, axes


def label_agents(axes: Axes, names: list[str]) -> None:
    """Label the rows with the agents, and draw only a light grid."""
    axes.set_yticks(np.arange(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(length=0)
    _style_grid(axes, "x")


def _style_grid(axes: Axes, grid: Literal["x", "y"]) -> None:
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis=grid, color=GRID, linewidth=1)


def _legend_below(figure: Figure, axes: Axes, columns: int) -> None:
    height = figure.get_figheight()
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.6 / height - 0.06), ncols=columns, frameon=False)


def _write_number(axes: Axes, row: int, text: str) -> None:
    """Write a number at the right end of a row."""
    place = axes.get_yaxis_transform()
    axes.text(1.02, row, text.replace("-", "−"), transform=place, va="center", color=INK, fontsize=9.5)
