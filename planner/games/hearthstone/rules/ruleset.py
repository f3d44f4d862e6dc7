"""Rulesets: the numbers and choices of the rules, as values, in YAML files and in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlMapping, parse_yaml
from planner.formats.values import (
    ErrorCollector,
    Fields,
    as_mapping,
    boolean,
    first_unknown_key,
    integer,
    one_of,
    read_field,
    text,
    unknown_field,
)
from planner.games.hearthstone.cards.catalogue import MAX_NUMBER, MAX_TEXT_LENGTH

STANDARD: Final = "standard"
FOLDER: Final = Path(__file__).parent / "data"
POSITIVE: Final = ("hero_health", "board_limit", "hand_limit", "turn_limit", "deck_size")  # at least 1
SWITCHES: Final = ("coin", "mulligan", "hero_powers", "summoning_sickness", "attack_required", "first_turn_draw")
# More would only cost memory: a mulligan alone has two options for each card.
MAXIMUM: Final = {"board_limit": 100, "hand_limit": 60, "deck_size": 1000, "draws_per_turn": 100}
EXECUTIONS: Final = ("legal", "printed")
_LIMITED_BY: Final = (("starting_hand", "hand_limit"), ("mana_start", "mana_limit"))


@dataclass(frozen=True)
class Ruleset:
    """The numbers and choices of a game. A pair holds the numbers of the first and the second player."""

    name: str = "custom"
    hero_health: int = 30
    board_limit: int = 7
    hand_limit: int = 10
    mana_limit: int = 10
    mana_start: int = 0  # crystals before the first turn, which adds `mana_growth`
    mana_growth: int = 1
    starting_hand: tuple[int, int] = (3, 4)
    coin: bool = True  # the second player gets The Coin
    mulligan: bool = True
    hero_powers: bool = True
    draws_per_turn: int = 1
    fatigue_start: int = 1
    fatigue_growth: int = 1  # 0: the same damage each time
    turn_limit: int = 180  # turns of both players; after them the match is a draw
    summoning_sickness: bool = True  # a minion without charge or rush cannot attack in its first turn
    attack_required: bool = True  # a minion with 0 attack cannot attack
    first_turn_draw: bool = True  # the first player draws at the start of the match's first turn
    deck_size: int = 30
    copies: int = 2  # of one card in a deck
    execution: str = "legal"  # printed: batches are legal, and rounds are counted as in Guo (2025)

    def __hash__(self) -> int:
        # Part of the hash of every state, where the name is enough.
        return hash(self.name)

    def __post_init__(self) -> None:
        for field in fields(self):
            problem = rule_problem(field.name, getattr(self, field.name))
            if problem is not None:
                raise PlannerError(f"ruleset {self.name}: {field.name}: {problem}")

    @cached_property
    def most_mana(self) -> int:
        """The most mana of a player: only rules that start above the limit allow more than the limit."""
        return max(self.mana_limit, self.mana_start)

    @cached_property
    def largest_hand(self) -> int:
        """The most cards in a hand: only rules that deal more than the limit allow more than the limit."""
        return max(self.hand_limit, *self.starting_hand)

    def contradiction(self) -> tuple[str, str, str] | None:
        """Return two rules with which no match can start, and the reason; None if there are none."""
        for name, limit in _LIMITED_BY:
            value, maximum = getattr(self, name), getattr(self, limit)
            if (max(value) if isinstance(value, tuple) else value) > maximum:
                return name, limit, f"{name}: {value!r} is more than the {limit} of {maximum}"
        return None

    @classmethod
    def of(cls, source: Ruleset | str | Path) -> Ruleset:
        """Return a ruleset: by name, from a YAML file, or from YAML text such as `{deck_size: 6}`."""
        if isinstance(source, Ruleset):
            return source
        if isinstance(source, str) and source.lstrip().startswith("{"):
            document = parse_yaml(source, Path("rules"))
            if isinstance(document, YamlMapping):
                return ruleset_from_fields(Fields(Path("rules"), document))
        if str(source) in ruleset_names():
            return shipped_rulesets()[str(source)]
        if isinstance(source, Path) or str(source).endswith((".yaml", ".yml")):
            return _read_file(Path(source))
        hint = f"{did_you_mean(str(source), ruleset_names())} (or give a YAML file, or {{deck_size: 6}})"
        raise PlannerError(f"unknown ruleset {quote(source)}{hint}")


@cache
def ruleset_names() -> list[str]:
    """Return the names of the rulesets that come with the project."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


