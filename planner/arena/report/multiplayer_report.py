"""The report of a tournament in a game of more than two seats: who finished ahead of whom, places and ratings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pandas as pd
from matplotlib.figure import Figure

from planner.arena.report import report_plots, report_tables
from planner.arena.report.html_page import (
    Grid,
    Html,
    folded,
    interval_bar,
    note,
    number,
    paragraph,
    percent,
    picture,
    sections_page,
    span,
    table,
    text,
    tiles,
)
from planner.arena.report.tournament_report import REPORT, best_tile, card_parts, run_parts, speed_tile, time_parts
from planner.arena.report.tournament_results import count_forfeits
from planner.arena.tournament.early_stopping import describe_sprt, sprt_tests
from planner.arena.tournament.result_tables import SEATS, read_ratings, read_table
from planner.arena.tournament.run_store import PLACES, read_manifest
from planner.formats.atomic_files import write_files
from planner.stats import figure_style
from planner.stats.durations import LENGTH_COLUMNS, length_summary
from planner.stats.games_table import seat_columns
from planner.stats.placings import PAIRWISE_COLUMNS, agents_at, seat_count
from planner.stats.plackett_luce import PlaceRatings, rate_places

IMAGES: Final = ("ahead.png", "places.png")
Figures = Mapping[str, Figure]


class MultiplayerResults:
    """The tables of a finished run in a game of more than two seats."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.manifest = folder, read_manifest(folder)
        self.name = str(self.manifest.get("name") or folder.resolve().name)
        self.games = read_table(folder / "games.parquet")
        self.seats = seat_count(self.games)
        self.agents = agents_at(self.games, self.manifest.get("agents"))
        self.matrix = read_table(folder / "matrix.csv", PAIRWISE_COLUMNS[:2], PAIRWISE_COLUMNS)
        self.by_seat = read_table(folder / SEATS, ["agent"], ("seat", "score"))
        places = read_table(folder / PLACES, ["agent"], ("games", "score", "low", "high", "mean_place"))
        self.places = places.sort_values("score", ascending=False, kind="stable", ignore_index=True)
        self.times = read_table(folder / "decisions.csv", ["agent"])
        has_ratings = (folder / "ratings.csv").exists()
        self.ratings = read_ratings(folder) if has_ratings else pd.DataFrame(columns=["agent", "elo"])

    @cached_property
    def fitted(self) -> PlaceRatings:
        """The model behind the ratings, with the advantage of each seat and likelihoods of superiority."""
        return rate_places(self.games, self.agents)

    def scores(self) -> pd.DataFrame:
        """Return how often the row agent finished ahead of the column agent, as a square table, best agents first."""
        order = list(self.places["agent"])
        return self.matrix.pivot(index="agent", columns="opponent", values="score").reindex(order, columns=order)

    def lengths(self) -> pd.DataFrame:
        """Return statistics of the rounds of each agent's games."""
        plays = {agent: (self.games[seat_columns(self.games)] == agent).any(axis=1) for agent in self.agents}
        rows = [{"agent": agent, **length_summary(self.games.loc[own, "rounds"])} for agent, own in plays.items()]
        return pd.DataFrame(rows, columns=["agent", *LENGTH_COLUMNS]).astype({"games": int})

    def forfeits(self) -> pd.DataFrame:
        """Return forfeits: agent, kind (crash, illegal action, time), games and one reason as an example."""
        seats = seat_columns(self.games)
        agents, reasons = (pd.concat([self.games[f"{seat}{end}"] for seat in seats]) for end in ("", "_forfeit"))
        return count_forfeits(agents[reasons != ""], reasons[reasons != ""])


def write_multiplayer_report(folder: Path) -> list[Path]:
    """Write report.html and its main pictures into the folder; return the files, the report first."""
    results = MultiplayerResults(folder)
    figures = figures_of(results)
    images = {name: figure_style.png(figures[Path(name).stem]) for name in IMAGES if Path(name).stem in figures}
    write_files(folder, {REPORT: report_page(results, figures).encode()} | images)
    return [folder / name for name in (REPORT, *images)]


def figures_of(results: MultiplayerResults) -> dict[str, Figure]:
    """Return all figures that these results have, by the names of their files."""
    figures = {"places": report_plots.places_plot(results.places)}
    if len(results.matrix):
        figures |= {
            "ahead": report_plots.ahead_heatmap(results.scores()),
            "elo": report_plots.elo_plot(results.ratings),
        }
    return figures


def grids_of(results: MultiplayerResults) -> dict[str, Grid]:
    """Return all tables that these results have, by the names of their files."""
    grids = {"places": places_grid(results), "seats": seats_grid(results)}
    grids["length"] = report_tables.length(results.lengths())
    if len(results.matrix):
        grids |= {"ahead": ahead_grid(results), "ratings": report_tables.ratings(results.ratings)}
        grids["superiority"] = report_tables.superiority(results.fitted.superiority())
    if set(report_tables.TIMES) <= set(results.times):
        grids["times"] = report_tables.times(results.times)
    return grids


