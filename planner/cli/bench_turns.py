"""`planner bench turns`, `games`, `growth` and `memory`: the speed of the planner and of the program of Guo 2025."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Final, TypeVar

import typer
from rich.console import Console
from rich.progress import track
from rich.text import Text

from planner import solvers as backends
from planner.api import plan_turn
from planner.bench import growth as growth_bench
from planner.bench import speed
from planner.bench.benchmark_positions import (
    GUO_PROFILES,
    RANDOM_SETS,
    RECORDED_SETS,
    Position,
    evenly_spaced,
    load_positions,
    random_positions,
    thesis_decks,
)
from planner.bench.speed import REFERENCE, Contestant
from planner.cli.console import comma_words, console, counted, csv_text, data_table, examples, write_text
from planner.errors import PlannerError, did_you_mean
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.planning.plan import AUTO
from planner.processes import resident_bytes

_SOLVER_NAMES: Final = f"{AUTO}, {REFERENCE}, or a name from `planner solvers`"
RANDOM: Final = "random"
COMPARED: Final = ("exact", "thesis")  # formulations
_SPEED_UP: Final = "x = speed-up over"
_Item = TypeVar("_Item")

SolverNames = Annotated[
    str, typer.Option(metavar="A,B", help=f"Only these: {_SOLVER_NAMES}; each in both formulations.")
]
OutFile = Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Also write the table to this file.")]


bench = typer.Typer(no_args_is_help=True)


@bench.command(
    epilog=examples(
        "planner bench turns",
        "planner bench turns --states crowded --solvers auto,highs,reference --out turns.csv",
        "planner bench turns --states texts --solvers auto,reference",
        "planner bench turns --states random --seed 7 --solvers auto,reference",
        "planner bench turns --states random:texts --profiles champion,aggro_face --solvers auto",
        "planner bench turns --states my_states.txt --limit 50",
    )
)
def turns(
    states: Annotated[
        str,
        typer.Option(
            metavar="SET",
            help=f"{', '.join(RECORDED_SETS)}; {RANDOM}, {', '.join(f'{RANDOM}:{name}' for name in RANDOM_SETS)}; or a"
            " file with one position per line: profile, tab, state.",
        ),
    ] = "recorded",
    seed: Annotated[int | None, typer.Option(help="Seed of random positions; a new one by default.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Number of positions: evenly spaced in a recorded set, or generated.")
    ] = None,
    profiles: Annotated[
        str, typer.Option(metavar="A,B", help="Plan every position with each of these profiles, not with its own.")
    ] = "",
    solvers: SolverNames = "",
    out: OutFile = None,
) -> None:
    """Measure milliseconds per turn for every formulation and solver.

    All contestants plan the same turns on one core, each turn once. They
    alternate after blocks of turns. The reference is the program of Guo
    2025, from a state that is already read to its dictionary of decisions;
    it needs Gurobi. The others go from plain mappings, as a bot has them,
    to a certified plan. Times are processor time. On a busy machine only
    ratios are meaningful.

    Recorded sets: `recorded` has turns of matches with the decks of Guo 2025,
    `crowded` has full boards, and `texts` has turns with card effects, which
    the reference ignores. Random sets are generated: `mixed` and `crowded`
    with vanilla minions, `texts` from matches with class decks.

    Where the turns have several profiles, a table for each profile follows.
    """
    screen = console()
    contestants = choose_contestants(screen, solvers)
    weights = [Weights.of(name) for name in comma_words(profiles, "--profiles")]
    rows: list[dict[str, Any]] = []
    base = contestants[0].name
    for title, own_positions in _sets(states, seed, limit):
        positions = [Position(other, own.state) for other in weights for own in own_positions] or own_positions
        times = last(watch(screen, speed.measure_turns(contestants, positions), len(positions), "turns"))
        by_profile = speed.times_by_profile(times, positions)
        parts = {title: times} | {f"{title}, {name}": part for name, part in by_profile.items() if len(by_profile) > 1}
        for label, part in parts.items():
            part_rows = speed.turn_rows(part, base)
            screen.print(Text(f"{counted(part_rows[0]['turns'], 'turn')}, {label}; {_SPEED_UP} {base}"), soft_wrap=True)
            titles = ("contestant", "mean ms", "p50", "p95", "p99", "max", "wall", "x mean", "x p95")
            screen.print(data_table(titles, [_cells(row) for row in part_rows]))
            rows.extend({"states": label, **row} for row in part_rows)
    _write(out, rows)


def _cells(row: dict[str, Any]) -> list[str]:
    """Return the name of a contestant and its numbers, without the count of turns or matches."""
    name, _, *numbers = row.values()
    return [name, *(f"{number:.2f}" for number in numbers)]


def _write(path: Path | None, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows as CSV, with four significant digits."""
    if path is not None:
        shown = [{key: f"{cell:.4g}" if isinstance(cell, float) else cell for key, cell in row.items()} for row in rows]
        write_text(path, csv_text(shown))


