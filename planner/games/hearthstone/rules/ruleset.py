"""Everything in the rules that is a number or a choice."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from planner.files import PlannerError, nearest, show
from planner.reading import Fields, text, truth, whole

FOLDER: Final = Path(__file__).parent / "data"
LIMITED: Final = (("starting_hand", "hand_limit"), ("mana_start", "mana_limit"))  # a rule, and the most that it can be


@dataclass(frozen=True)
class Ruleset:
    """The numbers and choices of a game. Players are given as (first, second) where they differ."""

    name: str = "custom"
    hero_health: int = 30
    board_limit: int = 7
    hand_limit: int = 10
    mana_limit: int = 10
    mana_start: int = 0  # crystals before the first turn, which adds one
    mana_growth: int = 1
    starting_hand: tuple[int, int] = (3, 4)
    coin: bool = True  # the second player gets The Coin
    mulligan: bool = True
    hero_powers: bool = True
    draws_per_turn: int = 1
    fatigue_start: int = 1
    fatigue_growth: int = 1  # 0: the same damage each time
    turn_limit: int = 180  # turns of both players together; then the match is a draw
    deck_size: int = 30
    copies: int = 2  # of one card in a deck

    def __hash__(self) -> int:
        # Part of every state's hash, where a name is enough.
        return hash(self.name)

    def __post_init__(self) -> None:
        for field in fields(self):
            problem = problem_of(field.name, getattr(self, field.name))
            if problem is not None:
                raise PlannerError(f"ruleset {self.name}: {field.name}: {problem}")

    def contradiction(self) -> tuple[str, str, str] | None:
        """Two rules with which no match can start, and why; None if there are none."""
        for name, limit in LIMITED:
            value, most = getattr(self, name), getattr(self, limit)
            if (max(value) if isinstance(value, tuple) else value) > most:
                return name, limit, f"{name}: {value!r} is more than the {limit} of {most}"
        return None

    @classmethod
    def of(cls, which: Ruleset | str | Path) -> Ruleset:
        """A ruleset, one of ours by name, or a YAML file by path."""
        if isinstance(which, Ruleset):
            return which
        if str(which) in ruleset_names():
            return _shipped(str(which))
        if isinstance(which, Path) or str(which).endswith((".yaml", ".yml")):
            return _read(Path(which))
        raise PlannerError(f"{which!r} is not a ruleset{nearest(which, ruleset_names())} Or give a YAML file.")


def ruleset_names() -> list[str]:
    """The rulesets that come with the project."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


@cache
def _shipped(name: str) -> Ruleset:
    return _read(FOLDER / f"{name}.yaml")


def problem_of(name: str, value: Any) -> str | None:
    """Why this cannot be the value of the rule, or None if it can."""
    try:
        if name == "name":
            text(value)
        elif name == "starting_hand":
            if not isinstance(value, tuple) or len(value) != 2:
                return f"{show(value)} is not two numbers"
            for part in value:
                whole(part, 0)
        elif name in ("coin", "mulligan", "hero_powers"):
            truth(value)
        else:
            whole(value, 1 if name in ("hero_health", "board_limit", "hand_limit", "turn_limit", "deck_size") else 0)
    except PlannerError as error:
        return str(error)
    return None


def _read(path: Path) -> Ruleset:
    file = Fields.of_file(path, "a ruleset", "such as 'board_limit: 7'")
    file.check([field.name for field in fields(Ruleset)])
    values: dict[str, Any] = {"name": path.stem}
    for key, value in file.entry.items():
        values[key] = tuple(value) if isinstance(value, list) else value
        problem = problem_of(key, values[key])
        if problem is not None:
            raise file.refuse(f"{key}: {problem}", key)
    rules = Ruleset(**values)
    if found := rules.contradiction():
        *keys, why = found
        raise file.refuse(why, next(key for key in keys if key in file))
    return rules
