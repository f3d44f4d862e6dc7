"""A client of tables for tests: connects, sends, keeps every frame, and can play random moves."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import websockets
from websockets.asyncio.client import ClientConnection


class Client:
    """One page of one player."""

    def __init__(self, socket: ClientConnection, secret: str) -> None:
        self._socket, self.secret = socket, secret
        self.player = ""
        self.messages: list[dict[str, Any]] = []
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._arrived = asyncio.Event()
        self._next = 0
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for text in self._socket:
                message = json.loads(text)
                if message.get("id") in self._answers:
                    self._answers.pop(message["id"]).set_result(message)
                else:
                    self.messages.append(message)
                    self._arrived.set()
        except websockets.ConnectionClosed:
            pass
        finally:
            for future in self._answers.values():
                if not future.done():
                    future.set_exception(ConnectionError("the connection ended"))
            self._arrived.set()

    async def send(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a message and return its answer."""
        self._next += 1
        future = self._answers[self._next] = asyncio.get_running_loop().create_future()
        await self._socket.send(json.dumps({"type": kind, "id": self._next, **fields}))
        return await asyncio.wait_for(future, 20)

    async def ok(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send a message that must succeed."""
        answer = await self.send(kind, **fields)
        assert answer["type"] == "ok", answer
        return answer

    async def error(self, kind: str, **fields: Any) -> str:
        """Send a message that must fail; return the reason."""
        answer = await self.send(kind, **fields)
        assert answer["type"] == "error", answer
        return str(answer["error"])

    @property
    def frames(self) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["type"] == "table"]

    @property
    def frame(self) -> dict[str, Any]:
        return self.frames[-1]

    async def until(self, condition: Any, seconds: float = 20) -> dict[str, Any]:
        """Wait for a frame that satisfies the condition."""
        async with asyncio.timeout(seconds):
            while not self.frames or not condition(self.frame):
                self._arrived.clear()
                await self._arrived.wait()
        return self.frame

    async def move(self, rng: Random) -> dict[str, Any]:
        """Play a random legal move of the last frame; return the message that was sent."""
        frame = self.frame
        message: dict[str, Any] = {"table": frame["table"]["id"], "move": frame["table"]["moves"]}
        choice = frame["view"].get("prompt", {}).get("choice")
        if choice:
            message["choice"] = [card for card in choice["cards"] if rng.random() < 0.5]
        else:
            message["action"] = rng.choice(frame["moves"])["action"]
        await self.ok("move", **message)
        return message

    async def raw(self, data: str | bytes) -> None:
        await self._socket.send(data)

    async def closed(self) -> int:
        """Wait until the server closes the connection; return its code."""
        await asyncio.wait_for(self._socket.wait_closed(), 20)
        return self._socket.close_code or 0

    async def close(self) -> None:
        await self._socket.close()
        await self._reader


@asynccontextmanager
async def connected(port: int, name: str = "", secret: str = "", **options: Any) -> AsyncIterator[Client]:
    """Connect and say hello."""
    socket = await websockets.connect(f"ws://127.0.0.1:{port}/tables/socket", max_size=10_000_000, **options)
    client = Client(socket, secret or secrets.token_urlsafe(32))
    try:
        client.player = (await client.ok("hello", secret=client.secret, name=name or "Guest"))["player"]
        yield client
    finally:
        await client.close()


async def seated(*clients: Client, game: str = "hearthstone", **options: Any) -> str:
    """Create a table, let everybody sit down and be ready; return its id."""
    first, *others = clients
    table = str((await first.ok("create", game=game, **options))["table"])
    for client in clients:
        await client.ok("watch", table=table)
    for client in others:
        await client.ok("join", table=table)
    for client in clients:
        await client.ok("ready", table=table)
    for client in clients:
        await client.until(lambda frame: frame["table"]["status"] == "playing")
    return table


async def play_out(clients: list[Client], rng: Random, limit: int = 10_000) -> int:
    """Let people move in turn until the match ends, or so many moves were made; return the number of moves."""
    for count in range(limit):
        moves = max(client.frame["table"]["moves"] for client in clients)
        for client in clients:
            await client.until(lambda frame, moves=moves: frame["table"]["moves"] >= moves)
        frame = clients[0].frame
        if frame["table"]["status"] == "ended":
            return count
        mover = next(client for client in clients if client.frame["you"]["seat"] == frame["view"]["to_move"])
        await mover.move(rng)
        for client in clients:
            await client.until(lambda frame, moves=moves: frame["table"]["moves"] > moves)
    return limit
