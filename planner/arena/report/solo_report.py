"""The report of a tournament in a game of one seat: games won, measures of the game, and differences of agents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np
from matplotlib.figure import Figure

from planner.arena.report.html_page import Grid, Html, folded, note, number, score_cells, table, text
from planner.arena.report.report_plots import label_agents
from planner.arena.report.run_report import Report, Section
from planner.arena.report.tournament_results import SoloResults
from planner.stats import figure_style
from planner.stats.games_table import Floats
from planner.stats.intervals import mean_interval

_PANELS_PER_ROW: Final = 5
_QUANTILES: Final = (0.1, 0.25, 0.5, 0.75, 0.9)


class SoloReport(Report[SoloResults]):
    """Games won, and for each measure its distribution and the differences of agents."""

    def _draw(self) -> dict[str, Figure]:
        self.images = ("wins", *self.results.measures)
        return {"wins": wins_plot(self.results)} | {name: spread_plot(self.results, name) for name in self.images[1:]}

    def _tabulate(self) -> dict[str, Grid]:
        return {"wins": wins(self.results)}

    def _head(self) -> Iterator[Html]:
        results = self.results
        yield Html(f"<h1>{text(results.name)}</h1>")
        sizes = f"{len(results.games):,} games: {len(results.setups)} setups, {len(results.agents)} agents"
        yield note(f"{sizes}; every agent plays every setup with the same seeds.")

    def _sections(self) -> Iterable[Section]:
        words = "Share of games won with 95 % intervals; the table follows"
        yield "wins", "Games won", self._show("wins", words=words)
        for name in self.results.measures:
            words = f"Distribution of {name} for each agent and setup; the numbers are in the table of games won"
            caption = "Median, the middle half (thick) and the middle 80 % (thin)."
            parts = self._picture(name, words, caption), *self._paired(name)
            yield name, name.replace("_", " ").capitalize(), parts
        yield self._cards()
        yield self._run()

    def _paired(self, name: str) -> Iterator[Html]:
        agents = self.results.agents
        for setup in self.results.setups:
            columns = {agent: self.results.values(setup, agent, name) for agent in agents}
            rows = [(agent, *(_difference(columns[agent], columns[other]) for other in agents)) for agent in agents]
            words = note("Row agent minus column agent, by seed: mean and half of the 95 % interval.")
            yield folded(f"Differences in {setup}", words, table(Grid(["", *agents], rows)))


def wins(results: SoloResults) -> Grid:
    """Return a row per setup and agent."""
    rows = [
        (row["setup"], row["agent"], f"{row['games']:,}", *score_cells(row),
         *(f"{number(row[f'mean_{name}'])} ± {number((row[f'{name}_high'] - row[f'{name}_low']) / 2)}"
           for name in results.measures))
        for row in results.wins.to_dict("records")
    ]  # fmt: skip
    return Grid(["setup", "agent", "games", "won", "95 % interval", "", *results.measures], rows, words=2)


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
            rows = results.wins[results.wins["setup"] == setup].set_index("agent").loc[results.agents]
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
