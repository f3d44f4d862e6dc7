"""One table in memory: a fold over the events of its journal, and the commands that produce new events.

Nothing here waits or writes. A command checks a message and returns the events that it leads to, and `apply` carries
out an event. The hub writes the events to the journal in between, so that `apply` of the same events after a restart
leads to the same table.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from planner.arena.match.record import Forfeit
from planner.arena.match.referee import (
    LEFT,
    MAX_TURN_ACTIONS,
    chance,
    deal,
    derive_seed,
    give_up,
    rank_forfeits,
)
from planner.errors import PlannerError
from planner.formats.values import at
from planner.game import Outcome
from planner.service.tables.table_journal import Event, JournalEntry, ResultRow, TableRow, dumps
from planner.service.tables.table_spec import AGENT, MAX_CHAT, PERSON, REMOVED, TableSpec, read_line, table_game
from planner.table_view import describe_move, options_json, setup_from_options

OPEN, PLAYING, ENDED = "open", "playing", "ended"
MAX_MOVES: Final = 5000  # of one match: a visitor must not fill the memory of the server
_MAX_CHAT_LINES: Final = 500  # kept in memory


@dataclass
class TableSeat:
    """Who sits in a seat."""

    kind: str
    player: str = ""  # of a person; empty while the seat is free
    name: str = ""
    agent: str = ""
    ready: bool = False
    shares: bool = False  # whether spectators may see this seat's view
    was: str = ""  # the name of the person whom an agent replaced
    left_player: str = ""  # the person who left and has lost the match
    left: float | None = None  # seconds on the clock after the last move

    @property
    def is_free(self) -> bool:
        """Return whether a person can sit down."""
        return self.kind == PERSON and not self.player


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A move: who made it, the action, its log line for each seat and for spectators.

    The action and the lines are JSON texts, which take a quarter of the memory of their values: a server keeps the
    moves of all matches that are being played.
    """

    seat: int
    turn: int
    action: str
    lines: tuple[str, ...]
    choice: tuple[str, ...] | None = None  # the cards, where the action was sent as a choice
    left: float | None = None  # seconds on the clock of the seat before the move

    @classmethod
    def from_event(cls, event: Event, left: float | None) -> PlayedMove:
        """Return the move of an event; `left` is what the clock of its seat showed before it."""
        texts = [json.dumps(line) for line in event["lines"]]
        lines = tuple(texts[texts.index(text)] for text in texts)  # most readers get the same line: keep it once
        choice = event.get("choice")
        turn = event["lines"][-1]["turn"]
        return cls(event["seat"], turn, json.dumps(event["action"]), lines, choice and tuple(choice), left)


