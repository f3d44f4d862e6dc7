"""Write `report.html`: the results of a tournament on one page that opens without a network."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd
from matplotlib.figure import Figure

from planner.arena.report import report_plots, report_tables
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
    span,
    table,
    text,
    tiles,
)
from planner.arena.report.tournament_results import Results, read_results
from planner.arena.tournament.early_stopping import describe_sprt, sprt_tests
from planner.arena.tournament.result_tables import CARDS, DECKS, deck_matrix, read_cards
from planner.errors import PlannerError
from planner.formats.atomic_files import write_files
from planner.stats import figure_style
from planner.stats.durations import length_by_agent, length_distribution
from planner.stats.games_table import UNPAIRED, pair_ids, score_table

REPORT: Final = "report.html"
HEATMAPS: Final = ("wins.png", "turns.png")
NASH_SAMPLES: Final = 200  # of the bootstrap: small tournaments have many equilibria, and each new one takes a while
Figures = Mapping[str, Figure]
_RUN_FIELDS: Final = (
    "name", "seed", "rules", "decks", "games_per_pairing", "pairs", "swap", "workers", "engine", "digest",
)  # fmt: skip


def write_report(folder: str | os.PathLike[str]) -> Path:
    """Write the report and the heatmaps of a finished run into its folder; return the path of the report."""
    results = read_results(Path(folder))
    figures = figures_of(results)
    files = {name: figure_style.png(figures[Path(name).stem]) for name in HEATMAPS}
    write_files(Path(folder), files | {REPORT: report_page(results, figures).encode()})
    return Path(folder) / REPORT


def report_page(results: Results, figures: Figures | None = None) -> str:
    """Return the page; the same results give the same bytes. `figures` are those of `figures_of`, if drawn already."""
    figures = figures or figures_of(results)
    sections = ((anchor, title, contents(results, figures)) for anchor, title, contents in SECTIONS)
    return sections_page(f"{results.name}: tournament report", _head(results), sections)


def figures_of(results: Results) -> dict[str, Figure]:
    """Return all figures that these results have, by the names of their files."""
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


def _head(results: Results) -> Iterator[Html]:
    manifest, games = results.manifest, results.games
    yield Html(f"<h1>{text(results.name)}</h1>")
    rules = f", rules “{manifest['rules']}”" if manifest.get("rules") else ""
    seed = f", seed {manifest['seed']}" if "seed" in manifest else ""
    yield note(f"Tournament of {len(results.agents)} agents{rules}{seed}.")
    score = results.first_seat.score
    numbers: list[tuple[object, object]] = [(f"{len(games):,}", "games")]
    if len(results.ratings):
        numbers.append(best_tile(results.ratings))
    numbers.append((percent(score.estimate), f"score when moving first ({span(score.low, score.high)})"))
    numbers.append((number(float(games["rounds"].mean())), "rounds per match on average"))
    yield tiles([*numbers, *speed_tile(manifest, len(games))])


def speed_tile(manifest: Mapping[str, Any], games: int) -> Iterator[tuple[str, str]]:
    """Yield how long the games took, if it is known."""
    if manifest.get("seconds"):
        speed, played = manifest.get("games_per_second"), manifest.get("played") or games
        rate = f", {speed:{',.0f' if speed >= 100 else '.3g'}} games per second" if speed else ""
        extra = f"; {played - games:,} games finished after the decision" if played > games else ""
        yield seconds(manifest["seconds"]).replace(" ", "\u00a0"), f"of play{rate}{extra}"


def best_tile(ratings: pd.DataFrame) -> tuple[str, str]:
    """Return the best agent and its rating, or a tie."""
    elo, best = ratings["elo"], ratings.iloc[0]
    rating = f"{number(best['elo'], '+.1f')}\u00a0±\u00a0{(best['high'] - best['low']) / 2:.1f}"
    tied = int((elo.round(1) == round(best["elo"], 1)).sum())  # as far as the table shows
    if tied == 1:
        return best["agent"], f"best by Elo: {rating}"
    return "a tie", f"of {'all' if tied == len(elo) else 'the best'} {tied} agents by Elo: {rating}"


# -- sections: each yields the contents of a box, or nothing


def sprt_section(results: Results, _: Figures) -> Iterator[Html]:
    """The decision of the sequential test."""
    for test in sprt_tests(results.manifest, results.agents):
        yield paragraph(f"{describe_sprt(test)}.")
        yield note(
            "The run stops as soon as the log-likelihood ratio (LLR) leaves its limits. The score of a stopped test is "
            "not an unbiased estimate of strength."
        )


def matrix_section(_: Results, figures: Figures) -> Iterator[Html]:
    """Scores and lengths of all pairings."""
    yield note(
        "Row agent's score when moving first against the column agent: wins plus half the draws. Blue above 50 %, "
        "orange below; grey for pairings that were not played."
    )
    words = "Heatmap of the row agent's score when moving first; the numbers are in the table of all pairings"
    yield picture(figure_style.svg(figures["wins"]), words)
    yield note("Average length of a match in rounds; darker is longer.")
    words = "Heatmap of the average number of rounds; the numbers are in the table of all pairings"
    yield picture(figure_style.svg(figures["turns"]), words)


def ratings_section(results: Results, figures: Figures) -> Iterator[Html]:
    """Elo ratings and the likelihood of superiority."""
    if not len(results.ratings):
        return
    advantage = results.fitted.first_seat
    yield note(
        "Bradley-Terry with draws and a seat advantage (Davidson 1970), fitted to all games at once. 400 points are a "
        "factor of ten in the odds of a win to a loss."
    )
    yield picture(figure_style.svg(figures["elo"]), "Elo of every agent with its interval; the table follows")
    yield table(report_tables.ratings(results.ratings))
    interval = report_tables.interval_text(advantage._asdict())
    yield note(
        f"Moving first is worth {number(advantage.estimate, '+.1f')} Elo ({interval}). "
        "Score and games do not include matches of an agent against itself."
    )
    caption = note("Likelihood that the row agent is stronger than the column agent.")
    yield folded("Likelihood of superiority", caption, table(report_tables.superiority(results.fitted.superiority())))
    if (pair_ids(results.games) != UNPAIRED).any():
        caption = note(
            "The two games of a pair share a seed with the seats swapped, so most luck cancels; a pair gives 0 to 2 "
            "points to the first agent."
        )
        yield folded("Paired results", caption, table(report_tables.pairs(results)))


def nash_section(results: Results, _: Figures) -> Iterator[Html]:
    """Nash averaging."""
    if len(results.agents) < 2:
        return
    try:
        ranking = results.nash(NASH_SAMPLES)
    except PlannerError as error:
        yield note(f"Not available: {error}.")
        return
    yield note(
        "A ranking that does not depend on which agents take part: opponents have the weight that they have in the "
        "equilibrium of the game “name an agent”, so a second copy of a weak agent changes nothing. The share is an "
        "agent's part in that mixture, the skill its expected score against it; intervals by bootstrap."
    )
    yield table(report_tables.nash(ranking))


def seats_section(results: Results, figures: Figures) -> Iterator[Html]:
    """The advantage of moving first."""
    score, decks = results.first_seat.score, results.seat_decks()
    yield paragraph(
        f"The agent that moves first scores {percent(score.estimate)} over all games ({span(score.low, score.high)})."
    )
    if decks:
        yield paragraph(
            f"The first seat always had the deck {decks[0]}, the second {decks[1]}: these numbers show the effect of "
            "seat and deck together."
        )
    if "seats" in figures:
        words = "Each agent's score when moving first and second against the same opponents; the table follows"
        caption = "At the right: the score when moving first minus the score when moving second, in percentage points."
        yield picture(figure_style.svg(figures["seats"]), words, caption)
    yield table(report_tables.seats(results))


def decks_section(results: Results, figures: Figures) -> Iterator[Html]:
    """Decks against decks, if there are several."""
    if "decks" not in figures:
        return
    has_file = results.folder is not None and (results.folder / DECKS).exists()
    yield note(
        "Score of the row deck when moving first against the column deck, over all agents."
        + " The numbers are in decks.csv." * has_file
    )
    yield picture(figure_style.svg(figures["decks"]), "Heatmap of decks against decks; the table follows")
    yield note("Each deck against the others, from both seats together.")
    yield table(report_tables.decks_table(results))


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


def length_section(results: Results, figures: Figures) -> Iterator[Html]:
    """The lengths of matches."""
    if "length" not in figures:
        yield note("Only averages are known: this folder does not contain the individual games.")
        return
    words = "Histogram of the rounds of all matches, and quantiles for each agent; the table follows"
    yield picture(figure_style.svg(figures["length"]), words)
    yield folded("Numbers", table(report_tables.length(length_by_agent(results.games, results.agents))))


def time_parts(times: pd.DataFrame) -> Iterator[Html]:
    """Yield the times of decisions, if they are known."""
    if not {"agent", "decisions", *report_tables.TIMES} <= set(times):
        return
    yield note(
        "Seconds of wall-clock time per decision. Percentiles come from a histogram with ten bins per factor of ten; "
        "mean and longest are exact."
    )
    yield note(
        "Only decisions that took thought count: further steps of a plan that was made before do not."
        if "thought" in times
        else "All decisions count, including further steps of a plan that was made before, which take no time: the "
        "median of a planner is that of such a step. The mean is over all of them as well."
    )
    yield table(report_tables.times(times))


def forfeits_section(results: Results, _: Figures) -> Iterator[Html]:
    """Games that an agent forfeited."""
    forfeits = results.forfeits()
    if not len(forfeits):
        return
    total = int(forfeits["games"].sum())
    yield paragraph(
        f"{total:,} of {len(results.games):,} games ended because an agent crashed, chose an illegal action or ran out "
        "of time. The opponent won them."
    )
    yield table(report_tables.forfeits(forfeits))


def matchups_section(results: Results, _: Figures) -> Iterator[Html]:
    """All pairings in numbers."""
    yield note("Wins and score of the agent that moves first; the interval of its score is Wilson's for 95 %.")
    yield table(report_tables.matchups(results))


def run_parts(manifest: Mapping[str, Any]) -> Iterator[Html]:
    """Yield the manifest and the experiment file."""
    keys = [key for key in (*_RUN_FIELDS, "machine", "versions") if manifest.get(key) is not None]
    rows = [(key.replace("_", " "), _list_values(manifest[key])) for key in keys]
    yield table(Grid(["", ""], rows, words=2, long=1))
    if manifest.get("experiment"):
        yield folded("Experiment file", Html(f"<pre>{text(str(manifest['experiment']).rstrip())}</pre>"))
    without_file = {key: value for key, value in manifest.items() if key != "experiment"}
    yield folded("Manifest", Html(f"<pre>{text(json.dumps(without_file, indent=2, ensure_ascii=False))}</pre>"))


def _list_values(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {entry}" for key, entry in value.items() if entry is not None)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


# Anchor, title, and the function that yields the contents; a section without contents is left out.
SECTIONS: Final[Sequence[tuple[str, str, Callable[[Results, Figures], Iterator[Html]]]]] = (
    ("sprt", "Sequential test", sprt_section),
    ("matrix", "Matchups", matrix_section),
    ("ratings", "Ratings", ratings_section),
    ("nash", "Nash averaging", nash_section),
    ("seats", "Moving first", seats_section),
    ("decks", "Deck against deck", decks_section),
    ("card-scores", "Cards drawn and played", lambda results, _: card_parts(results.folder)),
    ("length", "Match length", length_section),
    ("times", "Time per decision", lambda results, _: time_parts(results.times)),
    ("forfeits", "Forfeits", forfeits_section),
    ("matchups", "All pairings", matchups_section),
    ("run", "Run details", lambda results, _: run_parts(results.manifest)),
)
