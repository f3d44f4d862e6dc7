"""The report of a tournament in a game of one seat: who wins what, with what left, and by how much more than others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from planner.arena.report.html_page import (
    Grid,
    Html,
    folded,
    interval_bar,
    note,
    number,
    page,
    percent,
    picture,
    section,
    span,
    table,
    text,
)
from planner.arena.report.tournament_report import cards_part
from planner.arena.tournament.result_tables import read_table
from planner.arena.tournament.run_store import SUMMARY, read_manifest
from planner.formats.atomic_files import write_files
from planner.stats import figure_style
from planner.stats.games_table import Floats
from planner.stats.intervals import mean_interval

REPORT: Final = "report.html"
_PANELS: Final = 5  # beside each other
_QUANTILES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


class SoloResults:
    """The tables of a finished run in a game of one seat."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.manifest = folder, read_manifest(folder)
        self.summary, self.games = read_table(folder / SUMMARY), read_table(folder / "games.parquet")
        self.setup_columns = list(self.summary.columns[: list(self.summary.columns).index("agent")])
        first = list(self.games.columns).index("p1_decisions")
        self.measures = ["rounds", *self.games.columns[first + 1 :]]  # what the game itself counts comes last
        self.agents = list(dict.fromkeys(self.summary["agent"]))
        self.setups = list(dict.fromkeys(self._named(self.summary)))
        self.games = self.games.assign(setup=self._named(self.games), score=(self.games["winner"] == 0).astype(float))
        self.summary = self.summary.assign(setup=self._named(self.summary))

    def _named(self, frame: pd.DataFrame) -> list[str]:
        return [" ".join(map(str, row)) for row in frame[self.setup_columns].itertuples(index=False)]

    def values(self, setup: str, agent: str, column: str) -> Floats:
        """What this agent got from this setup, by seed: the same order for every agent."""
        games = self.games[(self.games["setup"] == setup) & (self.games["p1"] == agent)].sort_values("seed")
        return games[column].to_numpy(np.float64)


def write_solo_report(folder: Path) -> list[Path]:
    """Write report.html and a plot for the wins and for each measure; the report comes first."""
    found = SoloResults(folder)
    figures = solo_figures_of(found)
    files = {REPORT: report_page(found, figures).encode()}
    files |= {f"{name}.png": figure_style.png(figure) for name, figure in figures.items()}
    write_files(folder, files)
    return [folder / name for name in files]


def solo_figures_of(found: SoloResults) -> dict[str, Figure]:
    """Every figure, by the name of its file."""
    return {"wins": wins_plot(found), **{name: spread_plot(found, name) for name in found.measures}}


def report_page(found: SoloResults, figures: dict[str, Figure]) -> str:
    """The page; the same tables give the same bytes."""
    parts: list[str] = [Html(f"<h1>{text(found.manifest.get('name', 'tournament'))}</h1>")]
    sizes = f"{len(found.games):,} games: {len(found.setups)} setups, {len(found.agents)} agents"
    parts.append(note(f"{sizes}; every agent plays every setup with the same luck."))
    words = "Share of games won with 95 % intervals; the table follows"
    parts.append(section("wins", "Games won", picture(figure_style.svg(figures["wins"]), words), table(wins(found))))
    for name in found.measures:
        words = f"Distribution of {name} for each agent and setup; the numbers stand in the table of games won"
        caption = "Median, the middle half (thick) and the middle 80 % (thin)."
        title = name.replace("_", " ").capitalize()
        parts.append(
            section(name, title, picture(figure_style.svg(figures[name]), words, caption), *_paired(found, name))
        )
    if cards := list(cards_part(found.folder)):
        parts.append(section("card-scores", "Cards drawn and played", *cards))
    run = json.dumps({key: value for key, value in found.manifest.items() if key != "experiment"}, indent=2)
    experiment = str(found.manifest.get("experiment", "")).rstrip()
    parts.append(
        section(
            "run", "The run", folded("Experiment file", Html(f"<pre>{text(experiment)}</pre>")),
            folded("Manifest", Html(f"<pre>{text(run)}</pre>")),
        )
    )  # fmt: skip
    return page(f"{found.manifest.get('name', '')}: tournament report", parts)


