"""The report of a tournament in a game of one seat: games won, measures of the game, and differences of agents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    percent,
    picture,
    sections_page,
    span,
    table,
    text,
)
from planner.arena.report.report_plots import label_agents
from planner.arena.report.tournament_report import card_parts, run_parts
from planner.arena.tournament.result_tables import read_summary, read_table
from planner.arena.tournament.run_store import read_manifest
from planner.formats.atomic_files import write_files
from planner.stats import figure_style
from planner.stats.games_table import Floats
from planner.stats.intervals import mean_interval

REPORT: Final = "report.html"
_PANELS_PER_ROW: Final = 5
_QUANTILES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


class SoloResults:
    """The tables of a finished run in a game of one seat."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.manifest = folder, read_manifest(folder)
        self.summary, self.games = read_summary(folder), read_table(folder / "games.parquet")
        self.setup_columns = list(self.summary.columns[: list(self.summary.columns).index("agent")])
        first = list(self.games.columns).index("p1_decisions")
        self.measures = ["rounds", *self.games.columns[first + 1 :]]  # the game's own measures are the last columns
        self.agents = list(dict.fromkeys(self.summary["agent"]))
        self.setups = list(dict.fromkeys(self._setup_names(self.summary)))
        self.games = self.games.assign(
            setup=self._setup_names(self.games), score=(self.games["winner"] == 0).astype(float)
        )
        self.summary = self.summary.assign(setup=self._setup_names(self.summary))

    def _setup_names(self, frame: pd.DataFrame) -> list[str]:
        return [" ".join(map(str, row)) for row in frame[self.setup_columns].itertuples(index=False)]

    def values(self, setup: str, agent: str, column: str) -> Floats:
        """Return a column of this agent's games from this setup, sorted by seed as for every agent; nan if unknown."""
        games = self.games[(self.games["setup"] == setup) & (self.games["p1"] == agent)].sort_values("seed")
        return games[column].to_numpy(np.float64)


def write_solo_report(folder: Path) -> list[Path]:
    """Write report.html and a plot for wins and each measure; return the files, the report first."""
    results = SoloResults(folder)
    figures = solo_figures_of(results)
    files = {REPORT: report_page(results, figures).encode()}
    files |= {f"{name}.png": figure_style.png(figure) for name, figure in figures.items()}
    write_files(folder, files)
    return [folder / name for name in files]


def solo_figures_of(results: SoloResults) -> dict[str, Figure]:
    """Return all figures by the names of their files."""
    return {"wins": wins_plot(results), **{name: spread_plot(results, name) for name in results.measures}}


def report_page(results: SoloResults, figures: dict[str, Figure]) -> str:
    """Return the page; the same tables give the same bytes."""
    title = str(results.manifest.get("name", "tournament"))
    sizes = f"{len(results.games):,} games: {len(results.setups)} setups, {len(results.agents)} agents"
    head = Html(f"<h1>{text(title)}</h1>"), note(f"{sizes}; every agent plays every setup with the same seeds.")
    words = "Share of games won with 95 % intervals; the table follows"
    sections: list[tuple[str, str, Iterable[Html]]] = [
        ("wins", "Games won", (picture(figure_style.svg(figures["wins"]), words), table(wins(results))))
    ]
    for name in results.measures:
        words = f"Distribution of {name} for each agent and setup; the numbers are in the table of games won"
        caption = "Median, the middle half (thick) and the middle 80 % (thin)."
        parts = picture(figure_style.svg(figures[name]), words, caption), *_paired(results, name)
        sections.append((name, name.replace("_", " ").capitalize(), parts))
    sections.append(("card-scores", "Cards drawn and played", card_parts(results.folder)))
    sections.append(("run", "Run details", run_parts(results.manifest)))
    return sections_page(f"{title}: tournament report", head, sections)


def wins(results: SoloResults) -> Grid:
    """Return a row per setup and agent."""
    rows = [
        (row["setup"], row["agent"], f"{row['games']:,}", percent(row["score"]), span(row["low"], row["high"]),
         interval_bar(row["score"], row["low"], row["high"]),
         *(f"{number(row[f'mean_{name}'])} ± {number((row[f'{name}_high'] - row[f'{name}_low']) / 2)}"
           for name in results.measures))
        for row in results.summary.to_dict("records")
    ]  # fmt: skip
    return Grid(["setup", "agent", "games", "won", "95 % interval", "", *results.measures], rows, words=2)


def _paired(results: SoloResults, name: str) -> Iterator[Html]:
    for setup in results.setups:
        columns = {agent: results.values(setup, agent, name) for agent in results.agents}
        rows = [
            (agent, *(_difference(columns[agent], columns[other]) for other in results.agents)) for agent in columns
        ]
        words = note("Row agent minus column agent, by seed: mean and half of the 95 % interval.")
        yield folded(f"Differences in {setup}", words, table(Grid(["", *results.agents], rows)))


def _difference(one: Floats, other: Floats) -> str:
    if one is other or len(one) != len(other) or len(one) < 2:
        return ""
    differences = np.subtract(one, other)
    mean = mean_interval(differences[~np.isnan(differences)])
    return f"{number(mean.estimate, '+.1f')} ± {number((mean.high - mean.low) / 2)}"


def wins_plot(results: SoloResults) -> Figure:
    """Plot the share of games won with its interval, in a panel for each setup."""
    figure, panels = _panels(results)
    with figure_style.style():
        for setup, axes in zip(results.setups, panels, strict=True):
            rows = results.summary[results.summary["setup"] == setup].set_index("agent").loc[results.agents]
            rows_at = np.arange(len(rows))
            axes.hlines(
                rows_at, 100 * rows["low"], 100 * rows["high"], color=figure_style.BLUE, linewidth=3, alpha=0.45
            )
            axes.plot(100 * rows["score"], rows_at, "o", color=figure_style.BLUE, markersize=6)
            axes.set_xlim(-3, 103)
            axes.set_xlabel("won, %")
    return figure


def spread_plot(results: SoloResults, name: str) -> Figure:
    """Plot quantiles of this column for each agent, in a panel for each setup."""
    figure, panels = _panels(results)
    with figure_style.style():
        for setup, axes in zip(results.setups, panels, strict=True):
            for row, agent in enumerate(results.agents):
                values = results.values(setup, agent, name)
                if np.isnan(values).all():
                    continue
                low, near, middle, far, high = np.nanquantile(values, _QUANTILES)
                axes.hlines(row, low, high, color=figure_style.BLUE, linewidth=1.5)
                axes.hlines(row, near, far, color=figure_style.BLUE, linewidth=6, alpha=0.45)
                axes.plot(middle, row, "o", color=figure_style.BLUE, markersize=5)
            axes.set_xlabel(name.replace("_", " "))
    return figure


def _panels(results: SoloResults) -> tuple[Figure, list[Any]]:
    columns = min(_PANELS_PER_ROW, len(results.setups))
    rows = -(-len(results.setups) // columns)
    with figure_style.style():
        size = (1.8 + 2.3 * columns, rows * (0.9 + 0.28 * len(results.agents)))
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten()
        for axes in grid[len(results.setups) :]:
            axes.set_visible(False)
        panels = list(grid[: len(results.setups)])
        for setup, axes in zip(results.setups, panels, strict=True):
            axes.set_title(setup, fontsize=10)
            label_agents(axes, results.agents)
    return figure, panels
