"""What a reader receives of a table: one JSON object for everything that they may know.

All of it comes from `table_view`, which sees only what `observe` shows, from the lines of the log that were made for
this reader, and from facts that are open to all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner.service.tables.live_table import ENDED, PLAYING, LiveTable
from planner.table_view import legal_moves, table_view


@dataclass
class Presence:
    """What the server knows of a table besides its events; it is not kept over a restart."""

    connected: set[str] = field(default_factory=set)  # players
    leaves_in: Mapping[int, float] = field(default_factory=dict)  # seconds until a seat is given up
    running: float = 0.0  # seconds that the clock of the seat to move has been running
    ends_in: float = 0.0  # seconds until the table ends without a change


def table_frame(
    table: LiveTable, presence: Presence, player: str, view: int | None, log_from: int = 0, chat_from: int = 0
) -> dict[str, Any]:
    """Return the frame of a table for a player who sees the view of a seat, or that of spectators.

    It has the lines of log and chat from these numbers on.
    """
    own = table.seat_of(player)
    frame: dict[str, Any] = {
        "type": "table",
        "table": _public_part(table, presence) | {"take_back": table.may_take_back(player)},
        "you": {"seat": own, "creator": player == table.creator},
        "view": None,
        "moves": [],
    }
    if table.started:
        frame["view"] = table_view(table.game, table.state, view)
    if table.status == PLAYING and own is not None and table.to_move == own:
        frame["moves"] = legal_moves(table.game, table.state)
    line = -1 if view is None else view
    log_from = min(log_from, len(table.moves))
    chat_from = max(chat_from, table.chat_lines - len(table.chat))
    skipped = chat_from - (table.chat_lines - len(table.chat))
    frame["log"] = {"from": log_from, "lines": [json.loads(move.lines[line]) for move in table.moves[log_from:]]}
    frame["chat"] = {"from": chat_from, "lines": table.chat[skipped:]}
    return frame


def _public_part(table: LiveTable, presence: Presence) -> dict[str, Any]:
    spec = table.spec
    part: dict[str, Any] = {
        "id": table.id,
        "game": spec.game,
        "title": spec.title,
        "options": spec.options,
        "status": table.status,
        "version": table.version,
        "public": spec.public,
        "chat": table.chat_on,
        "creator": table.creator,
        "seats": [_seat(table, index, presence) for index in range(len(table.seats))],
        "moves": len(table.moves),
        "leave": {"wait": spec.leave.wait, "then": spec.leave.then},
    }
    if spec.clock is not None:
        part["clock"] = {"seconds": spec.clock.seconds, "increment": spec.clock.increment}
    if not table.is_counted:
        part["counted"] = False
    if table.notice:
        part["notice"] = table.notice
    if table.next_id:
        part["next"] = table.next_id
    if table.status == ENDED:
        outcome = table.outcome
        part["outcome"] = outcome and {
            "points": list(outcome.points),
            "winner": outcome.winner,
            "places": list(outcome.places),
            "reason": outcome.reason,
            "rounds": outcome.rounds,
        }
    else:
        part["ends_in"] = round(presence.ends_in)
    return part


def _seat(table: LiveTable, index: int, presence: Presence) -> dict[str, Any]:
    seat = table.seats[index]
    part: dict[str, Any] = {"kind": seat.kind, "name": seat.name, "ready": seat.ready}
    if seat.agent:
        part["agent"] = seat.agent
    if seat.player:
        part |= {"player": seat.player, "connected": seat.player in presence.connected, "shares": seat.shares}
    if seat.was:
        part["was"] = seat.was
    if seat.left is not None:
        running = presence.running if table.to_move == index else 0.0
        part["clock"] = round(max(0.0, seat.left - running), 1)
    if index in presence.leaves_in:
        part["leaves_in"] = round(presence.leaves_in[index], 1)
    return part
