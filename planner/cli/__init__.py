"""The command line: parse, call the library, print, and turn refusals into one line.

One module for each group of commands, which is imported when one of them is called: nobody waits for the others.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from planner.cli.common import EXIT_INTERRUPTED, EXIT_REFUSED, one_line
from planner.errors import PlannerError

# Every command in the order of the help: the module of this folder whose `register` adds it, and what it does in a
# line, which is the first of its own help.
COMMANDS: Final = {
    "play": ("matches", "Play one match and show it turn by turn."),
    "replay": ("matches", "Check the log of a match, or a game of a tournament."),
    "plan": ("planning", "Find the best legal turn, and prove that it is."),
    "weights": ("planning", "Show weight profiles side by side, with their hard rules and habits."),
    "solvers": ("planning", "Show which solvers are installed, and whether they work here."),
    "engine": ("engine", "Plan turns over standard input and output, for bots in any language."),
    "tournament": ("tournament", "Play all games of an experiment file and write the tables."),
    "tune": ("tune", "Look for weights that win: CMA-ES, scored by games against a league."),
    "check": ("check", "Try an agent of yours as a tournament would, or read a file of yours."),
    "compare": ("compare", "Say what a change of cards, rules or a deck does to matches."),
    "schema": ("files", "Print the JSON schema of a kind of file, for editors."),
    "report": ("reporting", "Show what a tournament found, and write its report page."),
    "decks": ("library", "List decks, or read and write deck codes of the real game."),
    "cards": ("library", "List the cards, or those that hold all of these words."),
    "review": ("review", "Review matches of the real game from the client's log."),
    "watch": ("review", "Follow a log that is being written, and print the plan at the start of each own turn."),
    "meta": ("meta", "Show what others play: decks in clusters, and what an opponent is likely to hold."),
    "generate": ("battles", "Make cards from a grammar, as YAML."),
    "playtest": ("battles", "Add each card of a file to a deck, and show what that changes."),
    "serve": ("serve", "Answer requests for plans over HTTP, on this machine only unless told otherwise."),
    "bench": ("bench", "Measure how fast this machine is."),
}


class _Loaded(Mapping[str, Any]):
    """The commands by name; one is loaded when somebody asks for it."""

    def __getitem__(self, name: str) -> Any:
        return _commands_of(COMMANDS[name][0])[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@cache
def _commands_of(module: str) -> Mapping[str, Any]:
    found = typer.Typer(rich_markup_mode="rich")
    import_module(f"planner.cli.{module}").register(found)
    return typer.main.get_group(found).commands


class _Planner(TyperGroup):
    """`planner` itself. Its help is plain text from the table above: what draws boxes takes longer to import."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = _Loaded()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  (as typer calls it)
        """Without loading them."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """From the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Line by line, where typer would make a paragraph of them."""
        formatter.write(f"\n{_EXAMPLES}\n")


app = typer.Typer(
    name="planner",
    cls=_Planner,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_EXAMPLES: Final = """Examples:
  planner play mage warrior --seed 7
  planner plan state.json
  planner plan --help"""


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # noqa: PLC0415  (a while, for this alone)

        typer.echo(f"planner {version('turn-planner')}")
        raise typer.Exit


@app.callback(epilog=_EXAMPLES)
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
    if arguments is None:  # the program itself: what it loads stays, and need not be looked through on the way
        gc.set_threshold(50_000)
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if (wrong := next((one for one in given if "\0" in one), None)) is not None:  # in no name of a file
            raise PlannerError(f"{wrong!r}: a NUL is no part of an argument")
        code = app(args=given or ["--help"], prog_name="planner", standalone_mode=False)
        sys.stdout.flush()
        if not given:
            return EXIT_REFUSED
        return code if isinstance(code, int) else 0
    except (PlannerError, typer.TyperException) as error:
        message = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        if message:  # a bare `planner bench` has shown its help instead
            typer.echo(f"error: {one_line(message)}", err=True)
        return EXIT_REFUSED
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader (`| head`) has seen enough. Python would complain once more while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
