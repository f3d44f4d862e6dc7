"""Figures and tables for papers: SVG and PDF, and LaTeX that needs no package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from matplotlib.figure import Figure

from planner.arena.report import report_tables, solo_report
from planner.arena.report.html_page import Grid, Html
from planner.arena.report.tournament_report import figures_of
from planner.arena.report.tournament_results import read_results
from planner.arena.tournament.result_tables import CARDS, read_table
from planner.arena.tournament.run_store import SUMMARY
from planner.formats.atomic_files import write_files
from planner.stats import figure_style
from planner.stats.games_table import UNPAIRED, pair_ids

_SIGNS: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "[": "{[}", "]": "{]}", "*": "{*}",  # at the beginning of a row they would belong to the end of the one before
    "–": "--", "−": "$-$", "±": r"$\pm$", "∞": r"$\infty$", "½": r"$\frac12$", "µ": r"$\mu$", "\u00a0": "~",
}  # fmt: skip


def write_figures(folder: Path, into: Path) -> list[Path]:
    """Write the figures and tables of the run in `folder`; the files."""
    write_files(into, {})  # a folder that cannot be is refused before the work
    figures, grids = _solo(folder) if (folder / SUMMARY).exists() else _duel(folder)
    files: dict[str, bytes] = {}
    for name, figure in figures.items():
        files |= {f"{name}.svg": figure_style.svg(figure), f"{name}.pdf": figure_style.pdf(figure)}
    files |= {f"{name}.tex": latex_table(grid).encode() for name, grid in grids.items()}
    write_files(into, files)
    return [into / name for name in files]


def _duel(folder: Path) -> tuple[Mapping[str, Figure], dict[str, Grid]]:
    found = read_results(folder)
    grids = {
        "scores": report_tables.scores(found), "turns": report_tables.turns(found),
        "matchups": report_tables.matchups(found), "seats": report_tables.seats(found),
    }  # fmt: skip
    if len(found.ratings):
        grids |= {"ratings": report_tables.ratings(found), "superiority": report_tables.superiority(found)}
    if (pair_ids(found.games) != UNPAIRED).any():
        grids["pairs"] = report_tables.pairs(found)
    if not found.from_counts:
        grids["length"] = report_tables.length(found)
    if set(report_tables.TIMES) <= set(found.times):
        grids["times"] = report_tables.times(found)
    figures = figures_of(found)
    if "decks" in figures:
        grids["decks"] = report_tables.decks_table(found)
    return figures, grids | _cards(folder)


def _solo(folder: Path) -> tuple[Mapping[str, Figure], dict[str, Grid]]:
    found = solo_report.SoloResults(folder)
    return solo_report.solo_figures_of(found), {"wins": solo_report.wins(found), **_cards(folder)}


def _cards(folder: Path) -> dict[str, Grid]:
    path = folder / CARDS
    return {"cards": report_tables.cards_table(read_table(path))} if path.exists() else {}


def latex_table(grid: Grid) -> str:
    """The table as a `tabular`; columns that are pictures are left out."""
    kept = [k for k in range(len(grid.headers)) if not any(isinstance(row[k], Html) for row in grid.rows)]
    columns = "".join("l" if k < grid.words or k == grid.long else "r" for k in kept)
    lines = [" & ".join(latex_text(row[k]) for k in kept) + r" \\" for row in (grid.headers, *grid.rows)]
    begin, end, rule = rf"\begin{{tabular}}{{{columns}}}", r"\end{tabular}", r"\hline"
    return "\n".join([begin, rule, lines[0], rule, *lines[1:], rule, end, ""])


def latex_text(value: object) -> str:
    """The words with every sign that LaTeX would take as an order made harmless."""
    return "".join(_SIGNS.get(sign, sign if sign.isprintable() else "?") for sign in str(value))
