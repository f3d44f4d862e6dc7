"""Enemies: what they can do, and in which order or with which chances."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.values import one_of
from planner.games.spire.language import Step
from planner.games.spire.places import Place, positive
from planner.games.spire.program import Run

_RANGE: Final = re.compile(r"([1-9]\d{0,3})(?:-([1-9]\d{0,3}))?")


@dataclass(eq=False)
class Move:
    """What an enemy can do in its turn."""

    name: str
    steps: tuple[Step, ...]
    program: tuple[Run, ...]


@dataclass(eq=False)
class EnemyKind:
    """An enemy: how much health, what it can do, and in which order or with which chances."""

    name: str
    health: tuple[int, int]
    moves: tuple[Move, ...]
    in_turn: tuple[int, ...]  # the places of moves, over and over; empty: by chance
    first: int | None  # the first move; None: any of those in turn
    chances: tuple[int, ...]  # of each move, in per cent
    in_a_row: tuple[int, ...]  # how often each may follow itself at most; 0: always

    def __repr__(self) -> str:
        return self.name


def read_health(given: Any) -> tuple[int, int]:
    """A number, or a range from which chance takes one."""
    found = _RANGE.fullmatch(str(given)) if isinstance(given, int | str) and not isinstance(given, bool) else None
    low, high = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if low > high:
        raise PlannerError(f"{quote(given)} is not a health such as 44 or 40-44")
    return low, high


def read_pattern(
    given: Any, moves: list[str], place: Place
) -> tuple[tuple[int, ...], int | None, tuple[int, ...], tuple[int, ...]]:
    """In which order or with which chances the moves come: the fields of `EnemyKind` behind its moves."""
    if not isinstance(given, dict) or ("in_turn" in given) == ("then" in given):
        raise place.error(f"{quote(given)} is not a pattern: it has either in_turn or then")

    def index(name: Any) -> int:
        return moves.index(one_of(name, moves))

    if "in_turn" in given:
        place.check(given, ("in_turn",), ("first",))
        listed, here = given["in_turn"], place.at(given, "in_turn", "in_turn")
        if not isinstance(listed, list) or not listed:
            raise here.error(f"{quote(listed)} is not a list of moves")
        in_turn = place.read(given, "in_turn", lambda names: tuple(map(index, names)))
        if len(set(in_turn)) != len(in_turn):
            raise here.error("a move stands here twice")
        if "first" in given:
            place.read(given, "first", partial(one_of, choices=("random",)))
        return in_turn, None if "first" in given else in_turn[0], (0,) * len(moves), (0,) * len(moves)
    place.check(given, ("then", "first"), ("in_a_row",))
    tables = []
    for key in ("then", "in_a_row"):
        table, here = given.get(key, {}), place.at(given, key, key) if key in given else place
        if not isinstance(table, dict):
            raise here.error(f"{quote(table)} is not a mapping of moves to numbers")
        numbers = [0] * len(moves)
        for name in table:
            if name not in moves:
                raise here.at(table, name).error(
                    f"{quote(name)} is not one of {', '.join(moves)}{did_you_mean(name, moves)}"
                )
            numbers[moves.index(name)] = here.read(table, name, positive)
        tables.append(tuple(numbers))
    chances, in_a_row = tables
    if sum(chances) != 100:
        raise place.at(given, "then", "then").error(f"the chances add up to {sum(chances)}, not to 100")
    # With one move left out because it may not follow itself again, another must be possible.
    if any(chance == 100 and limit for chance, limit in zip(chances, in_a_row, strict=True)):
        raise place.error("the only move must be able to follow itself")
    return (), place.read(given, "first", index), chances, in_a_row
