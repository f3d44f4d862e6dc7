"""`planner bench serve`: the service under load."""

from __future__ import annotations

import os
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Final

import typer

from planner.cli.common import console, examples
from planner.errors import PlannerError

if TYPE_CHECKING:
    from planner.bench.server_load import LoadResult

_KILLING: Final = 5.0  # seconds


def register(bench: typer.Typer) -> None:
    """Add this module's command."""
    bench.command(
        epilog=examples(
            "planner bench serve", "planner bench serve --clients 8 --seconds 5", "planner bench serve --chaos"
        )
    )(serve)


def serve(
    clients: Annotated[int, typer.Option(min=1, max=1000, help="Who ask at the same time.")] = 64,
    seconds: Annotated[float, typer.Option(min=1, max=3600, help="For each run.")] = 60.0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Of the larger server; the smaller one has 1.")] = 2,
    states: Annotated[int, typer.Option(min=2, max=100_000, help="Different turns, half of them random.")] = 400,
    chaos: Annotated[
        bool, typer.Option("--chaos", help="Kill workers, leave early, send rubbish; the larger server only.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the random turns, and of the chaos.")] = 1,
) -> None:
    """Many clients at once: every answer right, none lost, and how fast.

    Recorded and random turns are planned in this process first, one after the
    other; then a server with one worker and one with more are asked for the
    same turns by all clients at once, over HTTP. Every answer must be the one
    that plan_turn gave. With --chaos a worker is killed every five seconds,
    and one request in a hundred each is abandoned or rubbish: only requests on
    a killed worker may fail, with 503. The clients run here too, and take
    their share of the machine.
    """
    from planner.bench.server_load import make_probes, run_load, server  # noqa: PLC0415  (asyncio takes a while to load)

    out = console()
    probes = make_probes(states, seed)
    mean = fmean(probe.seconds for probe in probes)
    alone = _quantiles([probe.seconds for probe in probes])
    out.print(f"plan_turn alone: {1 / mean:.0f} turns/s; {_times(alone)}; {os.cpu_count()} cores", soft_wrap=True)
    tallies = {}
    for count in (workers,) if chaos else dict.fromkeys((1, workers)):
        with server(count) as (process, port):
            interval = _KILLING if chaos else None
            tallies[count] = tally = run_load(process, port, probes, clients, seconds, interval, seed)
        out.print(_words(count, tally, mean, alone), soft_wrap=True)
        if not tally.faultless:
            raise PlannerError(f"bench serve: {len(tally.wrong)} wrong, {tally.lost} lost; {tally.wrong[:1]}")
    if len(tallies) == 2:
        out.print(f"{workers} workers answer {tallies[workers].rate / tallies[1].rate:.2f} times as many as one")


def _words(count: int, tally: LoadResult, mean: float, alone: Sequence[float]) -> str:
    found = _quantiles(tally.seconds)
    ratios = ", ".join(f"{mine / theirs:.1f}" for mine, theirs in zip(found, alone, strict=True))
    words = (
        f"{count} {'worker' if count == 1 else 'workers'}: {tally.rate:.0f} answers/s"
        f" ({tally.rate * mean:.2f} times alone); {_times(found)} ({ratios} times alone);"
        f" {tally.right} answers, all right, {tally.lost} lost"
    )
    if tally.killed:
        words += (
            f"; {tally.killed} workers killed, {tally.unavailable} of their requests failed with 503,"
            f" {tally.disconnected} clients disconnected, {tally.garbage} garbage requests rejected (422)"
        )
    return words


def _times(found: Sequence[float]) -> str:
    return ", ".join(f"{name} {1000 * value:.1f} ms" for name, value in zip(("p50", "p95", "p99"), found, strict=True))


def _quantiles(seconds: Sequence[float]) -> list[float]:
    ordered = sorted(seconds)
    return [ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.95, 0.99)]
