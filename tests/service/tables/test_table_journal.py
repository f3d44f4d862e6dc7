"""The journal of tables: what was acknowledged is there after any interruption, and nothing is there twice."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.service.plan_pool import PlanPool
from planner.service.server import Settings
from planner.service.tables import table_hub
from planner.service.tables.live_table import LiveTable
from planner.service.tables.table_hub import TableHub
from planner.service.tables.table_journal import JournalEntry, ResultRow, TableJournal, TableRow
from planner.service.tables.table_spec import read_create

ANN, BOB = "a" * 16, "b" * 16


def row(name: str = "t", status: str = "playing", changed: float = 1.0) -> TableRow:
    return TableRow(name, "hearthstone", status, True, ANN, f'{{"title": "{name}"}}', changed)


def entry(number: int, name: str = "t", players: tuple[str, ...] = (ANN, ""), **fields: Any) -> JournalEntry:
    return JournalEntry(number, [{"type": "move", "number": number}], row(name, **fields), players)


def write(path: Path | None, *entries: JournalEntry) -> TableJournal:
    journal = TableJournal(path)

    async def append() -> None:
        for one in entries:
            await journal.append([one])

    asyncio.run(append())
    return journal


def test_a_journal_cut_at_any_byte_has_a_prefix_of_the_events(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    journal = write(path, *(entry(number) for number in range(12)))
    files = {name: Path(f"{path}{name}").read_bytes() for name in ("", "-wal")}  # as a killed server leaves them
    journal.close()
    lengths = []
    size, rng = len(files["-wal"]), Random(1)
    cuts = sorted({0, 1, size - 1, size, *(rng.randrange(size) for _ in range(60))})
    for cut in cuts:
        folder = tmp_path / "cut"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "tables.db").write_bytes(files[""])
        (folder / "tables.db-wal").write_bytes(files["-wal"][:cut])
        again = TableJournal(folder / "tables.db")
        events = again.events("t")
        assert [event["number"] for event in events] == list(range(len(events)))
        lengths.append(len(events))
        again.close()
    assert lengths == sorted(lengths)
    assert lengths[-1] == 12
    assert len(set(lengths)) > 6


def test_events_are_in_the_file_when_they_are_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    journal = write(path, entry(0), entry(1))
    shutil.copytree(tmp_path, tmp_path.parent / "copy")  # without closing it, as kill -9 does
    journal.close()
    copy = TableJournal(tmp_path.parent / "copy" / "tables.db")
    assert len(copy.events("t")) == 2


def test_an_event_is_never_written_twice() -> None:
    journal = write(None, entry(0))

    async def again() -> None:
        # The second write fails alone: what was committed together with it is kept.
        results = await asyncio.gather(
            journal.append([entry(0)]), journal.append([entry(0, "other")]), return_exceptions=True
        )
        assert isinstance(results[0], PlannerError)
        assert results[1] is None

    asyncio.run(again())
    assert (len(journal.events("t")), len(journal.events("other"))) == (1, 1)
    journal.close()


def test_two_servers_cannot_write_one_journal(tmp_path: Path) -> None:
    journal = TableJournal(tmp_path / "tables.db")
    with pytest.raises(PlannerError, match="another server uses this journal; choose another one with --journal"):
        TableJournal(tmp_path / "tables.db")
    journal.close()
    TableJournal(tmp_path / "tables.db")


@pytest.mark.parametrize("content", [b"this is not a database" * 100, b""])
def test_a_file_that_is_not_a_journal_is_refused_or_filled(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "tables.db"
    path.write_bytes(content)
    if content:
        with pytest.raises(PlannerError, match="cannot be used as a journal of tables"):
            TableJournal(path)
    else:
        assert TableJournal(path).unfinished() == 0


def test_lists_and_counts() -> None:
    results = [
        ResultRow(0, "hearthstone", ANN, "Ann", False, 1.0, 5.0),
        ResultRow(1, "hearthstone", "greedy", "greedy", True, 0.0, 5.0),
    ]
    journal = write(
        None,
        entry(0, "open", status="open", changed=1.0),
        entry(0, "newer", status="playing", changed=2.0, players=(ANN, BOB)),
        JournalEntry(0, [{"type": "end"}], row("over", "ended", 3.0), results=results),
    )
    assert [table["id"] for table in journal.public_tables("", 10)] == ["newer", "open"]
    assert journal.public_tables("spire", 10) == []
    assert [table["id"] for table in journal.tables_of(BOB, 10)] == ["newer"]
    assert (journal.unfinished(), journal.unfinished(ANN), journal.unfinished(BOB)) == (2, 2, 0)
    assert journal.idle("open", 1.5) == ["open"]
    counts = journal.counts("", 10)
    assert {entry["name"]: (entry["games"], entry["wins"], entry["rate"], entry["agent"]) for entry in counts} == {
        "Ann": (1, 1, 1.0, False),
        "greedy": (1, 0, 0.0, True),
    }
    with ThreadPoolExecutor(4) as threads:  # where the service asks for them
        found = threads.map(lambda game: len(journal.counts(game, 10)), ["", "hearthstone", "spire"] * 10)
        assert list(found) == [2, 2, 0] * 10
    asyncio.run(journal.forget(10.0))
    assert journal.events("over") == []
    assert len(journal.counts("", 10)) == 2  # results stay
    assert len(journal.public_tables("", 10)) == 2
    journal.close()


class Watcher:
    """A connection that keeps what it is sent."""

    player = ANN

    def __init__(self) -> None:
        self.texts: list[str] = []

    def send(self, text: str) -> None:
        self.texts.append(text)


def test_a_move_that_cannot_be_saved_is_not_shown_and_can_be_played_again() -> None:
    """A full disk costs the move, not the table; the deal and all chances stay the same."""

    async def run() -> None:
        settings = Settings()
        journal = TableJournal()
        hub = TableHub(journal, PlanPool(1, 1, 1, 1), settings)
        hub.start()
        create = {"game": "spire", "seed": 3}
        table_id = await hub.create(ANN, "Ann", read_create(create))
        room = hub.room(table_id)
        await hub.command(room, lambda table: table.set_ready(ANN, True))
        watcher = Watcher()
        await hub.watch(room, watcher, None)
        action = {"type": "end"}
        expected = LiveTable.from_events(journal.events(table_id))
        _, after = expected.move(ANN, 0, action, None)
        append = journal.append

        async def fail(entries: Any) -> None:
            raise PlannerError("disk full")

        journal.append = fail  # type: ignore[method-assign]
        sent = len(watcher.texts)
        with pytest.raises(PlannerError, match="disk full"):
            await hub.move(room, ANN, 0, action, None)
        assert len(watcher.texts) == sent
        assert len(room.table.moves) == 0
        journal.append = append  # type: ignore[method-assign]
        await hub.move(room, ANN, 0, action, None)
        assert room.table.state == after
        assert len(watcher.texts) == sent + 1
        await hub.stop()

    asyncio.run(run())


def test_clocks_and_agents_go_on_after_the_journal_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A locked journal stops nothing for longer than it is locked."""
    monkeypatch.setattr(table_hub, "_TICK_SECONDS", 0.01)
    monkeypatch.setattr(table_hub, "_RETRY_SECONDS", 0.01)

    async def run() -> None:
        journal = TableJournal()
        hub = TableHub(journal, PlanPool(1, 1, 1, 1), Settings(open_seconds=0.04, agent_pause=0.0))
        failures = list[str]()
        originals = {name: getattr(journal, name) for name in ("append", "forget", "idle", "public_tables")}

        async def failing(name: str, *_: Any) -> None:
            failures.append(name)
            raise sqlite3.OperationalError("database is locked")

        def failing_now(name: str, *_: Any) -> None:
            failures.append(name)
            raise sqlite3.OperationalError("database is locked")

        async def decision(*_: Any) -> Any:
            return room.table.game.default_action(room.table.state)

        monkeypatch.setattr(table_hub, "decide", decision)
        hub.start()
        agents = [{"kind": "person"}, {"kind": "agent", "agent": "random"}]
        create = {"game": "hearthstone", "seats": agents, "clock": {"seconds": 3600}}
        room = hub.room(await hub.create(ANN, "Ann", read_create(create)))
        await hub.command(room, lambda table: table.set_ready(ANN, True))
        await hub.move(room, ANN, 0, None, [])
        watcher = Watcher()
        hub.lobby[watcher] = None
        for name in ("append", "forget"):
            setattr(journal, name, partial(failing, name))
        for name in ("idle", "public_tables"):
            setattr(journal, name, partial(failing_now, name))
        await hub.watch(room, watcher, None)  # the agent moves
        hub._lobby_changed = True
        async with asyncio.timeout(10):
            while not {"append", "idle", "public_tables"} <= set(failures):
                await asyncio.sleep(0.01)
        for name, original in originals.items():
            setattr(journal, name, original)
        async with asyncio.timeout(10):
            while room.table.to_move != 0:  # the agent's move is tried again
                await asyncio.sleep(0.01)
            async with room.lock:  # the move starts the clock when it has been written
                room.clock_started -= 3601
            while room.table.status == "playing":
                await asyncio.sleep(0.01)
        assert room.table.notice == "Ann ran out of time"
        assert len(room.table.moves) == 2
        await hub.stop()

    asyncio.run(run())
