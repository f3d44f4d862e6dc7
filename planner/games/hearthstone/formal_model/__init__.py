"""The specification of Ha (2024), "Cards with Class": as printed, as it can be read, and corrected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import parse_yaml
from planner.specification.notation import Specification
from planner.specification.specification_parser import parse_specification

FOLDER: Final = Path(__file__).parent / "data"
VERSIONS: Final = ("printed", "readable", "corrected")
STATE: Final = "GameState"
OPERATIONS: Final = ("FullMatchStart", "SummonMinion", "MinionAttackPlayer", "MinionAttackMinion", "PassTurn")

# The largest sets and sequences of a proof, and the largest values of the two constants.
FULL_BOUNDS: Final = {
    "board": 7, "hand": 30, "deck": 30, "battled_this_turn": 14, "max_board_size": 7, "hand_init_size": 29,
}  # fmt: skip
SMALL_BOUNDS: Final = {
    "board": 2, "hand": 2, "deck": 3, "battled_this_turn": 2, "max_board_size": 2, "hand_init_size": 3,
}  # fmt: skip


@dataclass(frozen=True)
class TextReading:
    """A type error of the printed specification, and the change of its text that gives it a meaning."""

    name: str
    error: str
    replacements: tuple[tuple[str, str], ...]

    def apply(self, text: str) -> str:
        """Return the text with the change."""
        for pattern, replacement in self.replacements:
            text = re.sub(pattern, replacement, text)
        return text


@cache
def readings() -> tuple[TextReading, ...]:
    """Return the readings of the printed specification, in the order in which they apply."""
    path = FOLDER / "readings.yaml"
    document = parse_yaml(path.read_text(encoding="utf-8"), path)
    assert isinstance(document, list)
    return tuple(TextReading(one["name"], one["error"], tuple(one["replace"].items())) for one in document)


def printed_text(applied: Iterable[TextReading] = ()) -> str:
    """Return the transcription of the printed specification, with the changes of these readings."""
    text = (FOLDER / "printed.zed").read_text(encoding="utf-8")
    for reading in applied:
        text = reading.apply(text)
    return text


@cache
def specification(version: str = "corrected") -> Specification:
    """Return a version of the specification.

    `printed` is a transcription of the document. `readable` is the same without its type errors, so that its predicates
    have a meaning. `corrected` is our correction. The last two have the conjectures that a prover decides.
    """
    if version == "printed":
        return parse_specification(printed_text(), "printed")
    conjectures = parse_specification((FOLDER / "conjectures.zed").read_text(encoding="utf-8"), "conjectures")
    if version == "readable":
        text = printed_text(readings())
    elif version == "corrected":
        text = (FOLDER / "corrected.zed").read_text(encoding="utf-8")
    else:
        raise PlannerError(f"unknown version {quote(version)}{did_you_mean(version, VERSIONS)}")
    found = parse_specification(text, version)
    return replace(found, paragraphs=found.paragraphs + conjectures.paragraphs)
