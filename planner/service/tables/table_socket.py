"""The WebSocket of a page: messages in, frames out, with limits on sizes and rates."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import re
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from planner.errors import PlannerError, quote
from planner.formats.documents import parse_json
from planner.formats.values import boolean, integer, one_of, optional, read_field
from planner.protocol import error_line
from planner.service.address_limits import AddressLimits, RateLimit
from planner.service.tables.table_agents import suggest
from planner.service.tables.table_hub import Room, TableHub
from planner.service.tables.table_journal import dumps
from planner.service.tables.table_spec import MAX_NAME, read_create, read_line
from planner.user_code import short_error

_log = logging.getLogger("planner.service")
MAX_MESSAGE_BYTES: Final = 16_384
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{32,64}")
_HELLO_SECONDS: Final = 10.0
_MAX_QUEUE: Final = 200  # messages that wait for a client that does not read
_MAX_TABLES: Final = 20  # that one connection watches
_TOO_BIG, _POLICY, _TOO_SLOW = 1009, 1008, 1013  # close codes of WebSockets
_MY_TABLES: Final = 20


def player_of(secret: Any) -> str:
    """Return the public name of the player who has this secret."""
    if not isinstance(secret, str) or not _SECRET.fullmatch(secret):
        raise PlannerError("secret: must be 32 to 64 characters of A-Z a-z 0-9 _ -")
    return hashlib.sha256(f"planner:{secret}".encode()).hexdigest()[:16]


class TableSocket:
    """One connection."""

    def __init__(self, hub: TableHub, socket: WebSocket, limits: AddressLimits) -> None:
        self._hub, self._socket, self._limits = hub, socket, limits
        self._address = limits.address(socket.scope)
        self._is_one_too_many = False
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(_MAX_QUEUE)
        self._rate, self._chat_rate = RateLimit(40, 20), RateLimit(5, 1)
        self._watched: dict[str, Room] = {}
        self._closing: int | None = None
        self.player, self._name = "", ""
        self._commands: dict[str, Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]] = {
            "lobby": self._lobby,
            "create": self._create,
            "watch": self._watch,
            "unwatch": self._unwatch,
            "join": self._join,
            "ready": self._ready,
            "move": self._move,
            "chat": self._chat,
            "chat_on": self._chat_on,
            "share": self._share,
            "take_back": self._take_back,
            "leave": self._leave,
            "rematch": self._rematch,
            "suggest": self._suggest,
            "ping": self._ping,
        }

    async def run(self) -> None:
        """Serve the connection until it ends."""
        self._is_one_too_many = not self._limits.enter(self._address)
        try:
            await self._socket.accept()
            await self._serve()
        finally:
            self._limits.leave(self._address)

    async def _serve(self) -> None:
        writer = asyncio.create_task(self._write())
        try:
            await self._read()
        except WebSocketDisconnect:
            pass
        finally:
            self._hub.lobby.pop(self, None)
            for room in list(self._watched.values()):
                await self._hub.unwatch(room, self)
            if self._closing is None:
                writer.cancel()
            with contextlib.suppress(asyncio.CancelledError, TimeoutError):
                await asyncio.wait_for(writer, 5)

    def send(self, text: str) -> None:
        """Queue a message; a client that does not read is disconnected, and gets everything when it returns."""
        if self._closing is not None:
            return
        if self._queue.qsize() >= _MAX_QUEUE - 1:
            self._close(_TOO_SLOW)
        else:
            self._queue.put_nowait(text)

    def _close(self, code: int) -> None:
        if self._closing is None:
            self._closing = code
            while not self._queue.empty() and code == _TOO_SLOW:
                self._queue.get_nowait()
            self._queue.put_nowait(None)

    async def _write(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, OSError):
            while (text := await self._queue.get()) is not None:
                await self._socket.send_text(text)
            await self._socket.close(self._closing or 1000)

    async def _read(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_HELLO_SECONDS):
                await self._receive(self._hello)
        if not self.player:
            self._close(_POLICY)  # the answer is sent first
        while self._closing is None:
            await self._receive(self._dispatch)

    async def _receive(self, handle: Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]]) -> None:
        """Answer one message; whatever it contains, the next one is answered too."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect
        text = message.get("text")
        if text is None or len(text.encode(errors="surrogatepass")) > MAX_MESSAGE_BYTES:
            self._close(_TOO_BIG)
            raise WebSocketDisconnect
        # A client that sends too fast is slowed down.
        await asyncio.sleep(max(self._rate.take(), self._limits.wait_seconds(self._address)))
        name: Any = None
        try:
            data = parse_json(text, "message")
            if not isinstance(data, dict):
                raise PlannerError("a message must be an object with a type")
            given = data.pop("id", None)
            name = given if isinstance(given, int | str) and len(str(given)) <= 100 else None
            answer = {"type": "ok", "id": name, **(await handle(data) or {})}
        except PlannerError as error:
            answer = {"type": "error", "id": name, "error": error_line(error)}
        except (WebSocketDisconnect, asyncio.CancelledError):
            raise
        except Exception as error:  # a bug costs this answer, not the connection
            _log.exception("a message failed")
            answer = {"type": "error", "id": name, "error": f"the server failed: {short_error(error)}"}
        self.send(dumps(answer))

    # -- messages

    async def _hello(self, data: dict[str, Any]) -> dict[str, Any]:
        if data.get("type") != "hello":
            raise PlannerError("the first message must be hello")
        _check_fields(data, ("secret", "name"))
        if self._is_one_too_many:
            raise PlannerError("too many connections from your network address; close other pages and try again")
        player = player_of(data.get("secret"))
        self._name = optional(data, "name", partial(read_line, maximum=MAX_NAME), "") or f"Guest {player[:4]}"
        self.player = player
        journal = self._hub.journal
        tables = {"tables": journal.tables_of(player, _MY_TABLES), "ended": journal.tables_of(player, _MY_TABLES, True)}
        return {"player": player, "name": self._name, **tables}

    async def _dispatch(self, data: dict[str, Any]) -> dict[str, Any] | None:
        kind = read_field(data, "type", lambda value: one_of(value, self._commands))
        return await self._commands[kind](data)

    def _room(self, data: dict[str, Any], *fields: str) -> Room:
        _check_fields(data, ("table", *fields))
        return self._hub.room(data.get("table"))

    async def _ping(self, data: dict[str, Any]) -> None:
        _check_fields(data, ())

    async def _lobby(self, data: dict[str, Any]) -> None:
        _check_fields(data, ("on",))
        if optional(data, "on", boolean, True):
            self._hub.lobby[self] = None
            self.send(self._hub.lobby_text())
        else:
            self._hub.lobby.pop(self, None)

    async def _create(self, data: dict[str, Any]) -> dict[str, Any]:
        request = read_create({key: value for key, value in data.items() if key != "type"})
        return {"table": await self._hub.create(self.player, self._name, request, self._address)}

    async def _watch(self, data: dict[str, Any]) -> None:
        room = self._room(data, "seat")
        seat = optional(data, "seat", integer, None) if data.get("seat") is not None else None
        if room.table.id not in self._watched and len(self._watched) >= _MAX_TABLES:
            raise PlannerError(f"a connection can watch {_MAX_TABLES} tables; unwatch one")
        self._watched[room.table.id] = room
        await self._hub.watch(room, self, seat)

    async def _unwatch(self, data: dict[str, Any]) -> None:
        room = self._room(data)
        self._watched.pop(room.table.id, None)
        await self._hub.unwatch(room, self)

    async def _join(self, data: dict[str, Any]) -> None:
        room = self._room(data, "seat")
        seat = integer(data["seat"]) if data.get("seat") is not None else None
        await self._hub.command(room, lambda table: table.join(self.player, self._name, seat))

    async def _ready(self, data: dict[str, Any]) -> None:
        room = self._room(data, "ready")
        ready = optional(data, "ready", boolean, True)
        await self._hub.command(room, lambda table: table.set_ready(self.player, ready))

    async def _move(self, data: dict[str, Any]) -> dict[str, Any]:
        room = self._room(data, "move", "action", "choice")
        await self._hub.move(room, self.player, data.get("move"), data.get("action"), data.get("choice"))
        return {"move": data.get("move")}

    async def _chat(self, data: dict[str, Any]) -> None:
        room = self._room(data, "text")
        await asyncio.sleep(self._chat_rate.take())
        await self._hub.command(room, lambda table: table.say(self.player, self._name, data.get("text"), time.time()))

    async def _chat_on(self, data: dict[str, Any]) -> None:
        room = self._room(data, "on")
        on = read_field(data, "on", boolean)
        await self._hub.command(room, lambda table: table.switch_chat(self.player, on))

    async def _share(self, data: dict[str, Any]) -> None:
        room = self._room(data, "on")
        on = read_field(data, "on", boolean)
        await self._hub.command(room, lambda table: table.share(self.player, on))

    async def _take_back(self, data: dict[str, Any]) -> None:
        await self._hub.command(self._room(data), lambda table: table.take_back(self.player))

    async def _leave(self, data: dict[str, Any]) -> None:
        await self._hub.command(self._room(data), lambda table: table.leave(self.player))

    async def _rematch(self, data: dict[str, Any]) -> dict[str, Any]:
        return {"table": await self._hub.rematch(self._room(data), self.player, self._address)}

    async def _suggest(self, data: dict[str, Any]) -> dict[str, Any]:
        room = self._room(data, "weights")
        return await suggest(self._hub.pool, room.table, self.player, data.get("weights"))


def _check_fields(data: dict[str, Any], known: tuple[str, ...]) -> None:
    unknown = next((key for key in data if key not in ("type", *known)), None)
    if unknown is not None:
        raise PlannerError(f"unknown field {quote(unknown)}; known: {', '.join(known)}")
