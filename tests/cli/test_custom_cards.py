"""Custom cards: on the command line and in experiments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from planner.arena.tournament.experiment_file import load_experiment
from planner.arena.tournament.runner import run_tournament
from planner.cli import app, main
from planner.games.hearthstone.cards.catalogue import standard

RUNNER = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"})
# One makes a token of the same file, one replaces a card of ours, one has a power over the hero's class.
CARDS = """
- {name: Gate Warden, cost: 3, attack: 2, health: 5, keywords: [taunt]}
- {name: Spark, type: spell, class: mage, cost: 1, effects: [{do: damage, amount: 2, to: chosen character}]}
- name: Nest
  cost: 2
  attack: 1
  health: 1
  effects: [{do: summon, card: [Chick, Hen], on: death}]
- {name: Chick, attack: 1, health: 1, token: true}
- {name: Hen, attack: 2, health: 1, token: true, keywords: [rush]}
- {name: Chillwind Yeti, cost: 4, attack: 4, health: 6}
- {name: Zap, type: hero_power, class: mage, cost: 2, effects: [{do: damage, amount: 2, to: enemy hero}]}
"""
DECK = """
name: Tiny
class: mage
cards: [2 x Gate Warden, 2 x Spark, 2 x Chillwind Yeti, 2 x Nest]
"""
RULES = "{deck_size: 8, hero_health: 12}"
BATTLE_CARDS = """
cards:
  Prod: {cost: 0, type: attack, does: [{do: attack, amount: 3, to: chosen enemy}]}
"""
BATTLE = """
deck: [Prod, Prod, Strike, Strike, Defend, Defend]
enemies: [Goblin]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {"cards.yaml": CARDS, "tiny.yaml": DECK, "more.yaml": BATTLE_CARDS, "battle.yaml": BATTLE}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> str:
    result = RUNNER.invoke(app, list(arguments))
    assert result.exit_code == 0, result.output or result.exception
    return result.stdout


PLAY = ("play", "tiny.yaml", "tiny.yaml", "--cards", "cards.yaml", "--rules", RULES, "--agents", "greedy,true_balanced")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_match_with_own_cards_is_logged_and_verified_without_their_file(seed: int) -> None:
    text = run(*PLAY, "--seed", str(seed), "--json", "match.json", "--no-color")
    log = json.loads(Path("match.json").read_text(encoding="utf-8"))
    Path("cards.yaml").unlink()
    assert "all correct" in run("replay", "match.json")
    assert "Gate Warden" in text
    assert log["setup"]["undealt"]["me"]["hero"]["class"] == "mage"
    assert "Chick" in json.dumps(log["setup"])  # what a card makes comes along


@pytest.mark.usefixtures("folder")
def test_a_card_of_the_same_name_replaces_ours_for_this_call_alone() -> None:
    assert "4/6" in run("cards", "chillwind", "--cards", "cards.yaml")
    assert "4/5" in run("cards", "chillwind")
    assert standard()["Chillwind Yeti"].health == 5


@pytest.mark.usefixtures("folder")
def test_own_cards_are_planned_with_in_both_forms_of_a_state() -> None:
    Path("s.txt").write_text("1 mana | me 30hp | hand: Spark | enemy 2hp", encoding="utf-8")
    state = {"mana": 1, "me": {"hero": {"health": 30}, "hand": ["Spark"]}, "enemy": {"hero": {"health": 2}}}
    Path("s.json").write_text(json.dumps(state), encoding="utf-8")
    for source in ("s.txt", "s.json"):
        assert json.loads(run("plan", source, "--cards", "cards.yaml", "--json"))["lethal"] is True
        assert main(["plan", source]) == 2  # we have no such card


@pytest.mark.usefixtures("folder")
def test_a_deck_of_own_cards_is_listed() -> None:
    assert "Gate Warden" in run("cards", "gate", "--cards", "cards.yaml")
    lines = run("decks", "tiny.yaml", "--cards", "cards.yaml", "--rules", RULES).splitlines()
    assert [line.split()[-2:] for line in lines if "tiny.yaml" in line] == [["8", "2.5"]]


