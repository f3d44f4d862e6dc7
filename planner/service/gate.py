"""The outermost layer of the service: access, size limits, request ids, the log and the metrics."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
import re
import time
import uuid
from base64 import b64decode
from collections.abc import Collection, Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias
from urllib.parse import urlsplit

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from planner.errors import quote
from planner.service.server import Settings

if TYPE_CHECKING:
    from planner.service.plan_pool import PlanPool

Headers: TypeAlias = dict[bytes, bytes | None]
_log = logging.getLogger("planner.service")
_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LOCAL: Final = frozenset(("localhost", "127.0.0.1", "::1"))
_OPEN: Final = "/health"  # load balancers ask for it without a token
_CLIENT_GONE: Final = 499  # status in the log: the client left before the answer
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)  # seconds

BATCH: Final = "/plan/batch"
REVIEW: Final = "/review"
_MAX_DISCARDED: Final = 128_000_000  # bytes of a body that is too large
_MIN_COMPRESSED: Final = 1400  # bytes, which fit into one packet
_SECURITY: Final = {"x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer"}
_PAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>planner</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em">
<p role="alert" style="overflow-wrap: anywhere">{line}.</p><p><a href="/">Go to the table</a></p></body></html>
"""


class Metrics:
    """Counts requests by path and status, their duration, and the state of the workers."""

    def __init__(self, pool: PlanPool) -> None:
        self._pool = pool
        self.paths: Collection[str] = ()  # that have labels of their own
        self._registry = CollectorRegistry()
        labels = ("path", "status")
        self._requests = Counter("planner_requests", "Requests by path and status.", labels, registry=self._registry)
        self._seconds = Histogram(
            "planner_request_seconds",
            "From the headers to the answer.",
            ("path",),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._registry.register(self)

    def count(self, path: str, status: int, seconds: float) -> None:
        """Count a request. All other paths share one label, since clients can invent them."""
        label = path if path in self.paths else "other"
        self._requests.labels(label, str(status)).inc()
        self._seconds.labels(label).observe(seconds)

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of the worker pool, as the registry calls it."""
        pool = self._pool
        yield GaugeMetricFamily("planner_workers", "Worker processes that are ready or busy.", value=len(pool.workers))
        yield GaugeMetricFamily("planner_workers_busy", "Worker processes that plan a turn.", value=pool.busy)
        yield GaugeMetricFamily("planner_waiting", "Requests that wait for a worker.", value=pool.waiting)
        replaced = CounterMetricFamily("planner_workers_replaced", "Workers that were replaced.", labels=("why",))
        for reason, count in pool.replaced.items():
            replaced.add_metric((reason,), count)
        yield replaced

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry)


class Compression:
    """ASGI middleware that compresses answers, except those that are streamed line by line."""

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._compressed = app, GZipMiddleware(app, minimum_size=_MIN_COMPRESSED, compresslevel=4)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        app = self._app if scope["type"] != "http" or scope["path"] == BATCH else self._compressed
        await app(scope, receive, send)


class Gate:
    """ASGI middleware around the API and the pages."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._hosts = _LOCAL | {settings.host}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or one WebSocket of a page."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        headers = _read_headers(scope["headers"])
        denied = self._denied(scope, headers)
        if scope["type"] == "websocket":
            if denied is not None:
                await send({"type": "websocket.close", "code": 1008, "reason": denied[1][:100]})
                return None
            return await self._app(scope, receive, send)
        return await self._request(scope, receive, send, headers, denied)

    async def _request(
        self, scope: Scope, receive: Receive, send: Send, headers: Headers, denied: tuple[int, str] | None
    ) -> None:
        started, status = time.perf_counter(), _CLIENT_GONE
        sent_id = (headers.get(b"x-request-id") or b"").decode("latin-1")
        request_id = sent_id if _ID.fullmatch(sent_id) else uuid.uuid4().hex
        wants_html, is_answered = b"text/html" in (headers.get(b"accept") or b""), False
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}  # the server sends the headers of the answer without its body

        async def send_part(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                answer_headers = MutableHeaders(scope=message)
                _add_security(answer_headers)
                answer_headers["x-request-id"] = request_id
            await self._send(send, message)

        async def answer(message: Message) -> None:
            nonlocal is_answered
            if is_answered:
                return
            if message.get("status") == 404:  # the same words for programs and for people, whichever layer answered
                is_answered = True
                line = f"there is nothing at {quote(scope['path'])}"
                await (_html_error(404, line) if wants_html else _json_error(404, line))(scope, receive, send_part)
            else:
                await send_part(message)

        try:
            if denied is not None:
                await _json_error(*denied)(scope, receive, send_part)
            else:
                await self._app(scope, self._limit_body(scope, receive, headers), answer)
        except ClientDisconnect:
            status = _CLIENT_GONE
        finally:
            seconds = time.perf_counter() - started
            self._metrics.count(scope["path"], status, seconds)
            path = quote(scope["path"])[1:-1]  # escaped: a line break in a path must not start a second log line
            _log.info("%s %s %d %.1f ms id=%s", scope["method"], path, status, 1000 * seconds, request_id)

    async def _send(self, send: Send, message: Message) -> None:
        """Send a message; a client that does not read counts as disconnected."""
        try:
            async with asyncio.timeout(self._settings.send_seconds):
                await send(message)
        except TimeoutError:
            raise ClientDisconnect from None

    # -- access

    def _denied(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        """Return status and reason where the request must not pass."""
        host = headers.get(b"host")
        if self._settings.local and (host is None or _without_port(host) not in self._hosts):
            # DNS rebinding: a page of another site whose name resolves to this machine sends its own name.
            return 403, f"Host: must be a name of this machine, got {_quote_header(host)}"
        origin = headers.get(b"origin")
        if b"origin" in headers and not self._is_allowed_origin(origin, host):
            return 403, f"Origin: must be this site or one that --cors allows, got {_quote_header(origin)}"
        if self._settings.token and scope["path"] != _OPEN and not self._has_token(headers):
            return 401, "Authorization: a token is required: Authorization: Bearer TOKEN"
        return None

    def _is_allowed_origin(self, origin: bytes | None, host: bytes | None) -> bool:
        if origin is None or host is None:
            return False
        text = origin.decode("latin-1")
        try:
            return text in self._settings.cors or urlsplit(text).netloc.lower() == host.decode("latin-1").lower()
        except ValueError:
            return False

    def _has_token(self, headers: Headers) -> bool:
        """Check the token: sent as a bearer token, or as the password that a browser asks for."""
        scheme, _, token = (headers.get(b"authorization") or b"").partition(b" ")
        if scheme.lower() == b"basic":
            try:
                _, _, token = b64decode(token, validate=True).partition(b":")
            except ValueError:
                return False
        elif scheme.lower() != b"bearer":
            return False
        return hmac.compare_digest(token, self._settings.token.encode())

    # -- size and time limits

    def _limit_body(self, scope: Scope, receive: Receive, headers: Headers) -> Receive:
        """Wrap `receive` so that a body that is too large or too slow raises an HTTPException."""
        is_large = scope["path"] in (BATCH, REVIEW)
        limit = self._settings.max_batch_bytes if is_large else self._settings.max_body_bytes
        deadline = asyncio.get_running_loop().time() + self._settings.body_seconds
        announced = headers.get(b"content-length") or b"0"
        too_large = HTTPException(413, f"the body exceeds the size limit of {limit:,} bytes")
        received, more = 0, True
        ends_here = b"close" in (headers.get(b"connection") or b"").lower() or scope.get("http_version") == "1.0"

        async def next_part() -> Message:
            nonlocal received, more
            async with asyncio.timeout_at(deadline):
                message = await receive()
            received += len(message.get("body", b""))
            more = message.get("more_body", False)
            return message

        async def refuse() -> NoReturn:
            """Refuse the body; where the connection ends with the answer, a client must have sent all before it."""
            with contextlib.suppress(TimeoutError):
                while ends_here and more and received < limit + _MAX_DISCARDED:
                    await next_part()
            raise too_large

        async def limited() -> Message:
            if not more:  # only the end of the connection is still to come
                return await receive()
            if announced.isdigit() and int(announced) > limit:
                await refuse()
            try:
                message = await next_part()
            except TimeoutError:
                problem = f"the body did not arrive within {self._settings.body_seconds:g} s"
                raise HTTPException(408, problem, {"connection": "close"}) from None
            if received > limit:
                await refuse()
            return message

        return limited


def _add_security(headers: MutableHeaders) -> None:
    """Add the headers that keep a browser from guessing types, framing answers and running scripts in them."""
    is_page = headers.get("content-type", "").startswith("text/html")
    policy = "frame-ancestors 'none'" if is_page else "default-src 'none'; frame-ancestors 'none'"
    for name, value in (_SECURITY | {"content-security-policy": policy}).items():
        headers.setdefault(name, value)


def _read_headers(pairs: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return the headers of a request; the value of one that is sent twice is None."""
    headers: Headers = {}
    for name, value in pairs:
        headers[name] = None if name in headers else value
    return headers


def _without_port(host: bytes) -> str:
    match = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::\d{1,5})?", host.decode("latin-1"))
    return (match[1] or match[2]).lower() if match else ""


def _quote_header(value: bytes | None) -> str:
    return "none or two" if value is None else quote(value.decode("latin-1"))


def _html_error(status: int, line: str) -> HTMLResponse:
    """Return an error as a page for people, with a link to go on."""
    policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    page = _PAGE.format(line=escape(line[:1].upper() + line[1:]))
    return HTMLResponse(page, status, {"content-security-policy": policy})


class AsciiResponse(JSONResponse):
    """JSON in ASCII: a text from outside may hold what has no form in UTF-8."""

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def _json_error(status: int, line: str) -> JSONResponse:
    """Return an error as JSON."""
    response = AsciiResponse({"error": line}, status)
    if status == 401:
        # Two header lines: a browser reads one challenge in each.
        response.headers.append("www-authenticate", 'Basic realm="planner: the token is the password"')
        response.headers.append("www-authenticate", "Bearer")
    return response