@cache
def shipped_rulesets() -> dict[str, Ruleset]:
    """Return the rulesets that come with the project, by name."""
    return {name: _read_file(FOLDER / f"{name}.yaml") for name in ruleset_names()}


def rule_problem(name: str, value: Any) -> str | None:
    """Return why a rule cannot have this value, or None if it can."""
    try:
        if name == "name":
            text(value, MAX_TEXT_LENGTH)
        elif name == "starting_hand":
            if not isinstance(value, tuple) or len(value) != 2:
                return f"must be two integers, got {quote(value)}"
            for part in value:
                integer(part, 0)
        elif name in SWITCHES:
            boolean(value)
        elif name == "execution":
            one_of(value, EXECUTIONS)
        else:
            integer(value, 1 if name in POSITIVE else 0, MAXIMUM.get(name))
    except PlannerError as error:
        return str(error)
    return None


# -- YAML


def _read_file(path: Path) -> Ruleset:
    return ruleset_from_fields(Fields.of_file(path, "a ruleset", "such as 'board_limit: 7'"), path.stem)


def ruleset_from_fields(file: Fields, name: str = "custom") -> Ruleset:
    """Return the default rules with the changes of a YAML mapping; `name` applies if the mapping has none."""
    known = [field.name for field in fields(Ruleset)]
    collector = ErrorCollector()
    with collector:
        file.check_keys(known)
    values: dict[str, Any] = {"name": name}
    for key, value in file.entry.items():
        with collector:
            values[key] = tuple(value) if isinstance(value, list) else value
            problem = rule_problem(key, values[key]) if key in known else None
            if problem is not None:
                raise file.error(f"{key}: {problem}", key)
    collector.raise_if_any()
    rules = Ruleset(**values)
    if contradiction := rules.contradiction():
        *keys, reason = contradiction
        raise file.error(reason, next(key for key in keys if key in file))
    return rules


# -- JSON


def ruleset_from_json(value: object) -> Ruleset:
    """Read a shipped ruleset by name, or an object with what differs from `standard`. A path is never opened."""
    known = shipped_rulesets()
    if isinstance(value, str):
        if value not in known:
            raise PlannerError(f"ruleset: unknown ruleset {quote(value)}{did_you_mean(value, known)}")
        return known[value]
    entry: Mapping[str, Any] = read_field({"ruleset": value}, "ruleset", as_mapping)
    names = [field.name for field in fields(Ruleset)]
    if (unknown := first_unknown_key(entry, names)) is not None:
        raise PlannerError(f"ruleset: {unknown_field(unknown, names)}")
    values: dict[str, Any] = {name: getattr(known[STANDARD], name) for name in names} | {"name": "custom"}
    for key, rule in entry.items():
        values[key] = tuple(rule) if isinstance(rule, list) else rule
        parts = rule if isinstance(rule, list) else [rule]
        if any(isinstance(part, int) and part > MAX_NUMBER for part in parts):
            raise PlannerError(f"ruleset.{key}: must be at most {MAX_NUMBER}, got {quote(rule)}")
        problem = rule_problem(key, values[key])
        if problem is not None:
            raise PlannerError(f"ruleset.{key}: {problem}")
    return Ruleset(**values)


def ruleset_to_json(rules: Ruleset) -> str | dict[str, Any]:
    """Return the name of a shipped ruleset, or an object with what differs from `standard`."""
    known = shipped_rulesets()
    if known.get(rules.name) == rules:
        return rules.name
    out: dict[str, Any] = {"name": rules.name}
    for field in fields(Ruleset):
        value = getattr(rules, field.name)
        if value != getattr(known[STANDARD], field.name):
            out[field.name] = list(value) if isinstance(value, tuple) else value
    return out
