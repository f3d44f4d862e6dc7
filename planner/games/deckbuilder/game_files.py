"""The files that designers of deck-building games write, for `planner check` and `planner schema`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from planner.formats.json_schema import FileKind
from planner.formats.values import ErrorCollector
from planner.games.deckbuilder.definition import Definition, game_schema
from planner.games.deckbuilder.definition_reader import LIBRARY, definition_file, load_definition, read_definition
from planner.games.deckbuilder.functions import check_functions
from planner.games.deckbuilder.menu_bots import menu_files, menu_schema, read_menu

FAMILY: Final = "deckbuilder"  # the kind of a definition does not belong to one of the games


def file_kinds(definition: Definition) -> Sequence[FileKind]:
    """Return the kinds of files: a game, and a bot of this game or of the one in whose folder it is."""

    def read_bot(path: Path, _rules: str) -> Sequence[str]:
        menu = read_menu(path, _definition_of(path, definition))
        return [f"{len(menu.buy)} lines to buy, {len(menu.trash)} to trash"]

    return (
        FileKind("game", FAMILY, game_schema, describe_game),
        FileKind("bot", FAMILY, menu_schema, read_bot),
    )


def _definition_of(bot: Path, default: Definition) -> Definition:
    """Return the game of a bot: a user's own one that was named, or the one to whose folder `bots` the file belongs."""
    folder = bot.resolve().parent
    if not default.path.is_relative_to(LIBRARY):
        return default
    if folder.name == "bots" and any(folder.parent.glob("*.yaml")):
        return load_definition(definition_file(folder.parent))
    return default


def describe_game(path: Path, _rules: str = "") -> Sequence[str]:
    """Read a game with its bots, import its functions, and return a summary."""
    definition = read_definition(path)
    errors = ErrorCollector()
    bots = menu_files(path.parent)
    for bot in bots.values():
        with errors:
            read_menu(bot, definition)
    with errors:
        check_functions(definition)
    errors.raise_if_any()
    piles = f"{len(definition.piles)} piles"
    if definition.kingdom.piles:
        piles += f" and {definition.kingdom.count} of {len(definition.kingdom.piles)} more"
    lines = [f"{definition.title}: {definition.players_text}, {len(definition.cards)} cards, {piles}"]
    if definition.function_names:
        lines.append(f"functions: {', '.join(definition.function_names)}")
    if bots:
        lines.append(f"bots: {', '.join(bots)}")
    return [*lines, *_warnings(definition)]


def _warnings(definition: Definition) -> list[str]:
    """Return what is allowed but hardly intended."""
    used = {card for pile in (*definition.piles, *definition.kingdom.piles) for card, _ in pile.cards}
    used |= {card for card, _ in definition.centre.cards} if definition.centre is not None else set()
    used |= set(definition.starting_deck)
    unused = [card.name for index, card in enumerate(definition.cards) if index not in used]
    found = [f"warning: no pile and no deck has the card {name}" for name in unused]
    if not definition.ends and not definition.reserve and definition.victory == "points":
        found.append(f"warning: without `ends`, a match lasts {definition.turn_limit} rounds")
    return found
