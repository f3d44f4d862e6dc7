"""The sections of a report, each from the results and the figures: what it yields stands in a box under its title."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from matplotlib.figure import Figure

from planner.arena import plots, report_tables
from planner.arena.card_page import cards_part, decks_plot
from planner.arena.loaded import Results
from planner.arena.page import Grid, Html, folded, note, number, paragraph, percent, picture, span, table, text
from planner.arena.stopping import verdict
from planner.errors import PlannerError
from planner.stats.frame import UNPAIRED, pair_ids
from planner.stats.length import length_by_agent, length_distribution

NASH_SAMPLES = 200  # of the bootstrap: small tournaments have many equilibria, and each new one takes a while
Figures = Mapping[str, Figure]
_SUMMARY: Final = ("name", "seed", "rules", "decks", "games_per_pairing", "pairs", "swap", "workers", "digest")


def figures_of(found: Results) -> dict[str, Figure]:
    """Every figure that these results have, by the name of its file."""
    made = {"wins": plots.wins_heatmap(found.scores()), "turns": plots.turns_heatmap(found.turns())}
    if len(found.ratings):
        made["elo"] = plots.elo_plot(found.ratings)
    by_agent = found.first_player_advantage()
    if by_agent["difference"].notna().any():
        made["seats"] = plots.seat_plot(by_agent)
    if not found.from_counts:
        lengths = length_by_agent(found.games, found.agents)
        made["length"] = plots.length_plot(length_distribution(found.games), lengths)
    if (decks := decks_plot(found)) is not None:
        made["decks"] = decks
    return made


def sprt(found: Results, _: Figures) -> Iterator[Html]:
    """What the sequential test decided."""
    if "sprt" in found.manifest:
        yield paragraph(f"{verdict(found.manifest['sprt'], found.agents)}.")
        yield note(
            "The run stops as soon as the log-likelihood ratio (LLR) leaves its limits. The score of a stopped test is "
            "not an unbiased estimate of strength."
        )


def matrix(_: Results, figures: Figures) -> Iterator[Html]:
    """Scores and lengths of all pairings."""
    yield note(
        "Score of the agent in the first seat (rows) against the one in the second seat (columns): wins "
        "plus half the draws. Blue above 50 %, orange below; grey where two did not meet."
    )
    words = "Heatmap of the first seat's score; the numbers stand in the table of all pairings"
    yield picture(plots.svg(figures["wins"]), words)
    yield note("Average length of a match in rounds, darker is longer.")
    words = "Heatmap of the average number of rounds; the numbers stand in the table of all pairings"
    yield picture(plots.svg(figures["turns"]), words)


def ratings(found: Results, figures: Figures) -> Iterator[Html]:
    """Elo, and who is likely to be better."""
    if not len(found.ratings):
        return
    worth = found.fitted.first_seat
    yield note(
        "Bradley-Terry with draws and a seat advantage (Davidson 1970), fitted to all games at once. 400 "
        "points are a factor of ten in the odds of a win to a loss."
    )
    yield picture(plots.svg(figures["elo"]), "Elo of every agent with its interval; the table follows")
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


def nash(found: Results, _: Figures) -> Iterator[Html]:
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


def seats(found: Results, figures: Figures) -> Iterator[Html]:
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
        yield picture(plots.svg(figures["seats"]), words, "At the right: first minus second seat, in points.")
    yield table(report_tables.seats(found))


def cards(found: Results, _: Figures) -> Iterator[Html]:
    """What cards do to matches."""
    yield from cards_part(found.folder)


def length(found: Results, figures: Figures) -> Iterator[Html]:
    """How long the matches were."""
    if "length" not in figures:
        yield note("Only averages are known: the games themselves are not in this folder.")
        return
    words = "Histogram of the rounds of all matches, and quantiles for each agent; the table follows"
    yield picture(plots.svg(figures["length"]), words)
    yield folded("Numbers", table(report_tables.length(found)))


def times(found: Results, _: Figures) -> Iterator[Html]:
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


def forfeits(found: Results, _: Figures) -> Iterator[Html]:
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


def matchups(found: Results, _: Figures) -> Iterator[Html]:
    """All pairings in numbers."""
    yield note("The first seat's view; the interval of its score is Wilson's for 95 %.")
    yield table(report_tables.matchups(found))


def run(found: Results, _: Figures) -> Iterator[Html]:
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
