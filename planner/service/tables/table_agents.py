"""What the worker processes compute for tables: the decisions of agents, and suggestions for people."""

from __future__ import annotations

import asyncio
import json
import logging
from random import Random
from typing import Any, Final

from planner.errors import PlannerError
from planner.game import AnyGame
from planner.service.plan_pool import BusyError, PlanPool, WorkerLostError, WorkerTimeoutError
from planner.service.plan_worker import REQUEST
from planner.service.tables.live_table import LiveTable

_log = logging.getLogger("planner.service")
_TRIES: Final = 5  # to get a decision from an agent
_SECONDS: Final = 2.0  # for one search
_MAX_SECONDS: Final = 10.0  # for a decision of any agent; one that has not decided twice plays the default action


async def decide(pool: PlanPool, table: LiveTable, seat: int, state: Any) -> Any:
    """Return an agent's action, or None where it failed.

    A worker that dies or hangs is not the agent's fault: another one is asked. An agent that takes too long again is
    slow.
    """
    game, agent = table.game, table.seats[seat].agent
    seen = _seen(game, state, seat)
    request = {"request": "decide", "agent": agent, "seed": table.agent_seed(), "state": seen, "time_limit": _SECONDS}
    problem, timeouts = "", 0
    for attempt in range(_TRIES):
        try:
            reply = await pool.ask(_body(request), patient=True, seconds=_MAX_SECONDS)
        except WorkerLostError as error:
            problem = str(error)
            timeouts += isinstance(error, WorkerTimeoutError)
            if timeouts > 1:
                break
            await asyncio.sleep(0.1 * attempt)
            continue
        answer = json.loads(reply.body)
        if reply.status == 200:
            return game.action_from_json(answer["action"])
        problem = answer["error"]
        if reply.status != 503:
            break
    _log.warning("table %s: agent %s: %s", table.id, agent, problem)
    return None


async def suggest(pool: PlanPool, table: LiveTable, player: str, weights: Any) -> dict[str, Any]:
    """Return the planner's turn for a person who plays against agents only."""
    seat = table.seat_of(player)
    if seat is None or table.to_move != seat:
        raise PlannerError("it is not your turn")
    if not table.is_against_agents(player):
        raise PlannerError("suggestions are for matches against agents")
    game, moves = table.game, len(table.moves)
    seen = game.observe(table.state, seat)
    prompt = game.prompt(seen)  # type: ignore[attr-defined]  # every game of a table describes it
    request: dict[str, Any] = {"state": _seen(game, table.state, seat), "time_limit": _SECONDS}
    if prompt is not None and prompt.choice is not None:
        request |= {"request": "decide", "agent": weights or table.spec.leave.agent}
    else:
        request |= {"request": "plan", "weights": weights}
    try:
        reply = await pool.ask(_body(request))
    except BusyError:
        raise PlannerError("server busy, retry in 1 s") from None
    except WorkerLostError as error:
        raise PlannerError(str(error)) from None
    answer = json.loads(reply.body)
    if reply.status != 200:
        raise PlannerError(answer["error"])
    planned = [answer["action"]] if "action" in answer else answer["actions"]
    actions = [game.action_from_json(entry) for entry in planned]
    return {
        "move": moves,
        "steps": _steps(game, seen, actions, seat),
        "score": answer.get("objective"),
        "status": answer.get("status"),
        "weights": answer.get("weights"),
    }


def _steps(game: AnyGame, state: Any, actions: list[Any], seat: int) -> list[dict[str, Any]]:
    """Describe the actions of a turn, up to the first one that chance makes impossible to foresee."""
    steps, rng = [], Random(0)
    for action in actions:
        if game.outcome(state) is not None or game.illegal_reason(state, action) is not None:
            break
        binding = game.bind_action(state, action, seat)  # type: ignore[attr-defined]
        steps.append(
            {
                "action": game.action_to_json(action),
                "words": game.describe_action(state, action),
                "source": binding.source,
                "target": binding.target,
            }
        )
        state = game.apply(state, action, rng)
    return steps


def _seen(game: AnyGame, state: Any, seat: int) -> dict[str, Any]:
    return {"game": game.name, **game.state_to_json(game.observe(state, seat))}


def _body(request: dict[str, Any]) -> bytes:
    return REQUEST + json.dumps(request).encode()
