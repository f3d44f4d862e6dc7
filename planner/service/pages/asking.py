"""Questions to the workers, from a page: what comes back is data, or one line that says why not."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Coroutine
from typing import Any

from nicegui import Client, ui

from planner.files import PlannerError
from planner.plugins import told
from planner.service.pool import BusyError, Pool, WorkerLostError
from planner.service.worker import PAGE

_log = logging.getLogger("planner.service")


def start(client: Client, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Do this beside everything else. Where it fails by a fault of ours, the page says so, and the log why."""

    def ended(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (fault := task.exception()) is not None:
            _log.error("a page failed", exc_info=fault)
            with client:
                ui.notify(f"Something went wrong here: {told(fault)}", type="negative", position="top", timeout=0)

    task = asyncio.create_task(work)
    task.add_done_callback(ended)
    return task


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
