"""The HTTP API: a thin FastAPI layer over the worker pool. The content of a request goes to the workers unread."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import version
from typing import Annotated, Any, Final, TypeVar

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Route

from planner.errors import PlannerError, quote
from planner.formats.documents import decode_text, parse_json
from planner.games import DEFAULT
from planner.protocol import error_line, line_id
from planner.service.address_limits import AddressLimits
from planner.service.gate import BATCH, REVIEW, AsciiResponse, Compression, Gate, Metrics
from planner.service.openapi import openapi
from planner.service.plan_pool import BusyError, PlanPool, Reply, WorkerLostError
from planner.service.plan_worker import LINE, PLAN, REQUEST
from planner.service.results_routes import AskWorker, add_results
from planner.service.server import Settings
from planner.service.static_files import PAGES, ClientFiles, client_files
from planner.service.tables.table_hub import TableHub
from planner.service.tables.table_journal import TableJournal
from planner.service.tables.table_routes import add_tables

VERSION: Final = version("turn-planner")
MAX_BATCH_LINES: Final = 100_000
_EXTRAS: Final = {"explain": "explanation", "ranges": "ranges"}  # options of a plan, and the fields that they add
_RETRY_AFTER: Final = {"retry-after": "1"}
_Value = TypeVar("_Value")


def create_app(settings: Settings | None = None) -> FastAPI:
    """Return the API with a worker pool that lives as long as the server; pages may be mounted on it.

    `app.state` has the worker pool, the settings, and the limits for each client address.
    """
    settings = settings or Settings()
    pool = PlanPool(settings.workers, settings.queue, settings.time_limit, settings.worker_memory)
    metrics = Metrics(pool)
    hub = TableHub(TableJournal(settings.journal), pool, settings)
    limits = AddressLimits(settings.proxies, settings.address_connections, settings.address_messages)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await pool.start()
        hub.start()
        try:
            yield
        finally:
            await hub.stop()
            await pool.stop()

    app = FastAPI(
        title="planner",
        version=VERSION,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.pool, app.state.settings, app.state.limits = pool, settings, limits

    async def answer(request: Request, kind: str, /, **fields: Any) -> Response:
        """Let a worker answer a request of the protocol."""
        body = REQUEST + json.dumps({"request": kind, **fields}).encode()
        return _response(await _while_connected(request, pool.ask(body)))

    _add_plans(app, pool)
    _add_lists(app, answer)
    add_tables(app, hub, limits)
    _add_monitoring(app, pool, metrics)
    add_results(app, answer)
    _add_description(app)
    for path in PAGES:
        app.router.routes.append(Route(path, client_files()["/"], methods=["GET"]))
    metrics.paths = frozenset(route.path for route in app.routes if isinstance(route, Route))
    _add_error_handlers(app)
    app.add_middleware(Compression)
    app.add_middleware(Gate, settings=settings, metrics=metrics)
    app.add_middleware(ClientFiles)
    if settings.cors:
        app.add_middleware(CORSMiddleware, allow_origins=settings.cors, allow_methods=["*"], allow_headers=["*"])
    return app


def _add_plans(app: FastAPI, pool: PlanPool) -> None:
    @app.post("/plan", operation_id="plan")
    async def plan(request: Request) -> Response:
        """Find the best turn from a state."""
        if pool.full:  # before the body is read
            raise BusyError
        body = await request.body()
        return await _while_connected(request, _plan(pool, body))

    @app.post(BATCH, operation_id="plan_batch")
    async def batch(request: Request) -> Response:
        """Answer many requests: one JSON object a line, one answer a line, in the order in which they are done."""
        if pool.full:
            raise BusyError
        body = await request.body()
        if body.count(b"\n") >= MAX_BATCH_LINES:  # empty lines count too: walking through them blocks other clients
            raise HTTPException(413, f"the batch has too many lines; the limit is {MAX_BATCH_LINES:,}")
        lines = [line for line in body.split(b"\n") if line.strip()]
        return StreamingResponse(_batch_answers(pool, lines), media_type="application/x-ndjson")


async def _plan(pool: PlanPool, body: bytes) -> Response:
    """Return the plan with its explanation and ranges; those that a stopped worker could not finish are null."""
    parts: list[bytes] = []
    try:
        reply = await pool.ask(PLAN + body, on_part=parts.append)
        if not parts or reply.status != 200:
            return _response(reply)
        parts.append(reply.body)
    except WorkerLostError:
        if not parts:
            raise
    answer, request = json.loads(parts[0]), json.loads(body)
    best = answer["plans"][0] if "plans" in answer else answer
    best |= {name: None for option, name in _EXTRAS.items() if request.get(option)}
    for part in parts[1:]:
        best |= json.loads(part)
    return AsciiResponse(answer)


async def _batch_answers(pool: PlanPool, lines: list[bytes]) -> AsyncIterator[bytes]:
    """Yield the answers as they are done. At most one line per worker is in the queue, so that other clients get in."""
    remaining = iter(lines)
    running: set[asyncio.Task[bytes]] = set()
    try:
        while True:
            while len(running) < pool.size and (line := next(remaining, None)) is not None:
                running.add(asyncio.create_task(_answer_line(pool, line)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result() + b"\n"
    finally:
        for task in running:
            task.cancel()


async def _answer_line(pool: PlanPool, line: bytes) -> bytes:
    try:
        return (await pool.ask(LINE + line, patient=True)).body
    except WorkerLostError as error:
        return json.dumps({"id": line_id(line), "error": str(error)}).encode()


def _add_lists(app: FastAPI, answer: AskWorker) -> None:
    @app.get("/weights", operation_id="list_weights")
    async def weights(request: Request, game: Annotated[str, Query(max_length=100)] = DEFAULT) -> Response:
        """List the weight profiles of a game."""
        return await answer(request, "weights", game=game)

    @app.get("/decks", operation_id="list_decks")
    async def decks(request: Request) -> Response:
        """List the decks."""
        return await answer(request, "decks")

    @app.get("/decks/code", operation_id="decode_deck")
    async def decode_deck(request: Request, code: Annotated[str, Query(max_length=2000)]) -> Response:
        """Return the deck of a deck code."""
        return await answer(request, "deck_code", code=code)

    @app.post("/decks/code", operation_id="encode_deck")
    async def encode_deck(request: Request) -> Response:
        """Return the deck code of a deck, by its name."""
        data = parse_json(await request.body(), "request")
        if not isinstance(data, dict) or "request" in data:
            raise PlannerError(f"the request must be an object with the fields of /decks/code, got {quote(data)}")
        return await answer(request, "deck_code", **data)

    @app.post(REVIEW, operation_id="review_log")
    async def review_log(request: Request, weights: Annotated[str, Query(max_length=100)] = "") -> Response:
        """Review the matches of a Power.log: every turn beside the best one."""
        log = decode_text(await request.body(), "log")
        return await answer(request, "review", log=log, weights=weights or None)

    @app.get("/cards", operation_id="list_cards")
    async def cards(request: Request, q: Annotated[str, Query(max_length=200)] = "", tokens: bool = False) -> Response:
        """List the cards that contain all of these words in name, class, keywords or text."""
        return await answer(request, "cards", q=q, tokens=tokens)

    @app.get("/solvers", operation_id="list_solvers")
    async def solvers(request: Request) -> Response:
        """List the solvers, and whether each works on this machine."""
        return await answer(request, "solvers")


def _add_monitoring(app: FastAPI, pool: PlanPool, metrics: Metrics) -> None:
    @app.get("/health", operation_id="health")
    async def health() -> Response:
        """Report whether a worker answers."""
        if await pool.check():
            return AsciiResponse({"status": "ok", "version": VERSION})
        return _error(503, "no worker is ready", _RETRY_AFTER)

    @app.get("/metrics", operation_id="metrics")
    async def prometheus() -> Response:
        """Return the metrics for Prometheus."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_description(app: FastAPI) -> None:
    """Add /openapi.json, built at the first request, in a thread: that takes a moment."""
    text = cache(lambda: json.dumps(openapi(app), separators=(",", ":")))

    @app.get("/openapi.json", include_in_schema=False)
    async def described() -> Response:
        return Response(await run_in_threadpool(text), media_type="application/json")


