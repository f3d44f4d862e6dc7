"""Mounts the pages on the service's app, below the paths of the API."""

from __future__ import annotations

from typing import Final

from fastapi import FastAPI, Request
from nicegui import app as pages_app
from nicegui import ui
from starlette.types import ASGIApp, Receive, Scope, Send

from planner.service.app import add_error_handlers
from planner.service.pages.elements import page_frame
from planner.service.pages.match_page import match_page
from planner.service.pages.play_page import play_page
from planner.service.pages.table_page import table_page
from planner.service.pages.tournament_page import tournament_page
from planner.service.plan_pool import PlanPool

_RECONNECT_SECONDS: Final = 60.0  # a phone that changes its network keeps its match
_POOL: Final = "planner.pool"  # where a page finds the worker pool of its server


class _WithPool:
    def __init__(self, app: ASGIApp, pool: PlanPool) -> None:
        self._app, self._pool = app, pool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[_POOL] = self._pool
        await self._app(scope, receive, send)


def add_pages(app: FastAPI) -> None:
    """Mount the pages. Call this once in a process: NiceGUI keeps one global app."""

    def pool_of(request: Request) -> PlanPool:
        pool = request.scope[_POOL]
        assert isinstance(pool, PlanPool)
        return pool

    @ui.page("/", reconnect_timeout=_RECONNECT_SECONDS)
    def table(request: Request) -> None:
        page_frame("/", request.cookies.get("dark"), "Table")
        table_page(pool_of(request), request.query_params)

    @ui.page("/play", reconnect_timeout=_RECONNECT_SECONDS)
    def play(request: Request) -> None:
        page_frame("/play", request.cookies.get("dark"), "Play")
        play_page(pool_of(request))

    @ui.page("/match", reconnect_timeout=_RECONNECT_SECONDS)
    def match(request: Request) -> None:
        page_frame("/match", request.cookies.get("dark"), "Match")
        match_page(pool_of(request), request.query_params)

    @ui.page("/tournament", reconnect_timeout=_RECONNECT_SECONDS)
    def tournament(request: Request) -> None:
        page_frame("/tournament", request.cookies.get("dark"), "Tournament")
        tournament_page(request.query_params)

    add_error_handlers(pages_app)
    app.add_middleware(_WithPool, pool=app.state.pool)
    ui.run_with(
        app,
        title="planner",
        tailwind=False,
        language="en-US",
        show_welcome_message=False,
        gzip_middleware_factory=None,  # locally it only costs time; elsewhere the reverse proxy compresses
    )
