"""The report of a finished run: figures and tables by the names of their files, and a page with all of them.

`tournament_report`, `multiplayer_report` and `solo_report` say what there is for two seats, for more seats and for one.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import pandas as pd
from matplotlib.figure import Figure

from planner.arena.report import report_tables
from planner.arena.report.html_page import (
    Grid,
    Html,
    folded,
    note,
    number,
    paragraph,
    percent,
    picture,
    seconds,
    sections_page,
    table,
    text,
    tiles,
)
from planner.arena.report.tournament_results import AnyResults, MultiplayerResults, Results
from planner.arena.tournament.early_stopping import describe_sprt, sprt_tests
from planner.arena.tournament.result_tables import CARDS, read_cards
from planner.stats import figure_style
from planner.stats.durations import length_by_agent

Section = tuple[str, str, Iterable[Html]]  # anchor, title and contents; a section without contents is left out
_Results = TypeVar("_Results", bound=AnyResults)
_RUN_FIELDS: Final = (
    "name", "seed", "rules", "decks", "games_per_pairing", "pairs", "swap", "workers", "engine", "digest",
)  # fmt: skip


class Report(ABC, Generic[_Results]):
    """The figures and tables of a finished run, and a page of sections."""

    images: Sequence[str] = ()  # the figures that are also written beside the page

    def __init__(self, results: _Results) -> None:
        self.results = results
        self.figures = self._draw()
        self.grids = self._tabulate()
        if results.folder is not None and (results.folder / CARDS).exists():
            self.grids["cards"] = report_tables.cards_table(read_cards(results.folder))

    @abstractmethod
    def _draw(self) -> dict[str, Figure]:
        """Return all figures that these results have, by the names of their files."""

    @abstractmethod
    def _tabulate(self) -> dict[str, Grid]:
        """Return all tables that these results have, by the names of their files."""

    @abstractmethod
    def _head(self) -> Iterable[Html]:
        """Return what comes before the sections."""

    @abstractmethod
    def _sections(self) -> Iterable[Section]:
        """Return the sections of the page."""

    def page(self) -> str:
        """Return the page; the same tables give the same bytes."""
        return sections_page(f"{self.results.name}: tournament report", self._head(), self._sections())

    def _show(
        self, name: str, explanation: str = "", words: str = "", caption: str = "", figure: str = "", fold: bool = False
    ) -> Iterator[Html]:
        """Yield the figure and the table with this name, and what explains them; nothing if there is neither.

        `words` are the alternative text of the figure. `fold` shows the table only on a click.
        """
        figure = figure or name
        if figure not in self.figures and name not in self.grids:
            return
        if explanation:
            yield note(explanation)
        if figure in self.figures:
            yield self._picture(figure, words, caption)
        if name in self.grids:
            shown = table(self.grids[name])
            yield folded("Numbers", shown) if fold else shown

    def _picture(self, name: str, words: str, caption: str = "") -> Html:
        return picture(figure_style.svg(self.figures[name]), words, caption)

    # -- sections that several kinds of reports have

    def _sprt(self) -> Section:
        tests = sprt_tests(self.results.manifest, self.results.agents)
        parts = [paragraph(f"{describe_sprt(test)}.") for test in tests]
        if parts:
            parts.append(
                note(
                    "The run stops as soon as the log-likelihood ratio (LLR) leaves its limits. The score of a stopped "
                    "test is not an unbiased estimate of strength."
                )
            )
        return "sprt", "Sequential test", parts

    def _ratings(self, model: str, more: str = "") -> Iterator[Html]:
        """Yield the ratings by this model and the likelihood of superiority, if there are ratings."""
        if "ratings" not in self.grids:
            return
        words = "Elo of every agent with its interval; the table follows"
        yield from self._show("ratings", model, words, figure="elo")
        if more:
            yield note(more)
        caption = note("Likelihood that the row agent is stronger than the column agent.")
        yield folded("Likelihood of superiority", caption, table(self.grids["superiority"]))

    def _cards(self) -> Section:
        return "card-scores", "Cards drawn and played", card_parts(self.results.folder)

    def _times(self, times: pd.DataFrame) -> Section:
        counted = (
            "Only decisions that took thought count: further steps of a plan that was made before do not."
            if "thought" in times
            else "All decisions count, including further steps of a plan that was made before, which take no time: the "
            "median of a planner is that of such a step. The mean is over all of them as well."
        )
        explanation = (
            "Seconds of wall-clock time per decision. Percentiles come from a histogram with ten bins per factor of "
            f"ten; mean and longest are exact. {counted}"
        )
        return "times", "Time per decision", self._show("times", explanation)

    def _run(self) -> Section:
        manifest = self.results.manifest
        keys = [key for key in (*_RUN_FIELDS, "machine", "versions") if manifest.get(key) is not None]
        rows = [(key.replace("_", " "), _list_values(manifest[key])) for key in keys]
        parts = [table(Grid(["", ""], rows, words=2, long=1))]
        if manifest.get("experiment"):
            parts.append(_preformatted("Experiment file", str(manifest["experiment"]).rstrip()))
        without_file = {key: value for key, value in manifest.items() if key != "experiment"}
        parts.append(_preformatted("Manifest", json.dumps(without_file, indent=2, ensure_ascii=False)))
        return "run", "Run details", parts


def _preformatted(title: str, content: str) -> Html:
    return folded(title, Html(f"<pre>{text(content)}</pre>"))


def _list_values(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {entry}" for key, entry in value.items() if entry is not None)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def card_parts(folder: Path | None) -> Iterator[Html]:
    """Yield the scores of cards when drawn and when played: notable ones first, then a table for each deck."""
    if folder is None or not (folder / CARDS).exists():
        return
    cards = read_cards(folder)
    yield note(
        "The score in games in which the card was drawn, or played, at least once. If a deck meets itself, games in "
        "which both sides did so do not count. Long games draw more cards: compare a card with others of its deck. "
        "The numbers are in cards.csv."
    )
    notable = cards[(cards["drawn_low"] > cards["score"]) | (cards["drawn_high"] < cards["score"])]
    if len(notable):
        yield note(
            f"Cards whose interval when drawn does not contain the score of their deck: {len(notable)} of "
            f"{len(cards)}; about {max(1, round(len(cards) / 20))} are expected by chance."
        )
        yield table(report_tables.cards_table(notable))
    else:
        yield note(f"None of the {len(cards)} cards is clearly above or below the score of its deck when drawn.")
    for name, rows in cards.groupby("deck", sort=False):
        summary = f"{name}: score {percent(float(rows['score'].iloc[0]))} in {rows['games'].iloc[0]:,} games"
        yield folded(summary, table(report_tables.cards_table(rows, decks=False)))


# -- parts of the reports of games with two or more seats


def agent_grids(results: Results | MultiplayerResults) -> dict[str, Grid]:
    """Return the tables of agents that all games of several seats have."""
    grids = {}
    if len(results.ratings):
        grids["ratings"] = report_tables.ratings(results.ratings)
        grids["superiority"] = report_tables.superiority(results.fitted.superiority())
    if set(report_tables.TIMES) <= set(results.times):
        grids["times"] = report_tables.times(results.times)
    if not results.from_counts:
        grids["length"] = report_tables.length(length_by_agent(results.games, results.agents))
    return grids


def head_parts(results: Results | MultiplayerResults, subtitle: str, special: tuple[str, str]) -> Iterator[Html]:
    """Yield the title and the most important numbers, with one number that is special to this kind of game."""
    yield Html(f"<h1>{text(results.name)}</h1>")
    yield note(f"Tournament of {len(results.agents)} agents{subtitle}.")
    numbers: list[tuple[object, object]] = [(f"{len(results.games):,}", "games")]
    if len(results.ratings):
        numbers.append(_best_tile(results.ratings))
    numbers += [special, (number(float(results.games["rounds"].mean())), "rounds per match on average")]
    yield tiles([*numbers, *_speed_tile(results.manifest, len(results.games))])


def _best_tile(ratings: pd.DataFrame) -> tuple[str, str]:
    """Return the best agent and its rating, or a tie."""
    elo, best = ratings["elo"], ratings.iloc[0]
    rating = f"{number(best['elo'], '+.1f')}\u00a0±\u00a0{(best['high'] - best['low']) / 2:.1f}"
    tied = int((elo.round(1) == round(best["elo"], 1)).sum())  # as far as the table shows
    if tied == 1:
        return best["agent"], f"best by Elo: {rating}"
    return "a tie", f"of {'all' if tied == len(elo) else 'the best'} {tied} agents by Elo: {rating}"


def _speed_tile(manifest: Mapping[str, Any], games: int) -> Iterator[tuple[str, str]]:
    """Yield how long the games took, if it is known."""
    if manifest.get("seconds"):
        speed, played = manifest.get("games_per_second"), manifest.get("played") or games
        rate = f", {speed:{',.0f' if speed >= 100 else '.3g'}} games per second" if speed else ""
        extra = f"; {played - games:,} games finished after the decision" if played > games else ""
        yield seconds(manifest["seconds"]).replace(" ", "\u00a0"), f"of play{rate}{extra}"


def forfeit_section(results: Results | MultiplayerResults, consequence: str) -> Section:
    """Return the forfeits by agent and kind."""
    forfeits, parts = results.forfeits(), []
    if len(forfeits):
        total = f"{int(forfeits['games'].sum()):,} times in {len(results.games):,} games"
        words = f"Agents crashed, chose an illegal action or ran out of time {total}. {consequence}"
        parts = [paragraph(words), table(report_tables.forfeits(forfeits))]
    return "forfeits", "Forfeits", parts
