"""The command line: parse the arguments, call the library, print the result, and turn errors into one line.

Each module of this folder has some `commands`. It is imported when one of them is called, so that a command does not
wait for the imports of the others.
"""

from __future__ import annotations

import codecs
import errno
import gc
import math
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperGroup, TyperOption

from planner.cli.console import EXIT_INTERRUPTED, EXIT_REFUSED, NO_COLOR, interruptible, is_plain, one_line
from planner.errors import PlannerError


class CommandInfo(NamedTuple):
    """One command of `planner`: the module that registers it, and the first line of its help."""

    module: str
    summary: str


# By group, in the order of the help.
GROUPS: Final = {
    "Plan": {
        "plan": CommandInfo("plan_command", "Find the best legal turn, and prove that it is."),
        "weights": CommandInfo("list_commands", "Show weight profiles side by side, with their rules and options."),
    },
    "Play and watch": {
        "play": CommandInfo("match_commands", "Play one match and show it turn by turn."),
        "replay": CommandInfo("match_commands", "Check the log of a match, or the games of a tournament."),
        "review": CommandInfo("review_command", "Review matches of the real game from the client's log."),
        "watch": CommandInfo(
            "review_command", "Follow the client's log, and print the plan at the start of each own turn."
        ),
    },
    "Studies": {
        "tournament": CommandInfo("experiment_commands", "Play all games of an experiment file and write the tables."),
        "report": CommandInfo("report_command", "Show the results of a tournament, and write its report page."),
        "tune": CommandInfo(
            "experiment_commands", "Search for weights that win: CMA-ES, scored by games against a league."
        ),
        "compare": CommandInfo("design_commands", "Measure how a change of cards, rules or a deck affects matches."),
        "grade": CommandInfo(
            "grade_command", "Count the points that agents lose per turn against the proved best turn."
        ),
        "run": CommandInfo("run_command", "Play chains of battles: health carries over, and the deck grows."),
        "meta": CommandInfo("meta_commands", "Analyse a metagame: clusters of decks, and likely cards."),
    },
    "Cards and decks": {
        "cards": CommandInfo("card_commands", "List the cards, or those that contain all of these words."),
        "decks": CommandInfo("card_commands", "List decks, or read and write deck codes of the real game."),
        "generate": CommandInfo("design_commands", "Generate cards from a grammar, as YAML."),
        "playtest": CommandInfo("design_commands", "Add each card of a file to a deck, and show what that changes."),
    },
    "Service": {
        "serve": CommandInfo("serve_commands", "Answer requests for plans over HTTP, by default only locally."),
        "engine": CommandInfo(
            "serve_commands", "Answer requests over standard input and output, for bots in any language."
        ),
        "mcp": CommandInfo(
            "serve_commands", "Let an assistant plan, by the Model Context Protocol over standard input and output."
        ),
    },
    "Tools": {
        "check": CommandInfo("check_command", "Try your agent as a tournament would, or check a file."),
        "schema": CommandInfo("check_command", "Print the JSON schema of a kind of file, for editors."),
        "spec": CommandInfo("spec_command", "Print, check or prove the formal specification of the game."),
        "solvers": CommandInfo("list_commands", "Show which solvers are installed, and whether they work."),
        "bench": CommandInfo("bench_commands", "Measure how fast this machine is."),
    },
}
COMMANDS: Final = {name: info for entries in GROUPS.values() for name, info in entries.items()}
_ASCII_FALLBACK: Final = "planner.ascii"
_NUMBER_TYPES: Final = {"int range": "integer", "float range": "number"}  # names in "'x' is not a valid ..."
_ASCII: Final = {
    **dict.fromkeys("╔╗╚╝╭╮╰╯┌┐└┘├┤┬┴┼", "+"), **dict.fromkeys("═─━╌", "-"), **dict.fromkeys("║│┃", "|"),
    **dict(zip("▁▂▃▄▅▆▇█", "12345678", strict=True)),
    "–": "-", "−": "-", "→": "->", "×": "x", "…": "...", "’": "'", "“": '"', "”": '"', "✓": "x", "•": "*",
}  # fmt: skip
# What rich would take for a style tag in a help text, such as `[DECK]`.
_MARKUP: Final = re.compile(r"(\\*)(\[[a-z#/@].*?])", re.IGNORECASE)


class _LazyCommands(Mapping[str, Any]):
    """The commands by name; each is loaded when it is looked up."""

    def __getitem__(self, name: str) -> Any:
        return _commands_of(COMMANDS[name].module)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


@cache
def _commands_of(module: str) -> Mapping[str, Any]:
    group = typer.main.get_group(import_module(f"planner.cli.{module}").commands)
    for command in group.commands.values():
        _prepare(command)
    return group.commands


