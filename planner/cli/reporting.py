"""`planner report`: a finished tournament on the screen, and its report page and heatmaps on the disk."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from planner.arena.tournament.run_store import SUMMARY
from planner.cli.common import NoColor, console, examples

if TYPE_CHECKING:  # pandas and matplotlib take a second that other commands need not spend
    from planner.arena.report.tournament_results import Comparison, Results

_DIFFERENCES = 5
_CELL, _EDGES = 7, 3  # signs that a column of the matrix takes with the space around it, and the edges of the table
_LEAST_LABEL, _LEAST_COLUMNS = 12, 4  # names are folded before there is room for fewer columns than this


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(
        epilog=examples(
            "planner report results/quick", "planner report thesis --thesis", "planner report thesis --figures paper/"
        )
    )(report)


def report(
    results: Annotated[
        str, typer.Argument(metavar="RESULTS", help="A folder that a tournament wrote, or its name in results/.")
    ],
    thesis: Annotated[
        bool, typer.Option("--thesis", help="Compare with the thesis's table 7.1: rank correlations, differences.")
    ] = False,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="For papers: figures as SVG and PDF, tables as LaTeX, into FOLDER."),
    ] = None,
    no_color: NoColor = False,
) -> None:
    """Show what a tournament found, and write its report page.

    Prints the matrix (the first seat's score in percent, below it the
    average number of rounds), the ratings, what a sequential test decided
    and the worth of the first seat. Writes report.html, which opens in a
    browser without a network, and the heatmaps wins.png and turns.png into
    the folder. With --figures, every figure and table of the page is also
    written for use in a paper; the LaTeX needs no packages.
    """
    from planner.arena.report.tournament_results import find_results  # noqa: PLC0415  (see above)

    screen, folder = console(no_color), find_results(results)
    if (folder / SUMMARY).exists():
        _report_alone(screen, folder)
    else:
        _report(screen, folder, thesis)
    if figures is not None:
        from planner.arena.report.paper_export import write_figures  # noqa: PLC0415  (see above)

        names = [path.name for path in write_figures(folder, figures)]
        screen.print(f"figures and tables: {figures}/ ({', '.join(names)})", soft_wrap=True)


def _report_alone(screen: Console, folder: Path) -> None:
    from planner.arena.report.solo_report import write_solo_report  # noqa: PLC0415  (see above)

    show_summary(screen, folder / SUMMARY)
    page, *images = write_solo_report(folder)
    screen.print(f"report: {page}", soft_wrap=True)
    screen.print(f"plots: {', '.join(map(str, images))}", soft_wrap=True)


def _report(screen: Console, folder: Path, thesis: bool) -> None:
    from planner.arena.report.tournament_report import HEATMAPS, write_report  # noqa: PLC0415  (see above)
    from planner.arena.report.tournament_results import guo_results as thesis_results  # noqa: PLC0415
    from planner.arena.report.tournament_results import load_results  # noqa: PLC0415

    found = load_results(folder)
    comparison = found.compare(thesis_results()) if thesis else None
    show_matrix(screen, found)
    show_ratings(screen, found)
    show_test(screen, found)
    show_seats(screen, found)
    if comparison is not None:
        show_comparison(screen, comparison)
    page = write_report(folder)
    screen.print(f"report: {page}", soft_wrap=True)
    screen.print(f"heatmaps: {', '.join(str(page.parent / name) for name in HEATMAPS)}", soft_wrap=True)


def show_matrix(screen: Console, found: Results) -> None:
    """First seats down, second seats across by number: the score, green above one half and red below; the rounds."""
    values = {
        (str(row["p1_profile"]), str(row["p2_profile"])): (float(row["p1_score"]), float(row["avg_turns"]))
        for row in found.matrix.to_dict("records")
    }
    number = {agent: k + 1 for k, agent in enumerate(found.agents)}
    rows, columns = ([agent for agent in found.agents if any(key[seat] == agent for key in values)] for seat in (0, 1))
    screen.print(Text.assemble(("First seat's score, %", "bold"), (" and average rounds", "dim")))
    labels = {agent: f"{number[agent]} {agent}" for agent in rows}
    # Where the columns do not fit side by side, they stand below each other in parts, each with all the rows.
    widest = min(max(map(len, labels.values())), max(_LEAST_LABEL, screen.width - _EDGES - _LEAST_COLUMNS * _CELL))
    fitting = max(1, (screen.width - _EDGES - widest) // _CELL)
    parts = -(-len(columns) // fitting)
    size = -(-len(columns) // parts)
    for part in range(parts):
        across = columns[part * size : (part + 1) * size]
        table = _table("first seat", *(str(number[agent]) for agent in across))
        for agent in rows:
            table.add_row(Text(labels[agent]), *(_cell(values.get((agent, other))) for other in across))
        if parts > 1:
            first, last = (f"{number[agent]} {agent}" for agent in (across[0], across[-1]))
            screen.print(Text(f"second seats {first} to {last}", style="dim"))
        screen.print(table)


def show_summary(screen: Console, path: Path) -> None:
    """Where there is one seat: a row per setup and agent with the share won, its interval and the means."""
    import pandas as pd  # noqa: PLC0415  (see above)

    found = pd.read_csv(path)
    columns = [str(column) for column in found]
    setup = columns[: columns.index("agent")]
    means = [column for column in columns if column.startswith("mean_") and column != "mean_p1_decisions"]
    table = _table("agent", "games", "won, %", "interval", *(column.removeprefix("mean_") for column in means))
    for named, rows in found.groupby(setup, sort=False):
        table.add_row(Text(" ".join(map(str, named)), style="bold"))
        for row in rows.to_dict("records"):
            interval = f"{_percent(row['low'])} to {_percent(row['high'])}"
            cells = [f"{row[column]:.1f}" for column in means]
            table.add_row(Text(str(row["agent"])), str(row["games"]), _percent(row["score"]), interval, *cells)
    screen.print(Text.assemble(("Games won", "bold"), (" with their interval, and means per game", "dim")))
    screen.print(table)


def _cell(value: tuple[float, float] | None) -> Text:
    if value is None:
        return Text("")
    score, turns = value
    return Text.assemble((f"{100 * score:.1f}", shade(score)), "\n", (f"{turns:.1f}", "dim"))


def shade(score: float) -> str:
    """Green above one half, red below, bold beyond three quarters: colours that every terminal adapts to its ground."""
    if abs(score - 0.5) < 0.02:
        return ""
    colour = "green" if score > 0.5 else "red"
    return f"bold {colour}" if abs(score - 0.5) > 0.25 else colour


def show_ratings(screen: Console, found: Results) -> None:
    """Elo with intervals, best first; the share in the Nash mixture is on the page."""
    if not len(found.ratings):
        return
    screen.print(Text("Ratings", style="bold"))
    table = _table("agent", "Elo", "95 % interval", "score", "games")
    for row in found.ratings.to_dict("records"):
        interval = f"{row['low']:+.0f} to {row['high']:+.0f}"
        table.add_row(Text(row["agent"]), f"{round(row['elo']):+d}", interval, f"{row['score']:.1%}", f"{row['games']}")
    screen.print(table)


def show_test(screen: Console, found: Results) -> None:
    """What the sequential test decided, where there was one."""
    if "sprt" in found.manifest:
        from planner.arena.tournament.early_stopping import describe_sprt  # noqa: PLC0415

        screen.print(
            Text.assemble(("SPRT ", "bold"), describe_sprt(found.manifest["sprt"], found.agents)), soft_wrap=True
        )


def show_seats(screen: Console, found: Results) -> None:
    """What the first seat is worth, over all games and to each agent."""
    seat, decks = found.first_seat.score, found.seat_decks()
    screen.print(Text("First seat", style="bold"))
    table = _table("agent", "first", "second", "difference", "95 % interval", "mirror")
    for row in found.first_player_advantage().to_dict("records"):
        interval = "" if math.isnan(row["low"]) else f"{100 * row['low']:+.1f} to {100 * row['high']:+.1f}"
        shown = [_percent(row["first_score"]), _percent(row["second_score"]), _percent(row["difference"], "+.1f")]
        table.add_row(Text(row["agent"]), *shown, interval, _percent(row["mirror_score"]))
    screen.print(table)
    known = f", always with {decks[0]} against {decks[1]}" if decks else ""
    words = f"The first seat scores {seat.estimate:.1%} ({seat.low:.1%} to {seat.high:.1%}) of all games{known}."
    screen.print(Text(words))
    screen.print()


def show_comparison(screen: Console, comparison: Comparison) -> None:
    """Rank correlations with the thesis's table, and where it is farthest away."""
    wins, turns = comparison.wins, comparison.turns
    screen.print(Text(f"Against the thesis's table, {len(comparison.table)} pairings", style="bold"))
    table = _table("", "Spearman", "Pearson", "mean difference")
    table.add_row("wins", f"{wins.spearman:.3f}", f"{wins.pearson:.3f}", f"{100 * wins.mean_difference:.1f} points")
    table.add_row("rounds", f"{turns.spearman:.3f}", f"{turns.pearson:.3f}", f"{turns.mean_difference:.2f} rounds")
    screen.print(table)
    screen.print(f"The same seat is the favourite in {comparison.favourites:.0%} of them. The largest differences:")
    table = _table("first seat", "second seat", "here", "thesis", "difference")
    for value, factor, unit in (("score", 100, "%"), ("turns", 1, " rounds")):
        for row in comparison.largest(value, _DIFFERENCES).to_dict("records"):
            shown = [f"{factor * row[column]:.1f}{unit}" for column in (value, f"other_{value}")]
            table.add_row(Text(row["p1"]), Text(row["p2"]), *shown, f"{factor * row[f'{value}_difference']:+.1f}")
        table.add_section()
    screen.print(table)


def _table(*headers: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for k, header in enumerate(headers):
        words = k == 0 or header.endswith("seat")
        table.add_column(header, justify="left" if words else "right", no_wrap=not words, overflow="fold")
    return table


def _percent(value: float, form: str = ".1f") -> str:
    return "" if math.isnan(value) else format(100 * value, form)
