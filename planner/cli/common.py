"""What the commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console

from planner.files import PlannerError

EXIT_REFUSED: Final = 2
EXIT_INTERRUPTED: Final = 130

NoColor = Annotated[bool, typer.Option("--no-color", help="Plain text, also on a terminal.")]


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # for main to end quietly; rich would end with an error of its own


def console(no_color: bool = False) -> Console:
    """Where the commands print: colour on a terminal, plain text elsewhere."""
    return _Console(highlight=False, no_color=True if no_color else None, emoji=False)


def examples(*lines: str) -> str:
    """The end of a command's help: what one would type."""
    return "\n".join(["Examples:", *(f"  [bold]{line}[/bold]" for line in lines)])


def one_line(message: str) -> str:
    """The message without line breaks, and without signs that would steer a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(message.split()))


def write_text(path: Path, text: str) -> None:
    """Write a file, or refuse in one line."""
    try:
        path.write_text(text, encoding="utf-8")
    except IsADirectoryError:
        raise PlannerError(f"{path}: is a folder, not a file") from None
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror}") from None
