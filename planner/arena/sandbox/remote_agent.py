"""User agents as the referee sees them: questions go over a pipe, and answers must arrive in time."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final

from planner.agents.user_agents import AgentDiedError, AgentLostError
from planner.arena.match.referee import TimeLimits, no_decision
from planner.arena.sandbox.agent_host import MAX_ANSWER_BYTES
from planner.errors import PlannerError, quote
from planner.game import AnyGame
from planner.processes import ChildDiedError, PythonChild, StderrTail, kill_group

START_SECONDS: Final = 30.0  # to import a module, and again to create an agent, unless the limits say otherwise
END_SECONDS: Final = 5.0
HANG_SECONDS: Final = 3600.0  # for a decision, if the experiment sets no limit


def start_seconds(limits: TimeLimits) -> float:
    """Return the time limit for importing a module, which also holds for the constructor."""
    return START_SECONDS if limits.start_time is None else limits.start_time


class AgentHost:
    """Creates agents of one class, one game after another. Restarts its process after an agent has misbehaved."""

    def __init__(self, spec: str, game_name: str, folders: Sequence[str], limits: TimeLimits, memory: int) -> None:
        self.spec, self.game_name, self.folders, self.memory = spec, game_name, list(folders), memory
        self.used_memory = 0  # MiB: the maximum over the games that ended regularly
        self._start_seconds = start_seconds(limits)
        self._stderr = StderrTail()
        self._child: PythonChild | None = None
        self._playing = False
        self._game_process = 0  # the process of the game; it leads the group of all processes that it starts

    def begin(self, seed: int) -> None:
        """Create a new agent for a new game."""
        if self._child is None:
            self._child = PythonChild(
                "planner.arena.sandbox.agent_host",
                stderr=self._stderr,
                spec=self.spec,
                game_name=self.game_name,
                folders=self.folders,
                memory=self.memory,
            )
            self._expect_ready("its module is not imported")
        self.send(pickle.dumps(seed))
        # This answer comes before any code of the agent runs, so the number can be trusted.
        process = self.receive(self._start_seconds, "crash: no process was started").get("pid")
        self._game_process = process if type(process) is int and process > 1 else 0
        self._playing = True
        self._expect_ready("it is not created")

    def end(self) -> None:
        """End the game: the next one gets a new agent."""
        if not self._playing:
            return
        try:
            self.send(b"")
            for _ in range(2):
                used = self.receive(END_SECONDS, "").get("memory")
                self.used_memory = max(self.used_memory, used if type(used) is int else 0)
        except AgentDiedError:
            pass  # this is the regular end
        except AgentLostError:
            self.close()
        if self._playing:  # answers without a question: do not trust this process any more
            self.close()

    def take_stderr(self) -> str:
        """Return what the agent has printed or written to stderr since the last call."""
        if self._child is not None:
            self._child.read_stderr()
        return self._stderr.take()

    def send(self, data: bytes) -> None:
        """Send a request to the process."""
        if self._child is None:
            raise AgentDiedError("before")
        try:
            self._child.send(data)
        except ChildDiedError as died:
            self.close()
            raise AgentDiedError(str(died)) from None

    def receive(self, seconds: float, late: str) -> dict[str, Any]:
        """Return the answer. If none arrives in time the agent loses, for the reason `late`."""
        if self._child is None:
            raise AgentDiedError("before")
        try:
            data = self._child.receive(seconds, MAX_ANSWER_BYTES)
            if data is None:
                raise self._lost(late)
            answer = json.loads(data)
        except ChildDiedError as died:
            self.close()
            raise AgentDiedError(str(died)) from None
        except (ValueError, RecursionError):  # not JSON, not UTF-8, or nested too deeply
            answer = None
        if not isinstance(answer, dict):
            raise self._lost("illegal action: what came is not an answer")
        if "ended" in answer:
            self._playing = False
            raise AgentDiedError(f"exit code {quote(answer['ended'])}")
        return answer

    def close(self) -> None:
        """Kill the processes and all processes that they have started."""
        if self._playing and self._game_process:
            kill_group(self._game_process)
        if self._child is not None:
            self._child.kill()
            self._child = None
        self._playing = False

    def _expect_ready(self, problem: str) -> None:
        seconds = self._start_seconds
        answer = self.receive(seconds, f"time: {problem} within {seconds:g} s")
        if "ready" not in answer:
            raise self._lost(f"crash: {answer.get('error', quote(answer))}")

    def _lost(self, reason: str) -> AgentLostError:
        self.close()
        return AgentLostError(reason)


class RemoteAgent:
    """An agent in a host, for one game. An agent that cannot be created loses when it is first asked."""

    def __init__(self, host: AgentHost, game: AnyGame, name: str, seed: int, move_time: float | None) -> None:
        self.name = name
        self.died = False  # whether its process ended, which the system can also cause by killing it
        self._game = game
        self._host = host
        self._seconds = HANG_SECONDS if move_time is None else move_time
        self._failure: AgentLostError | None = None
        try:
            host.begin(seed)
        except AgentLostError as lost:
            self._failure = lost

    def decide(self, state: Any) -> Any:
        """Return the agent's action; anything else loses the match."""
        answer = self._ask(state)
        try:
            return self._game.action_from_json(answer.get("action", {}))
        except PlannerError as error:
            raise AgentLostError(f"illegal action: {error}") from None

    def end(self) -> str:
        """End the game; return what the agent has written to stderr during it."""
        self._host.end()
        return self._host.take_stderr()

    def _ask(self, state: Any) -> dict[str, Any]:
        if self._failure is not None:
            raise self._failure
        begin = perf_counter()
        try:
            self._host.send(pickle.dumps(state))
            left = max(0.0, self._seconds - (perf_counter() - begin))
            answer = self._host.receive(left, no_decision(self._seconds))
        except AgentDiedError:
            self.died = True
            raise
        if "lost" in answer:
            self.died = answer.get("died") is True
            raise AgentLostError(str(answer["lost"]))
        if "crash" in answer or "illegal" in answer:
            reason = f"crash: {answer['crash']}" if "crash" in answer else f"illegal action: {answer['illegal']}"
            raise AgentLostError(reason)
        return answer
