"""The process that runs a user's agent. The agent sees copies of states, and can damage only its own process.

A template process imports the user's module once. For every game it forks a process with a new agent, so that games
cannot influence each other: a crash, a hang or a modified card ends with that process. If the agent is a program, the
forked process starts it and talks to it. Requests are pickled, because the parent is trusted. Answers are JSON, because
unpickling them would let the agent run code in the referee's process.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import resource
import sys
import traceback
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any, Final

from planner.agents.user_agents import (
    COMMAND,
    AgentDiedError,
    AgentLostError,
    CommandAgent,
    load_user_class,
    make_user_agent,
)
from planner.errors import PlannerError
from planner.game import Agent, AnyGame
from planner.games import load_game
from planner.processes import attach_to_parent, kill_group, limit_resource, watch_lifeline
from planner.user_code import located_error

MAX_ANSWER_BYTES: Final = 100_000


def serve(connection: int, lifeline: int, spec: str, game_name: str, folders: Sequence[str], memory: int) -> None:
    """Fork a process for every game and report how it ended; each process may use `memory` MiB."""
    pipe = attach_to_parent(connection, lifeline)
    limit_resource(resource.RLIMIT_CORE, 0)  # core dumps would fill the disk
    try:
        game = load_game(game_name, folders)
        limit_resource(resource.RLIMIT_DATA, memory * 2**20)
        if not spec.startswith(COMMAND):
            load_user_class(spec, folders)
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
            watch_lifeline(lifeline, lambda: kill_group(0))  # again: only the forking thread survives a fork
            os.dup2(2, 1)  # what the agent prints is kept together with its stderr
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # it is a file
            _play_game(pipe, game, spec, seed, folders)
            os._exit(0)
        _, status = os.waitpid(process, 0)
        kill_group(process)  # processes that the agent has started and left running
        _send(pipe, {"ended": os.waitstatus_to_exitcode(status)})


def _play_game(pipe: Connection, game: AnyGame, spec: str, seed: int, folders: Sequence[str]) -> None:
    """Answer questions for one agent until an empty message arrives, then report the memory it has used."""
    # An agent may draw from the global generators: the seed decides those too.
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    agent: Agent
    try:
        if spec.startswith(COMMAND):
            agent = CommandAgent(spec, game, seed, next(iter(folders), None), own_session=False)
        else:
            agent = make_user_agent(spec, seed)
    except PlannerError as error:
        _send(pipe, {"error": str(error)})
        return
    _send(pipe, {"ready": True})
    while request := pipe.recv_bytes():
        _send(pipe, _answer(game, agent, pickle.loads(request)))
    usage = resource.RUSAGE_SELF
    if isinstance(agent, CommandAgent):
        agent.close()
        usage = resource.RUSAGE_CHILDREN
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the agent may have replaced them with anything
            stream.flush()
    _send(pipe, {"memory": resource.getrusage(usage).ru_maxrss // 1024})


def _answer(game: AnyGame, agent: Agent, state: Any) -> dict[str, Any]:
    try:
        action = agent.decide(state)
        # The referee checks again. This check rejects actions that cannot be written as JSON.
        problem = game.illegal_reason(state, action)
        return {"action": game.action_to_json(action)} if problem is None else {"illegal": problem}
    except AgentLostError as lost:
        return {"lost": str(lost), "died": isinstance(lost, AgentDiedError)}
    except BaseException as error:  # also SystemExit, and an interrupt that the agent raised itself
        with contextlib.suppress(Exception):  # such as no memory left, or a stderr that the agent has replaced
            own = error.__traceback__ and error.__traceback__.tb_next  # without the line of this function
            traceback.print_exception(error.with_traceback(own))  # kept with what the agent writes to stderr
        return {"crash": located_error(error)}


def _send(pipe: Connection, answer: dict[str, Any]) -> None:
    pipe.send_bytes(json.dumps(answer).encode()[:MAX_ANSWER_BYTES])
