"""`planner serve`, `engine` and `mcp`: requests over HTTP, and over standard input and output."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from io import FileIO
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from planner.cli.console import Workers, console, examples
from planner.errors import PlannerError
from planner.formats.documents import stdin_bytes
from planner.processes import available_cores
from planner.protocol import MAX_LINE_BYTES, answer_line
from planner.protocol.lines import error_line

commands = typer.Typer()


@commands.command(
    epilog=examples(
        "planner serve",
        "planner serve --port 9000 --workers 4",
        "PLANNER_TOKEN=$(openssl rand -hex 16) planner serve --host 0.0.0.0",
        "planner serve --journal club.db",
        "curl http://127.0.0.1:8000/health",
    )
)
def serve(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen; an address that others can reach needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free port.")] = 8000,
    workers: Workers = None,
    time_limit: Annotated[
        float, typer.Option(min=0.01, max=3600, metavar="SECONDS", help="For one plan; requests can only ask for less.")
    ] = 10.0,
    queue: Annotated[int, typer.Option(min=0, max=100_000, help="Requests that may wait; further ones get 503.")] = 256,
    token: Annotated[
        str,
        typer.Option(envvar="PLANNER_TOKEN", help="Required of every client, as `Authorization: Bearer TOKEN`."),
    ] = "",
    cors: Annotated[
        list[str] | None, typer.Option(metavar="ORIGIN", help="A site whose pages may send requests; can be repeated.")
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NETWORK",
            envvar="PLANNER_PROXY",
            help="A reverse proxy whose X-Forwarded-For is believed, or several with commas; can be repeated.",
        ),
    ] = None,
    address_connections: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Connections of one client address at the same time.")
    ] = 200,
    address_messages: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Messages at tables a second from one client address.")
    ] = 200,
    address_tables: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Tables made from one client address that are not over.")
    ] = 100,
    journal: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", envvar="PLANNER_JOURNAL", help="Where tables are kept; by default in your data folder."
        ),
    ] = None,
) -> None:
    """Answer requests for plans over HTTP, by default only locally.

    POST /plan with {"state": ...} returns the plan; POST /plan/batch takes
    one such object a line. GET /docs describes all requests, and GET / is
    the page for people. Ctrl-C or SIGTERM stops the server; running requests
    are still answered.
    """
    try:
        from planner.service.app import create_app  # noqa: PLC0415  (an extra that may not be installed)
        from planner.service.server import Settings, run_server  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise PlannerError(f"serve: {error.name} is not installed; pip install 'turn-planner[serve]'") from None
    settings = Settings(
        host,
        port,
        workers or available_cores(),
        queue,
        time_limit,
        token,
        tuple(cors or ()),
        proxies=tuple(proxy or ()),
        address_connections=address_connections,
        address_messages=address_messages,
        address_tables=address_tables,
        journal=journal or _data_folder() / "tables.db",
    )
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    out = console()
    run_server(create_app(settings), lambda address: out.print(f"planner serves on {address}", soft_wrap=True))


def _data_folder() -> Path:
    """Return where programs keep a user's data."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "planner"


@commands.command(
    epilog=examples(
        """echo '{"state": {"mana": 0, "me": {"hero": {"health": 9}}, "enemy": {"hero": {"health": 9}}}}' """
        "| planner engine",
        "planner engine < requests.jsonl > answers.jsonl",
    )
)
def engine() -> None:
    """Answer requests over standard input and output, for bots in any language.

    Each line of the input is one JSON object; only the state is required:

      {"id": 7, "state": {...}, "weights": "aggro_face", "time_limit": 0.5}

    Each line of the output is its answer, in the same order, flushed at once:

      {"id": 7, "plan": {...}}  or  {"id": 7, "error": "..."}

    The fields are state, weights (a name from `planner weights`, or an
    object of terms and numbers), solver, formulation, time_limit, effort, k,
    explain, ranges, ahead, exclude and steps. With k above 1 the answer has
    plans, best first. The field request asks for something else: decide,
    judge, replay, weights, decks, cards or solvers. An invalid line gets an
    error, and the next line is answered. The command ends with its input.
    """
    with _answer_stream() as out, suppress(BrokenPipeError):  # the client has closed the pipe
        for line in _lines(stdin_bytes()):
            _write(out, json.dumps(answer_line(line), separators=(",", ":")).encode() + b"\n")


def _write(out: BinaryIO, line: bytes) -> None:
    """Write the whole line at once, without a buffer."""
    while line:
        line = line[out.write(line) :]


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines; one that is too long is cut, so that it cannot fill the memory."""
    while line := stream.readline(MAX_LINE_BYTES + 2):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_LINE_BYTES)
        yield line.rstrip(b"\r\n")


@contextmanager
def _answer_stream() -> Iterator[BinaryIO]:
    """Yield a stream for answers only: what solvers print to standard output goes to stderr meanwhile."""
    sys.stdout.flush()
    try:
        descriptor = sys.stdout.fileno()
    except OSError:  # not a file: a test captures the output
        yield sys.stdout.buffer
        return
    saved = os.dup(descriptor)
    os.dup2(sys.stderr.fileno(), descriptor)
    try:
        yield FileIO(saved, "wb", closefd=False)
    finally:
        os.dup2(saved, descriptor)
        os.close(saved)


@commands.command(epilog=examples("planner mcp"))
def mcp() -> None:
    """Let an assistant plan, by the Model Context Protocol over standard input and output.

    The tools list games, check a state, list legal actions, say why an action
    is illegal, plan and explain a turn, and review a match log. An assistant
    starts this command itself: name it in the assistant's list of servers.
    """
    try:
        from mcp.server.mcpserver import MCPServer  # noqa: PLC0415  (an extra)
        from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415
    except ImportError:
        raise PlannerError("mcp is missing; pip install 'turn-planner[mcp]'") from None
    from planner.protocol.assistant import TOOLS  # noqa: PLC0415  (only here)

    def one_line(tool: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
        @wraps(tool)
        def call(*arguments: Any, **fields: Any) -> dict[str, Any]:
            try:
                return tool(*arguments, **fields)
            except PlannerError as error:
                raise ToolError(error_line(error)) from None

        return call

    server = MCPServer("planner", instructions="Plans turns of card games, with proof.", log_level="ERROR")
    for tool in TOOLS:
        server.tool()(one_line(tool))
    server.run("stdio")
