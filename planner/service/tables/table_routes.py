"""The HTTP questions about tables, and the path of their WebSocket."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import FastAPI, Header, Query
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.websockets import WebSocket

from planner.agents.agent_spec import agent_names
from planner.arena.match.record import MatchRecord, RecordedMove, RecordedTurn, digest
from planner.arena.match.referee import chance, deal
from planner.errors import PlannerError
from planner.game import AnyGame
from planner.games import game
from planner.planning.capabilities import PlansTurns
from planner.service.tables.live_table import ENDED, LiveTable
from planner.service.tables.table_hub import Room, TableHub, dumps
from planner.service.tables.table_socket import TableSocket, player_of
from planner.service.tables.table_spec import default_agent, table_games
from planner.table_view import options_json, setup_from_options

SOCKET: Final = "/tables/socket"
_LISTED: Final = 200


def add_tables(app: FastAPI, hub: TableHub) -> None:
    """Add the paths of tables."""

    def room(table_id: str) -> Room:
        try:
            return hub.room(table_id)
        except PlannerError as error:
            raise HTTPException(404, str(error)) from None

    @app.websocket(SOCKET)
    async def socket(websocket: WebSocket) -> None:
        await TableSocket(hub, websocket).run()

    @app.get("/games", operation_id="list_games", include_in_schema=False)
    async def games() -> Response:
        """List the games that can be played at tables, with the options of their tables and their agents."""
        return _json({"games": [_describe_game(name) for name in table_games()]})

    @app.get("/tables", operation_id="list_tables", include_in_schema=False)
    async def tables(game: Annotated[str, Query(max_length=100)] = "") -> Response:
        """List the public tables that are open or being played, newest first."""
        return _json({"tables": hub.journal.public_tables(game, _LISTED)})

    @app.get("/tables/{table}", operation_id="get_table", include_in_schema=False)
    async def table(table: str, x_player_secret: Annotated[str, Header(max_length=100)] = "") -> Response:
        """Return a table as a spectator sees it, or the player with this secret."""
        player = player_of(x_player_secret) if x_player_secret else ""
        return _json(await hub.frame(room(table), player))

    @app.get("/tables/{table}/log", operation_id="get_table_log", include_in_schema=False)
    async def log(table: str) -> Response:
        """Return the log of a finished match, for replays and reviews."""
        chosen = room(table).table
        if chosen.status != ENDED:
            raise HTTPException(409, "the match is not over")
        if chosen.outcome is None:
            raise HTTPException(409, "the match was not decided")
        return _json(await run_in_threadpool(lambda: match_record(chosen).to_dict()))

    @app.get("/players", operation_id="list_players", include_in_schema=False)
    async def players(game: Annotated[str, Query(max_length=100)] = "") -> Response:
        """Count the finished matches of people and agents: games, wins and points per game."""
        return _json({"players": hub.journal.counts(game, _LISTED)})


def _json(value: Any) -> Response:
    return Response(dumps(value), media_type="application/json")


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
    chosen = table.game
    setup = setup_from_options(chosen, table.spec.options, len(table.seats))
    initial = state = deal(chosen, setup, table.seed)
    rng, turns = chance(table.seed), list[RecordedTurn]()
    for move in table.moves:
        number, seat = chosen.turn(state), chosen.to_move(state)
        action = chosen.action_from_json(move.action)
        state = chosen.apply(state, action, rng)
        recorded = RecordedMove(action, digest(chosen, state))
        if turns and (turns[-1].number, turns[-1].seat) == (number, seat):
            turns[-1] = turns[-1]._replace(moves=(*turns[-1].moves, recorded))
        else:
            turns.append(RecordedTurn(number, seat, (recorded,)))
    assert table.outcome is not None
    names = tuple(seat.name or seat.was for seat in table.seats)
    return MatchRecord(
        chosen, names, setup, table.seed, initial, digest(chosen, initial), tuple(turns), table.outcome, final=state
    )
