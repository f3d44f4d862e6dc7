"""Agents that users bring: a Python class, named `module:Class`, or any program, named `cmd:` and its command line.

A program reads one JSON line with the visible state and writes one JSON line with an action; docs/how-to/bots.md
describes the protocol. The creator of a `CommandAgent` closes it, which ends the program and all its processes.
"""

from __future__ import annotations

import inspect
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.game import Agent, AnyGame
from planner.processes import Program
from planner.user_code import load_user_code, located_error, names_user_code

COMMAND: Final = "cmd:"
MAX_ANSWER_BYTES: Final = 100_000
END_SECONDS: Final = 1.0  # for a program to exit after its input has ended
_LAST_SECONDS: Final = 0.2  # between the end of a program's output and its exit


class AgentLostError(Exception):
    """An agent loses the match; the message is the reason. Raised by agents that stand in for a user's agent."""


class AgentDiedError(AgentLostError):
    """The agent's process ended, by itself or because the system killed it."""

    def __init__(self, how: str) -> None:
        super().__init__(f"crash: its process ended ({how})")


def is_user_agent(spec: str) -> bool:
    """Return whether this names a user's class or program."""
    return spec.startswith(COMMAND) or names_user_code(spec)


def load_user_class(spec: str, folders: Sequence[str] = ()) -> type:
    """Import the class that `module:Class` names; `folders` are searched after Python's own path."""
    agent_class: type = load_user_code(spec, "agent", "class", type, folders)
    if not callable(getattr(agent_class, "decide", None)):
        raise PlannerError(f"agent {spec!r}: {agent_class.__name__} is not an agent: it has no decide()")
    return agent_class


def make_user_agent(spec: str, seed: int, folders: Sequence[str] = ()) -> Agent:
    """Create an agent of this class; the seed is passed if the constructor has a parameter `seed`."""
    agent_class = load_user_class(spec, folders)
    try:
        agent: Agent = agent_class(seed=seed) if _takes_seed(agent_class) else agent_class()
        has_name = isinstance(agent.name, str)
    except (Exception, SystemExit) as error:
        raise PlannerError(f"agent {spec!r}: cannot be created: {located_error(error)}") from error
    if not has_name:
        raise PlannerError(f"agent {spec!r}: name must be a string")
    return agent


def _takes_seed(agent_class: type) -> bool:
    try:
        return "seed" in inspect.signature(agent_class).parameters
    except ValueError:  # a class written in C
        return False


def command_words(spec: str) -> list[str]:
    """Split the command of `cmd:...` as a shell would; no shell runs it."""
    line = spec.removeprefix(COMMAND)
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise PlannerError(f"command: {quote(line)}: {error}") from None
    if not words or "\0" in line:
        raise PlannerError(f"command: {quote(line)} is not a command such as './mybot --fast'")
    return words


class CommandAgent:
    """A program that plays one match. Its n-th line answers the n-th question, even if it was written earlier."""

    def __init__(
        self, spec: str, game: AnyGame, seed: int, folder: str | None = None, own_session: bool = True
    ) -> None:
        """Start the program in this folder; see `Program` for `own_session`."""
        words = command_words(spec)
        self.name = Path(words[0]).name
        self._game, self._seed = game, seed
        try:
            self._program = Program(words, folder, own_session)
        except OSError as error:
            raise PlannerError(f"agent {spec!r}: cannot be started: {error.strerror}") from None

    def decide(self, state: Any) -> Any:
        """Return the program's action; anything else loses the match."""
        line = self._ask(state)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):  # not JSON, not UTF-8, or nested too deeply
            text = line.decode("utf-8", errors="replace").strip()
            raise AgentLostError(f"illegal action: {quote(text)} is not JSON") from None
        try:
            return self._game.action_from_json(answer)
        except PlannerError as error:
            raise AgentLostError(f"illegal action: {error}") from None

    def close(self) -> None:
        """End the program and all processes it has started."""
        self._program.close(END_SECONDS)

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
        self._program.write(json.dumps(question, separators=(",", ":")).encode() + b"\n")
        line = self._program.read_line(MAX_ANSWER_BYTES + 1)
        if len(line) > MAX_ANSWER_BYTES:
            raise AgentLostError(f"illegal action: a line of more than {MAX_ANSWER_BYTES} bytes")
        if not line.endswith(b"\n"):
            raise AgentDiedError(self._program.end(_LAST_SECONDS) or "it has closed its output")
        return line
