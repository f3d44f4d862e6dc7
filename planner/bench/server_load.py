"""Load a server with many clients: check every response against `plan_turn`, count lost ones, measure the time.

In chaos mode, workers are killed, some clients disconnect early, and some send random bytes. Then only requests that a
killed worker had may fail, with status 503.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple

from planner.bench.benchmark_positions import evenly_spaced, load_positions, random_state
from planner.bench.load_server import LoadServer
from planner.games.hearthstone.hearthstone_game import GAME
from planner.planning.plan import Stopped
from planner.protocol import PlanRequest

_MAX_SECONDS: Final = 0.5  # per plan: a time limit would make the plan differ from run to run
_DISCONNECT_SHARE = _GARBAGE_SHARE = 0.01  # of the requests in chaos mode
_TIMEOUT: Final = 60.0  # seconds after which a response counts as lost


class Probe(NamedTuple):
    """A request, the expected response, and the seconds that this process needed for it."""

    body: bytes
    expected: dict[str, Any]
    seconds: float


@dataclass
class LoadResult:
    """The outcomes of all requests of one run."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)  # responses other than the plan, or than 422 for garbage
    lost: int = 0  # no response
    unavailable: int = 0  # status 503
    disconnected: int = 0  # clients that left before the response
    garbage: int = 0  # garbage that was rejected
    killed: int = 0  # workers
    seconds: list[float] = field(default_factory=list)  # of the right responses
    duration: float = 0.0  # of the run

    @property
    def rate(self) -> float:
        """Return the right responses per second."""
        return self.right / self.duration

    @property
    def faultless(self) -> bool:
        """Return whether only requests of killed workers failed, with status 503."""
        return not self.wrong and not self.lost and self.unavailable <= self.killed


def make_probes(count: int, seed: int) -> list[Probe]:
    """Return probes, half with recorded turns and half with random ones."""
    rng, probes = Random(seed), []
    for position in evenly_spaced(load_positions("recorded"), count // 2):
        probes.append(_make_probe({"state": GAME.state_to_json(position.state), "weights": position.weights.name}))
    names = GAME.profiles.names()
    while len(probes) < count:
        probe = _make_probe({"state": random_state(rng), "weights": rng.choice(names)})
        if probe.seconds < _MAX_SECONDS and probe.expected["stopped"] != Stopped.TIME_LIMIT:
            probes.append(probe)
    rng.shuffle(probes)
    return probes


def _make_probe(request: dict[str, Any]) -> Probe:
    body = json.dumps(request).encode()
    began = time.perf_counter()
    response = PlanRequest.from_json(json.loads(body), 10).answer()
    seconds = time.perf_counter() - began
    return Probe(body, _without_time(json.loads(json.dumps(response))), seconds)


def _without_time(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "seconds"}


async def run_load(
    server: LoadServer, probes: list[Probe], clients: int, seconds: float, chaos: float | None, seed: int
) -> LoadResult:
    """Run this many clients in parallel; each sends one request after the other.

    `chaos` is the time in seconds after which a worker is killed, again and again; None means no chaos.
    """
    result, began = LoadResult(), time.perf_counter()
    generators = [Random(f"{seed} {number}") for number in range(clients)]
    tasks = [_Client(server.port, probes, rng, chaos is not None, result).work(began + seconds) for rng in generators]
    if chaos is not None:
        tasks.append(_kill_workers(server, chaos, began + seconds, Random(seed), result))
    await asyncio.gather(*tasks)
    result.duration = time.perf_counter() - began
    return result


async def _kill_workers(server: LoadServer, interval: float, end: float, rng: Random, result: LoadResult) -> None:
    """Kill a worker in each interval, but not after the end, when the last requests still need one."""
    while time.perf_counter() + interval < end:
        await asyncio.sleep(interval)
        result.killed += server.kill_worker(rng)


class HttpConnection:
    """A connection to the server, which stays open as long as the server keeps it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: bytes = b"", headers: str = "") -> tuple[int, bytes]:
        """Send a request; return the status and the body of the response."""
        reader = await self.send(method, path, body, headers)
        lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        fields = dict(line.split(b": ", 1) for line in lines[1:] if line)
        content = await reader.readexactly(int(fields[b"content-length"]))
        if fields.get(b"connection") == b"close":
            self.close()
        return int(lines[0].split()[1]), content

    async def send(self, method: str, path: str, body: bytes = b"", headers: str = "") -> asyncio.StreamReader:
        """Send a request; return the stream of the response."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        return reader

    def close(self) -> None:
        """Close the connection; the next request opens another one."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


class _Client:
    """A client with one connection."""

    def __init__(self, port: int, probes: list[Probe], rng: Random, chaos: bool, result: LoadResult) -> None:
        self._probes, self._rng, self._chaos, self._result = probes, rng, chaos, result
        self._connection = HttpConnection(port)

    async def work(self, end: float) -> None:
        """Send requests until the end of the run."""
        while time.perf_counter() < end:
            chance = self._rng.random()
            if self._chaos and chance < _DISCONNECT_SHARE:
                await self._disconnect()
            elif self._chaos and chance < _DISCONNECT_SHARE + _GARBAGE_SHARE:
                await self._send(self._rng.randbytes(self._rng.randint(0, 2000)), None)
            else:
                probe = self._rng.choice(self._probes)
                await self._send(probe.body, probe.expected)
        self._connection.close()

    async def _send(self, body: bytes, expected: dict[str, Any] | None) -> None:
        """Send a request; without an expected response it is garbage."""
        began = time.perf_counter()
        response = await self._post(body)
        seconds = time.perf_counter() - began
        if response is None:
            self._result.lost += 1
        elif response[0] == 503:  # its worker was killed
            self._result.unavailable += 1
        elif expected is None and response[0] == 422:
            self._result.garbage += 1
        elif expected is not None and response[0] == 200 and _without_time(json.loads(response[1])) == expected:
            self._result.right += 1
            self._result.seconds.append(seconds)
        else:
            self._result.wrong.append(f"{'' if expected else 'garbage: '}{response[0]} {response[1][:200]!r}")

    async def _disconnect(self) -> None:
        """Send a request, and close the connection before the response."""
        await self._connection.send("POST", "/plan", self._rng.choice(self._probes).body)
        await asyncio.sleep(0.01 * self._rng.random())
        self._connection.close()
        self._result.disconnected += 1

    async def _post(self, body: bytes) -> tuple[int, bytes] | None:
        """Return the status and the body of the response, or None if there is none."""
        try:
            async with asyncio.timeout(_TIMEOUT):
                return await self._connection.ask("POST", "/plan", body)
        except (TimeoutError, OSError, EOFError, KeyError, ValueError):
            self._connection.close()
            return None
