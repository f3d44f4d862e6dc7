"""`planner grade`: 0 for the planner with the grading profile, more for greedy, most for random; kinds of mistakes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from planner.agents.agent_spec import agent_spec
from planner.cli import main
from planner.games import load_game
from planner.grading import FAILED, MISSED_LETHAL, TOO_FEW, Grade, grade_agent, shipped_states
from planner.match_options import read_states
from tests.arena.tournaments import left_behind

HEARTHSTONE = load_game("hearthstone")
YETI = {"attack": 4, "health": 5}


class Scripted:
    """Plays these actions, in JSON form, and then ends its turn."""

    name = "scripted"

    def __init__(self, *actions: Any) -> None:
        self._actions = [HEARTHSTONE.action_from_json(action) for action in actions]

    def make(self, game: Any, seed: int) -> Any:
        return self

    def decide(self, state: Any) -> Any:
        return self._actions.pop(0) if self._actions else HEARTHSTONE.default_action(state)


def mistakes(state: dict[str, Any], *actions: Any) -> dict[str, Any]:
    position = HEARTHSTONE.state_from_json(state)
    weights: Any = HEARTHSTONE.profiles.of("true_balanced")  # type: ignore[attr-defined]
    grade = grade_agent(Scripted(*actions), HEARTHSTONE, [position], "own", weights)
    return {kind: count for kind, (count, _) in grade.mistakes.items()}


def test_one_state_has_no_interval(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("3 mana | me 30hp | hand: Wolfrider | enemy 3hp\n")
    assert main(["grade", "first", "--states", str(path)]) == 0
    assert "nan" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("game", "order"),
    [("hearthstone", ["true_balanced", "greedy", "random"]), ("spire", ["spire_balanced", "lookahead", "random"])],
)
def test_the_planner_loses_nothing_and_random_play_most(
    game: str, order: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = ["grade", *order, "--game", game, "--json", "--plot", str(tmp_path / "grades.png")]
    assert main(arguments) == 0
    first, picture = capsys.readouterr().out, (tmp_path / "grades.png").read_bytes()
    assert main(arguments) == 0
    assert capsys.readouterr().out == first  # the same bytes twice
    assert (tmp_path / "grades.png").read_bytes() == picture
    planner, middle, worst = json.loads(first)
    assert (planner["points_lost"], planner["interval"], planner["mistakes"]) == (0, [0, 0], {})
    assert planner["best_turns"] == planner["turns"] >= 30
    assert middle["interval"][0] > 0
    assert middle["points_lost"] < worst["points_lost"]
    for grade in (middle, worst):
        parts = grade["mistakes"].values()
        assert sum(part["points_lost"] for part in parts) == pytest.approx(grade["points_lost"], abs=1e-4)
        assert sum(part["turns"] for part in parts) == grade["turns"] - grade["best_turns"]


def test_kinds_of_mistakes() -> None:
    attack = {"type": "attack", "attacker": "me.board.0", "target": "enemy.hero"}
    lethal = {
        "mana": 0,
        "me": {"hero": {"health": 9}, "board": [YETI]},
        "enemy": {"hero": {"health": 4}, "board": [YETI]},
    }
    assert mistakes(lethal, attack) == {}
    assert mistakes(lethal) == {MISSED_LETHAL: 1}
    trade = {"attack": 9, "health": 4}
    board = {
        "mana": 0,
        "me": {"hero": {"health": 30}, "board": [{"attack": 4, "health": 20}]},
        "enemy": {"hero": {"health": 30}, "board": [trade]},
    }
    assert mistakes(board, {**attack, "target": "enemy.board.0"}) == {}
    assert mistakes(board, attack) == {"other attack": 1}
    assert mistakes(board) == {TOO_FEW: 1}
    assert mistakes(board, {**attack, "attacker": "me.board.6"}) == {FAILED: 1}


def test_the_shipped_states_are_proved_without_chance() -> None:
    """Otherwise the grade of an agent would depend on luck."""
    for name, agent in (("hearthstone", "random"), ("spire", "random")):
        game: Any = load_game(name)
        path = shipped_states(game)
        weights = game.profiles.named(game.profiles.default)
        states = list(read_states(game, path).values())
        grade = grade_agent(agent_spec(agent, game), game, states, path.stem, weights)
        assert grade.estimates == 0
        assert path.stem == f"grade_{name}_1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "--game", "dominion"], "--states: is required for dominion"),
        (["no_such_agent"], "'no_such_agent' is not an agent"),
        (["random", "--states", "no_such_file.txt"], "no_such_file.txt"),
        (["random", "--profile", "nothing"], "nothing"),
    ],
)
def test_a_mistake_of_the_user_is_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_an_agent_that_exits_fails_its_turn_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quitter.py").write_text(
        "class Quit:\n    name = 'quit'\n    def decide(self, state): raise SystemExit"
    )
    grade = graded("quitter:Quit")
    assert grade.mistakes == {FAILED: (1, grade.points_lost.estimate)}
    assert grade.problems == ("state 1: SystemExit",)


def test_the_program_of_an_agent_ends_with_its_turn(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("import json\nwhile True: print(json.dumps(json.loads(input())['legal'][-1]), flush=True)")
    mark = f"MARK={tmp_path}"
    graded(f"cmd:env '{mark}' {sys.executable} {bot}")
    assert left_behind(mark) == []


def graded(agent: str) -> Grade:
    state = HEARTHSTONE.state_from_json(
        {"mana": 1, "me": {"hero": {"health": 9}, "board": [YETI]}, "enemy": {"hero": {"health": 9}}}
    )
    weights: Any = HEARTHSTONE.profiles.of("true_balanced")  # type: ignore[attr-defined]
    return grade_agent(agent_spec(agent), HEARTHSTONE, [state], "own", weights)
