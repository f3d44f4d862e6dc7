"""The results of tournaments over HTTP: standings, the games of a pairing, one game step by step, and their files."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Final, Protocol

from fastapi import FastAPI, Path, Query, Request
from fastapi.responses import FileResponse, Response
from starlette.exceptions import HTTPException

from planner.errors import PlannerError
from planner.service.gate import AsciiResponse
from planner.service.plan_worker import TOURNAMENT_GAME

_Name = Annotated[str, Path(max_length=100)]
_Agent = Annotated[str, Query(max_length=200)]
_MAX_NUMBER: Final = 10**12
# A report is one page with its own styles and pictures, and without scripts.
_REPORT_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"


class AskWorker(Protocol):
    """Lets a worker answer a request of this kind, as long as the client is connected."""

    def __call__(self, request: Request, kind: str, /, **fields: Any) -> Awaitable[Response]: ...


def add_results(app: FastAPI, answer: AskWorker) -> None:
    """Add the routes below `/results`."""

    @app.get("/results", include_in_schema=False)
    async def results() -> Response:
        finished = await _read(lambda standings: standings.tournaments())
        return AsciiResponse({"results": [{"name": name, "finished": done} for name, done in finished.items()]})

    @app.get("/results/{name}", include_in_schema=False)
    async def standings(name: _Name) -> Response:
        return AsciiResponse(await _read(lambda module: _standings_json(module.standings(name), module.facts(name))))

    @app.get("/results/{name}/games", include_in_schema=False)
    async def games(name: _Name, row: _Agent, column: _Agent) -> Response:
        listed = await _read(lambda module: module.pairing_games(name, row, column))
        return AsciiResponse({"games": [game._asdict() for game in listed]})

    @app.get("/results/{name}/games/{number}", include_in_schema=False)
    async def game(request: Request, name: _Name, number: Annotated[int, Path(ge=0, le=_MAX_NUMBER)]) -> Response:
        return await answer(request, TOURNAMENT_GAME, results=name, game=number)

    @app.get("/results/{name}/files/{file}", include_in_schema=False)
    async def file(name: _Name, file: _Name) -> Response:
        def path(module: Any) -> Any:
            if file not in module.FILES:
                raise PlannerError(f"there is no file {file!r}; one of {', '.join(module.FILES)}")
            return module.folder_of(name) / file

        found = await _read(path)
        if not found.is_file():
            raise HTTPException(404)
        headers = {"content-security-policy": _REPORT_POLICY} if file.endswith(".html") else {}
        return FileResponse(found, headers=headers)


async def _read(read: Callable[[Any], Any]) -> Any:
    """Call a function of the standings module in a thread: it reads tables, and importing it loads pandas."""

    def call() -> Any:
        from planner.service import standings  # noqa: PLC0415  (pandas)

        return read(standings)

    try:
        return await asyncio.to_thread(call)
    except PlannerError as error:
        raise HTTPException(422, str(error)) from None


def _standings_json(standings: Any, facts: Mapping[str, Any]) -> dict[str, Any]:
    cells = [{"row": row, "column": column, **cell._asdict()} for (row, column), cell in standings.cells.items()]
    names = ("name", "finished", "played", "total", "rows", "columns", "ratings", "one_seat")
    return {**{name: getattr(standings, name) for name in names}, "cells": cells, "facts": facts}
