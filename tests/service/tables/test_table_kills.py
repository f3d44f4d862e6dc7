"""The server is killed with -9 at arbitrary moments, workers die: no acknowledged move is lost, none is played twice."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner.bench.load_server import LoadServer
from planner.bench.table_load import TableKind, TableLoad, _Person, _Table, run_table_load
from planner.service.tables.live_table import LiveTable
from planner.service.tables.table_journal import TableJournal
from tests.service.conftest import served_bare
from tests.service.tables.table_client import Client, connected, seated

SERVER = """
from pathlib import Path
from planner.service.app import create_app
from planner.service.server import Settings, run_server
run_server(create_app(Settings(port={}, workers=1, journal=Path({!r}))), lambda address: print(address, flush=True))
"""


class Server:
    """A server that can be killed and started again on the same journal and port."""

    def __init__(self, journal: Path) -> None:
        self._journal, self.port = journal, 0
        self.start()

    def start(self) -> None:
        code = SERVER.format(self.port, str(self._journal))
        self._process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.port = int(line.rstrip("/\n").rpartition(":")[2])

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()


async def until_killed(ann: Client, bob: Client, rng: Random, server: Server, acknowledged: list[Any]) -> None:
    """Play some moves, and kill the server at a random moment after them, while a move may be on its way."""
    begin = len(acknowledged)

    async def play() -> None:
        while True:
            await asyncio.sleep(0.001)
            for client in (ann, bob):
                if client.frame["moves"] or client.frame["view"].get("prompt"):
                    acknowledged.append(await client.move(rng))

    task = asyncio.create_task(play())
    while len(acknowledged) < begin + 4 and not task.done():
        await asyncio.sleep(0.001)
    await asyncio.sleep(rng.uniform(0, 0.3))
    server.kill()
    await asyncio.wait([task], timeout=5)  # a move on its way fails; without one, nothing would end the task
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def test_acknowledged_moves_survive_kills_of_the_server(tmp_path: Path) -> None:
    journal, rng = tmp_path / "tables.db", Random(4)
    server = Server(journal)
    acknowledged: list[dict[str, Any]] = []
    secrets: list[str] = []
    table = ""

    async def round_of(first: bool) -> None:
        nonlocal table
        contexts = [
            connected(server.port, name, secret) for name, secret in zip("AB", secrets or ("", ""), strict=True)
        ]
        clients = [await context.__aenter__() for context in contexts]
        try:
            if first:
                secrets[:] = [client.secret for client in clients]
                table = await seated(*clients)
            else:
                for client in clients:
                    await client.ok("watch", table=table)
                    await client.until(lambda _: True)
                assert clients[0].frame["table"]["moves"] >= len(acknowledged)
                assert clients[0].frame["table"]["moves"] <= len(acknowledged) + 1  # one may have been on its way
                lost = clients[0].frame["table"]["moves"] - len(acknowledged)
                acknowledged.extend([{}] * lost)  # saved, but the answer did not arrive
            await until_killed(*clients, rng, server, acknowledged)
        finally:
            for context in contexts:
                await context.__aexit__(None, None, None)

    for number in range(2):
        asyncio.run(round_of(first=not number))
        if number < 1:
            server.start()
    book = TableJournal(journal)
    events = book.events(table)
    moves = [event for event in events if event["type"] == "move"]
    assert len(acknowledged) <= len(moves) <= len(acknowledged) + 1
    for event, message in zip(moves, acknowledged, strict=False):
        if message:
            assert event.get("choice", event["action"]) == message.get("choice", message.get("action"))
    assert len(acknowledged) > 5
    LiveTable.from_events(events)  # every move is legal from the deal on


def test_an_agent_whose_worker_dies_is_asked_again(tmp_path: Path) -> None:
    async def run(server: Any) -> None:
        async with connected(server.port, "Ann") as ann:
            agents = [{"kind": "agent", "agent": "greedy"}] * 2
            table = (await ann.ok("create", game="hearthstone", seats=agents, seed=11))["table"]
            await ann.ok("watch", table=table)
            for moves in (5, 12):
                await ann.until(lambda frame, moves=moves: frame["table"]["moves"] >= moves)
                for worker in server.workers():
                    worker.kill()
            await ann.until(lambda frame: frame["table"]["moves"] >= 18)
            lines = [line for frame in ann.frames for line in frame["log"]["lines"]]
            assert not [line for line in lines if "note" in line]  # no decision was replaced by the default action

    log = tmp_path / "log"
    with served_bare("workers=1, agent_pause=0.02", log=log) as server:
        asyncio.run(asyncio.wait_for(run(server), 60))
    assert "is replaced: died" in log.read_text(encoding="utf-8")


def test_a_small_load_with_kills_loses_nothing() -> None:
    result = asyncio.run(run_table_load(4, 6.0, chaos=True, seed=3, alone=True, server_kills=1))
    assert result.faultless, (result.lost, result.doubled, result.problems)
    assert result.servers_killed == 1
    assert result.update_seconds


def test_no_guest_waits_for_a_table_that_was_not_created() -> None:
    async def run() -> None:
        load = TableLoad(LoadServer(1), Random(1), time.monotonic() + 0.2)
        guest = _Person(load, _Table(TableKind(2, {}), pause=1.0), number=1)
        await asyncio.wait_for(guest._play(), 10)

    asyncio.run(run())


@pytest.mark.long
def test_a_large_load_is_fast_and_loses_nothing() -> None:
    """The limits are those of the documentation, for a machine with two free cores."""
    for chaos in (False, True):
        result = asyncio.run(run_table_load(100, 60.0, chaos=chaos, seed=1))
        assert result.faultless, (result.lost, result.doubled, result.problems)
        assert sorted(result.update_seconds)[int(0.95 * len(result.update_seconds))] < 0.25
        assert max(result.memory) < 600e6
