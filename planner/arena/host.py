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

from planner.agents.own import load_own, make_own
from planner.arena.child import attach, watch
from planner.files import PlannerError
from planner.game import Agent, AnyGame
from planner.games import load_game

LONGEST = 100_000  # bytes of an answer


def serve(connection: int, lifeline: int, spec: str, of: str, folders: Sequence[str]) -> None:
    """Fork for every game, and say how that process ended."""
    pipe = attach(connection, lifeline)
    try:
        load_own(spec, folders)
        played = load_game(of, folders)
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
            _game(pipe, played, spec, seed)
            os._exit(0)
        _, status = os.waitpid(process, 0)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)  # whatever the agent has started and left behind
        _send(pipe, {"ended": os.waitstatus_to_exitcode(status)})


def _game(pipe: Connection, played: AnyGame, spec: str, seed: int) -> None:
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
        _send(pipe, _answer(played, agent, pickle.loads(request)))


def _answer(played: AnyGame, agent: Agent, state: Any) -> dict[str, Any]:
    try:
        action = agent.decide(state)
        # The referee asks again; here it keeps out what cannot be written down.
        problem = played.why_not(state, action)
        return {"action": played.action_to_json(action)} if problem is None else {"illegal": problem}
    except BaseException as error:  # whatever it is: an exit, an interrupt of its own making
        return {"crash": f"{type(error).__name__}: {error}".rstrip(": ")[:1000]}


def _send(pipe: Connection, answer: dict[str, Any]) -> None:
    pipe.send_bytes(json.dumps(answer).encode()[:LONGEST])


