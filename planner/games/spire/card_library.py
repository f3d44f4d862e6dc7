"""The library of a battle: cards, statuses and enemies, read from YAML or JSON definitions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Final
from weakref import WeakValueDictionary

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import load_yaml
from planner.formats.json_records import JsonField, JsonKind, JsonRecord, list_of, mapping_of
from planner.formats.json_schema import STRING, Schema, any_of, object_schema, schema_of
from planner.formats.values import (
    ErrorCollector,
    PlacedError,
    as_mapping,
    at,
    boolean,
    one_of,
    placed,
    read_items,
    text,
)
from planner.games.spire.action_language import (
    AMOUNT_SCHEMA,
    FACTOR,
    ActionReader,
    amounts,
    positive_number,
    read_amount,
    signed_number,
)
from planner.games.spire.battle_definitions import (
    Callback,
    Card,
    EnemyKind,
    EnemyMove,
    MovePattern,
    Status,
    ValueChange,
)
from planner.games.spire.built_in_words import BUILT_IN
from planner.games.spire.extensions import load_extension
from planner.games.spire.vocabulary import NamedFunction, Vocabulary, look_up

CARD_TYPES: Final = ("attack", "skill", "power")
STACKING: Final = ("add", "keep", "apart")
SECTIONS: Final = ("statuses", "cards", "enemies")  # of a definition file, in the order in which they are read
_MAX_LEVEL: Final = 999  # of a card that can be upgraded any number of times; its title has three digits
_DATA: Final = Path(__file__).with_name("data")
_CHANGES: Final = ("add", "times", "call")  # what a status can do with a value
_REACTIONS: Final = ("does", "remove", "call")  # what a status can do at a moment


# -- kinds of fields


_TITLE: Final = re.compile(r"(.*?)(?:\+(\d{0,3}))?", re.DOTALL)
_HEALTH_RANGE: Final = re.compile(r"([1-9]\d{0,3})(?:-([1-9]\d{0,3}))?")


def _read_health(value: Any) -> tuple[int, int]:
    """Read a health of an enemy: a number, or a range from which a battle draws one."""
    is_plain = isinstance(value, int | str) and not isinstance(value, bool)
    match = _HEALTH_RANGE.fullmatch(str(value)) if is_plain else None
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if low > high:
        raise PlannerError(f"{quote(value)} is not a health such as 44 or 40-44")
    return low, high


def _read_addend(value: Any) -> int | str:
    return value if value == "stacks" else signed_number(value)


def _read_true(value: Any) -> bool:
    if value is not True:
        raise PlannerError(f"must be true, got {quote(value)}")
    return True


_HEALTH: Final = JsonKind(
    _read_health, any_of(schema_of(positive_number), {**STRING, "pattern": rf"^{_HEALTH_RANGE.pattern}$"})
)
_ADDEND: Final = JsonKind(_read_addend, any_of(schema_of(signed_number), {"const": "stacks"}))
_TRUE: Final = JsonKind(_read_true, {"const": True})
_FILE: Final = JsonRecord(dict.fromkeys(SECTIONS, JsonField(as_mapping, {})))
DEFINITIONS: Final = JsonKind(_FILE.read, _FILE.schema)
_PATTERN: Final = JsonRecord(
    in_turn=JsonField(list_of(text, 1), None),
    first=JsonField(text, None),
    then=JsonField(mapping_of(positive_number), None),
    in_a_row=JsonField(mapping_of(positive_number), {}),
)
_PATTERN_SCHEMA: Final[Schema] = {
    **_PATTERN.schema, "oneOf": [{"required": ["in_turn"]}, {"required": ["then", "first"]}],
}  # fmt: skip


# -- definitions


class DefinitionReader:
    """Describes and reads the fields of definitions, with the words and statuses of a library."""

    def __init__(self, library: Library) -> None:
        self._library = library

    @cached_property
    def status(self) -> JsonRecord:
        """The fields of a status."""
        reaction = JsonKind(self._read_reaction, {**self._reaction.schema, "minProperties": 2, "maxProperties": 2})
        return JsonRecord(
            good=JsonField(boolean),
            stacking=JsonField(partial(one_of, choices=STACKING)),
            each_turn=JsonField(signed_number, 0),
            points=JsonField(FACTOR, Fraction(1)),
            keeps_hand=JsonField(boolean, False),
            on=JsonField(list_of(reaction), ()),
            ends=JsonField(self._status_actions.steps, ()),
        )

    @cached_property
    def card(self) -> JsonRecord:
        """The fields of a card."""
        return JsonRecord(
            cost=JsonField(JsonKind(read_amount, AMOUNT_SCHEMA)),
            type=JsonField(partial(one_of, choices=CARD_TYPES)),
            does=JsonField(self._card_actions.steps),
            text=JsonField(text, None),
            retain=JsonField(boolean, False),
        )

    @cached_property
    def enemy(self) -> JsonRecord:
        """The fields of an enemy."""
        return JsonRecord(
            health=JsonField(_HEALTH),
            moves=JsonField(mapping_of(ActionReader("move", self._library).steps, 1)),
            pattern=JsonField(JsonKind(_PATTERN.read, _PATTERN_SCHEMA)),
        )

    def schema(self) -> Schema:
        """Return the schema of a definition file."""
        name = {"pattern": r"^[^+,\n;:|]*\S[^+,\n;:|]*$"}
        records = zip(SECTIONS, (self.status, self.card, self.enemy), strict=True)
        sections = {section: {**mapping_of(record).schema, "propertyNames": name} for section, record in records}
        return {**object_schema(sections), "$defs": {"actions": self._card_actions.schema()}}

    @cached_property
    def _card_actions(self) -> ActionReader:
        return ActionReader("card", self._library)

    @cached_property
    def _status_actions(self) -> ActionReader:
        return ActionReader("status", self._library)

    @cached_property
    def _reaction(self) -> JsonRecord:
        return JsonRecord(
            event=JsonField(partial(one_of, choices=tuple(self._library.vocabulary.events))),
            add=JsonField(_ADDEND, 0),
            times=JsonField(FACTOR, None),
            call=JsonField(JsonKind(self._read_function, schema_of(text)), None),
            does=JsonField(self._status_actions.steps, ()),
            remove=JsonField(_TRUE, False),
        )

    def _read_function(self, name: Any) -> NamedFunction:
        function = look_up(self._library.vocabulary.functions, name, "a function")
        self._library.ignores_hand_order &= function.ignores_hand_order
        return function

    def _read_reaction(self, item: Any) -> tuple[str, ValueChange | Callback]:
        """Read what a status does at an event: change its value, or run a callback."""
        values = self._reaction.read(item)
        event, call = values["event"], values["call"]
        changes_value = self._library.vocabulary.events[event].changes_value
        first, second, third = allowed = _CHANGES if changes_value else _REACTIONS
        if len(item) != 2 or not set(item) & set(allowed):
            kind = "value change" if changes_value else "callback"
            raise PlannerError(f"a {kind} must have exactly one of {first}, {second} and {third}")
        if changes_value:
            stacks = values["add"] == "stacks"
            function = call and call.value_function
            return event, ValueChange(0 if stacks else values["add"], stacks, values["times"], function)
        program = tuple(step.at(0) for step in values["does"])
        return event, Callback(program, values["remove"], call and call.function)


# -- the library


class Library:
    """The cards, statuses and enemies of a battle: those that come with the game, and custom ones."""

    def __init__(
        self,
        base: Library | None = None,
        vocabulary: Vocabulary = BUILT_IN,
        extension: str = "",
        anonymous: bool = False,
    ) -> None:
        self.vocabulary: Vocabulary = vocabulary if base is None else base.vocabulary
        self.extension: str = extension if base is None else base.extension  # its file, or empty
        self.ignores_hand_order: bool = base is None or base.ignores_hand_order  # whether all actions do
        self.is_anonymous = anonymous  # whether cards and statuses have meaningless names
        self.statuses: dict[str, Status] = dict(base.statuses) if base else {}
        self.enemies: dict[str, EnemyKind] = dict(base.enemies) if base else {}
        self._cards: dict[str, tuple[Mapping[str, Any], Card]] = dict(base._cards) if base else {}
        self._levels: dict[tuple[str, int], Card] = {}
        self._definitions: dict[str, dict[str, Any]] = {
            section: dict(base._definitions[section]) if base else {} for section in SECTIONS
        }
        self.custom: dict[str, dict[str, Any]] = {}  # the definitions that do not come with the game

    def __reduce__(self) -> tuple[Any, ...]:
        return library_from_json, (json.dumps(self.custom), self.is_anonymous, self.extension)

    # -- looking up

    @property
    def card_names(self) -> tuple[str, ...]:
        """Return the names of all cards, in the order of their definitions."""
        return tuple(self._cards)

    def status(self, name: Any) -> Status:
        """Return the status that definitions call by this name."""
        return look_up(self.statuses, self._renamed(name), "a status")

    def card(self, title: str) -> Card:
        """Return the card with this title, such as Strike, Strike+ or Searing Blow+3."""
        match = _TITLE.fullmatch(title) if isinstance(title, str) else None
        name, level = (match[1], 0 if match[2] is None else int(match[2] or 1)) if match else ("", 0)
        if name not in self._cards:
            raise PlannerError(f"{quote(title)} is not a card{did_you_mean(name, self._cards)}")
        card = self._cards[name][1]
        for _ in range(level):
            upgraded = self.upgraded(card)
            if upgraded is None:
                raise PlannerError(f"{quote(title)}: {card.title} cannot be upgraded")
            card = upgraded
        return card

    def upgraded(self, card: Card) -> Card | None:
        """Return the next level of this card, or None if it cannot be upgraded."""
        if card.next is not None:
            return card.next
        fields = self._cards[card.name][0]
        if card.level >= _MAX_LEVEL or not any(amount.each for amount in amounts(fields["does"])):
            return None
        key = card.name, card.level + 1
        if key not in self._levels:
            self._levels[key] = _card_at(*key, fields, card.rank)
        return self._levels[key]

    def owns(self, card: Any) -> bool:
        """Return whether this is a card of this library."""
        if not isinstance(card, Card) or card.name not in self._cards:
            return False
        base = self._cards[card.name][1]
        return card is base or card is base.next or self._levels.get((card.name, card.level)) is card

    def _renamed(self, name: Any) -> Any:
        return anonymous_name(name) if self.is_anonymous and isinstance(name, str) else name

    # -- reading

    def add(self, data: Any, source: str, shipped: bool = False) -> None:
        """Read the definitions of a file, or of another `source`: a mapping of statuses, cards and enemies."""
        if not isinstance(data, dict):
            kind = "a list" if isinstance(data, list) else quote(data)
            hint = "; for cards of hearthstone, use `planner compare`" if isinstance(data, list) else ""
            raise PlannerError(f"{source}: must be a mapping with {', '.join(SECTIONS)}, got {kind}{hint}")
        collector = ErrorCollector()
        with collector, _located(source, data):
            DEFINITIONS.read(data)
        collector.raise_if_any()
        reader = DefinitionReader(self)
        for section, add in zip(SECTIONS, (self._add_status, self._add_card, self._add_enemy), strict=True):
            for name, entry in data.get(section, {}).items():
                with collector, _located(source, data), at(section, name):
                    if not isinstance(entry, dict):
                        raise PlannerError(f"{quote(entry)} is not a mapping")
                    if not name.strip() or re.search(r"[+,\n;:|]", name):
                        raise PlannerError("a name must not be empty or contain + , ; : or |")
                    add(name if section == "enemies" else self._renamed(name), entry, reader)
                    self._definitions[section][name] = entry
                    if not shipped:
                        self.custom.setdefault(section, {})[name] = entry
            collector.raise_if_any()  # a wrong status would cause an error in every card that applies it

    def _add_status(self, name: str, entry: dict[str, Any], reader: DefinitionReader) -> None:
        _check_new(name, self.statuses, "status")
        status = self.statuses[name] = Status(name, len(self.statuses))  # a status may apply itself
        values = reader.status.read(entry)
        effects: dict[type, dict[str, tuple[Any, ...]]] = {ValueChange: {}, Callback: {}}
        for event, effect in values.pop("on"):
            by_event = effects[type(effect)]
            by_event[event] = (*by_event.get(event, ()), effect)
        on_end = tuple(step.at(0) for step in values.pop("ends"))
        vars(status).update(values, changes=effects[ValueChange], callbacks=effects[Callback], on_end=on_end)

    def _add_card(self, name: str, entry: dict[str, Any], reader: DefinitionReader) -> None:
        _check_new(name, self._cards, "card")
        fields = reader.card.read(entry)
        if self.is_anonymous:
            fields["text"] = None
        rank, upgraded = len(self._cards), None
        if any(amount.upgraded is not None for amount in (fields["cost"], *amounts(fields["does"]))):
            upgraded = _card_at(name, 1, fields, rank)
        self._cards[name] = fields, _card_at(name, 0, fields, rank, upgraded)

    def _add_enemy(self, name: str, entry: dict[str, Any], reader: DefinitionReader) -> None:
        _check_new(name, self.enemies, "enemy")
        values = reader.enemy.read(entry)
        moves = tuple(EnemyMove(move, tuple(step.at(0) for step in steps)) for move, steps in values["moves"].items())
        with at("pattern"):
            pattern = _move_pattern(values["pattern"], list(values["moves"]))
        self.enemies[name] = EnemyKind(name, values["health"], moves, pattern)

    def anonymous(self) -> Library:
        """Return this library with meaningless names for cards and statuses: agents must read what a card does."""
        library = Library(None, self.vocabulary, self.extension, anonymous=True)
        library.add(self._definitions, "anonymous", shipped=True)
        library.custom = self.custom
        return library


def anonymous_name(name: str) -> str:
    """Return letters that reveal nothing about the name, always the same ones for the same name."""
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).digest()
    return "".join("bcdfghklmnprstvwz"[byte % 17] for byte in digest[:7])


@contextmanager
def _located(source: str, data: Any) -> Iterator[None]:
    """Put the source in front of an error, with the line, and the names that lead to the place."""
    try:
        yield
    except PlannerError as error:
        place = placed(error)
        line = place.line_in(data)
        names = [key for key in place.path[1:] if isinstance(key, str)]
        start = source if line is None else f"{source}:{line}"
        raise PlannerError(*(": ".join((start, *names, reason)) for reason in place.reasons)) from None


def _check_new(name: str, known: Mapping[str, Any], kind: str) -> None:
    if name in known:
        raise PlannerError(f"duplicate name: this {kind} exists already")


def _card_at(name: str, level: int, fields: Mapping[str, Any], rank: int, upgraded: Card | None = None) -> Card:
    program = tuple(step.at(level) for step in fields["does"])
    cost = fields["cost"].at(level)
    return Card(name, level, cost, fields["type"], program, upgraded, fields["text"], fields["retain"], rank)


def _move_pattern(values: Mapping[str, Any], moves: list[str]) -> MovePattern:
    """Return the pattern: a rotation (`in_turn`), or chances (`then`) behind a first move."""
    names, first, no_numbers = values["in_turn"], values["first"], (0,) * len(moves)
    if (names is None) == (values["then"] is None):
        raise PlannerError("a pattern must have either in_turn or then")
    if names is not None:
        with at("in_turn"):
            rotation = tuple(read_items(lambda name: moves.index(one_of(name, moves)), names))
            if len(set(rotation)) != len(rotation):
                raise PlannerError("duplicate move")
        if values["in_a_row"]:
            raise PlacedError(("in_a_row",), "belongs to then, not to in_turn")
        if first is None:
            return MovePattern(rotation, rotation[0], no_numbers, no_numbers)
        with at("first"):
            one_of(first, ("random",))
        return MovePattern(rotation, None, no_numbers, no_numbers)
    tables = []
    for key in ("then", "in_a_row"):
        for name in values[key]:
            with at(key, name):
                one_of(name, moves)
        tables.append(tuple(values[key].get(move, 0) for move in moves))
    chances, max_repeats = tables
    if sum(chances) != 100:
        raise PlacedError(("then",), f"the chances must add up to 100, got {sum(chances)}")
    # When a move may not repeat again, another one must be possible.
    if any(chance == 100 and limit for chance, limit in zip(chances, max_repeats, strict=True)):
        raise PlannerError("the only move must be allowed to repeat without limit")
    if first is None:
        raise PlacedError(("first",), "is missing")
    with at("first"):
        return MovePattern((), moves.index(one_of(first, moves)), chances, max_repeats)


# -- libraries


@cache
def shipped_library(extension: str) -> Library:
    """Return the library that comes with the game, or with the extension in this file."""
    added = load_extension(extension) if extension else None
    library = Library(None, added or BUILT_IN, extension)
    for section in SECTIONS:
        path = _DATA / f"{section}.yaml"
        library.add(load_yaml(path), str(path), shipped=True)
    if added is not None:
        library.add(added.definitions, extension, shipped=True)
    return library


def load_library(*paths: Path, extension: str = "") -> Library:
    """Return the library of the game with the definitions of these files added."""
    library = Library(shipped_library(extension))
    for path in paths:
        library.add(load_yaml(path), str(path))  # errors name the line
    return library_with(library.custom, base=shipped_library(extension))


def library_with(
    custom: Mapping[str, Any] | None = None, anonymous: bool = False, base: Library | None = None
) -> Library:
    """Return the library of the game, or `base`, with these definitions added or in place of its own ones.

    Equal definitions give the same object.
    """
    base, custom = base or shipped_library(""), custom or {}
    sections = {section: {**base.custom.get(section, {}), **custom.get(section, {})} for section in SECTIONS}
    given = {section: entries for section, entries in sections.items() if entries}
    return library_from_json(json.dumps(given), anonymous, base.extension)


_libraries: Final[WeakValueDictionary[tuple[str, bool, str], Library]] = WeakValueDictionary()


@lru_cache(maxsize=64)  # a service meets any number of libraries; those in use keep their identity
def library_from_json(custom: str, anonymous: bool, extension: str) -> Library:
    """Return the same as `library_with` for definitions as JSON text."""
    key = custom, anonymous, extension
    library = _libraries.get(key)
    if library is None:
        library = _libraries[key] = _read_library(*key)
    return library


def _read_library(custom: str, anonymous: bool, extension: str) -> Library:
    if anonymous:
        return library_from_json(custom, False, extension).anonymous()
    if custom == "{}":
        return shipped_library(extension)
    library = Library(shipped_library(extension))
    library.add(json.loads(custom), "library")
    return library
