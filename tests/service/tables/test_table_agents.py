"""Every agent at a table decides within a bound, and a worker that is lost does not cost it its turn."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from planner.agents.agent_spec import agent_names
from planner.protocol.match_requests import decide as decide_request
from planner.service.plan_pool import PlanPool, Reply, WorkerLostError, WorkerTimeoutError
from planner.service.tables import table_agents
from planner.service.tables.table_spec import table_games
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
    action, note = asyncio.run(table_agents.decide(pool, table, 0, state))
    assert len(pool.requests) == asked
    assert action == (game.default_action(state) if fails else wanted)
    assert note == (f"mcts failed: {errors[-1]}" if fails else "")
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
