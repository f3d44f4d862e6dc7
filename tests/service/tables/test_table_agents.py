"""Every agent at a table decides within a bound, and a worker that is lost does not cost it its turn."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from planner.agents.agent_spec import agent_names
from planner.games.hearthstone.rules.actions import Play
from planner.protocol.match_requests import decide as decide_request
from planner.service.plan_pool import PlanPool, Reply, WorkerLostError, WorkerTimeoutError
from planner.service.server import Settings
from planner.service.tables import table_agents, table_hub
from planner.service.tables.table_hub import TableHub
from planner.service.tables.table_journal import TableJournal
from planner.service.tables.table_spec import read_create, table_games
from tests.service.tables.test_frames import new_table


class ScriptedPool(PlanPool):
    """Answers with these errors, then with the last legal action."""

    def __init__(self, errors: list[Exception], action: Any) -> None:
        self.errors, self.action, self.requests, self.seconds = errors, action, list[Any](), list[float]()

    async def ask(self, request: bytes, *_: Any, seconds: float = 0.0, **__: Any) -> Reply:
        self.requests.append(json.loads(request[1:]))
        self.seconds.append(seconds)
        if len(self.requests) <= len(self.errors):
            raise self.errors[len(self.requests) - 1]
        return Reply(200, json.dumps({"action": self.action}).encode())


@pytest.mark.parametrize(
    ("errors", "asked", "fails"),
    [
        ([], 1, False),
        ([WorkerLostError("died")] * 4, 5, False),
        ([WorkerLostError("died")] * 5, 5, True),
        ([WorkerTimeoutError("timed out")], 2, False),
        ([WorkerTimeoutError("timed out")] * 2, 2, True),
        ([WorkerTimeoutError("timed out"), WorkerLostError("died"), WorkerTimeoutError("timed out")], 3, True),
    ],
)
def test_lost_workers_are_replaced_and_slow_agents_are_not_asked_for_ever(
    errors: list[Exception], asked: int, fails: bool
) -> None:
    table = new_table("hearthstone", 1, 2)
    game, state = table.game, table.state
    table.seats[0].agent = "mcts"
    wanted = game.legal_actions(state)[-1]
    pool = ScriptedPool(errors, game.action_to_json(wanted))
    action = asyncio.run(table_agents.decide(pool, table, 0, state))
    assert len(pool.requests) == asked
    assert action == (None if fails else wanted)
    assert set(pool.seconds) == {10.0}
    assert all(request["time_limit"] == 2.0 for request in pool.requests)


@pytest.mark.parametrize("game", table_games())
def test_every_agent_that_is_offered_takes_the_request_of_a_table(game: str) -> None:
    table = new_table(game, 1, {"spire": 1}.get(game, 2))
    seat = table.game.to_move(table.state)
    state = {"game": game, **table.game.state_to_json(table.game.observe(table.state, seat))}
    for name in agent_names(game):
        answer = decide_request({"state": state, "agent": name, "seed": 1, "time_limit": 2.0}, 10.0)
        assert table.game.illegal_reason(table.state, table.game.action_from_json(answer["action"])) is None


@pytest.mark.parametrize("decision", [None, Play("p1.2", None)], ids=["none", "illegal"])
def test_a_default_action_is_noted_without_what_only_the_agent_sees(
    monkeypatch: pytest.MonkeyPatch, decision: Any
) -> None:
    """The reason why an action is illegal names the card: it goes to the log of the server, not to the other seats."""

    async def decide(*_: Any) -> Any:
        return decision

    monkeypatch.setattr(table_hub, "decide", decide)

    async def run() -> None:
        hub = TableHub(TableJournal(), PlanPool(1, 1, 1, 1), Settings(agent_pause=0.0))
        hub.start()
        seats = [{"kind": "person"}, {"kind": "agent", "agent": "random"}]
        room = hub.room(await hub.create("a" * 16, "Ann", read_create({"game": "hearthstone", "seats": seats})))
        await hub.command(room, lambda table: table.set_ready("a" * 16, True))
        await hub.move(room, "a" * 16, 0, None, [])
        await hub._play_agent(room, 1)
        move = room.table.moves[1]
        assert move.action == json.dumps({"type": "mulligan", "cards": []})
        notes = {json.loads(line)["note"] for line in move.lines}
        assert notes == {
            f"default action: the agent {'did not decide' if decision is None else 'chose an illegal one'}"
        }
        await hub.stop()

    asyncio.run(run())
