"""`planner report`: the results of a tournament on the screen, and its report page and heatmaps as files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from planner.cli.console import AsCsv, AsJson, console, data_table, examples, json_text, print_rows

if TYPE_CHECKING:  # pandas and matplotlib take a second to import
    import pandas as pd

    from planner.arena.report.tournament_results import AnyResults, Comparison, MultiplayerResults, Results, SoloResults

commands = typer.Typer()

_DIFFERENCES = 5
_FAR = 0.1  # a difference of win rates that is listed in docs/explanation/reproduction.md
_WIDE = 60  # characters: narrower terminals get fewer columns
_CELL, _EDGES = 7, 3  # width in characters of a column of the matrix and of the table's edges
_MIN_LABEL, _MIN_COLUMNS = 12, 4  # long names are folded to leave room for this many columns


@commands.command(
    epilog=examples(
        "planner report results/quick", "planner report thesis --thesis", "planner report thesis --figures paper/"
    )
)
def report(
    results: Annotated[
        str, typer.Argument(metavar="RESULTS", help="A folder that a tournament wrote, or its name in results/.")
    ],
    thesis: Annotated[
        bool, typer.Option("--thesis", help="Compare with table 7.1 of Guo 2025: rank correlations, differences.")
    ] = False,
    figures: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="For papers: write figures (SVG, PDF) and tables (LaTeX) into FOLDER."),
    ] = None,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the results of a tournament, and write its report page.

    Prints the matrix (the score of the row's agent when it moves first, in
    percent, and the average number of rounds), the ratings, the decision of
    a sequential test and the advantage of moving first; with more than two
    seats, who finished ahead of whom, and the places. Writes report.html,
    which opens in a browser without a network, and the heatmaps wins.png and
    turns.png into the folder. --figures also writes every figure and table of
    the page for use in a paper; the LaTeX needs no packages.

    --json prints the tables as one object and writes nothing; --csv prints
    the matrix, or for a game of one seat the summary.
    """
    from planner.arena.report.tournament_results import (  # noqa: PLC0415  (see above)
        Results,
        find_results,
        guo_results,
        results_of,
    )

    screen, folder = console(), find_results(results)
    tables = results_of(folder)
    if as_json or as_csv:
        print_results(tables, as_csv)
        return
    comparison = tables.compare(guo_results()) if thesis and isinstance(tables, Results) else None
    show_tables(screen, tables)
    if isinstance(tables, Results):
        show_seats(screen, tables)
    if comparison is not None:
        show_comparison(screen, comparison)
    from planner.arena.report.report_files import write_figures, write_report  # noqa: PLC0415  (matplotlib)

    page, *images = write_report(tables, folder)
    screen.print(f"report: {page}", soft_wrap=True)
    screen.print(f"plots: {', '.join(map(str, images))}", soft_wrap=True)
    if figures is not None:
        names = [path.name for path in write_figures(tables, figures)]
        screen.print(f"figures and tables: {figures}/ ({', '.join(names)})", soft_wrap=True)


