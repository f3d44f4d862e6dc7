"""The pages put onto the service's app, below everything that programs ask for."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI, Request
from nicegui import app as pages
from nicegui import ui
from starlette.types import ASGIApp, Receive, Scope, Send

from planner.service.app import add_refusals
from planner.service.pages.match import match_page
from planner.service.pages.parts import frame
from planner.service.pages.play import play_page
from planner.service.pages.table import table_page
from planner.service.pages.tournament import tournament_page
from planner.service.pool import Pool

_KEPT: Final = 60.0  # seconds for a visitor to come back: a telephone that changes its network keeps its match
_POOL: Final = "planner.pool"  # where a page finds the workers of the server that it is on


class _WithPool:
    def __init__(self, app: ASGIApp, pool: Pool) -> None:
        self._app, self._pool = app, pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_POOL] = self._pool
        await self._app(scope, receive, send)


def add_pages(app: FastAPI) -> None:
    """Mount the pages. Once in a process: the toolkit keeps one app of its own."""

    def pool_of(request: Request) -> Pool:
        found = request.scope[_POOL]
        assert isinstance(found, Pool)
        return found

    @ui.page("/", reconnect_timeout=_KEPT)
    def table(request: Request) -> None:
        frame("/", request.cookies.get("dark"), "Table")
        table_page(pool_of(request), request.query_params)

    @ui.page("/play", reconnect_timeout=_KEPT)
    def play(request: Request) -> None:
        frame("/play", request.cookies.get("dark"), "Play")
        play_page(pool_of(request))

    @ui.page("/match", reconnect_timeout=_KEPT)
    def match(request: Request) -> None:
        frame("/match", request.cookies.get("dark"), "Match")
        match_page(pool_of(request), request.query_params)

    @ui.page("/tournament", reconnect_timeout=_KEPT)
    def tournament(request: Request) -> None:
        frame("/tournament", request.cookies.get("dark"), "Tournament")
        tournament_page(request.query_params)

    add_refusals(pages)  # also of a method that pages do not have
    app.add_middleware(_WithPool, pool=app.state.pool)
    ui.run_with(
        app, title="planner", tailwind=False, language="en-US", show_welcome_message=False,
        gzip_middleware_factory=None,  # on this machine it only takes time; elsewhere the proxy in front does it
    )  # fmt: skip
