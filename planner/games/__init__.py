"""The games by name, and user-defined games. Each game has its own package."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from functools import cache
from typing import Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.game import AnyGame, BaseGame
from planner.user_code import load_user_code, names_user_code

DEFAULT: Final = "hearthstone"  # the game of states and experiments that do not name one

# The module of each game and the name that the game has there; it is imported when the game is needed.
_MODULES: Final = {
    "ascension": "planner.games.deckbuilder.deckbuilder_game:ASCENSION",
    "caveman": "planner.games.deckbuilder.deckbuilder_game:CAVEMAN",
    "dominion": "planner.games.deckbuilder.deckbuilder_game:DOMINION",
    "hearthstone": "planner.games.hearthstone.hearthstone_game:GAME",
    "spire": "planner.games.spire.spire_game:GAME",
}

_LOADED: Final[dict[str, AnyGame]] = {}  # by path


def game_names() -> list[str]:
    """Return the names of the shipped games."""
    return sorted(_MODULES)


def is_loaded(name: object) -> bool:
    """Return whether this is the path of a game that this process has loaded."""
    return isinstance(name, str) and name in _LOADED


def game(name: str) -> AnyGame:
    """Return a known game. A name may come from a log or a state, so it must not import a module."""
    return _LOADED[name] if name in _LOADED else _shipped_game(name)


@cache
def _shipped_game(name: str) -> AnyGame:
    if name not in _MODULES:
        hint = did_you_mean(name, game_names()) or f"; must be one of {', '.join(game_names())}"
        raise PlannerError(f"{quote(name)} is not a game{hint}")
    module, _, attribute = _MODULES[name].partition(":")
    result: AnyGame = getattr(importlib.import_module(module), attribute)
    return result


def load_game(name: str, folders: Sequence[str] = ()) -> AnyGame:
    """Return a shipped game, a user's game from `module:GAME`, or a game by its path.

    The path of a folder is that of a deck-building game; a Python file is an extension of the battles. Python's path
    comes before `folders`. A path has a slash, as in `./mygame`, so that it is not mistaken for a name.
    """
    if name in _MODULES:
        return game(name)
    if names_user_code(name):
        return _load_user_game(name, tuple(folders))
    if is_path(name):
        return _load_path(name, os.getcwd())
    if not is_loaded(name) and os.path.exists(name):
        raise PlannerError(f"{quote(name)} is not a game; the path of a game has a slash: ./{name}")
    return game(name)


def is_own_game(name: str) -> bool:
    """Return whether this names a game that is not shipped: code, or a path to data that may come with code."""
    return names_user_code(name) or is_path(name)


def is_path(name: str) -> bool:
    """Return whether this is the path of a game."""
    return "/" in name or os.sep in name


@cache
def _load_path(name: str, _working_folder: str) -> AnyGame:
    module = "spire.spire_game" if name.endswith(".py") else "deckbuilder.deckbuilder_game"
    result: AnyGame = importlib.import_module(f"planner.games.{module}").game_by_path(name)
    states_name = getattr(result, "states_name", name)  # the name that a state has for its game
    _LOADED[name] = _LOADED[os.path.abspath(name)] = _LOADED[states_name] = result
    return result


@cache
def _load_user_game(name: str, folders: tuple[str, ...]) -> AnyGame:
    user_game: AnyGame = load_user_code(name, "game", "game", BaseGame, folders)
    if user_game.name != name:  # a log could not be replayed under another name
        raise PlannerError(f"game {name!r}: its name must be {name!r}, got {quote(user_game.name)}")
    return user_game
