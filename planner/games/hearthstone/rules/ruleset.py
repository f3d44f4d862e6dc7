"""Everything in the rules that is a number or a choice."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlMapping, parse_yaml
from planner.formats.values import ErrorCollector, Fields, boolean, integer, text
from planner.games.hearthstone.cards.catalogue import LONGEST_TEXT

FOLDER: Final = Path(__file__).parent / "data"
POSITIVE: Final = ("hero_health", "board_limit", "hand_limit", "turn_limit", "deck_size")  # of at least 1
# No match needs more, and longer lists would only cost memory: a mulligan alone has two answers for each card.
MOST: Final = {"board_limit": 100, "hand_limit": 60, "deck_size": 1000, "draws_per_turn": 100}
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
        """A ruleset, one of ours by name, a YAML file by path, or rules as such a file has them: `{deck_size: 6}`."""
        if isinstance(which, Ruleset):
            return which
        if isinstance(which, str) and which.lstrip().startswith("{"):
            given = parse_yaml(which, Path("rules"))
            if isinstance(given, YamlMapping):
                return rules_in(Fields(Path("rules"), given))
        if str(which) in ruleset_names():
            return _shipped(str(which))
        if isinstance(which, Path) or str(which).endswith((".yaml", ".yml")):
            return _read(Path(which))
        hint = did_you_mean(str(which)[:80], ruleset_names())
        raise PlannerError(f"{quote(which)} is not a ruleset{hint} (or give a YAML file, or {{deck_size: 6}})")


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
            text(value, LONGEST_TEXT)
        elif name == "starting_hand":
            if not isinstance(value, tuple) or len(value) != 2:
                return f"{quote(value)} is not two numbers"
            for part in value:
                integer(part, 0)
        elif name in ("coin", "mulligan", "hero_powers"):
            boolean(value)
        else:
            integer(value, 1 if name in POSITIVE else 0, MOST.get(name))
    except PlannerError as error:
        return str(error)
    return None


def _read(path: Path) -> Ruleset:
    return rules_in(Fields.of_file(path, "a ruleset", "such as 'board_limit: 7'"), path.stem)


def rules_in(file: Fields, name: str = "custom") -> Ruleset:
    """The rules that this mapping changes, under this name unless it says another."""
    known = [field.name for field in fields(Ruleset)]
    collector = ErrorCollector()
    with collector:
        file.check_keys(known)
    values: dict[str, Any] = {"name": name}
    for key, value in file.entry.items():
        with collector:
            values[key] = tuple(value) if isinstance(value, list) else value
            problem = problem_of(key, values[key]) if key in known else None
            if problem is not None:
                raise file.error(f"{key}: {problem}", key)
    collector.raise_if_any()
    rules = Ruleset(**values)
    if found := rules.contradiction():
        *keys, why = found
        raise file.error(why, next(key for key in keys if key in file))
    return rules