def report_page(results: MultiplayerResults, figures: Figures) -> str:
    """Return the page; the same tables give the same bytes."""
    sections = ((anchor, title, contents(results, figures)) for anchor, title, contents in SECTIONS)
    return sections_page(f"{results.name}: tournament report", _head(results), sections)


def _head(results: MultiplayerResults) -> Iterator[Html]:
    yield Html(f"<h1>{text(results.name)}</h1>")
    yield note(f"Tournament of {len(results.agents)} agents, {results.seats} at a table.")
    numbers: list[tuple[object, object]] = [(f"{len(results.games):,}", "games")]
    if len(results.ratings):
        numbers.append(best_tile(results.ratings))
    shared = percent(float((results.games["winner"] < 0).mean()))
    numbers.append((shared, "of games with a shared first place"))
    numbers.append((number(float(results.games["rounds"].mean())), "rounds per match on average"))
    yield tiles([*numbers, *speed_tile(results.manifest, len(results.games))])


# -- tables


def ahead_grid(results: MultiplayerResults) -> Grid:
    """Return a row for every two agents that met."""
    rows = [
        (row["agent"], row["opponent"], f"{row['games']:,}", row["ahead"], row["level"], row["behind"],
         percent(row["score"]), span(row["low"], row["high"]), interval_bar(row["score"], row["low"], row["high"]))
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


# -- sections: each yields the contents of a box, or nothing


def _sprt(results: MultiplayerResults, _: Figures) -> Iterator[Html]:
    for test in sprt_tests(results.manifest, results.agents):
        yield paragraph(f"{describe_sprt(test)}.")


def _ahead(results: MultiplayerResults, figures: Figures) -> Iterator[Html]:
    if "ahead" not in figures:
        return
    yield note(
        "How often the row agent finished ahead of the column agent when both were at a table; a shared place counts "
        "half. Blue above 50 %, orange below; grey for agents that did not meet."
    )
    words = "Heatmap of who finished ahead of whom; the table follows"
    yield picture(figure_style.svg(figures["ahead"]), words)
    yield folded("Numbers", table(ahead_grid(results)))


def _places(results: MultiplayerResults, figures: Figures) -> Iterator[Html]:
    yield note("The score is the share of the other seats that finished behind; a shared place counts half.")
    yield picture(figure_style.svg(figures["places"]), "How often each agent took each place; the table follows")
    yield table(places_grid(results))


def _ratings(results: MultiplayerResults, figures: Figures) -> Iterator[Html]:
    if not len(results.ratings):
        return
    yield note(
        "The model of Plackett and Luce with an advantage of seats, fitted to all games at once. 400 points are a "
        "factor of ten in the odds of finishing ahead."
    )
    yield picture(figure_style.svg(figures["elo"]), "Elo of every agent with its interval; the table follows")
    yield table(report_tables.ratings(results.ratings))
    caption = note("Likelihood that the row agent is stronger than the column agent.")
    likelihood = table(report_tables.superiority(results.fitted.superiority()))
    yield folded("Likelihood of superiority", caption, likelihood)


def _seats(results: MultiplayerResults, _: Figures) -> Iterator[Html]:
    if len(results.ratings):
        parts = (
            f"seat {row['seat']} {number(row['elo'], '+.1f')} ({report_tables.interval_text(row)})"
            for row in results.fitted.seats.to_dict("records")
        )
        yield paragraph(f"The advantage of each seat in Elo, with the mean of all seats at 0: {', '.join(parts)}.")
    yield note("Scores by seat, against the seats of other agents.")
    yield table(seats_grid(results))


def _length(results: MultiplayerResults, _: Figures) -> Iterator[Html]:
    yield note("Rounds of the games of each agent.")
    yield table(report_tables.length(results.lengths()))


def _forfeits(results: MultiplayerResults, _: Figures) -> Iterator[Html]:
    forfeits = results.forfeits()
    if len(forfeits):
        yield paragraph(
            f"Agents crashed, chose an illegal action or ran out of time {int(forfeits['games'].sum()):,} times in "
            f"{len(results.games):,} games. They took the last places, and the others played on."
        )
        yield table(report_tables.forfeits(forfeits))


# Anchor, title, and the function that yields the contents; a section without contents is left out.
SECTIONS: Final[Sequence[tuple[str, str, Callable[[MultiplayerResults, Figures], Iterator[Html]]]]] = (
    ("sprt", "Sequential test", _sprt),
    ("ahead", "Who finished ahead of whom", _ahead),
    ("places", "Places", _places),
    ("ratings", "Ratings", _ratings),
    ("seats", "Seats", _seats),
    ("card-scores", "Cards drawn and played", lambda results, _: card_parts(results.folder)),
    ("length", "Match length", _length),
    ("times", "Time per decision", lambda results, _: time_parts(results.times)),
    ("forfeits", "Forfeits", _forfeits),
    ("run", "Run details", lambda results, _: run_parts(results.manifest)),
)
