"""States, actions, setups and scenarios as JSON values and text, and the files that users write for this game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import load_yaml
from planner.formats.json_records import JsonField, JsonKind, JsonRecord, list_of, nullable
from planner.formats.json_schema import (
    TEXT,
    FileKind,
    Schema,
    any_of,
    integer_schema,
    list_schema,
    object_schema,
    schema_of,
)
from planner.formats.values import PlacedError, as_mapping, at, boolean, integer, one_of, read_items, string, text
from planner.games.spire.action_language import natural_number, positive_number
from planner.games.spire.battle_definitions import Card
from planner.games.spire.battle_rules import MAX_ENEMIES, MAX_PLAYS, PLAYER, choices
from planner.games.spire.battle_state import Action, ActiveStatus, Battle, Enemy, PendingCard, Setup, TurnLimits
from planner.games.spire.card_library import (
    DEFINITIONS,
    SECTIONS,
    DefinitionReader,
    Library,
    anonymous_name,
    library_with,
    load_library,
    shipped_library,
)
from planner.games.spire.extensions import load_extension
from planner.games.spire.vocabulary import MAX_CARDS, PILES

DEFAULT_HEALTH: Final = 80
_MAX_STATUSES: Final = 100
_ANONYMOUS: Final = "_anonymous"  # ends the name of a scenario with anonymous card names
_SCENARIOS: Final = Path(__file__).with_name("data") / "scenarios.yaml"


# -- fields. Names of cards and so on are any text, since a state may have its own library.


# Fields that states and setups share.
SHARED_FIELDS: Final[Mapping[str, JsonField]] = {
    "energy_per_turn": JsonField(natural_number, 3, "limits.energy"),
    "cards_per_turn": JsonField(natural_number, 5, "limits.cards"),
    "library": JsonField(DEFINITIONS, {}, "library.custom", omit=True),
    "anonymous": JsonField(boolean, False, "library.is_anonymous", omit=True),
}
STATUS: Final = JsonRecord(
    status=JsonField(text, attribute="status.name"),
    amount=JsonField(positive_number),
    turns=JsonField(natural_number, 0, omit=True),
    lasting=JsonField(natural_number, 0, omit=True),
)
_STATUSES: Final = JsonField(list_of(STATUS, 0, _MAX_STATUSES), ())
ENEMY: Final = JsonRecord(
    name=JsonField(text, attribute="kind.name"),
    health=JsonField(natural_number, None),
    max_health=JsonField(positive_number, None),
    block=JsonField(natural_number, 0),
    statuses=_STATUSES,
    move=JsonField(text, None, "next_move.name"),
    run=JsonField(positive_number, 1),
)
_CARD: Final = JsonKind(text, TEXT, attrgetter("title"))
PENDING: Final = JsonRecord(
    card=JsonField(_CARD, None),
    played=JsonField(_CARD),
    step=JsonField(natural_number),
    picked=JsonField(list_of(partial(integer, minimum=0), 0, _MAX_STATUSES), ()),
    goes_to=JsonField(partial(one_of, choices=PILES), "discard"),
)
STATE: Final = JsonRecord(
    game=JsonField(string, "spire"),
    turn=JsonField(positive_number, 1),
    health=JsonField(natural_number, None),
    max_health=JsonField(positive_number, None),
    block=JsonField(natural_number, 0),
    statuses=_STATUSES,
    energy=JsonField(natural_number, None),
    **dict.fromkeys(PILES, JsonField(list_of(_CARD, 0, MAX_CARDS), ())),
    enemies=JsonField(list_of(ENEMY, 1, MAX_ENEMIES)),
    played=JsonField(partial(integer, minimum=0, maximum=MAX_PLAYS), 0),
    **SHARED_FIELDS,
    pending=JsonField(nullable(PENDING), None, omit=True),
)


# -- states


def state_to_json(state: Battle) -> dict[str, Any]:
    """Return the complete state in its JSON form."""
    return STATE.write(state)


def state_schema(game: str) -> Schema:
    """Return the JSON schema of the states of the game with this name, by which a file is recognised."""
    properties = {**STATE.schema["properties"], "game": {"const": game}}
    return {**STATE.schema, "properties": properties, "required": ["game", "enemies"]}


def state_from_json(data: Any, base: Library | None = None) -> Battle:
    """Read a state, which may use the definitions of `base`; only the enemies are required."""
    values = STATE.read_document(data, "state")
    library = read_library(values, base)
    named, known = values["game"], Path(library.extension).name or "spire"
    if Path(named).name not in ("spire", known):  # the file may lie elsewhere now
        raise PlannerError(f"game: must be {known!r}, got {quote(named)}")
    limits = read_limits(values)
    health, max_health = _read_health(values, DEFAULT_HEALTH)
    with at("enemies"):
        enemies = read_items(partial(_read_enemy, library), values["enemies"])
    state = Battle(
        library=library,
        limits=limits,
        health=health,
        max_health=max_health,
        block=values["block"],
        statuses=_read_statuses(values, library),
        energy=limits.energy if values["energy"] is None else values["energy"],
        **{name: _read_pile(values, name, library) for name in PILES},
        enemies=tuple(enemies),
        turn=values["turn"],
        played=values["played"],
        pending=None,
    )
    if values["pending"] is None:
        return state
    with at("pending"):
        return state._replace(pending=_read_pending(values["pending"], state))


def read_limits(values: Mapping[str, Any]) -> TurnLimits:
    """Return what the player gets each turn."""
    return TurnLimits(values["energy_per_turn"], values["cards_per_turn"])


def read_library(values: Mapping[str, Any], base: Library | None) -> Library:
    """Return the cards, statuses and enemies that a state or setup refers to: its own ones and those of `base`."""
    try:
        return library_with(values["library"], values["anonymous"], base)
    except (TypeError, RecursionError):  # from json.dumps
        raise PlannerError("library: must consist of JSON values") from None


def _read_health(values: Mapping[str, Any], default: int) -> tuple[int, int]:
    """Return the health and its maximum; each is by default what the other requires."""
    health, max_health = values["health"], values["max_health"]
    if max_health is None:
        max_health = max(default, health or 0)
    if health is None:
        health = max_health
    if health > max_health:
        raise PlacedError(("health",), f"must be at most max_health {max_health}, got {health}")
    return health, max_health


def _read_pile(values: Mapping[str, Any], name: str, library: Library) -> tuple[Card, ...]:
    with at(name):
        cards = read_items(library.card, values[name])
    return tuple(cards) if name == "hand" else tuple(sorted(cards, key=lambda card: card.order))


def _read_statuses(values: Mapping[str, Any], library: Library) -> tuple[ActiveStatus, ...]:
    statuses: list[ActiveStatus] = []

    def read(entry: Mapping[str, Any]) -> None:
        with at("status"):
            status = library.statuses[one_of(entry["status"], library.statuses)]
        active = ActiveStatus(status, entry["amount"], entry["turns"], entry["lasting"])
        if status.stacking != "apart" and any(other.status is status for other in statuses):
            raise PlannerError(f"duplicate status {status.name}")
        if active.lasting > (most := active.amount if active.turns else 0):
            raise PlacedError(("lasting",), f"must be at most {most}, got {active.lasting}")
        statuses.append(active)

    with at("statuses"):
        read_items(read, values["statuses"])
    return tuple(sorted(statuses, key=lambda active: active.status.rank))


def _read_enemy(library: Library, values: Mapping[str, Any]) -> Enemy:
    with at("name"):
        kind = library.enemies[one_of(values["name"], library.enemies)]
    health, max_health = _read_health(values, kind.health[1])
    names = [move.name for move in kind.moves]
    with at("move"):
        move = kind.pattern.first or 0 if values["move"] is None else names.index(one_of(values["move"], names))
    statuses = _read_statuses(values, library)
    if health == 0 and statuses:
        raise PlacedError(("statuses",), "a dead enemy cannot have statuses")
    return Enemy(kind, health, max_health, values["block"], statuses, move, values["run"])


def _read_pending(values: Mapping[str, Any], state: Battle) -> PendingCard:
    with at("played"):
        played = state.library.card(values["played"])
    with at("card"):
        card = played if values["card"] is None else state.library.card(values["card"])
    number, picked = values["step"], tuple(values["picked"])
    if number >= len(played.program) or played.program[number].target.how != "chosen":
        raise PlacedError(("step",), f"{played.title} has no choice in step {number}")
    target = played.program[number].target
    size = len(getattr(state, target.group.pile)) if target.group.pile else 0
    for position, index in enumerate(picked):
        if index >= size or index in picked[:position]:
            raise PlacedError(("picked", position), f"{index} is not the index of another card")
    pending = PendingCard(card, played, number, picked, values["goes_to"])
    if len(picked) >= target.number or not choices(state, pending):
        raise PlacedError(("picked",), f"{played.title} has no choice left")
    return pending


# -- actions


_ARGUMENTS: Final[dict[str, str]] = {"play": "card", "fighter": "fighter", "card": "card", "end": ""}
_TYPE: Final = JsonField(partial(one_of, choices=tuple(_ARGUMENTS)))


def _read_fighter(value: Any) -> int:
    return PLAYER if value == "player" else natural_number(value)


_FIGHTER: Final = JsonKind(_read_fighter, any_of(schema_of(natural_number), {"const": "player"}))
_CARD_ACTION: Final = JsonRecord(type=_TYPE, card=JsonField(natural_number), name=JsonField(string, ""))
_ACTIONS: Final = {
    "play": _CARD_ACTION,  # a plan also writes the name of the card; the position decides
    "fighter": JsonRecord(type=_TYPE, fighter=JsonField(_FIGHTER)),
    "card": _CARD_ACTION,
    "end": JsonRecord(type=_TYPE),
}


def action_to_json(action: Action) -> dict[str, Any]:
    """Return the JSON form: `{"type": "play", "card": 2}`; a fighter is the index of an enemy, or `player`."""
    key = _ARGUMENTS[action.type]
    if not key:
        return {"type": action.type}
    return {"type": action.type, key: "player" if key == "fighter" and action.position == PLAYER else action.position}


def action_from_json(data: Any, place: str = "action") -> Action:
    """Read an action; errors name `place`."""
    with at(place):
        entry = as_mapping(data)
        if "type" not in entry:
            raise PlacedError(("type",), "is missing")
        with at("type"):
            kind = one_of(entry["type"], _ACTIONS)
        values = _ACTIONS[kind].read(data)
    return Action(kind, values.get(_ARGUMENTS[kind], 0))


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


# -- setups


def _read_deck(value: Any) -> list[tuple[Any, str]]:
    """Return for every card the key or index of its entry, and its title."""
    if not isinstance(value, list | dict):
        raise PlannerError(f"must be a list of cards, or a mapping such as {{Strike: 5}}, got {quote(value)}")
    entries: Iterable[tuple[Any, Any, Any]] = ((index, title, 1) for index, title in enumerate(value))
    if isinstance(value, dict):
        entries = ((title, title, number) for title, number in value.items())
    deck: list[tuple[Any, str]] = []
    for key, title, number in entries:
        with at(key):
            deck += [(key, text(title))] * integer(number, 1, MAX_CARDS)
        if len(deck) > MAX_CARDS:
            break
    if not 1 <= len(deck) <= MAX_CARDS:
        raise PlannerError(f"must have between 1 and {MAX_CARDS:,} cards, got {len(deck):,}")
    return deck


_NUMBERS: Final[Schema] = {
    "type": "object", "additionalProperties": integer_schema(1, MAX_CARDS), "minProperties": 1,
}  # fmt: skip
DECK: Final = JsonKind(_read_deck, any_of(list_schema(TEXT, 1, MAX_CARDS), _NUMBERS), list)
SETUP: Final = JsonRecord(
    name=JsonField(string, ""),
    deck=JsonField(DECK),
    enemies=JsonField(list_of(text, 1, MAX_ENEMIES)),
    health=JsonField(positive_number, DEFAULT_HEALTH),
    **SHARED_FIELDS,
)
_BY_NAME: Final = JsonRecord(scenario=JsonField(text))


def setup_to_json(setup: Setup) -> dict[str, Any]:
    """Return the JSON form of a setup, with the deck card by card."""
    return SETUP.write(setup)


def setup_from_json(data: Any, base: Library | None = None) -> Setup:
    """Read a setup, which may use the definitions of `base`; `{"scenario": "starter"}` names one of the game."""
    if isinstance(data, dict) and "scenario" in data:
        return scenario(_BY_NAME.read_document(data, "setup")["scenario"], base)
    return _read_setup(data, "setup", base)


def _read_setup(data: Any, place: str, base: Library | None) -> Setup:
    with at(place):
        values = SETUP.read(data)
    library = read_library(values, base)
    with at(place):
        deck = find_deck(values["deck"], library)
        with at("enemies"):
            enemies = find_enemies(values["enemies"], library)
    return make_setup(values, deck, enemies, library)


def make_setup(values: Mapping[str, Any], deck: Sequence[str], enemies: Sequence[str], library: Library) -> Setup:
    """Return the setup with these fields."""
    return Setup(
        tuple(deck),
        tuple(enemies),
        values["health"],
        read_limits(values),
        values.get("name", ""),
        json.dumps(library.custom),
        library.is_anonymous,
        library.extension,
    )


def find_deck(entries: Iterable[tuple[Any, str]], library: Library) -> list[str]:
    """Return the titles of the cards in the field `deck`."""
    deck = []
    for key, title in entries:
        with at("deck", key):
            deck.append(find_card(title, library))
    return deck


def find_enemies(names: Iterable[str], library: Library) -> list[str]:
    """Return the names of these enemies."""
    return read_items(partial(one_of, choices=library.enemies), names)


def find_card(title: str, library: Library) -> str:
    """Return the title of this card; with anonymous names, it may be either of its names."""
    if library.is_anonymous:
        name, plus, level = title.partition("+")
        if name not in library.card_names:
            title = f"{anonymous_name(name)}{plus}{level}"
    return library.card(title).title


# -- scenarios


def scenario_names(extension: str = "") -> tuple[str, ...]:
    """Return the names of the scenarios that come with the game; each one also has an anonymous form."""
    names = tuple(_shipped_scenarios(extension))
    return (*names, *(name + _ANONYMOUS for name in names))


@cache
def _shipped_scenarios(extension: str) -> Mapping[str, Any]:
    shipped: Mapping[str, Any] = load_yaml(_SCENARIOS)["scenarios"]
    if not extension:
        return shipped
    added = load_extension(extension).scenarios
    for name in added:
        if name in shipped:
            raise PlannerError(f"scenario {name}: duplicate name: this scenario exists already")
        if name.endswith((_ANONYMOUS, ".yaml", ".yml")):
            raise PlannerError(f"scenario {quote(name)}: a name must not end in {_ANONYMOUS} or .yaml")
    return {**shipped, **added}


def check_scenarios(extension: str) -> None:
    """Read the scenarios of an extension, so that a mistake concerns the command, and not the first battle."""
    for name in load_extension(extension).scenarios:
        try:
            scenario(name, shipped_library(extension))
        except PlannerError as error:
            raise PlannerError(f"{extension}: {error}") from None


def scenario(name: Any, base: Library | None = None) -> Setup:
    """Return the scenario with this name, or read it from a YAML file; it may use the definitions of `base`."""
    if isinstance(name, str) and name.endswith((".yaml", ".yml")):
        data = load_yaml(Path(name))
        try:
            entry = {"name": Path(name).stem, **data} if isinstance(data, dict) else data
            return setup_from_json(entry, base)
        except PlannerError as error:
            raise PlannerError(f"{name}: {error}") from None
    extension = base.extension if base else ""
    names = scenario_names(extension)
    if not isinstance(name, str) or name not in names:
        hint = did_you_mean(name, names) or f"; must be one of {', '.join(names)}"
        raise PlannerError(f"scenario: {quote(name)} is not a scenario{hint}")
    shipped_name = name.removesuffix(_ANONYMOUS)
    data = _shipped_scenarios(extension)[shipped_name]
    if isinstance(data, dict):
        data = {**data, "name": name, **({"anonymous": True} if name != shipped_name else {})}
    return _read_setup(data, f"scenario {name}", base)


# -- kinds of files and their schemas


def file_kinds(game: str, library: Callable[[], Library]) -> list[FileKind]:
    """Return the kinds of files: definitions, and scenarios, which may use those of the library."""

    def read_cards(path: Path, _ruleset: str) -> list[str]:
        return describe_definitions(load_library(path, extension=library().extension).custom) or ["no definitions"]

    def read_scenario(path: Path, _ruleset: str) -> list[str]:
        setup = scenario(str(path), library())
        return [f"{len(setup.deck)} cards and {setup.health} health against {', '.join(setup.enemies)}"]

    return [
        FileKind("cards", game, lambda: DefinitionReader(library()).schema(), read_cards),
        FileKind("scenario", game, lambda: SETUP.schema, read_scenario),
    ]


def describe_definitions(defined: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a line for each kind of definition, with the names."""
    return [f"{len(defined[key])} {key}: {', '.join(defined[key])}" for key in SECTIONS if defined.get(key)]


def setup_schema() -> dict[str, Schema]:
    """Return the schema of an experiment's fields for this game: scenarios by name, by file, or in full."""
    short = object_schema({"scenario": TEXT}, ("scenario",))
    return {"scenarios": list_schema(any_of(TEXT, short, SETUP.schema), 1)}
