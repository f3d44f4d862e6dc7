"""A pool of warm worker processes. One that dies, hangs or works for nobody is replaced; the others notice nothing."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections import deque
from collections.abc import Coroutine
from typing import Any, Final, NamedTuple

from planner.processes import Lifeline, child_options, kill_group
from planner.service.worker import HEAD, IS_LARGE, PING, SIZE

_log = logging.getLogger("planner.service")
_STARTING: Final = 60.0  # seconds until a new worker has to be ready, on the slowest machine
_MOMENT: Final = 0.3  # seconds for a worker whose caller went away; a new one takes as long to start
_PAUSE: Final = 1.0  # seconds between attempts where workers do not start
_LONGEST: Final = 256_000_000  # bytes of an answer


class BusyError(Exception):
    """Too many are waiting already."""


class WorkerLostError(Exception):
    """The worker died or was killed while it worked on this; the message says why."""


class Reply(NamedTuple):
    """What a worker answers: an HTTP status, and JSON."""

    status: int
    body: bytes


class Worker:
    """One process, asked one question at a time."""

    def __init__(self, process: asyncio.subprocess.Process, lifeline: Lifeline) -> None:
        self._process, self._lifeline = process, lifeline
        self.is_large = False
        self.ended = asyncio.ensure_future(process.wait())

    @classmethod
    async def start(cls, time_limit: float, memory: int) -> Worker:
        """A new one, ready."""
        lifeline = Lifeline()
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "planner.service.worker"),
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
            async with asyncio.timeout(_STARTING):
                await worker._read()
        except BaseException:
            worker.kill()
            await worker.closed()
            raise
        return worker

    @property
    def id(self) -> int:
        """Of the process."""
        return self._process.pid

    async def ask(self, question: bytes) -> Reply:
        """The answer to one question."""
        assert self._process.stdin is not None
        self._process.stdin.write(len(question).to_bytes(SIZE) + question)
        await self._process.stdin.drain()
        return await self._read()

    async def _read(self) -> Reply:
        assert self._process.stdout is not None
        size = int.from_bytes(await self._process.stdout.readexactly(SIZE))
        if size > _LONGEST:
            raise EOFError("an answer of that length is none of ours")
        data = await self._process.stdout.readexactly(size)
        self.is_large = data[3:HEAD] == IS_LARGE
        return Reply(int(data[:3]), data[HEAD:])

    def kill(self) -> None:
        """End it, and whatever it has started."""
        kill_group(self._process.pid)
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._lifeline.close()

    async def closed(self) -> None:
        """Wait until a worker that was killed is gone, with its pipes."""
        with contextlib.suppress(RuntimeError):  # somebody else still reads, and will see the end
            await self._process.communicate()


class Pool:
    """So many workers, and a bounded line of those who wait for one."""

    def __init__(self, size: int, queue: int, time_limit: float, memory: int) -> None:
        self.size, self.queue = size, queue
        self._limits = (time_limit, memory)
        self._patience = 1.5 * time_limit + 1  # also for reading, certifying and explaining; then it hangs
        self.workers: set[Worker] = set()
        self.replaced: dict[str, int] = {"died": 0, "too long": 0, "caller gone": 0, "too large": 0}
        self._idle: list[Worker] = []
        self._waiting: deque[asyncio.Future[Worker]] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._leaving: set[Worker] = set()
        self._stopping = False

    async def start(self) -> None:
        """Start the workers; the first is ready when this returns."""
        self._enter(await Worker.start(*self._limits))
        for _ in range(self.size - 1):
            self._spawn(self._add())

    async def stop(self) -> None:
        """End all workers. Whoever still waits is told."""
        self._stopping = True
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for future in self._waiting:
            if not future.done():
                future.set_exception(WorkerLostError("the server is stopping"))
        for worker in self.workers:
            worker.kill()
        await asyncio.gather(*(worker.closed() for worker in self.workers | self._leaving), return_exceptions=True)
        self.workers.clear()

    @property
    def busy(self) -> int:
        """How many workers have something to do."""
        return len(self.workers) - len(self._idle)

    @property
    def waiting(self) -> int:
        """How many requests wait for a worker."""
        return len(self._waiting)

    @property
    def full(self) -> bool:
        """Would the next one have to come again?"""
        return not self._idle and len(self._waiting) >= self.queue

    async def ask(self, question: bytes, patient: bool = False) -> Reply:
        """The answer of the next free worker. The patient wait also in a line that is full."""
        if self._stopping:
            raise WorkerLostError("the server is stopping")
        if self.full and not patient:
            raise BusyError
        worker = await self._next()
        task = asyncio.ensure_future(worker.ask(question))
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # somebody has looked at it
        try:
            async with asyncio.timeout(self._patience):
                answer = await asyncio.shield(task)
        except TimeoutError:
            self._replace(worker, "too long")
            raise WorkerLostError(f"this took more than {self._patience:g} seconds and was ended") from None
        except asyncio.CancelledError:
            self._spawn(self._finish(worker, task))
            raise
        except (EOFError, OSError, ValueError):
            self._replace(worker, "died")
            raise WorkerLostError("the worker that planned this turn died; others go on, ask again") from None
        if worker.is_large:
            self._replace(worker, "too large")
        else:
            self._free(worker)
        return answer

    async def check(self) -> bool:
        """Is there a worker that answers, or one that is busy and within its time?"""
        if not self._idle:
            return self.busy > 0
        try:
            return (await asyncio.wait_for(self.ask(PING), 2)).status == 200
        except (TimeoutError, BusyError, WorkerLostError):
            return False

    # -- who is free

    async def _next(self) -> Worker:
        if self._idle:
            return self._idle.pop()
        future: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._free(future.result())  # it came at the very moment at which nobody wanted it any more
            raise
        finally:
            with contextlib.suppress(ValueError):
                self._waiting.remove(future)

    def _free(self, worker: Worker) -> None:
        if worker not in self.workers:
            return
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(worker)
                return
        self._idle.append(worker)

    # -- who comes and goes

    def _enter(self, worker: Worker) -> None:
        self.workers.add(worker)
        worker.ended.add_done_callback(lambda _: self._replace(worker, "died"))
        self._free(worker)

    def _replace(self, worker: Worker, why: str) -> None:
        """Put a new worker in the place of this one; once, however many notice."""
        if worker not in self.workers or self._stopping:
            return
        self.workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        worker.kill()
        self._leaving.add(worker)
        worker.ended.add_done_callback(lambda _: self._leaving.discard(worker))
        self.replaced[why] += 1
        _log.warning("worker %d is replaced: %s", worker.id, why)
        self._spawn(self._add())

    async def _add(self) -> None:
        while True:
            try:
                worker = await Worker.start(*self._limits)
            except (EOFError, OSError, TimeoutError, ValueError) as error:
                _log.error("a worker does not start: %s", error)
                await asyncio.sleep(_PAUSE)
            else:
                return self._enter(worker)

    async def _finish(self, worker: Worker, task: asyncio.Task[Reply]) -> None:
        """Let a worker finish what nobody waits for, if that takes but a moment."""
        done, _ = await asyncio.wait({task}, timeout=_MOMENT)
        if done and task.exception() is None:
            self._free(worker)
        else:
            self._replace(worker, "caller gone")

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
