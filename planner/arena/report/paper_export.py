"""Export figures and tables for papers: SVG, PDF, and LaTeX that needs no package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from planner.arena.report import multiplayer_report, report_tables, solo_report
from planner.arena.report.html_page import Grid, Html
from planner.arena.report.tournament_report import figures_of
from planner.arena.report.tournament_results import read_results
from planner.arena.tournament.result_tables import CARDS, read_cards
from planner.arena.tournament.run_store import PLACES, SUMMARY
from planner.formats.atomic_files import write_files
from planner.stats import figure_style
from planner.stats.durations import length_by_agent
from planner.stats.games_table import UNPAIRED, pair_ids

_LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "[": "{[}", "]": "{]}", "*": "{*}",  # at the beginning of a row LaTeX reads them as arguments of the line break
    "–": "--", "−": "$-$", "±": r"$\pm$", "∞": r"$\infty$", "½": r"$\frac12$", "µ": r"$\mu$", "\u00a0": "~",
}  # fmt: skip


def write_figures(folder: Path, into: Path) -> list[Path]:
    """Write the figures and tables of the run in `folder`; return the files."""
    write_files(into, {})  # an invalid folder is an error before the work begins
    if (folder / SUMMARY).exists():
        figures, grids = _solo_parts(folder)
    else:
        figures, grids = _table_parts(folder) if (folder / PLACES).exists() else _duel_parts(folder)
    files: dict[str, bytes] = {}
    for name, figure in figures.items():
        files |= {f"{name}.svg": figure_style.svg(figure), f"{name}.pdf": figure_style.pdf(figure)}
    files |= {f"{name}.tex": latex_table(grid).encode() for name, grid in grids.items()}
    write_files(into, files)
    return [into / name for name in files]


def _duel_parts(folder: Path) -> tuple[Mapping[str, Figure], dict[str, Grid]]:
    results = read_results(folder)
    grids = {
        "scores": report_tables.scores(results), "turns": report_tables.turns(results),
        "matchups": report_tables.matchups(results), "seats": report_tables.seats(results),
    }  # fmt: skip
    if len(results.ratings):
        grids |= {"ratings": report_tables.ratings(results.ratings)}
        grids["superiority"] = report_tables.superiority(results.fitted.superiority())
    if (pair_ids(results.games) != UNPAIRED).any():
        grids["pairs"] = report_tables.pairs(results)
    if not results.from_counts:
        grids["length"] = report_tables.length(length_by_agent(results.games, results.agents))
    if set(report_tables.TIMES) <= set(results.times):
        grids["times"] = report_tables.times(results.times)
    figures = figures_of(results)
    if "decks" in figures:
        grids["decks"] = report_tables.decks_table(results)
    return figures, grids | _card_grid(folder)


def _solo_parts(folder: Path) -> tuple[Mapping[str, Figure], dict[str, Grid]]:
    results = solo_report.SoloResults(folder)
    return solo_report.solo_figures_of(results), {"wins": solo_report.wins(results), **_card_grid(folder)}


def _table_parts(folder: Path) -> tuple[Mapping[str, Figure], dict[str, Grid]]:
    results = multiplayer_report.MultiplayerResults(folder)
    return multiplayer_report.figures_of(results), {**multiplayer_report.grids_of(results), **_card_grid(folder)}


def _card_grid(folder: Path) -> dict[str, Grid]:
    return {"cards": report_tables.cards_table(read_cards(folder))} if (folder / CARDS).exists() else {}


def latex_table(grid: Grid) -> str:
    """Return the table as a `tabular`, without columns of pictures."""
    kept = [k for k in range(len(grid.headers)) if not any(isinstance(row[k], Html) for row in grid.rows)]
    columns = "".join("l" if k < grid.words or k == grid.long else "r" for k in kept)
    lines = [" & ".join(latex_text(row[k]) for k in kept) + r" \\" for row in (grid.headers, *grid.rows)]
    begin, end, rule = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}", r"\hline"
    return "\n".join([begin, rule, lines[0], rule, *lines[1:], rule, end, ""])


def latex_text(value: object) -> str:
    """Return the text with all special characters of LaTeX escaped."""
    return "".join(_LATEX.get(character, character if character.isprintable() else "?") for character in str(value))