class LiveTable:
    """A table: its seats, its match and its log."""

    def __init__(self, create: Event) -> None:
        """Return a new table; `create` is its first event."""
        self.id: str = create["id"]
        self.spec = TableSpec.from_journal(create["spec"])
        self.game = table_game(self.spec.game)
        self.creator: str = create["creator"]
        self.seed: int = create["seed"]
        self.is_counted = not create.get("seed_chosen", False)  # in the counts of players and agents
        self.changed: float = create["at"]
        self.version = 1  # the number of events
        self.seats = [
            TableSeat(AGENT, name=agent, agent=agent, ready=True) if agent else TableSeat(PERSON)
            for agent in self.spec.seats
        ]
        self.status, self.started = OPEN, False
        self.moves: list[PlayedMove] = []
        self.removed: list[Forfeit] = []  # seats that pass from then on
        self.chat_on = self.spec.chat
        self.chat: list[dict[str, Any]] = []
        self.chat_lines = 0  # in all, also those that are no longer in memory
        self.outcome: Outcome | None = None
        self.notice = self.next_id = ""
        self.state: Any = None

    # -- events

    @classmethod
    def from_events(cls, events: Sequence[Event]) -> LiveTable:
        """Return the table after these events; the match is played again up to the last move."""
        first, *others = events
        table = cls(first)
        for event in others:
            table._record(event)
        if table.started:
            table._replay()
        return table

    def apply(self, event: Event, after: Any = None) -> None:
        """Carry out an event; `after` is the state after a move, where it is known."""
        self._record(event)
        match event["type"]:
            case "start" | "take_back":
                self._replay()
            case "move":
                self.state = after

    def _record(self, event: Event) -> None:
        """Carry out an event, but leave the state of the match as it is."""
        self.version += 1
        self.changed = event["at"]
        seat = self.seats[event["seat"]] if event.get("seat") is not None else None
        match event["type"]:
            case "sit":
                assert seat is not None
                seat.player, seat.name, seat.ready = event["player"], event["name"], False
            case "stand":
                assert seat is not None
                seat.player, seat.name, seat.ready, seat.shares = "", "", False, False
                self.creator = event.get("creator", self.creator)
            case "ready":
                assert seat is not None
                seat.ready = event["ready"]
            case "start":
                self.status, self.started = PLAYING, True
                for entry in self.seats:
                    if self.spec.clock is not None and entry.kind == PERSON:
                        entry.left = self.spec.clock.seconds
            case "move":
                assert seat is not None
                self.moves.append(PlayedMove.from_event(event, seat.left))
                if event.get("left") is not None:
                    seat.left = event["left"]
            case "replace":
                assert seat is not None
                seat.kind, seat.agent, seat.was, seat.left_player = AGENT, event["agent"], seat.name, seat.player
                seat.name, seat.player, seat.ready, seat.shares, seat.left = event["agent"], "", True, False, None
                self.notice = event["reason"]
            case "remove":
                assert seat is not None
                seat.left_player = seat.player
                seat.kind, seat.was, seat.player, seat.ready, seat.shares = REMOVED, seat.name, "", True, False
                seat.left = None
                self.notice = event["reason"]
                self.removed.append(Forfeit(event["seat"], len(self.moves), f"{LEFT}: {event['reason']}"))
            case "share":
                assert seat is not None
                seat.shares = event["on"]
            case "chat":
                self.chat_lines += 1
                self.chat = [*self.chat[1 - _MAX_CHAT_LINES :], event["line"]]
            case "chat_on":
                self.chat_on = event["on"]
            case "take_back":
                self._take_back(event["to"])
                self.is_counted = False
            case "end":
                self.status, self.notice = ENDED, event.get("notice", "")
                points = event["points"]
                self.outcome = points and Outcome(tuple(points), event["reason"], event["rounds"])
            case "next":
                self.next_id = event["table"]

    def _take_back(self, number: int) -> None:
        """Return to the clocks before this move. No person has left: moves are taken back against agents only."""
        for move in reversed(self.moves[number:]):
            self.seats[move.seat].left = move.left
        del self.moves[number:]

    def _replay(self) -> None:
        """Play the moves again from the deal."""
        game = self.game
        self._chance = chance(self.seed)
        state = deal(game, setup_from_options(game, self.spec.options, len(self.seats)), self.seed)
        for move in self.moves:
            state = game.apply(state, game.action_from_json(json.loads(move.action)), self._chance)
        self.state = state

    # -- questions

    @property
    def to_move(self) -> int | None:
        """Return the seat that decides next, or None where no decision is due."""
        return self.game.to_move(self.state) if self.status == PLAYING else None

    def seat_of(self, player: str) -> int | None:
        """Return the seat of a player, or None."""
        return next((index for index, seat in enumerate(self.seats) if player and seat.player == player), None)

    def view_seat(self, player: str, wanted: int | None) -> int | None:
        """Return the seat whose view a reader gets: their own, one that is shared, or None for a spectator's."""
        own = self.seat_of(player)
        if own is not None:
            return own
        if wanted is not None and 0 <= wanted < len(self.seats) and self.seats[wanted].shares:
            return wanted
        return None

    @property
    def people(self) -> list[int]:
        """Return the seats in which people sit."""
        return [index for index, seat in enumerate(self.seats) if seat.player]

    def is_against_agents(self, player: str) -> bool:
        """Return whether all opponents of this player have been agents from the start.

        A match that began between people stays one after they have left: its result counts for them.
        """
        opponents = [seat for seat in self.seats if seat.player != player]
        return len(opponents) < len(self.seats) and not any(seat.player or seat.left_player for seat in opponents)

    def may_take_back(self, player: str) -> bool:
        """Return whether this player may take back a move: the creator, against agents only."""
        return (
            self.status == PLAYING
            and player == self.creator
            and self.is_against_agents(player)
            and any(self.seats[move.seat].player == player for move in self.moves)
        )

    def agent_seed(self) -> int:
        """Return the seed of an agent's next decision, which depends only on the table's seed."""
        return derive_seed(self.seed, "agent", len(self.moves))

    def entry(self, first: int, events: Sequence[Event]) -> JournalEntry:
        """Return what the journal writes after these events, of which the first has this number."""
        summary = {
            "game": self.spec.game,
            "title": self.spec.title,
            "options": self.spec.options,
            "seats": [
                {"kind": seat.kind, "name": seat.name, "free": seat.is_free, "player": seat.player}
                for seat in self.seats
            ],
            "moves": len(self.moves),
            "clock": self.spec.clock and asdict(self.spec.clock),
            "points": self.outcome and list(self.outcome.points),
        }
        row = TableRow(
            self.id, self.spec.game, self.status, self.spec.public, self.creator, dumps(summary), self.changed
        )
        return JournalEntry(first, events, row, [seat.player for seat in self.seats], self.results())

    def results(self) -> list[ResultRow]:
        """Return what the counts of players and agents need.

        Who left has lost, whatever the agent that played on achieved; that agent played only a part and is not counted.
        A match in which moves were taken back, or whose deal its creator chose, shows no player's strength.
        """
        if self.status != ENDED or not self.is_counted:
            return []
        rows = []
        for index, seat in enumerate(self.seats):
            if seat.left_player or self.outcome is not None:
                points = 0.0 if seat.left_player or self.outcome is None else self.outcome.points[index]
                who = seat.left_player or seat.player or seat.agent
                name, is_agent = seat.was or seat.name, not seat.left_player and not seat.player
                rows.append(ResultRow(index, self.spec.game, who, name, is_agent, points, self.changed))
        return rows

    # -- commands: each returns the events that follow from a message, or raises a PlannerError

    def join(self, player: str, name: str, wanted: int | None) -> list[Event]:
        """Take a free seat."""
        if self.status != OPEN:
            raise PlannerError("the match at this table has started")
        if self.seat_of(player) is not None:
            raise PlannerError("you already sit at this table")
        free = [index for index, seat in enumerate(self.seats) if seat.is_free]
        if wanted is not None and wanted not in free:
            raise PlannerError(f"seat {wanted} is not free")
        if not free:
            raise PlannerError("no seat is free")
        return [{"type": "sit", "seat": free[0] if wanted is None else wanted, "player": player, "name": name}]

    def set_ready(self, player: str, ready: bool) -> list[Event]:
        """Be ready, or not; the match starts when all seats are taken and ready."""
        seat = self.own_seat(player)
        if self.status != OPEN:
            raise PlannerError("the match at this table has started")
        events: list[Event] = [{"type": "ready", "seat": seat, "ready": ready}]
        others = [entry for index, entry in enumerate(self.seats) if index != seat]
        if ready and all(entry.ready and not entry.is_free for entry in others):
            events.append({"type": "start"})
        return events

    def move(self, player: str, number: Any, action: Any, choice: Any) -> tuple[list[Event], Any]:
        """Play an action; return the events and the state after it. No event means that it was already played."""
        seat = self.own_seat(player)
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise PlannerError("move: must be the number of moves before this one")
        if self.status == OPEN:
            raise PlannerError("this table has not started")
        if choice is not None:
            cards = choice if isinstance(choice, list) and all(isinstance(card, str) for card in choice) else None
            if cards is None or action is not None:
                raise PlannerError("choice: must be a list of ids, without an action")
        if number < len(self.moves) and self._was_played(seat, number, action, choice):
            return [], self.state
        if self.status == ENDED:
            raise PlannerError("the match is over")
        if number != len(self.moves):
            raise PlannerError(f"move: {len(self.moves)} moves were played, this one is for {number}")
        if self.to_move != seat:
            raise PlannerError("it is not your turn")
        if choice is None:
            return self.play(seat, self.game.action_from_json(action))
        seen = self.game.observe(self.state, seat)
        events, after = self.play(seat, self.game.choose(seen, choice))  # type: ignore[attr-defined]
        events[0]["choice"] = choice
        return events, after

    def _was_played(self, seat: int, number: int, action: Any, choice: Any) -> bool:
        """Return whether a move that is sent again is the one that was played."""
        move = self.moves[number]
        if choice is not None or move.choice is not None:
            return choice is not None and (move.seat, move.choice) == (seat, tuple(choice))
        sent = self.game.action_to_json(self.game.action_from_json(action))
        return move.seat == seat and sent == json.loads(move.action)

    def play(self, seat: int, action: Any) -> tuple[list[Event], Any]:
        """Play an action of the seat to move; return the events and the state after it."""
        game, before = self.game, self.state
        if (reason := game.illegal_reason(before, action)) is not None:
            raise PlannerError(reason)
        # The generator is changed here; where the journal cannot be written, the hub loads the table again.
        after = game.apply(before, action, self._chance)
        readers: list[int | None] = [*range(len(self.seats)), None]
        lines = [describe_move(game, before, action, after, reader) for reader in readers]
        events: list[Event] = [{"type": "move", "seat": seat, "action": game.action_to_json(action), "lines": lines}]
        outcome = game.outcome(after)
        if outcome is not None:
            events.append(self._end_event(rank_forfeits(outcome, self.removed, len(self.seats), game.turn(after))))
        elif len(self.moves) + 1 >= MAX_MOVES:
            events.append({"type": "end", "points": None, "notice": f"the match reached {MAX_MOVES:,} moves"})
        return events, after

    @staticmethod
    def _end_event(outcome: Outcome, notice: str = "") -> Event:
        return {
            "type": "end",
            "points": list(outcome.points),
            "reason": outcome.reason,
            "rounds": outcome.rounds,
            "notice": notice,
        }

    def give_up(self, seat: int, reason: str, by_agent: bool) -> list[Event]:
        """Let an agent play on for a seat, or remove it; a table with too few players ends."""
        name = self.seats[seat].name
        if self.status == ENDED:
            raise PlannerError("the match is over")
        if by_agent:
            agent = self.spec.leave.agent
            return [{"type": "replace", "seat": seat, "agent": agent, "reason": f"{name} {reason}; {agent} plays on"}]
        notice = f"{name} {reason}"
        events: list[Event] = [{"type": "remove", "seat": seat, "reason": notice}]
        remaining = [index for index, entry in enumerate(self.seats) if entry.kind != REMOVED and index != seat]
        least, _ = options_json(self.game)["seats"]
        if len(remaining) < least or not any(self.seats[index].player for index in remaining):
            lost = Forfeit(seat, len(self.moves), f"{LEFT}: {notice}")
            turn = self.game.turn(self.state)
            events.append(self._end_event(give_up([*self.removed, lost], len(self.seats), lost.reason, turn), notice))
        return events

    def leave(self, player: str) -> list[Event]:
        """Leave the table for good; its creator closes it, or hands it on to another person who waits there."""
        seat = self.seat_of(player)
        others = [entry.player for entry in self.seats if entry.player and entry.player != player]
        if not others and self.status != ENDED and (self.status == OPEN or seat is None) and player == self.creator:
            return self.expire("its creator closed the table")
        if self.status == OPEN:
            stand: Event = {"type": "stand", "seat": self.own_seat(player)}
            return [stand | ({"creator": others[0]} if player == self.creator else {})]
        return self.give_up(self.own_seat(player), "left", self.spec.leave.then == AGENT and len(self.people) > 1)

    def expire(self, notice: str) -> list[Event]:
        """End a table at which nothing happens."""
        return [{"type": "end", "points": None, "notice": notice}]

    def say(self, player: str, name: str, text: Any, now: float) -> list[Event]:
        """Add a line to the chat."""
        if not self.chat_on:
            raise PlannerError("the chat is off")
        with at("text"):
            line = read_line(text, MAX_CHAT)
            if not line:
                raise PlannerError("must not be empty")
        entry = {"name": name, "player": player, "seat": self.seat_of(player), "text": line, "time": round(now)}
        return [{"type": "chat", "line": entry}]

    def switch_chat(self, player: str, on: bool) -> list[Event]:
        """Switch the chat on or off."""
        if player != self.creator:
            raise PlannerError("only the creator of the table can do this")
        return [{"type": "chat_on", "on": on}]

    def share(self, player: str, on: bool) -> list[Event]:
        """Let spectators see the view of one's seat, or no longer."""
        return [{"type": "share", "seat": self.own_seat(player), "on": on}]

    def take_back(self, player: str) -> list[Event]:
        """Take back the creator's last move and what followed."""
        if not self.may_take_back(player):
            raise PlannerError("only the creator can take back moves, and only against agents")
        seat = self.seat_of(player)
        last = max(index for index, move in enumerate(self.moves) if move.seat == seat)
        return [{"type": "take_back", "to": last}]

    def rematch(self, player: str, new_id: str, seed: int) -> list[Event]:
        """Return the events of a new table with everybody one seat further."""
        self.own_seat(player)
        if self.status != ENDED:
            raise PlannerError("the match is not over")
        agents = tuple(seat.agent if seat.kind == AGENT and not seat.was else "" for seat in self.seats)
        events = [create_event(new_id, replace(self.spec, seats=agents).rotated(), self.creator, seed)]
        for index, seat in enumerate(self.seats):
            if seat.player:
                place = (index + 1) % len(self.seats)
                events.append({"type": "sit", "seat": place, "player": seat.player, "name": seat.name})
        return events

    def own_seat(self, player: str) -> int:
        """Return the seat of a player who must have one."""
        seat = self.seat_of(player)
        if seat is None:
            raise PlannerError("you do not sit at this table")
        return seat


def create_event(table_id: str, spec: TableSpec, creator: str, seed: int, seed_chosen: bool = False) -> Event:
    """Return the first event of a table."""
    event = {"type": "create", "id": table_id, "spec": spec.to_json(), "creator": creator, "seed": seed}
    return event | ({"seed_chosen": True} if seed_chosen else {})


def stuck_turn(table: LiveTable) -> bool:
    """Return whether an agent has made too many moves in one turn: it may never end it."""
    count = 0
    turn = table.game.turn(table.state)
    for move in reversed(table.moves):
        if move.turn != turn:
            break
        count += 1
    return count >= MAX_TURN_ACTIONS
