"""What every request passes: who may ask, how much may come in, an id, a line in the log, the numbers for /metrics."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import re
import time
import uuid
from base64 import b64decode
from collections.abc import Iterable
from html import escape
from typing import Final
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from planner.errors import quote
from planner.service.metrics import Metrics
from planner.service.settings import Settings

_log = logging.getLogger("planner.service")
_ID: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_LOCAL: Final = frozenset(("localhost", "127.0.0.1", "::1"))
_OPEN: Final = "/health"  # what a load balancer asks, without a token
_GONE: Final = 499  # in the log: the caller went away before the answer

BATCH: Final = "/plan/batch"
_PAGE: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>planner</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em">
<p role="alert" style="overflow-wrap: anywhere">{line}.</p><p><a href="/">To the table</a></p></body></html>
"""


class Gate:
    """The outermost layer, around the API and the pages."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._names = _LOCAL | {settings.host}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or one connection of a page."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        headers = Headers(scope["headers"])
        refused = self._refusal(scope, headers)
        if scope["type"] == "websocket":
            if refused is not None:
                await send({"type": "websocket.close", "code": 1008, "reason": refused[1][:100]})
                return None
            return await self._app(scope, receive, send)
        return await self._request(scope, receive, send, headers, refused)

    async def _request(
        self, scope: Scope, receive: Receive, send: Send, headers: Headers, refused: tuple[int, str] | None
    ) -> None:
        began, status = time.perf_counter(), _GONE
        given = headers.one(b"x-request-id") or b""
        name = given if _ID.fullmatch(given) else uuid.uuid4().hex.encode()

        for_people, is_told = b"text/html" in (headers.one(b"accept") or b""), False

        async def answer(message: Message) -> None:
            nonlocal status, is_told
            if is_told:
                return
            if message["type"] == "http.response.start":
                status = message["status"]
                rest: list[Message] = []
                if status == 404:  # in our own words, for programs and for people
                    line = f"there is nothing at {quote(scope['path'])}"
                    message, *rest = _page(404, line) if for_people else _error(404, line)
                    is_told = True
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", name)]
                for one in (message, *rest):
                    await self._send(send, one)
            else:
                await self._send(send, message)

        try:
            if refused is not None:
                for message in _error(*refused):
                    await answer(message)
            else:
                await self._app(scope, self._bounded(scope, receive, headers), answer)
        except ClientDisconnect:
            status = _GONE
        finally:
            seconds = time.perf_counter() - began
            self._metrics.saw(scope["path"], status, seconds)
            path = quote(scope["path"])[1:-1]  # without signs that would make a second line
            _log.info("%s %s %d %.1f ms id=%s", scope["method"], path, status, 1000 * seconds, name.decode())

    async def _send(self, send: Send, message: Message) -> None:
        """Send as fast as the caller reads; who does not read has gone."""
        try:
            async with asyncio.timeout(self._settings.send_seconds):
                await send(message)
        except TimeoutError:
            raise ClientDisconnect from None

    # -- who may ask

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        host = headers.one(b"host")
        if self._settings.local and (host is None or _name_of(host) not in self._names):
            # A page of another site whose name was made to lead here (DNS rebinding) says its own name.
            return 403, f"Host: {_shown(host)} is not a name of this machine"
        origin = headers.one(b"origin")
        if b"origin" in headers and not self._is_friend(origin, host):
            return 403, f"Origin: {_shown(origin)} is another site; the server was not started with it as --cors"
        if self._settings.token and scope["path"] != _OPEN and not self._has_token(headers):
            return 401, "Authorization: a token is needed: Authorization: Bearer TOKEN"
        return None

    def _is_friend(self, origin: bytes | None, host: bytes | None) -> bool:
        if origin is None or host is None:
            return False
        text = origin.decode("latin-1")
        try:
            return text in self._settings.cors or urlsplit(text).netloc.lower() == host.decode("latin-1").lower()
        except ValueError:
            return False

    def _has_token(self, headers: Headers) -> bool:
        """As a program sends it, or as the password that a browser asks its user for."""
        kind, _, given = (headers.one(b"authorization") or b"").partition(b" ")
        if kind.lower() == b"basic":
            try:
                _, _, given = b64decode(given, validate=True).partition(b":")
            except ValueError:
                return False
        elif kind.lower() != b"bearer":
            return False
        return hmac.compare_digest(given, self._settings.token.encode())

    # -- how much may come in

    def _bounded(self, scope: Scope, receive: Receive, headers: Headers) -> Receive:
        most = self._settings.longest_batch if scope["path"] == BATCH else self._settings.longest_body
        deadline = asyncio.get_running_loop().time() + self._settings.body_seconds
        announced = headers.one(b"content-length") or b"0"
        too_large = HTTPException(413, f"the body has more than {most} bytes")
        came, more = 0, True

        async def bounded() -> Message:
            nonlocal came, more
            if not more:  # only the end of the connection is still to come
                return await receive()
            if announced.isdigit() and int(announced) > most:
                raise too_large
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                seconds = self._settings.body_seconds
                problem = f"the body did not come within {seconds:g} seconds"
                raise HTTPException(408, problem, {"connection": "close"}) from None
            came += len(message.get("body", b""))
            more = message.get("more_body", False)
            if came > most:
                raise too_large
            return message

        return bounded


class Headers:
    """The headers of a request: who says a thing twice has not said it."""

    def __init__(self, given: Iterable[tuple[bytes, bytes]]) -> None:
        self._found: dict[bytes, bytes | None] = {}
        for name, value in given:
            self._found[name] = None if name in self._found else value

    def __contains__(self, name: bytes) -> bool:
        return name in self._found

    def one(self, name: bytes) -> bytes | None:
        """Its value; None where there is none, or two."""
        return self._found.get(name)


def _name_of(host: bytes) -> str:
    """The host without its port."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:\[\]]+))(?::\d{1,5})?", host.decode("latin-1"))
    return (found[1] or found[2]).lower() if found else ""


def _shown(value: bytes | None) -> str:
    return "nothing" if value is None else quote(value.decode("latin-1"))


def _page(status: int, line: str) -> tuple[Message, Message]:
    """A refusal for people: with a way on."""
    body = _PAGE.format(line=escape(line[:1].upper() + line[1:])).encode()
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    headers.append((b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'"))
    start = {"type": "http.response.start", "status": status, "headers": headers}
    return start, {"type": "http.response.body", "body": body}


def _error(status: int, line: str) -> tuple[Message, Message]:
    """The two messages of a refusal that the app has no part in."""
    body = json.dumps({"error": line}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        # Two lines: a browser reads one challenge in each.
        headers.append((b"www-authenticate", b'Basic realm="planner: the token is the password"'))
        headers.append((b"www-authenticate", b"Bearer"))
    start = {"type": "http.response.start", "status": status, "headers": headers}
    return start, {"type": "http.response.body", "body": body}