def print_results(results: AnyResults, as_csv: bool) -> None:
    """Print the tables of a run for other programs: all as JSON, or the main one as CSV."""
    from planner.arena.report.tournament_results import MultiplayerResults, SoloResults  # noqa: PLC0415  (see above)

    content: dict[str, Any] = {"name": results.name}
    if isinstance(results, SoloResults):
        tables = {"summary": results.summary}
    elif isinstance(results, MultiplayerResults):
        tables = {"matrix": results.matrix, "ratings": results.ratings, "places": results.places}
        tables["seats"] = results.by_seat
    else:
        tables = {"matrix": results.matrix, "ratings": results.ratings}
        tables["first_seat"] = results.first_player_advantage()
    if as_csv:
        print_rows(_records(next(iter(tables.values()))), as_csv=True)
        return
    if not isinstance(results, SoloResults):
        content |= {"agents": results.agents, "games": len(results.games)}
    sprt = {"sprt": results.manifest["sprt"]} if "sprt" in results.manifest else {}
    typer.echo(json_text({**content, **{key: _records(table) for key, table in tables.items()}, **sprt}, indent=2))


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as JSON values; a number that is not known is null."""
    rows: list[dict[str, Any]] = json.loads(table.to_json(orient="records", double_precision=10))
    return rows


def show_tables(screen: Console, results: AnyResults) -> None:
    """Print the main tables of a run."""
    from planner.arena.report.tournament_results import MultiplayerResults, SoloResults  # noqa: PLC0415  (see above)

    if isinstance(results, SoloResults):
        show_summary(screen, results)
        return
    if isinstance(results, MultiplayerResults):
        show_places(screen, results)
    else:
        show_matrix(screen, results)
    show_ratings(screen, results.ratings)
    show_sprt(screen, results.manifest, results.agents)


def show_places(screen: Console, results: MultiplayerResults) -> None:
    """Print who finished ahead of whom, and the places, of a game of more than two seats."""
    values: dict[tuple[str, str], tuple[float, ...]] = {
        (str(row["agent"]), str(row["opponent"])): (float(row["score"]),) for row in results.matrix.to_dict("records")
    }
    screen.print(Text.assemble(("Row agent finished ahead of the column agent, %", "bold")))
    _print_square(screen, values, results.agents, "agent", "opponents")
    screen.print(Text("Places", style="bold"))
    counts = [column for column in results.places.columns if column.startswith("place_")]
    rows = []
    for row in results.places.to_dict("records"):
        interval = f"{_percent(row['low'])} to {_percent(row['high'])}"
        taken = [row[column] for column in counts]
        rows.append((row["agent"], _percent(row["score"]), interval, f"{row['mean_place']:.2f}", *taken))
    places = (column.replace("_", " ") for column in counts)
    _print_table(screen, ("agent", "score", "95 % interval", "mean place", *places), rows)


def show_matrix(screen: Console, results: Results) -> None:
    """Print the matrix: first seats down, second seats across by number; scores above one half are green."""
    values: dict[tuple[str, str], tuple[float, ...]] = {
        (str(row["p1_profile"]), str(row["p2_profile"])): (float(row["p1_score"]), float(row["avg_turns"]))
        for row in results.matrix.to_dict("records")
    }
    screen.print(Text.assemble(("Row agent's score when moving first, %", "bold"), (" and average rounds", "dim")))
    _print_square(screen, values, results.agents, "first seat", "second seats")


def _print_square(
    screen: Console,
    values: Mapping[tuple[str, str], tuple[float, ...]],
    agents: Sequence[str],
    down: str,
    across_title: str,
) -> None:
    """Print a square table of a score and, below it, further numbers; the columns have the agents' numbers."""
    number = {agent: k + 1 for k, agent in enumerate(agents)}
    rows, columns = ([agent for agent in agents if any(key[seat] == agent for key in values)] for seat in (0, 1))
    if not rows:
        return
    labels = {agent: f"{number[agent]} {agent}" for agent in rows}
    # Columns that do not fit side by side are printed below each other in parts, each with all rows.
    widest = min(max(map(len, labels.values())), max(_MIN_LABEL, screen.width - _EDGES - _MIN_COLUMNS * _CELL))
    fitting = max(1, (screen.width - _EDGES - widest) // _CELL)
    parts = -(-len(columns) // fitting)
    size = -(-len(columns) // parts)
    for part in range(parts):
        across = columns[part * size : (part + 1) * size]
        if parts > 1:
            first, last = (f"{number[agent]} {agent}" for agent in (across[0], across[-1]))
            screen.print(Text(f"{across_title} {first} to {last}", style="dim"))
        cells = [(labels[agent], *(_cell(values.get((agent, other))) for other in across)) for agent in rows]
        _print_table(screen, (down, *(str(number[agent]) for agent in across)), cells)


def show_summary(screen: Console, results: SoloResults) -> None:
    """Print the summary of a game with one seat: the share won with its interval, and means per game."""
    titles = ("agent", "games", "won, %", "interval", *results.measures)
    cells: list[Sequence[object]] = []
    for named, rows in results.summary.groupby(results.setup_columns, sort=False):
        cells.append((Text(" ".join(map(str, named)), style="bold"), *[""] * (len(titles) - 1)))
        for row in rows.to_dict("records"):
            interval = f"{_percent(row['low'])} to {_percent(row['high'])}"
            numbers = [f"{row[f'mean_{name}']:.1f}" for name in results.measures]
            cells.append((row["agent"], row["games"], _percent(row["score"]), interval, *numbers))
    screen.print(Text.assemble(("Games won", "bold"), (" with their interval, and means per game", "dim")))
    _print_table(screen, titles, cells)


def _cell(value: tuple[float, ...] | None) -> Text:
    if value is None:
        return Text("")
    score, *others = value
    return Text.assemble((f"{100 * score:.1f}", shade(score)), *((f"\n{other:.1f}", "dim") for other in others))


def shade(score: float) -> str:
    """Return the style of a score: green above one half, red below, bold beyond three quarters."""
    if abs(score - 0.5) < 0.02:
        return ""
    colour = "green" if score > 0.5 else "red"
    return f"bold {colour}" if abs(score - 0.5) > 0.25 else colour


def show_ratings(screen: Console, ratings: pd.DataFrame) -> None:
    """Print Elo ratings with intervals, best first."""
    if not len(ratings):
        return
    screen.print(Text("Ratings", style="bold"))
    rows = []
    for row in ratings.to_dict("records"):
        interval = f"{row['low']:+.0f} to {row['high']:+.0f}"
        rows.append((row["agent"], f"{round(row['elo']):+d}", interval, f"{row['score']:.1%}", row["games"]))
    titles = ("agent", "Elo", "95 % interval", "score", "games")
    _print_table(screen, titles, rows, wide=("95 % interval", "games"))


def show_sprt(screen: Console, manifest: Mapping[str, Any], agents: Sequence[str]) -> None:
    """Print the decision of each sequential test."""
    from planner.arena.tournament.early_stopping import describe_sprt, sprt_tests  # noqa: PLC0415

    for test in sprt_tests(manifest, agents):
        screen.print(Text.assemble(("SPRT ", "bold"), describe_sprt(test)), soft_wrap=True)


def show_seats(screen: Console, results: Results) -> None:
    """Print the advantage of the first seat, for each agent and over all games."""
    seat, decks = results.first_seat.score, results.seat_decks()
    screen.print(Text("First seat", style="bold"))
    rows = []
    for row in results.first_player_advantage().to_dict("records"):
        interval = "" if math.isnan(row["low"]) else f"{100 * row['low']:+.1f} to {100 * row['high']:+.1f}"
        scores = _percent(row["first_score"]), _percent(row["second_score"]), _percent(row["difference"], "+.1f")
        rows.append((row["agent"], *scores, interval, _percent(row["mirror_score"])))
    wide = ("difference", "95 % interval", "mirror")
    _print_table(screen, ("agent", "first", "second", *wide), rows, wide)
    known = f", always with {decks[0]} against {decks[1]}" if decks else ""
    words = f"The first seat scores {seat.estimate:.1%} ({seat.low:.1%} to {seat.high:.1%}) of all games{known}."
    screen.print(Text(words))
    screen.print()


def show_comparison(screen: Console, comparison: Comparison) -> None:
    """Print the rank correlations with the table of Guo 2025, and the largest differences."""
    wins, turns = comparison.wins, comparison.turns
    screen.print(Text(f"Compared with the table of Guo 2025, {len(comparison.table)} pairings", style="bold"))
    rows: list[Sequence[object]] = [
        ("wins", f"{wins.spearman:.3f}", f"{wins.pearson:.3f}", f"{100 * wins.mean_difference:.1f} points"),
        ("rounds", f"{turns.spearman:.3f}", f"{turns.pearson:.3f}", f"{turns.mean_difference:.2f} rounds"),
    ]
    _print_table(screen, ("", "Spearman", "Pearson", "mean difference"), rows)
    far = int((comparison.table["score_difference"].abs() > _FAR).sum())
    here, there = (comparison.table[column].mean() for column in ("turns", "other_turns"))
    screen.print(f"A game takes {here:.1f} rounds on average, {there:.1f} in Guo 2025.")
    screen.print(f"{far} pairings differ by more than {100 * _FAR:.0f} points.")
    screen.print(
        f"The same seat is the favourite in {comparison.favourites:.0%} of the pairings. The largest differences:"
    )
    rows = []
    for value, factor, unit in (("score", 100, "%"), ("turns", 1, " rounds")):
        for row in comparison.largest(value, _DIFFERENCES).to_dict("records"):
            shown = [f"{factor * row[column]:.1f}{unit}" for column in (value, f"other_{value}")]
            rows.append((row["p1"], row["p2"], *shown, f"{factor * row[f'{value}_difference']:+.1f}"))
    _print_table(screen, ("first seat", "second seat", "here", "Guo 2025", "difference"), rows)


def _print_table(
    screen: Console, titles: Sequence[str], rows: Sequence[Sequence[object]], wide: Sequence[str] = ()
) -> None:
    """Print a table; a narrow terminal, on which names would be broken, does not get the columns `wide`."""
    shown = [index for index, title in enumerate(titles) if screen.width >= _WIDE or title not in wide]
    cells = [[row[index] for index in shown] for row in rows]
    screen.print(data_table([titles[index] for index in shown], cells, whole_numbers=True))


def _percent(value: float, form: str = ".1f") -> str:
    return "" if math.isnan(value) else format(100 * value, form)
