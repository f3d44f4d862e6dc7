"""The plots of a report. Blue is the first seat or the better result, orange the other; both survive colour blindness.

Figures are made without pyplot: no global state, no window, and the same figure gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator

from planner.stats.figure_style import BLUE, DIVERGING, GRID, INK, MUTED, ORANGE, SEQUENTIAL, style

_NUMBERED: Final = 24  # agents; with more, numbers would not fit their cells


def wins_heatmap(scores: pd.DataFrame) -> Figure:
    """The first seat's score in percent; white is 50."""
    figure = _heatmap(100 * scores, DIVERGING, Normalize(0, 100), "{:.1f}")
    bar = figure.axes[-1]
    bar.set_xlabel("score of the first seat, %")
    bar.set_xticks([0, 25, 50, 75, 100])
    return figure


def turns_heatmap(turns: pd.DataFrame) -> Figure:
    """The average length in rounds."""
    values = turns.to_numpy(np.float64)
    known = values[~np.isnan(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    figure = _heatmap(turns, SEQUENTIAL, Normalize(low, high if high > low else low + 1), "{:.1f}")
    figure.axes[-1].set_xlabel("rounds, average")
    return figure


def _heatmap(square: pd.DataFrame, colours: Colormap, scale: Normalize, numbers: str) -> Figure:
    values = square.to_numpy(np.float64)
    rows, columns = values.shape
    width = min(0.88, 12 / max(columns, 1))  # inches
    with style():
        figure = Figure(figsize=(width * columns + 1.8, 0.56 * width * rows + 2.0), layout="constrained")
        axes = figure.add_subplot()
        image = axes.pcolormesh(np.ma.masked_invalid(values), cmap=colours, norm=scale, edgecolors="white", linewidth=2)
        axes.set_facecolor(GRID)  # two that did not meet
        axes.invert_yaxis()
        axes.set_xticks(
            np.arange(columns) + 0.5, list(map(str, square.columns)), rotation=35, ha="left", rotation_mode="anchor"
        )
        axes.set_yticks(np.arange(rows) + 0.5, list(map(str, square.index)))
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.set_xlabel("second seat", labelpad=6)
        axes.set_ylabel("first seat", labelpad=6)
        axes.tick_params(length=0, labelcolor=INK)
        axes.spines[:].set_visible(False)
        for row, column in zip(*np.nonzero(~np.isnan(values)), strict=True):
            if max(rows, columns) > _NUMBERED:
                break
            colour = _readable(colours(float(scale(values[row, column]))))
            text = numbers.format(values[row, column])
            written = axes.text(column + 0.5, row + 0.5, text, ha="center", va="center", color=colour, fontsize=10)
            written.set_in_layout(False)  # it lies within the cell: measuring it would take most of the time
        bar = figure.colorbar(image, ax=axes, location="bottom", shrink=0.5, aspect=34, pad=0.03)
        bar.outline.set_visible(False)
        bar.ax.tick_params(length=0, labelcolor=MUTED)
    return figure


def _readable(background: Sequence[float]) -> str:
    """Black or white, whichever has more contrast on this colour (WCAG): 4.5 to 1 or more on any."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background[:3])
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "black"


def elo_plot(ratings: pd.DataFrame) -> Figure:
    """Elo with intervals, best first."""
    figure, axes = _rows(list(ratings["agent"]))
    elo, low, high = (ratings[column].to_numpy(np.float64) for column in ("elo", "low", "high"))
    place = np.arange(len(ratings))
    with style():
        axes.axvline(0, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.hlines(place, low, high, color=BLUE, linewidth=3, alpha=0.45)
        axes.plot(elo, place, "o", color=BLUE, markersize=7)
        axes.set_xlabel("Elo (the mean of the field is 0), with 95 % intervals")
        _note(
            axes,
            place,
            [
                f"{round(value):+d} ± {(b - a) / 2:.0f}".replace("-", "−")
                for value, a, b in zip(elo, low, high, strict=True)
            ],
        )
    return figure


def seat_plot(by_agent: pd.DataFrame) -> Figure:
    """Each agent's score from both seats, against the same opponents."""
    figure, axes = _rows(list(by_agent["agent"]), bottom=0.35)
    first, second = (100 * by_agent[column].to_numpy(np.float64) for column in ("first_score", "second_score"))
    ends = [100 * by_agent[column].to_numpy(np.float64) for column in ("difference", "low", "high")]
    place = np.arange(len(by_agent))
    with style():
        axes.axvline(50, color=MUTED, linewidth=1, linestyle=(0, (4, 3)))
        axes.hlines(place, second, first, color="#c3ccd6", linewidth=3, zorder=1)
        axes.plot(second, place, "o", color="white", markeredgecolor=ORANGE, markeredgewidth=2, markersize=7,
                  label="in the second seat")  # fmt: skip
        axes.plot(first, place, "o", color=BLUE, markersize=8, label="in the first seat")
        axes.set_xlim(-2, 102)
        axes.set_xlabel("score against the same opponents, %")
        axes.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.6 / figure.get_figheight() - 0.06), ncols=2, frameon=False
        )
        words = [
            "" if np.isnan(value) else f"{value:+.1f} ± {(high - low) / 2:.1f}".replace("-", "−")
            for value, low, high in zip(*ends, strict=True)
        ]
        _note(axes, place, words)
    return figure


def length_plot(distribution: pd.DataFrame, by_agent: pd.DataFrame) -> Figure:
    """All games by their number of rounds, and for each agent where the middle of its games lies."""
    names = list(by_agent["agent"])
    with style():
        figure = Figure(figsize=(8.9, 2.6 + 0.34 * len(names) + 0.6), layout="constrained")
        top, low = figure.subplots(2, 1, sharex=True, height_ratios=[2.4, 0.34 * len(names) + 0.4])
        top.bar(distribution["rounds"], 100 * distribution["share"], width=0.86, color="#7b6bae")
        top.set_ylabel("games, %")
        top.tick_params(labelcolor=MUTED, length=0)
        _open(top, "y")
        _agents(low, names)
        place = np.arange(len(names))
        p10, q25, median, q75, p90 = (
            by_agent[column].to_numpy(np.float64) for column in ("p10", "q25", "median", "q75", "p90")
        )
        low.hlines(place, p10, p90, color="#bfb5da", linewidth=2)
        low.hlines(place, q25, q75, color="#7b6bae", linewidth=8)
        low.plot(median, place, "|", color="white", markersize=9, markeredgewidth=2.5)
        low.xaxis.set_major_locator(MaxNLocator(integer=True))
        low.set_xlabel("rounds; by agent: median, middle half and middle 80 % of its games")
    return figure


def _rows(names: list[str], bottom: float = 0.0) -> tuple[Figure, Axes]:
    with style():
        figure = Figure(figsize=(8.9, 0.36 * len(names) + 0.9 + bottom), layout="constrained")
        axes = figure.add_subplot()
        _agents(axes, names)
    return figure, axes


def _agents(axes: Axes, names: list[str]) -> None:
    """Agents down the side, and nothing but a light grid."""
    axes.set_yticks(np.arange(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(length=0)
    _open(axes, "x")


def _open(axes: Axes, grid: str) -> None:
    axes.spines[:].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(axis="x" if grid == "x" else "y", color=GRID, linewidth=1)


def _note(axes: Axes, places: Iterable[int], words: Iterable[str]) -> list[Text]:
    """Numbers at the right end of the rows."""
    return [
        axes.text(1.02, place, word, transform=axes.get_yaxis_transform(), va="center", color=INK, fontsize=9.5)
        for place, word in zip(places, words, strict=True)
    ]
