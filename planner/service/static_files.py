"""The files of the web client: read once, compressed once, and sent without any work per visitor.

All files but the page itself have an address that contains a digest of the whole client, so a browser keeps them until
the client changes. Modules import each other by relative paths and need no build step.
"""

from __future__ import annotations

import gzip
import mimetypes
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from starlette.types import ASGIApp, Receive, Scope, Send

FOLDER: Final = Path(__file__).with_name("client")
PREFIX: Final = "/client/"
# The addresses of pages. The client reads the rest of the address itself.
PAGES: Final = ("/", "/analysis", "/play", "/review", "/tournaments", "/library", "/api")
TABLE_PAGE: Final = "/table/"  # followed by the id of a table
_DIGEST_MARK: Final = b"DIGEST"  # in index.html, where the digest belongs
_MIN_COMPRESSED: Final = 500  # bytes; compressing less saves nothing
_TYPES: Final = {".js": "text/javascript", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json"}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class _File(NamedTuple):
    headers: list[tuple[bytes, bytes]]
    body: bytes
    compressed: bytes | None


class StaticClient:
    """ASGI middleware that answers requests for the client, and passes all others on."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._files = dict(_read_files(FOLDER))
        self._page = self._files.pop("/")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a page or a file."""
        file = self._file(scope["path"]) if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") else None
        if file is None:
            return await self._app(scope, receive, send)
        request = dict(scope["headers"])
        headers, body = file.headers, file.body
        if file.compressed is not None and b"gzip" in request.get(b"accept-encoding", b""):
            headers, body = [*headers, (b"content-encoding", b"gzip")], file.compressed
        status = 200
        if request.get(b"if-none-match") == dict(headers)[b"etag"]:
            status, body = 304, b""
        else:
            headers = [*headers, (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
        return None

    def _file(self, path: str) -> _File | None:
        if path in PAGES or (path.startswith(TABLE_PAGE) and "/" not in path[len(TABLE_PAGE) :]):
            return self._page
        return self._files.get(path)


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
    headers = [
        (b"content-type", f"{kind}{charset}".encode()),
        (b"cache-control", caching),
        (b"etag", f'"{version}"'.encode()),
        (b"vary", b"accept-encoding"),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
    ]
    if kind == "text/html":
        headers.append((b"content-security-policy", _POLICY.encode()))
    compressed = gzip.compress(body, mtime=0) if len(body) >= _MIN_COMPRESSED and kind != "image/png" else None
    return _File(headers, body, compressed)
