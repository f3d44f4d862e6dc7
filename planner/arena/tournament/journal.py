"""The journal of a run: a line per finished game, each with a checksum, on the disk before anybody is told.

Whatever moment a power cut or `kill -9` chooses, the lines before it are whole; a last line that was half written is
noticed by its checksum and cut off. Games stay on the disk: in memory is only where each begins, eight bytes a game.
"""

from __future__ import annotations

import contextlib
import json
import os
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from planner.arena.tournament.game_result import Result, ThinkingTime
from planner.errors import PlannerError

_GAME: Final = b'{"game":['


class Journal(Mapping[int, Result]):
    """An open journal: the finished games by their place in the schedule of `games` games, and more can be added."""

    def __init__(self, path: Path, games: int = 1 << 40) -> None:
        self.path, self._games = path, games
        try:
            self.repaired = self._open()  # broken lines that were removed
            if self.repaired:
                self._drop_broken_lines()
                self._open()
        except OSError as error:
            raise PlannerError(f"{path}: {error.strerror}") from None

    def _open(self) -> int:
        """Find the lines that are whole; how many are not."""
        self.seconds = 0.0  # that runs have lasted, up to their last line
        self._begins = array("q")  # by place: where the game's line begins, or -1
        self._count = self._end = broken = 0
        # Unbuffered: what could not be written is not tried again behind our back when the file is closed.
        self._file = self.path.open("ab", buffering=0)
        self._reader = self.path.open("rb")
        for line in self._reader:
            entry = self._entry(line)
            if entry is None:
                broken += 1
            elif isinstance(entry, int):
                self._note(entry, self._end)
            else:
                self.seconds += entry
            self._end += len(line)
        return broken

    def _entry(self, line: bytes) -> int | float | None:
        """The place of a game, or the seconds of a run; nothing where the line is not whole, or none of this run's."""
        text = _text(line)
        if text is None:
            return None
        try:
            if not text.startswith(_GAME):
                return float(json.loads(text)["seconds"])
            place = int(text[len(_GAME) : text.index(b",")])
        except (ValueError, TypeError, KeyError):
            return None
        return place if 0 <= place < self._games else None

    def _drop_broken_lines(self) -> None:
        self._reader.seek(0)
        with replacing(self.path) as file:
            file.writelines(line for line in self._reader if self._entry(line) is not None)
        self.close()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[int]:
        return (place for place, begin in enumerate(self._begins) if begin >= 0)

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and 0 <= place < len(self._begins) and self._begins[place] >= 0

    def __getitem__(self, place: int) -> Result:
        if place not in self:
            raise KeyError(place)
        try:
            self._reader.seek(self._begins[place])
            return _read_result(self._reader.readline().partition(b" ")[2], self.path)
        except OSError as error:
            raise PlannerError(f"{self.path}: {error.strerror}") from None

    def append(self, results: Iterable[Result], seconds: float) -> None:
        """Write these down, and how long the run has lasted since the last time; they are safe on return."""
        lines = [_line({"seconds": round(seconds, 3)})]
        begins: list[tuple[int, int]] = []
        end = self._end + len(lines[0])
        for result in results:
            lines.append(_line({"game": _plain(result)}))
            begins.append((result.position, end))
            end += len(lines[-1])
        try:
            rest = memoryview(b"".join(lines))
            while rest:
                rest = rest[os.write(self._file.fileno(), rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):  # the next run would cut it off as well
                self._file.truncate(self._end)
            kept = "the games finished before are kept, and --resume continues"
            raise PlannerError(f"{self.path}: {error.strerror}; {kept}") from None
        self._end = end
        self.seconds += seconds
        for place, begin in begins:
            self._note(place, begin)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
        self._file.close()

    def _note(self, place: int, begin: int) -> None:
        """The first line of a game is the one that counts."""
        missing = place + 1 - len(self._begins)
        if missing > 0:
            self._begins.extend(array("q", [-1]) * missing)
        if self._begins[place] < 0:
            self._begins[place] = begin
            self._count += 1


class JournalReader:
    """A journal that somebody else may be writing: nothing is repaired, and half a line is left for later."""

    def __init__(self, path: Path) -> None:
        self._path, self._file, self._end = path, 0, 0

    def news(self) -> tuple[bool, list[Result]]:
        """Whether it is another file than the last time, so that all counts anew, and the games that are new in it."""
        try:
            with self._path.open("rb") as file:
                status = os.fstat(file.fileno())
                anew = status.st_ino != self._file or status.st_size < self._end
                if anew:
                    self._file, self._end = status.st_ino, 0
                file.seek(self._end)
                return anew, list(self._whole(file))
        except FileNotFoundError:
            was, self._file, self._end = self._file, 0, 0
            return was != 0, []
        except OSError as error:
            raise PlannerError(f"{self._path}: {error.strerror}") from None

    def _whole(self, lines: Iterable[bytes]) -> Iterator[Result]:
        for line in lines:
            if not line.endswith(b"\n"):
                return
            self._end += len(line)
            text = _text(line)
            if text is not None and text.startswith(_GAME):
                yield _read_result(text, self._path)


def find_result(path: Path, place: int) -> Result | None:
    """The game at this place of the schedule, from a journal that somebody else may be writing."""
    wanted = _GAME + b"%d," % place
    try:
        with path.open("rb") as file:
            for line in file:
                text = _text(line) if wanted in line else None
                if text is not None and text.startswith(wanted):
                    return _read_result(text, path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror}") from None
    return None


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of the one at `path` when it is complete: all or nothing."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):  # where the disk is full, half a file is in the way
            part.unlink()
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_bytes(path: Path, content: bytes) -> None:
    """All or nothing: whoever looks finds the old file or the new one."""
    with replacing(path) as file:
        file.write(content)


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write these into the folder, each all or nothing, or refuse in one line."""
    place = folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            place = folder / name
            write_bytes(place, content)
    except OSError as error:
        raise PlannerError(f"{place}: {error.strerror}") from None


def _checksum(text: bytes) -> bytes:
    return b"%08x" % zlib.crc32(text)


def _line(entry: dict[str, Any]) -> bytes:
    text = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
    return _checksum(text) + b" " + text


def _text(line: bytes) -> bytes | None:
    """What stands in the line behind its checksum; None where it is not whole."""
    checksum, _, text = line.partition(b" ")
    return text if line.endswith(b"\n") and checksum == _checksum(text) else None


def _plain(result: Result) -> list[Any]:
    times = [[round(t.seconds, 6), round(t.slowest, 6), t.histogram] for t in result.times]
    rest = [result.measures, result.cards] if result.cards else [result.measures] if result.measures else []
    return [*result[:6], times, round(result.seconds, 6), *rest]


def _read_result(text: bytes, path: Path) -> Result:
    try:
        return _result(json.loads(text)["game"])
    except (ValueError, TypeError, KeyError):
        place = text[len(_GAME) :].partition(b",")[0][:20].decode("ascii", "replace")
        raise PlannerError(f"{path}: the line of game {place} is not one that a run wrote") from None


def _result(given: list[Any]) -> Result:
    place, winner, reason, rounds, turns, decisions, times, seconds, *rest = given
    spent = tuple(ThinkingTime(*t) for t in times)
    measures = rest[0] if rest else {}
    cards = rest[1] if len(rest) > 1 else ()
    return Result(place, winner, reason, rounds, turns, tuple(decisions), spent, seconds, measures, tuple(cards))
