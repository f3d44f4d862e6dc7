"""The API: a thin layer of FastAPI over the pool of workers. Bodies go to the workers as they came."""

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
from fastapi.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from planner.games import DEFAULT
from planner.service.gate import BATCH, Gate
from planner.service.metrics import Metrics
from planner.service.page import docs_page
from planner.service.pool import BusyError, Pool, Reply, WorkerLostError
from planner.service.schema import openapi
from planner.service.settings import Settings
from planner.service.worker import LINE, LIST, PLAN

VERSION: Final = version("turn-planner")
_PATHS: Final = (
    "/plan", BATCH, "/health", "/weights", "/decks", "/cards", "/solvers", "/metrics", "/openapi.json", "/docs",
)  # fmt: skip
_POSTED: Final = ("/plan", BATCH)
_METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY")
MOST_LINES: Final = 100_000  # of a batch
_COME_AGAIN: Final = {"retry-after": "1"}
_NO_SCRIPTS: Final = "default-src 'none'; style-src 'unsafe-inline'"
_Value = TypeVar("_Value")


def create_app(settings: Settings | None = None) -> FastAPI:
    """The API, with a pool of workers that lives as long as the server; pages may be mounted on it.

    `app.state.pool` is the pool, `app.state.settings` what was decided about the server.
    """
    settings = settings or Settings()
    pool = Pool(settings.workers, settings.queue, settings.time_limit, settings.worker_memory)
    metrics = Metrics(pool, _PATHS)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await pool.start()
        try:
            yield
        finally:
            await pool.stop()

    app = FastAPI(title="planner", version=VERSION, docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.state.pool, app.state.settings = pool, settings
    _add_plans(app, pool)
    _add_lists(app, pool)
    _add_state_of_the_server(app, pool, metrics)
    _add_descriptions(app)
    add_refusals(app)
    _add_other_methods(app)
    app.add_middleware(Gate, settings=settings, metrics=metrics)
    if settings.cors:
        app.add_middleware(CORSMiddleware, allow_origins=settings.cors, allow_methods=["*"], allow_headers=["*"])
    return app


def _add_plans(app: FastAPI, pool: Pool) -> None:
    @app.post("/plan")
    async def plan(request: Request) -> Response:
        """The best turn from a state."""
        if pool.full:  # before the body is read
            raise BusyError
        body = await request.body()
        return _response(await _while_there(request, pool.ask(PLAN + body)))

    @app.post(BATCH)
    async def batch(request: Request) -> Response:
        """Many turns: one request a line, one answer a line, as they are done."""
        if pool.full:
            raise BusyError
        body = await request.body()
        if body.count(b"\n") >= MOST_LINES:  # also of empty ones: walking through them keeps the others waiting
            raise HTTPException(413, f"the batch has more than {MOST_LINES} lines")
        lines = [line for line in body.split(b"\n") if line.strip()]
        return StreamingResponse(_answers(pool, lines), media_type="application/x-ndjson")


async def _answers(pool: Pool, lines: list[bytes]) -> AsyncIterator[bytes]:
    """The answers as they are done. No more lines than there are workers wait for one, so that others get theirs."""
    rest = iter(lines)
    running: set[asyncio.Task[bytes]] = set()
    try:
        while True:
            while len(running) < pool.size and (line := next(rest, None)) is not None:
                running.add(asyncio.create_task(_answer_line(pool, line)))
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result() + b"\n"
    finally:
        for task in running:
            task.cancel()


async def _answer_line(pool: Pool, line: bytes) -> bytes:
    try:
        return (await pool.ask(LINE + line, patient=True)).body
    except WorkerLostError as error:
        return json.dumps({"id": _id_of(line), "error": str(error)}).encode()


def _id_of(line: bytes) -> Any:
    """What the caller calls a line whose worker died; a worker could read it, so this is JSON, or nobody's."""
    try:
        found = json.loads(line).get("id")
    except (ValueError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, str | int | float) else None


def _add_lists(app: FastAPI, pool: Pool) -> None:
    async def listed(request: Request, name: str, **wanted: Any) -> Response:
        question = LIST + json.dumps({"name": name, **wanted}).encode()
        return _response(await _while_there(request, pool.ask(question)))

    @app.get("/weights")
    async def weights(request: Request, game: Annotated[str, Query(max_length=100)] = DEFAULT) -> Response:
        """The weight profiles."""
        return await listed(request, "weights", of=game)

    @app.get("/decks")
    async def decks(request: Request) -> Response:
        """The decks."""
        return await listed(request, "decks")

    @app.get("/cards")
    async def cards(request: Request, q: Annotated[str, Query(max_length=200)] = "", tokens: bool = False) -> Response:
        """The cards that hold all of these words in name, class, keywords or text."""
        return await listed(request, "cards", text=q, tokens=tokens)

    @app.get("/solvers")
    async def solvers(request: Request) -> Response:
        """The solvers, and whether they work here."""
        return await listed(request, "solvers")


def _add_state_of_the_server(app: FastAPI, pool: Pool, metrics: Metrics) -> None:
    @app.get("/health")
    async def health() -> Response:
        """Does a worker answer?"""
        if await pool.check():
            return JSONResponse({"status": "ok", "version": VERSION})
        return _refused(503, "no worker is ready", _COME_AGAIN)

    @app.get("/metrics")
    async def numbers() -> Response:
        """Numbers for Prometheus."""
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_descriptions(app: FastAPI) -> None:
    """Made when somebody asks: they take a moment."""
    description = cache(lambda: openapi(app))

    @app.get("/openapi.json", include_in_schema=False)
    async def described() -> Response:
        return JSONResponse(description())

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(docs_page(description()), headers={"content-security-policy": _NO_SCRIPTS})


async def _while_there(request: Request, work: Awaitable[_Value]) -> _Value:
    """Do this as long as the caller waits for it."""
    task, gone = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _response(answer: Reply) -> Response:
    headers = _COME_AGAIN if answer.status == 503 else None
    return Response(answer.body, answer.status, headers, "application/json")


def _refused(status: int, line: str, headers: Any = None) -> Response:
    return JSONResponse({"error": line}, status, headers)


def add_refusals(app: FastAPI) -> None:
    """Every refusal has one form, whoever refuses."""

    async def http(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _refused(error.status_code, str(error.detail), error.headers)

    async def invalid(_: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        first = error.errors()[0]
        return _refused(422, f"{first['loc'][-1]}: {first['msg']}")

    async def busy(_: Request, __: Exception) -> Response:
        return _refused(503, "too many requests are waiting; come again in a second", _COME_AGAIN)

    async def lost(_: Request, error: Exception) -> Response:
        return _refused(503, str(error), _COME_AGAIN)

    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(BusyError, busy)
    app.add_exception_handler(WorkerLostError, lost)


def _add_other_methods(app: FastAPI) -> None:
    async def other_method(request: Request) -> Response:
        right = "POST" if request.url.path in _POSTED else "GET"
        raise HTTPException(405, f"{request.method} is not for {request.url.path}; {right} is", {"allow": right})

    for path in _PATHS:  # otherwise pages that are mounted below would be asked for what is no page
        app.router.add_route(path, other_method, methods=_METHODS, include_in_schema=False)
