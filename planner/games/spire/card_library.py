"""The library of a battle: cards, statuses and enemies, read from YAML or JSON definitions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import load_yaml
from planner.formats.values import ErrorCollector, boolean, first_unknown_key, one_of, text, unknown_field
from planner.games.spire.action_language import (
    ActionReader,
    Amount,
    SourceLocation,
    Step,
    factor,
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
    compile_steps,
)
from planner.games.spire.built_in_words import BUILT_IN
from planner.games.spire.extensions import load_extension
from planner.games.spire.vocabulary import NamedFunction, Vocabulary

CARD_TYPES: Final = ("attack", "skill", "power")
STACKING: Final = ("add", "keep", "apart")
SECTIONS: Final = ("statuses", "cards", "enemies")  # of a definition file, in the order in which they are read
_MAX_LEVEL: Final = 999  # of a card that can be upgraded any number of times; its title has three digits
_DATA: Final = Path(__file__).with_name("data")


# -- the library


class Library:
    """The cards, statuses and enemies of a battle: those that come with the game, and custom ones."""

    def __init__(self, base: Library | None = None, vocabulary: Vocabulary = BUILT_IN, extension: str = "") -> None:
        self.vocabulary: Vocabulary = vocabulary if base is None else base.vocabulary
        self.extension: str = extension if base is None else base.extension  # its file, or empty
        self.ignores_hand_order: bool = base is None or base.ignores_hand_order  # whether all actions do
        self.statuses: dict[str, Status] = dict(base.statuses) if base else {}
        self.enemies: dict[str, EnemyKind] = dict(base.enemies) if base else {}
        self._cards: dict[str, tuple[Mapping[str, Any], Card]] = dict(base._cards) if base else {}
        self._levels: dict[tuple[str, int], Card] = {}
        self._definitions: dict[str, dict[str, Any]] = {
            section: dict(base._definitions[section]) if base else {} for section in SECTIONS
        }
        self.custom: dict[str, dict[str, Any]] = {}  # the definitions that do not come with the game
        self.is_anonymous = False

    @property
    def card_names(self) -> tuple[str, ...]:
        """Return the names of all cards, in the order of their definitions."""
        return tuple(self._cards)

    def card(self, title: str) -> Card:
        """Return the card with this title, such as Strike, Strike+ or Searing Blow+3."""
        match = re.fullmatch(r"(.*?)(?:\+(\d{0,3}))?", title, re.DOTALL) if isinstance(title, str) else None
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
        if card.level >= _MAX_LEVEL or not any(amount.each for amount in _amounts(card.steps)):
            return None
        key = card.name, card.level + 1
        if key not in self._levels:
            self._levels[key] = _card_at(card.name, key[1], self._cards[card.name][0], card.steps, self, card.rank)
        return self._levels[key]

    def owns(self, card: Any) -> bool:
        """Return whether this is a card of this library."""
        if not isinstance(card, Card) or card.name not in self._cards:
            return False
        base = self._cards[card.name][1]
        return card is base or card is base.next or self._levels.get((card.name, card.level)) is card

    # -- reading

    def add(self, data: Any, location: SourceLocation, shipped: bool = False) -> None:
        """Read a definition file: a mapping of statuses, cards and enemies."""
        if not isinstance(data, dict):
            kind = "a list" if isinstance(data, list) else quote(data)
            hint = "; for cards of hearthstone, use `planner compare`" if isinstance(data, list) else ""
            raise location.error(f"must be a mapping with {', '.join(SECTIONS)}, got {kind}{hint}")
        if (unknown := first_unknown_key(data, SECTIONS)) is not None:
            raise location.at(data, unknown).error(unknown_field(unknown, SECTIONS))
        collector = ErrorCollector()
        for section, read in zip(SECTIONS, (self._add_status, self._add_card, self._add_enemy), strict=True):
            entries = data.get(section, {})
            if not isinstance(entries, dict):
                raise location.at(data, section).error(f"{section}: {quote(entries)} is not a mapping of names")
            for name, entry in entries.items():
                with collector:
                    here = location.at(entries, name, name)
                    if not isinstance(entry, dict):
                        raise here.error(f"{quote(entry)} is not a mapping")
                    if not name.strip() or re.search(r"[+,\n;:|]", name):
                        raise here.error("a name must not be empty or contain + , ; : or |")
                    read(name, entry, here)
                    self._definitions[section][name] = entry
                    if not shipped:
                        self.custom.setdefault(section, {})[name] = entry
            collector.raise_if_any()  # a wrong status would cause an error in every card that applies it

    def _add_status(self, name: str, entry: dict[str, Any], location: SourceLocation) -> None:
        if name in self.statuses:
            raise location.error("duplicate name: this status exists already")
        location.check_keys(entry, ("good", "stacking"), ("each_turn", "points", "keeps_hand", "on", "ends"))
        good = location.read(entry, "good", boolean)
        stacking = location.read(entry, "stacking", partial(one_of, choices=STACKING))
        each_turn = location.read(entry, "each_turn", signed_number) if "each_turn" in entry else 0
        points = location.read(entry, "points", factor) if "points" in entry else Fraction(1)
        keeps_hand = location.read(entry, "keeps_hand", boolean) if "keeps_hand" in entry else False
        status = Status(name, len(self.statuses), good, stacking, each_turn, points, keeps_hand)
        self.statuses[name] = status  # a status may apply itself
        reader = ActionReader("status", self.vocabulary, self.statuses)
        callbacks: dict[str, tuple[Callback, ...]] = {}
        changes: dict[str, tuple[ValueChange, ...]] = {}
        items = entry.get("on", [])
        if not isinstance(items, list):
            raise location.at(entry, "on", "on").error(f"{quote(items)} is not a list of callbacks")
        for index, item in enumerate(items):
            here = location.at(items, index, "on")
            if not isinstance(item, dict) or "event" not in item:
                raise here.error(f"{quote(item)} is not a callback with an event")
            event = here.read(item, "event", partial(one_of, choices=tuple(self.vocabulary.events)))
            if self.vocabulary.events[event].changes_value:
                changes[event] = (*changes.get(event, ()), self._value_change(item, here))
            else:
                callbacks[event] = (*callbacks.get(event, ()), self._callback(item, here, reader))
        object.__setattr__(status, "changes", changes)
        object.__setattr__(status, "callbacks", callbacks)
        if "ends" in entry:
            on_end = compile_steps(reader.steps(entry["ends"], location.at(entry, "ends", "ends")), 0, self)
            object.__setattr__(status, "on_end", on_end)
        self.ignores_hand_order &= reader.ignores_hand_order

    def _value_change(self, item: dict[str, Any], location: SourceLocation) -> ValueChange:
        location.check_keys(item, ("event",), ("add", "times", "call"))
        if len(item) != 2:
            raise location.error("a value change must have exactly one of add, times and call")
        if "call" in item:
            return ValueChange(call=location.read(item, "call", self._function).value_function)
        if "times" in item:
            return ValueChange(times=location.read(item, "times", factor))
        if item["add"] == "stacks":
            return ValueChange(stacks=True)
        return ValueChange(add=location.read(item, "add", signed_number))

    def _callback(self, item: dict[str, Any], location: SourceLocation, reader: ActionReader) -> Callback:
        location.check_keys(item, ("event",), ("does", "remove", "call"))
        if len(item) != 2:
            raise location.error("a callback must have exactly one of does, remove and call")
        if "call" in item:
            return Callback(call=location.read(item, "call", self._function).function)
        if "remove" in item:
            if item["remove"] is not True:
                raise location.at(item, "remove", "remove").error(f"must be true, got {quote(item['remove'])}")
            return Callback(remove=True)
        steps = reader.steps(item["does"], location.at(item, "does", "does"))
        return Callback(program=compile_steps(steps, 0, self))

    def _function(self, name: Any) -> NamedFunction:
        function = self.vocabulary.read_function(name)
        self.ignores_hand_order &= function.ignores_hand_order
        return function

    def _add_card(self, name: str, entry: dict[str, Any], location: SourceLocation) -> None:
        if name in self._cards:
            raise location.error("duplicate name: this card exists already")
        location.check_keys(entry, ("cost", "type", "does"), ("text", "retain"))
        cost = location.read(entry, "cost", read_amount)
        card_type = location.read(entry, "type", partial(one_of, choices=CARD_TYPES))
        own_text = location.read(entry, "text", text) if "text" in entry else None
        retain = location.read(entry, "retain", boolean) if "retain" in entry else False
        reader = ActionReader("card", self.vocabulary, self.statuses)
        steps = reader.steps(entry["does"], location.at(entry, "does", "does"))
        self.ignores_hand_order &= reader.ignores_hand_order
        fields = {"cost": cost, "type": card_type, "text": own_text, "retain": retain}
        rank, upgraded = len(self._cards), None
        if cost.upgraded is not None or any(amount.upgraded is not None for amount in _amounts(steps)):
            upgraded = _card_at(name, 1, fields, steps, self, rank)
        self._cards[name] = fields, _card_at(name, 0, fields, steps, self, rank, upgraded)

    def _add_enemy(self, name: str, entry: dict[str, Any], location: SourceLocation) -> None:
        if name in self.enemies:
            raise location.error("duplicate name: this enemy exists already")
        location.check_keys(entry, ("health", "moves", "pattern"), ())
        health = location.read(entry, "health", _read_health)
        items, here = entry["moves"], location.at(entry, "moves", "moves")
        if not isinstance(items, dict) or not items:
            raise here.error(f"{quote(items)} is not a mapping of moves")
        reader = ActionReader("move", self.vocabulary, self.statuses)
        moves = []
        for move, actions in items.items():
            steps = reader.steps(actions, here.at(items, move, move))
            moves.append(EnemyMove(move, steps, compile_steps(steps, 0, self)))
        self.ignores_hand_order &= reader.ignores_hand_order
        pattern = _read_pattern(entry["pattern"], list(items), location.at(entry, "pattern", "pattern"))
        self.enemies[name] = EnemyKind(name, health, tuple(moves), pattern)

    # -- anonymous names

    def anonymous(self) -> Library:
        """Return this library with meaningless names for cards and statuses: agents must read what a card does."""
        library = Library(None, self.vocabulary, self.extension)
        renamed = {
            section: {
                name if section == "enemies" else anonymous_name(name): self._renamed_entry(entry)
                for name, entry in entries.items()
            }
            for section, entries in self._definitions.items()
        }
        library.add(renamed, SourceLocation("anonymous"), shipped=True)
        library.is_anonymous, library.custom = True, self.custom
        return library

    def _renamed_entry(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return a definition with anonymous names in its actions, and without a text of its own."""
        renamed = {}
        for key, value in entry.items():
            if key == "moves":
                renamed[key] = {move: self._renamed(actions) for move, actions in value.items()}
            elif key in ("does", "on", "ends"):
                renamed[key] = self._renamed(value)
            elif key != "text":
                renamed[key] = value
        return renamed

    def _renamed(self, value: Any) -> Any:
        """Return actions or callbacks with anonymous names of statuses."""
        if isinstance(value, list):
            return [self._renamed(item) for item in value]
        if not isinstance(value, dict):
            return value
        renamed = {}
        verb = self.vocabulary.verbs.get(value.get("do", ""))
        defaults = {} if verb is None or "status" not in verb.defaults else {"status": verb.defaults["status"]}
        for key, item in {**defaults, **value}.items():
            if key == "status":
                renamed[key] = anonymous_name(item)
            elif key == "if":
                condition, rest = self.vocabulary.split_condition(item)
                renamed[key] = f"{condition.name} {anonymous_name(rest)}" if condition.field == "status" else item
            else:
                renamed[key] = self._renamed(item)
        return renamed


