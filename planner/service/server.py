"""The server: its settings, and uvicorn with limits on connections and headers."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from planner.errors import PlannerError, quote
from planner.processes import available_cores
from planner.service.address_limits import UNLIMITED, AddressLimits, read_proxies

_MAX_HEADER_BYTES: Final = 65_536
_MAX_SOCKET_BYTES: Final = 65_536  # of one message; the default would let every visitor fill 16 MB
_MAX_SOCKET_QUEUE: Final = 4  # messages of a connection that wait until they are read
_SHUTDOWN_SECONDS: Final = 10.0  # beyond the time limit, for running requests when the server stops


@dataclass(frozen=True)
class Settings:
    """What the operator decides about a server. Unsafe settings raise a PlannerError."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=available_cores)
    queue: int = 256  # requests that may wait for a worker; further ones get 503
    time_limit: float = 10.0  # seconds for one plan; a request can only ask for less
    token: str = ""
    cors: tuple[str, ...] = ()  # origins of other sites whose pages may send requests
    max_body_bytes: int = 1_000_000
    max_batch_bytes: int = 16_000_000
    body_seconds: float = 10.0  # for a whole body to arrive
    header_seconds: float = 5.0
    send_seconds: float = 30.0  # for a client to read a part of an answer
    connections: int = 1000
    worker_memory: int = 1_000_000_000  # bytes; a worker that uses more is replaced after its answer
    journal: Path | None = None  # of the tables; None keeps them only as long as the server runs
    proxies: tuple[str, ...] = ()  # addresses or networks of reverse proxies: they name the client's address
    address_connections: int = 200  # of one client address; this machine itself is not limited
    address_messages: float = 200.0  # of all connections of one address, in each second; twice as many at once
    address_tables: int = 100  # made from one address, and not over
    tables_per_player: int = 5  # that are not over
    max_tables: int = 2000  # that are not over
    open_seconds: float = 3600.0  # after which a table that has not started is closed
    idle_seconds: float = 86_400.0  # after which a match without a move is closed
    keep_seconds: float = 30 * 86_400.0  # after which a finished match is deleted; its result stays
    agent_pause: float = 0.4  # seconds before each action of an agent, so that people can follow

    def __post_init__(self) -> None:
        if not self.local and not self.token:
            raise PlannerError(f"--host: {quote(self.host)} can be reached from other machines and needs a --token")
        if self.token and (len(self.token) < 16 or not self.token.isascii() or not self.token.isprintable()):
            raise PlannerError("--token: must be at least 16 printable ASCII characters; try `openssl rand -hex 16`")
        for origin in self.cors:
            scheme, _, host = origin.partition("://")
            if scheme not in ("http", "https") or not host or "/" in host:
                raise PlannerError(f"--cors: must be an origin such as https://example.org, got {quote(origin)}")
        read_proxies(self.proxies)
        if self.journal is not None and self.journal.is_dir():
            raise PlannerError(f"--journal: {self.journal}: is a folder, not a file")

    @property
    def local(self) -> bool:
        """Return whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def run_server(app: FastAPI, on_ready: Callable[[str], None]) -> None:
    """Serve until a signal arrives; `on_ready` gets the address. Running requests are answered before the end."""
    settings: Settings = app.state.settings
    listening = _listen(settings.host, settings.port)
    host, port = listening.getsockname()[:2]
    config = uvicorn.Config(
        app,
        http=type("_Connection", (Connection,), {"settings": settings, "limits": app.state.limits}),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws_max_size=_MAX_SOCKET_BYTES,
        ws_max_queue=_MAX_SOCKET_QUEUE,
        timeout_graceful_shutdown=int(settings.time_limit + _SHUTDOWN_SECONDS),
    )
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    # uvicorn shuts down gracefully and then raises the signal again, which would look like a crash.
    signal.signal(signal.SIGTERM, lambda *_: None)
    with listening:
        server = _Server(config, lambda: on_ready(address))
        server.run(sockets=[listening])
    if not server.started:
        raise PlannerError("serve: the server did not start; the lines above say why")


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_ready()


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
    """A connection with limits on the size and the arrival time of headers; its errors look like all others."""

    settings: Settings
    limits: AddressLimits
    _address: str = UNLIMITED
    _header_timer: asyncio.TimerHandle | None = None
    _body_timer: asyncio.TimerHandle | None = None
    _received_bytes = 0  # since the last complete headers
    _header_bytes = 0  # of the headers parsed so far: a single read can hold oversized headers and their end
    _ended_refused_body = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Start the header timer, or refuse a connection too many."""
        super().connection_made(transport)
        if len(self.connections) > self.settings.connections or not self._enter():
            self._refuse(503, "too many connections, retry in 1 s", b"retry-after: 1\r\n")
        else:
            self._start_header_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timers."""
        self._leave()
        self._stop_header_timer()
        self._stop_body_timer()
        super().connection_lost(exc)

    def _enter(self) -> bool:
        """Count the connection for the client's address; one from a proxy carries the requests of many clients."""
        peer = self.client[0] if self.client else ""
        if not self.limits.is_from_proxy(peer):
            self._address = self.limits.client_address(peer)
        return self._address == UNLIMITED or self.limits.enter(self._address)

    def _leave(self) -> None:
        if self._address != UNLIMITED:
            self.limits.leave(self._address)
            self._address = UNLIMITED

    def data_received(self, data: bytes) -> None:
        """Refuse headers that grow beyond the limit before they end."""
        self._ended_refused_body = False
        super().data_received(data)
        if self._header_timer is not None and not self._ended_refused_body:
            self._received_bytes += len(data)
            if self._received_bytes > _MAX_HEADER_BYTES and not self.transport.is_closing():
                self._refuse_headers()

    def on_message_begin(self) -> None:
        """Restart the header timer for the next request."""
        super().on_message_begin()
        self._header_bytes = 0
        self._start_header_timer()

    def on_url(self, url: bytes) -> None:
        """Count the address among the headers."""
        self._count_header_bytes(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header."""
        self._count_header_bytes(len(name) + len(value))
        super().on_header(name, value)

    def _count_header_bytes(self, size: int) -> None:
        self._header_bytes += size
        if self._header_bytes > _MAX_HEADER_BYTES:
            raise ValueError("headers too large")  # makes the parser call send_400_response

    def on_headers_complete(self) -> None:
        """Stop the header timer."""
        self._stop_header_timer()
        super().on_headers_complete()

    def handle_websocket_upgrade(self) -> None:
        """Hand the connection to the WebSocket protocol; refuse a request that does not open one, or it would hang."""
        super().handle_websocket_upgrade()
        self._leave()  # the WebSocket is counted from now on
        if not getattr(self.transport.get_protocol(), "handshake_initiated", True):
            self._refuse(400, "the request does not open a WebSocket")

    def on_response_complete(self) -> None:
        """Let a client that was refused finish sending, within a limit: closing at once would hide the reason."""
        super().on_response_complete()
        if self.cycle.more_body and not self.transport.is_closing():
            self._body_timer = self.loop.call_later(self.settings.body_seconds, self.transport.close)

    def on_message_complete(self) -> None:
        """Wait for the next headers after the body of a refused request."""
        super().on_message_complete()
        if self._body_timer is not None:
            self._stop_body_timer()
            self._start_header_timer()
            self._ended_refused_body = True  # most of the data just read was body, not headers

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP and oversized headers."""
        if self._header_bytes > _MAX_HEADER_BYTES:
            self._refuse_headers()
        else:
            self._refuse(400, msg)

    def _refuse_headers(self) -> None:
        self._refuse(431, f"the headers exceed the size limit of {_MAX_HEADER_BYTES:,} bytes")

    def _start_header_timer(self) -> None:
        self._stop_header_timer()
        self._header_timer = self.loop.call_later(self.settings.header_seconds, self._headers_late)

    def _stop_header_timer(self) -> None:
        self._received_bytes = 0
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _stop_body_timer(self) -> None:
        if self._body_timer is not None:
            self._body_timer.cancel()
            self._body_timer = None

    def _headers_late(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._start_header_timer()  # the client still waits for an earlier answer
        elif self._received_bytes == 0:
            self.transport.close()  # an unused connection
        elif not self.transport.is_closing():
            self._refuse(408, f"the headers did not arrive within {self.settings.header_seconds:g} s")

    def _refuse(self, status: int, line: str, more: bytes = b"") -> None:
        body = json.dumps({"error": line}).encode()
        length = f"content-length: {len(body)}\r\n".encode()
        kind = b"content-type: application/json\r\nconnection: close\r\n"
        self.transport.write(b"".join((STATUS_LINE[status], kind, length, more, b"\r\n", body)))
        self.transport.close()
