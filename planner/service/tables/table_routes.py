"""The HTTP questions about tables, and the path of their WebSocket."""

from __future__ import annotations

import json
from functools import cache
from typing import Annotated, Any, Final

from fastapi import FastAPI, Header, Query
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.websockets import WebSocket

from planner.agents.agent_spec import agent_names
from planner.arena.match.record import MatchRecord, RecordedMove, RecordedTurn, digest
from planner.arena.match.referee import UNTERMINATED, chance, deal, give_up
from planner.errors import PlannerError
from planner.game import AnyGame
from planner.games import game
from planner.planning.capabilities import PlansTurns
from planner.service.address_limits import AddressLimits
from planner.service.gate import AsciiResponse
from planner.service.tables.live_table import ENDED, LiveTable
from planner.service.tables.table_hub import Room, TableHub
from planner.service.tables.table_journal import dumps
from planner.service.tables.table_socket import TableSocket, player_of
from planner.service.tables.table_spec import default_agent, table_games
from planner.table_view import options_json, setup_from_options

SOCKET: Final = "/tables/socket"
_LISTED: Final = 200


def add_tables(app: FastAPI, hub: TableHub, limits: AddressLimits) -> None:
    """Add the paths of tables."""

    def room(table_id: str) -> Room:
        try:
            return hub.room(table_id)
        except PlannerError as error:
            raise HTTPException(404, str(error)) from None

    @app.websocket(SOCKET)
    async def socket(websocket: WebSocket) -> None:
        await TableSocket(hub, websocket, limits).run()

    @app.get("/games", operation_id="list_games")
    async def games() -> Response:
        """List the games that can be played at tables, with the options of their tables and their agents."""
        # In a thread, since the first visitor's question reads all decks and definitions.
        return Response(await run_in_threadpool(_games_text), media_type="application/json")

    @app.get("/tables", operation_id="list_tables")
    async def tables(game: Annotated[str, Query(max_length=100)] = "") -> Response:
        """List the public tables that are open or being played, newest first."""
        return AsciiResponse({"tables": hub.journal.public_tables(game, _LISTED)})

    @app.get("/tables/{table}", operation_id="get_table")
    async def table(table: str, x_player_secret: Annotated[str, Header(max_length=100)] = "") -> Response:
        """Return a table as a spectator sees it, or the player with this secret."""
        player = player_of(x_player_secret) if x_player_secret else ""
        return AsciiResponse(await hub.frame(room(table), player))

    @app.get("/tables/{table}/log", operation_id="get_table_log")
    async def log(table: str) -> Response:
        """Return the log of a finished match, for replays and reviews."""
        chosen = room(table).table
        if chosen.status != ENDED:
            raise HTTPException(409, "the match is not over")
        if not chosen.moves:
            raise HTTPException(409, "no move was made")
        return AsciiResponse(await run_in_threadpool(lambda: match_record(chosen).to_dict()))

    @app.get("/players", operation_id="list_players")
    async def players(game: Annotated[str, Query(max_length=100)] = "") -> Response:
        """Count the finished matches of people and agents: games, wins and points per game."""
        return AsciiResponse({"players": await run_in_threadpool(hub.journal.counts, game, _LISTED)})


@cache
def _games_text() -> str:
    return dumps({"games": [_describe_game(name) for name in table_games()]})


def _describe_game(name: str) -> dict[str, Any]:
    chosen = game(name)
    return {"name": name, **options_json(chosen), "agents": _agents(chosen), "agent": default_agent(name)}


def _agents(chosen: AnyGame) -> list[dict[str, str]]:
    profiles = chosen.profiles if isinstance(chosen, PlansTurns) else None
    return [
        {
            "name": name,
            "description": profiles.named(name).description if profiles and name in profiles.names() else "",
        }
        for name in agent_names(chosen)
    ]


def match_record(table: LiveTable) -> MatchRecord:
    """Return a finished match as its log contains it; the moves are played again for their digests."""
    chosen, seats = table.game, len(table.seats)
    setup = setup_from_options(chosen, table.spec.options, seats)
    initial = state = deal(chosen, setup, table.seed)
    rng, turns = chance(table.seed), list[RecordedTurn]()
    for move in table.moves:
        number, seat = chosen.turn(state), chosen.to_move(state)
        if not turns or turns[-1].number != number or (number == 0 and turns[-1].seat != seat):
            turns.append(RecordedTurn(number, seat, ()))
        action = chosen.action_from_json(json.loads(move.action))
        state = chosen.apply(state, action, rng)
        last = turns[-1]
        recorded = RecordedMove(action, digest(chosen, state), seat=None if seat == last.seat else seat)
        turns[-1] = last._replace(moves=(*last.moves, recorded))
    outcome, forfeits = table.outcome, tuple(table.removed)
    if outcome is None or chosen.outcome(state) is None:
        reason = f"{UNTERMINATED}: {table.notice}" if outcome is None else forfeits[-1].reason
        outcome = give_up(forfeits, seats, reason, chosen.turn(state))
    names = tuple(f"{seat.was}, then {seat.agent}" if seat.agent and seat.was else seat.name for seat in table.seats)
    start = digest(chosen, initial)
    return MatchRecord(
        chosen, names, setup, table.seed, initial, start, tuple(turns), outcome, forfeits=forfeits, final=state
    )
