"""The process in which a user's own agent lives: it sees copies of states, and what it breaks is only its own.

A template imports the user's module once. For every game it forks a process with a new agent in it, so no game
knows of another, and a crash, a hang or a changed card ends with that process. Where the agent is a program, that
process starts it and talks to it. Requests are pickled (we are the ones who are trusted); answers are JSON, since
unpickling would let the agent run code where the referee is.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import resource
import signal
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

from planner.agents.user_agents import COMMAND, AgentDiedError, AgentLostError, CommandAgent, load_own, make_own
from planner.errors import PlannerError
from planner.game import Agent, AnyGame
from planner.games import load_game
from planner.processes import attach, watch

LONGEST = 100_000  # bytes of an answer


def serve(connection: int, lifeline: int, spec: str, of: str, folders: Sequence[str], memory: int) -> None:
    """Fork for every game, and say how that process ended; no process gets more than `memory` MiB."""
    pipe = attach(connection, lifeline)
    _limit(resource.RLIMIT_CORE, 0)  # no crash fills the disk
    try:
        played = load_game(of, folders)
        _limit(resource.RLIMIT_DATA, memory * 2**20)
        if not spec.startswith(COMMAND):
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
            watch(lifeline, _end_group)  # a fork has only the thread that forked
            os.dup2(2, 1)  # what it prints is kept with the rest, whatever becomes of it
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # it is a file
            _game(pipe, played, spec, seed, folders)
            os._exit(0)
        _, status = os.waitpid(process, 0)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)  # whatever the agent has started and left behind
        _send(pipe, {"ended": os.waitstatus_to_exitcode(status)})


def _limit(which: int, most: int) -> None:
    """From now on no more of this, for this process and all that it starts."""
    hard = resource.getrlimit(which)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(ValueError, OSError):  # a system that knows no such limit
        resource.setrlimit(which, (most, most))


def _end_group() -> None:
    os.killpg(0, signal.SIGKILL)  # this process, and all that it has started


def _game(pipe: Connection, played: AnyGame, spec: str, seed: int, folders: Sequence[str]) -> None:
    """One agent for one game: answer until the empty message, and say at the end how much memory it has used."""
    # For agents that draw from the general generators: the seed decides those too.
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    agent: Agent
    try:
        if spec.startswith(COMMAND):
            agent = CommandAgent(spec, played, seed, next(iter(folders), None), grouped=True)
        else:
            agent = make_own(spec, seed)
    except PlannerError as error:
        _send(pipe, {"error": str(error)})
        return
    _send(pipe, {"ready": True})
    while request := pipe.recv_bytes():
        _send(pipe, _answer(played, agent, pickle.loads(request)))
    who = resource.RUSAGE_SELF
    if isinstance(agent, CommandAgent):
        agent.close()
        who = resource.RUSAGE_CHILDREN
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the agent may have put anything there
            stream.flush()
    _send(pipe, {"memory": resource.getrusage(who).ru_maxrss // 1024})


def _answer(played: AnyGame, agent: Agent, state: Any) -> dict[str, Any]:
    try:
        action = agent.decide(state)
        # The referee asks again; here it keeps out what cannot be written down.
        problem = played.illegal_reason(state, action)
        return {"action": played.action_to_json(action)} if problem is None else {"illegal": problem}
    except AgentLostError as lost:
        return {"lost": str(lost), "died": isinstance(lost, AgentDiedError)}
    except BaseException as error:  # whatever it is: an exit, an interrupt of its own making
        return {"crash": f"{type(error).__name__}: {error}".rstrip(": ")[:1000]}


def _send(pipe: Connection, answer: dict[str, Any]) -> None:
    pipe.send_bytes(json.dumps(answer).encode()[:LONGEST])
