"""`planner spec`: the specification of Ha (2024), its type errors, and proofs about it."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from planner.cli.console import examples
from planner.errors import PlannerError, did_you_mean, quote
from planner.games.hearthstone.formal_model import FULL_BOUNDS, OPERATIONS, SMALL_BOUNDS, STATE, specification
from planner.specification.notation import format_specification
from planner.specification.type_checker import check_types

commands = typer.Typer()


@commands.command(
    epilog=examples(
        "planner spec",
        "planner spec SummonSuccess SummonRefused",
        "planner spec --printed --check",
        "planner spec --prove --quick",
        "planner spec --printed --prove",
    )
)
def spec(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[SCHEMA]...", help="Only these schemas; by default all.")
    ] = None,
    printed: Annotated[
        bool, typer.Option("--printed", help="The specification as printed; by default our correction.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="List the type errors, with schema and line.")] = False,
    prove: Annotated[
        bool, typer.Option("--prove", help="Prove what should hold, or show counterexamples. Needs the extra `spec`.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="With --prove: boards of 2 and decks of 3; seconds instead of minutes.")
    ] = False,
) -> None:
    """Print, check or prove the formal specification of the game.

    The specification is that of Ha (2024), in Z. Proofs cover all states with
    boards of up to 7 minions and decks of up to 30 cards. With --printed they
    read the printed text without its type errors, and are always quick.
    """
    if quick and not prove:
        raise PlannerError("--quick needs --prove")
    if names and (check or prove):
        raise PlannerError("--check and --prove cover the whole specification; leave out SCHEMA")
    if check:
        _check("printed" if printed else "corrected")
    if prove:
        _prove(printed, quick or printed)
    if not check and not prove:
        shown = specification("printed" if printed else "corrected")
        known = [paragraph.name for paragraph in shown.paragraphs if paragraph.kind != "conjecture"]
        for name in names or ():
            if name not in known:
                raise PlannerError(f"unknown schema {quote(name)}{did_you_mean(name, known)}")
        typer.echo(format_specification(shown, tuple(names or known)).rstrip())


def _check(version: str) -> None:
    problems = check_types(specification(version))
    for problem in problems:
        typer.echo(problem)
    typer.echo(f"{len(problems)} type errors in the {version} specification" if problems else "no type errors")
    if problems:
        raise typer.Exit(1)


def _prove(printed: bool, quick: bool) -> None:
    from planner.specification.prover import PROVED, Prover  # noqa: PLC0415  (an extra)

    bounds = SMALL_BOUNDS if quick else FULL_BOUNDS
    typer.echo("Bounds: " + ", ".join(f"{name} {bound}" for name, bound in bounds.items()))
    prover = Prover(specification("readable" if printed else "corrected"), STATE, OPERATIONS, bounds)
    counts: Counter[str] = Counter()
    for theorem in prover.theorems():
        counts[theorem.status] += 1
        typer.echo(theorem)
        for line in theorem.counterexample:
            typer.echo(f"  {line}")
    typer.echo(", ".join(f"{count} {status}" for status, count in counts.items()))
    if set(counts) != {PROVED}:
        raise typer.Exit(1)
