"""`planner schema`, and the part of `planner check` that looks at files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from planner.cli.common import examples, one_line
from planner.errors import PlannerError
from planner.formats.documents import read_text
from planner.game import AnyGame
from planner.games import DEFAULT, load_game


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(
        epilog=examples(
            "planner schema cards > cards.schema.json",
            "planner schema experiment",
            "planner schema cards --game spire",
        )
    )(schema)


def schema(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="cards, deck, rules, profile, experiment, scenario.")],
    of: Annotated[str, typer.Option("--game", metavar="GAME", help="Whose files, or module:GAME.")] = DEFAULT,
) -> None:
    """Print the JSON schema of a kind of file, for editors.

    What the reader takes is valid. A schema cannot say all that the reader
    checks, such as whether a card exists: `planner check FILE` does.
    """
    from planner.arena.tournament.experiment_file import named_kind  # noqa: PLC0415  (other commands need no schemas)
    from planner.formats.json_schema import DRAFT  # noqa: PLC0415

    found = named_kind(load_game(of, [os.getcwd()]), kind)
    title = f"{found.name} ({found.game}), as planner reads it"
    typer.echo(json.dumps({"$schema": DRAFT, "title": title, **found.schema()}, indent=2, ensure_ascii=False))


def check_file(out: Console, path: Path, of: AnyGame, rules: str, kind: str) -> bool:
    """Say what kind of file it is, what is in it, and all that is wrong with it; is it good?"""
    from planner.arena.tournament.experiment_file import find_kind  # noqa: PLC0415  (see above)

    read_text(path)  # what is not there is refused; what is there is judged
    try:
        found = find_kind(path, of, kind)
    except PlannerError as error:
        _faults(out, error)
        return False
    whose = "" if found.game == of.name == DEFAULT else f" ({found.game})"
    out.print(Text.assemble(f"{path}: ", (f"{found.name}{whose}", "bold")), soft_wrap=True)
    try:
        lines = found.read(path, rules)
    except PlannerError as error:
        _faults(out, error)
        return False
    for line in lines:
        out.print(Text(f"  {one_line(line)}"), soft_wrap=True)
    out.print(Text("  all right", style="green"))
    return True


def _faults(out: Console, error: PlannerError) -> None:
    for fault in error.problems:
        out.print(Text(f"  {one_line(fault)}", style="red"), soft_wrap=True)
    if len(error.problems) > 1:
        out.print(f"  {len(error.problems)} faults")