def _sets(states: str, seed: int | None, limit: int | None) -> Iterator[tuple[str, list[Position]]]:
    """Yield the title and the positions of each selected set."""
    kind, _, which = states.partition(":")
    if kind != RANDOM:
        if seed is not None:
            raise PlannerError(f"--seed: only random sets take a seed; {states!r} is not random")
        yield states, evenly_spaced(load_positions(states), limit)
        return
    if which and which not in RANDOM_SETS:
        raise PlannerError(f"--states: {which!r} is not a random set; must be one of {', '.join(RANDOM_SETS)}")
    chosen_seed = secrets.randbelow(10**6) if seed is None else seed
    for name in (which,) if which else RANDOM_SETS:
        yield f"{RANDOM}:{name} of seed {chosen_seed}", random_positions(name, chosen_seed, limit)


@bench.command(epilog=examples("planner bench games --seconds 30", "planner bench games --solvers auto,reference"))
def games(
    seconds: Annotated[float, typer.Option(min=0.1, max=36000, help="Approximate duration of the benchmark.")] = 60.0,
    solvers: SolverNames = "",
    seed: Annotated[int, typer.Option(help="Seed of the first match; it grows by 1 with each match.")] = 1,
    out: OutFile = None,
) -> None:
    """Measure matches per second for every formulation and solver.

    The seven profiles of Guo 2025 play each other with its decks and rules on
    one core. Every contestant plays the same seeds in both seats. Speed-ups
    compare the processor time per match.
    """
    screen = console()
    rules = Ruleset.of("thesis")
    contestants = choose_contestants(screen, solvers)
    base = contestants[0].name
    profiles = [Weights.of(name) for name in GUO_PROFILES]
    pairs = cycle([(first, second) for first in profiles for second in profiles])
    run = speed.measure_matches(contestants, pairs, thesis_decks(rules), rules, seed)
    rows = speed.match_rows(last(watch(screen, _until(run, seconds), None, "matches each")), base)
    screen.print(Text(f"{rows[0]['matches']} matches per contestant; {_SPEED_UP} {base}"), soft_wrap=True)
    titles = ("contestant", "matches/s", "turns/match", "ms/turn", "wall matches/s", "x")
    screen.print(data_table(titles, [_cells(row) for row in rows]))
    _write(out, rows)


def choose_contestants(screen: Console, names: str) -> list[Contestant]:
    """Return the selected contestants; the first is the baseline: the reference if it can run."""
    wanted = comma_words(names, "--solvers")
    known = (REFERENCE, AUTO, *backends.names())
    for name in wanted:
        if name not in known:
            raise PlannerError(
                f"--solvers: {name!r} is not a contestant{did_you_mean(name, known)} ({', '.join(known)})"
            )
    contestants: list[Contestant] = []
    if not wanted or REFERENCE in wanted:
        from planner.solvers import reference  # noqa: PLC0415  (numpy)

        problem = reference.problem()
        if problem is None:
            contestants.append(speed.reference_contestant())
        else:
            screen.print(Text(f"skipping reference: {problem}"), soft_wrap=True)
    if not wanted or AUTO in wanted:
        contestants.extend(speed.planner_contestant(AUTO, formulation) for formulation in COMPARED)
    for name in backends.installed():
        if wanted and name not in wanted:
            continue
        if problem := backends.get(name).usable():
            screen.print(Text(f"skipping {name}: {problem}"), soft_wrap=True)
            continue
        in_process = backends.info(name).in_process
        contestants.extend(speed.planner_contestant(name, formulation, in_process) for formulation in COMPARED)
    if not contestants:
        raise PlannerError(f"--solvers: none of {names!r} is available")
    return contestants


