"""Write `report.html`: the results of a tournament on one page that opens without a network."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from matplotlib.figure import Figure

from planner.arena.report import report_plots, report_tables
from planner.arena.report.html_page import (
    Grid,
    Html,
    folded,
    note,
    number,
    page,
    paragraph,
    percent,
    picture,
    seconds,
    section,
    span,
    table,
    text,
    tiles,
)
from planner.arena.report.tournament_results import Results, read_results
from planner.arena.tournament.early_stopping import describe_sprt
from planner.arena.tournament.result_tables import CARDS, DECKS, deck_matrix, read_table
from planner.errors import PlannerError
from planner.formats.atomic_files import write_files
from planner.stats import figure_style
from planner.stats.durations import length_by_agent, length_distribution
from planner.stats.games_table import UNPAIRED, pair_ids, score_table


def decks_plot(found: Results) -> Figure | None:
    """The matrix of decks; nothing where there are not several."""
    matrix = deck_matrix(found.games)
    if matrix is None:
        return None
    return report_plots.wins_heatmap(score_table(matrix.rename(columns={"p1_deck": "p1", "p2_deck": "p2"})))


def decks_section(found: Results, figures: Mapping[str, Figure]) -> Iterator[Html]:
    """The matrix of decks, and what each scores against the others; nothing where there are not several."""
    if "decks" not in figures:
        return
    written = found.folder is not None and (found.folder / DECKS).exists()
    yield note(
        "Score of the deck in the first seat (rows) against the one in the second seat (columns), whoever played them."
        + " The numbers are in decks.csv." * written
    )
    yield picture(figure_style.svg(figures["decks"]), "Heatmap of decks against decks; the table follows")
    yield note("Each deck against the others, from both seats together.")
    yield table(report_tables.decks_table(found))


def cards_part(folder: Path | None) -> Iterator[Html]:
    """A table per deck: the score of those who drew each card, and of those who played it."""
    if folder is None or not (folder / CARDS).exists():
        return
    cards = read_table(folder / CARDS)
    yield note(
        "What those scored who had drawn a card, and who had played it, at least once in a game. Where a deck meets "
        "itself, games in which both did so say nothing and do not count. Long games draw more cards: compare a card "
        "with the others of its deck. The numbers are in cards.csv."
    )
    beyond = cards[(cards["drawn_low"] > cards["score"]) | (cards["drawn_high"] < cards["score"])]
    if len(beyond):
        yield note(
            f"The cards whose interval when drawn leaves out the score of their deck, {len(beyond)} of {len(cards)}; "
            f"by luck alone about {max(1, round(len(cards) / 20))} would."
        )
        yield table(report_tables.cards_table(beyond))
    else:
        yield note(f"Of the {len(cards)} cards none is clearly above or below the score of its deck when drawn.")
    for name, rows in cards.groupby("deck", sort=False):
        head = f"{name}, which scored {percent(float(rows['score'].iloc[0]))} of {rows['games'].iloc[0]:,} games"
        yield folded(head, table(report_tables.cards_table(rows, decks=False)))


NASH_SAMPLES = 200  # of the bootstrap: small tournaments have many equilibria, and each new one takes a while
Figures = Mapping[str, Figure]
_SUMMARY: Final = ("name", "seed", "rules", "decks", "games_per_pairing", "pairs", "swap", "workers", "digest")


def figures_of(found: Results) -> dict[str, Figure]:
    """Every figure that these results have, by the name of its file."""
    made = {"wins": report_plots.wins_heatmap(found.scores()), "turns": report_plots.turns_heatmap(found.turns())}
    if len(found.ratings):
        made["elo"] = report_plots.elo_plot(found.ratings)
    by_agent = found.first_player_advantage()
    if by_agent["difference"].notna().any():
        made["seats"] = report_plots.seat_plot(by_agent)
    if not found.from_counts:
        lengths = length_by_agent(found.games, found.agents)
        made["length"] = report_plots.length_plot(length_distribution(found.games), lengths)
    if (decks := decks_plot(found)) is not None:
        made["decks"] = decks
    return made


def sprt_section(found: Results, _: Figures) -> Iterator[Html]:
    """What the sequential test decided."""
    if "sprt" in found.manifest:
        yield paragraph(f"{describe_sprt(found.manifest['sprt'], found.agents)}.")
        yield note(
            "The run stops as soon as the log-likelihood ratio (LLR) leaves its limits. The score of a stopped test is "
            "not an unbiased estimate of strength."
        )


def matrix_section(_: Results, figures: Figures) -> Iterator[Html]:
    """Scores and lengths of all pairings."""
    yield note(
        "Score of the agent in the first seat (rows) against the one in the second seat (columns): wins "
        "plus half the draws. Blue above 50 %, orange below; grey where two did not meet."
    )
    words = "Heatmap of the first seat's score; the numbers stand in the table of all pairings"
    yield picture(figure_style.svg(figures["wins"]), words)
    yield note("Average length of a match in rounds, darker is longer.")
    words = "Heatmap of the average number of rounds; the numbers stand in the table of all pairings"
    yield picture(figure_style.svg(figures["turns"]), words)


def ratings_section(found: Results, figures: Figures) -> Iterator[Html]:
    """Elo, and who is likely to be better."""
    if not len(found.ratings):
        return
    worth = found.fitted.first_seat
    yield note(
        "Bradley-Terry with draws and a seat advantage (Davidson 1970), fitted to all games at once. 400 "
        "points are a factor of ten in the odds of a win to a loss."
    )
    yield picture(figure_style.svg(figures["elo"]), "Elo of every agent with its interval; the table follows")
    yield table(report_tables.ratings(found))
    yield note(
        f"The first seat is worth {number(worth.estimate, '+.1f')} Elo ({report_tables.reach(worth._asdict())}). "
        "Score and games leave out matches of an agent against itself."
    )
    caption = note("How sure it is that the agent on the left is stronger than the one above.")
    yield folded("Likelihood of superiority", caption, table(report_tables.superiority(found)))
    if (pair_ids(found.games) != UNPAIRED).any():
        caption = note(
            "The two games of a pair share a seed with the seats swapped, so most luck cancels; a pair gives "
            "0 to 2 points to the agent on the left."
        )
        yield folded("Paired results", caption, table(report_tables.pairs(found)))


def nash_section(found: Results, _: Figures) -> Iterator[Html]:
    """The ranking that does not depend on who was entered."""
    if len(found.agents) < 2:
        return
    try:
        ranked = found.nash(NASH_SAMPLES)
    except PlannerError as error:
        yield note(f"Not available: {error}.")
        return
    yield note(
        "A ranking that does not depend on who was entered: opponents weigh as much as they do in the "
        "equilibrium of “name an agent”, so entering a weak agent twice changes nothing. The share is an agent's "
        "part in that mixture, the skill its expected score against it; intervals by bootstrap."
    )
    yield table(report_tables.nash(ranked))


def seats_section(found: Results, figures: Figures) -> Iterator[Html]:
    """What the first seat is worth."""
    seat, decks = found.first_seat, found.seat_decks()
    yield paragraph(
        f"The first seat scored {percent(seat.score.estimate)} of all games ({span(seat.score.low, seat.score.high)})."
    )
    if decks:
        yield paragraph(
            f"The first seat always held the deck {decks[0]}, the second {decks[1]}: these numbers are "
            "the worth of seat and deck together."
        )
    if "seats" in figures:
        words = "Each agent's score from both seats against the same opponents; the table follows"
        yield picture(figure_style.svg(figures["seats"]), words, "At the right: first minus second seat, in points.")
    yield table(report_tables.seats(found))


def cards_section(found: Results, _: Figures) -> Iterator[Html]:
    """What cards do to matches."""
    yield from cards_part(found.folder)


def length_section(found: Results, figures: Figures) -> Iterator[Html]:
    """How long the matches were."""
    if "length" not in figures:
        yield note("Only averages are known: the games themselves are not in this folder.")
        return
    words = "Histogram of the rounds of all matches, and quantiles for each agent; the table follows"
    yield picture(figure_style.svg(figures["length"]), words)
    yield folded("Numbers", table(report_tables.length(found)))


def times_section(found: Results, _: Figures) -> Iterator[Html]:
    """How long decisions took."""
    if not {"agent", "decisions", *report_tables.TIMES} <= set(found.times):
        return
    yield note(
        "Seconds on the wall clock, from the question to the answer. Percentiles come from bins, ten to "
        "a factor of ten; mean and longest are exact."
    )
    yield note(
        "Times are of the decisions that took thought: the further steps of a plan that was made already are left out."
        if "thought" in found.times
        else "All decisions count here, also the further steps of plans that were made already, which take no time: "
        "the median of a planner is that of such a step. The mean is over all of them as well."
    )
    yield table(report_tables.times(found))


def forfeits_section(found: Results, _: Figures) -> Iterator[Html]:
    """Games that ended by an agent's own doing."""
    lost = found.forfeits()
    if not len(lost):
        return
    total = int(lost["games"].sum())
    yield paragraph(
        f"{total:,} of {len(found.games):,} games ended because an agent crashed, answered with an "
        "illegal action or ran out of time. The opponent won them."
    )
    yield table(report_tables.forfeits(lost))


