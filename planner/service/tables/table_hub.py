"""All tables of a server: loads them from the journal, carries out commands, informs readers, lets agents move.

The rules of a game run in the event loop: an action and its views take well under a millisecond. An agent's decision
takes longer and is left to the worker processes.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

from planner.errors import PlannerError
from planner.service.address_limits import UNLIMITED
from planner.service.plan_pool import PlanPool
from planner.service.server import Settings
from planner.service.tables.live_table import ENDED, OPEN, PLAYING, LiveTable, create_event, stuck_turn
from planner.service.tables.table_agents import decide
from planner.service.tables.table_frames import Presence, table_frame
from planner.service.tables.table_journal import Event, JournalEntry, TableJournal, dumps
from planner.service.tables.table_spec import AGENT, PERSON, REMOVED, CreateRequest
from planner.user_code import short_error

_log = logging.getLogger("planner.service")
_ID_BYTES: Final = 10  # 80 bits: an address that cannot be guessed is an invitation
_ID: Final = re.compile(f"[0-9a-f]{{{2 * _ID_BYTES}}}")
_KEPT_SECONDS: Final = 60.0  # an unused table stays in memory
_TICK_SECONDS: Final = 0.25
_RETRY_SECONDS: Final = 1.0  # before an agent whose move failed tries again
_CLEAN_SECONDS: Final = 60.0  # between searches for tables that have expired
_LOBBY_SECONDS: Final = 1.0
_LOBBY_TABLES: Final = 100


class Watcher(Protocol):
    """A connection that receives frames. It never waits: what cannot be sent at once waits in its queue."""

    player: str

    def send(self, text: str) -> None:
        """Send a message."""


@dataclass
class Subscription:
    """What a connection has received of a table."""

    seat: int | None  # that a spectator asked for
    log: int = 0
    chat: int = 0


@dataclass
class Room:
    """A table in memory, and who is there."""

    table: LiveTable
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # commands and frames come one after the other
    watchers: dict[Watcher, Subscription] = field(default_factory=dict)
    gone: dict[int, float] = field(default_factory=dict)  # by seat: seconds that others have waited for its person
    clock_started: float = field(default_factory=time.monotonic)
    agent_task: asyncio.Task[None] | None = None
    unused_since: float = field(default_factory=time.monotonic)

    @property
    def connected(self) -> set[str]:
        """Return the players who are there."""
        return {watcher.player for watcher in self.watchers}


class TableHub:
    """The tables of a server."""

    def __init__(self, journal: TableJournal, pool: PlanPool, settings: Settings) -> None:
        self.journal, self.pool, self._settings = journal, pool, settings
        self.rooms: OrderedDict[str, Room] = OrderedDict()
        self.lobby: dict[Watcher, None] = {}
        self._lobby_changed = False
        self._made: dict[str, list[str]] = {}  # by address: the tables that were made from it
        self._creating = asyncio.Lock()  # tables are made one after the other, so that limits hold
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self) -> None:
        """Start the clocks."""
        self._spawn(self._tick_forever())

    async def stop(self) -> None:
        """Stop all tasks and close the journal."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(self.journal.close)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a table failed", exc_info=error)

    # -- tables

    def room(self, table_id: Any) -> Room:
        """Return a table; load it from the journal where it is not in memory."""
        if not isinstance(table_id, str):
            raise PlannerError("table: must be the id of a table")
        if table_id in self.rooms:
            return self.rooms[table_id]
        events = self.journal.events(table_id) if _ID.fullmatch(table_id) else []
        if not events:
            raise PlannerError("table: there is no such table; it may have been deleted")
        try:
            room = Room(LiveTable.from_events(events))
        except Exception as error:  # the rules or the cards have changed since
            _log.warning("table %s cannot be loaded", table_id, exc_info=error)
            raise PlannerError(f"table: it cannot be resumed: {short_error(error)}") from None
        self.rooms[table_id] = room
        return room

    async def create(self, player: str, name: str, request: CreateRequest, address: str = UNLIMITED) -> str:
        """Make a table and return its id; it counts for the player and for the address of the client."""
        async with self._creating:
            self._check_limits(player, "you have", address)
            seed = secrets.randbits(52) if request.seed is None else request.seed
            events = [create_event(_new_id(), request.spec, player, seed, request.seed is not None)]
            free = [seat for seat, agent in enumerate(request.spec.seats) if not agent]
            if not free:
                events.append({"type": "start"})
            elif request.sit:
                events.append({"type": "sit", "seat": free[0], "player": player, "name": name})
            return await self._make(events, address)

    async def _make(self, events: Sequence[Event], address: str, *others: JournalEntry) -> str:
        """Write a new table, and other entries with it, and return its id; the caller holds the lock for this."""
        now = time.time()
        for event in events:
            event["at"] = now
        table = LiveTable.from_events(events)
        await self.journal.append([table.entry(0, events), *others])
        if address != UNLIMITED:
            self._made[address] = [*self.journal.unfinished_of(self._made.get(address, ())), table.id]
        self.rooms[table.id] = Room(table)
        self._lobby_changed = True
        return table.id

    def _check_limits(self, creator: str, who: str, address: str) -> None:
        """Raise an error where no further table is allowed; the caller holds the lock until the table is written.

        Addresses are kept only in memory: no file says who played from where.
        """
        limits = self._settings
        if len(self.journal.unfinished_of(self._made.get(address, ()))) >= limits.address_tables:
            raise PlannerError(
                f"your network address has {limits.address_tables} tables that are not over; finish or leave one"
            )
        if self.journal.unfinished(creator) >= limits.tables_per_player:
            raise PlannerError(f"{who} {limits.tables_per_player} tables that are not over; finish or leave one")
        if self.journal.unfinished() >= limits.max_tables:
            raise PlannerError("this server has too many tables; try again later")

    async def command(self, room: Room, decide: Callable[[LiveTable], list[Event]]) -> None:
        """Carry out a command: its events are in the journal on return, and all readers are informed."""
        async with room.lock:
            await self._carry_out(room, decide(room.table))

    async def move(self, room: Room, player: str, number: Any, action: Any, choice: Any) -> None:
        """Play a person's move; one that was already played does nothing."""
        async with room.lock:
            table = room.table
            seat = table.seat_of(player)
            left = self._time_left(room, seat)
            if left is not None and left <= 0:
                raise PlannerError("your time is up")
            try:
                events, after = table.move(player, number, action, choice)
            except PlannerError:
                raise
            except Exception as error:  # a rule that fails must not cost the connection
                _log.exception("table %s: a move failed", table.id)
                self._reload(room)
                raise PlannerError(f"the move failed: {short_error(error)}") from None
            if left is not None and events and table.spec.clock is not None:
                events[0]["left"] = round(left + table.spec.clock.increment, 2)
            await self._carry_out(room, events, after)

    async def _carry_out(self, room: Room, events: Sequence[Event], after: Any = None) -> None:
        """Apply events, write them, and inform the readers; the caller holds the lock."""
        if not events:
            return
        table, now = room.table, time.time()
        first = table.version
        for event in events:
            event["at"] = now
            table.apply(event, after)
        try:
            await self.journal.append([table.entry(first, events)])
        except BaseException:
            self._reload(room)  # nothing of it has been shown
            raise
        for event in events:
            if event["type"] in ("start", "move", "take_back"):
                room.clock_started = time.monotonic()
            if event["type"] == "take_back":
                for known in room.watchers.values():
                    known.log = min(known.log, event["to"])
        if any(event["type"] not in ("move", "chat") for event in events):
            self._lobby_changed = True
        self.inform(room)
        self._let_agents_move(room)

    def _reload(self, room: Room) -> None:
        """Return to what the journal has."""
        try:
            room.table = LiveTable.from_events(self.journal.events(room.table.id))
        except Exception:
            _log.exception("table %s cannot be loaded again", room.table.id)
            self.rooms.pop(room.table.id, None)

    async def rematch(self, room: Room, player: str, address: str = UNLIMITED) -> str:
        """Make the table of a rematch, or return the one that was made."""
        async with room.lock, self._creating:
            table = room.table
            table.own_seat(player)
            if table.next_id:
                return table.next_id
            who = "you have" if player == table.creator else "the creator of the table has"
            self._check_limits(table.creator, who, address)
            others = table.rematch(player, _new_id(), secrets.randbits(52))
            own: Event = {"type": "next", "table": others[0]["id"], "at": time.time()}
            first = table.version
            table.apply(own)
            try:
                # Both tables in one transaction: a rematch exists if and only if the old table names it.
                new_id = await self._make(others, address, table.entry(first, [own]))
            except BaseException:
                self._reload(room)
                raise
            self.inform(room)
            return new_id

    # -- readers

    async def watch(self, room: Room, watcher: Watcher, wanted: int | None) -> None:
        """Send frames of a table to a connection, beginning with a complete one; a spectator may want a seat's view."""
        async with room.lock:
            seat, came = room.table.seat_of(watcher.player), watcher.player not in room.connected
            room.watchers[watcher] = Subscription(wanted)
            if seat is not None:
                room.gone.pop(seat, None)
            if came and seat is not None:
                self.inform(room)
            else:
                self._send(room, watcher, {})
            self._let_agents_move(room)

    async def unwatch(self, room: Room, watcher: Watcher) -> None:
        """End the frames; a person without any connection is gone."""
        async with room.lock:
            if room.watchers.pop(watcher, None) is None:
                return
            room.unused_since = time.monotonic()
            if room.table.seat_of(watcher.player) is not None and watcher.player not in room.connected:
                self.inform(room)

    def presence(self, room: Room) -> Presence:
        """Return what the server knows of a table besides its events."""
        table = room.table
        limit = self._settings.open_seconds if table.status == OPEN else self._settings.idle_seconds
        presence = Presence(room.connected, ends_in=max(0.0, table.changed + limit - time.time()))
        if table.status == PLAYING:
            presence.running = time.monotonic() - room.clock_started
            presence.leaves_in = {
                seat: max(0.0, table.spec.leave.wait - room.gone.get(seat, 0.0)) for seat in self._missing(room)
            }
        return presence

    def _missing(self, room: Room) -> list[int]:
        """Return the seats of people who are gone while other people wait for them."""
        connected = room.connected
        people = room.table.people
        missing = [seat for seat in people if room.table.seats[seat].player not in connected]
        return missing if len(missing) < len(people) else []

    def inform(self, room: Room) -> None:
        """Send a frame to every reader of a table."""
        texts: dict[Any, str] = {}
        for watcher in list(room.watchers):
            self._send(room, watcher, texts)

    def _send(self, room: Room, watcher: Watcher, texts: dict[Any, str]) -> None:
        """Send a frame; readers with the same view and the same knowledge share its text."""
        table, known = room.table, room.watchers[watcher]
        view = table.view_seat(watcher.player, known.seat)
        if view is None and table.seat_of(watcher.player) is None:
            shown = watcher.player if watcher.player == table.creator else ""
        else:
            shown = watcher.player
        key = (shown, view, known.log, known.chat)
        if key not in texts:
            frame = table_frame(table, self.presence(room), watcher.player, view, known.log, known.chat)
            texts[key] = dumps(frame)
        known.log, known.chat = len(table.moves), table.chat_lines
        watcher.send(texts[key])

    async def frame(self, room: Room, player: str) -> dict[str, Any]:
        """Return a complete frame."""
        async with room.lock:
            view = room.table.view_seat(player, None)
            return table_frame(room.table, self.presence(room), player, view)

    # -- the lobby

    def lobby_text(self) -> str:
        """Return the public tables as the lobby shows them."""
        return dumps({"type": "lobby", "tables": self.journal.public_tables("", _LOBBY_TABLES)})

    # -- agents

    def _let_agents_move(self, room: Room) -> None:
        """Start the task that plays for agents, if it is their turn and anyone looks."""
        task = room.agent_task
        if self._agent_to_move(room) is not None and (task is None or task.done()):
            room.agent_task = self._spawn(self._play_agents(room))

    def _agent_to_move(self, room: Room) -> int | None:
        seat = room.table.to_move
        if seat is None or not room.watchers or room.table.seats[seat].kind == PERSON:
            return None
        return seat

    async def _play_agents(self, room: Room) -> None:
        while (seat := self._agent_to_move(room)) is not None and self.rooms.get(room.table.id) is room:
            moved = False
            with self._kept_alive(f"table {room.table.id}"):
                await self._play_agent(room, seat)
                moved = True
            if not moved:  # such as a journal that cannot be written now
                await asyncio.sleep(_RETRY_SECONDS)

    async def _play_agent(self, room: Room, seat: int) -> None:
        """Let the agent of the seat to move play one action."""
        table, state = room.table, room.table.state
        default = table.game.default_action(table.game.observe(state, seat))  # as a replay expects it
        action, note = default, ""
        if table.seats[seat].kind != REMOVED and not stuck_turn(table):
            await asyncio.sleep(self._settings.agent_pause)
            action = await decide(self.pool, table, seat, state)
        async with room.lock:
            if room.table.state is not state or room.table.to_move != seat:
                return  # a move was taken back meanwhile
            if action is None:
                note = "default action: the agent did not decide"
            elif (reason := table.game.illegal_reason(state, action)) is not None:
                note = "default action: the agent chose an illegal one"
                _log.warning("table %s: agent %s: %s", table.id, table.seats[seat].agent, reason)
            events, after = room.table.play(seat, default if note else action)
            if note:  # without the reason, which may name a card that only the agent sees
                events[0]["lines"] = [line | {"note": note} for line in events[0]["lines"]]
            await self._carry_out(room, events, after)

    # -- time

    def _time_left(self, room: Room, seat: int | None) -> float | None:
        """Return the seconds on the clock of the seat to move, or None without a clock."""
        table = room.table
        if seat is None or table.to_move != seat:
            return None
        left = table.seats[seat].left
        return None if left is None else left - (time.monotonic() - room.clock_started)

    async def _tick_forever(self) -> None:
        last = time.monotonic()
        next_clean = next_lobby = 0.0
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            now = time.monotonic()
            for room in list(self.rooms.values()):
                if room.table.status == PLAYING or not room.watchers:
                    with self._kept_alive(f"table {room.table.id}"):
                        await self._tick(room, now, now - last)
            last = now
            if self._lobby_changed and now >= next_lobby and self.lobby:
                next_lobby = now + _LOBBY_SECONDS
                with self._kept_alive("the lobby"):
                    text = self.lobby_text()
                    self._lobby_changed = False
                    for watcher in list(self.lobby):
                        watcher.send(text)
            if now >= next_clean:
                next_clean = now + min(_CLEAN_SECONDS, self._settings.open_seconds / 4)
                with self._kept_alive("closing old tables"):
                    await self._expire()

    @staticmethod
    @contextmanager
    def _kept_alive(place: str) -> Iterator[None]:
        """Log what goes wrong at one place: the clocks of all tables must go on."""
        try:
            yield
        except PlannerError as error:
            _log.warning("%s: %s", place, error)
        except Exception:
            _log.exception("%s failed", place)

    async def _tick(self, room: Room, now: float, passed: float) -> None:
        """Count down for people who are gone and for clocks; forget a table that is not used."""
        table = room.table
        if not room.watchers:
            if now - room.unused_since > _KEPT_SECONDS and not room.lock.locked():
                self.rooms.pop(table.id, None)
            return
        if table.status == PLAYING:
            for seat in self._missing(room):
                room.gone[seat] = room.gone.get(seat, 0.0) + passed
                if room.gone[seat] >= table.spec.leave.wait:
                    await self.command(room, partial(self._give_up_missing, room, seat))
            await self._check_clock(room)

    def _give_up_missing(self, room: Room, seat: int, table: LiveTable) -> list[Event]:
        if table.status != PLAYING or seat not in self._missing(room):
            return []  # the person came back while the command waited
        room.gone.pop(seat, None)
        reason = f"was gone for {table.spec.leave.wait:g} s"
        return table.give_up(seat, reason, table.spec.leave.then == AGENT)

    async def _check_clock(self, room: Room) -> None:
        seat = room.table.to_move
        left = self._time_left(room, seat)
        if left is None or left > 0:
            return

        def give_up(table: LiveTable) -> list[Event]:
            left = self._time_left(room, seat)
            return [] if seat is None or left is None or left > 0 else table.give_up(seat, "ran out of time", False)

        await self.command(room, give_up)

    async def _expire(self) -> None:
        """End tables at which nothing has happened for a while, and delete what is old."""
        now, limits = time.time(), self._settings
        for status, seconds in ((OPEN, limits.open_seconds), (PLAYING, limits.idle_seconds)):
            for table_id in self.journal.idle(status, now - seconds):
                with self._kept_alive(f"table {table_id}"):
                    await self.command(self.room(table_id), partial(_expired, status, now - seconds))
        made = {address: self.journal.unfinished_of(tables) for address, tables in self._made.items()}
        self._made = {address: tables for address, tables in made.items() if tables}
        await self.journal.forget(now - limits.keep_seconds)


def _expired(status: str, before: float, table: LiveTable) -> list[Event]:
    if table.status == ENDED or table.status != status or table.changed >= before:
        return []
    return table.expire("nothing happened for a while, so the table was closed")


def _new_id() -> str:
    return secrets.token_hex(_ID_BYTES)
