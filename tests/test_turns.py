"""One call for the turn of any game: the state says which."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from planner import PlannerError, plan_turn, plan_turns
from planner.cli import main
from planner.games.hearthstone.rules.codec import state_from_dict
from planner.games.spire.battle_codec import state_from_json

BOARD = {"mana": 3, "me": {"hero": {"health": 30}, "hand": ["Wolfrider"]}, "enemy": {"hero": {"health": 3}}}
BATTLE = {"game": "spire", "hand": ["Strike", "Bash"], "enemies": [{"name": "Jaw Worm", "health": 17}]}


def test_a_mapping_names_its_game_or_is_of_the_first() -> None:
    assert plan_turn(BOARD).lethal
    assert plan_turn({"game": "hearthstone", **BOARD}).to_dict()["actions"] == plan_turn(BOARD).to_dict()["actions"]
    plan = plan_turn(BATTLE)
    assert (plan.lethal, plan.outcome, plan.weights.name) == (True, "win", "spire_balanced")
    bash, strike = {"type": "play", "card": 1, "name": "Bash"}, {"type": "play", "card": 0, "name": "Strike"}
    assert plan.to_dict()["actions"] == [bash, strike]


def test_states_know_their_game() -> None:
    assert plan_turn(state_from_dict(BOARD), "aggro_face").lethal
    assert plan_turn(state_from_json(BATTLE), {"victory": 1}).objective == 1
    assert [one.objective for one in plan_turns(state_from_json(BATTLE), {"damage_dealt": 1}, k=3)] == [17, 8, 6]


@pytest.mark.parametrize(
    ("state", "weights", "message"),
    [
        ({"game": "spyre"}, "", "game: must be one of hearthstone, spire; got 'spyre'; did you mean 'spire'?"),
        ({"game": ["spire"]}, "", "game: must be one of hearthstone, spire; got ['spire']"),
        ({**BATTLE, "energy": -1}, "spire_careful", "energy: must be between 0 and 9999, got -1"),
        (BATTLE, "aggro_face", "weights: 'aggro_face' is not a profile"),
        (BOARD, "spire_careful", "weights: 'spire_careful' is not a profile"),
    ],
)
def test_refused_in_one_line(state: Any, weights: Any, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        plan_turn(state, weights)
    assert str(caught.value).startswith(message)


def test_a_state_makes_nobody_import_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil_game.py").write_text("GAME = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PlannerError, match="must be one of hearthstone, spire"):
        plan_turn({"game": "evil_game:GAME"})
    assert "evil_game" not in sys.modules


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "state.json"
    path.write_text(json.dumps(BATTLE), encoding="utf-8")
    assert main(["plan", str(path), "-k", "1", "--no-color"]) == 0
    shown = capsys.readouterr().out
    assert "  1  You play Bash" in shown
    assert "Proved: no legal turn is worth more" in shown
    assert main(["plan", str(path), "--json", "--weights", "spire_careful"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "win"
    assert main(["plan", str(path), "--explain"]) == 2
    assert capsys.readouterr().err == "error: --write-lp, --explain and --ranges are not for spire\n"


def test_profiles_are_shown_by_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["weights", "--game", "spire", "--no-color"]) == 0
    shown = capsys.readouterr().out
    assert "spire_careful" in shown
    assert "health_lost" in shown
    assert main(["weights", "--no-color"]) == 0
    assert "spire" not in capsys.readouterr().out
