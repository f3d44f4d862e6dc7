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
from typing import Final, NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER: Final = Path(__file__).with_name("client")
PREFIX: Final = "/client/"
# The addresses of pages. The client reads the rest of the address itself.
PAGES: Final = ("/", "/analysis", "/play", "/review", "/tournaments", "/library", "/api", "/docs", "/table/{table}")
_DIGEST_MARK: Final = b"DIGEST"  # in index.html, where the digest belongs
_MIN_COMPRESSED: Final = 500  # bytes; compressing less saves nothing
_TYPES: Final = {".js": "text/javascript", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class _File(NamedTuple):
    tag: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes
    compressed: bytes | None


class ClientPage:
    """ASGI application that sends the page, whose script shows what belongs to the address."""

    def __init__(self) -> None:
        self._page = _client()["/"]

    async def __call__(self, scope: Scope, _: Receive, send: Send) -> None:
        """Send the page."""
        await _send_file(self._page, scope, send)


class ClientFiles:
    """ASGI middleware that answers requests for the files of pages.

    They are the same for all and contain no secret, so they come before the access rules, the log and the metrics: a
    first visit asks for fifteen of them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app, self._files = app, _client()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a file."""
        is_read = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if is_read and scope["path"].startswith(PREFIX) and (file := self._files.get(scope["path"])):
            await _send_file(file, scope, send)
        else:
            await self._app(scope, receive, send)


async def _send_file(file: _File, scope: Scope, send: Send) -> None:
    request = dict(scope["headers"])
    headers, body = file.headers, file.body
    if file.compressed is not None and b"gzip" in request.get(b"accept-encoding", b""):
        headers, body = [*headers, (b"content-encoding", b"gzip")], file.compressed
    status = 200
    if request.get(b"if-none-match") == file.tag:
        status, body = 304, b""
    else:
        headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


@cache
def _client() -> dict[str, _File]:
    return dict(_read_files(FOLDER))


def _read_files(folder: Path) -> Iterator[tuple[str, _File]]:
    """Yield each file with its address; the page comes as `/`."""
    contents = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.*"))}
    digest = sha256()
    for name, content in contents.items():
        digest.update(name.encode() + b"\0" + content + b"\0")
    version = digest.hexdigest()[:12]
    for name, content in contents.items():
        if name == "index.html":
            yield "/", _file(name, content.replace(_DIGEST_MARK, version.encode()), version, b"no-cache")
        else:
            yield f"{PREFIX}{version}/{name}", _file(name, content, version, b"public, max-age=31536000, immutable")


def _file(name: str, body: bytes, version: str, caching: bytes) -> _File:
    kind = _TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    charset = "; charset=utf-8" if kind.startswith("text/") else ""
    tag = f'"{version}"'.encode()
    headers = [
        (b"content-type", f"{kind}{charset}".encode()),
        (b"cache-control", caching),
        (b"etag", tag),
        (b"vary", b"accept-encoding"),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
    ]
    if kind == "text/html":
        headers.append((b"content-security-policy", _POLICY.encode()))
    compressed = gzip.compress(body, mtime=0) if len(body) >= _MIN_COMPRESSED and kind != "image/png" else None
    return _File(tag, headers, body, compressed)