@pytest.mark.usefixtures("folder")
def test_several_files_of_cards() -> None:
    Path("second.yaml").write_text("- {name: Squire Two, cost: 1, attack: 1, health: 2}\n", encoding="utf-8")
    assert "Spark" in run("cards", "spark", "--cards", "cards.yaml", "--cards", "second.yaml")
    assert "Squire Two" in run("cards", "squire two", "--cards", "cards.yaml", "--cards", "second.yaml")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*PLAY[:-2], "--cards", "cards.yaml"), "cards.yaml:2: duplicate card 'Gate Warden', also at cards.yaml:2"),
        (("cards", "--cards", "none.yaml"), "none.yaml: no such file"),
        (("decks", "tiny.yaml", "--cards", "cards.yaml"), "tiny.yaml:4: 8 cards; a deck has 30"),
        (("decks", "tiny.yaml", "--rules", "{deck_size: 8}"), "tiny.yaml:4: unknown card 'Gate Warden'"),
        (
            ("decks", "--rules", "{deck_size: nine}"),
            "rules:1: deck_size: must be an integer, between 1 and 1000, got 'nine'",
        ),
        (("decks", "--rules", "{deck_sise: 9}"), "rules:1: unknown field 'deck_sise'; did you mean 'deck_size'?"),
        (("decks", "--rules", "{deck_size: 9"), "did not find expected"),
        (("decks", "--rules", "{} {"), "rules:"),
        (("play", "starter", "--game", "spire", "--cards", "cards.yaml"), "must be a mapping with statuses, cards"),
        (("play", "battle.yaml", "--game", "spire"), "'Prod' is not a card"),
    ],
)
def test_an_error_is_one_line(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(arguments)) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.usefixtures("folder")
def test_battles_have_own_cards_too() -> None:
    command = ("play", "battle.yaml", "--game", "spire", "--cards", "more.yaml", "--agents", "spire_balanced")
    assert "Prod" in run(*command, "--json", "battle.json")
    Path("more.yaml").unlink()
    assert "all correct" in run("replay", "battle.json")


def test_an_experiment_names_cards_and_writes_rules_down(folder: Path) -> None:
    text = f"cards: cards.yaml\nrules: {RULES}\ndecks: tiny.yaml\nagents: [greedy, random]\ngames: 2\nname: own\n"
    (folder / "below").mkdir()
    for name in ("cards.yaml", "tiny.yaml"):
        (folder / name).rename(folder / "below" / name)  # relative to the experiment, not to where we are
    path = folder / "below" / "own.yaml"
    path.write_text(text, encoding="utf-8")
    experiment = load_experiment(path)
    rules = experiment.setups[0].rules
    assert (rules.name, rules.hero_health, rules.deck_size, rules.mana_limit) == ("custom", 12, 8, 10)
    assert {card.name: card.health for card in experiment.setups[0].decks[0].cards}["Chillwind Yeti"] == 6
    found = run_tournament(experiment, folder / "results", workers=1)
    assert json.loads((found / "manifest.json").read_text(encoding="utf-8"))["rules"] == "custom"
    path.write_text(text.replace("cards.yaml", "[cards.yaml]"), encoding="utf-8")
    assert load_experiment(path).setups == experiment.setups


def test_a_game_of_such_a_tournament_is_played_again_where_its_files_are(folder: Path) -> None:
    text = f"cards: cards.yaml\nrules: {RULES}\ndecks: tiny.yaml\nagents: [greedy, random]\ngames: 2\n"
    (folder / "own.yaml").write_text(text, encoding="utf-8")
    run_tournament(load_experiment("own.yaml"), "results", workers=1)
    assert "all correct" in run("replay", "results/own", "--number", "3")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cards: cards.yaml", "cards: none.yaml", "none.yaml: no such file"),
        ("cards: cards.yaml", "cards: {a: 1}", "own.yaml:1: cards: must be a list, got {'a': 1}"),
        ("cards: cards.yaml", "cards: [1]", "own.yaml:1: cards: must be a name, got 1"),
        ("hero_health: 12", "hero_health: none", "own.yaml:2: hero_health: must be an integer, at least 1, got 'none'"),
        ("hero_health: 12", "hero_helth: 12", "own.yaml:2: unknown field 'hero_helth'"),
        ("hero_health: 12", "mana_start: 12", "own.yaml:2: mana_start: 12 is more than the mana_limit of 10"),
    ],
)
def test_an_experiment_with_wrong_cards_or_rules(folder: Path, old: str, new: str, message: str) -> None:
    text = f"cards: cards.yaml\nrules: {RULES}\ndecks: tiny.yaml\nagents: [greedy, random]\ngames: 2\n"
    (folder / "own.yaml").write_text(text.replace(old, new), encoding="utf-8")
    result = RUNNER.invoke(app, ["tournament", "own.yaml"])
    assert message in str(result.exception)
