"""The files of the web client: read once, compressed once, and sent without any work per visitor.

All files but the page itself have an address that contains a digest of the whole client, so a browser keeps them until
the client changes. Modules import each other by relative paths and need no build step.
"""

from __future__ import annotations

import gzip
import mimetypes
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER: Final = Path(__file__).with_name("client")
PREFIX: Final = "/client/"
# The addresses of pages. The client reads the rest of the address itself.
PAGES: Final = ("/", "/analysis", "/play", "/review", "/tournaments", "/library", "/api", "/docs", "/table/{table}")
_DIGEST_MARK: Final = b"DIGEST"  # in index.html, where the digest belongs
_TYPES: Final = {".js": "text/javascript", ".svg": "image/svg+xml"}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class ClientFile:
    """ASGI application that sends one file."""

    def __init__(self, name: str, body: bytes, version: str, caching: str) -> None:
        kind = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0]
        headers = {
            "cache-control": caching,
            "etag": f'"{version}"',
            "vary": "accept-encoding",
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
        }
        if kind == "text/html":
            headers["content-security-policy"] = _POLICY
        self._tag = headers["etag"]
        self._plain = Response(body, 200, headers, kind)
        self._compressed = Response(gzip.compress(body, mtime=0), 200, headers | {"content-encoding": "gzip"}, kind)
        self._unchanged = Response(None, 304, headers, kind)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file, or that it is the one which the browser has."""
        request = Headers(scope=scope)
        is_compressed = "gzip" in request.get("accept-encoding", "")
        response = self._compressed if is_compressed else self._plain
        if request.get("if-none-match") == self._tag:
            response = self._unchanged
        await response(scope, receive, send)


class ClientFiles:
    """ASGI middleware that answers requests for the files of pages.

    They are the same for all and contain no secret, so they come before the access rules, the log and the metrics: a
    first visit asks for fifteen of them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._files = app, client_files()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a file."""
        is_read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if is_read and scope["path"].startswith(PREFIX) and (file := self._files.get(scope["path"])):
            await file(scope, receive, send)
        else:
            await self._app(scope, receive, send)


@cache
def client_files() -> dict[str, ClientFile]:
    """Return each file by its address; `/` is the page, whose script shows what belongs to an address."""
    return dict(_read_files(FOLDER))


def _read_files(folder: Path) -> Iterator[tuple[str, ClientFile]]:
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.*"))}
    digest = sha256()
    for name, content in contents.items():
        digest.update(name.encode() + b"\0" + content + b"\0")
    version = digest.hexdigest()[:12]
    for name, content in contents.items():
        if name == "index.html":
            yield "/", ClientFile(name, content.replace(_DIGEST_MARK, version.encode()), version, "no-cache")
        else:
            caching = "public, max-age=31536000, immutable"
            yield f"{PREFIX}{version}/{name}", ClientFile(name, content, version, caching)
