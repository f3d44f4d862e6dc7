"""The games: everything that only one game knows, a folder for each."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Final

from planner.files import PlannerError, nearest, show
from planner.game import AnyGame, BaseGame
from planner.plugins import is_plugin, load_plugin

DEFAULT: Final = "hearthstone"  # what a state or an experiment is about that names no game

# One line for each game: the module whose GAME it is, imported when somebody asks for it.
_MODULES: Final = {
    "hearthstone": "planner.games.hearthstone.game",
    "spire": "planner.games.spire.game",
}


def game_names() -> list[str]:
    """The games that come with the project."""
    return sorted(_MODULES)


def game(name: str, folders: Sequence[str] = ()) -> AnyGame:
    """The game of this name, or the user's own `module:GAME`; `folders` are where its module may lie."""
    if name not in _MODULES and folders:
        return _own(name, tuple(folders))
    return _game(name)


@cache
def _game(name: str) -> AnyGame:
    if name in _MODULES:
        found: AnyGame = importlib.import_module(_MODULES[name]).GAME
        return found
    return _own(name, ())


@cache
def _own(name: str, folders: tuple[str, ...]) -> AnyGame:
    if isinstance(name, str) and is_plugin(name):
        found: AnyGame = load_plugin(name, "game", "game", BaseGame, folders)
        if found.name != name:  # a log would name a game that nobody finds
            raise PlannerError(f"game {name!r}: its name is {show(found.name)}, not the words that find it")
        return found
    known = game_names()
    hint = nearest(name, known) if isinstance(name, str) else ""
    raise PlannerError(f"{show(name)} is not a game{hint or '; there are ' + ', '.join(known)} (or give module:GAME)")
