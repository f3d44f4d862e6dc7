"""`planner meta` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.cli import main


def run(*words: str) -> int:
    return main(["meta", *words])


def test_predict(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("predict", "--class", "mage", "--seen", "fireball, Frost Nova", "--turn", "5", "--no-color") == 0
    assert "a card in no known deck" in capsys.readouterr().out
    assert run("predict", "--class", "Mage", "--seen", "Fireball", "--shown", "Pyroblast", "--turn", "4", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["cards"]) == 10
    assert sum(one["chance"] for one in found["cards"]) + found["other"] < 1
    assert found["archetypes"] == pytest.approx({"Sparks": 1.0})


@pytest.mark.parametrize("method", ["stochastic", "tree"])
def test_the_methods_of_schwensfeier(method: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("predict", "--class", "mage", "--seen", "Fireball", "--method", method, "--json") == 0
    assert json.loads(capsys.readouterr().out)["other"] == 0


def test_a_method_may_predict_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    seen = "Fireball, Fireball, Fireball"
    assert run("predict", "--class", "mage", "--seen", seen, "--method", "stochastic") == 0
    assert "predicts nothing" in capsys.readouterr().out


def test_cluster_and_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("cluster", "--class", "mage", "-k", "3", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert len({deck["cluster"] for deck in found["decks"]}) == 3
    assert len(found["curve"]) == len(found["decks"]) == 13
    assert run("cluster", "--class", "mage", "--plots", str(tmp_path / "plots")) == 0
    assert "13 decks of 1 archetype in" in capsys.readouterr().out
    assert len(list((tmp_path / "plots").glob("*.png"))) == 7
    assert run("tree", "--class", "mage", "--seen", "Fireball") == 0
    assert "the walk ends" in capsys.readouterr().out


def test_evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--class", "mage", "--held-out", "decks", "--sequences", "3", "--linkage", "single", "--threshold", "0.9"]
    assert run("evaluate", *words, "--out", str(tmp_path / "study")) == 0
    assert "tree single" in capsys.readouterr().out
    assert {path.suffix for path in (tmp_path / "study").iterdir()} == {".csv", ".png"}


def test_trees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("sklearn")
    decks = tmp_path / "decks.json"
    cards = ("Fireball", "Frostbolt", "Wisp", "Wolfrider", "Flamestrike")
    entries = [
        {
            "class": own,
            "archetype": str(index % 2),
            "games": 3,
            "cards": {cards[index % 5]: 2, cards[(index + 1) % 5]: 1},
        }
        for index in range(6)
        for own in ("mage", "hunter")
    ]
    decks.write_text(json.dumps({"decks": entries}))
    assert run("trees", "--decks", str(decks), "--out", str(tmp_path / "study"), "--no-color") == 0
    assert "mage: best tree" in capsys.readouterr().out
    assert len((tmp_path / "study" / "trees.csv").read_text().splitlines()) == 1 + 2 * 12
    assert run("trees", "--decks", str(decks), "--beta", "2", "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == 24


def test_replays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("hearthstone_data")
    card = {"id": "UNG_928", "name": "Tar Creeper", "mana": 3}
    history = [{"player": player, "turn": turn, "card": card} for turn in (3, 5) for player in ("me", "opponent")]
    path, decks = tmp_path / "replays.json", tmp_path / "decks.json"
    path.write_text(json.dumps({"games": [{"hero": "Paladin", "opponent": "Mage", "card_history": history}]}))
    entry = {"archetype": "a", "cards": {"Tar Creeper": 2, "Wisp": 1}}
    decks.write_text(json.dumps({"decks": [entry | {"class": own} for own in ("paladin", "mage")]}))
    words = ["replays", str(path), "--decks", str(decks), "--sequences", "1"]
    assert run(*words, "--out", str(tmp_path / "study"), "--no-color") == 0
    assert "Schwensfeier 2019 and here" in capsys.readouterr().out
    assert {path.suffix for path in (tmp_path / "study").iterdir()} == {".csv", ".png"}
    assert run(*words, "--json") == 0
    assert json.loads(capsys.readouterr().out)["success"][0]["top_10"]["estimate"] == 1
    # The filter removes every player, and there is no Paladin.
    card = {"id": "UNG_809", "name": "Fire Fly", "mana": None}
    history = [{"player": "me", "turn": 1, "card": card}]
    path.write_text(json.dumps({"games": [{"hero": "Mage", "opponent": "Shaman", "card_history": history}]}))
    assert run(*words, "--out", str(tmp_path / "empty"), "--json") == 0
    assert json.loads(capsys.readouterr().out)["success"][0]["turns"] == 0
    assert run(*words, "--no-color") == 0
    assert "0 turns with a card" in capsys.readouterr().out
    path.write_text("[]")
    assert run(*words) == 2
    assert "replays.json: must be an object" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["predict", "--class", "mage", "--seen", "Firebal"], "did you mean 'Fireball'"),
        (["predict", "--class", "magus"], "did you mean 'mage'"),
        (
            ["predict", "--class", "mage", "--method", "guess"],
            "'--method': 'guess' is not one of 'mixture', 'stochastic', 'tree'",
        ),
        (["predict"], "--class"),
        (["cluster", "--decks", "nowhere.json"], "nowhere.json: no such file"),
        (["cluster", "--class", "mage", "-k", "14"], "k: must be between 1 and 13"),
        (["cluster", "--linkage", "double"], "'--linkage': 'double' is not one of 'single', "),
        (["evaluate", "--held-out", "cards"], "'--held-out': 'cards' is not one of 'nothing', 'decks', 'archetypes'"),
        (["evaluate", "--class", "mage", "--held-out", "archetypes"], "nothing to predict"),
    ],
)
def test_errors_are_one_line(words: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words) == 2
    error = capsys.readouterr().err
    assert why in error
    assert error.count("\n") == 1
