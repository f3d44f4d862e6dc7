"""Plays chunks of games in a worker process and watches over it: what hangs is killed, what dies is replaced.

`play_chunk` is the one function that an executor is given, whichever it is: on this machine it runs in a thread that
mostly waits, on a Dask cluster in a thread of a Dask worker.
"""

from __future__ import annotations

import mmap
import pickle
import struct
import tempfile
import threading
from collections.abc import Sequence
from time import monotonic, perf_counter
from typing import Final

from planner.arena.child import Child, ChildDiedError
from planner.arena.experiment import Experiment
from planner.arena.match import no_decision
from planner.arena.remote import HANG_SECONDS, start_seconds
from planner.arena.result import Result, forfeited
from planner.arena.schedule import Fixture
from planner.arena.worker import BEAT_BYTES, SEATS
from planner.errors import PlannerError

CHUNK_SECONDS: Final = 1.0
GRACE_SECONDS: Final = 5.0  # more than an agent's time: who comes late but comes, is judged by the referee
IDLE_SECONDS: Final = 300.0  # without anybody's decision: starting processes takes its time, beside the agents' own
_LOOK_SECONDS: Final = 0.2


_orders = threading.local()


def obey(stop: threading.Event) -> None:
    """Guards in this thread hand in what is finished and leave the rest, once the event is set."""
    _orders.stop = stop


def _stopped() -> bool:
    stop: threading.Event | None = getattr(_orders, "stop", None)
    return stop is not None and stop.is_set()


def play_chunk(experiment: Experiment, games: Sequence[Fixture]) -> list[Result]:
    """Play these games in turn for about a second; those at the end of the list may be left over."""
    begin = perf_counter()
    guard = _take()
    results: list[Result] = []
    try:
        for game in games:
            result = guard.play(experiment, game)
            if result is None:
                break
            results.append(result)
            if perf_counter() - begin >= CHUNK_SECONDS:
                break
    except BaseException:
        guard.close()
        raise
    _give_back(guard)
    return results


class Guard:
    """One worker process at a time."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the guard)
        self._file.truncate(BEAT_BYTES)
        self._beat = mmap.mmap(self._file.fileno(), BEAT_BYTES)
        self._child: Child | None = None
        self._told = ""  # the digest of the experiment that the worker knows

    def play(self, experiment: Experiment, game: Fixture) -> Result | None:
        """The result, or None if everything shall stop.

        A worker that dies gets a second chance: the machine may have killed it. If it dies again while the same
        agent decides, it is the agent's doing.
        """
        begin = perf_counter()
        how = ""
        for _ in range(2):
            try:
                return self._play(experiment, game, begin)
            except ChildDiedError as died:
                how = str(died)
                self.close()
        seat, turn = self._awaited()
        if seat < 0:
            raise PlannerError(f"a worker process cannot play game {game.place}: it ended twice ({how})")
        return forfeited(game, seat, turn, f"crash: the process ended ({how})", perf_counter() - begin)

    def close(self) -> None:
        """End the worker."""
        if self._child is not None:
            self._child.kill()
            self._child = None
        self._told = ""

    def _play(self, experiment: Experiment, game: Fixture, begin: float) -> Result | None:
        child = self._worker(experiment)
        child.send(pickle.dumps(game))
        move_time = experiment.limits.move_time
        allowed = (HANG_SECONDS if move_time is None else move_time) + GRACE_SECONDS
        idle = IDLE_SECONDS + 2 * experiment.seats * start_seconds(experiment.limits)
        seen, since = self._beat[:], monotonic()
        while (data := child.receive(_LOOK_SECONDS)) is None:
            if _stopped():
                self.close()
                return None
            number = self._beat[:]
            seat, turn = self._awaited()
            if number != seen:
                seen, since = number, monotonic()
            elif monotonic() - since > (allowed if seat >= 0 else idle):
                self.close()
                if seat < 0:
                    raise ChildDiedError(f"nothing happened for {idle:g} s")
                return forfeited(game, seat, turn, no_decision(allowed - GRACE_SECONDS), perf_counter() - begin)
        result: Result = pickle.loads(data)
        return result

    def _worker(self, experiment: Experiment) -> Child:
        if self._child is None:
            self._beat[:] = bytes(BEAT_BYTES)
            fd = self._file.fileno()
            self._child = Child("planner.arena.worker", fds=[fd], beat=fd)
        if self._told != experiment.digest:
            self._child.send(pickle.dumps(experiment))
            self._told = experiment.digest
        return self._child

    def _awaited(self) -> tuple[int, int]:
        """Whose decision was begun last and not made (-1: nobody's), and in which turn."""
        number, turn = struct.unpack("=QQ", self._beat[:])
        return number % SEATS - 1, turn


_lock = threading.Lock()
_idle: list[Guard] = []


def _take() -> Guard:
    with _lock:
        return _idle.pop() if _idle else Guard()


def _give_back(guard: Guard) -> None:
    with _lock:
        _idle.append(guard)


def close_all() -> None:
    """End the workers that nobody uses."""
    with _lock:
        while _idle:
            _idle.pop().close()
