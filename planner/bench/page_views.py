"""Visit pages beside requests for plans: what a view costs the server, and how much slower plans become.

Blocks with and without visitors alternate, so that other load on the machine affects both alike.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from contextlib import closing
from dataclasses import dataclass, field
from posixpath import dirname, join, normpath
from typing import Final

from planner.bench.load_server import LoadServer
from planner.bench.server_load import HttpConnection
from planner.errors import PlannerError

_BLOCKS: Final = 8
_PLANS_PER_SECOND: Final = 20.0
_PLAN: Final = json.dumps(
    {
        "state": "4 mana | me 9hp: 4/5, 3/2 | hand: Wolfrider, Stonetusk Boar | enemy 12hp: 3/5, 5/1",
        "weights": "aggro_face",
    }
).encode()
_LINKS: Final = re.compile(rb'(?:href|src)="(/client/[^"]+)"')
_IMPORTS: Final = re.compile(rb'(?:from|import)\s+"(\.{1,2}/[^"]+)"')


@dataclass
class ViewResult:
    """What a run measured."""

    alone: list[float] = field(default_factory=list)  # seconds of plans without visitors
    beside: list[float] = field(default_factory=list)  # and with visitors
    views: int = 0
    files: int = 0  # of one view
    wire_bytes: int = 0  # of one view
    view_seconds: list[float] = field(default_factory=list)  # until all files of a view had arrived
    processor_seconds: float = 0.0  # of one view, in the server process


def measure_views(rate: float, seconds: float) -> ViewResult:
    """Measure plans in blocks; in every second block, `rate` first visits per second load pages as well."""
    with LoadServer(1) as server:
        return asyncio.run(_measure(server, rate, seconds))


async def _measure(server: LoadServer, rate: float, seconds: float) -> ViewResult:
    result, used, port = ViewResult(), [0.0, 0.0], server.port
    with closing(HttpConnection(port)) as connection:
        paths = await _paths_of_a_visit(connection)
        for path in paths:  # the first answer of each file is compressed then
            result.wire_bytes += len(await _load(connection, path))
        for _ in range(20):
            await _plan(connection)
    result.files = len(paths)
    for block in range(_BLOCKS):
        visited = block % 2 == 1
        before, end = server.processor_seconds, time.perf_counter() + seconds / _BLOCKS
        work = [_ask_for_plans(port, end, result.beside if visited else result.alone)]
        if visited:
            work.append(_visit(port, paths, rate, end, result))
        await asyncio.gather(*work)
        used[visited] += server.processor_seconds - before
    result.processor_seconds = max(0.0, used[1] - used[0]) / max(1, result.views)
    return result


async def _ask_for_plans(port: int, end: float, times: list[float]) -> None:
    with closing(HttpConnection(port)) as connection:
        while time.perf_counter() < end:
            began = time.perf_counter()
            await _plan(connection)
            times.append(time.perf_counter() - began)
            await asyncio.sleep(max(0.0, 1 / _PLANS_PER_SECOND - times[-1]))


async def _visit(port: int, paths: list[str], rate: float, end: float, result: ViewResult) -> None:
    """Let visitors arrive at even intervals; each loads the page and all its files over a connection of its own."""

    async def view() -> None:
        began = time.perf_counter()
        with closing(HttpConnection(port)) as connection:
            for path in paths:
                await _load(connection, path)
        result.views += 1
        result.view_seconds.append(time.perf_counter() - began)

    views, next_view = list[asyncio.Task[None]](), time.perf_counter()
    while (now := time.perf_counter()) < end:
        if now >= next_view:
            views.append(asyncio.create_task(view()))
            next_view += 1 / rate
        await asyncio.sleep(max(0.0, next_view - time.perf_counter()))
    await asyncio.gather(*views)


async def _paths_of_a_visit(connection: HttpConnection) -> list[str]:
    """Return the front page, its files, and the question that it asks."""
    waiting = [path.decode() for path in _LINKS.findall(await _load(connection, "/", plain=True))]
    script = next(path for path in waiting if path.endswith("/app.js"))
    waiting.append(join(dirname(script), "pages/home.js"))  # a module for each page, loaded when it is opened
    found: list[str] = []
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.append(path)
            modules = _IMPORTS.findall(await _load(connection, path, plain=True)) if path.endswith(".js") else []
            waiting += [normpath(join(dirname(path), module.decode())) for module in modules]
    return ["/", *found, "/tables"]


async def _load(connection: HttpConnection, path: str, plain: bool = False) -> bytes:
    """Return the body of a page or file as it was sent, compressed unless it must be `plain`."""
    status, body = await connection.ask("GET", path, headers="" if plain else "Accept-Encoding: gzip\r\n")
    if status != 200:
        raise PlannerError(f"bench views: GET {path}: status {status}")
    return body


async def _plan(connection: HttpConnection) -> None:
    status, _ = await connection.ask("POST", "/plan", _PLAN)
    if status != 200:
        raise PlannerError(f"bench views: POST /plan: status {status}")