def matchups_section(found: Results, _: Figures) -> Iterator[Html]:
    """All pairings in numbers."""
    yield note("The first seat's view; the interval of its score is Wilson's for 95 %.")
    yield table(report_tables.matchups(found))


def run_section(found: Results, _: Figures) -> Iterator[Html]:
    """What was run, with what."""
    manifest = found.manifest
    rows = [(key.replace("_", " "), _words(manifest[key])) for key in _SUMMARY if manifest.get(key) is not None]
    rows += [(key, _words(manifest[key])) for key in ("machine", "versions") if manifest.get(key)]
    yield table(Grid(["", ""], rows, words=2, long=1))
    if manifest.get("experiment"):
        yield folded("Experiment file", Html(f"<pre>{text(str(manifest['experiment']).rstrip())}</pre>"))
    rest = {key: value for key, value in manifest.items() if key != "experiment"}
    yield folded("Manifest", Html(f"<pre>{text(json.dumps(rest, indent=2, ensure_ascii=False))}</pre>"))


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {entry}" for key, entry in value.items() if entry is not None)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


REPORT: Final = "report.html"
HEATMAPS: Final = ("wins.png", "turns.png")
# Anchor, title, and what yields the contents; a section that yields nothing is left out.
SECTIONS: Final = (
    ("sprt", "Sequential test", sprt_section),
    ("matrix", "Who beats whom", matrix_section),
    ("ratings", "Ratings", ratings_section),
    ("nash", "Nash averaging", nash_section),
    ("seats", "The first seat", seats_section),
    ("decks", "Deck against deck", decks_section),
    ("card-scores", "Cards drawn and played", cards_section),
    ("length", "Length of matches", length_section),
    ("times", "Time per decision", times_section),
    ("forfeits", "Forfeits", forfeits_section),
    ("matchups", "All pairings", matchups_section),
    ("run", "The run", run_section),
)


