"""Questions to the workers, from a page: what comes back is data, or one line that says why not."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from nicegui import Client, ui

from planner.errors import PlannerError
from planner.service.pool import BusyError, Pool, WorkerLostError
from planner.service.worker import PAGE
from planner.user_code import short_error

_log = logging.getLogger("planner.service")


def start(client: Client, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Do this beside everything else. Where it fails by a fault of ours, the page says so, and the log why."""

    def ended(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.error("a page failed", exc_info=fault)
            with client:
                ui.notify(
                    f"Something went wrong here: {short_error(fault)}", type="negative", position="top", timeout=0
                )

    task = asyncio.create_task(work)
    task.add_done_callback(ended)
    return task


class Errand:
    """A page's work beside everything else, one at a time: cut off when its visitor goes, begun anew if they return."""

    def __init__(self, client: Client) -> None:
        self._client, self._is_cut_off = client, False
        self._work: Callable[[], Coroutine[Any, Any, None]] | None = None
        self._task: asyncio.Task[None] | None = None
        client.on_disconnect(self._cut_off)  # which is also called where a line is lost for a moment
        client.on_connect(self._begin_anew)

    def begin(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do this; whatever was being done is not wanted any more."""
        if self._task is not None:
            self._task.cancel()
        self._work, self._is_cut_off = work, False
        self._task = start(self._client, work())

    def _cut_off(self) -> None:
        if self._task is not None and not self._task.done():
            self._task.cancel()
            self._is_cut_off = True

    def _begin_anew(self) -> None:
        if self._is_cut_off and self._work is not None:
            self.begin(self._work)


async def ask(pool: Pool, do: str, **about: Any) -> Any:
    """The worker's answer; a refusal, a full line or a lost worker is a PlannerError of one line."""
    question = json.dumps({"do": do, **about}).encode()
    try:
        reply = await pool.ask(PAGE + question)
    except BusyError:
        raise PlannerError("too many turns are being planned at the moment; try again in a second") from None
    except WorkerLostError as error:
        raise PlannerError(str(error)) from None
    answer = json.loads(reply.body)
    if reply.status != 200:
        raise PlannerError(answer["error"])
    return answer
