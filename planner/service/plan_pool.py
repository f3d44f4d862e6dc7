"""A pool of warm worker processes. A worker that dies, hangs or works for a client that left is replaced."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import sys
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from planner.processes import Lifeline, child_options, kill_group
from planner.protocol.plan_request import EXTRA_SHARE
from planner.service.plan_worker import HEADER_BYTES, LAST_TOO_LARGE, LENGTH_BYTES, MORE, PING

_log = logging.getLogger("planner.service")
_START_SECONDS: Final = 60.0  # for a new worker to become ready, on the slowest machine
_GRACE_SECONDS: Final = 0.3  # for a worker whose client left; a new one takes as long to start
_RETRY_SECONDS: Final = 1.0  # between attempts to start a worker
_MAX_ANSWER_BYTES: Final = 256_000_000
# Plan, explanation and ranges within their limits, half as much again for reading and certifying, and a second.
_TIMEOUT_FACTOR: Final = 1.5 + 2 * EXTRA_SHARE
_STOPPING: Final = "the server is stopping"


class BusyError(Exception):
    """The queue is full."""


class WorkerLostError(Exception):
    """The worker died or was killed before it answered; the message says why."""


class WorkerTimeoutError(WorkerLostError):
    """The worker was killed because it took too long."""


class Reply(NamedTuple):
    """A worker's answer: an HTTP status and a JSON body."""

    status: int
    body: bytes


class Worker:
    """One worker process; it handles one request at a time."""

    def __init__(self, process: asyncio.subprocess.Process, lifeline: Lifeline) -> None:
        self._process, self._lifeline = process, lifeline
        self.is_too_large = False
        self.ended = asyncio.ensure_future(process.wait())

    @classmethod
    async def start(cls, time_limit: float, memory: int) -> Worker:
        """Start a worker and wait until it is ready."""
        lifeline = Lifeline()
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "planner.service.plan_worker"),
                *map(str, (lifeline.child_end, time_limit, memory)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                **child_options([lifeline.child_end]),
            )
        except BaseException:
            lifeline.close()
            raise
        finally:
            lifeline.close_child_end()
        worker = cls(process, lifeline)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker._read()
        except BaseException:
            worker.kill()
            await worker.closed()
            raise
        return worker

    @property
    def id(self) -> int:
        """Return the process id."""
        return self._process.pid

    async def ask(self, request: bytes, on_part: Callable[[bytes], None] | None = None) -> Reply:
        """Send a request and return the answer; `on_part` gets the parts that come before it."""
        assert self._process.stdin is not None
        self._process.stdin.write(len(request).to_bytes(LENGTH_BYTES) + request)
        await self._process.stdin.drain()
        while True:
            flag, reply = await self._read()
            if flag != MORE:
                return reply
            if on_part is not None:
                on_part(reply.body)

    async def _read(self) -> tuple[bytes, Reply]:
        assert self._process.stdout is not None
        size = int.from_bytes(await self._process.stdout.readexactly(LENGTH_BYTES))
        if size > _MAX_ANSWER_BYTES:
            raise EOFError("response exceeds the size limit")
        data = await self._process.stdout.readexactly(size)
        flag = data[3:HEADER_BYTES]
        self.is_too_large = flag == LAST_TOO_LARGE
        return flag, Reply(int(data[:3]), data[HEADER_BYTES:])

    def kill(self) -> None:
        """Kill the process and everything that it started."""
        kill_group(self._process.pid)
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._lifeline.close()

    async def closed(self) -> None:
        """Wait until a killed worker and its pipes are closed."""
        with contextlib.suppress(RuntimeError):  # another task still reads, and will see the end
            await self._process.communicate()