def write_report(folder: str | os.PathLike[str]) -> Path:
    """Write the report and the heatmaps of a finished run into its folder; the path of the report."""
    found = read_results(Path(folder))
    figures = figures_of(found)
    files = {name: figure_style.png(figures[Path(name).stem]) for name in HEATMAPS}
    write_files(Path(folder), files | {REPORT: report_page(found, figures).encode()})
    return Path(folder) / REPORT


def report_page(found: Results, figures: Figures | None = None) -> str:
    """The page; the same results give the same bytes. `figures` are those of `figures_of`, if drawn already."""
    figures = figures or figures_of(found)
    made = [(anchor, title, list(contents(found, figures))) for anchor, title, contents in SECTIONS]
    shown = [entry for entry in made if entry[2]]
    links = "".join(f'<a href="#{anchor}">{title}</a>' for anchor, title, _ in shown)
    parts: list[str] = [*_head(found), f"<nav>{links}</nav>"]
    parts += [section(anchor, title, *content, warning=anchor == "forfeits") for anchor, title, content in shown]
    return page(f"{found.name}: tournament report", parts)


def _head(found: Results) -> Iterator[Html]:
    manifest, games = found.manifest, found.games
    yield Html(f"<h1>{text(found.name)}</h1>")
    rules = f" under the rules “{manifest['rules']}”" if manifest.get("rules") else ""
    seed = f", seed {manifest['seed']}" if "seed" in manifest else ""
    yield note(f"Tournament of {len(found.agents)} agents{rules}{seed}.")
    seat = found.first_seat.score
    numbers: list[tuple[object, object]] = [(f"{len(games):,}", "games")]
    if len(found.ratings):
        numbers.append(_best(found))
    numbers.append((percent(seat.estimate), f"score of the first seat ({span(seat.low, seat.high)})"))
    numbers.append((number(float(games["rounds"].mean())), "rounds a match, on average"))
    if manifest.get("seconds"):
        speed, played = manifest.get("games_per_second"), manifest.get("played", len(games))
        often = f", {speed:{',.0f' if speed >= 100 else '.3g'}} games a second" if speed else ""
        beyond = f"; {played - len(games):,} games came after the decision" if played > len(games) else ""
        numbers.append((seconds(manifest["seconds"]).replace(" ", "\u00a0"), f"of play{often}{beyond}"))
    yield tiles(numbers)


def _best(found: Results) -> tuple[str, str]:
    """Who is best, unless nobody is."""
    elo, best = found.ratings["elo"], found.ratings.iloc[0]
    reach = f"{number(best['elo'], '+.1f')}\u00a0±\u00a0{(best['high'] - best['low']) / 2:.1f}"
    level = int((elo.round(1) == round(best["elo"], 1)).sum())  # as far as the table shows
    if level == 1:
        return best["agent"], f"best by Elo: {reach}"
    return "a tie", f"of {'all' if level == len(elo) else 'the best'} {level} agents by Elo: {reach}"