def anonymous_name(name: str) -> str:
    """Return letters that reveal nothing about the name, always the same ones for the same name."""
    digest = hashlib.sha256(name.encode()).digest()
    return "".join("bcdfghklmnprstvwz"[byte % 17] for byte in digest[:7])


@cache
def shipped_library(extension: str) -> Library:
    """Return the library that comes with the game, or with the extension in this file."""
    added = load_extension(extension) if extension else None
    library = Library(None, added or BUILT_IN, extension)
    for section in SECTIONS:
        path = _DATA / f"{section}.yaml"
        library.add(load_yaml(path), SourceLocation(str(path)), shipped=True)
    if added is not None:
        library.add(added.definitions, SourceLocation(extension), shipped=True)
    return library


def load_library(*paths: Path, extension: str = "") -> Library:
    """Return the library of the game with the definitions of these files added."""
    library = Library(shipped_library(extension))
    for path in paths:
        library.add(load_yaml(path), SourceLocation(str(path)))  # errors name the line
    return library_with(library.custom, extension=extension)


def library_with(custom: Mapping[str, Any] | None = None, anonymous: bool = False, extension: str = "") -> Library:
    """Return the library of the game with these definitions added; equal definitions give the same object."""
    given = {section: entries for section, entries in (custom or {}).items() if entries != {}}
    ordered = {section: given[section] for section in SECTIONS if section in given}
    return library_from_json(json.dumps(ordered | given), anonymous, extension)


