"""The error that users see, and helpers that format values for messages.

A message is one line: the place, the value, and what would be right.
"""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

MAX_MESSAGE_LENGTH: Final = 290  # characters
_MEMORY_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")


class PlannerError(Exception):
    """Invalid input, described in one line for the person who gave it.

    A reader that finds several problems puts the first one into the message and all of them into `problems`.
    """

    max_length: int | None = MAX_MESSAGE_LENGTH

    def __init__(self, message: str = "", *more: str) -> None:
        self.problems = tuple(truncate_middle(problem, self.max_length) for problem in (message, *more))
        super().__init__(self.problems[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.problems


@contextmanager
def file_errors(path: object, hint: str = "") -> Iterator[None]:
    """Turn an error of the operating system about this file or folder into a PlannerError."""
    try:
        yield
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror or error}{hint}") from None


class _ShortRepr(reprlib.Repr):
    """A short `repr`: YAML aliases let a small file hold a value with billions of parts."""

    repr_YamlMapping = reprlib.Repr.repr_dict  # noqa: N815 (reprlib looks methods up by class name)
    repr_YamlList = reprlib.Repr.repr_list  # noqa: N815

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxlist, self.maxdict, self.maxstring, self.maxother = 2, 4, 4, 60, 60

    def repr_int(self, x: int, level: int) -> str:
        """Python refuses to print integers of thousands of digits."""
        return super().repr_int(x, level) if x.bit_length() < 1000 else f"an integer of {x.bit_length()} bits"

    def repr_bool(self, x: bool, level: int) -> str:  # noqa: ARG002
        """Users write JSON and YAML, where it is `true`, not `True`."""
        return "true" if x else "false"

    def repr_float(self, x: float, level: int) -> str:  # noqa: ARG002
        """The literals that JSON parsers accept are `NaN` and `Infinity`, not `nan` and `inf`."""
        return repr(x).replace("nan", "NaN").replace("inf", "Infinity")

    def repr_NoneType(self, x: None, level: int) -> str:  # noqa: ARG002, N802
        """Users write JSON and YAML, where it is `null`, not `None`."""
        return "null"


def quote(value: object) -> str:
    """Return the value as one short line, without memory addresses, which differ from run to run."""
    return _MEMORY_ADDRESS.sub("", _ShortRepr().repr(value))


def truncate_middle(text: str, max_length: int | None) -> str:
    """Shorten a long text in the middle: the place is at the start, and what would be right is at the end."""
    if max_length is None or len(text) <= max_length:
        return text
    tail = max_length // 3
    return f"{text[: max_length - tail - 3]}...{text[-tail:]}"


def printable_line(text: str) -> str:
    """Return the text on one line, without characters that control a terminal."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))


def stable_message(text: str) -> str:
    """Return a message of user code so that it is the same in every run: one line, no memory addresses."""
    return _MEMORY_ADDRESS.sub("", printable_line(text))


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the most similar known word, or an empty string."""
    if not isinstance(word, str):
        return ""
    # Only the start: comparing a page of text takes minutes.
    words = list(known)
    close = difflib.get_close_matches(word[:80], words, n=1, cutoff=0.65)
    if not close and len(word) >= 4:
        close = [other for other in words if other.startswith(word)]
    return f"; did you mean {close[0]!r}?" if close else ""


def suggest(word: object, known: Iterable[str]) -> str:
    """Return `did_you_mean`, or if no word is similar, all known words where they fit on the line."""
    words = list(known)
    every = f"; use one of {', '.join(words)}"
    return did_you_mean(word, words) or (every if len(every) <= 2 * MAX_MESSAGE_LENGTH // 3 else "")
