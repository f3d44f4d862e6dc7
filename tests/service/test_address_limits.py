"""One client address cannot take all tables and connections, whatever secrets it invents and whatever headers it sends."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, suppress
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.service import address_limits
from planner.service.address_limits import AddressLimits, read_proxies
from planner.service.server import Settings
from tests.service.conftest import Served, served_bare
from tests.service.tables.table_client import Client, connected

PROXIES = ("10.0.0.0/8", "2001:db8:1::1")


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("203.0.113.7", [], "203.0.113.7"),
        ("127.0.0.1", [], ""),
        ("::1", [], ""),
        ("", [], ""),
        ("::ffff:203.0.113.7", [], "203.0.113.7"),
        ("2001:db8:2:3:4:5:6:7", [], "2001:db8:2:3::/64"),
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),  # not a proxy: what it says of itself does not count
        ("10.1.2.3", ["198.51.100.1"], "198.51.100.1"),
        ("10.1.2.3", ["192.0.2.9, 198.51.100.1"], "198.51.100.1"),  # a client can add anything before the proxy's entry
        ("10.1.2.3", ["192.0.2.9", "198.51.100.1"], "198.51.100.1"),
        ("10.1.2.3", ["192.0.2.9, 198.51.100.1, 10.9.9.9"], "198.51.100.1"),  # a chain of proxies
        ("2001:db8:1::1", ["[2001:db8:7::8]:4000"], "2001:db8:7::/64"),
        ("10.1.2.3", ["198.51.100.1:4000"], "198.51.100.1"),
        ("10.1.2.3", ["127.0.0.1"], ""),
        ("10.1.2.3", ["<script>"], "10.1.2.3"),
        ("10.1.2.3", [], "10.1.2.3"),
    ],
)
def test_the_address_of_a_client(peer: str, forwarded: list[str], expected: str) -> None:
    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    limits = AddressLimits(PROXIES, 1, 1.0)
    assert limits.address({"client": (peer, 1) if peer else None, "headers": headers}) == expected


def test_a_proxy_must_be_an_address_or_a_network() -> None:
    for value in ("nginx", "10.0.0.0/33", "10.0.0.5;10.0.0.6", "", ", "):
        with pytest.raises(PlannerError, match=r"--proxy: must be an address or network such as 10\.0\.0\.0/8, got "):
            Settings(proxies=(value,))
    for value, message in (
        ("10.0.0.5/8", "the network 10.0.0.0/8 or the address 10.0.0.5, got '10.0.0.5/8'"),
        ("10.0.0.5,2001:db8::7/64", "the network 2001:db8::/64 or the address 2001:db8::7, got '2001:db8::7/64'"),
    ):
        with pytest.raises(PlannerError) as error:
            Settings(proxies=(value,))
        assert str(error.value) == f"--proxy: must be {message}"


def test_several_proxies_in_one_value() -> None:
    names = ["10.0.0.5/32", "172.16.0.0/12", "2001:db8:1::1/128"]
    for values in (["10.0.0.5,172.16.0.0/12", "2001:db8:1::1"], ["10.0.0.5, 172.16.0.0/12 2001:db8:1::1"]):
        assert [str(network) for network in read_proxies(values)] == names


def test_rates_of_many_addresses_need_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address_limits, "_MAX_RATES", 10)
    limits = AddressLimits((), 1, 1e9)
    for number in range(1000):
        limits.wait_seconds(f"192.0.2.{number}")
        time.sleep(0.00001)
    assert len(limits._rates) <= 11


@pytest.fixture(scope="module")
def behind_proxy() -> Iterator[Served]:
    limits = "address_tables=3, address_connections=4, address_messages=10.0"
    with served_bare(f"workers=1, proxies=('127.0.0.1',), {limits}") as server:
        yield server


def run(server: Served, test: Any) -> None:
    async def with_pages() -> None:
        async with AsyncExitStack() as stack, asyncio.timeout(60):

            async def visit(address: str) -> Client:
                """Return a page of a new visitor with this address."""
                headers = {"x-forwarded-for": address}
                return await stack.enter_async_context(connected(server.port, additional_headers=headers))

            await test(visit)

    asyncio.run(with_pages())


def test_tables_of_one_address(behind_proxy: Served) -> None:
    async def test(visit: Any) -> None:
        made = []
        for _ in range(3):
            page = await visit("203.0.113.7")
            made.append((page, (await page.ok("create", game="spire"))["table"]))
        page = await visit("192.0.2.1, 203.0.113.7")
        problem = "your network address has 3 tables that are not over; finish or leave one"
        assert await page.error("create", game="spire") == problem
        await (await visit("203.0.113.8")).ok("create", game="spire")
        owner, table = made[0]
        await owner.ok("leave", table=table)
        await page.ok("create", game="spire")
        assert await owner.error("create", game="spire") == problem

    run(behind_proxy, test)


def test_connections_and_messages_of_one_address(behind_proxy: Served) -> None:
    async def test(visit: Any) -> None:
        pages = [await visit("198.51.100.1") for _ in range(4)]
        with pytest.raises(AssertionError, match="too many connections from your network address"):
            await visit("198.51.100.1")
        other = await visit("198.51.100.2")
        await pages.pop().close()
        for _ in range(50):  # until the server has noticed
            with suppress(AssertionError):
                pages.append(await visit("198.51.100.1"))
                break
            await asyncio.sleep(0.1)
        assert len(pages) == 4

        async def talk(page: Client) -> float:
            began = time.monotonic()
            for _ in range(10):
                await page.ok("ping")
            return time.monotonic() - began

        # At most 20 messages at once, then 10 a second: a connection alone may send 40 at once.
        *slow, quick = await asyncio.gather(*map(talk, [*pages, other]))
        assert max(slow) > 1.0
        assert quick < 1.0

    run(behind_proxy, test)


def outside_address() -> str:
    """Return an address of this machine that is not the loopback one, or an empty text."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        address = str(probe.getsockname()[0])
    return "" if address.startswith("127.") else address


@pytest.mark.skipif(not outside_address(), reason="this machine has only a loopback address")
def test_connections_that_send_nothing_count_too() -> None:
    settings = f"host={outside_address()!r}, token={'t' * 16!r}, workers=1, address_connections=2"
    with served_bare(settings) as server, ExitStack() as stack:

        def answer() -> bytes:
            """Connect, and return the status of a first request; the connection stays open."""
            client = stack.enter_context(socket.create_connection((server.client.base_url.host, server.port), 10))
            client.sendall(b"GET /health HTTP/1.1\r\nhost: planner\r\n\r\n")
            return client.recv(12)[9:]

        assert [answer() for _ in range(3)] == [b"200", b"200", b"503"]
        stack.pop_all().close()
        time.sleep(0.2)
        assert answer() == b"200"
