"""What an operator decides about a server; requests decide nothing of this."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field

from planner.errors import PlannerError, quote


def cores() -> int:
    """How many processes can plan at the same time here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Settings:
    """Where a server listens, to whom, and how much it takes on. What cannot be safe is refused here."""

    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = field(default_factory=cores)
    queue: int = 256  # requests that wait for a worker; the next one is told to come again
    time_limit: float = 10.0  # seconds for one plan, also for those who ask for more
    token: str = ""
    cors: tuple[str, ...] = ()  # origins of other sites whose pages may ask
    longest_body: int = 1_000_000  # bytes
    longest_batch: int = 16_000_000
    body_seconds: float = 10.0  # for a whole body to arrive
    header_seconds: float = 5.0
    send_seconds: float = 30.0  # for a caller to read a part of an answer
    connections: int = 1000
    worker_memory: int = 1_000_000_000  # bytes; a worker that has grown beyond is replaced after its answer

    def __post_init__(self) -> None:
        if not self.local and not self.token:
            raise PlannerError(f"--host: {quote(self.host)} can be reached from elsewhere, so it needs a --token")
        if self.token and (len(self.token) < 16 or not self.token.isascii() or not self.token.isprintable()):
            raise PlannerError("--token: is not at least 16 signs of plain ASCII, such as `openssl rand -hex 16` makes")
        for origin in self.cors:
            scheme, _, rest = origin.partition("://")
            if scheme not in ("http", "https") or not rest or "/" in rest:
                raise PlannerError(f"--cors: {quote(origin)} is not an origin such as https://example.org")

    @property
    def local(self) -> bool:
        """Does only this machine reach it?"""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False
