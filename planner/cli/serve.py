"""`planner serve`: plans over HTTP, and pages to look at them."""

from __future__ import annotations

import logging
import sys
from typing import Annotated

import typer

from planner.cli.common import console, examples
from planner.errors import PlannerError


def register(app: typer.Typer) -> None:
    """Add this module's commands."""
    app.command(
        epilog=examples(
            "planner serve",
            "planner serve --port 9000 --workers 4",
            "PLANNER_TOKEN=$(openssl rand -hex 16) planner serve --host 0.0.0.0",
            "curl http://127.0.0.1:8000/health",
        )
    )(serve)


def serve(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; one that others can reach needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 8000,
    workers: Annotated[
        int | None, typer.Option(min=1, max=1024, help="Processes that plan; as many as there are cores.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option(min=0.01, max=3600, metavar="SECONDS", help="For one plan, whatever a caller asks for.")
    ] = 10.0,
    queue: Annotated[int, typer.Option(min=0, max=100_000, help="Requests that may wait; the next gets 503.")] = 256,
    token: Annotated[
        str,
        typer.Option(envvar="PLANNER_TOKEN", help="Asked of every caller, as `Authorization: Bearer TOKEN`."),
    ] = "",
    cors: Annotated[
        list[str] | None, typer.Option(metavar="ORIGIN", help="A site whose pages may ask; again for more.")
    ] = None,
) -> None:
    """Answer requests for plans over HTTP, on this machine only unless told otherwise.

    POST /plan with {"state": ...} answers with the plan; POST /plan/batch
    takes one such object a line. GET /docs describes all requests, and
    GET / is the page for people. Stop it with Ctrl-C or SIGTERM: what is
    under way is still answered.
    """
    try:
        from planner.service.app import create_app  # noqa: PLC0415  (an extra that may not be installed)
        from planner.service.pages.mount import add_pages  # noqa: PLC0415
        from planner.service.server import Settings, cores  # noqa: PLC0415
        from planner.service.server import serve as run  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise PlannerError(f"serve: {error.name} is missing; pip install 'turn-planner[serve]'") from None
    settings = Settings(host, port, workers or cores(), queue, time_limit, token, tuple(cors or ()))
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    logging.getLogger("nicegui").setLevel(logging.ERROR)  # it would write addresses that are not there as they came
    out = console()
    app = create_app(settings)
    add_pages(app)
    run(app, lambda address: out.print(f"planner serves on {address}", soft_wrap=True))
