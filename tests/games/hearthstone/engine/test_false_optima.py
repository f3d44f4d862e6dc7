"""Turns with plans that were once wrongly called optimal, or whose search did not end, are solved and proved quickly."""

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

from tests.games.hearthstone.engine.test_truth_boards import best_by_merging

BOARDS: Final = [json.loads(line) for line in Path(__file__).with_name("false_optima.jsonl").read_text().splitlines()]
MAX_STATES: Final = 20_000
MAX_SECONDS: Final = 1.0


def profile(board: dict[str, Any]) -> Weights:
    """Return the weights of the board, with its hard rules."""
    rules = {under: tuple(Rule(*rule) for rule in board.get(under, ())) for under in ("forbid", "require")}
    return replace(Weights.of(board["weights"]), **rules)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board["name"])
def test_the_engine_proves_the_true_optimum(board: dict[str, Any]) -> None:
    state, weights = state_from_dict(board["state"]), profile(board)
    started = time.process_time()
    plan = plan_turn(state, weights)
    seconds = time.process_time() - started
    truth = Truth(observe(state, state.seat), weights, MAX_STATES).best()
    assert truth is not None
    assert (plan.status, plan.solver, plan.objective) == ("optimal", "engine", float(truth.score))
    assert len(plan.actions) == -truth.actions
    assert seconds < MAX_SECONDS
    assert best_by_merging(observe(state, state.seat), weights) == truth.score


@pytest.mark.parametrize("board", BOARDS[:-2], ids=lambda board: board["name"])
def test_the_program_agrees(board: dict[str, Any]) -> None:
    """Without the last two boards, which take a solver minutes."""
    state, weights = state_from_dict(board["state"]), profile(board)
    plan = plan_turn(state, weights, solver="highs")
    assert (plan.status, plan.objective) == ("optimal", plan_turn(state, weights).objective)


def test_no_board_is_missing() -> None:
    assert len({board["name"] for board in BOARDS}) == 43
