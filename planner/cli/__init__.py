"""The command line: parse, call the library, print, and turn refusals into one line.

One module for each group of commands; a new one is registered in the list below.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from planner.cli import battles, bench, library, matches, planning, reporting, tournament
from planner.cli.common import EXIT_INTERRUPTED, EXIT_REFUSED, examples, one_line
from planner.files import PlannerError

app = typer.Typer(
    name="planner",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (matches, planning, tournament, reporting, library, battles, bench):
    group.register(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  (a while, for this alone)

        typer.echo(f"planner {version('planner')}")
        raise typer.Exit


@app.callback(epilog=examples("planner play mage warrior --seed 7", "planner plan state.json", "planner plan --help"))
def _planner(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Card games, refereed and planned: turns, matches, cards and decks."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code: 0 done, 2 refused, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a sign shows a question mark instead
            stream.reconfigure(errors="replace")
    try:
        code = app(args=arguments, prog_name="planner", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except (PlannerError, typer.TyperException) as error:
        message = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        if message:  # a bare `planner` has shown its help instead
            typer.echo(f"error: {one_line(message)}", err=True)
        return EXIT_REFUSED
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader (`| head`) has seen enough. Python would complain once more while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
