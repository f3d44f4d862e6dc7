"""`report.html`: everything that a tournament found, on one page that opens without a network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from planner.arena import plots
from planner.arena import report_sections as sections
from planner.arena.card_page import decks_part
from planner.arena.journal import write_files
from planner.arena.loaded import Results, read_results
from planner.arena.page import Html, note, number, page, percent, seconds, section, span, text, tiles
from planner.arena.report_sections import Figures, figures_of

REPORT: Final = "report.html"
HEATMAPS: Final = ("wins.png", "turns.png")
# Anchor, title, and what yields the contents; a section that yields nothing is left out.
SECTIONS: Final = (
    ("sprt", "Sequential test", sections.sprt),
    ("matrix", "Who beats whom", sections.matrix),
    ("ratings", "Ratings", sections.ratings),
    ("nash", "Nash averaging", sections.nash),
    ("seats", "The first seat", sections.seats),
    ("decks", "Deck against deck", decks_part),
    ("card-scores", "Cards drawn and played", sections.cards),
    ("length", "Length of matches", sections.length),
    ("times", "Time per decision", sections.times),
    ("forfeits", "Forfeits", sections.forfeits),
    ("matchups", "All pairings", sections.matchups),
    ("run", "The run", sections.run),
)


def write_report(folder: str | os.PathLike[str]) -> Path:
    """Write the report and the heatmaps of a finished run into its folder; the path of the report."""
    found = read_results(Path(folder))
    figures = figures_of(found)
    files = {name: plots.png(figures[Path(name).stem]) for name in HEATMAPS}
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
