"""What a page does in the background: requests to the workers, one task at a time."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from nicegui import Client, ui

from planner.errors import PlannerError
from planner.service.plan_pool import BusyError, PlanPool, Reply, WorkerLostError
from planner.service.plan_worker import PARTS, REQUEST
from planner.user_code import short_error

_log = logging.getLogger("planner.service")


def start(client: Client, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Start a task; an unexpected exception is shown on the page and written to the log."""

    def ended(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a page failed", exc_info=error)
            with client:
                ui.notify(f"Something went wrong: {short_error(error)}", type="negative", position="top", timeout=0)

    task = asyncio.create_task(work)
    task.add_done_callback(ended)
    return task


class LatestTask:
    """Runs one task of a page at a time: a new one cancels the old one.

    A visitor who disconnects cancels the task; it starts again when they reconnect.
    """

    def __init__(self, client: Client) -> None:
        self._client, self._interrupted = client, False
        self._work: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._task: asyncio.Task[None] | None = None
        client.on_disconnect(self._interrupt)  # also called when the connection is lost for a moment
        client.on_connect(self._restart)

    def begin(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start this task instead of the current one."""
        if self._task is not None:
            self._task.cancel()
        self._work, self._interrupted = work, False
        self._task = start(self._client, work())

    def _interrupt(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()
            self._interrupted = True

    def _restart(self) -> None:
        if self._interrupted and self._work is not None:
            self.begin(self._work)


async def send_request(pool: PlanPool, kind: str, **fields: Any) -> Any:
    """Return the answer to a request of the protocol; a refusal, a full queue or a lost worker is a PlannerError."""
    return _checked(await _ask(pool, REQUEST, {"request": kind, **fields}))


async def plan_parts(pool: PlanPool, **fields: Any) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the parts of the answer to a plan request as a worker sends them."""
    parts: asyncio.Queue[bytes | None] = asyncio.Queue()
    task = asyncio.ensure_future(_ask(pool, PARTS, fields, parts.put_nowait))
    task.add_done_callback(lambda _: parts.put_nowait(None))
    try:
        while (part := await parts.get()) is not None:
            yield json.loads(part)
        _checked(await task)
    finally:
        task.cancel()


async def _ask(
    pool: PlanPool, kind: bytes, request: dict[str, Any], on_part: Callable[[bytes], None] | None = None
) -> Reply:
    try:
        return await pool.ask(kind + json.dumps(request).encode(), on_part=on_part)
    except BusyError:
        raise PlannerError("server busy, retry in 1 s") from None
    except WorkerLostError as error:
        raise PlannerError(str(error)) from None


def _checked(reply: Reply) -> Any:
    answer = json.loads(reply.body)
    if reply.status != 200:
        raise PlannerError(answer["error"])
    return answer
