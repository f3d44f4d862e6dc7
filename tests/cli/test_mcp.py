"""`planner mcp`, driven by the official client over standard input and output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

pytest.importorskip("mcp")
import anyio
from mcp import Client, StdioServerParameters

from planner.arena.match.referee import play_match
from planner.games import load_game

YETI = {"attack": 4, "health": 5}
STATE = {"mana": 0, "me": {"hero": {"health": 9}, "board": [YETI]}, "enemy": {"hero": {"health": 4}, "board": [YETI]}}
SERVER = StdioServerParameters(command=sys.executable, args=["-c", "from planner.cli import main; main(['mcp'])"])


def with_client(ask: Callable[[Client], Coroutine[Any, Any, Any]]) -> Any:
    async def run() -> Any:
        with anyio.fail_after(60):
            async with Client(SERVER) as client:
                return await ask(client)

    return anyio.run(run)


async def call(client: Client, tool: str, **arguments: Any) -> tuple[bool, Any]:
    """Return whether the tool failed, and its answer or its message."""
    result = await client.call_tool(tool, arguments)
    text = "".join(getattr(part, "text", "") for part in result.content)
    return bool(result.is_error), text if result.is_error else json.loads(text)


def test_an_assistant_can_use_every_tool() -> None:
    game = load_game("hearthstone")
    log = play_match(("greedy", "greedy"), game.setup_from_words(["mage", "warrior"]), 3, digests=True).to_dict()

    async def ask(client: Client) -> None:
        tools = {tool.name: tool.description for tool in (await client.list_tools()).tools}
        assert set(tools) == {
            "list_games", "check_state", "list_legal_actions", "why_illegal", "plan", "explain", "review",
        }  # fmt: skip
        assert all(tools.values())

        failed, games = await call(client, "list_games")
        assert not failed
        assert {"hearthstone", "spire", "dominion"} <= {entry["name"] for entry in games["games"]}

        failed, checked = await call(client, "check_state", state=STATE)
        assert not failed
        assert checked["game"] == "hearthstone"
        assert checked["outcome"] is None

        failed, legal = await call(client, "list_legal_actions", state=STATE)
        assert [entry["action"] for entry in legal["actions"]] == [
            game.action_to_json(action) for action in game.legal_actions(game.state_from_json(STATE))
        ]

        kill = {"type": "attack", "attacker": "me.board.0", "target": "enemy.hero"}
        failed, answer = await call(client, "why_illegal", state=STATE, action=kill)
        assert answer == {"reason": None}
        failed, answer = await call(client, "why_illegal", state=STATE, action={**kill, "attacker": "me.board.7"})
        assert not failed
        assert "me.board.7" in answer["reason"]

        failed, best = await call(client, "plan", state=STATE, weights="true_balanced")
        assert (best["actions"], best["lethal"], best["status"]) == ([kill], True, "optimal")
        assert len(best["words"]) == 1
        failed, best = await call(client, "plan", state=STATE, k=2)
        assert len(best["plans"]) == 2

        failed, best = await call(client, "explain", state=STATE)
        assert not failed
        assert best["explanation"]
        assert best["steps"]

        failed, judged = await call(client, "review", log=log, weights="true_balanced")
        assert not failed
        assert judged["turns"]

        # Mistakes are one line, and the server goes on.
        for tool, arguments in (
            ("plan", {"state": {"mana": "x"}}),
            ("plan", {"state": STATE, "weights": "no_such_profile"}),
            ("plan", {"state": STATE, "weights": "/etc/passwd"}),
            ("check_state", {"state": {"game": "os:path"}}),
            ("review", {"log": {}}),
            ("plan", {}),
        ):
            failed, message = await call(client, tool, **arguments)
            assert failed, tool
            assert "Traceback" not in message
        failed, _ = await call(client, "list_games")
        assert not failed

    with_client(ask)
