"""Matches from a client's Power.log or an HSReplay XML file, as packets; by the packages of the extra `logs`."""

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

INSTALL: Final = "pip install 'turn-planner[logs]'"
_PACKED: Final = b"\x1f\x8b"
_LARGEST: Final = 400 * 2**20  # bytes, unpacked
_BEGINS: Final = re.compile(r"GameState\.DebugPrintPower\(\) -\s+CREATE_GAME")
_OTHER_MODES: Final = ("BATTLEGROUNDS", "MERCENARIES")


class LoggedMatch(NamedTuple):
    """One match: its packets, and what the log says about it."""

    packets: list[Any]
    about: dict[str, str]  # such as GameType and BuildNumber, where the log says so
    names: dict[int, str]  # of the players, by their number
    problem: str = ""  # why the log could not be read to its end


def check_installed() -> None:
    """Refuse in one line where the extra is missing."""
    if util.find_spec("hslog") is None or util.find_spec("hearthstone") is None:
        raise PlannerError(f"client logs are an extra: {INSTALL}")


def read_log(path: Path) -> list[LoggedMatch]:
    """All matches of a file. What cannot be read ends its match, which says why; without a match it is refused."""
    check_installed()
    text, problem = _text(path)
    if not text.strip():
        raise PlannerError(f"{path}: is empty")
    xml = text.lstrip("\ufeff \n\r\t").startswith("<")
    found = _from_xml(path, text) if xml else parse_lines(io.StringIO(text))
    if not found:
        raise PlannerError(f"{path}: no match in it: a Power.log has lines such as 'GameState.DebugPrintPower() - ...'")
    if problem and not found[-1].problem:
        found[-1] = found[-1]._replace(problem=problem)
    ours = [match for match in found if not _other_mode(match)]
    if not ours:
        mode = _mode(found[0]).removeprefix("GT_").replace("_", " ").lower()
        raise PlannerError(f"{path}: a match of {mode}; only matches of two players with decks can be reviewed")
    return ours


def _text(path: Path) -> tuple[str, str]:
    """The file's text, unpacked as far as it goes, and what is wrong with it."""
    try:
        with path.open("rb") as file:
            data, problem = file.read(_LARGEST + 1), ""
        if data.startswith(_PACKED):
            data, problem = _unpacked(data)
    except FileNotFoundError:
        raise PlannerError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise PlannerError(f"{path}: is a folder, not a file") from None
    except OSError as error:
        raise PlannerError(f"{path}: {error.strerror}") from None
    if len(data) > _LARGEST:
        raise PlannerError(f"{path}: larger than {_LARGEST // 2**20} MB")
    return data.decode("utf-8", errors="replace"), problem


def _unpacked(data: bytes) -> tuple[bytes, str]:
    unpacker, found = zlib.decompressobj(31), bytearray()
    try:
        for start in range(0, len(data), 2**16):
            found += unpacker.decompress(data[start : start + 2**16], _LARGEST + 1 - len(found))
            if len(found) > _LARGEST:
                break
    except zlib.error:
        return bytes(found), "the packed file is broken"
    return bytes(found), "" if unpacker.eof or len(found) > _LARGEST else "the packed file breaks off"


@contextmanager
def _quiet() -> Iterator[None]:
    """The parser writes a warning for each line that it does not know; what matters is told in one line instead."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


class LineReader:
    """Reads a Power.log line by line. A line that breaks the parser ends the reading of its match: the rest makes no
    sense. Each match has a parser of its own, so what breaks one, or is said about it, is never the next one's."""

    def __init__(self) -> None:
        self._number = 0
        self._earlier: list[LoggedMatch] = []
        self._begin()

    def _begin(self) -> None:
        from hslog import LogParser  # noqa: PLC0415  (an extra)

        self._parser = LogParser()
        self._problem = ""

    def read(self, line: str) -> bool:
        """One more line; is it one with which somebody's turn begins?"""
        self._number += 1
        if _BEGINS.search(line):
            self.end()
            self._earlier = self.matches()
            self._begin()
        if self._problem:
            return False
        try:
            with _quiet():
                self._parser.read_line(line)
        except Exception as error:  # a stranger's file, and a package that raises anything
            self._problem = f"line {self._number} cannot be read ({type(error).__name__})"
        return "tag=STEP value=MAIN_ACTION" in line

    def end(self) -> None:
        """No more lines of this match."""
        try:
            with _quiet():
                self._parser.flush()
        except Exception as error:  # as above
            self._problem = self._problem or f"its end cannot be read ({type(error).__name__})"

    def matches(self) -> list[LoggedMatch]:
        """What was found so far."""
        manager = self._parser.player_manager
        about = {str(key): getattr(value, "name", str(value)) for key, value in self._parser.game_meta.items()}
        known = {player: manager.get_player_by_player_id(player) for player in (1, 2)} if manager else {}
        names = {player: str(getattr(one, "name", "") or "") for player, one in known.items()}
        last = [LoggedMatch(list(tree.packets), about, names, self._problem) for tree in self._parser.games]
        return self._earlier + last


def parse_lines(lines: Iterable[str]) -> list[LoggedMatch]:
    """The matches in these lines."""
    reader = LineReader()
    for line in lines:
        reader.read(line)
    reader.end()
    return reader.matches()


def _from_xml(path: Path, text: str) -> list[LoggedMatch]:
    if util.find_spec("hsreplay") is None:
        raise PlannerError(f"{path}: HSReplay files are an extra: {INSTALL}")
    if "<!ENTITY" in text:  # a small file could grow beyond all bounds
        raise PlannerError(f"{path}: is not an HSReplay file: it defines entities")
    from hsreplay.document import HSReplayDocument  # noqa: PLC0415  (an extra)

    try:
        with _quiet():
            document = HSReplayDocument.from_xml_file(io.BytesIO(text.encode("utf-8")))
            trees = document.to_packet_tree()
            types = [str(getattr(game, "type", "") or "") for game in document.games]
    except Exception as error:  # as above
        raise PlannerError(f"{path}: is not an HSReplay file: {type(error).__name__}") from None
    return [
        LoggedMatch(list(getattr(tree, "packets", tree)), {"GameType": _type_name(kind)}, {})
        for tree, kind in zip(trees, types, strict=True)
    ]


def _type_name(number: str) -> str:
    from hearthstone.enums import BnetGameType  # noqa: PLC0415  (an extra)

    return BnetGameType(int(number)).name if number.isdecimal() and int(number) in list(BnetGameType) else ""


def _mode(match: LoggedMatch) -> str:
    return match.about.get("GameType", "")


def _other_mode(match: LoggedMatch) -> bool:
    return any(word in _mode(match) for word in _OTHER_MODES)
