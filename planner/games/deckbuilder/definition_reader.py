"""Read the definition of a game: the YAML file in its folder. Every mistake names the file and the line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import cache
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.formats.documents import YamlMapping, load_yaml
from planner.formats.values import Fields, text
from planner.games.deckbuilder.amounts import QUANTITIES, Amount
from planner.games.deckbuilder.definition import MAX_PLAYERS, MIN_PLAYERS, Definition
from planner.games.deckbuilder.definition_fields import MAX_COUNT, WORDS, mapping, read_record, required, settings
from planner.games.deckbuilder.effect_reader import EffectReader, leads_to_itself
from planner.games.deckbuilder.effects import NUMBER_WORDS, STEP_WORDS
from planner.games.deckbuilder.function_file import FunctionFile

LIBRARY: Final = Path(__file__).parent / "library"  # the games of the project
_COSTS: Final = "costs of cards"


def definition_file(folder: Path) -> Path:
    """Return the YAML file of a game's folder: NAME.yaml in a folder NAME, the only YAML file, or the only game."""
    if folder.is_file():
        return folder
    if not folder.is_dir():
        raise PlannerError(f"{folder}: no such folder")
    named = folder / f"{folder.resolve().name}.yaml"
    if named.is_file():
        return named
    files = sorted((*folder.glob("*.yaml"), *folder.glob("*.yml")))
    if len(files) > 1:
        files = [file for file in files if _looks_like_game(file)]
    if len(files) != 1:
        found = f"{len(files)} of them" if files else "none"
        raise PlannerError(f"{folder}: must contain {named.name} or exactly one YAML file with a game, got {found}")
    return files[0]


def _looks_like_game(path: Path) -> bool:
    """Return whether a file has most of the fields that a game needs; it may have mistakes."""
    try:
        document = load_yaml(path)
    except PlannerError:
        return False
    needed = required(Definition)
    return isinstance(document, YamlMapping) and 2 * sum(key in document for key in needed) > len(needed)


@cache
def load_definition(path: Path) -> Definition:
    """Read the definition in this file, or return the one that was read before."""
    return read_definition(path)


def read_definition(path: Path) -> Definition:
    """Read the definition in this file."""
    needed = required(Definition)
    fields = Fields.of_file(path, "a game", f"with {', '.join(needed)}")
    if any(key not in fields for key in needed):
        fields.check_keys(settings(Definition), needed)
    names = _names(fields)
    definition = read_record(Definition, names, fields, path=path, blocks=names.blocks)
    _check_circles(fields, definition)
    return definition


def _names(fields: Fields) -> EffectReader:
    """Return the names that the definition declares; the parts are read later."""
    names = EffectReader(fields.path)
    cards, stats = mapping(fields, "cards"), mapping(fields, "stats")
    if not 1 <= len(cards.entry) <= MAX_COUNT:
        raise fields.error(f"cards: a game needs 1 to {MAX_COUNT} cards, got {len(cards.entry)}", "cards")
    for name in cards.entry:
        if not name.isprintable():
            raise cards.error(f"{quote(name)} cannot be the name of a card: it must be one line", name)
    if not stats.entry:
        raise fields.error("stats: a game needs at least one, such as {actions: 1, buys: 1, coins: 0}", "stats")
    for stat in stats.entry:
        if stat in (*NUMBER_WORDS, *STEP_WORDS, *QUANTITIES) or not stat.isidentifier():
            raise stats.error(f"{quote(stat)} is a word of the format; choose another name for the stat", stat)
    counts = mapping(fields, "counts").entry if "counts" in fields else {}
    for count in counts:
        if count in QUANTITIES or count in stats.entry or not count.isidentifier():
            message = f"{quote(count)} cannot be the name of a count: it is a word of the format"
            raise mapping(fields, "counts").error(message, count)
    names.cards = {name: index for index, name in enumerate(cards.entry)}
    names.stats = tuple(stats.entry)
    names.quantities = {*QUANTITIES, *stats.entry, *counts}
    entries = [mapping(cards, name) for name in cards.entry]
    names.types = {word for entry in entries if "type" in entry for word in WORDS.read(names, entry, "type")}
    names.factions = {entry.read("faction", text) for entry in entries if "faction" in entry}
    names.has_row = "centre" in fields
    names.function_file = fields.read("functions", lambda value: _function_file(fields.path, value))
    names.functions = names.function_file.names if names.function_file is not None else ()
    names.reserve(mapping(fields, "effects").entry if "effects" in fields else ())
    names.piles = list(_pile_names(fields))
    try:
        names.players = settings(Definition)["players"].kind.read(names, fields, "players")
    except PlannerError:  # reported with the other fields
        names.players, names.players_known = range(MIN_PLAYERS, MAX_PLAYERS + 1), False
    return names


def _pile_names(fields: Fields) -> Iterator[str]:
    """Yield the names of all piles; what is wrong with them is reported later."""
    kingdom = fields.entry.get("kingdom")
    for piles in (fields.entry.get("piles"), kingdom.get("piles") if isinstance(kingdom, YamlMapping) else None):
        for pile in piles if isinstance(piles, list) else ():
            cards = pile.get("cards") if isinstance(pile, YamlMapping) else pile
            name = pile.get("name") if isinstance(pile, YamlMapping) else None
            yield str(name or (next(iter(cards), "") if isinstance(cards, YamlMapping) else cards))


def _function_file(path: Path, value: Any) -> FunctionFile:
    if not isinstance(value, str) or not value.endswith(".py") or Path(value).name != value:
        raise PlannerError(f"must be the name of a .py file beside this one, got {quote(value)}")
    return FunctionFile(path.parent / value)


def _check_circles(fields: Fields, definition: Definition) -> None:
    """Refuse counts whose value depends on itself, also by way of the costs of cards."""
    counts = definition.counts
    uses: dict[str, Set[str]] = {_COSTS: _quantities(card.cost for card in definition.cards if card.cost is not None)}
    for name, count in counts.items():
        if count.zones:
            uses[name] = _quantities(count.filter.amounts) | ({_COSTS} if count.filter.amounts else set())
    for name in counts:
        if leads_to_itself(name, lambda name: uses.get(name, set())):
            raise mapping(fields, "counts").error(f"{name}: the count depends on itself", name)


def _quantities(amounts: Iterable[Amount]) -> Set[str]:
    return {name for amount in amounts for _, name in amount.terms}
