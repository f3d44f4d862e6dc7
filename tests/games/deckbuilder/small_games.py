"""Small definitions for tests, and how to load them from a folder."""

from __future__ import annotations

from pathlib import Path

from planner.game import AnyGame
from planner.games.deckbuilder.deckbuilder_game import game_by_path

SMALL = """\
title: Small
players: [2, 3]
hand_size: 3
stats: {actions: 1, buys: 1, coins: 0}
phases: [action, buy, clear]
starting_deck: {Coin: 6, Field: 1}
piles:
  - {cards: Coin, count: 20}
  - {cards: Field, count: {2: 6, 3: 9}}
  - Scholar
ends:
  - {empty: Field, reason: no fields left}
cards:
  Coin: {type: treasure, cost: 0, effects: {coins: 1}}
  Field: {type: victory, cost: 3, points: 1}
  Scholar: {type: action, cost: 2, effects: {cards: 2}}
"""


def write_game(folder: Path, text: str = SMALL, functions: str | None = None) -> Path:
    """Write a game into a folder; with functions, the definition names them."""
    folder.mkdir(exist_ok=True)
    if functions is not None:
        (folder / "own.py").write_text(functions, encoding="utf-8")
        text += "functions: own.py\n" if "functions:" not in text else ""
    path = folder / f"{folder.name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def load(folder: Path, text: str = SMALL, functions: str | None = None) -> AnyGame:
    """Write a game and load it by its path."""
    write_game(folder, text, functions)
    return game_by_path(str(folder))
