"""How a game describes a table, so that one client can show every game without knowing its rules.

A game with the capability `DescribesTable` says what a seat sees as sides, zones, cards and counters, and binds every
legal action to the things that a player clicks. `table_view` and `legal_moves` return this as JSON values. A game
without the capability is shown as text, with a button for each action.

Everything here is made from what `Game.observe` shows to a seat. docs/reference/tables.md describes the JSON form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from planner.errors import PlannerError, quote
from planner.game import AnyGame, require

Json: TypeAlias = dict[str, Any]
LAYOUTS: Final = ("row", "hand", "grid", "pile", "beside")  # how a client arranges the cards of a zone
MAX_MOVES: Final = 2000  # in one view
_TEXT_WIDTH: Final = 88  # characters, for games without the capability


@dataclass(frozen=True, slots=True)
class Counter:
    """A number with a name: `attack 3`, `health 4 of 5`, `mana 2 of 6`."""

    name: str
    value: int | float
    of: int | float | None = None  # the maximum, where there is one
    printed: int | float | None = None  # on the card, where the present value is another


@dataclass(frozen=True, slots=True)
class CardView:
    """A card, a minion, an enemy or a pile of equal cards: anything with a face."""

    id: str  # unique in the view, and the same in the next view while the thing is the same
    name: str = ""
    kind: str = ""  # minion, spell, treasure: a word of the game
    cost: int | None = None
    counters: tuple[Counter, ...] = ()
    keywords: tuple[str, ...] = ()
    text: str = ""
    marks: tuple[str, ...] = ()  # its condition: ready, used, damaged, frozen, dead, in play
    count: int = 1  # of equal cards in this pile
    face_down: bool = False


@dataclass(frozen=True, slots=True)
class Zone:
    """A place for cards. A pile may show fewer cards than it has."""

    id: str
    label: str
    layout: str = "row"
    cards: tuple[CardView, ...] = ()
    count: int | None = None  # of cards, where not all are in `cards`
    limit: int | None = None  # of cards


@dataclass(frozen=True, slots=True)
class Side:
    """A player with everything that belongs to the seat, or what belongs to all (`seat` is None)."""

    id: str
    name: str
    seat: int | None = None
    counters: tuple[Counter, ...] = ()
    marks: tuple[str, ...] = ()
    zones: tuple[Zone, ...] = ()


@dataclass(frozen=True, slots=True)
class Binding:
    """What a player clicks for an action: a source, then a target. Without a source the action is a button."""

    label: str
    source: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class CardChoice:
    """A decision for any number of cards at once, such as a mulligan."""

    cards: tuple[str, ...]  # ids
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the player to move has to decide; with a `choice` the legal actions are not listed."""

    text: str
    choice: CardChoice | None = None


@dataclass(frozen=True, slots=True)
class SetupOption:
    """A choice of the person who creates a table, such as a deck or a set of piles."""

    name: str
    label: str
    choices: tuple[str, ...]
    default: str | tuple[str, ...]
    per_seat: bool = False  # one value for each seat
    count: int | None = None  # a list of so many different choices
    free: str = ""  # what else may be typed, such as "a deck code"


@runtime_checkable
class DescribesTable(Protocol):
    """A game that a client can show as a table.

    `state` is what `observe` shows to `seat`, the seat that looks. For a spectator `seat` is None, and the state hides
    what any seat does not see.
    """

    def seat_range(self) -> tuple[int, int]:
        """Return the least and the largest number of players."""

    def setup_options(self) -> Sequence[SetupOption]:
        """Return what the creator of a table chooses."""

    def setup_from_options(self, options: Mapping[str, Any], seats: int) -> Any:
        """Return the setup; `options` has a valid value for every option. Names no file and no module."""

    def table_sides(self, state: Any, seat: int | None) -> Sequence[Side]:
        """Return the table from the top to the bottom: opponents, what belongs to all, the seat that looks."""

    def bind_action(self, state: Any, action: Any, seat: int) -> Binding:
        """Return what the seat to move clicks for a legal action; ids are those of `table_sides`."""

    def prompt(self, state: Any) -> Prompt | None:
        """Return what the seat to move has to decide, or None in an ordinary turn."""

    def choose(self, state: Any, cards: Sequence[str]) -> Any:
        """Return the action for the chosen cards of a `CardChoice`; it may be illegal."""

    def describe_move(self, before: Any, action: Any, after: Any, seat: int | None) -> str:
        """Return what this seat learns of a move, as a sentence; the states are complete."""


# -- views


def spectator_state(game: AnyGame, state: Any) -> Any:
    """Return the state as a spectator sees it: without all that any seat does not see."""
    return reduce(game.observe, range(game.seats(state)), state)


def seen_by(game: AnyGame, state: Any, seat: int | None) -> Any:
    """Return the state as a seat, or a spectator, sees it."""
    return spectator_state(game, state) if seat is None else game.observe(state, seat)


def table_view(game: AnyGame, state: Any, seat: int | None, reveal: bool = False) -> Json:
    """Return what a seat, or a spectator (None), sees, in JSON form; `reveal` shows all, for finished matches."""
    seen = state if reveal else seen_by(game, state, seat)
    outcome = game.outcome(seen)
    to_move = None if outcome is not None else game.to_move(seen)
    view: Json = {"seat": seat, "turn": game.turn(seen), "to_move": to_move}
    if not isinstance(game, DescribesTable):
        return view | {"text": game.show(seen, _TEXT_WIDTH), "sides": []}
    view["sides"] = [_json(side) for side in game.table_sides(seen, seat)]
    if to_move is not None and to_move == seat and (prompt := game.prompt(seen)) is not None:
        view["prompt"] = _json(prompt)
    return view


