"""A user's own agent, seen from the referee's side: asked over a pipe, and given no more time than it has."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Final

from planner.agents.user_agents import AgentDiedError, AgentLostError
from planner.arena.match.referee import TimeLimits, no_decision
from planner.arena.sandbox.agent_host import LONGEST
from planner.errors import PlannerError, quote
from planner.game import AnyGame
from planner.processes import Child, ChildDiedError, Said

START_SECONDS: Final = 30.0  # to import a module, and again to make an agent, unless the limits say otherwise
END_SECONDS: Final = 5.0
HANG_SECONDS: Final = 3600.0  # for a decision where the experiment sets no limit


def start_seconds(limits: TimeLimits) -> float:
    """The time for an import, and the same again for a constructor."""
    return START_SECONDS if limits.start_time is None else limits.start_time


class Host:
    """Makes agents of one class, one game after another; it is started anew when one of them has misbehaved."""

    def __init__(self, spec: str, of: str, folders: Sequence[str], limits: TimeLimits, memory: int) -> None:
        self.spec, self.game, self.folders, self.memory = spec, of, list(folders), memory
        self.used = 0  # MiB, at most in any game that came to its end
        self._start_seconds = start_seconds(limits)
        self._said = Said()
        self._child: Child | None = None
        self._playing = False
        self._game = 0  # the process of the game, and of the group of all that it starts

    def begin(self, seed: int) -> None:
        """A new agent for a new game."""
        if self._child is None:
            self._child = Child(
                "planner.arena.sandbox.agent_host",
                said=self._said,
                spec=self.spec,
                of=self.game,
                folders=self.folders,
                memory=self.memory,
            )
            self._expect_ready("its module", "is not imported")
        self.send(pickle.dumps(seed))
        # Before any code of the agent's runs.
        game = self.receive(self._start_seconds, "crash: no process for it").get("pid")
        self._game = game if type(game) is int and game > 1 else 0
        self._playing = True
        self._expect_ready("it", "is not made")

    def end(self) -> None:
        """The game is over: the next one gets a new agent."""
        if not self._playing:
            return
        try:
            self.send(b"")
            for _ in range(2):
                used = self.receive(END_SECONDS, "").get("memory")
                self.used = max(self.used, used if type(used) is int else 0)
        except AgentDiedError:
            pass  # as it should
        except AgentLostError:
            self.close()
        if self._playing:  # an answer to nothing: who knows what else is on its way
            self.close()

    def said(self) -> str:
        """What it has said since it was asked last: on stderr, and what a class printed."""
        if self._child is not None:
            self._child.listen()
        return self._said.take()

    def send(self, data: bytes) -> None:
        """Pass a request on."""
        if self._child is None:
            raise AgentDiedError("before")
        try:
            self._child.send(data)
        except ChildDiedError as died:
            self.close()
            raise AgentDiedError(str(died)) from None

    def receive(self, seconds: float, late: str) -> dict[str, Any]:
        """The answer, or the loss of the game, by time if none comes."""
        if self._child is None:
            raise AgentDiedError("before")
        try:
            data = self._child.receive(seconds, LONGEST)
            if data is None:
                raise self._lost(late)
            answer = json.loads(data)
        except ChildDiedError as died:
            self.close()
            raise AgentDiedError(str(died)) from None
        except ValueError:  # not JSON, or not text
            answer = None
        if not isinstance(answer, dict):
            raise self._lost("illegal action: what came is not an answer")
        if "ended" in answer:
            self._playing = False
            raise AgentDiedError(f"exit code {quote(answer['ended'])}")
        return answer

    def close(self) -> None:
        """End the processes and all that they have started."""
        if self._playing and self._game:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._game, signal.SIGKILL)
        if self._child is not None:
            self._child.kill()
            self._child = None
        self._playing = False

    def _expect_ready(self, who: str, how: str) -> None:
        seconds = self._start_seconds
        answer = self.receive(seconds, f"time: {who} {how} within {seconds:g} s")
        if "ready" not in answer:
            raise self._lost(f"crash: {answer.get('error', quote(answer))}")

    def _lost(self, reason: str) -> AgentLostError:
        self.close()
        return AgentLostError(reason)


class RemoteAgent:
    """An agent in a host, for one game. Where it cannot be made, it loses when it is first asked."""

    def __init__(self, host: Host, of: AnyGame, name: str, seed: int, move_time: float | None) -> None:
        self.name = name
        self._game = of
        self.died = False  # its process ended by itself, which a machine that kills processes can do too
        self._host = host
        self._seconds = HANG_SECONDS if move_time is None else move_time
        self._failure: AgentLostError | None = None
        try:
            host.begin(seed)
        except AgentLostError as lost:
            self._failure = lost

    def decide(self, state: Any) -> Any:
        """What the agent wants, as far as it can be said in the words of the game."""
        answer = self._ask(state)
        try:
            return self._game.action_from_json(answer.get("action", {}))
        except PlannerError as error:
            raise AgentLostError(f"illegal action: {error}") from None

    def end(self) -> str:
        """The game is over; what it has said in it."""
        self._host.end()
        return self._host.said()

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
