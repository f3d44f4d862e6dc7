"""Hostile agents as a user would write them: `tests.arena.hostile:Raises` and so on."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import struct
import subprocess
import sys
import time
from random import Random
from typing import Any

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.hearthstone_agents import BaseAgent, RandomPlayer
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, Mulligan
from planner.games.hearthstone.rules.state import GameState


class Honest(RandomPlayer):
    """Plays as the random agent does."""

    name = "honest"

    def __init__(self, seed: int) -> None:
        super().__init__(Random(seed))


class _Late(BaseAgent):
    """Passes until the third turn."""

    name = "hostile"

    def act(self, state: GameState) -> Action:
        return EndTurn() if state.turn < 3 else self.misbehave(state)

    def misbehave(self, state: GameState) -> Any:
        raise NotImplementedError


class Raises(_Late):
    def misbehave(self, state: GameState) -> Any:
        raise ZeroDivisionError("oh\nno")


class Hangs(_Late):
    def misbehave(self, state: GameState) -> Any:
        while True:
            time.sleep(1)


class HangsDeaf(_Late):
    """Ignores all signals that can be ignored, and holds the interpreter's lock."""

    def misbehave(self, state: GameState) -> Any:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        ctypes.PyDLL(None).sleep(1000)


class Illegal(_Late):
    def misbehave(self, state: GameState) -> Any:
        return Attack("me.hero", "enemy.hero")


class Nonsense(_Late):
    def misbehave(self, state: GameState) -> Any:
        return ["EndTurn"]


class Huge(_Late):
    def misbehave(self, state: GameState) -> Any:
        return Attack("x" * 10_000_000, "enemy.hero")


class Exits(_Late):
    def misbehave(self, state: GameState) -> Any:
        sys.exit("goodbye")


class Dies(_Late):
    def misbehave(self, state: GameState) -> Any:
        os._exit(3)


class KillsItsParent(_Late):
    def __init__(self) -> None:
        self.parent = os.getppid()

    def misbehave(self, state: GameState) -> Any:
        if os.getppid() == self.parent:  # once: the process that adopts it afterwards is innocent
            os.kill(self.parent, signal.SIGKILL)
        return EndTurn()


class Chatters(_Late):
    """Writes to all file descriptors, also to the pipe to the referee."""

    def misbehave(self, state: GameState) -> Any:
        sys.stdout.write("noise\n" * 1000)
        sys.stderr.write("noise\n" * 1000)
        for number in range(3, 20):
            try:
                os.write(number, b"\x00\x00\x00\x05noise")
            except OSError:
                continue
        return EndTurn()


class Nests(_Late):
    """Sends nested lists over the pipe to the referee, one for this decision and one for the end of the game."""

    def misbehave(self, state: GameState) -> Any:
        for number in range(3, 20):
            try:
                os.write(number, 2 * (struct.pack("!i", 50_000) + b"[" * 50_000))
            except OSError:
                continue
        return EndTurn()


class Spawns(_Late):
    """Leaves processes running."""

    def misbehave(self, state: GameState) -> Any:
        if state.turn < 5:
            subprocess.Popen(["sleep", "1000"])
        return EndTurn()


class Mutates(RandomPlayer):
    """Modifies every card that it can reach, and plays on."""

    name = "mutates"

    def __init__(self, seed: int) -> None:
        super().__init__(Random(seed))

    def decide(self, state: GameState) -> Action:
        for thing in gc.get_objects() if state.turn in (3, 4, 9, 10) else ():  # this is slow
            if isinstance(thing, Card):
                object.__setattr__(thing, "attack", 99)
                thing.__dict__["cost"] = 0
        object.__setattr__(state.rules, "hero_health", 1)
        return super().decide(state)


class BadMulligan(_Late):
    def mulligan(self, state: GameState) -> Mulligan:
        return Mulligan([7])  # type: ignore[arg-type,list-item]


class Slow(BaseAgent):
    """Answers too late."""

    name = "slow"

    def act(self, state: GameState) -> Action:
        time.sleep(0.6)
        return EndTurn()


BEHAVIOURS: dict[str, tuple[type[_Late], str]] = {
    "raises": (Raises, "crash: ZeroDivisionError: oh no"),
    "hangs": (Hangs, "time: no decision within 1 s"),
    "hangs deaf": (HangsDeaf, "time: no decision within 1 s"),
    "illegal": (Illegal, "illegal action: your hero has no attack"),
    "nonsense": (Nonsense, "illegal action: ['EndTurn'] is not an action"),
    "huge": (Huge, "illegal action: "),
    "exits": (Exits, "crash: SystemExit: goodbye"),
    "dies": (Dies, "crash: its process ended (exit code 3)"),
    "kills its parent": (KillsItsParent, ""),  # the parent is not needed until the next game
    "spawns": (Spawns, ""),
    "chatters": (Chatters, ""),  # its output may damage its own pipe
}


def behaviour_of(seed: int) -> str:
    """Return the behaviour of an agent with this seed."""
    return list(BEHAVIOURS)[seed % len(BEHAVIOURS)]


class Rotating(_Late):
    """Misbehaves in one of the ways above, chosen by the seed. One class, because each class starts a process."""

    def __init__(self, seed: int) -> None:
        self.agent = BEHAVIOURS[behaviour_of(seed)][0]()

    def misbehave(self, state: GameState) -> Any:
        return self.agent.misbehave(state)


class Unmakable(BaseAgent):
    def __init__(self) -> None:
        raise RuntimeError("not today")

    def act(self, state: GameState) -> Action:
        return EndTurn()


class HangsWhenMade(Honest):
    """Hangs, except in the check before a tournament, whose seed is 0."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        if seed:
            time.sleep(1000)


class Hoards(_Late):
    """Allocates all memory."""

    def misbehave(self, state: GameState) -> Any:
        kept = []
        while True:
            kept.append(bytearray(10_000_000))


class Talks(Honest):
    """Writes more output than is kept."""

    def decide(self, state: GameState) -> Action:
        sys.stdout.write(f"turn {state.turn}\n")
        sys.stderr.write("x" * 3000)
        return super().decide(state)


class DiesWhenMade(Honest):
    def __init__(self) -> None:
        os._exit(4)


class NoAgent:
    name = "no agent"
