"""Read matches from a client's Power.log or an HSReplay XML file as packets, with the packages of the extra `logs`."""

from __future__ import annotations

import io
import logging
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import util
from pathlib import Path
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.formats.documents import reading_errors

INSTALL: Final = "pip install 'turn-planner[logs]'"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_MAX_BYTES: Final = 400 * 2**20  # after decompression
_MATCH_START: Final = re.compile(r"GameState\.DebugPrintPower\(\) -\s+CREATE_GAME")
_UNSUPPORTED_MODES: Final = ("BATTLEGROUNDS", "MERCENARIES")


class LoggedMatch(NamedTuple):
    """The packets of one match, and what the log says about it."""

    packets: list[Any]
    about: dict[str, str]  # such as GameType and BuildNumber
    names: dict[int, str]  # of the players, by player number
    problem: str = ""  # why the match could not be read to its end


def check_installed() -> None:
    """Raise an error with the install command if the extra is missing."""
    if util.find_spec("hslog") is None or util.find_spec("hearthstone") is None:
        raise PlannerError(f"client logs are an extra: {INSTALL}")


def read_log(path: Path) -> list[LoggedMatch]:
    """Read all matches of a file. A broken line ends its match, whose `problem` says why."""
    check_installed()
    text, problem = _read_text(path)
    if not text.strip():
        raise PlannerError(f"{path}: is empty")
    is_xml = text.lstrip("\ufeff \n\r\t").startswith("<")
    matches = _parse_xml(path, text) if is_xml else parse_lines(io.StringIO(text))
    if not matches:
        raise PlannerError(
            f"{path}: contains no match; a Power.log has lines such as 'GameState.DebugPrintPower() - ...'"
        )
    if problem and not matches[-1].problem:
        matches[-1] = matches[-1]._replace(problem=problem)
    supported = [match for match in matches if not _is_unsupported(match)]
    if not supported:
        mode = _mode(matches[0]).removeprefix("GT_").replace("_", " ").lower()
        raise PlannerError(f"{path}: {mode} is not supported; only matches of two players with decks are")
    return supported


def _read_text(path: Path) -> tuple[str, str]:
    """Return the file's text, decompressed as far as possible, and the problem that ended the decompression."""
    with reading_errors(path), path.open("rb") as file:
        data, problem = file.read(_MAX_BYTES + 1), ""
    if data.startswith(_GZIP_MAGIC):
        data, problem = _decompress(data)
    if len(data) > _MAX_BYTES:
        raise PlannerError(f"{path}: is larger than the limit of {_MAX_BYTES // 2**20} MB")
    return data.decode("utf-8", errors="replace"), problem


def _decompress(data: bytes) -> tuple[bytes, str]:
    decompressor, content = zlib.decompressobj(31), bytearray()
    try:
        for start in range(0, len(data), 2**16):
            content += decompressor.decompress(data[start : start + 2**16], _MAX_BYTES + 1 - len(content))
            if len(content) > _MAX_BYTES:
                break
    except zlib.error:
        return bytes(content), "the compressed file is corrupt"
    is_complete = decompressor.eof or len(content) > _MAX_BYTES
    return bytes(content), "" if is_complete else "the compressed file is truncated"


# -- Power.log


@contextmanager
def _no_logging() -> Iterator[None]:
    """Suppress the parser's warnings, one for each unknown line; `problem` reports what matters."""
    previous = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(previous)


class LineReader:
    """Reads a Power.log line by line.

    A line that breaks the parser ends the reading of its match. Each match has its own parser, so neither an error
    nor a name of one match affects the next.
    """

    def __init__(self) -> None:
        self._line_number = 0
        self._earlier: list[LoggedMatch] = []
        self._begin_match()

    def _begin_match(self) -> None:
        from hslog import LogParser  # noqa: PLC0415  (an extra)

        self._parser = LogParser()
        self._problem = ""

    def read(self, line: str) -> bool:
        """Read one line, and return whether a player's turn begins with it."""
        self._line_number += 1
        if _MATCH_START.search(line):
            self.end()
            self._earlier = self.matches()
            self._begin_match()
        if self._problem:
            return False
        try:
            with _no_logging():
                self._parser.read_line(line)
        except Exception as error:  # an untrusted file, and a package that raises anything
            self._problem = f"line {self._line_number} cannot be read ({type(error).__name__})"
        return "tag=STEP value=MAIN_ACTION" in line

    def end(self) -> None:
        """Finish the present match."""
        try:
            with _no_logging():
                self._parser.flush()
        except Exception as error:  # as above
            self._problem = self._problem or f"its end cannot be read ({type(error).__name__})"

    def matches(self) -> list[LoggedMatch]:
        """Return the matches read so far."""
        manager = self._parser.player_manager
        about = {str(key): getattr(value, "name", str(value)) for key, value in self._parser.game_meta.items()}
        players = {number: manager.get_player_by_player_id(number) for number in (1, 2)} if manager else {}
        names = {number: str(getattr(player, "name", "") or "") for number, player in players.items()}
        present = [LoggedMatch(list(tree.packets), about, names, self._problem) for tree in self._parser.games]
        return self._earlier + present


def parse_lines(lines: Iterable[str]) -> list[LoggedMatch]:
    """Return the matches in these lines."""
    reader = LineReader()
    for line in lines:
        reader.read(line)
    reader.end()
    return reader.matches()


# -- HSReplay XML


def _parse_xml(path: Path, text: str) -> list[LoggedMatch]:
    if util.find_spec("hsreplay") is None:
        raise PlannerError(f"{path}: HSReplay files are an extra: {INSTALL}")
    if "<!ENTITY" in text:  # entities let a small file grow without limit
        raise PlannerError(f"{path}: is not an HSReplay file: it defines entities")
    from hsreplay.document import HSReplayDocument  # noqa: PLC0415  (an extra)

    try:
        with _no_logging():
            document = HSReplayDocument.from_xml_file(io.BytesIO(text.encode("utf-8")))
            trees = document.to_packet_tree()
            types = [str(getattr(match, "type", "") or "") for match in document.games]
    except Exception as error:  # as above
        raise PlannerError(f"{path}: is not an HSReplay file: {type(error).__name__}") from None
    return [
        LoggedMatch(list(getattr(tree, "packets", tree)), {"GameType": _type_name(game_type)}, {})
        for tree, game_type in zip(trees, types, strict=True)
    ]


def _type_name(number: str) -> str:
    from hearthstone.enums import BnetGameType  # noqa: PLC0415  (an extra)

    return BnetGameType(int(number)).name if number.isdecimal() and int(number) in list(BnetGameType) else ""


def _mode(match: LoggedMatch) -> str:
    return match.about.get("GameType", "")


def _is_unsupported(match: LoggedMatch) -> bool:
    return any(mode in _mode(match) for mode in _UNSUPPORTED_MODES)
