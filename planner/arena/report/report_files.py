"""Write the report of a run: the page, and for papers its figures as SVG and PDF and its tables as LaTeX.

The LaTeX needs no package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from planner.arena.report.html_page import Grid, Html
from planner.arena.report.multiplayer_report import MultiplayerReport
from planner.arena.report.run_report import Report
from planner.arena.report.solo_report import SoloReport
from planner.arena.report.tournament_report import DuelReport
from planner.arena.report.tournament_results import AnyResults, MultiplayerResults, SoloResults
from planner.formats.atomic_files import write_files
from planner.stats import figure_style

REPORT: Final = "report.html"
_LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "[": "{[}", "]": "{]}", "*": "{*}",  # at the beginning of a row LaTeX reads them as arguments of the line break
    "–": "--", "−": "$-$", "±": r"$\pm$", "∞": r"$\infty$", "½": r"$\frac12$", "µ": r"$\mu$", "\u00a0": "~",
}  # fmt: skip


def report_of(results: AnyResults) -> Report[Any]:
    """Return the report of these results."""
    if isinstance(results, SoloResults):
        return SoloReport(results)
    return MultiplayerReport(results) if isinstance(results, MultiplayerResults) else DuelReport(results)


def write_report(results: AnyResults, folder: Path) -> list[Path]:
    """Write the page and its main pictures into the folder of the run; return the files, the page first."""
    report = report_of(results)
    images = {f"{name}.png": figure_style.png(report.figures[name]) for name in report.images if name in report.figures}
    write_files(folder, images | {REPORT: report.page().encode()})
    return [folder / name for name in (REPORT, *images)]


def write_figures(results: AnyResults, into: Path) -> list[Path]:
    """Write the figures and tables of the report for a paper; return the files."""
    write_files(into, {})  # an invalid folder is an error before the work begins
    report, files = report_of(results), dict[str, bytes]()
    for name, figure in report.figures.items():
        files |= {f"{name}.svg": figure_style.svg(figure), f"{name}.pdf": figure_style.pdf(figure)}
    files |= {f"{name}.tex": latex_table(grid).encode() for name, grid in report.grids.items()}
    write_files(into, files)
    return [into / name for name in files]


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
