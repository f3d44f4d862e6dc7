"""`planner bench growth` and `planner bench memory`: what happens when there is more of it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from planner.bench import growth as bench_growth
from planner.bench.benchmark_positions import RECORDED_SETS, load_positions
from planner.bench.speed import to_csv
from planner.cli.bench_turns import bench_table, watch
from planner.cli.common import NoColor, console, examples, write_text
from planner.errors import PlannerError
from planner.games.hearthstone.turn.turn_plan import plan_turn


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(
        epilog=examples(
            "planner bench growth --out growth.png",
            "planner bench growth --series board --states 20 --time-limit 0.1 --csv growth.csv",
        )
    )(growth)
    app.command(epilog=examples("planner bench memory", "planner bench memory --turns 20000"))(memory)


def growth(
    out: Annotated[Path | None, typer.Option(metavar="PLOT.png", help="Draw it there; needs matplotlib.")] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Write the table there, too.")] = None,
    solvers: Annotated[str, typer.Option(metavar="A,B", help="Who plans.")] = "auto,highs",
    series: Annotated[
        str, typer.Option(metavar="A,B", help=f"What grows: {', '.join(bench_growth.SERIES)}.")
    ] = ",".join(bench_growth.SERIES),
    states: Annotated[int, typer.Option(min=1, help="Random turns of each size.")] = 7,
    time_limit: Annotated[float, typer.Option(min=0.001, help="Seconds, for the second of two tries.")] = 0.5,
    patience: Annotated[
        float, typer.Option(min=0.001, help="Seconds for the first try; after a size where none ends, it is left out.")
    ] = 10.0,
    no_color: NoColor = False,
) -> None:
    """The time for a turn against board and hand, to twice the limits.

    Every turn is planned to the end, and once more with a time limit: then
    the plan comes with a bound. The gap is between the two, in percent of
    what the best plan could gain over ending the turn: 0 is proved, 100 is
    no better than ending the turn.
    """
    wanted = [name.strip() for name in series.split(",")]
    for name in wanted:
        if name not in bench_growth.SERIES:
            raise PlannerError(f"--series: {name!r} is not one of {', '.join(bench_growth.SERIES)}")
    if out is not None and importlib.util.find_spec("matplotlib") is None:
        raise PlannerError("--out needs the package matplotlib, which is not installed")
    screen = console(no_color)
    names = [name.strip() for name in solvers.split(",")]
    steps = list(watch(screen, bench_growth.measure_growth(names, states, time_limit, patience, wanted), None, "sizes"))
    table = bench_table("series", "size", "solver", "limit", "proved", "median s", "p95", "longest", "gap %")
    for step in steps:
        _, size, _, limit, count, proved, median, p95, longest, _, gap = step.row()
        cells = [f"{cell:.3f}" for cell in (median, p95, longest)]
        table.add_row(
            step.series, str(size), step.solver, str(limit), f"{proved}/{count}", *cells, f"{100 * float(gap):.2f}"
        )
    screen.print(Text("median and p95 are processor time, the longest is wall time, the gap is the largest"))
    screen.print(table)
    if csv is not None:
        write_text(csv, to_csv(bench_growth.COLUMNS, (step.row() for step in steps)))
    if out is not None:
        bench_growth.plot_growth(steps, out)


def memory(
    turns: Annotated[int, typer.Option(min=10, help="How many turns to plan.")] = 5000,
    states: Annotated[str, typer.Option(metavar="SET", help=f"{', '.join(RECORDED_SETS)}, or a file.")] = ("recorded"),
    no_color: NoColor = False,
) -> None:
    """The memory of the process while it plans turn after turn.

    It should rise while things are loaded and tables are filled, in the
    first tenth or so, and stay flat from then on.
    """
    screen = console(no_color)
    positions = load_positions(states)
    table = bench_table("turns", "MB")
    step = turns // 10
    for number in watch(screen, range(turns), turns, "turns"):
        position = positions[number % len(positions)]
        plan_turn(position.state, position.weights)
        if (number + 1) % step == 0:
            table.add_row(str(number + 1), f"{resident() / 2**20:.1f}")
    screen.print(table)


def resident() -> int:
    """Bytes of memory that this process holds now; where the system does not tell, the most that it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        import resource  # noqa: PLC0415  (not everywhere)

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * 4096