def legal_moves(game: AnyGame, state: Any) -> list[Json]:
    """Return the legal actions of the seat to move in JSON form, each with its label, source and target.

    Empty after the end, and where the prompt of the view is a choice of cards.
    """
    if game.outcome(state) is not None:
        return []
    seat = game.to_move(state)
    seen = game.observe(state, seat)
    if not isinstance(game, DescribesTable):
        actions = [*game.legal_actions(seen)[:MAX_MOVES]]
        return [{"action": game.action_to_json(a), "label": game.describe_action(seen, a)} for a in actions]
    if (prompt := game.prompt(seen)) is not None and prompt.choice is not None:
        return []
    return [
        {"action": game.action_to_json(action), **_json(game.bind_action(seen, action, seat))}
        for action in game.legal_actions(seen)[:MAX_MOVES]
    ]


def describe_move(game: AnyGame, before: Any, action: Any, after: Any, seat: int | None) -> Json:
    """Return a move as a line of the log: turn, seat, words, and the ids that the reader can see."""
    mover = game.to_move(before)
    entry: Json = {"turn": game.turn(before), "seat": mover}
    if not isinstance(game, DescribesTable):
        return entry | {"words": game.describe_action(before, action) if seat == mover else "moves"}
    entry["words"] = game.describe_move(before, action, after, seat)
    binding = game.bind_action(game.observe(before, mover), action, mover)
    clicked = {key: value for key in ("source", "target") if (value := getattr(binding, key)) is not None}
    if seat != mover and clicked:
        # A hidden card has another id in the view of this seat, so its true id must not be shown either.
        visible = _ids(game.table_sides(seen_by(game, after, seat), seat))
        if not visible.issuperset(clicked.values()):
            visible |= _ids(game.table_sides(seen_by(game, before, seat), seat))
        clicked = {key: value for key, value in clicked.items() if value in visible}
    return entry | clicked


def _ids(sides: Sequence[Side]) -> set[str]:
    zones = [zone for side in sides for zone in side.zones]
    cards = {card.id for zone in zones for card in zone.cards}
    return {side.id for side in sides} | {zone.id for zone in zones} | cards


# -- setups


def setup_from_options(game: AnyGame, options: Mapping[str, Any], seats: int) -> Any:
    """Check the options that a visitor chose, fill in the defaults, and return the setup."""
    values = complete_options(game, options, seats)
    return require(game, DescribesTable, "play at a table").setup_from_options(values, seats)


def complete_options(game: AnyGame, options: Mapping[str, Any], seats: int) -> Json:
    """Check the options that a visitor chose, and fill in the defaults."""
    described = require(game, DescribesTable, "play at a table")
    least, most = described.seat_range()
    if not least <= seats <= most:
        raise PlannerError(f"seats: {game.name} has {least if least == most else f'{least} to {most}'}, got {seats}")
    known = {option.name: option for option in described.setup_options()}
    if (unknown := next((name for name in options if name not in known), None)) is not None:
        raise PlannerError(f"options: unknown option {quote(unknown)}; one of {', '.join(known)}")
    return {name: _option_value(option, options.get(name), seats) for name, option in known.items()}


def _option_value(option: SetupOption, value: Any, seats: int) -> Any:
    place = f"options.{option.name}"
    if option.per_seat:
        default = option.default if isinstance(option.default, tuple) else (option.default,)
        values = [default[seat % len(default)] for seat in range(seats)] if value is None else value
        if not isinstance(values, list) or len(values) != seats:
            raise PlannerError(f"{place}: must be a list of {seats} values, one for each seat")
        return [_one_choice(option, entry, f"{place}[{seat}]") for seat, entry in enumerate(values)]
    if option.count is not None:
        values = list(option.default) if value is None else value
        if not isinstance(values, list) or len(values) != option.count:
            raise PlannerError(f"{place}: must be a list of {option.count} choices")
        chosen = [_one_choice(option, entry, f"{place}[{index}]") for index, entry in enumerate(values)]
        if len(set(chosen)) != len(chosen):
            raise PlannerError(f"{place}: must be different choices")
        return chosen
    return _one_choice(option, option.default if value is None else value, place)


def _one_choice(option: SetupOption, value: Any, place: str) -> str:
    if not isinstance(value, str) or (value not in option.choices and not (option.free and len(value) <= 500)):
        other = f", or {option.free}" if option.free else ""
        raise PlannerError(f"{place}: must be one of {', '.join(option.choices)}{other}, got {quote(value)}")
    return value


# -- JSON: fields with their default value are omitted, which makes a view a third as long


_DEFAULTS: Final = {
    kind: tuple((field.name, field.default) for field in fields(kind))
    for kind in (Counter, CardView, Zone, Side, Binding, CardChoice, Prompt, SetupOption)
}


def _json(value: Any) -> Any:
    defaults = _DEFAULTS.get(type(value))
    if defaults is None:
        return [_json(entry) for entry in value] if type(value) is tuple else value
    result = {}
    for name, default in defaults:
        entry = getattr(value, name)
        if entry is default:
            continue
        kind = type(entry)
        if kind is tuple:
            if entry != default:
                result[name] = [_json(part) for part in entry]
        elif kind in _DEFAULTS:
            result[name] = _json(entry)
        elif entry != default:
            result[name] = entry
    return result


def options_json(game: AnyGame) -> Json:
    """Return what the creator of a table can choose, in JSON form."""
    described = require(game, DescribesTable, "play at a table")
    return {"seats": [*described.seat_range()], "options": [_json(option) for option in described.setup_options()]}