def wins(found: SoloResults) -> Grid:
    """A row per setup and agent."""
    rows = [
        (row["setup"], row["agent"], f"{row['games']:,}", percent(row["score"]), span(row["low"], row["high"]),
         interval_bar(row["score"], row["low"], row["high"]),
         *(f"{number(row[f'mean_{name}'])} ± {number((row[f'{name}_high'] - row[f'{name}_low']) / 2)}"
           for name in found.measures))
        for row in found.summary.to_dict("records")
    ]  # fmt: skip
    return Grid(["setup", "agent", "games", "won", "95 % interval", "", *found.measures], rows, words=2)


def _paired(found: SoloResults, name: str) -> Iterator[Html]:
    for setup in found.setups:
        columns = {agent: found.values(setup, agent, name) for agent in found.agents}
        rows = [(agent, *(_difference(columns[agent], columns[other]) for other in found.agents)) for agent in columns]
        words = note("The agent on the left less the one above, by seed: mean and half of the 95 % interval.")
        yield folded(f"Differences in {setup}", words, table(Grid(["", *found.agents], rows)))


def _difference(one: Floats, other: Floats) -> str:
    if one is other or len(one) != len(other) or len(one) < 2:
        return ""
    found = mean_interval(np.subtract(one, other))
    return f"{number(found.estimate, '+.1f')} ± {number((found.high - found.low) / 2)}"


def wins_plot(found: SoloResults) -> Figure:
    """A panel for each setup: the share of games won with its interval."""
    figure, panels = _panels(found)
    with figure_style.style():
        for setup, axes in zip(found.setups, panels, strict=True):
            rows = found.summary[found.summary["setup"] == setup].set_index("agent").loc[found.agents]
            place = np.arange(len(rows))
            axes.hlines(place, 100 * rows["low"], 100 * rows["high"], color=figure_style.BLUE, linewidth=3, alpha=0.45)
            axes.plot(100 * rows["score"], place, "o", color=figure_style.BLUE, markersize=6)
            axes.set_xlim(-3, 103)
            axes.set_xlabel("won, %")
    return figure


def spread_plot(found: SoloResults, name: str) -> Figure:
    """A panel for each setup: quantiles of this column for each agent."""
    figure, panels = _panels(found)
    with figure_style.style():
        for setup, axes in zip(found.setups, panels, strict=True):
            for place, agent in enumerate(found.agents):
                low, near, middle, far, high = np.quantile(found.values(setup, agent, name), _QUANTILES)
                axes.hlines(place, low, high, color=figure_style.BLUE, linewidth=1.5)
                axes.hlines(place, near, far, color=figure_style.BLUE, linewidth=6, alpha=0.45)
                axes.plot(middle, place, "o", color=figure_style.BLUE, markersize=5)
            axes.set_xlabel(name.replace("_", " "))
    return figure


def _panels(found: SoloResults) -> tuple[Figure, list[Any]]:
    columns = min(_PANELS, len(found.setups))
    rows = -(-len(found.setups) // columns)
    with figure_style.style():
        size = (1.8 + 2.3 * columns, rows * (0.9 + 0.28 * len(found.agents)))
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
        for axes in grid[len(found.setups) :]:
            axes.set_visible(False)
        panels = list(grid[: len(found.setups)])
        for setup, axes in zip(found.setups, panels, strict=True):
            axes.set_title(setup, fontsize=10)
            axes.set_yticks(np.arange(len(found.agents)), found.agents)
            axes.grid(axis="x", color=figure_style.GRID, linewidth=1)
            axes.set_axisbelow(True)
            axes.spines[:].set_visible(False)
            axes.tick_params(length=0)
        panels[0].invert_yaxis()
    return figure, panels
