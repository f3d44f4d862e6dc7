"""What battles start from, as JSON values: decks and enemies, and the scenarios that come with the game."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import load_yaml
from planner.games.spire.codec import HEALTH, MOST_CARDS, library_to_json
from planner.games.spire.fields import JsonFields
from planner.games.spire.library import KINDS, Library, library_of, unreadable
from planner.games.spire.places import Place
from planner.games.spire.rules import MOST_ENEMIES, Setup
from planner.games.spire.state import Limits

ANONYMOUS: Final = "_anonymous"
_NOTHING: Final[Mapping[str, Any]] = {}
_SCENARIOS: Final = Path(__file__).with_name("data") / "scenarios.yaml"


def setup_to_json(setup: Setup) -> dict[str, Any]:
    """The deck, card by card, and the enemies."""
    return {
        "name": setup.name,
        "deck": list(setup.deck),
        "enemies": list(setup.enemies),
        "health": setup.health,
        "energy_per_turn": setup.limits.energy,
        "cards_per_turn": setup.limits.cards,
        **library_to_json(setup.library),
    }


SETUP: Final = (
    "scenario", "name", "deck", "enemies", "health", "energy_per_turn", "cards_per_turn", "library", "anonymous",
)  # fmt: skip


def setup_from_json(data: Any, added: Mapping[str, Any] = _NOTHING) -> Setup:
    """From that form; `{"scenario": "starter"}` is short for one that comes with the game.

    `added` are definitions that exist beside those of the game, as in the field `library`.
    """
    if isinstance(data, dict) and "scenario" in data:
        fields = JsonFields(data, "", ("scenario",))
        return scenario(fields.data["scenario"], added)
    fields = JsonFields(with_library(data, added), "setup", SETUP[1:])
    library = fields.library()
    return _setup(fields, library, fields.items("deck", MOST_CARDS))


def _setup(fields: JsonFields, library: Library, titles: list[str]) -> Setup:
    deck = [library.card(title, Place(f"{fields.at('deck')}[{place}]")).title for place, title in enumerate(titles)]
    enemies = fields.items("enemies", MOST_ENEMIES)
    for place, name in enumerate(enemies):
        if not isinstance(name, str) or name not in library.enemies:
            where = f"{fields.at('enemies')}[{place}]"
            raise PlannerError(f"{where}: {quote(name)} is not an enemy{did_you_mean(name, library.enemies)}")
    if not deck or not enemies:
        raise PlannerError(f"{fields.at('deck')}: a battle needs cards and enemies")
    limits = Limits(fields.number("energy_per_turn", 3), fields.number("cards_per_turn", 5))
    name = fields.data.get("name", "")
    if not isinstance(name, str):
        raise PlannerError(f"{fields.at('name')}: {quote(name)} is not a name")
    health = fields.number("health", HEALTH, least=1)
    added = json.dumps(library.added)
    return Setup(tuple(deck), tuple(enemies), health, limits, name, added, library.is_anonymous)


def scenario_names() -> tuple[str, ...]:
    """The scenarios that come with the game, each also in its anonymous form."""
    names = tuple(_scenarios())
    return (*names, *(name + ANONYMOUS for name in names))


@cache
def _scenarios() -> Mapping[str, Any]:
    found: Mapping[str, Any] = load_yaml(_SCENARIOS)["scenarios"]
    return found


def with_library(data: Any, added: Mapping[str, Any]) -> Any:
    """A setup or a state, in the JSON form, whose library also has these definitions: its own go first."""
    own = data.get("library", {}) if isinstance(data, dict) else None
    if not added or not isinstance(own, dict) or not all(isinstance(own.get(kind, {}), dict) for kind in KINDS):
        return data  # as it is, or for its reader to refuse
    both = {**own, **{kind: {**entries, **own.get(kind, {})} for kind, entries in added.items()}}
    return {**data, "library": both}


def scenario(name: Any, added: Mapping[str, Any] = _NOTHING) -> Setup:
    """The scenario of this name, or in a YAML file."""
    if isinstance(name, str) and name.endswith((".yaml", ".yml")):
        data = load_yaml(Path(name))
        try:
            return setup_from_json({"name": Path(name).stem, **data} if isinstance(data, dict) else data, added)
        except PlannerError as error:
            raise PlannerError(f"{name}: {error}") from None
    names = scenario_names()
    if not isinstance(name, str) or name not in names:
        hint = did_you_mean(name, names) or f"; there are {', '.join(names)}"
        raise PlannerError(f"scenario: {quote(name)} is not a scenario{hint}")
    plain = name.removesuffix(ANONYMOUS)
    hidden = name != plain
    entry = _scenarios()[plain]
    fields = JsonFields({**entry, "name": name}, f"scenario {name}", SETUP)
    rename: Callable[[str], str] = unreadable if hidden else str
    titles = [rename(title) for title in Counter(entry["deck"]).elements()]
    return _setup(fields, library_of(added, anonymous=hidden), titles)
