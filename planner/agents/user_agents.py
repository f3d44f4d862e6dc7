"""Agents that users bring: a Python class, named `module:Class`, or any program, named `cmd:` and its command line.

A program reads one JSON line with the visible state and writes one JSON line with an action. docs/how-to/bots.md
describes the protocol. The owner of a `CommandAgent` closes it, which ends the program and every process it started.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import shlex
import signal
import subprocess
from collections.abc import Sequence
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any, Final, cast

from planner.errors import PlannerError, quote
from planner.game import Agent, AnyGame
from planner.user_code import is_plugin, load_plugin, told

COMMAND: Final = "cmd:"


class AgentLostError(Exception):
    """Raised by an agent that stands for another one: it has lost, and the message is the reason."""


class AgentDiedError(AgentLostError):
    """Its process ended by itself, or was killed by somebody else."""

    def __init__(self, how: str) -> None:
        super().__init__(f"crash: its process ended ({how})")


def is_own(spec: str) -> bool:
    """Whether this names code that came from outside."""
    return spec.startswith(COMMAND) or is_plugin(spec)


def load_own(spec: str, folders: Sequence[str] = ()) -> type:
    """Import the class; `folders` are searched after all that Python knows."""
    found: type = load_plugin(spec, "agent", "class", type, folders)
    if not callable(getattr(found, "decide", None)):
        raise PlannerError(f"agent {spec!r}: {found.__name__} is not an agent: it has no decide()")
    return found


def make_own(spec: str, seed: int, folders: Sequence[str] = ()) -> Agent:
    """One of these agents: with the seed where its class takes a `seed`, otherwise without arguments."""
    found = load_own(spec, folders)
    try:
        agent: Agent = found(seed=seed) if _takes_seed(found) else found()
        named = isinstance(agent.name, str)
    except (Exception, SystemExit) as error:
        raise PlannerError(f"agent {spec!r}: cannot be made: {told(error)}") from error
    if not named:
        raise PlannerError(f"agent {spec!r}: its name is not a text")
    return agent


def _takes_seed(found: type) -> bool:
    try:
        return "seed" in inspect.signature(found).parameters
    except ValueError:  # a class written in C
        return False


LONGEST_ANSWER: Final = 100_000  # bytes of a line
END_SECONDS: Final = 1.0  # to end by itself when its input has ended
_LAST_SECONDS: Final = 0.2  # between the end of its output and its own


def words_of(spec: str) -> list[str]:
    """The words of the command that `cmd:...` names, as a shell would split them; no shell runs it."""
    line = spec.removeprefix(COMMAND)
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise PlannerError(f"command: {quote(line)}: {error}") from None
    if not words or "\0" in line:
        raise PlannerError(f"command: {quote(line)} is not a command such as './mybot --fast'")
    return words


class CommandAgent:
    """A program that plays one match. The line in the place of the question is the answer, whenever it came."""

    def __init__(self, spec: str, of: AnyGame, seed: int, folder: str | None = None, grouped: bool = False) -> None:
        """Start it in this folder; `grouped` where somebody else ends all processes of our group."""
        words = words_of(spec)
        self.name = Path(words[0]).name
        self._game, self._seed, self._grouped = of, seed, grouped
        try:
            self._process = subprocess.Popen(
                words,
                bufsize=0,  # what it does not read is not tried again when the pipe is closed
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=not grouped,
            )
        except OSError as error:
            raise PlannerError(f"agent {spec!r}: cannot be started: {error.strerror}") from None
        self._input = cast(FileIO, self._process.stdin)
        self._output = BufferedReader(cast(FileIO, self._process.stdout))

    def decide(self, state: Any) -> Any:
        """What it answers, as far as that is an action."""
        line = self._ask(state)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):  # not JSON, not text, or nested without an end
            raise AgentLostError(f"illegal action: {quote(_text(line))} is not JSON") from None
        try:
            return self._game.action_from_json(answer)
        except PlannerError as error:
            raise AgentLostError(f"illegal action: {error}") from None

    def close(self) -> None:
        """The match is over: its input ends, and soon after that it does, with all that it has started."""
        self._input.close()
        self._output.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        if not self._grouped:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def _ask(self, state: Any) -> bytes:
        game = self._game
        question = {
            "game": game.name,
            "seed": self._seed,
            "seat": game.to_move(state),
            "turn": game.turn(state),
            "state": game.state_to_json(state),
            "legal": [game.action_to_json(action) for action in game.legal_actions(state)],
        }
        rest = json.dumps(question, separators=(",", ":")).encode() + b"\n"
        with contextlib.suppress(BrokenPipeError):  # it does not listen any more; whether it answers, is seen below
            while rest:
                rest = rest[self._input.write(rest) :]
        line = self._output.readline(LONGEST_ANSWER + 1)
        if len(line) > LONGEST_ANSWER:
            raise AgentLostError(f"illegal action: a line of more than {LONGEST_ANSWER} bytes")
        if not line.endswith(b"\n"):
            raise AgentDiedError(self._end())
        return line

    def _end(self) -> str:
        try:
            code = self._process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            return "it has closed its output"
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def _text(line: bytes) -> str:
    return line.decode("utf-8", errors="replace").strip()
