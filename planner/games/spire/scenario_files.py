"""Scenarios, and the files that users write for this game: scenarios and definitions of cards, statuses and enemies."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import load_yaml
from planner.formats.json_records import JsonField, JsonKind, JsonRecord, at, list_of, read_items
from planner.formats.json_schema import (
    TEXT,
    FileKind,
    Schema,
    any_of,
    integer_schema,
    list_schema,
    object_schema,
)
from planner.formats.values import integer, one_of, string, text
from planner.games.spire.action_language import positive_number
from planner.games.spire.battle_codec import (
    DEFAULT_HEALTH,
    SHARED_FIELDS,
    read_library,
    read_limits,
)
from planner.games.spire.battle_rules import MAX_ENEMIES
from planner.games.spire.battle_state import Setup
from planner.games.spire.card_library import (
    SECTIONS,
    DefinitionReader,
    Library,
    anonymous_name,
    load_library,
    shipped_library,
)
from planner.games.spire.extensions import load_extension
from planner.games.spire.vocabulary import MAX_CARDS

_ANONYMOUS: Final = "_anonymous"  # ends the name of a scenario with anonymous card names
_SCENARIOS: Final = Path(__file__).with_name("data") / "scenarios.yaml"


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
    {
        "name": JsonField(string, ""),
        "deck": JsonField(DECK),
        "enemies": JsonField(list_of(text, 1, MAX_ENEMIES)),
        "health": JsonField(positive_number, DEFAULT_HEALTH),
        **SHARED_FIELDS,
    }
)
_BY_NAME: Final = JsonRecord({"scenario": JsonField(text)})


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
