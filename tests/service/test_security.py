"""Hostile clients: no token, too much data, slow senders, tricks in headers and names."""

from __future__ import annotations

import json
import re
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from planner.cli import main
from planner.errors import PlannerError
from planner.service.app import MAX_BATCH_LINES
from planner.service.server import Settings
from tests.service.conftest import LETHAL, Served, served, served_bare

TOKEN = "0123456789abcdef-a-token"
PATHS = ["/plan", "/plan/batch", "/weights", "/decks", "/cards", "/solvers", "/metrics", "/openapi.json", "/docs", "/x"]


def raw(server: Served, data: bytes, seconds: float = 15) -> bytes:
    """Send these bytes and return the answer until the server closes the connection or stops sending."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as one:
        one.sendall(data)
        found = b""
        try:
            while part := one.recv(65536):
                found += part
        except (TimeoutError, ConnectionResetError):
            pass
        return found


def status(answer: bytes) -> int:
    return int(answer.split()[1]) if answer else 0


def get(path: str = "/health", *headers: str, version: str = "1.1") -> bytes:
    return "\r\n".join([f"GET {path} HTTP/{version}", *headers, "Connection: close", "", ""]).encode("latin-1")


def upgrade(method: str, *headers: str) -> bytes:
    given = [f"{method} / HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket", *headers]
    return "\r\n".join([*given, "", ""]).encode("latin-1")


# -- tokens


@pytest.fixture(scope="module")
def guarded() -> Iterator[Served]:
    """A server that others can reach; its token comes from the environment, so that process lists do not show it."""
    options = ("--host", "0.0.0.0", "--workers", "1", "--cors", "https://friend.example")
    with served(*options, PLANNER_TOKEN=TOKEN) as found:
        found.client.base_url = httpx.URL(f"http://127.0.0.1:{found.port}/")
        yield found


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "given",
    [
        *(None, "", "Bearer", "Bearer wrong", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Bearer  {TOKEN}", TOKEN),
        *(f"Basic {TOKEN}", "Basic eDp5", "Basic \xff", "Basic"),
    ],
)
def test_a_missing_or_wrong_token(guarded: Served, path: str, given: str | None) -> None:
    headers = {} if given is None else {"authorization": given.encode("latin-1")}
    answer = guarded.client.request("POST" if "plan" in path else "GET", path, headers=headers)
    assert answer.status_code == 401
    basic, bearer = answer.headers.get_list("www-authenticate")  # a browser reads one challenge a line
    assert (basic.split()[0], bearer) == ("Basic", "Bearer")
    assert list(answer.json()) == ["error"]
    assert TOKEN not in answer.text


def test_the_right_token(guarded: Served) -> None:
    mine = {"authorization": f"Bearer {TOKEN}"}
    assert guarded.client.post("/plan", json={"state": LETHAL}, headers=mine).status_code == 200
    assert guarded.client.get("/decks", auth=("anybody", TOKEN)).status_code == 200  # as a browser sends it
    assert guarded.client.get("/health").status_code == 200  # for load balancers
    assert guarded.client.get("/openapi.json", headers=mine).json()["security"] == [{"token": []}]
    twice = get("/decks", "Host: x", f"Authorization: Bearer {TOKEN}", "Authorization: Bearer other")
    assert status(raw(guarded, twice)) == 401
    assert TOKEN not in " ".join(p for w in guarded.workers() for p in w.cmdline())


def test_other_sites(guarded: Served) -> None:
    mine = {"authorization": f"Bearer {TOKEN}"}
    friend, foe = "https://friend.example", "https://foe.example"
    answer = guarded.client.get("/decks", headers={**mine, "origin": friend})
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, friend)
    answer = guarded.client.get("/decks", headers={**mine, "origin": foe})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "authorization"}
    assert guarded.client.options("/plan", headers={**asked, "origin": friend}).status_code == 200
    assert guarded.client.options("/plan", headers={**asked, "origin": foe}).status_code in (400, 403)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"host": "0.0.0.0"}, "needs a --token"),
        ({"host": "::"}, "needs a --token"),
        ({"host": "example.org"}, "needs a --token"),
        ({"token": "short"}, "at least 16 printable"),
        ({"token": "x" * 20 + "\n"}, "at least 16 printable"),
        ({"cors": ("*",)}, "must be an origin"),
        ({"cors": ("https://a.example/path",)}, "must be an origin"),
    ],
)
def test_unsafe_settings_are_errors(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(PlannerError, match=problem):
        Settings(**given)


def test_errors_of_the_command_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert main(["serve", "--host", "0.0.0.0"]) == 2
    assert main(["serve", "--host", "no such host"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "Address already in use" in lines[0]


# -- names of this machine


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "LOCALHOST:8000", "[::1]:80", "127.0.0.1:1"])
def test_names_of_this_machine(running: Served, host: str) -> None:
    assert status(raw(running, get("/health", f"Host: {host}"))) == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost@evil", "", "[::1", "a:b:c"]
)
def test_dns_rebinding_is_refused(running: Served, host: str) -> None:
    answer = raw(running, get("/health", f"Host: {host}"))
    assert status(answer) in (400, 403)
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]


@pytest.mark.parametrize(
    ("request_", "right"),
    [
        (get("/health"), {400, 403}),  # no host
        (get("/health", version="1.0"), {403}),
        (get("/health", "Host: localhost", "Host: evil.example"), {400, 403}),
        (get("/health", "Host: localhost", "Origin: null"), {403}),
        (get("/health", "Host: localhost", "Origin: http://evil.example"), {403}),
        (get("/health", "Host: localhost", "Origin: http://localhost"), {200}),
        (get("/health", "Host: localhost", "X-Request-ID: a\tb"), {200}),
        (get("/health", "Host: localhost", "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Host: evil"), {200}),
        (get("/health", "Host: localhost", "X: \x00"), {400}),
        (get("/health", "Host: localhost", " folded: x"), {400, 200}),
        (get("//evil.example/health", "Host: localhost"), {404}),
        (get("http://evil.example/health", "Host: localhost"), {200, 403, 404}),
        (get("/%00", "Host: localhost"), {404}),
        (get("/../../etc/passwd", "Host: localhost"), {404}),
        (get("/decks/..%2f..%2fetc%2fpasswd", "Host: localhost"), {404}),
        (get("/\xff", "Host: localhost"), {400, 404}),
        (get("/" + "a" * 70_000, "Host: localhost"), {400, 414, 431}),
        (get("/cards?q=%ff%00%0a", "Host: localhost"), {200}),
        (get("/cards?q=" + "a" * 300, "Host: localhost"), {422}),
        (get("/weights?game=../../etc/passwd%00", "Host: localhost"), {422}),
        (get("/weights?game=os:system", "Host: localhost"), {422}),
        (b"\x16\x03\x01\x02\x00\x01\x00", {400}),
        (b"GET\r\n\r\n", {400}),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", {400, 404}),
        (b"POST /plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n{}", {400}),
        (b"POST /plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n{}", {400, 413}),
        (
            b"POST /plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            {400},
        ),
        (b"POST /plan HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", {400}),
        (b"POST /plan HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n{}", {400, 422}),
        (upgrade("GET"), {400}),  # without a key
        (upgrade("POST"), {405}),
        (upgrade("GET", "Content-Length: 9"), {400}),
        (upgrade("GET", *(f"X-{number}: y" for number in range(300))), {400}),
    ],
)
def test_tricks_in_headers_and_paths(running: Served, request_: bytes, right: set[int]) -> None:
    assert status(raw(running, request_, 2)) in right
    assert running.client.get("/health").status_code == 200


@pytest.mark.parametrize("path", ["/forged%00%1b%0d" + 1000 * "a", "/%0a2026-11-17%20forged"])
def test_a_path_is_escaped_and_shortened_in_the_log(running: Served, path: str) -> None:
    size = running.log.stat().st_size
    assert status(raw(running, get(path, "Host: localhost"), 5)) == 404
    limit = time.monotonic() + 10
    while b" 404 " not in (written := running.log.read_bytes()[size:]) and time.monotonic() < limit:
        time.sleep(0.01)
    lines = written.decode().splitlines()
    assert any("forged" in line for line in lines)
    for line in lines:
        assert re.match(r"\d{4}-\d\d-\d\d [\d:,]+ (INFO|WARNING) ", line)
        assert line.isprintable()
        assert len(line) < 300


# -- how much, and how slowly


def test_a_body_that_is_too_large(running: Served) -> None:
    announced = b"POST /plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000001\r\n\r\n"
    assert status(raw(running, announced, 2)) == 413
    again = announced + b"x" * 1_000_001 + get("/health", "Host: localhost")  # the connection goes on
    assert re.findall(rb"HTTP/1.1 (\d+)", raw(running, again)) == [b"413", b"200"]
    chunk = b"ffff\r\n" + b"x" * 0xFFFF + b"\r\n"
    chunked = b"POST /plan HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + 17 * chunk
    assert status(raw(running, chunked, 2)) == 413
    answer = running.client.post("/plan", content=b" " * 1_000_001)
    assert (answer.status_code, answer.json()) == (413, {"error": "the body exceeds the size limit of 1,000,000 bytes"})
    assert running.client.post("/plan", content=b" " * 1_000_000).status_code == 422
    line = running.client.post("/plan/batch", content=b'"' + b"x" * 1_500_000 + b'"\n{}').text
    assert len(line.splitlines()) == 2


@pytest.mark.parametrize("size", [2_000_000, 20_000_000])
def test_a_client_that_closes_the_connection_sees_why_its_body_is_refused(running: Served, size: int) -> None:
    request = urllib.request.Request(f"{running.url}plan", data=b"x" * size)  # urllib sends Connection: close
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=30)
    assert caught.value.code == 413
    assert b"the body exceeds the size limit" in caught.value.read()


def test_head_has_the_headers_of_get_and_no_body(server: httpx.Client) -> None:
    for path in ("/health", "/weights", "/openapi.json", "/tables"):
        head, get = server.head(path), server.get(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"] == get.headers["content-type"]
    assert server.head("/plan").status_code == 405


def test_security_headers_and_compression(server: httpx.Client) -> None:
    for path in ("/health", "/weights", "/nothing", "/docs", "/play"):
        headers = server.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in headers["content-security-policy"], path
    large = server.get("/cards")
    assert large.headers["content-encoding"] == "gzip"
    assert int(large.headers["content-length"]) < len(large.content) / 3
    assert "content-encoding" not in server.get("/cards", headers={"accept-encoding": "identity"}).headers
    assert "content-encoding" not in server.get("/health").headers


def test_a_batch_of_too_many_lines(server: httpx.Client) -> None:
    answer = server.post("/plan/batch", content=b"\n" * MAX_BATCH_LINES)
    assert (answer.status_code, list(answer.json())) == (413, ["error"])
    assert server.post("/plan/batch", content=b"\n" * (MAX_BATCH_LINES - 1) + b"1").text.count("\n") == 1


def test_a_client_that_does_not_read_is_disconnected() -> None:
    with served_bare("workers=1, send_seconds=0.5") as server:
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", server.port))
            deaf.settimeout(30)
            many = b"GET /cards?tokens=true HTTP/1.1\r\nHost: localhost\r\n\r\n" * 300
            deaf.sendall(many)
            time.sleep(3)
            heard = 0
            try:
                while part := deaf.recv(65536):
                    heard += len(part)
            except ConnectionResetError:
                pass
        whole = len(server.client.get("/cards?tokens=true").content)
        assert heard < 300 * whole


def test_endless_headers(running: Served) -> None:
    many = "\r\n".join(["GET /health HTTP/1.1", "Host: localhost", *(f"X-{n}: {'y' * 100}" for n in range(3000))])
    assert status(raw(running, many.encode())) in (0, 431)  # 0: closed while the client was still sending


@pytest.mark.parametrize("lines", [600, 1])
def test_oversized_headers_in_one_read(running: Served, lines: int) -> None:
    """The headers and their end arrive in a single read."""
    each = "y" * (66_000 // lines)
    whole = get("/health", "Host: localhost", *(f"X-{number}: {each}" for number in range(lines)))
    assert len(whole) < 100_000
    answer = raw(running, whole)
    assert status(answer) == 431
    assert json.loads(answer.partition(b"\r\n\r\n")[2]) == {
        "error": "the headers exceed the size limit of 65,536 bytes"
    }
    just = get("/health", "Host: localhost", f"X: {'y' * 65_000}")
    assert status(raw(running, just, 2)) == 200


def test_slow_senders_are_disconnected_and_block_no_others() -> None:
    with served_bare("workers=1, header_seconds=1.5, body_seconds=3, connections=40") as server:
        head = b"POST /plan HTTP/1.1\r\nHost: localhost\r\n"
        began = time.monotonic()
        slow = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(30)]
        for number, one in enumerate(slow):
            one.sendall(head if number % 2 else head + b"Content-Length: 100\r\n\r\n{")
        assert server.client.post("/plan", json={"state": LETHAL}).status_code == 200
        assert time.monotonic() - began < 2.9
        refused = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        refused.sendall(head + b"Content-Length: 9999999\r\n\r\n")
        too_many = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(45)]
        assert status(too_many[-1].recv(1000)) == 503
        assert status(slow[1].recv(1000)) == 408
        assert status(slow[0].recv(1000)) == 408
        assert time.monotonic() - began > 2.9
        assert status(refused.recv(1000)) == 413
        assert refused.recv(1000) == b""  # answered at once, and closed when the rest did not arrive
        assert time.monotonic() - began < 15
        for one in [*slow, *too_many, refused]:
            one.close()


# -- names and values in requests


@pytest.mark.parametrize(
    "weights",
    [
        "/etc/passwd", "../../weights/aggro_face", "weights/aggro_face.yaml", "aggro_face.yaml", "aggro_face\x00",
        "os:system", "", ".", "~", "file:///etc/passwd", "aggro_face\n", "x" * 10_000,
    ],
)  # fmt: skip
def test_a_request_cannot_name_a_file(server: httpx.Client, weights: str) -> None:
    answer = server.post("/plan", json={"state": LETHAL, "weights": weights})
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("weights: ")
    assert len(answer.json()["error"]) <= 300


@pytest.mark.parametrize(
    "state",
    [
        LETHAL | {"ruleset": "/etc/passwd"},
        LETHAL | {"ruleset": "blitz.yaml"},
        LETHAL | {"game": "os:system"},
        LETHAL | {"game": "../spire"},
        LETHAL | {"game": ["hearthstone"]},
        LETHAL | {"cards": [{"name": "x", "effects": [{"do": "hook", "name": "os.system"}]}]},
        {"game": "spire", "enemies": [{"name": "Goblin"}], "library": {"cards": "/etc/passwd"}},
        {"game": "spire", "enemies": [{"name": "../../Goblin"}]},
    ],
)
def test_no_file_module_or_command_in_a_state(server: httpx.Client, state: Any) -> None:
    assert server.post("/plan", json={"state": state}).status_code == 422


@pytest.mark.parametrize(
    "body",
    [
        b"", b"null", b"[]", b"\x00", b"\xff\xfe", b"{", b'{"state": NaN}', b'{"state": {"mana": 1e999}}',
        b'{"state": {"mana": ' + b"9" * 100_000 + b"}}", b"[" * 500_000, b'{"state":' * 100_000,
        b'{"state": {}, "state": {}}', b'{"state": {"mana": 1}, "k": 1e308}', b'"\\ud800"',
        b'{"state": {"mana": 3, "me": {"hero": {"health": 3}}, "enemy": {"hero": {"health": 1}}, "cause": "\\ud800"}}',
        json.dumps({"state": LETHAL, "time_limit": 1e-300}).encode(),
        json.dumps({"state": LETHAL, "effort": 2**70}).encode(),
        json.dumps({"state": LETHAL, "weights": {"lethal": 1e308}}).encode(),
        json.dumps({"state": LETHAL, "weights": {str(n): 1 for n in range(30_000)}}).encode(),
        json.dumps({"state": LETHAL | {"cards": [{"name": str(n), "health": 1} for n in range(5000)]}}).encode(),
        json.dumps({"state": {"me": {"hand": ["x" * 900_000]}, "mana": 1}}).encode(),
    ],
    ids=range(21),
)  # fmt: skip
def test_rubbish_is_refused(server: httpx.Client, body: bytes) -> None:
    began = time.monotonic()
    answer = server.post("/plan", content=body)
    assert answer.status_code in (200, 422)
    if answer.status_code == 422:
        assert list(answer.json()) == ["error"]
        assert "\n" not in answer.json()["error"]
    assert time.monotonic() - began < 5
    lines = server.post("/plan/batch", content=body + b"\n" + b'{"id": 1}').text.splitlines()
    assert {"id": 1, "error": "state: is missing"} in map(json.loads, lines)