@cache
def library_from_json(custom: str, anonymous: bool, extension: str) -> Library:
    """Return the same as `library_with` for definitions as JSON text."""
    if anonymous:
        return library_from_json(custom, False, extension).anonymous()
    if custom == "{}":
        return shipped_library(extension)
    library = Library(shipped_library(extension))
    library.add(json.loads(custom), SourceLocation("library"))
    return library


def _card_at(
    name: str, level: int, fields: Mapping[str, Any], steps: tuple[Step, ...], library: Library, rank: int,
    upgraded: Card | None = None,
) -> Card:  # fmt: skip
    program = compile_steps(steps, level, library)
    cost: Amount = fields["cost"]
    text_and_retain = fields["text"], fields["retain"]
    return Card(name, level, cost.at(level), fields["type"], steps, program, upgraded, *text_and_retain, rank)


def _amounts(steps: tuple[Step, ...]) -> Iterator[Amount]:
    return (amount for step in steps for atom in step.atoms for amount in atom.amounts.values())


# -- readers of single fields


_HEALTH_RANGE: Final = re.compile(r"([1-9]\d{0,3})(?:-([1-9]\d{0,3}))?")


def _read_health(value: Any) -> tuple[int, int]:
    """Read a health of an enemy: a number, or a range from which a battle draws one."""
    is_plain = isinstance(value, int | str) and not isinstance(value, bool)
    match = _HEALTH_RANGE.fullmatch(str(value)) if is_plain else None
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if low > high:
        raise PlannerError(f"{quote(value)} is not a health such as 44 or 40-44")
    return low, high


