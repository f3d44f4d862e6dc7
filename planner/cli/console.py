"""What the commands share: the console, common options, exit codes, and writing files."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from io import StringIO
from itertools import count
from pathlib import Path
from tempfile import NamedTemporaryFile
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from planner.errors import MAX_MESSAGE_LENGTH, PlannerError, file_errors, printable_line, quote, truncate_middle
from planner.formats.atomic_files import write_bytes

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from planner.game import AnyGame
    from planner.games.spire.spire_game import Spire

EXIT_REFUSED: Final = 2
EXIT_INTERRUPTED: Final = 130
NO_COLOR: Final = ContextVar("NO_COLOR", default=False)  # whether the command has the option --no-color
_NUMBER: Final = re.compile(r"[~+−-]?\d|any$|\?$|$")  # how the cells of a column of numbers begin
_WHOLE_NUMBER: Final = re.compile(r"\d+$")
PROGRESS_SECONDS: Final = 10.0  # between two lines of progress where the output is not a terminal

Cards = Annotated[
    list[Path] | None,
    typer.Option("--cards", metavar="FILE", help="A file with your own cards, added to ours; can be repeated."),
]
SPIRE: Final = "spire"
GameName = Annotated[
    str,
    typer.Option("--game", metavar="GAME", help="A name such as spire or dominion, module:GAME, or a game's folder."),
]
Workers = Annotated[int | None, typer.Option(min=1, max=1024, help="Processes; by default one for each core.")]
BattleGame = Annotated[
    str, typer.Option("--game", metavar="GAME", help="spire, or the Python file of an extension, such as ./thorns.py.")
]


def _one_format(context: typer.Context, wanted: bool) -> bool:
    if wanted and (context.params.get("as_json") or context.params.get("as_csv")):
        raise PlannerError("--json and --csv cannot be combined")
    return wanted


AsJson = Annotated[bool, typer.Option("--json", callback=_one_format, help="Print JSON and nothing else.")]
AsCsv = Annotated[bool, typer.Option("--csv", callback=_one_format, help="Print CSV and nothing else.")]


def reject_options(option: str, others: Mapping[str, object]) -> None:
    """Raise an error if one of the other options is given, which this option cannot be combined with."""
    for name, value in others.items():
        if value:
            raise PlannerError(f"{option} cannot be combined with {name}")


def named_game(name: str, cards: Sequence[Path] | None = None) -> AnyGame:
    """Return a game by its name or path, which may be the user's in this folder, with the cards of these files."""
    from planner.games import load_game  # noqa: PLC0415  (games load lazily)

    return add_cards(load_game(name, [os.getcwd()]), cards)


def add_cards(game: AnyGame, cards: Sequence[Path] | None) -> AnyGame:
    """Return a game with the cards of these files beside its own."""
    from planner.game import HasCards, require  # noqa: PLC0415  (as above)

    return require(game, HasCards, "--cards").with_cards(cards) if cards else game


