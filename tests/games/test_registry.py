"""Load games by name: shipped ones and user-defined ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planner import MatchRecord, plan_turn
from planner.agents.agent_spec import agent_names, agent_spec
from planner.arena.tournament.experiment_file import load_experiment
from planner.errors import PlannerError
from planner.games import game, game_names, load_game
from tests.games import toy


def test_every_shipped_game_is_listed_under_its_name() -> None:
    assert {"hearthstone", "spire"} <= set(game_names())
    assert [game(name).name for name in game_names()] == game_names()
    assert load_game("tests.games.toy:GAME") is toy.GAME  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("herthstone", "'herthstone' is not a game; did you mean 'hearthstone'?"),
        ("chess", "'chess' is not a game; must be one of ascension, caveman, dominion, hearthstone, spire"),
        ("tests.games.nothing:GAME", "game 'tests.games.nothing:GAME': tests.games.nothing cannot be imported: "),
        ("tests.games.toy:GAEM", "game 'tests.games.toy:GAEM': tests.games.toy has no game GAEM; did you mean 'GAME'?"),
        ("tests.games.toy:Pig", "game 'tests.games.toy:Pig': tests.games.toy has no game Pig"),
    ],
)
def test_unknown_game_is_rejected(name: str, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        load_game(name)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_untrusted_data_imports_no_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    data = {"match_log": 2, "game": "trap:GAME"}
    for read in (lambda: game("trap:GAME"), lambda: MatchRecord.from_dict(data), lambda: plan_turn(data)):
        with pytest.raises(PlannerError, match=r"(got 'trap:GAME'|'trap:GAME' is not)"):
            read()
    with pytest.raises(PlannerError, match="cannot be imported: SystemExit: imported"):
        load_game("trap:GAME")


def test_game_with_another_name_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "misnamed.py").write_text(re.sub(r"name = .*", 'name = "pig"', toy.SOURCE), encoding="utf-8")
    with pytest.raises(PlannerError, match="game 'misnamed:GAME': its name must be 'misnamed:GAME', got 'pig'"):
        load_game("misnamed:GAME", [str(tmp_path)])


def test_game_next_to_its_experiment_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text(toy.SOURCE, encoding="utf-8")
    file = tmp_path / "x.yaml"
    text = 'game: "beside:GAME"\nagents: [random]\ngames: 2\nsetups: [{players: 1, goal: 9}]\n'
    file.write_text(text, encoding="utf-8")
    experiment = load_experiment(file)
    assert (experiment.game, experiment.seats, experiment.setups[0].goal) == ("beside:GAME", 1, 9)
    for line, message in (
        ("setups: []", "x.yaml:1: setups: is missing"),
        ("setups: [{players: 1}]\npairs: all", "x.yaml:5: pairs: needs a game of at least two seats"),
        ("decks: mage", "x.yaml:4: unknown field 'decks'"),
    ):
        file.write_text(re.sub(r"setups: .*", line, text), encoding="utf-8")
        with pytest.raises(PlannerError, match=message):
            load_experiment(file)


def test_each_game_has_its_own_agents() -> None:
    assert {"greedy", "random", "aggro_face"} <= set(agent_names("hearthstone"))
    assert "greedy" not in agent_names("spire")
    assert agent_names(toy.GAME) == ["first", "mcts", "random"]  # type: ignore[attr-defined]
    with pytest.raises(
        PlannerError,
        match=r"'greedy' is not an agent; known agents: first, mcts, random, mcts:ITERATIONS, llm:FILE.yaml, module:Class or cmd:COMMAND",
    ):
        agent_spec("greedy", toy.GAME)  # type: ignore[attr-defined]
    with pytest.raises(PlannerError, match="'random' is not a planner: it does not support solver"):
        agent_spec("random", toy.GAME, solver="highs")  # type: ignore[attr-defined]
