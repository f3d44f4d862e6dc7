"""The journal of a run: one line per finished game with a checksum, on disk before the run continues.

After a power cut or `kill -9` all complete lines are intact; an incomplete last line is recognised by its checksum and
removed. Results stay on disk: memory holds only the offset of each line, eight bytes per game.
"""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from planner.arena.tournament.game_result import Result, ThinkingTime
from planner.errors import PlannerError, file_errors
from planner.formats.atomic_files import replacing

_GAME: Final = b'{"game":['


class Journal(Mapping[int, Result]):
    """An open journal: the finished games by their position in a schedule of `games` games. More can be appended."""

    def __init__(self, path: Path, games: int = 1 << 40) -> None:
        self.path, self._games = path, games
        with file_errors(path):
            self.repaired = self._open()  # broken lines that were removed
            if self.repaired:
                self._drop_broken_lines()
                self._open()

    def _open(self) -> int:
        """Open the file, find the intact lines and return the number of broken ones."""
        self.seconds = 0.0  # of all runs, up to their last line
        self._offsets = array("q")  # by position: where the line of the game begins, or -1
        self._count = self._end = broken = 0
        # Unbuffered: data that could not be written must not be written later, when the file is closed.
        self._file = self.path.open("ab", buffering=0)
        self._reader = self.path.open("rb")
        for line in self._reader:
            entry = self._parse(line)
            if entry is None:
                broken += 1
            elif isinstance(entry, int):
                self._add_offset(entry, self._end)
            else:
                self.seconds += entry
            self._end += len(line)
        return broken

    def _parse(self, line: bytes) -> int | float | None:
        """Return the position of a game, or the seconds of a run, or None if the line is broken or not of this run."""
        text = _checked_text(line)
        if text is None:
            return None
        try:
            if not text.startswith(_GAME):
                return float(json.loads(text)["seconds"])
            position = int(text[len(_GAME) : text.index(b",")])
        except (ValueError, TypeError, KeyError):
            return None
        return position if 0 <= position < self._games else None

    def _drop_broken_lines(self) -> None:
        self._reader.seek(0)
        with replacing(self.path) as file:
            file.writelines(line for line in self._reader if self._parse(line) is not None)
        self.close()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        return (position for position, offset in enumerate(self._offsets) if offset >= 0)

    def __contains__(self, position: object) -> bool:
        return isinstance(position, int) and 0 <= position < len(self._offsets) and self._offsets[position] >= 0

    def __getitem__(self, position: int) -> Result:
        if position not in self:
            raise KeyError(position)
        with file_errors(self.path):
            self._reader.seek(self._offsets[position])
            return _parse_result(self._reader.readline().partition(b" ")[2], self.path)

    def append(self, results: Iterable[Result], seconds: float) -> None:
        """Write these results, and the seconds since the last call; they are on disk on return."""
        lines = [_line({"seconds": round(seconds, 3)})]
        offsets: list[tuple[int, int]] = []
        end = self._end + len(lines[0])
        for result in results:
            lines.append(_line({"game": _result_to_list(result)}))
            offsets.append((result.position, end))
            end += len(lines[-1])
        try:
            data = memoryview(b"".join(lines))
            while data:
                data = data[os.write(self._file.fileno(), data) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):  # otherwise the next run removes the incomplete line
                self._file.truncate(self._end)
            hint = "earlier games are kept; continue with --resume"
            raise PlannerError(f"{self.path}: {error.strerror}; {hint}") from None
        self._end = end
        self.seconds += seconds
        for position, offset in offsets:
            self._add_offset(position, offset)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
        self._file.close()

    def _add_offset(self, position: int, offset: int) -> None:
        """Remember where a game begins; if a game has several lines, the first one counts."""
        missing = position + 1 - len(self._offsets)
        if missing > 0:
            self._offsets.extend(array("q", [-1]) * missing)
        if self._offsets[position] < 0:
            self._offsets[position] = offset
            self._count += 1


class JournalReader:
    """Reads a journal that another process may be writing. Repairs nothing; an incomplete line is read later."""

    def __init__(self, path: Path) -> None:
        self._path, self._inode, self._end = path, 0, 0

    def read_new(self) -> tuple[bool, list[Result]]:
        """Return whether the file was replaced since the last call, and the results that are new in it."""
        with file_errors(self._path), suppress(FileNotFoundError), self._path.open("rb") as file:
            status = os.fstat(file.fileno())
            is_replaced = status.st_ino != self._inode or status.st_size < self._end
            if is_replaced:
                self._inode, self._end = status.st_ino, 0
            file.seek(self._end)
            return is_replaced, list(self._complete_lines(file))
        existed, self._inode, self._end = self._inode != 0, 0, 0
        return existed, []

    def _complete_lines(self, lines: Iterable[bytes]) -> Iterator[Result]:
        for line in lines:
            if not line.endswith(b"\n"):
                return
            self._end += len(line)
            text = _checked_text(line)
            if text is not None and text.startswith(_GAME):
                yield _parse_result(text, self._path)


def find_result(path: Path, position: int) -> Result | None:
    """Return the game at this position of the schedule, from a journal that another process may be writing."""
    prefix = _GAME + b"%d," % position
    with file_errors(path), suppress(FileNotFoundError), path.open("rb") as file:
        for line in file:
            text = _checked_text(line) if prefix in line else None
            if text is not None and text.startswith(prefix):
                return _parse_result(text, path)
    return None


# -- lines: a checksum, a space and JSON


def _checksum(text: bytes) -> bytes:
    return b"%08x" % zlib.crc32(text)


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
    return _checksum(text) + b" " + text


def _checked_text(line: bytes) -> bytes | None:
    """Return the text after the checksum, or None if the line is incomplete or damaged."""
    checksum, _, text = line.partition(b" ")
    return text if line.endswith(b"\n") and checksum == _checksum(text) else None


def _result_to_list(result: Result) -> list[Any]:
    times = [[round(t.seconds, 6), round(t.slowest, 6), t.histogram] for t in result.times]
    optional = [result.measures, result.cards, result.places, result.forfeits, result.fallbacks]
    while optional and not optional[-1]:
        optional.pop()
    return [*result[:6], times, round(result.seconds, 6), *optional]


def _result_from_list(values: list[Any]) -> Result:
    position, winner, reason, rounds, turns, decisions, times, seconds, *optional = values
    thinking_times = tuple(ThinkingTime(*t) for t in times)
    measures = optional[0] if optional else {}
    lists = [tuple(value) for value in optional[1:]]  # cards, places, forfeits, fallbacks
    return Result(position, winner, reason, rounds, turns, tuple(decisions), thinking_times, seconds, measures, *lists)


def _parse_result(text: bytes, path: Path) -> Result:
    try:
        return _result_from_list(json.loads(text)["game"])
    except (ValueError, TypeError, KeyError):
        position = text[len(_GAME) :].partition(b",")[0][:20].decode("ascii", "replace")
        raise PlannerError(f"{path}: the line of game {position} is invalid") from None
