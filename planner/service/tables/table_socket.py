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

from planner.errors import PlannerError
from planner.formats.documents import parse_json
from planner.formats.values import boolean, integer, one_of, optional, read_field
from planner.protocol import error_line
from planner.protocol.fields import request_fields
from planner.service.address_limits import AddressLimits, RateLimit
from planner.service.tables.live_table import LiveTable
from planner.service.tables.table_agents import suggest
from planner.service.tables.table_hub import Room, TableHub
from planner.service.tables.table_journal import Event, dumps
from planner.service.tables.table_spec import CREATE_FIELDS, MAX_NAME, read_create, read_line
from planner.user_code import short_error

_log = logging.getLogger("planner.service")
MAX_MESSAGE_BYTES: Final = 16_384
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{32,64}")
_HELLO_SECONDS: Final = 10.0
_MAX_QUEUE: Final = 200  # messages that wait for a client that does not read
_MAX_TABLES: Final = 20  # that one connection watches
_NO_TEXT, _TOO_BIG, _POLICY, _TOO_SLOW = 1003, 1009, 1008, 1013  # close codes of WebSockets
_MY_TABLES: Final = 20
# The messages, and their fields besides the type and the id.
_FIELDS: Final = {
    "ping": (),
    "lobby": ("on",),
    "create": CREATE_FIELDS,
    "watch": ("table", "seat"),
    "unwatch": ("table",),
    "join": ("table", "seat"),
    "ready": ("table", "ready"),
    "move": ("table", "move", "action", "choice"),
    "chat": ("table", "text"),
    "chat_on": ("table", "on"),
    "share": ("table", "on"),
    "take_back": ("table",),
    "leave": ("table",),
    "rematch": ("table",),
    "suggest": ("table", "weights"),
}


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
            self._close(_NO_TEXT if text is None else _TOO_BIG)
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
        if data.pop("type", None) != "hello":
            raise PlannerError("the first message must be hello")
        fields = request_fields(data, ("secret", "name"))
        if self._is_one_too_many:
            raise PlannerError("too many connections from your network address; close other pages and try again")
        player = player_of(fields.get("secret"))
        self._name = optional(fields, "name", partial(read_line, maximum=MAX_NAME), "") or f"Guest {player[:4]}"
        self.player = player
        journal = self._hub.journal
        tables = {"tables": journal.tables_of(player, _MY_TABLES), "ended": journal.tables_of(player, _MY_TABLES, True)}
        return {"player": player, "name": self._name, **tables}

    async def _dispatch(self, data: dict[str, Any]) -> dict[str, Any] | None:
        """Carry out a message; return the fields of its answer."""
        kind = read_field(data, "type", partial(one_of, choices=_FIELDS))
        del data["type"]
        fields, hub = request_fields(data, _FIELDS[kind]), self._hub
        if kind == "create":
            return {"table": await hub.create(self.player, self._name, read_create(fields), self._address)}
        if kind == "lobby" and optional(fields, "on", boolean, True):
            hub.lobby[self] = None
            self.send(hub.lobby_text())
        elif kind == "lobby":
            hub.lobby.pop(self, None)
        if kind in ("lobby", "ping"):
            return None
        room = hub.room(fields.get("table"))
        match kind:
            case "watch":
                seat = optional(fields, "seat", integer, None)
                if room.table.id not in self._watched and len(self._watched) >= _MAX_TABLES:
                    raise PlannerError(f"a connection can watch {_MAX_TABLES} tables; unwatch one")
                self._watched[room.table.id] = room
                await hub.watch(room, self, seat)
            case "unwatch":
                self._watched.pop(room.table.id, None)
                await hub.unwatch(room, self)
            case "move":
                await hub.move(room, self.player, fields.get("move"), fields.get("action"), fields.get("choice"))
                return {"move": fields.get("move")}
            case "rematch":
                return {"table": await hub.rematch(room, self.player, self._address)}
            case "suggest":
                return await suggest(hub.pool, room.table, self.player, fields.get("weights"))
            case _:
                if kind == "chat":
                    await asyncio.sleep(self._chat_rate.take())
                await hub.command(room, partial(self._decide, kind, fields))
        return None

    def _decide(self, kind: str, fields: dict[str, Any], table: LiveTable) -> list[Event]:
        """Return the events that a command leads to at a table."""
        match kind:
            case "join":
                return table.join(self.player, self._name, optional(fields, "seat", integer, None))
            case "ready":
                return table.set_ready(self.player, optional(fields, "ready", boolean, True))
            case "chat":
                return table.say(self.player, self._name, fields.get("text"), time.time())
            case "chat_on":
                return table.switch_chat(self.player, read_field(fields, "on", boolean))
            case "share":
                return table.share(self.player, read_field(fields, "on", boolean))
            case "take_back":
                return table.take_back(self.player)
            case "leave":
                return table.leave(self.player)
        raise AssertionError(kind)
