"""The games: everything that only one game knows, a folder for each."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from functools import cache
from typing import Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.game import AnyGame, BaseGame
from planner.user_code import load_user_code, names_user_code

DEFAULT: Final = "hearthstone"  # what a state or an experiment is about that names no game

# One line for each game: the module whose GAME it is, imported when somebody asks for it.
_MODULES: Final = {
    "hearthstone": "planner.games.hearthstone.hearthstone_game",
    "spire": "planner.games.spire.spire_game",
}


def game_names() -> list[str]:
    """The games that come with the project."""
    return sorted(_MODULES)


@cache
def game(name: str) -> AnyGame:
    """The game of this name. Names come from anywhere, a log or a state: they must not make us import a module."""
    if name not in _MODULES:
        raise PlannerError(
            f"{quote(name)} is not a game{did_you_mean(name, game_names()) or f'; there are {_listed()}'}"
        )
    found: AnyGame = importlib.import_module(_MODULES[name]).GAME
    return found


def load_game(name: str, folders: Sequence[str] = ()) -> AnyGame:
    """A game that somebody names on purpose: one of ours, or their own `module:GAME`, which is imported.

    `folders` are where the module may lie, after all that Python knows.
    """
    return _own(name, tuple(folders)) if name not in _MODULES and names_user_code(name) else game(name)


@cache
def _own(name: str, folders: tuple[str, ...]) -> AnyGame:
    found: AnyGame = load_user_code(name, "game", "game", BaseGame, folders)
    if found.name != name:  # a log would name a game that nobody finds
        raise PlannerError(f"game {name!r}: its name is {quote(found.name)}, not the words that find it")
    return found


def _listed() -> str:
    return ", ".join(game_names())
