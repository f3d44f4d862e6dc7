"""The journal of a run: a line per finished game, each with a checksum, on the disk before anybody is told.

Whatever moment a power cut or `kill -9` chooses, the lines before it are whole; a last line that was half written is
noticed by its checksum and cut off.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from planner.arena.result import Result, ThinkingTime
from planner.files import PlannerError


class Journal:
    """An open journal: what is in it, and more can be added."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.results: dict[int, Result] = {}
        self.seconds = 0.0  # that runs have lasted, up to their last line
        self.repaired = 0  # broken lines that were removed
        try:
            content = path.read_bytes() if path.exists() else b""
            lines = content.splitlines(keepends=True)
            whole = [line for line in lines if self._read(line)]
            self.repaired = len(lines) - len(whole)
            if self.repaired:
                write_bytes(path, b"".join(whole))
            self._file = path.open("ab")
        except OSError as error:
            raise PlannerError(f"{path}: {error.strerror}") from None

    def append(self, results: Iterable[Result], seconds: float) -> None:
        """Write these down, and how long the run has lasted since the last time; they are safe on return."""
        lines = [_line({"seconds": round(seconds, 3)})]
        for result in results:
            self.results.setdefault(result.place, result)
            lines.append(_line({"game": _plain(result)}))
        self.seconds += seconds
        try:
            self._file.write(b"".join(lines))
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise PlannerError(f"{self.path}: {error.strerror}; what was finished before is kept") from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self, line: bytes) -> bool:
        """Take the line in, if it is whole."""
        checksum, _, text = line.partition(b" ")
        if not line.endswith(b"\n") or checksum != _checksum(text):
            return False
        entry: dict[str, Any] = json.loads(text)
        if "game" in entry:
            result = _result(entry["game"])
            self.results.setdefault(result.place, result)
        self.seconds += entry.get("seconds", 0.0)
        return True


def write_bytes(path: Path, content: bytes) -> None:
    """All or nothing: whoever looks finds the old file or the new one."""
    part = path.with_name(f".{path.name}.part")
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _checksum(text: bytes) -> bytes:
    return b"%08x" % zlib.crc32(text)


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
    return _checksum(text) + b" " + text


def _plain(result: Result) -> list[Any]:
    times = [[round(t.seconds, 6), round(t.slowest, 6), t.histogram] for t in result.times]
    return [*result[:6], times, round(result.seconds, 6), *([result.measures] if result.measures else [])]


def _result(given: list[Any]) -> Result:
    place, winner, reason, rounds, turns, decisions, times, seconds, *measures = given
    spent = tuple(ThinkingTime(*t) for t in times)
    return Result(place, winner, reason, rounds, turns, tuple(decisions), spent, seconds, *measures)
