"""States and actions of a battle as JSON values and as text.

`JsonRecord` describes the fields of a JSON object once; the writer, the reader and the JSON schema derive from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from planner.errors import PlannerError, quote
from planner.formats.json_schema import BOOLEAN, TEXT, Schema, enum_schema, integer_schema, list_schema, object_schema
from planner.formats.values import (
    as_list,
    as_mapping,
    boolean,
    first_unknown_key,
    integer,
    join_path,
    missing_field,
    one_of,
    unknown_field,
)
from planner.games.spire.action_language import SourceLocation
from planner.games.spire.battle_definitions import Card
from planner.games.spire.battle_rules import MAX_ENEMIES, MAX_PLAYS, PLAYER, choices
from planner.games.spire.battle_state import Action, ActiveStatus, Battle, Enemy, PendingCard, TurnLimits
from planner.games.spire.card_library import Library, library_with
from planner.games.spire.vocabulary import MAX_CARDS, MAX_NUMBER, PILES

DEFAULT_HEALTH: Final = 80
_MAX_STATUSES: Final = 100
_ALWAYS: Final = object()
_Value = TypeVar("_Value")


# -- descriptions of JSON objects


class JsonField(NamedTuple):
    """One field of a JSON object."""

    schema: Schema
    get: Callable[[Any], Any]  # returns the JSON value of the field for a record
    omit: Any = _ALWAYS  # the value for which the field is not written


class JsonRecord:
    """A JSON object with a fixed set of fields."""

    def __init__(self, fields: Mapping[str, JsonField], required: Sequence[str]) -> None:
        self.fields, self.required = fields, required

    def to_json(self, value: Any) -> dict[str, Any]:
        """Return the JSON form of a record."""
        data = {}
        for name, field in self.fields.items():
            item = field.get(value)
            if item != field.omit:
                data[name] = item
        return data

    def schema(self) -> Schema:
        """Return the JSON schema."""
        return object_schema({name: field.schema for name, field in self.fields.items()}, self.required)


class JsonObject:
    """A JSON object that is read field by field, with the bounds of its description; errors name the field."""

    def __init__(self, data: Any, path: str, record: JsonRecord) -> None:
        try:
            self.data = as_mapping(data)
        except PlannerError as error:
            raise PlannerError(f"{path or 'state'}: {error}") from None
        self.path, self._fields = path, record.fields
        if (unknown := first_unknown_key(self.data, self._fields)) is not None:
            raise PlannerError(f"{path or 'state'}: {unknown_field(unknown, self._fields)}")

    def at(self, key: str) -> str:
        """Return the path of a field."""
        return join_path(self.path, key)

    def read(self, key: str, reader: Callable[[Any], _Value], default: _Value | None = None) -> _Value:
        """Return a field, validated by `reader`; a field without a default is required."""
        if key not in self.data:
            if default is None:
                raise missing_field(key, self.path)
            return default
        try:
            return reader(self.data[key])
        except PlannerError as error:
            raise PlannerError(f"{self.at(key)}: {error}") from None

    def number(self, key: str, default: int | None = None) -> int:
        """Return an integer field."""
        schema = self._fields[key].schema
        return self.read(key, partial(integer, minimum=schema["minimum"], maximum=schema["maximum"]), default)

    def items(self, key: str, default: list[Any] | None = None) -> list[Any]:
        """Return a list field."""
        schema = self._fields[key].schema
        items, minimum, maximum = self.read(key, as_list, default), schema.get("minItems", 0), schema["maxItems"]
        if not minimum <= len(items) <= maximum:
            raise PlannerError(f"{self.at(key)}: must have between {minimum} and {maximum:,} items, got {len(items):,}")
        return items

    def word(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        """Return a field that holds one of these words."""
        return self.read(key, partial(one_of, choices=choices), default)

    def limits(self) -> TurnLimits:
        """Return what the player gets each turn."""
        return TurnLimits(self.number("energy_per_turn", 3), self.number("cards_per_turn", 5))

    def library(self, extension: str = "") -> Library:
        """Return the cards, statuses and enemies that the object refers to."""
        none: Mapping[str, Any] = {}
        custom = self.read("library", as_mapping, none)
        try:
            return library_with(custom, self.read("anonymous", boolean, False), extension)
        except (TypeError, RecursionError):  # from json.dumps
            raise PlannerError(f"{self.at('library')}: must consist of JSON values") from None


def number_field(name: str, minimum: int = 0, omit: Any = _ALWAYS) -> JsonField:
    """Describe an integer field that is an attribute of the record."""
    return JsonField(integer_schema(minimum, MAX_NUMBER), attrgetter(name), omit)


def limited_list(items: Schema, maximum: int, minimum: int = 0) -> Schema:
    """Return the schema of a list with a maximum length."""
    return {**list_schema(items, minimum), "maxItems": maximum}


# Fields that states and setups share.
SHARED_FIELDS: Final[Mapping[str, JsonField]] = {
    "energy_per_turn": number_field("limits.energy"),
    "cards_per_turn": number_field("limits.cards"),
    "library": JsonField({"type": "object"}, attrgetter("library.custom"), omit={}),
    "anonymous": JsonField(BOOLEAN, attrgetter("library.is_anonymous"), omit=False),
}
STATUS: Final = JsonRecord(
    {
        "status": JsonField(TEXT, attrgetter("status.name")),
        "amount": number_field("amount", 1),
        "turns": number_field("turns", omit=0),
        "lasting": number_field("lasting", omit=0),
    },
    required=("status", "amount"),
)
_STATUSES: Final = JsonField(
    limited_list(STATUS.schema(), _MAX_STATUSES), lambda owner: [STATUS.to_json(active) for active in owner.statuses]
)
ENEMY: Final = JsonRecord(
    {
        "name": JsonField(TEXT, attrgetter("kind.name")),
        "health": number_field("health"),
        "max_health": number_field("max_health", 1),
        "block": number_field("block"),
        "statuses": _STATUSES,
        "move": JsonField(TEXT, lambda enemy: enemy.kind.moves[enemy.move].name),
        "run": number_field("run", 1),
    },
    required=("name",),
)
PENDING: Final = JsonRecord(
    {
        "card": JsonField(TEXT, attrgetter("card.title")),
        "played": JsonField(TEXT, attrgetter("played.title")),
        "step": number_field("step"),
        "picked": JsonField(
            limited_list({"type": "integer", "minimum": 0}, _MAX_STATUSES), lambda pending: list(pending.picked)
        ),
        "goes_to": JsonField(enum_schema(PILES), attrgetter("goes_to")),
    },
    required=("played", "step"),
)


def _titles(pile: str, state: Battle) -> list[str]:
    return [card.title for card in getattr(state, pile)]


STATE: Final = JsonRecord(
    {
        "game": JsonField({"const": "spire"}, attrgetter("game")),
        "turn": number_field("turn", 1),
        "health": number_field("health"),
        "max_health": number_field("max_health", 1),
        "block": number_field("block"),
        "statuses": _STATUSES,
        "energy": number_field("energy"),
        **{pile: JsonField(limited_list(TEXT, MAX_CARDS), partial(_titles, pile)) for pile in PILES},
        "enemies": JsonField(
            limited_list(ENEMY.schema(), MAX_ENEMIES, 1),
            lambda state: [*map(ENEMY.to_json, state.enemies)],
        ),
        "played": number_field("played"),
        **SHARED_FIELDS,
        "pending": JsonField(
            {"anyOf": [PENDING.schema(), {"type": "null"}]},
            lambda state: None if state.pending is None else PENDING.to_json(state.pending),
            omit=None,
        ),
    },
    required=("game", "enemies"),
)


# -- states


state_schema: Final = STATE.schema  # names of cards and so on are any text, since a state may have its own library


def state_to_json(state: Battle) -> dict[str, Any]:
    """Return the complete state in its JSON form."""
    return STATE.to_json(state)


def state_from_json(data: Any, extension: str = "") -> Battle:
    """Read a state; only the enemies are required. `extension` is the file that adds words to the game."""
    fields = JsonObject(data, "", STATE)
    named, known = fields.data.get("game", "spire"), Path(extension).name or "spire"
    if not isinstance(named, str) or Path(named).name not in ("spire", known):  # the file may lie elsewhere now
        raise PlannerError(f"game: must be {known!r}, got {quote(named)}")
    library = fields.library(extension)
    limits = fields.limits()
    max_health = fields.number("max_health", max(DEFAULT_HEALTH, fields.number("health", DEFAULT_HEALTH)))
    health = _read_health(fields, max_health)
    piles = {name: _read_cards(fields, name, library) for name in PILES}
    enemies = [_read_enemy(item, f"enemies[{index}]", library) for index, item in enumerate(fields.items("enemies"))]
    state = Battle(
        library=library,
        limits=limits,
        health=health,
        max_health=max_health,
        block=fields.number("block", 0),
        statuses=_read_statuses(fields, library),
        energy=fields.number("energy", limits.energy),
        **piles,
        enemies=tuple(enemies),
        turn=fields.number("turn", 1),
        played=fields.number("played", 0),
        pending=None,
    )
    if state.played > MAX_PLAYS:
        raise PlannerError(f"played: must be at most {MAX_PLAYS}, got {state.played}")
    pending = fields.data.get("pending")
    return state if pending is None else state._replace(pending=_read_pending(pending, state))


def _read_health(fields: JsonObject, max_health: int) -> int:
    health = fields.number("health", max_health)
    if health > max_health:
        raise PlannerError(f"{fields.at('health')}: must be at most max_health {max_health}, got {health}")
    return health


def _read_cards(fields: JsonObject, name: str, library: Library) -> tuple[Card, ...]:
    titles = fields.items(name, [])
    cards = [library.card(title, SourceLocation(f"{fields.at(name)}[{index}]")) for index, title in enumerate(titles)]
    return tuple(cards) if name == "hand" else tuple(sorted(cards, key=lambda card: card.order))


def _read_statuses(fields: JsonObject, library: Library) -> tuple[ActiveStatus, ...]:
    statuses: list[ActiveStatus] = []
    for index, item in enumerate(fields.items("statuses", [])):
        entry = JsonObject(item, f"{fields.at('statuses')}[{index}]", STATUS)
        name = entry.word("status", tuple(library.statuses))
        status = library.statuses[name]
        if status.stacking != "apart" and any(active.status is status for active in statuses):
            raise PlannerError(f"{entry.path}: duplicate status {name}")
        amount, turns, lasting = entry.number("amount"), entry.number("turns", 0), entry.number("lasting", 0)
        if lasting > (amount if turns else 0):
            raise PlannerError(f"{entry.path}.lasting: must be at most {amount if turns else 0}, got {lasting}")
        statuses.append(ActiveStatus(status, amount, turns, lasting))
    return tuple(sorted(statuses, key=lambda active: active.status.rank))


def _read_enemy(data: Any, path: str, library: Library) -> Enemy:
    fields = JsonObject(data, path, ENEMY)
    kind = library.enemies[fields.word("name", tuple(library.enemies))]
    max_health = fields.number("max_health", max(kind.health[1], fields.number("health", kind.health[1])))
    health = _read_health(fields, max_health)
    names = [move.name for move in kind.moves]
    move = names.index(fields.word("move", names, names[kind.pattern.first or 0]))
    statuses = _read_statuses(fields, library)
    if health == 0 and statuses:
        raise PlannerError(f"{path}.statuses: a dead enemy cannot have statuses")
    return Enemy(kind, health, max_health, fields.number("block", 0), statuses, move, fields.number("run", 1))


def _read_pending(data: Any, state: Battle) -> PendingCard:
    fields = JsonObject(data, "pending", PENDING)
    library = state.library
    played = library.card(fields.data.get("played"), SourceLocation("pending.played"))  # type: ignore[arg-type]
    card = library.card(fields.data.get("card", played.title), SourceLocation("pending.card"))
    number = fields.number("step")
    if number >= len(played.program) or played.program[number].how != "chosen":
        raise PlannerError(f"pending.step: {played.title} has no choice in step {number}")
    step = played.program[number]
    picked = tuple(fields.items("picked", []))
    size = len(getattr(state, step.pile)) if step.pile else 0
    for position, index in enumerate(picked):
        is_index = isinstance(index, int) and not isinstance(index, bool) and 0 <= index < size
        if not is_index or index in picked[:position]:
            raise PlannerError(f"pending.picked[{position}]: {quote(index)} is not the index of another card")
    pending = PendingCard(card, played, number, picked, fields.word("goes_to", PILES, "discard"))
    if len(picked) >= max(step.number, 1) or not choices(state, pending):
        raise PlannerError(f"pending.picked: {played.title} has no choice left")
    return pending


# -- actions


_ARGUMENTS: Final[dict[str, str]] = {"play": "card", "fighter": "fighter", "card": "card", "end": ""}


def _action_record(*names: str) -> JsonRecord:
    position, other = number_field("position"), JsonField({}, attrgetter("type"))
    return JsonRecord({name: position if name in ("card", "fighter") else other for name in names}, ("type",))


_ANY_ACTION: Final = _action_record("type", "card", "fighter", "name")
# A plan also writes the `name` of a card; the position decides.
_ACTIONS: Final = {
    kind: _action_record("type", *((key,) if key else ()), *(("name",) if key == "card" else ()))
    for kind, key in _ARGUMENTS.items()
}


def action_to_json(action: Action) -> dict[str, Any]:
    """Return the JSON form: `{"type": "play", "card": 2}`; a fighter is the index of an enemy, or `player`."""
    key = _ARGUMENTS[action.type]
    if not key:
        return {"type": action.type}
    return {"type": action.type, key: "player" if key == "fighter" and action.position == PLAYER else action.position}


def action_from_json(data: Any, place: str = "action") -> Action:
    """Read an action; errors name `place`."""
    kind = JsonObject(data, place, _ANY_ACTION).word("type", tuple(_ARGUMENTS))
    fields = JsonObject(data, place, _ACTIONS[kind])
    key = _ARGUMENTS[kind]
    if not key:
        return Action(kind)
    if key == "fighter" and fields.data.get(key) == "player":
        return Action(kind, PLAYER)
    return Action(kind, fields.number(key))


def action_to_text(action: Action) -> str:
    """Return the text form: `play 2`, `fighter 0`, `fighter player`, `card 1` or `end`."""
    return " ".join(str(part) for part in action_to_json(action).values())


def action_from_text(text: str) -> Action:
    """Read the text form of an action."""
    kind, *arguments = (text.split() if isinstance(text, str) else []) or [""]
    data: dict[str, Any] = {"type": kind}
    if kind in _ARGUMENTS and len(arguments) == (1 if _ARGUMENTS[kind] else 0):
        for argument in arguments:
            is_index = argument.isdecimal() and len(argument) < 6
            data[_ARGUMENTS[kind]] = int(argument) if is_index else argument
        return action_from_json(data)
    raise PlannerError(f"action: {quote(text)} is not one of play N, fighter N, card N, end")
