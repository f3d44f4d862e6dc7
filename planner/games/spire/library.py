"""Cards, statuses, enemies and scenarios, read from YAML."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from planner.errors import did_you_mean, quote
from planner.formats.documents import load_yaml
from planner.formats.values import ErrorCollector, boolean, first_unknown_key, one_of, text, unknown_field
from planner.games.spire.enemies import EnemyKind, Move, read_health, read_pattern
from planner.games.spire.language import Amount, Reader, Step, amount
from planner.games.spire.places import MOST, Place, change, factor
from planner.games.spire.program import Listener, Run, Value, compiled, status_function

TYPES: Final = ("attack", "skill", "power")
STACKING: Final = ("add", "keep", "apart")
VALUES: Final = ("attack_dealt", "attack_taken", "block_gained")
MOMENTS: Final = ("before_card", "after_card", "before_attack", "after_attack", "turn_start", "turn_end")
KINDS: Final = ("statuses", "cards", "enemies")
_DATA: Final = Path(__file__).with_name("data")


@dataclass(eq=False)
class Status:
    """A status: one object for each, so that it compares by identity."""

    name: str
    rank: int  # its place in the file: callbacks run in this order
    good: bool
    stacking: str
    each_turn: int
    points: Fraction  # what one stack counts for in a profile's terms
    dealt: tuple[Value, ...] = ()
    taken: tuple[Value, ...] = ()
    blocked: tuple[Value, ...] = ()
    listeners: Mapping[str, tuple[Listener, ...]] = field(default_factory=dict)
    ends: tuple[Run, ...] = ()

    def __repr__(self) -> str:
        return self.name


@dataclass(eq=False)
class Card:
    """A card at one level of upgrade: one object for each, so that it compares by identity."""

    name: str
    level: int
    cost: int
    type: str
    steps: tuple[Step, ...]
    program: tuple[Run, ...]
    next: Card | None  # when upgraded; made when it is asked for where there is no end of upgrades
    text: str | None  # its own description, instead of the generated one
    rank: int  # its place in the file
    order: int = 0  # how piles are sorted: by file, then by level

    def __post_init__(self) -> None:
        self.order = self.rank * (MOST + 1) + self.level

    @property
    def title(self) -> str:
        """Its name with a + for an upgrade, and their number where there are several."""
        return self.name + ("" if not self.level else "+" if self.level == 1 else f"+{self.level}")

    def __repr__(self) -> str:
        return self.title


class Library:
    """What exists in a battle. The cards of a file are added to those that come with the game."""

    def __init__(self, base: Library | None = None) -> None:
        self.statuses: dict[str, Status] = dict(base.statuses) if base else {}
        self.enemies: dict[str, EnemyKind] = dict(base.enemies) if base else {}
        self._cards: dict[str, tuple[Mapping[str, Any], Card]] = dict(base._cards) if base else {}
        self._levels: dict[tuple[str, int], Card] = {}
        self._written: dict[str, dict[str, Any]] = {kind: dict(base._written[kind]) if base else {} for kind in KINDS}
        self.added: dict[str, dict[str, Any]] = {}  # what does not come with the game, as it was written
        self.is_anonymous = False

    @property
    def card_names(self) -> tuple[str, ...]:
        """All cards, in the order of the files."""
        return tuple(self._cards)

    def card(self, title: str, place: Place | None = None) -> Card:
        """The card with this title, such as Strike, Strike+ or Searing Blow+3."""
        place = place or Place("card")
        found = re.fullmatch(r"(.*?)(?:\+(\d{0,3}))?", title, re.DOTALL) if isinstance(title, str) else None
        name, level = (found[1], 0 if found[2] is None else int(found[2] or 1)) if found else ("", 0)
        if name not in self._cards:
            raise place.error(f"{quote(title)} is not a card{did_you_mean(name, self._cards)}")
        card = self._cards[name][1]
        for _ in range(level):
            following = self.upgraded(card)
            if following is None:
                raise place.error(f"{quote(title)}: {card.title} cannot be upgraded")
            card = following
        return card

    def upgraded(self, card: Card) -> Card | None:
        """The next level of this card; None where an upgrade would change nothing."""
        return card.next or (self._grown(card) if any(a.each for a in _amounts(card.steps)) else None)

    def _grown(self, card: Card) -> Card:
        key = card.name, card.level + 1
        if key not in self._levels:
            self._levels[key] = _card_at(card.name, key[1], self._cards[card.name][0], card.steps, self, card.rank)
        return self._levels[key]

    # -- reading

    def add(self, data: Any, place: Place, shipped: bool = False) -> None:
        """What a file holds: statuses, cards, enemies; each refusal with its place."""
        if not isinstance(data, dict):
            raise place.error(f"{quote(data)} is not a mapping with {', '.join(KINDS)}")
        if (odd := first_unknown_key(data, KINDS)) is not None:
            raise place.at(data, odd).error(unknown_field(odd, KINDS))
        collector = ErrorCollector()
        for kind, read in zip(KINDS, (self._add_status, self._add_card, self._add_enemy), strict=True):
            entries = data.get(kind, {})
            if not isinstance(entries, dict):
                raise place.at(data, kind).error(f"{kind}: {quote(entries)} is not a mapping of names")
            for name, entry in entries.items():
                with collector:
                    here = place.at(entries, name, name)
                    if not isinstance(entry, dict):
                        raise here.error(f"{quote(entry)} is not a mapping")
                    if not name.strip() or re.search(r"[+,\n;:|]", name):
                        raise here.error("a name has no + , ; : or | in it")
                    read(name, entry, here)
                    self._written[kind][name] = entry
                    if not shipped:
                        self.added.setdefault(kind, {})[name] = entry
            collector.raise_if_any()  # a status that is wrong would be missed by every card that applies it

    def _add_status(self, name: str, entry: dict[str, Any], place: Place) -> None:
        if name in self.statuses:
            raise place.error("there is a status of this name already")
        place.check(entry, ("good", "stacking"), ("each_turn", "points", "on", "ends"))
        good = place.read(entry, "good", boolean)
        stacking = place.read(entry, "stacking", partial(one_of, choices=STACKING))
        each_turn = place.read(entry, "each_turn", change) if "each_turn" in entry else 0
        points = place.read(entry, "points", factor) if "points" in entry else Fraction(1)
        status = Status(name, len(self.statuses), good, stacking, each_turn, points)
        self.statuses[name] = status
        reader = Reader("status", self.statuses)
        listeners: dict[str, tuple[Listener, ...]] = {}
        values: dict[str, tuple[Value, ...]] = dict.fromkeys(VALUES, ())
        given = entry.get("on", [])
        if not isinstance(given, list):
            raise place.at(entry, "on", "on").error(f"{quote(given)} is not a list of callbacks")
        for index, item in enumerate(given):
            here = place.at(given, index, "on")
            if not isinstance(item, dict) or "event" not in item:
                raise here.error(f"{quote(item)} is not a callback with an event")
            event = here.read(item, "event", partial(one_of, choices=(*VALUES, *MOMENTS)))
            if event in VALUES:
                values[event] = (*values[event], self._value(item, here))
            else:
                listeners[event] = (*listeners.get(event, ()), self._listener(item, here, reader))
        status.dealt, status.taken, status.blocked = (values[event] for event in VALUES)
        status.listeners = listeners
        if "ends" in entry:
            status.ends = compiled(reader.steps(entry["ends"], place.at(entry, "ends", "ends")), 0, self)

    def _value(self, item: dict[str, Any], place: Place) -> Value:
        place.check(item, ("event",), ("add", "times", "call"))
        if len(item) != 2:
            raise place.error("a change of a value has one of add, times and call")
        if "call" in item:
            return Value(call=place.read(item, "call", status_function))
        if "times" in item:
            return Value(times=place.read(item, "times", factor))
        return Value(stacks=True) if item["add"] == "stacks" else Value(add=place.read(item, "add", change))

    def _listener(self, item: dict[str, Any], place: Place, reader: Reader) -> Listener:
        place.check(item, ("event",), ("does", "remove", "call"))
        if len(item) != 2:
            raise place.error("a callback has one of does, remove and call")
        if "call" in item:
            return Listener(call=place.read(item, "call", status_function))
        if "remove" in item:
            if item["remove"] is not True:
                raise place.at(item, "remove", "remove").error(f"{quote(item['remove'])} is not true")
            return Listener(remove=True)
        return Listener(program=compiled(reader.steps(item["does"], place.at(item, "does", "does")), 0, self))

    def _add_card(self, name: str, entry: dict[str, Any], place: Place) -> None:
        if name in self._cards:
            raise place.error("there is a card of this name already")
        place.check(entry, ("cost", "type", "does"), ("text",))
        cost = place.read(entry, "cost", amount)
        kind = place.read(entry, "type", partial(one_of, choices=TYPES))
        own_text = place.read(entry, "text", text) if "text" in entry else None
        steps = Reader("card", self.statuses).steps(entry["does"], place.at(entry, "does", "does"))
        fields = {"cost": cost, "type": kind, "text": own_text}
        card = _card_at(name, 0, fields, steps, self, len(self._cards))
        if cost.upgraded is not None or any(one.upgraded is not None for one in _amounts(steps)):
            card.next = _card_at(name, 1, fields, steps, self, card.rank)
        self._cards[name] = fields, card

    def _add_enemy(self, name: str, entry: dict[str, Any], place: Place) -> None:
        if name in self.enemies:
            raise place.error("there is an enemy of this name already")
        place.check(entry, ("health", "moves", "pattern"), ())
        health = place.read(entry, "health", read_health)
        given, here = entry["moves"], place.at(entry, "moves", "moves")
        if not isinstance(given, dict) or not given:
            raise here.error(f"{quote(given)} is not a mapping of moves")
        reader = Reader("move", self.statuses)
        moves = []
        for move, actions in given.items():
            steps = reader.steps(actions, here.at(given, move, move))
            moves.append(Move(move, steps, compiled(steps, 0, self)))
        pattern = read_pattern(entry["pattern"], list(given), place.at(entry, "pattern", "pattern"))
        self.enemies[name] = EnemyKind(name, health, tuple(moves), *pattern)

    # -- names that say nothing

    def anonymous(self) -> Library:
        """The same with unreadable names of cards and statuses: an agent must look at what a card does."""
        found = Library()
        hidden = {
            kind: {name if kind == "enemies" else unreadable(name): _renamed(entry) for name, entry in entries.items()}
            for kind, entries in self._written.items()
        }
        found.add(hidden, Place("anonymous"), shipped=True)
        found.is_anonymous, found.added = True, self.added
        return found


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if key != "text"}  # a card's own words may name it
        return {key: unreadable(item) if key == "status" else _renamed(item) for key, item in kept.items()}
    return [_renamed(item) for item in value] if isinstance(value, list) else value


def unreadable(name: str) -> str:
    """Always the same letters for this name, which tell nothing about it."""
    digest = hashlib.sha256(name.encode()).digest()
    return "".join("bcdfghklmnprstvwz"[byte % 17] for byte in digest[:7])


@cache
def shipped_library() -> Library:
    """What comes with the game."""
    found = Library()
    for kind in KINDS:
        path = _DATA / f"{kind}.yaml"
        found.add(load_yaml(path), Place(str(path)), shipped=True)
    return found


def load_library(*paths: Path) -> Library:
    """What comes with the game, and what these files add."""
    found = Library(shipped_library())
    for path in paths:
        found.add(load_yaml(path), Place(str(path)))  # refusals name the line
    return library_of(found.added)


def library_of(added: Mapping[str, Any] | None = None, anonymous: bool = False) -> Library:
    """What comes with the game, and this: always the same object for the same definitions, as states need it."""
    return library_of_text(json.dumps(added or {}), anonymous)


@cache
def library_of_text(added: str, anonymous: bool = False) -> Library:
    """The same from definitions as JSON text."""
    if anonymous:
        return library_of_text(added).anonymous()
    if added == "{}":
        return shipped_library()
    found = Library(shipped_library())
    found.add(json.loads(added), Place("library"))
    return found


def _card_at(
    name: str, level: int, fields: Mapping[str, Any], steps: tuple[Step, ...], library: Library, rank: int
) -> Card:
    program = compiled(steps, level, library)
    cost: Amount = fields["cost"]
    return Card(name, level, cost.at(level), fields["type"], steps, program, None, fields["text"], rank)


def _amounts(steps: tuple[Step, ...]) -> Iterator[Amount]:
    return (one for step in steps for atom in step.atoms for one in atom.upgrades)
