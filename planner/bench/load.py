"""Many clients at a server at once: is every answer the one of `plan_turn`, is none lost, how long do they take?

With chaos: workers are killed, some clients leave before their answer, some send rubbish. Then only who was with a
killed worker may go without an answer, and is told so.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from planner.bench.states import load_positions, random_state, spread
from planner.errors import PlannerError
from planner.games.hearthstone.hearthstone_game import GAME
from planner.planning.plan import Stopped
from planner.protocol import PlanRequest

_SERVE: Final = "import sys; from planner.cli import main; sys.exit(main())"
_TOO_HARD: Final = 0.5  # seconds: what the clock may end is not the same every time
_LEAVING = _RUBBISH = 0.01  # share of the requests in a chaos
_PATIENCE: Final = 60.0  # seconds after which an answer counts as lost


class Probe(NamedTuple):
    """One request, its right answer, and how long that took in this process."""

    body: bytes
    answer: dict[str, Any]
    seconds: float


@dataclass
class LoadResult:
    """What came of all requests of one run."""

    right: int = 0
    wrong: list[str] = field(default_factory=list)  # other answers than plan_turn's, or than a refusal of rubbish
    lost: int = 0  # no answer at all
    refused: int = 0  # 503
    left: int = 0
    rubbish: int = 0
    killed: int = 0
    seconds: list[float] = field(default_factory=list)  # of the right answers
    took: float = 0.0

    @property
    def rate(self) -> float:
        """Right answers in a second."""
        return self.right / self.took

    @property
    def faultless(self) -> bool:
        """Only who was with a killed worker went without an answer, and was told so."""
        return not self.wrong and not self.lost and self.refused <= self.killed


def questions(count: int, seed: int) -> list[Probe]:
    """Recorded turns and random ones, half of each, answered here first."""
    rng, found = Random(seed), []
    for position in spread(load_positions("recorded"), count // 2):
        found.append(_answered({"state": GAME.state_to_json(position.state), "weights": position.weights.name}))
    names = GAME.profiles.names()
    while len(found) < count:
        one = _answered({"state": random_state(rng), "weights": rng.choice(names)})
        if one.seconds < _TOO_HARD and one.answer["stopped"] != Stopped.TIME_LIMIT:
            found.append(one)
    rng.shuffle(found)
    return found


def _answered(request: dict[str, Any]) -> Probe:
    body = json.dumps(request).encode()
    began = time.perf_counter()
    answer = PlanRequest.from_json(json.loads(body), 10).answer()
    seconds = time.perf_counter() - began
    return Probe(body, _without_time(json.loads(json.dumps(answer))), seconds)


def _without_time(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "seconds"}


@contextmanager
def server(workers: int) -> Iterator[tuple[int, int]]:
    """A server of so many workers: its process and its port."""
    if not Path("/proc/self/task").is_dir():
        raise PlannerError("bench serve: finds its workers under /proc, which only Linux has")
    command = [sys.executable, "-c", _SERVE, "serve", "--port", "0", "--workers", str(workers), "--queue", "10000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line:
                raise PlannerError("bench serve: the server does not start; try `planner serve`")
            while len(_workers(process.pid)) < workers:
                time.sleep(0.05)
            yield process.pid, int(line.rstrip("/\n").rpartition(":")[2])
        finally:
            process.send_signal(signal.SIGTERM)


def _workers(server_id: int) -> list[int]:
    children = Path(f"/proc/{server_id}/task/{server_id}/children").read_text(encoding="ascii").split()
    return [int(child) for child in children if b"service.worker" in _command(child)]


def _command(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):  # it has ended since it was listed
        return b""


def run(
    server_id: int, port: int, asked: list[Probe], clients: int, seconds: float, chaos: float | None, seed: int
) -> LoadResult:
    """So many clients for so long, each with one request after the other.

    `chaos` is the time in seconds between two killings of a worker; None: peace.
    """
    return asyncio.run(_run(server_id, port, asked, clients, seconds, chaos, seed))


async def _run(
    server_id: int, port: int, asked: list[Probe], clients: int, seconds: float, chaos: float | None, seed: int
) -> LoadResult:
    tally, began = LoadResult(), time.perf_counter()
    chances = [Random(f"{seed} {number}") for number in range(clients)]
    working = [_Client(port, asked, chance, chaos is not None, tally).work(began + seconds) for chance in chances]
    if chaos is not None:
        working.append(_kill(server_id, chaos, began + seconds, Random(seed), tally))
    await asyncio.gather(*working)
    tally.took = time.perf_counter() - began
    return tally


async def _kill(server_id: int, every: float, end: float, rng: Random, tally: LoadResult) -> None:
    """Kill a worker now and then; not beyond the end, when the last answers need one that lives until it is ready."""
    while time.perf_counter() + every < end:
        await asyncio.sleep(every)
        with suppress(ProcessLookupError):  # one that ended by itself in this moment
            if found := _workers(server_id):
                os.kill(rng.choice(found), signal.SIGKILL)
                tally.killed += 1


class _Client:
    """One connection at a time, kept open as long as the server does."""

    def __init__(self, port: int, asked: list[Probe], rng: Random, chaos: bool, tally: LoadResult) -> None:
        self._port, self._asked, self._rng, self._chaos, self._tally = port, asked, rng, chaos, tally
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def work(self, end: float) -> None:
        while time.perf_counter() < end:
            chance = self._rng.random()
            if self._chaos and chance < _LEAVING:
                await self._leave()
            elif self._chaos and chance < _LEAVING + _RUBBISH:
                await self._send_rubbish()
            else:
                await self._ask(self._rng.choice(self._asked))
        self._close()

    async def _ask(self, question: Probe) -> None:
        began = time.perf_counter()
        answer = await self._post(question.body)
        seconds = time.perf_counter() - began
        if answer is None:
            self._tally.lost += 1
        elif answer[0] == 503:
            self._tally.refused += 1
        elif answer[0] == 200 and _without_time(json.loads(answer[1])) == question.answer:
            self._tally.right += 1
            self._tally.seconds.append(seconds)
        else:
            self._tally.wrong.append(f"{answer[0]} {answer[1][:200]!r}")

    async def _leave(self) -> None:
        """Ask, and go away before the answer."""
        _, writer = await self._open()
        writer.write(self._request(self._rng.choice(self._asked).body))
        await asyncio.sleep(0.01 * self._rng.random())
        self._close()
        self._tally.left += 1

    async def _send_rubbish(self) -> None:
        answer = await self._post(self._rng.randbytes(self._rng.randint(0, 2000)))
        if answer is None:
            self._tally.lost += 1
        elif answer[0] == 503:  # its worker was killed as well
            self._tally.refused += 1
        elif answer[0] == 422:
            self._tally.rubbish += 1
        else:
            self._tally.wrong.append(f"rubbish: {answer[0]} {answer[1][:200]!r}")

    async def _post(self, body: bytes) -> tuple[int, bytes] | None:
        """Status and body of the answer, or None where there is none."""
        try:
            async with asyncio.timeout(_PATIENCE):
                reader, writer = await self._open()
                writer.write(self._request(body))
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.lower().split(b"\r\n")
                headers = dict(line.split(b": ", 1) for line in lines[1:] if line)
                found = await reader.readexactly(int(headers[b"content-length"]))
        except (TimeoutError, OSError, EOFError, KeyError, ValueError):
            self._close()
            return None
        if headers.get(b"connection") == b"close":
            self._close()
        return int(lines[0].split()[1]), found

    def _request(self, body: bytes) -> bytes:
        return b"POST /plan HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    async def _open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        return self._streams

    def _close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None