def watch(screen: Console, steps: Iterable[_Item], total: int | None, what: str) -> Iterable[_Item]:
    """Yield the steps, with a progress bar on a terminal."""
    return track(steps, what, total, console=screen, transient=True, disable=not screen.is_terminal)


def last(steps: Iterable[_Item]) -> _Item:
    """Return the last step."""
    *_, final = steps
    return final


def _until(steps: Iterable[_Item], seconds: float) -> Iterator[_Item]:
    end = perf_counter() + seconds
    for step in steps:
        yield step
        if perf_counter() >= end:
            return


# -- growth and memory


@bench.command(
    epilog=examples(
        "planner bench growth --out growth.csv --plot growth.png",
        "planner bench growth --series board --states 20 --time-limit 0.1",
    )
)
def growth(
    out: OutFile = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the times and the gaps.")] = None,
    solvers: Annotated[str, typer.Option(metavar="A,B", help="Solvers, separated by commas.")] = "auto,highs",
    series: Annotated[
        str, typer.Option(metavar="A,B", help=f"What grows: {', '.join(growth_bench.SERIES)}.")
    ] = ",".join(growth_bench.SERIES),
    states: Annotated[int, typer.Option(min=1, help="Random turns of each size.")] = 7,
    time_limit: Annotated[float, typer.Option(min=0.001, help="Seconds for the second of two attempts.")] = 0.5,
    patience: Annotated[
        float, typer.Option(min=0.001, help="Seconds for the first attempt; skipped after a size where none finishes.")
    ] = 10.0,
) -> None:
    """Measure how the time for a turn grows with board and hand, up to twice the limits.

    Every turn is planned to the end, and again with a time limit, which gives
    a plan and a bound. The gap is the difference between the two, in percent
    of what the best plan can gain over ending the turn: 0 is proved, 100 is
    no better than ending the turn.
    """
    chosen = comma_words(series, "--series")
    for name in chosen:
        if name not in growth_bench.SERIES:
            raise PlannerError(f"--series: {name!r} is not one of {', '.join(growth_bench.SERIES)}")
    screen = console()
    measured = growth_bench.measure_growth(comma_words(solvers, "--solvers"), states, time_limit, patience, chosen)
    rows = list(watch(screen, measured, None, "sizes"))
    shown = [
        (*(row[key] for key in ("series", "size", "solver", "time_limit")), f"{row['proved']}/{row['turns']}",
         *(f"{row[key]:.3f}" for key in ("cpu_median_s", "cpu_p95_s", "wall_max_s")), f"{100 * row['gap_max']:.2f}")
        for row in rows
    ]  # fmt: skip
    screen.print(Text("median and p95 are processor time, the longest is wall time, the gap is the largest"))
    titles = ("series", "size", "solver", "limit", "proved", "median s", "p95", "longest", "gap %")
    screen.print(data_table(titles, shown))
    _write(out, rows)
    if plot is not None:
        growth_bench.plot_growth(rows, plot)


@bench.command(epilog=examples("planner bench memory", "planner bench memory --turns 20000"))
def memory(
    turns: Annotated[int, typer.Option(min=10, help="How many turns to plan.")] = 5000,
    states: Annotated[
        str,
        typer.Option(
            metavar="SET", help=f"{', '.join(RECORDED_SETS)}, or a file; its turns are planned again and again."
        ),
    ] = "recorded",
) -> None:
    """Measure the memory of the process while it plans one turn after the other.

    The memory should rise during about the first tenth, while modules are loaded and
    tables are filled, and stay flat from then on.
    """
    screen = console()
    positions = load_positions(states)
    rows = []
    step = turns // 10
    for number in watch(screen, range(turns), turns, "turns"):
        position = positions[number % len(positions)]
        plan_turn(position.state, position.weights)
        if (number + 1) % step == 0:
            rows.append((number + 1, f"{resident_bytes() / 2**20:.1f}"))
    screen.print(data_table(("turns", "MB"), rows))
