"""`planner bench turns` and `planner bench games`: the planner against the thesis's program, on the same work."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Annotated, Final, TypeVar

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from planner import solvers as backends
from planner.bench import bench
from planner.bench.bench import REFERENCE, Contestant
from planner.bench.fresh import FRESH, fresh_positions
from planner.bench.states import SETS, Position, load_positions, spread, thesis_decks
from planner.cli.common import NoColor, console, examples, write_text
from planner.errors import PlannerError, did_you_mean
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.turn.hearthstone_weights import Weights, profile_names
from planner.planning.plan import AUTO, FORMULATIONS

_STARTING: Final = f"{AUTO}, {REFERENCE}, or a name from `planner solvers`"
RANDOM: Final = "random"
_FASTER: Final = "x: how many times faster than"
_Item = TypeVar("_Item")

SolverNames = Annotated[
    str, typer.Option(metavar="A,B", help=f"Only these: {_STARTING}; each comes in both formulations.")
]
OutFile = Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Write the table there, too.")]


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(
        epilog=examples(
            "planner bench turns",
            "planner bench turns --states crowded --solvers auto,highs,reference --out turns.csv",
            "planner bench turns --states texts --solvers auto,reference",
            "planner bench turns --states random --seed 7 --solvers auto,reference",
            "planner bench turns --states my_states.txt --limit 50",
        )
    )(turns)
    app.command(epilog=examples("planner bench games --seconds 30", "planner bench games --solvers auto,reference"))(
        games
    )


def turns(
    states: Annotated[
        str,
        typer.Option(
            metavar="SET",
            help=f"{', '.join(SETS)}; {RANDOM}, or one of {', '.join(f'{RANDOM}:{name}' for name in FRESH)}; or a file:"
            " a line is profile, tab, state.",
        ),
    ] = "recorded",
    seed: Annotated[int | None, typer.Option(help="Of random turns; drawn anew unless given.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="So many states: of a set, from all over it; of random ones, made.")
    ] = None,
    solvers: SolverNames = "",
    out: OutFile = None,
    no_color: NoColor = False,
) -> None:
    """Milliseconds a turn, for every formulation and solver.

    All plan the same turns on one core, each turn once, one after the other.
    The reference is the thesis's program as it was written, from the state
    as we have read it to its dictionary of decisions; it needs Gurobi. The
    others go from plain mappings, as a bot has them, to a certified plan.
    Times are processor time. On a busy machine only ratios count.

    The recorded turns are from matches with the thesis's decks, the crowded
    ones full boards, and those of texts from matches with the class decks,
    where cards do more than fight: the reference ignores what they do.
    Random turns are made when they are asked for: mixed ones of bodies with
    any numbers and keywords, crowded ones, and turns with texts of matches
    that are played for it.
    """
    screen = console(no_color)
    contestants = chosen(screen, solvers)
    rows: list[tuple[str | float, ...]] = []
    for title, positions in _sets(states, seed, limit):
        found = last(watch(screen, bench.measure_turns(contestants, positions), len(positions), "turns"))
        made = bench.turn_rows(found, contestants[0].name)
        screen.print(Text(f"{len(positions)} states, {title}; {_FASTER} {contestants[0].name}"), soft_wrap=True)
        table = bench_table("contestant", "mean ms", "p50", "p95", "p99", "max", "wall", "x mean", "x p95")
        for name, _, *times, faster_mean, faster_p95 in made:
            cells = [f"{float(cell):.2f}" for cell in times]
            table.add_row(str(name), *cells, f"{float(faster_mean):.2f}", f"{float(faster_p95):.2f}")
        screen.print(table)
        rows.extend((title, *row) for row in made)
    if out is not None:
        write_text(out, bench.to_csv(("states", *bench.TURN_COLUMNS), rows))


def _sets(states: str, seed: int | None, limit: int | None) -> Iterator[tuple[str, list[Position]]]:
    """The sets that are meant, by what they are called above their table."""
    kind, _, which = states.partition(":")
    if kind != RANDOM:
        if seed is not None:
            raise PlannerError(f"--seed: {seed} is for random states, and {states!r} are recorded ones")
        yield states, spread(load_positions(states), limit)
        return
    if which and which not in FRESH:
        raise PlannerError(f"--states: {which!r} is not one of {', '.join(FRESH)}")
    given = secrets.randbelow(10**6) if seed is None else seed
    for name in (which,) if which else FRESH:
        yield f"{RANDOM}:{name} of seed {given}", fresh_positions(name, given, limit)


def games(
    seconds: Annotated[float, typer.Option(min=0.1, max=36000, help="How long to play, about, all together.")] = 60.0,
    solvers: SolverNames = "",
    seed: Annotated[int, typer.Option(help="Of the first match; the next ones count on.")] = 1,
    out: OutFile = None,
    no_color: NoColor = False,
) -> None:
    """Whole matches per second, for every formulation and solver.

    The thesis's seven profiles play each other with its decks and rules, one
    match after the other on one core. Every contestant plays the same seeds
    in both seats. What is faster is faster in processor time for a match.
    """
    screen = console(no_color)
    rules = Ruleset.of("thesis")
    contestants = chosen(screen, solvers)
    base = contestants[0].name
    profiles = [Weights.of(name) for name in profile_names()]
    pairs = cycle([(first, second) for first in profiles for second in profiles])
    run = bench.measure_matches(contestants, pairs, thesis_decks(rules), rules, seed)
    rows = bench.match_rows(last(watch(screen, _until(run, seconds), None, "matches each")), base)
    screen.print(Text(f"{rows[0][1]} matches for each; {_FASTER} {base}"), soft_wrap=True)
    table = bench_table("contestant", "matches/s", "turns a match", "ms a turn", "wall matches/s", "x")
    for name, _, speed, length, turn, wall, faster in rows:
        table.add_row(str(name), f"{speed:.2f}", f"{length:.1f}", f"{turn:.2f}", f"{wall:.2f}", f"{faster:.2f}")
    screen.print(table)
    if out is not None:
        write_text(out, bench.to_csv(bench.MATCH_COLUMNS, rows))


def chosen(screen: Console, names: str) -> list[Contestant]:
    """Those who take part. The first is the one that the others are compared with: the reference if it can run."""
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    known = (REFERENCE, AUTO, *backends.names())
    for name in wanted:
        if name not in known:
            raise PlannerError(
                f"--solvers: {name!r} is not a contestant{did_you_mean(name, known)} ({', '.join(known)})"
            )
    found: list[Contestant] = []
    if not wanted or REFERENCE in wanted:
        from planner.solvers import reference  # noqa: PLC0415  (numpy)

        problem = reference.problem()
        if problem is None:
            found.append(bench.reference())
        else:
            screen.print(Text(f"without the reference: {problem}"), soft_wrap=True)
    if not wanted or AUTO in wanted:
        found.extend(bench.contestant(AUTO, formulation) for formulation in FORMULATIONS)
    for name in backends.installed():
        if wanted and name not in wanted:
            continue
        if problem := backends.get(name).usable():
            screen.print(Text(f"without {name}: {problem}"), soft_wrap=True)
            continue
        in_process = backends.info(name).in_process
        found.extend(bench.contestant(name, formulation, in_process) for formulation in FORMULATIONS)
    if not found:
        raise PlannerError(f"--solvers {names!r}: none of them can be used here")
    return found


def watch(screen: Console, steps: Iterable[_Item], total: int | None, what: str) -> Iterator[_Item]:
    """The steps, with a progress bar where there is a terminal."""
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        for step in steps:
            progress.advance(task)
            yield step


def last(steps: Iterable[_Item]) -> _Item:
    """The last of the steps, of which there is at least one."""
    *_, final = steps
    return final


def _until(steps: Iterable[_Item], seconds: float) -> Iterator[_Item]:
    end = perf_counter() + seconds
    for step in steps:
        yield step
        if perf_counter() >= end:
            return


def bench_table(first: str, *others: str) -> Table:
    """An empty table, whose first column holds names and the others numbers."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right")
    return table
