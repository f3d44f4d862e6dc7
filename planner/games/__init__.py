"""The games by name, and user-defined games. Each game has its own package."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.game import AnyGame, BaseGame
from planner.user_code import load_user_code, names_user_code

DEFAULT: Final = "hearthstone"  # the game of states and experiments that do not name one

# The module of each game, which defines GAME; it is imported when the game is needed.
_MODULES: Final = {
    "hearthstone": "planner.games.hearthstone.hearthstone_game",
    "spire": "planner.games.spire.spire_game",
}


def game_names() -> list[str]:
    """Return the names of the shipped games."""
    return sorted(_MODULES)


@cache
def game(name: str) -> AnyGame:
    """Return a shipped game. A name may come from a log or a state, so it must not import a module."""
    if name not in _MODULES:
        hint = did_you_mean(name, game_names()) or f"; must be one of {', '.join(game_names())}"
        raise PlannerError(f"{quote(name)} is not a game{hint}")
    result: AnyGame = importlib.import_module(_MODULES[name]).GAME
    return result


def load_game(name: str, folders: Sequence[str] = ()) -> AnyGame:
    """Return a shipped game, or import a user's game from `module:GAME`; Python's path comes before `folders`."""
    return _load_user_game(name, tuple(folders)) if name not in _MODULES and names_user_code(name) else game(name)


@cache
def _load_user_game(name: str, folders: tuple[str, ...]) -> AnyGame:
    user_game: AnyGame = load_user_code(name, "game", "game", BaseGame, folders)
    if user_game.name != name:  # a log could not be replayed under another name
        raise PlannerError(f"game {name!r}: its name must be {name!r}, got {quote(user_game.name)}")
    return user_game
