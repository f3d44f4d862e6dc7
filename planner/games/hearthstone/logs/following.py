"""A log that is still being written: the state at the start of each own turn, as soon as it stands there."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from planner.errors import PlannerError
from planner.games.hearthstone.logs.reading import LineReader
from planner.games.hearthstone.logs.seen import Sight, sight
from planner.games.hearthstone.logs.tracking import SENSELESS, Tracker

_PAUSE = 0.2  # seconds between two looks


def follow(path: Path, player: int | None = None, idle: float | None = None) -> Iterator[Sight]:
    """Each own turn's start once. Ends where nothing was written for `idle` seconds; without it, never."""
    reader, at, rest, told = LineReader(), 0, b"", (0, 0)
    last, before = time.monotonic(), 0
    while True:
        try:
            with path.open("rb") as file:
                found_file = os.fstat(file.fileno())
                if found_file.st_size < at or before not in (0, found_file.st_ino):  # the client has begun a new file
                    reader, at, rest, told = LineReader(), 0, b"", (0, 0)
                before = found_file.st_ino
                file.seek(at)
                data = file.read()
        except FileNotFoundError:  # the old one is away, and the new one not there yet
            data = b""
        except OSError as error:
            raise PlannerError(f"{path}: {error.strerror}") from None
        if data:
            last = time.monotonic()
            at += len(data)
            *lines, rest = (rest + data).split(b"\n")  # the last line may not be written to its end yet
            begun = [reader.read(line.decode("utf-8", errors="replace")) for line in lines]
            found = _started(reader, player) if any(begun) else None
            if found is not None and found[0] != told:
                told = found[0]
                yield found[1]
        elif idle is not None and time.monotonic() - last >= idle:
            return
        else:
            time.sleep(_PAUSE)


def _started(reader: LineReader, player: int | None) -> tuple[tuple[int, int], Sight] | None:
    """The own turn that has begun and not ended: the numbers of match and turn, and what is seen."""
    matches = reader.matches()
    if not matches:
        return None
    tracker = Tracker(matches[-1])
    try:
        tracker.follow(player)
        board = tracker.started
        return None if board is None else ((len(matches), board.turn), sight(board))
    except (*SENSELESS, PlannerError):  # a log in the middle of a packet
        return None
