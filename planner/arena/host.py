"""The process in which a user's own agent lives: it sees copies of states, and what it breaks is only its own.

A template imports the user's module once. For every game it forks a process with a new agent in it, so no game
knows of another, and a crash, a hang or a changed card ends with that process. Requests are pickled (we are the
ones who are trusted); answers are JSON, since unpickling would let the agent run code where the referee is.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import signal
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from planner.agents.base import Agent
from planner.agents.own import load_own, make_own
from planner.arena.child import attach, watch
from planner.arena.match import ACTIONS
from planner.files import PlannerError, show
from planner.games.hearthstone.rules.codec import action_to_dict
from planner.games.hearthstone.rules.state import GameState

LONGEST = 100_000  # bytes of an answer


def serve(connection: int, lifeline: int, spec: str, folders: Sequence[str]) -> None:
    """Fork for every game, and say how that process ended."""
    pipe = attach(connection, lifeline)
    try:
        load_own(spec, folders)
    except PlannerError as error:
        _send(pipe, {"error": str(error)})
        return
    _send(pipe, {"ready": True})
    while True:
        try:
            seed = pickle.loads(pipe.recv_bytes())
        except EOFError:
            return
        process = os.fork()
        if process == 0:
            os.setpgid(0, 0)
            _send(pipe, {"pid": os.getpid()})
            watch(lifeline)  # a fork has only the thread that forked
            _game(pipe, spec, seed)
            os._exit(0)
        _, status = os.waitpid(process, 0)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)  # whatever the agent has started and left behind
        _send(pipe, {"ended": os.waitstatus_to_exitcode(status)})


def _game(pipe: Connection, spec: str, seed: int) -> None:
    """One agent for one game: answer until the empty message."""
    # For agents that draw from the general generators: the seed decides those too.
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    try:
        agent = make_own(spec, seed)
    except PlannerError as error:
        _send(pipe, {"error": str(error)})
        return
    _send(pipe, {"ready": True})
    while request := pipe.recv_bytes():
        kind, state = pickle.loads(request)
        _send(pipe, _answer(agent, kind, state))


def _answer(agent: Agent, kind: str, state: GameState) -> dict[str, Any]:
    try:
        if kind == "mulligan":
            return _mulligan(list(agent.mulligan(state)))
        action = agent.decide(state)
        if type(action) not in ACTIONS:
            return {"illegal": f"{show(action)} is not an action"}
        given = action_to_dict(action)
        for key, value in given.items():
            if value is not None and type(value) is not str:
                return {"illegal": f"{key}: {show(value)} is not an id"}
        return {"action": given}
    except BaseException as error:  # whatever it is: an exit, an interrupt of its own making
        return {"crash": f"{type(error).__name__}: {error}".rstrip(": ")[:1000]}


def _mulligan(replaced: list[Any]) -> dict[str, Any]:
    if not all(type(name) is str for name in replaced):
        return {"illegal": f"mulligan: {show(replaced)} is not a list of ids"}
    return {"replaced": replaced}


def _send(pipe: Connection, answer: dict[str, Any]) -> None:
    pipe.send_bytes(json.dumps(answer).encode()[:LONGEST])