def _prepare(command: Any) -> None:
    """Do what typer leaves out, for a command and its subcommands.

    Brackets in the help are escaped: rich would swallow `[DECK]` as a style. Options refuse `nan`. Every command takes
    --no-color.
    """
    children = getattr(command, "commands", {}).values()
    if not children:
        command.params.append(
            TyperOption(
                param_decls=["--no-color"],
                is_flag=True,
                default=False,
                expose_value=False,
                callback=lambda _context, _parameter, wanted: NO_COLOR.set(wanted),
                help="Plain text, also on a terminal.",
            )
        )
    command.help = _escaped(command.help)
    for parameter in command.params:
        parameter.help = _escaped(getattr(parameter, "help", None))
        parameter.callback = parameter.callback or _refuse_nan
        if parameter.type.name in _NUMBER_TYPES:
            parameter.type.name = _NUMBER_TYPES[parameter.type.name]
    for child in children:
        _prepare(child)


def _escaped(text: str | None) -> str | None:
    return text if text is None else _MARKUP.sub(r"\1\1\\\2", text)


def _refuse_nan(_context: Any, parameter: Any, value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        raise typer.BadParameter("must be a number, got nan", param=parameter)
    return value


class _Planner(TyperGroup):
    """The command `planner`. Its help is plain text from the table above: importing rich would take longer."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = _LazyCommands()

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  (as typer calls it)
        """Return the names without loading the commands."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the commands in groups."""
        for group, entries in GROUPS.items():
            with formatter.section(group):
                formatter.write_dl([(name, info.summary) for name, info in entries.items()])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write the examples line by line; typer would make one paragraph of them."""
        formatter.write(f"\n{_EXAMPLES}\n")


app = typer.Typer(
    name="planner",
    cls=_Planner,
    add_completion=True,
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
        from importlib.metadata import version  # noqa: PLC0415  (slow, and only this option needs it)

        typer.echo(f"planner {version('turn-planner')}")
        raise typer.Exit


@app.callback(epilog=_EXAMPLES)
def _planner(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Plan turns of card games, play matches and run tournaments."""


def _style_help(plain: bool) -> None:
    """Set whether the help of a command has colours. With its own NO_COLOR, rich would keep bold and dim."""
    from typer import rich_utils  # noqa: PLC0415  (only the help of a command needs it)

    rich_utils.COLOR_SYSTEM = None if plain else "auto"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 2 refused, 130 interrupted."""
    if sys.stdout is None:  # closed by the caller: `planner plan STATE >&-`
        typer.echo("error: standard output is closed", err=True)
        return EXIT_REFUSED
    codecs.register_error(_ASCII_FALLBACK, _replace_character)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            ascii_only = stream.isatty() and _is_c_locale()
            stream.reconfigure(encoding="ascii" if ascii_only else None, errors=_ASCII_FALLBACK)
    if arguments is None:  # the program itself: its imports stay, so collecting them early costs time for nothing
        gc.set_threshold(50_000)
        warnings.formatwarning = lambda message, *_where, **_line: f"warning: {message}\n"
    words = list(sys.argv[1:] if arguments is None else arguments)
    if {"--help", "-h"} & set(words[1:]):  # the help of `planner` itself is plain
        _style_help(plain="--no-color" in words or is_plain())
    try:
        if (wrong := next((word for word in words if "\0" in word), None)) is not None:
            raise PlannerError(f"{wrong!r}: an argument must not contain a NUL character")
        # A server has handlers of its own: a request that is being answered is finished first.
        with interruptible() if words[:1] != ["serve"] else nullcontext():
            code = app(args=words or ["--help"], prog_name="planner", standalone_mode=False)
            sys.stdout.flush()
        if not words:
            return EXIT_REFUSED
        return code if isinstance(code, int) else 0
    except (PlannerError, typer.TyperException) as error:
        message = error.format_message() if isinstance(error, typer.TyperException) else str(error)
        if message:  # empty where a bare `planner bench` has printed its help
            typer.echo(f"error: {one_line(message)}", err=True)
        return EXIT_REFUSED
    except (KeyboardInterrupt, typer.Abort):
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader, such as `| head`, has stopped reading
        _discard_output()
        return 0
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG, errno.EDQUOT) or error.filename:
            raise
        _discard_output()
        typer.echo(f"error: cannot write the output: {error.strerror}", err=True)
        return EXIT_REFUSED


def _is_c_locale() -> bool:
    """Return whether the user has chosen the C locale; Python would still write UTF-8."""
    chosen = next((os.environ[name] for name in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(name)), "")
    return chosen in ("C", "POSIX")


def _replace_character(error: UnicodeError) -> tuple[str, int]:
    """Replace what the terminal cannot show: frames by ASCII, everything else by a question mark."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_ASCII.get(character, "?") for character in text), error.end


def _discard_output() -> None:
    """Redirect standard output to nowhere: Python would complain again while it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