class PlanPool:
    """A fixed number of workers and a bounded queue of requests that wait for one."""

    def __init__(self, size: int, queue: int, time_limit: float, memory: int) -> None:
        self.size, self.queue = size, queue
        self._limits = (time_limit, memory)
        self._timeout = _TIMEOUT_FACTOR * time_limit + 1
        self.workers: set[Worker] = set()
        self.replaced: dict[str, int] = {"died": 0, "too long": 0, "caller gone": 0, "too large": 0}
        self._idle: list[Worker] = []
        self._waiting: deque[asyncio.Future[Worker]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._leaving: set[Worker] = set()
        self._stopping = False

    async def start(self) -> None:
        """Start the workers and return when the first one is ready."""
        try:
            first = await Worker.start(*self._limits)
        except EOFError:  # it was killed; if the next one ends too, workers do not start here at all
            first = await Worker.start(*self._limits)
        self._add(first)
        for _ in range(self.size - 1):
            self._spawn(self._start_worker())

    async def stop(self) -> None:
        """Kill all workers; requests that still wait fail."""
        self._stopping = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for future in self._waiting:
            if not future.done():
                future.set_exception(WorkerLostError(_STOPPING))
        for worker in self.workers:
            worker.kill()
        await asyncio.gather(*(worker.closed() for worker in self.workers | self._leaving), return_exceptions=True)
        self.workers.clear()

    @property
    def busy(self) -> int:
        """Return the number of workers that handle a request."""
        return len(self.workers) - len(self._idle)

    @property
    def waiting(self) -> int:
        """Return the number of requests that wait for a worker."""
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Return whether the next request would be refused."""
        return not self._idle and len(self._waiting) >= self.queue

    async def ask(
        self,
        request: bytes,
        patient: bool = False,
        on_part: Callable[[bytes], None] | None = None,
        seconds: float = math.inf,
    ) -> Reply:
        """Return the answer of the next free worker; a `patient` request waits even where the queue is full.

        A worker that takes longer than these seconds, or than the time limit of the server allows, is killed.
        """
        if self._stopping:
            raise WorkerLostError(_STOPPING)
        if self.full and not patient:
            raise BusyError
        worker, timeout = await self._next_free(), min(seconds, self._timeout)
        task = asyncio.ensure_future(worker.ask(request, on_part))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # mark an exception as retrieved
        try:
            async with asyncio.timeout(timeout):
                reply = await asyncio.shield(task)
        except TimeoutError:
            self._replace(worker, "too long")
            raise WorkerTimeoutError(f"timed out after {timeout:g} s") from None
        except asyncio.CancelledError:
            self._spawn(self._finish(worker, task))
            raise
        except (EOFError, OSError, ValueError):
            self._replace(worker, "died")
            raise WorkerLostError("the worker process died; retry the request") from None
        if worker.is_too_large:
            self._replace(worker, "too large")
        else:
            self._free(worker)
        return reply

    async def check(self) -> bool:
        """Return whether a worker answers, or all are busy within their time limit."""
        if not self._idle:
            return self.busy > 0
        try:
            return (await asyncio.wait_for(self.ask(PING), 2)).status == 200
        except (TimeoutError, BusyError, WorkerLostError):
            return False

    # -- free workers

    async def _next_free(self) -> Worker:
        if self._idle:
            return self._idle.pop()
        future: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._free(future.result())  # the worker came just as the client left
            raise
        finally:
            with contextlib.suppress(ValueError):
                self._waiting.remove(future)

    def _free(self, worker: Worker) -> None:
        """Give the worker to the next request that waits, or keep it idle."""
        if worker not in self.workers:
            return
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(worker)
                return
        self._idle.append(worker)

    # -- starting and replacing workers

    def _add(self, worker: Worker) -> None:
        self.workers.add(worker)
        worker.ended.add_done_callback(lambda _: self._replace(worker, "died"))
        self._free(worker)

    def _replace(self, worker: Worker, reason: str) -> None:
        """Kill this worker and start another one; further calls for the same worker do nothing."""
        if worker not in self.workers or self._stopping:
            return
        self.workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        worker.kill()
        self._leaving.add(worker)
        worker.ended.add_done_callback(lambda _: self._leaving.discard(worker))
        self.replaced[reason] += 1
        _log.warning("worker %d is replaced: %s", worker.id, reason)
        self._spawn(self._start_worker())

    async def _start_worker(self) -> None:
        while True:
            try:
                worker = await Worker.start(*self._limits)
            except (EOFError, OSError, TimeoutError, ValueError) as error:
                _log.error("a worker does not start: %s", error)
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                return self._add(worker)

    async def _finish(self, worker: Worker, task: asyncio.Task[Reply]) -> None:
        """Keep a worker whose client left if it finishes soon; replace it otherwise."""
        done, _ = await asyncio.wait({task}, timeout=_GRACE_SECONDS)
        if done and task.exception() is None:
            self._free(worker)
        else:
            self._replace(worker, "caller gone")

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
