"""`planner engine`: plans for bots in any language, one line in and one line out, from a process that stays."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from typing import BinaryIO

import typer

from planner.cli.common import examples
from planner.protocol import MAX_LINE_BYTES, answer_line


def register(app: typer.Typer) -> None:
    """Add this module's command."""
    app.command(
        epilog=examples(
            """echo '{"state": {"mana": 0, "me": {"hero": {"health": 9}}, "enemy": {"hero": {"health": 9}}}}' """
            "| planner engine",
            "planner engine < requests.jsonl > answers.jsonl",
        )
    )(engine)


def engine() -> None:
    """Plan turns over standard input and output, for bots in any language.

    Each line in is one JSON object; only the state is required:

      {"id": 7, "state": {...}, "weights": "aggro_face", "time_limit": 0.5}

    Each line out is its answer, in the order of the questions, at once:

      {"id": 7, "plan": {...}}  or  {"id": 7, "error": "..."}

    The fields are state, weights (a name from `planner weights`, or an
    object of term and number), solver, formulation, time_limit, effort, k
    and explain. With k above 1 the answer has plans, best first. A line that
    is refused gets its error, and the next line is served. The command ends
    when its input does.
    """
    with _answers() as out, suppress(BrokenPipeError):  # whoever asked has gone
        for line in _lines(sys.stdin.buffer):
            _write(out, json.dumps(answer_line(line), separators=(",", ":")).encode() + b"\n")


def _write(out: BinaryIO, line: bytes) -> None:
    """All of it, now: no buffer keeps what could not be written."""
    while line:
        line = line[out.write(line) :]


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines, without more than a little of one that is too long: nobody can fill our memory with it."""
    while line := stream.readline(MAX_LINE_BYTES + 2):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_LINE_BYTES)
        yield line.rstrip(b"\r\n")


@contextmanager
def _answers() -> Iterator[BinaryIO]:
    """Where answers go, and nothing else: solvers print a stray line now and then, which goes to stderr meanwhile."""
    sys.stdout.flush()
    try:
        here = sys.stdout.fileno()
    except OSError:  # no file: a test reads along
        yield sys.stdout.buffer
        return
    kept = os.dup(here)
    os.dup2(sys.stderr.fileno(), here)
    try:
        yield FileIO(kept, "wb", closefd=False)
    finally:
        os.dup2(kept, here)
        os.close(kept)
