"""Limits for each client address: secrets are free, so that limits for each player alone do not stop one visitor."""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Iterable
from typing import Final, TypeAlias

from starlette.types import Scope

from planner.errors import PlannerError, quote

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
UNLIMITED: Final = ""  # the address of this machine itself
_SITE_BITS: Final = 64  # of an IPv6 address: a visitor has all addresses of a site
_MAX_RATES: Final = 1000  # addresses whose rates are kept; those that did not use their limit are dropped first


class RateLimit:
    """A token bucket: a number at once, and a number in each second."""

    def __init__(self, burst: float, rate: float) -> None:
        self._burst, self._rate = burst, rate
        self._tokens, self._last = burst, time.monotonic()

    def take(self) -> float:
        """Take a token; return the seconds to wait until it is there."""
        self._tokens = self._available() - 1
        self._last = time.monotonic()
        return max(0.0, -self._tokens / self._rate)

    @property
    def is_full(self) -> bool:
        """Return whether nothing was taken for a while."""
        return self._available() >= self._burst

    def _available(self) -> float:
        return min(self._burst, self._tokens + (time.monotonic() - self._last) * self._rate)


def read_proxies(values: Iterable[str]) -> tuple[Network, ...]:
    """Read the addresses or networks of reverse proxies; a value may list several, separated by commas or spaces."""
    return tuple(_read_network(part) for value in values for part in value.replace(",", " ").split() or [value])


def _read_network(text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        pass
    try:
        inside = ipaddress.ip_interface(text)
    except ValueError:
        raise PlannerError(f"--proxy: must be an address or network such as 10.0.0.0/8, got {quote(text)}") from None
    raise PlannerError(f"--proxy: must be the network {inside.network} or the address {inside.ip}, got {quote(text)}")


class AddressLimits:
    """Counts the connections and messages of each client address."""

    def __init__(self, proxies: Iterable[str], connections: int, messages: float) -> None:
        self._proxies = read_proxies(proxies)
        self._max_connections, self._messages = connections, messages
        self._connections = Counter[str]()
        self._rates: dict[str, RateLimit] = {}

    def address(self, scope: Scope) -> str:
        """Return the address that a request counts for; of a request from a proxy, the one that the proxy names."""
        forwarded = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
        hops = b",".join(forwarded).decode("latin-1").split(",") if forwarded else []
        peer = scope.get("client")
        return self.client_address(peer[0] if peer else "", hops)

    def client_address(self, peer: str, hops: Iterable[str] = ()) -> str:
        """Return the address of a client; `hops` are those that proxies named, and only those after it are trusted."""
        address = _parse(peer)
        for hop in reversed([*hops]):
            if address is None or not self._is_proxy(address) or (named := _parse(hop)) is None:
                break
            address = named
        if address is None or address.is_loopback:
            return UNLIMITED
        if address.version == 6:
            return str(ipaddress.ip_network((address, _SITE_BITS), strict=False))
        return str(address)

    def is_from_proxy(self, peer: str) -> bool:
        """Return whether a connection comes from a proxy, and so carries the requests of many clients."""
        address = _parse(peer)
        return address is not None and self._is_proxy(address)

    def _is_proxy(self, address: _Address) -> bool:
        return any(address in network for network in self._proxies)

    def enter(self, address: str) -> bool:
        """Count a connection; return whether the limit allows it. `leave` must follow in any case."""
        self._connections[address] += 1
        return address == UNLIMITED or self._connections[address] <= self._max_connections

    def leave(self, address: str) -> None:
        """Count a connection no longer."""
        self._connections[address] -= 1
        if not self._connections[address]:
            del self._connections[address]

    def wait_seconds(self, address: str) -> float:
        """Count a message; return the seconds that it has to wait."""
        if address == UNLIMITED:
            return 0.0
        if address not in self._rates:
            if len(self._rates) >= _MAX_RATES:
                self._rates = {key: rate for key, rate in self._rates.items() if not rate.is_full}
            self._rates[address] = RateLimit(2 * self._messages, self._messages)
        return self._rates[address].take()


def _parse(text: str) -> _Address | None:
    """Read an address; a port after it, as some proxies add, is ignored."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
