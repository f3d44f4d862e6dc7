"""Agents that break the rules of any game: the seed of `tests.arena.rude:Rude` decides how."""

from __future__ import annotations

import os
import sys
import time
from typing import Any


def _raises(_state: Any) -> Any:
    raise ZeroDivisionError("oh\nno")


def _hangs(_state: Any) -> Any:
    while True:
        time.sleep(1)


def _nonsense(_state: Any) -> Any:
    return ["nonsense"]


def _state_itself(state: Any) -> Any:
    return state


def _exits(_state: Any) -> Any:
    sys.exit("goodbye")


def _dies(_state: Any) -> Any:
    os._exit(3)


BEHAVIOURS = {
    _raises: "crash: ZeroDivisionError: oh no",
    _hangs: "time: no decision within 1 s",
    _nonsense: "illegal action: ",
    _state_itself: "illegal action: ",
    _exits: "crash: SystemExit: goodbye",
    _dies: "crash: its process ended (exit code 3)",
}


class Rude:
    """Never makes a legal decision."""

    name = "rude"

    def __init__(self, seed: int) -> None:
        self.misbehave = list(BEHAVIOURS)[seed % len(BEHAVIOURS)]

    def decide(self, state: Any) -> Any:
        return self.misbehave(state)


class Crashing(Rude):
    """Raises at its first decision."""

    def __init__(self, seed: int) -> None:
        self.misbehave = _raises
