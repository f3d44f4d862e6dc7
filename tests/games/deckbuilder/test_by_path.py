"""Games by path need no Python of the package: the tutorial's game and a copy of Caveman pass the same tests."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from planner.cli import main
from planner.errors import PlannerError
from planner.games import game, load_game
from planner.games.deckbuilder.definition_reader import LIBRARY
from tests.arena import test_any_game as conformance
from tests.arena.test_any_game import Case
from tests.arena.tournaments import ROOT
from tests.games.deckbuilder.small_games import SMALL, write_game

TUTORIAL = ROOT / "docs" / "tutorials" / "first_deck_builder.md"


def tutorial_game(folder: Path) -> str:
    """Write the game of the tutorial into a file."""
    block = re.search(r"```yaml\n(# harvest\.yaml\n.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    (folder / "harvest.yaml").write_text(block[1], encoding="utf-8")
    return str(folder / "harvest.yaml")


def copied_game(folder: Path) -> str:
    """Copy a shipped game under another name, with its function file and bots."""
    shutil.copytree(LIBRARY / "caveman", folder / "stoneage")
    (folder / "stoneage" / "caveman.yaml").rename(folder / "stoneage" / "stoneage.yaml")
    return str(folder / "stoneage")


@pytest.fixture(params=[tutorial_game, copied_game], ids=["tutorial", "copy"])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    write: Callable[[Path], str] = request.param
    name = write(tmp_path)
    return Case(name, lambda: (load_game(name).setup_from_words([]),), 2)


@pytest.mark.parametrize(
    "test",
    [
        conformance.test_legality_checks_agree,
        conformance.test_seed_decides_the_match,
        conformance.test_log_verifies_and_tampering_is_found,
        conformance.test_match_needs_an_agent_for_each_seat,
    ],
    ids=lambda test: test.__name__,
)
def test_game_by_path_conforms(case: Case, test: Callable[[Case], None]) -> None:
    test(case)


def test_tutorial_game_is_short_and_complete() -> None:
    block = re.search(r"```yaml\n# harvest\.yaml\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    assert len(block[1].splitlines()) < 60


def test_path_must_have_a_slash_and_a_name_from_data_loads_no_folder(tmp_path: Path) -> None:
    copied_game(tmp_path)
    with pytest.raises(PlannerError, match="is not a game"):
        load_game("stoneage")
    with pytest.raises(PlannerError, match="is not a game"):
        game(str(tmp_path / "stoneage"))
    with pytest.raises(PlannerError, match="no such folder"):
        load_game("./nothing_here")


def test_turn_of_a_game_by_path_is_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied_game(tmp_path)
    monkeypatch.chdir(tmp_path)
    state = '{"players": [{"hand": ["Club", "Wood", "Bone"]}, {"hand": ["Wood", "Wood", "Bone"]}]}'
    (tmp_path / "state.json").write_text(state)
    for path in ("./stoneage", "./stoneage/stoneage.yaml", str(tmp_path / "stoneage")):
        assert main(["plan", "state.json", "--game", path, "--explain"]) == 0
        assert "plays Club" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "stoneage", "--agents", "random,random"], "the path of a game has a slash: ./stoneage"),
        (["--game", "./stoneage", "--agents", "random"], "Caveman has 2 players, got 1"),
        (["Big", "--game", "./stoneage", "--agents", "random,random"], "Caveman has no piles to choose, got 'Big'"),
    ],
)
def test_mistakes_in_commands_with_a_game_by_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    copied_game(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["play", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_bot_beside_other_files_and_with_its_game_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "games"
    (folder / "bots").mkdir(parents=True)
    path = write_game(tmp_path / "small", SMALL)
    (folder / "mine.yaml").write_text(path.read_text())
    (folder / "cards.yaml").write_text("- {name: Ogre, cost: 6, attack: 6, health: 7}\n")
    bot = folder / "bots" / "hv.yaml"
    bot.write_text("buy: [Field, Feild]\n")
    other = tmp_path / "bot.yaml"
    other.write_text("buy: [Field, Feild]\n")
    for words in ([str(bot)], [str(bot), "--game", f"{folder}/mine.yaml"], [str(other), "--game", f"{path}"]):
        assert main(["check", *words]) == 1
        out = capsys.readouterr().out
        assert "buy: unknown card 'Feild'; did you mean 'Field'?" in out
        assert out.count("\n") == 2


def test_log_of_a_game_by_path_and_its_profiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    copied_game(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["weights", "--game", "./stoneage"]) == 0
    assert main(["play", "--game", "./stoneage", "--agents", "random,random", "--json", "log.json"]) == 0
    assert main(["replay", "log.json", "--game", "./stoneage"]) == 0
    capsys.readouterr()
    assert main(["replay", "log.json", "--game", "./stoneage/"]) == 2
    error = capsys.readouterr().err
    assert error == "error: log.json: game: the log names './stoneage'; name it with the same path, got './stoneage/'\n"
