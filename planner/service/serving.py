"""The server itself: uvicorn, with bounds on what it leaves open."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
from collections.abc import Callable
from typing import Final

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from planner.errors import PlannerError
from planner.service.settings import Settings

_LONGEST_HEADERS: Final = 65_536  # bytes
_LAST_ANSWERS: Final = 10.0  # seconds beyond the time limit, for what is under way when the server stops


def serve(app: FastAPI, ready: Callable[[str], None]) -> None:
    """Reply until a signal says to stop; `ready` is told the address. What is under way then is still answered."""
    settings: Settings = app.state.settings
    listening = _listen(settings.host, settings.port)
    host, port = listening.getsockname()[:2]
    config = uvicorn.Config(
        app,
        http=type("_Connection", (Connection,), {"settings": settings}),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=int(settings.time_limit + _LAST_ANSWERS),
    )
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    # uvicorn stops in peace and then raises the signal anew, which would look like a violent end.
    signal.signal(signal.SIGTERM, lambda *_: None)
    with listening:
        server = _Server(config, lambda: ready(address))
        server.run(sockets=[listening])
    if not server.started:
        raise PlannerError("serve: the server does not start; the lines above say why")


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        raise PlannerError(f"--host {host} --port {port}: {error.strerror}") from None
    return listening


class Connection(HttpToolsProtocol):
    """A connection whose headers come in time and in bounds; faults below HTTP have the form of all others."""

    settings: Settings
    _headers_due: asyncio.TimerHandle | None = None
    _rest_due: asyncio.TimerHandle | None = None
    _header_bytes = 0  # that came while the headers are not complete
    _header_size = 0  # of those that are read: one read can hold more than the bound, and the end of the headers too
    _refused_body_ended = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Wait for headers, but not for ever."""
        super().connection_made(transport)
        if len(self.connections) > self.settings.connections:
            self._refuse(503, "too many connections; come again in a second", b"retry-after: 1\r\n")
        else:
            self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is awaited any more."""
        self._headers_came()
        self._rest_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Headers without end are not read to their end."""
        self._refused_body_ended = False
        super().data_received(data)
        if self._headers_due is not None and not self._refused_body_ended:
            self._header_bytes += len(data)
            if self._header_bytes > _LONGEST_HEADERS and not self.transport.is_closing():
                self._refuse_headers()

    def on_message_begin(self) -> None:
        """Headers begin."""
        super().on_message_begin()
        self._header_size = 0
        self._await_headers()

    def on_url(self, url: bytes) -> None:
        """A part of the address, which counts among the headers."""
        self._measure(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """One more."""
        self._measure(len(name) + len(value))
        super().on_header(name, value)

    def _measure(self, size: int) -> None:
        self._header_size += size
        if self._header_size > _LONGEST_HEADERS:
            raise ValueError("the parser stops here")  # and says so to send_400_response

    def on_headers_complete(self) -> None:
        """Headers are there."""
        self._headers_came()
        super().on_headers_complete()

    def handle_websocket_upgrade(self) -> None:
        """From here on another protocol has the connection; with a request that opens none it would wait for ever."""
        super().handle_websocket_upgrade()
        if not getattr(self.transport.get_protocol(), "handshake_initiated", True):
            self._refuse(400, "the request does not open a WebSocket")

    def on_response_complete(self) -> None:
        """Who was refused may still be sending, and would not see why if we closed: we wait, but not for ever."""
        super().on_response_complete()
        if self.cycle.more_body and not self.transport.is_closing():
            self._rest_due = self.loop.call_later(self.settings.body_seconds, self.transport.close)

    def on_message_complete(self) -> None:
        """The body is there."""
        super().on_message_complete()
        if self._rest_due is not None:
            self._rest_came()
            self._await_headers()
            self._refused_body_ended = True  # so most of what was just read was no header

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP, or too much of it."""
        if self._header_size > _LONGEST_HEADERS:
            self._refuse_headers()
        else:
            self._refuse(400, msg)

    def _refuse_headers(self) -> None:
        self._refuse(431, f"the headers have more than {_LONGEST_HEADERS} bytes")

    def _await_headers(self) -> None:
        self._headers_came()
        self._headers_due = self.loop.call_later(self.settings.header_seconds, self._headers_late)

    def _headers_came(self) -> None:
        self._header_bytes = 0
        if self._headers_due is not None:
            self._headers_due.cancel()
            self._headers_due = None

    def _rest_came(self) -> None:
        if self._rest_due is not None:
            self._rest_due.cancel()
            self._rest_due = None

    def _headers_late(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._await_headers()  # the caller still waits for an earlier answer
        elif self._header_bytes == 0:
            self.transport.close()  # nothing was asked
        elif not self.transport.is_closing():
            self._refuse(408, f"the headers did not come within {self.settings.header_seconds:g} seconds")

    def _refuse(self, status: int, line: str, more: bytes = b"") -> None:
        body = json.dumps({"error": line}).encode()
        length = f"content-length: {len(body)}\r\n".encode()
        kind = b"content-type: application/json\r\nconnection: close\r\n"
        self.transport.write(b"".join((STATUS_LINE[status], kind, length, more, b"\r\n", body)))
        self.transport.close()
