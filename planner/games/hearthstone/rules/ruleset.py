"""Rulesets: the numbers and choices of the rules, as values, in YAML files and in JSON."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlMapping, parse_yaml
from planner.formats.json_schema import Schema, object_schema
from planner.formats.values import ErrorCollector, Fields, as_mapping, at, first_unknown_key, read_field, unknown_field
from planner.games.hearthstone.cards.field_kinds import FLAG, MAX_NUMBER, TEXT, Kind, choice_kind, integer_kind

STANDARD: Final = "standard"
FOLDER: Final = Path(__file__).parent / "data"
_POSITIVE: Final = ("hero_health", "board_limit", "hand_limit", "turn_limit", "deck_size")  # at least 1
# More would only cost memory: a mulligan alone has two options for each card.
_MAXIMUM: Final = {"board_limit": 100, "hand_limit": 60, "deck_size": 1000, "draws_per_turn": 100}
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
        for name, kind in rule_kinds().items():
            try:
                object.__setattr__(self, name, kind.read(getattr(self, name)))
            except PlannerError as error:
                raise PlannerError(f"ruleset {self.name}: {name}: {error}") from None

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


def _pair_kind(part: Kind) -> Kind:
    def read(value: Any) -> tuple[int, int]:
        if not isinstance(value, list | tuple) or len(value) != 2:
            raise PlannerError(f"must be two integers, got {quote(value)}")
        return part.read(value[0]), part.read(value[1])

    return Kind(read, {"type": "array", "items": part.schema, "minItems": 2, "maxItems": 2}, list)


@cache
def rule_kinds(maximum: int | None = None) -> dict[str, Kind]:
    """Return what each rule can be, with this limit for numbers. A file may have larger ones than a state."""
    number = integer_kind(0, maximum)
    kinds = {"str": TEXT, "bool": FLAG, "int": number}
    rules = {rule.name: kinds.get(str(rule.type), _pair_kind(number)) for rule in fields(Ruleset)}
    for name in (*_POSITIVE, *_MAXIMUM):
        rules[name] = integer_kind(int(name in _POSITIVE), _MAXIMUM.get(name, maximum))
    return rules | {"execution": choice_kind(("legal", "printed"))}


def rules_schema(maximum: int | None = None) -> Schema:
    """Return the schema of a ruleset, with this limit for numbers."""
    return object_schema({name: kind.schema for name, kind in sorted(rule_kinds(maximum).items())})


# -- YAML


def _read_file(path: Path) -> Ruleset:
    return ruleset_from_fields(Fields.of_file(path, "a ruleset", "such as 'board_limit: 7'"), path.stem)


def ruleset_from_fields(file: Fields, name: str = "custom") -> Ruleset:
    """Return the default rules with the changes of a YAML mapping; `name` applies if the mapping has none."""
    kinds = rule_kinds()
    collector = ErrorCollector()
    with collector:
        file.check_keys(kinds)
    values: dict[str, Any] = {"name": name}
    for key in kinds:
        if key in file:
            with collector:
                values[key] = file.read(key, kinds[key].read)
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
    kinds = rule_kinds(MAX_NUMBER)
    with at("ruleset"):
        entry = as_mapping(value)
        if (unknown := first_unknown_key(entry, kinds)) is not None:
            raise PlannerError(unknown_field(unknown, kinds))
        changes = {key: read_field(entry, key, kinds[key].read) for key in entry}
    return replace(known[STANDARD], **{"name": "custom", **changes})


def ruleset_to_json(rules: Ruleset) -> str | dict[str, Any]:
    """Return the name of a shipped ruleset, or an object with what differs from `standard`."""
    known = shipped_rulesets()
    if known.get(rules.name) == rules:
        return rules.name
    standard = known[STANDARD]
    out: dict[str, Any] = {"name": rules.name}
    for name, kind in rule_kinds().items():
        value = getattr(rules, name)
        if value != getattr(standard, name):
            out[name] = value if kind.write is None else kind.write(value)
    return out
