"""`plan_turn` and its relatives plan a turn of any game: the state says which."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planner import Plan, PlannerError, plan_ahead, plan_turn, plan_turns
from planner.cli import main
from planner.games import game_names
from planner.games.hearthstone.rules.state_json import state_from_dict
from planner.games.spire.battle_codec import state_from_json

GAMES = ", ".join(game_names())
BOARD = {"mana": 3, "me": {"hero": {"health": 30}, "hand": ["Wolfrider"]}, "enemy": {"hero": {"health": 3}}}
BATTLE = {"game": "spire", "hand": ["Strike", "Bash"], "enemies": [{"name": "Jaw Worm", "health": 17}]}


def test_a_mapping_names_its_game_and_defaults_to_hearthstone() -> None:
    assert plan_turn(BOARD).lethal
    assert plan_turn({"game": "hearthstone", **BOARD}).to_dict()["actions"] == plan_turn(BOARD).to_dict()["actions"]
    plan = plan_turn(BATTLE)
    assert (plan.lethal, plan.outcome, plan.weights.name) == (True, "win", "spire_balanced")
    bash, strike = {"type": "play", "card": 1, "name": "Bash"}, {"type": "play", "card": 0, "name": "Strike"}
    assert plan.to_dict()["actions"] == [bash, strike]


def test_states_know_their_game() -> None:
    assert plan_turn(state_from_dict(BOARD), "aggro_face").lethal
    assert plan_turn(state_from_json(BATTLE), {"victory": 1}).objective == 1
    assert [plan.objective for plan in plan_turns(state_from_json(BATTLE), {"damage_dealt": 1}, k=3)] == [17, 8, 6]


@pytest.mark.parametrize("state", [BOARD, BATTLE])
def test_no_weights_means_the_default_profile_of_the_game(state: Any) -> None:
    default = plan_turn(state).weights.name
    assert plan_turn(state, None).weights.name == default
    assert plan_turns(state, weights=None, k=1)[0].weights.name == default
    assert default in ("true_balanced", "spire_balanced")


@pytest.mark.parametrize("function", [plan_turn, plan_turns, plan_ahead])
def test_signatures_are_uniform_and_typed(function: Callable[..., Any]) -> None:
    signature = inspect.signature(function)
    assert {"weights", "solver", "time_limit", "effort"} <= set(signature.parameters)
    assert signature.parameters["weights"].default is None
    assert "Plan[" in str(signature.return_annotation)


def test_effort_and_solver_work_in_all_of_them() -> None:
    for solver in ("auto", "highs"):
        plans = [
            plan_turn(BOARD, solver=solver, effort=100),
            *plan_turns(BOARD, solver=solver, effort=100, k=2),
            plan_ahead(BOARD, solver=solver, effort=100, samples=1),
        ]
        assert all(isinstance(plan, Plan) for plan in plans)
        assert plans[0].objective == plans[1].objective == plans[-1].objective
    with pytest.raises(PlannerError, match="effort: must be"):
        plan_turns(BOARD, effort=0)
    with pytest.raises(PlannerError, match="solver"):
        plan_ahead(BOARD, solver="abacus")


@pytest.mark.parametrize(
    ("state", "weights", "message"),
    [
        ({"game": "spyre"}, "", f"game: must be one of {GAMES}; got 'spyre'; did you mean 'spire'?"),
        ({"game": ["spire"]}, "", f"game: must be one of {GAMES}; got ['spire']"),
        ({**BATTLE, "energy": -1}, "spire_careful", "energy: must be between 0 and 9999, got -1"),
        (BATTLE, "aggro_face", "weights: "),
        (BOARD, "spire_careful", "weights: "),
    ],
)
def test_invalid_arguments_are_errors_of_one_line(state: Any, weights: Any, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        plan_turn(state, weights)
    assert str(caught.value).startswith(message)


def test_a_look_ahead_needs_a_game_that_supports_it() -> None:
    with pytest.raises(PlannerError, match="not supported for spire"):
        plan_ahead(BATTLE)


def test_a_state_cannot_import_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil_game.py").write_text("GAME = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PlannerError, match=f"must be one of {GAMES}"):
        plan_turn({"game": "evil_game:GAME"})
    assert "evil_game" not in sys.modules


def test_the_command_plans_any_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(BATTLE), encoding="utf-8")
    assert main(["plan", str(path), "-k", "1", "--no-color"]) == 0
    shown = capsys.readouterr().out
    assert "  1  You play Bash" in shown
    assert "Proved: no legal turn" in shown
    assert main(["plan", str(path), "--json", "--weights", "spire_careful"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "win"
    assert main(["plan", str(path), "--explain"]) == 2
    assert "spire" in capsys.readouterr().err


def test_profiles_are_listed_by_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weights", "--game", "spire", "--no-color"]) == 0
    shown = capsys.readouterr().out
    assert "spire_careful" in shown
    assert "health_lost" in shown
    assert main(["weights", "--no-color"]) == 0
    assert "spire" not in capsys.readouterr().out
