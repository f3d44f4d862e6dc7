"""What the commands share."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from planner.errors import MAX_MESSAGE_LENGTH, PlannerError, printable_line, quote, truncate_middle

if TYPE_CHECKING:
    from rich.console import Console

EXIT_REFUSED: Final = 2
EXIT_INTERRUPTED: Final = 130

Cards = Annotated[
    list[Path] | None,
    typer.Option("--cards", metavar="FILE", help="Cards of your own, beside ours; may be given several times."),
]
NoColor = Annotated[bool, typer.Option("--no-color", help="Plain text, also on a terminal.")]


def console(no_color: bool = False) -> Console:
    """Where the commands print: colour on a terminal, plain text elsewhere."""
    return _console_class()(highlight=False, no_color=True if no_color else None, emoji=False, markup=False)


@cache
def _console_class() -> type[Console]:
    from rich.console import Console, ConsoleOptions, RenderableType  # noqa: PLC0415  (help and JSON need no console)
    from rich.segment import Segment  # noqa: PLC0415

    class Quiet(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            """Names and texts come from strangers: what would steer the terminal is shown as a question mark."""
            for segment in super().render(renderable, options):
                if segment.control or segment.text.replace("\n", "").isprintable():
                    yield segment
                else:
                    seen = "".join(one if one.isprintable() or one == "\n" else "?" for one in segment.text)
                    yield Segment(seen, segment.style)

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # for main to end quietly; rich would end with an error of its own

    return Quiet


@contextmanager
def interruptible() -> Iterator[None]:
    """A polite kill (SIGTERM: a shutdown, a scheduler's time limit) is an interrupt from the keyboard in here."""

    def interrupt(_signal: int, _frame: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # only that one may
        yield
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def examples(*lines: str) -> str:
    """The end of a command's help: what one would type."""
    return "\n".join(["Examples:", *(f"  [bold]{line}[/bold]" for line in lines)])


def one_line(message: str) -> str:
    """The message without line breaks, and without signs that would steer a terminal."""
    return truncate_middle(printable_line(message), MAX_MESSAGE_LENGTH)


def json_text(data: Any, indent: int | None = None) -> str:
    """The data as JSON that reads well, without signs that would steer a terminal."""
    text = json.dumps(data, ensure_ascii=False, indent=indent, allow_nan=False)
    if text.replace("\n", "").isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1] for sign in text)


def write_text(path: Path, text: str) -> None:
    """Write a file, or refuse in one line."""
    try:
        path.write_text(text, encoding="utf-8")
    except IsADirectoryError:
        raise PlannerError(f"{path}: is a folder, not a file") from None
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror}") from None
    except ValueError:
        raise PlannerError(f"{quote(str(path))} is not a path: it holds a NUL") from None
