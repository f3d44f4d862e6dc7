"""HTTP and Python answer damaged states alike: the same error, or the same plan."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import httpx
import pytest

from planner import PlannerError, plan_turn
from planner.bench.benchmark_positions import evenly_spaced, load_positions, random_state
from planner.games.hearthstone.hearthstone_game import GAME
from planner.planning.plan import Stopped
from planner.protocol import error_line
from tests.schemas import ODD_VALUES, at, places, removed, replaced

BATTLE: dict[str, Any] = {
    "game": "spire", "health": 50, "energy": 3, "hand": ["Strike", "Defend"], "draw": ["Strike"], "block": 2,
    "enemies": [{"name": "Goblin", "health": 7, "statuses": [{"status": "Weak", "amount": 1}]}],
}  # fmt: skip
EFFORT = 300  # states to search: the same plan every time, however slow the machine is


def undamaged(rng: Random) -> list[dict[str, Any]]:
    positions = [one for which in ("recorded", "texts") for one in evenly_spaced(load_positions(which), 8)]
    recorded = [GAME.state_to_json(one.state) for one in positions]
    return [*recorded, *(random_state(rng) for _ in range(8)), BATTLE, BATTLE]


def damaged(state: Any, rng: Random) -> Any:
    """Return the state with an odd value, a missing one, or one from elsewhere."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        state_paths = list(places(state))
        path, kind = rng.choice(state_paths), rng.random()
        if not path:
            continue
        if kind < 0.6:
            state = replaced(state, path, rng.choice(ODD_VALUES))
        elif kind < 0.75:
            state = removed(state, path)
        elif kind < 0.9:
            state = replaced(state, path, at(state, rng.choice(state_paths)))
        elif isinstance(holder := at(state, path[:-1]), dict):
            state = replaced(state, (*path[:-1], rng.choice(["naem", "\u0000", "", "attack" * 50, *holder])), 1)
    return state


def directly(state: Any) -> dict[str, Any]:
    try:
        return {"plan": plan_turn(state, effort=EFFORT, time_limit=5).to_dict()}
    except PlannerError as error:
        return {"error": error_line(error)}


def compare(server: httpx.Client, count: int, seed: int) -> tuple[int, int]:
    """Send damaged states to both, compare, and return how many were errors and how many plans."""
    rng = Random(seed)
    whole = undamaged(rng)
    states = [json.loads(json.dumps(damaged(rng.choice(whole), rng))) for _ in range(count)]
    lines = [json.dumps({"id": n, "state": state, "effort": EFFORT}) for n, state in enumerate(states)]
    answers = server.post("/plan/batch", content="\n".join(lines).encode(), timeout=600).text.splitlines()
    found = {one.pop("id"): one for one in map(json.loads, answers)}
    assert set(found) == set(range(count))
    for number, state in enumerate(states):
        wanted = directly(state)
        plans = [one["plan"] for one in (wanted, found[number]) if "plan" in one]
        if any(plan["stopped"] == Stopped.TIME_LIMIT for plan in plans):
            continue
        for plan in plans:
            plan.pop("seconds")
        assert found[number] == wanted, json.dumps(state)
    for number in rng.sample(range(count), count // 10):
        answer = server.post("/plan", json={"state": states[number], "effort": EFFORT})
        assert (answer.status_code == 200) == ("plan" in found[number])
        assert answer.status_code in (200, 422)
        assert answer.status_code == 200 or answer.json() == found[number]
    refused = sum("error" in one for one in found.values())
    return refused, count - refused


def test_http_and_python_agree(server: httpx.Client) -> None:
    refused, planned = compare(server, 250, seed=1)
    assert refused > 50
    assert planned > 30


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_http_and_python_agree_at_length(server: httpx.Client, seed: int) -> None:
    compare(server, 2000, seed)
