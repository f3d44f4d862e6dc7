"""The report of a tournament in a game of two seats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from matplotlib.figure import Figure

from planner.arena.report import report_plots, report_tables
from planner.arena.report.html_page import Grid, Html, folded, note, number, paragraph, percent, span, table
from planner.arena.report.run_report import Report, Section, agent_grids, forfeit_section, head_parts
from planner.arena.report.tournament_results import Results
from planner.arena.tournament.result_tables import deck_matrix
from planner.errors import PlannerError
from planner.stats.durations import length_by_agent, length_distribution
from planner.stats.games_table import UNPAIRED, pair_ids, score_table

NASH_SAMPLES: Final = 200  # of the bootstrap: small tournaments have many equilibria, and each new one takes a while


class DuelReport(Report[Results]):
    """Scores of all pairings, ratings and the advantage of moving first."""

    images = ("wins", "turns")

    def _draw(self) -> dict[str, Figure]:
        results = self.results
        figures = {
            "wins": report_plots.wins_heatmap(results.scores()),
            "turns": report_plots.turns_heatmap(results.turns()),
        }
        if len(results.ratings):
            figures["elo"] = report_plots.elo_plot(results.ratings)
        by_agent = results.first_player_advantage()
        if by_agent["difference"].notna().any():
            figures["seats"] = report_plots.seat_plot(by_agent)
        if not results.from_counts:
            lengths = length_by_agent(results.games, results.agents)
            figures["length"] = report_plots.length_plot(length_distribution(results.games), lengths)
        if (matrix := deck_matrix(results.games)) is not None:
            decks = score_table(matrix.rename(columns={"p1_deck": "p1", "p2_deck": "p2"}))
            figures["decks"] = report_plots.wins_heatmap(decks)
        return figures

    def _tabulate(self) -> dict[str, Grid]:
        results = self.results
        grids = {
            "scores": report_tables.scores(results), "turns": report_tables.turns(results),
            "matchups": report_tables.matchups(results), "seats": report_tables.seats(results), **agent_grids(results),
        }  # fmt: skip
        if (pair_ids(results.games) != UNPAIRED).any():
            grids["pairs"] = report_tables.pairs(results)
        if "decks" in self.figures:
            grids["decks"] = report_tables.decks_table(results)
        return grids

    def _head(self) -> Iterator[Html]:
        manifest, score = self.results.manifest, self.results.first_seat.score
        rules = f", rules “{manifest['rules']}”" if manifest.get("rules") else ""
        seed = f", seed {manifest['seed']}" if "seed" in manifest else ""
        first = percent(score.estimate), f"score when moving first ({span(score.low, score.high)})"
        return head_parts(self.results, f"{rules}{seed}", first)

    def _sections(self) -> Iterable[Section]:
        wins = "Heatmap of the row agent's score when moving first; the numbers are in the table of all pairings"
        turns = "Heatmap of the average number of rounds; the numbers are in the table of all pairings"
        matchups = "Wins and score of the agent that moves first; the interval of its score is Wilson's for 95 %."
        colours = (
            "Row agent's score when moving first against the column agent: wins plus half the draws. Blue above 50 %, "
            "orange below; grey for pairings that were not played."
        )
        matrix = (
            note(colours),
            self._picture("wins", wins),
            note("Average length of a match in rounds; darker is longer."),
            self._picture("turns", turns),
        )
        return (
            self._sprt(),
            ("matrix", "Matchups", matrix),
            ("ratings", "Ratings", self._rated()),
            ("nash", "Nash averaging", self._nash()),
            ("seats", "Moving first", self._seats()),
            ("decks", "Deck against deck", self._decks()),
            self._cards(),
            ("length", "Match length", self._length()),
            self._times(self.results.times),
            forfeit_section(self.results, "The opponent won these games."),
            ("matchups", "All pairings", self._show("matchups", matchups)),
            self._run(),
        )

    def _rated(self) -> Iterator[Html]:
        advantage = self.results.fitted.first_seat
        interval = report_tables.interval_text(advantage._asdict())
        yield from self._ratings(
            "Bradley-Terry with draws and a seat advantage (Davidson 1970), fitted to all games at once. 400 points "
            "are a factor of ten in the odds of a win to a loss.",
            f"Moving first is worth {number(advantage.estimate, '+.1f')} Elo ({interval}). "
            "Score and games do not include matches of an agent against itself.",
        )
        if "ratings" in self.grids and "pairs" in self.grids:
            caption = note(
                "The two games of a pair share a seed with the seats swapped, so most luck cancels; a pair gives 0 to "
                "2 points to the first agent."
            )
            yield folded("Paired results", caption, table(self.grids["pairs"]))

    def _nash(self) -> Iterator[Html]:
        if len(self.results.agents) < 2:
            return
        try:
            ranking = self.results.nash(NASH_SAMPLES)
        except PlannerError as error:
            yield note(f"Not available: {error}.")
            return
        yield note(
            "A ranking that does not depend on which agents take part: opponents have the weight that they have in the "
            "equilibrium of the game “name an agent”, so a second copy of a weak agent changes nothing. The share is "
            "an agent's part in that mixture, the skill its expected score against it; intervals by bootstrap."
        )
        yield table(report_tables.nash(ranking))

    def _seats(self) -> Iterator[Html]:
        score, decks = self.results.first_seat.score, self.results.seat_decks()
        yield paragraph(
            f"The agent that moves first scores {percent(score.estimate)} over all games "
            f"({span(score.low, score.high)})."
        )
        if decks:
            yield paragraph(
                f"The first seat always had the deck {decks[0]}, the second {decks[1]}: these numbers show the effect "
                "of seat and deck together."
            )
        yield from self._show(
            "seats",
            words="Each agent's score when moving first and second against the same opponents; the table follows",
            caption="At the right: the score when moving first minus that when moving second, in percentage points.",
        )

    def _decks(self) -> Iterator[Html]:
        if "decks" in self.grids:
            yield note("Score of the row deck when moving first against the column deck, over all agents.")
            yield self._picture("decks", "Heatmap of decks against decks; the table follows")
            yield note("Each deck against the others, from both seats together.")
            yield table(self.grids["decks"])

    def _length(self) -> Iterator[Html]:
        if "length" not in self.grids:
            yield note("Only averages are known: this folder does not contain the individual games.")
        words = "Histogram of the rounds of all matches, and quantiles for each agent; the table follows"
        yield from self._show("length", words=words, fold=True)
