"""Load a server with people at tables: measure how long a move takes to reach everybody, and look for lost moves.

Each person is a WebSocket client that plays random legal moves, joins the rematch when a match ends, and reconnects
when the connection breaks. In chaos mode workers are killed every few seconds, and the server itself is killed with -9
and started again. Afterwards the journal must contain every acknowledged move exactly once.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any, Final, TypeAlias

from planner.bench.load_server import LoadServer
from planner.errors import PlannerError
from planner.games import game, game_names
from planner.table_view import DescribesTable

_Key: TypeAlias = tuple[str, int]  # table and number of a move
_ANSWER_SECONDS: Final = 30.0  # after which an answer counts as lost


@dataclass(frozen=True)
class TableKind:
    """A kind of table: its game, the number of people, and the message that creates it."""

    people: int
    message: dict[str, Any]


def table_kinds(alone: bool) -> list[TableKind]:
    """Return the kinds of tables: two people, two people with an agent; with `alone` also tables of one person."""
    person = {"kind": "person"}
    kinds = []
    for name in game_names():
        if not isinstance(chosen := game(name), DescribesTable):
            continue
        least, most = chosen.seat_range()
        if most >= 2:
            kinds.append(TableKind(2, {"game": name}))
        if most >= 3:
            kinds.append(TableKind(2, {"game": name, "seats": [person, person, {"kind": "agent", "agent": "random"}]}))
        if alone:
            agents = [{"kind": "agent", "agent": "random"}] * (max(least, 1) - 1)
            kinds.append(TableKind(1, {"game": name, "seats": [person, *agents]}))
    return kinds


@dataclass
class TableLoad:
    """A run, and what happened in it."""

    server: LoadServer
    rng: Random
    end: float = 0.0  # of the monotonic clock
    tables: list[_Table] = field(default_factory=list)
    people: int = 0
    duration: float = 0.0
    # By table and number of the move.
    sent: dict[_Key, float] = field(default_factory=dict)  # when it was sent first
    messages: dict[_Key, dict[str, Any]] = field(default_factory=dict)
    acknowledged: dict[_Key, dict[str, Any]] = field(default_factory=dict)
    updates: dict[_Key, list[float]] = field(default_factory=dict)  # seconds until each person had it
    journal_moves: int = 0
    lost: list[str] = field(default_factory=list)  # acknowledged moves that the journal does not have
    doubled: list[str] = field(default_factory=list)  # moves of people that the journal has, but that they did not send
    problems: Counter[str] = field(default_factory=Counter)  # errors in answers
    workers_killed: int = 0
    servers_killed: int = 0
    reconnects: int = 0
    memory: list[int] = field(default_factory=list)  # bytes of the server process, every second
    processor_seconds: float = 0.0  # of the server process

    @property
    def over(self) -> bool:
        """Return whether the time is over."""
        return time.monotonic() >= self.end

    @property
    def matches(self) -> int:
        """Return the number of matches, with rematches."""
        return sum(len(table.ids) for table in self.tables)

    @property
    def faultless(self) -> bool:
        """Return whether no move was lost or played twice."""
        return not self.lost and not self.doubled and not self.problems

    @property
    def update_seconds(self) -> list[float]:
        """Return, for each move, the seconds until the last person at the table had it."""
        people = {name: table.kind.people for table in self.tables for name in table.ids}
        return [max(delays) for key, delays in self.updates.items() if len(delays) >= people[key[0]]]


@dataclass
class _Table:
    """What the clients of one table share."""

    kind: TableKind
    pause: float  # seconds before each move, so that every person moves every 2 s on average
    id: str = ""
    ids: list[str] = field(default_factory=list)  # with those of the rematches
    created: asyncio.Event = field(default_factory=asyncio.Event)


class _Person:
    """One person: a connection, a table, and a move that may still wait for its answer."""

    def __init__(self, run: TableLoad, table: _Table, number: int) -> None:
        self._run, self._table, self._number = run, table, number
        self._secret = secrets.token_urlsafe(32)
        self._frame: dict[str, Any] | None = None
        self._moves: dict[str, int] = {}  # by table: the moves that were seen
        self._pending: dict[str, Any] | None = None
        self._message_id = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._changed = asyncio.Event()
        self._socket: Any = None

    async def live(self) -> None:
        """Play until the run is over; connect again whenever the connection breaks."""
        from websockets.exceptions import WebSocketException  # noqa: PLC0415  (an extra)

        delay = 0.05
        while not self._run.over:
            try:
                async with self._connected():
                    delay = 0.05
                    await self._play()
            except (OSError, WebSocketException, ConnectionError, TimeoutError):
                self._run.reconnects += 1
                await asyncio.sleep(delay)
                delay = min(1.0, 2 * delay)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[None]:
        import websockets  # noqa: PLC0415  (an extra)

        address = f"ws://127.0.0.1:{self._run.server.port}/tables/socket"
        async with websockets.connect(address, max_size=10_000_000, compression=None) as socket:
            self._socket = socket
            reader = asyncio.create_task(self._read(socket))
            try:
                await self._ask("hello", secret=self._secret, name=f"person {self._number}")
                yield
            finally:
                reader.cancel()
                await asyncio.gather(reader, return_exceptions=True)

    async def _read(self, socket: Any) -> None:
        try:
            async for text in socket:
                now = time.perf_counter()
                message = json.loads(text)
                if message["type"] == "table":
                    self._see(message, now)
                elif message.get("id") in self._answers:
                    self._answers.pop(message["id"]).set_result(message)
        finally:
            for future in self._answers.values():
                if not future.done():
                    future.set_exception(ConnectionError("the connection ended"))
            self._answers.clear()
            self._frame = None
            self._changed.set()

    def _see(self, frame: dict[str, Any], now: float) -> None:
        name, moves = frame["table"]["id"], frame["table"]["moves"]
        for number in range(self._moves.get(name, 0), moves):
            if (name, number) in self._run.sent:
                self._run.updates.setdefault((name, number), []).append(now - self._run.sent[name, number])
        self._moves[name] = moves
        self._frame = frame
        self._changed.set()

    async def _ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        self._message_id += 1
        future = self._answers[self._message_id] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())  # mark it as retrieved
        await self._socket.send(json.dumps({"type": kind, "id": self._message_id, **fields}))
        answer: dict[str, Any] = await asyncio.wait_for(future, _ANSWER_SECONDS)
        return answer

    async def _play(self) -> None:
        table = self._table
        if self._number == 0 and not table.id:
            answer = await self._ask("create", **table.kind.message)
            if "table" not in answer:
                raise PlannerError(f"bench tables: {answer['error']}")
            table.id = answer["table"]
            table.ids.append(table.id)
            table.created.set()
        while not table.created.is_set():
            if self._run.over:
                return
            await asyncio.sleep(0.05)
        await self._sit(table.id)
        while not self._run.over:
            self._changed.clear()
            frame = self._frame
            if frame is None and self._socket.close_code is not None:
                raise ConnectionError("the connection ended")
            if self._pending is not None:
                await self._send_move()
            elif frame is not None and frame["table"]["status"] == "ended":
                await self._rematch(frame)
            elif frame is not None and frame["view"] is not None and self._is_my_turn(frame):
                await asyncio.sleep(table.pause * (0.5 + self._run.rng.random()))
                if self._frame is not None and self._is_my_turn(self._frame):
                    self._choose(self._frame)
                    await self._send_move()
                    continue
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), 1.0)

    @staticmethod
    def _is_my_turn(frame: dict[str, Any]) -> bool:
        return frame["you"]["seat"] is not None and frame["view"]["to_move"] == frame["you"]["seat"]

    async def _sit(self, name: str) -> None:
        """Watch the table, join it and be ready; after a reconnection some of it is already done."""
        await self._ask("watch", table=name)
        await self._ask("join", table=name)
        await self._ask("ready", table=name)

    async def _rematch(self, frame: dict[str, Any]) -> None:
        name = frame["table"]["id"]
        answer = await self._ask("rematch", table=name)
        new = answer.get("table")
        if new is None:
            self._run.problems[answer["error"]] += 1
            return
        if new not in self._table.ids:
            self._table.ids.append(new)
        self._table.id = new
        await self._ask("unwatch", table=name)
        await self._sit(new)

    def _choose(self, frame: dict[str, Any]) -> None:
        rng = self._run.rng
        message: dict[str, Any] = {"table": frame["table"]["id"], "move": frame["table"]["moves"]}
        choice = frame["view"].get("prompt", {}).get("choice")
        if choice:
            chosen = [card for card in choice["cards"] if rng.random() < 0.5][: choice["most"]]
            least = choice["least"]
            message["choice"] = chosen if len(chosen) >= least else choice["cards"][:least]
        else:
            message["action"] = rng.choice(frame["moves"])["action"]
        self._pending = message

    async def _send_move(self) -> None:
        """Send the pending move; after a lost connection it is sent again until it is answered."""
        message, run = self._pending, self._run
        assert message is not None
        key = message["table"], message["move"]
        run.sent.setdefault(key, time.perf_counter())
        run.messages[key] = message
        answer = await self._ask("move", **message)
        self._pending = None
        if answer["type"] == "ok":
            run.acknowledged[key] = message
        else:
            run.problems[answer["error"]] += 1


async def run_table_load(
    tables: int, seconds: float, chaos: bool, seed: int, alone: bool = False, server_kills: int = 2
) -> TableLoad:
    """Let people play at this many tables, and return what they saw."""
    kinds = table_kinds(alone)
    cores = sorted(os.sched_getaffinity(0))
    split = len(cores) > 1
    with LoadServer(1, cores[0] if split else None) as server:
        if split:
            os.sched_setaffinity(0, cores[1:])
        try:
            begin = time.monotonic()
            run = TableLoad(server, Random(seed), begin + seconds)
            people = []
            for _, kind in zip(range(tables), cycle(kinds), strict=False):
                run.tables.append(table := _Table(kind, pause=2.0 / kind.people))
                people += [_Person(run, table, number) for number in range(kind.people)]
            run.people = len(people)
            tasks = [asyncio.create_task(person.live()) for person in people]
            extras = [asyncio.create_task(_watch_memory(run))]
            if chaos:
                extras.append(asyncio.create_task(_kill_workers(run)))
                tasks.append(asyncio.create_task(_kill_server(run, seconds, server_kills)))
            await asyncio.gather(*tasks)
            run.duration = time.monotonic() - begin
            for task in extras:
                task.cancel()
            await asyncio.gather(*extras, return_exceptions=True)
        finally:
            if split:
                os.sched_setaffinity(0, cores)
        server.end(signal.SIGTERM)
        run.processor_seconds = server.processor_seconds
        _compare_with_journal(run, server.journal)
    return run


async def _watch_memory(run: TableLoad) -> None:
    while True:
        run.memory.append(run.server.memory)
        await asyncio.sleep(1)


async def _kill_workers(run: TableLoad, seconds: float = 5.0) -> None:
    while True:
        await asyncio.sleep(seconds)
        run.workers_killed += run.server.kill_worker(run.rng)


async def _kill_server(run: TableLoad, seconds: float, kills: int) -> None:
    """Kill the server at moments that are spread over the run, and start it again."""
    for _ in range(kills):
        await asyncio.sleep(seconds / (kills + 1) * run.rng.uniform(0.9, 1.0))
        run.server.end(signal.SIGKILL)
        run.servers_killed += 1
        await asyncio.to_thread(run.server.start)


def _compare_with_journal(run: TableLoad, path: Path) -> None:
    """Check that every acknowledged move is in the journal, and that every move of a person there was sent."""
    played = dict[_Key, dict[str, Any]]()
    people, numbers = set[tuple[str, int]](), Counter[str]()
    with closing(sqlite3.connect(path)) as journal:
        for name, text in journal.execute("select table_id, event from events order by table_id, number"):
            event = json.loads(text)
            if event["type"] == "move":
                played[name, numbers[name]] = event
                numbers[name] += 1
            elif event["type"] == "sit":
                people.add((name, event["seat"]))
            elif event["type"] in ("replace", "remove"):
                run.problems[event["reason"]] += 1
    run.journal_moves = len(played)
    for key, message in run.acknowledged.items():
        if key not in played or not _is_same(played[key], message):
            run.lost.append(f"{key}: {message}")
    for key, event in played.items():
        if (key[0], event["seat"]) in people and not _is_same(event, run.messages.get(key, {})):
            run.doubled.append(f"{key}: {event['action']}, sent {run.messages.get(key)}")


def _is_same(event: dict[str, Any], message: dict[str, Any]) -> bool:
    if "choice" in message:
        return bool(event.get("choice") == message["choice"])
    return bool(event["action"] == message.get("action"))
