"""The journal of the tables: every event of every table, in SQLite, on disk before anyone is informed of it.

SQLite in WAL mode and not the journal of tournaments, because tables are asked for by state, player and age, old ones
are deleted, and an operator can copy the file while the server runs. A commit is on disk when it returns
(`synchronous=FULL`); after a power cut or `kill -9`, SQLite ignores an incomplete transaction at any byte.

One thread writes. All events that arrive while it waits for the disk are committed together, so that the number of
tables does not multiply the waiting time.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, TypeAlias

from planner.errors import PlannerError

Event: TypeAlias = dict[str, Any]
_VERSION: Final = 1
_UNFINISHED: Final = "status in ('open', 'playing')"  # for this the index is used, for `!=` it is not
_SCHEMA: Final = """
create table tables(
    id text primary key, game text not null, status text not null, public integer not null, creator text not null,
    summary text not null, changed real not null
) without rowid;
create index tables_by_status on tables(status, changed);
create index tables_by_creator on tables(creator, status);
create table events(
    table_id text not null, number integer not null, event text not null, primary key(table_id, number)
) without rowid;
create table seats(
    table_id text not null, seat integer not null, player text not null, primary key(table_id, seat)
) without rowid;
create index seats_by_player on seats(player);
create table results(
    table_id text not null, seat integer not null, game text not null, player text not null, name text not null,
    agent integer not null, points real not null, ended real not null, primary key(table_id, seat)
) without rowid;
create index results_by_game on results(game, player);
"""


class TableRow(NamedTuple):
    """What lists show of a table, as the columns of `tables`."""

    id: str
    game: str
    status: str
    public: bool
    creator: str
    summary: str  # JSON
    changed: float  # Unix time of the last event


class ResultRow(NamedTuple):
    """One seat of a finished match, as the columns of `results` after the table."""

    seat: int
    game: str
    player: str  # or the name of the agent
    name: str
    agent: bool
    points: float
    ended: float


@dataclass(frozen=True)
class JournalEntry:
    """Events of one table that belong together, from a number on, and what lists and counts show after them."""

    first: int
    events: Sequence[Event]
    row: TableRow
    players: Sequence[str] = ()  # by seat; empty for agents and free seats
    results: Sequence[ResultRow] = ()


@dataclass(frozen=True)
class _Write:
    work: Callable[[sqlite3.Connection], None]
    done: Future[None] = field(default_factory=Future)


class TableJournal:
    """An open journal. Without a path it is a temporary file and lost with the process."""

    def __init__(self, path: Path | None = None) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        if path is None:
            self._folder = TemporaryDirectory(prefix="planner-tables-")
            path = Path(self._folder.name) / "tables.db"
        self.path = path
        self._waiting: deque[_Write] = deque()
        self._thread = ThreadPoolExecutor(1, "table journal")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock_file = self.path.with_name(self.path.name + ".lock").open("w")
            self._take_lock()
            self._writer = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            self._prepare()
            self._reader = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        except (sqlite3.Error, OSError) as error:
            raise PlannerError(f"{self.path}: cannot be used as a journal of tables: {error}") from None

    def _take_lock(self) -> None:
        """Make sure that no other server writes this journal."""
        try:
            fcntl.flock(self._lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            message = f"{self.path}: another server uses this journal; choose another one with --journal"
            raise PlannerError(message) from None

    def _prepare(self) -> None:
        connection = self._writer
        connection.execute("pragma journal_mode=wal")
        connection.execute("pragma synchronous=full")
        (version,) = connection.execute("pragma user_version").fetchone()
        if version == 0:
            connection.executescript(f"begin; {_SCHEMA} pragma user_version={_VERSION}; commit;")
        elif version != _VERSION:
            raise PlannerError(f"{self.path}: the journal has version {version}, this server writes {_VERSION}")

    def close(self) -> None:
        """Write what is waiting, and close the file."""
        self._thread.shutdown()
        self._reader.close()
        self._writer.close()
        self._lock_file.close()
        if self._folder is not None:
            self._folder.cleanup()

    # -- writing

    async def append(self, entries: Sequence[JournalEntry]) -> None:
        """Write the entries in one transaction; they are on disk on return. A failure raises a PlannerError."""
        await self._submit(lambda connection: _write_entries(connection, entries))

    async def forget(self, before: float) -> None:
        """Delete the events of tables that ended before this time; their results stay."""
        await self._submit(lambda connection: _forget(connection, before))

    async def _submit(self, work: Callable[[sqlite3.Connection], None]) -> None:
        write = _Write(work)
        self._waiting.append(write)
        if len(self._waiting) == 1:
            self._thread.submit(self._commit_waiting)
        await asyncio.shield(asyncio.wrap_future(write.done))

    def _commit_waiting(self) -> None:
        """Commit all writes that wait; one that comes after the last look finds none waiting, and calls this again."""
        batch: list[_Write] = []
        while self._waiting:
            batch.append(self._waiting.popleft())
        self._commit(batch)

    def _commit(self, batch: Sequence[_Write]) -> None:
        """Commit all writes together; where that fails, one by one, so that a bad one costs only its own table."""
        try:
            self._writer.execute("begin immediate")
            try:
                for write in batch:
                    write.work(self._writer)
                self._writer.execute("commit")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._writer.execute("rollback")
                raise
        except Exception as error:  # whatever it is, who waits must learn of it
            if len(batch) == 1:
                batch[0].done.set_exception(PlannerError(f"the journal of tables cannot be written: {error}"))
            else:
                for write in batch:
                    self._commit([write])
            return
        for write in batch:
            write.done.set_result(None)

    # -- reading

    def events(self, table_id: str) -> list[Event]:
        """Return all events of a table, in order; none for an unknown id."""
        rows = self._all("select event from events where table_id = ? order by number", table_id)
        return [json.loads(event) for (event,) in rows]

    def public_tables(self, game: str, count: int) -> list[dict[str, Any]]:
        """Return summaries of the public tables that are not over, newest first; `game` may be empty."""
        return self._summaries(
            f"select id, status, summary, changed from tables where {_UNFINISHED} and public "
            "and (? = '' or game = ?) order by changed desc limit ?",
            game,
            game,
            count,
        )

    def tables_of(self, player: str, count: int, ended: bool = False) -> list[dict[str, Any]]:
        """Return summaries of the tables at which this player sits, newest first: those that are not over, or are."""
        return self._summaries(
            "select id, status, summary, changed from tables where (status = 'ended') = ? and "
            "id in (select table_id from seats where player = ?) order by changed desc limit ?",
            ended,
            player,
            count,
        )

    def unfinished(self, creator: str = "") -> int:
        """Return the number of tables that are not over, of one creator or of all."""
        rows = self._all(
            f"select count(*) from tables where {_UNFINISHED} and (? = '' or creator = ?)", creator, creator
        )
        return int(rows[0][0])

    def unfinished_of(self, tables: Sequence[str]) -> list[str]:
        """Return those of these tables that are not over."""
        rows = self._all(
            f"select id from tables where {_UNFINISHED} and id in (select value from json_each(?))", dumps(tables)
        )
        return [table for (table,) in rows]

    def idle(self, status: str, before: float) -> list[str]:
        """Return the tables with this status whose last event is older."""
        return [
            table for (table,) in self._all("select id from tables where status = ? and changed < ?", status, before)
        ]

    def counts(self, game: str, count: int) -> list[dict[str, Any]]:
        """Return games, wins and draws of every player and agent over finished matches, most games first.

        This reads all results, which takes longer every year: call it from a thread. It has a connection of its own.
        """
        query = (
            "select player, max(name), agent, count(*), sum(points = 1), sum(points), max(ended) from results "
            "where ? = '' or game = ? group by player, agent order by count(*) desc, player limit ?"
        )
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            rows = connection.execute(query, (game, game, count)).fetchall()
        return [
            {
                "player": player,
                "name": name,
                "agent": bool(agent),
                "games": games,
                "wins": wins,
                "rate": round(points / games, 4),
                "last": ended,
            }
            for player, name, agent, games, wins, points, ended in rows
        ]

    def _summaries(self, query: str, *values: Any) -> list[dict[str, Any]]:
        rows = self._all(query, *values)
        return [{"id": table, "status": status, **json.loads(text), "changed": at} for table, status, text, at in rows]

    def _all(self, query: str, *values: Any) -> list[Any]:
        return self._reader.execute(query, values).fetchall()


def _write_entries(connection: sqlite3.Connection, entries: Sequence[JournalEntry]) -> None:
    for entry in entries:
        table = entry.row.id
        # A number that is already there raises an error: an event is never written twice.
        connection.executemany(
            "insert into events values(?, ?, ?)",
            [(table, entry.first + index, dumps(event)) for index, event in enumerate(entry.events)],
        )
        connection.execute("insert or replace into tables values(?, ?, ?, ?, ?, ?, ?)", entry.row)
        connection.execute("delete from seats where table_id = ?", (table,))
        connection.executemany(
            "insert into seats values(?, ?, ?)",
            [(table, seat, player) for seat, player in enumerate(entry.players) if player],
        )
        connection.executemany(
            "insert or replace into results values(?, ?, ?, ?, ?, ?, ?, ?)",
            [(table, *result) for result in entry.results],
        )


def _forget(connection: sqlite3.Connection, before: float) -> None:
    old = "select id from tables where status = 'ended' and changed < ?"
    connection.execute(f"delete from events where table_id in ({old})", (before,))
    connection.execute(f"delete from seats where table_id in ({old})", (before,))
    connection.execute("delete from tables where status = 'ended' and changed < ?", (before,))


def dumps(value: Any) -> str:
    """Return the JSON text of a message, in ASCII: a text from outside may hold what has no form in UTF-8."""
    return json.dumps(value, separators=(",", ":"))