async def _while_connected(request: Request, work: Awaitable[_Value]) -> _Value:
    """Return the result of `work`, or cancel it when the client disconnects."""
    task, disconnected = asyncio.ensure_future(work), asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({task, disconnected}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        disconnected.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _response(reply: Reply) -> Response:
    headers = _RETRY_AFTER if reply.status == 503 else None
    return Response(reply.body, reply.status, headers, "application/json")


def _error(status: int, line: str, headers: Any = None) -> Response:
    return AsciiResponse({"error": line}, status, headers)


def _add_error_handlers(app: FastAPI) -> None:
    """Give all errors the same form, whichever layer raises them."""

    async def http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 405:
            path = request.url.path
            routes = (route for route in app.routes if isinstance(route, Route) and route.path_regex.match(path))
            methods = sorted({method for route in routes for method in route.methods or ()} - {"HEAD"})
            allowed = ", ".join(methods).replace("GET", "GET, HEAD")
            return _error(405, f"use {' or '.join(methods)} for {path}", {"allow": allowed})
        return _error(error.status_code, str(error.detail), error.headers)

    async def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        problem = "is missing" if first["type"] == "missing" else f"{first['msg']}, got {quote(first['input'])}"
        return _error(422, f"{first['loc'][-1]}: {problem}")

    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, PlannerError)
        return _error(422, error_line(error))

    async def busy(_: Request, __: Exception) -> Response:
        return _error(503, "server busy, retry in 1 s", _RETRY_AFTER)

    async def lost(_: Request, error: Exception) -> Response:
        return _error(503, str(error), _RETRY_AFTER)

    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(PlannerError, refused)
    app.add_exception_handler(BusyError, busy)
    app.add_exception_handler(WorkerLostError, lost)
