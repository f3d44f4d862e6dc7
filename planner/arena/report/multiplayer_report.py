"""The report of a tournament in a game of more than two seats: who finished ahead of whom, places and ratings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from matplotlib.figure import Figure

from planner.arena.report import report_plots, report_tables
from planner.arena.report.html_page import Grid, Html, number, paragraph, percent, score_cells, span
from planner.arena.report.run_report import Report, Section, agent_grids, forfeit_section, head_parts
from planner.arena.report.tournament_results import MultiplayerResults


class MultiplayerReport(Report[MultiplayerResults]):
    """Who finished ahead of whom, places, ratings and scores by seat."""

    images = ("ahead", "places")

    def _draw(self) -> dict[str, Figure]:
        results = self.results
        figures = {"places": report_plots.places_plot(results.places)}
        if len(results.matrix):
            figures["ahead"] = report_plots.ahead_heatmap(results.scores())
            figures["elo"] = report_plots.elo_plot(results.ratings)
        return figures

    def _tabulate(self) -> dict[str, Grid]:
        results = self.results
        grids = {"places": places_grid(results), "seats": seats_grid(results), **agent_grids(results)}
        return grids | ({"ahead": ahead_grid(results)} if len(results.matrix) else {})

    def _head(self) -> Iterator[Html]:
        shared = percent(float((self.results.games["winner"] < 0).mean()))
        special = shared, "of games with a shared first place"
        return head_parts(self.results, f", {self.results.seats} at a table", special)

    def _sections(self) -> Iterable[Section]:
        ahead = (
            "How often the row agent finished ahead of the column agent when both were at a table; a shared place "
            "counts half. Blue above 50 %, orange below; grey for agents that did not meet."
        )
        ahead_words = "Heatmap of who finished ahead of whom; the table follows"
        places = "The score is the share of the other seats that finished behind; a shared place counts half."
        places_words = "How often each agent took each place; the table follows"
        model = (
            "The model of Plackett and Luce with an advantage of seats, fitted to all games at once. 400 points are a "
            "factor of ten in the odds of finishing ahead."
        )
        return (
            self._sprt(),
            ("ahead", "Who finished ahead of whom", self._show("ahead", ahead, ahead_words, fold=True)),
            ("places", "Places", self._show("places", places, places_words)),
            ("ratings", "Ratings", self._ratings(model)),
            ("seats", "Seats", self._seats()),
            self._cards(),
            ("length", "Match length", self._show("length", "Rounds of the games of each agent.")),
            self._times(self.results.times),
            forfeit_section(self.results, "They took the last places, and the others played on."),
            self._run(),
        )

    def _seats(self) -> Iterator[Html]:
        if len(self.results.ratings):
            parts = (
                f"seat {row['seat']} {number(row['elo'], '+.1f')} ({report_tables.interval_text(row)})"
                for row in self.results.fitted.seats.to_dict("records")
            )
            yield paragraph(f"The advantage of each seat in Elo, with the mean of all seats at 0: {', '.join(parts)}.")
        yield from self._show("seats", "Scores by seat, against the seats of other agents.")


def ahead_grid(results: MultiplayerResults) -> Grid:
    """Return a row for every two agents that met."""
    rows = [
        (row["agent"], row["opponent"], f"{row['games']:,}", row["ahead"], row["level"], row["behind"],
         *score_cells(row))
        for row in results.matrix.to_dict("records")
    ]  # fmt: skip
    headers = ["agent", "opponent", "meetings", "ahead", "shared", "behind", "score", "95 % interval", ""]
    return Grid(headers, rows, words=2)


def places_grid(results: MultiplayerResults) -> Grid:
    """Return a row for each agent: its score, mean place, and how often it took each place."""
    counts = [column for column in results.places.columns if column.startswith("place_")]
    rows = [
        (row["agent"], f"{row['games']:,}", percent(row["score"]), span(row["low"], row["high"]),
         number(row["mean_place"], ".2f"), *(f"{row[column]:,}" for column in counts))
        for row in results.places.to_dict("records")
    ]  # fmt: skip
    titles = [column.replace("_", " ") for column in counts]
    return Grid(["agent", "games", "score", "95 % interval", "mean place", *titles], rows)


def seats_grid(results: MultiplayerResults) -> Grid:
    """Return each agent's score in each seat, and that of the seat over all agents."""
    scores = results.by_seat.pivot(index="agent", columns="seat", values="score")
    order = ["", *(agent for agent in results.places["agent"])]
    rows: list[tuple[Any, ...]] = [
        (agent or "all agents", *(percent(float(value)) for value in scores.loc[agent])) for agent in order
    ]
    return Grid(["agent", *(f"seat {seat}" for seat in scores.columns)], rows)