def _read_pattern(value: Any, moves: list[str], location: SourceLocation) -> MovePattern:
    """Read a pattern: a rotation (`in_turn`), or chances (`then`) behind a first move."""
    if not isinstance(value, dict) or ("in_turn" in value) == ("then" in value):
        raise location.error(f"{quote(value)} is not a pattern: it must have either in_turn or then")

    def move_index(name: Any) -> int:
        return moves.index(one_of(name, moves))

    no_numbers = (0,) * len(moves)
    if "in_turn" in value:
        location.check_keys(value, ("in_turn",), ("first",))
        names, here = value["in_turn"], location.at(value, "in_turn", "in_turn")
        if not isinstance(names, list) or not names:
            raise here.error(f"{quote(names)} is not a list of moves")
        rotation = location.read(value, "in_turn", lambda names: tuple(map(move_index, names)))
        if len(set(rotation)) != len(rotation):
            raise here.error("duplicate move")
        if "first" in value:
            location.read(value, "first", partial(one_of, choices=("random",)))
        return MovePattern(rotation, None if "first" in value else rotation[0], no_numbers, no_numbers)
    location.check_keys(value, ("then", "first"), ("in_a_row",))
    tables = []
    for key in ("then", "in_a_row"):
        table, here = value.get(key, {}), location.at(value, key, key) if key in value else location
        if not isinstance(table, dict):
            raise here.error(f"{quote(table)} is not a mapping of moves to numbers")
        numbers = [0] * len(moves)
        for name in table:
            if name not in moves:
                raise here.at(table, name).error(
                    f"must be one of {', '.join(moves)}; got {quote(name)}{did_you_mean(name, moves)}"
                )
            numbers[moves.index(name)] = here.read(table, name, positive_number)
        tables.append(tuple(numbers))
    chances, max_repeats = tables
    if sum(chances) != 100:
        raise location.at(value, "then", "then").error(f"the chances must add up to 100, got {sum(chances)}")
    # When a move may not repeat again, another one must be possible.
    if any(chance == 100 and limit for chance, limit in zip(chances, max_repeats, strict=True)):
        raise location.error("the only move must be allowed to repeat without limit")
    return MovePattern((), location.read(value, "first", move_index), chances, max_repeats)
