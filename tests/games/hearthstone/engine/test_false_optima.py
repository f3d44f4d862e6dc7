"""Turns that were once called optimal and were not, or that never came to an end: now right, proved and quick."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from planner import plan_turn
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state_json import state_from_dict
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from tests.games.hearthstone.engine.judge import Truth

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

BOARDS: Final = [json.loads(line) for line in Path(__file__).with_name("false_optima.jsonl").read_text().splitlines()]
MOST_STATES: Final = 20_000
SECONDS: Final = 1.0


def profile(board: dict[str, Any]) -> Weights:
    """The board's weights, with its hard rules."""
    rules = {under: tuple(Rule(*rule) for rule in board.get(under, ())) for under in ("forbid", "require")}
    return replace(Weights.of(board["weights"]), **rules)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board["name"])
def test_a_false_optimum(board: dict[str, Any]) -> None:
    state, weights = state_from_dict(board["state"]), profile(board)
    began = time.process_time()
    plan = plan_turn(state, weights)
    took = time.process_time() - began
    truth = Truth(observe(state, state.seat), weights, MOST_STATES).best()
    assert truth is not None
    assert (plan.status, plan.solver, plan.objective) == ("optimal", "engine", float(truth.worth))
    assert len(plan.actions) == -truth.fewer
    assert took < SECONDS


@pytest.mark.parametrize("board", BOARDS[:-2], ids=lambda board: board["name"])
def test_a_false_optimum_by_the_program(board: dict[str, Any]) -> None:
    """The last two take a solver minutes."""
    state, weights = state_from_dict(board["state"]), profile(board)
    plan = plan_turn(state, weights, solver="highs")
    assert (plan.status, plan.objective) == ("optimal", plan_turn(state, weights).objective)


def test_the_boards_are_all_there() -> None:
    assert len({board["name"] for board in BOARDS}) == 43