def comma_words(text: str, option: str) -> list[str]:
    """Return the words of an option that takes several, separated by commas."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if text and not words:
        raise PlannerError(f"{option}: must be names separated by commas, got {quote(text)}")
    return words


def battle_game(name: str) -> Spire:
    """Return the battles, or those with an extension; other games have no grammar for cards and no chains."""
    from planner.games import load_game  # noqa: PLC0415  (games load lazily)
    from planner.games.spire.spire_game import Spire  # noqa: PLC0415

    game = load_game(name)
    if not isinstance(game, Spire):
        raise PlannerError(f"--game: must be spire or an extension of it such as ./thorns.py, got {quote(name)}")
    return game


def is_plain() -> bool:
    """Return whether the user wants plain text, also on a terminal."""
    return NO_COLOR.get() or bool(os.environ.get("NO_COLOR"))


def console(stderr: bool = False) -> Console:
    """Return where commands print: coloured on a terminal, plain text elsewhere, ASCII where the terminal needs it."""
    colours: Any = None if is_plain() else "auto"  # None: rich's own no_color would keep bold and dim
    return _console_class()(highlight=False, emoji=False, markup=False, stderr=stderr, color_system=colours)


class ProgressView:
    """Shows how far a command is: a bar on a terminal, which disappears at the end; elsewhere a line now and then."""

    def __init__(self, screen: Console, quiet: bool = False) -> None:
        from rich.live import Live  # noqa: PLC0415  (most commands are quick)

        is_live = screen.is_terminal and not quiet
        self.live = Live(console=screen, refresh_per_second=4, transient=True) if is_live else None
        self._screen, self._quiet, self._last_line = screen, quiet, monotonic()

    def __enter__(self) -> ProgressView:
        if self.live is not None:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            self.live.stop()

    @property
    def is_due(self) -> bool:
        """Whether `show` would print a line now."""
        return self.live is None and not self._quiet and monotonic() - self._last_line >= PROGRESS_SECONDS

    def count_to(self, total: int) -> Callable[[str], None]:
        """Return a function that counts one step, with a description, at each call."""
        done = count(1)
        return lambda what: self.show(what, next(done) / total)

    def show(self, line: str, share: float, more: str = "", below: RenderableType = "") -> None:
        """Show a line: on a terminal beside a bar for the share that is done, with `below`; elsewhere with `more`."""
        from rich.console import Group  # noqa: PLC0415  (as above)
        from rich.progress_bar import ProgressBar  # noqa: PLC0415
        from rich.table import Table  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        if self.live is not None:
            grid = Table.grid(padding=(0, 1, 0, 0))
            grid.add_row(ProgressBar(1.0, share, width=24), Text(line))
            self.live.update(Group(grid, below))
        elif self.is_due:
            self._last_line = monotonic()
            self._screen.print(Text(line + more), soft_wrap=True)


def format_duration(seconds: float) -> str:
    """Format an estimated duration, rounded."""
    if seconds < 120:
        return f"{seconds:.0f} seconds"
    if seconds < 7200:
        return f"{seconds / 60:.0f} minutes"
    days = f" ({seconds / 86400:,.0f} days)" if seconds >= 2 * 86400 else ""
    return f"{seconds / 3600:,.{0 if days else 1}f} hours{days}"


@cache
def _console_class() -> type[Console]:
    from rich.console import Console, ConsoleOptions  # noqa: PLC0415  (help and JSON need no console)
    from rich.segment import Segment  # noqa: PLC0415

    class SafeConsole(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            """Show control characters as question marks: names and texts come from users."""
            for segment in super().render(renderable, options):
                if segment.control or segment.text.replace("\n", "").isprintable():
                    yield segment
                else:
                    visible = "".join(char if char.isprintable() or char == "\n" else "?" for char in segment.text)
                    yield Segment(visible, segment.style)

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # main ends quietly; rich would exit with an error of its own

    return SafeConsole


@contextmanager
def interruptible() -> Iterator[None]:
    """Treat SIGTERM (a shutdown, a scheduler's time limit) as an interrupt from the keyboard."""

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # only that thread may set handlers
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def data_table(titles: Sequence[str], rows: Iterable[Sequence[object]], whole_numbers: bool = False) -> Table:
    """Return a table, with the columns of numbers to the right.

    With `whole_numbers`, a narrow terminal breaks words into lines, but never numbers.
    """
    from rich import box  # noqa: PLC0415  (as above)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    cells = [[cell if isinstance(cell, Text) else Text(str(cell)) for cell in row] for row in rows]
    for index, title in enumerate(titles):
        number = _NUMBER if index else _WHOLE_NUMBER  # names may begin with a digit
        is_number = all(number.match(row[index].plain) for row in cells)
        justify: Any = "right" if is_number else "left"
        table.add_column(Text(title), justify=justify, no_wrap=whole_numbers and is_number, overflow="fold")
    for row in cells:
        table.add_row(*row)
    return table


def examples(*lines: str) -> str:
    """Return the end of a command's help: what a user would type."""
    escaped = (line.replace("[", r"\[") for line in lines)
    return "\n".join(["Examples:", *(f"  [bold]{line}[/bold]" for line in escaped)])


def one_line(message: str) -> str:
    """Return a message without line breaks and control characters, of limited length."""
    return truncate_middle(printable_line(message), MAX_MESSAGE_LENGTH)


def counted(count: int, noun: str) -> str:
    """Return the count with its noun, such as `1 card` or `2,000 cards`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def format_number(value: float) -> str:
    """Format a number as short as it is exact, such as `214` or `-1.5`."""
    return f"{value + 0.0:.10g}"  # never -0


def json_text(data: Any, indent: int | None = None) -> str:
    """Return the data as readable JSON, with control characters escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)


def print_rows(rows: Sequence[Mapping[str, Any]], as_csv: bool) -> None:
    """Print rows with the same fields for other programs: as a JSON list, or as CSV."""
    if as_csv:
        typer.echo(csv_text(rows), nl=False)
    else:
        typer.echo(json_text(list(rows), indent=2))


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows with the same fields as CSV, with lists joined by semicolons."""
    file = StringIO()
    writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow(
            {key: "; ".join(map(str, cell)) if isinstance(cell, list) else cell for key, cell in row.items()}
        )
    return file.getvalue()


def write_text(path: Path, text: str) -> None:
    """Write a file completely or not at all, or print it if the path is `-`; raise a PlannerError where that fails."""
    if str(path) == "-":
        typer.echo(text, nl=False)
        return
    content = text.encode("utf-8", "backslashreplace")  # the name of a file may not be UTF-8
    with file_errors(path):
        if path.is_dir():
            raise PlannerError(f"{path}: is a folder, not a file")
        if path.exists() and not path.is_file():  # a device or a pipe: cannot be replaced
            path.write_bytes(content)
        else:
            write_bytes(path, content)


def keep_output(text: str) -> Path:
    """Write what a crashed agent has printed to a file in the folder for temporary files; return its path."""
    with NamedTemporaryFile("w", encoding="utf-8", prefix="planner-crash-", suffix=".txt", delete=False) as file:
        file.write(text)
    return Path(file.name)
