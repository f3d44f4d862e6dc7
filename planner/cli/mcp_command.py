"""`planner mcp`: the planner as tools of an assistant, by the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

from planner.cli.console import examples
from planner.errors import PlannerError
from planner.protocol.assistant import TOOLS
from planner.protocol.lines import error_line

commands = typer.Typer()


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
