"""Profiles as files, with their hard rules: every refusal is one line with file, line and value."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.turn.hearthstone_weights import KEYWORDS, TERMS, Rule, Weights

EIGHT = "weights:\n" + "".join(f"  {term}: {number}\n" for number, term in enumerate(TERMS, start=1))


def file_refusal(folder: Path, text: str) -> str:
    """Return the error message without the folder."""
    path = folder / "x.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PlannerError) as caught:
        Weights.load(path)
    message = str(caught.value)
    assert "\n" not in message
    return message.removeprefix(f"{folder}/")


class TestFileErrors:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (EIGHT.replace("3", "high"), "x.yaml:4: face_damage: must be a number, got 'high'"),
            (EIGHT.replace("3", "yes"), "x.yaml:4: face_damage: must be a number, got true"),
            (EIGHT.replace("3", ".nan"), "x.yaml:4: face_damage: must be a finite number, got NaN"),
            (EIGHT.replace("3", ""), "x.yaml:4: face_damage: must be a number, got null"),
            (EIGHT.replace("3", "1.23456789"),
             "x.yaml:4: face_damage: 1.23456789 needs a scale factor above 1000000; round it to six decimals"),
            (EIGHT.replace("face", "fase"),
             "x.yaml:4: 'fase_damage' is not a term; did you mean 'face_damage'?"),
            (EIGHT.replace("face_damage", '"face\\ndamage"'),
             "x.yaml:4: 'face\\ndamage' is not a term; did you mean 'face_damage'?"),
            ("\nweights:\n  lethal: 1\n  W2: 1\n  W3: 1\n  W4: 1\n  W5: 1\n",
             "x.yaml:2: weights: minion_damage, damage_taken, card_value: are missing"),
            (EIGHT + "  W3: 1\n", "x.yaml:10: W3: face_damage is given twice"),
            (EIGHT + "  lethal: 1\n", "x.yaml:10: duplicate key 'lethal'"),
            ("", "x.yaml:1: a profile is a mapping with description and weights"),
            ("# nothing\n", "x.yaml:1: a profile is a mapping with description and weights"),
            ("- 1\n- 2\n", "x.yaml:1: a profile is a mapping with description and weights"),
            ("hello", "x.yaml:1: a profile is a mapping with description and weights"),
            ("description: none\n", "x.yaml:1: weights: is missing"),
            (EIGHT + "game: chess\n", "x.yaml:10: game: 'chess' is not 'hearthstone'"),
            ("weights: [1, 2]\n", "x.yaml:1: weights: must be a mapping of term to number, got [1, 2]"),
            ("weights:\n", "x.yaml:1: weights: must be a mapping of term to number, got null"),
            (EIGHT + "forbit: []\n", "x.yaml:10: unknown field 'forbit'; did you mean 'forbid'?"),
            (EIGHT + "description: 3\n", "x.yaml:10: description: must be one line of text, got 3"),
            (EIGHT + "description: |\n  a\n  b\n",
             "x.yaml:10: description: must be one line of text, got 'a\\nb\\n'"),
            (EIGHT + "  - broken: [\n", "x.yaml:10: "),
            ("weights: {W1: 0.0000019073486328125, W2: 0.00000256, W3: 0, W4: 0, W5: 0, W6: 0, W7: 0, W8: 0}",
             "x.yaml:1: weights: together they need a scale factor above 1000000; round them"),
        ],
    )  # fmt: skip
    def test_refused_with_one_line_and_location(self, tmp_path: Path, text: str, message: str) -> None:
        line = file_refusal(tmp_path, text)
        assert line.startswith(message) if message.endswith(": ") else line == message

    @pytest.mark.parametrize("value", ["9" * 5000, "2024-13-45"])
    def test_yaml_values_that_python_cannot_represent(self, tmp_path: Path, value: str) -> None:
        assert file_refusal(tmp_path, EIGHT.replace("3", value)).startswith("x.yaml")

    @pytest.mark.parametrize("levels", [500, 100_000])
    @pytest.mark.parametrize("level", ["[", "{a: ", "- "])
    def test_deep_nesting(self, tmp_path: Path, level: str, levels: int) -> None:
        assert file_refusal(tmp_path, level * levels).startswith("x.yaml")

    def test_messages_stay_short(self, tmp_path: Path) -> None:
        laughs = "".join(f", &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))
        assert len(file_refusal(tmp_path, f"weights: [[&a0 [x]{laughs}]]\n")) < 200
        assert len(file_refusal(tmp_path, EIGHT.replace("3", "x" * 1000))) < 200


class TestRules:
    def test_every_rule(self, tmp_path: Path) -> None:
        text = """
forbid:
  - attack_with: taunt
  - attack_with: hero
  - attack_on: hero
  - {attack_on: minions}
  - trade_below: 1.5
  - own_hero_death
  - play: Sen'jin Shieldmasta
require: [{keep_mana: 2}, {keep_minions: 2}, {keep_cards: 1}]
"""
        path = tmp_path / "x.yaml"
        path.write_text(EIGHT + text)
        profile = Weights.load(path)
        assert profile.forbid == (
            Rule("attack_with", word="taunt"),
            Rule("attack_with", word="hero"),
            Rule("attack_on", word="hero"),
            Rule("attack_on", word="minions"),
            Rule("trade_below", 1.5),
            Rule("own_hero_death"),
            Rule("play", word="Sen'jin Shieldmasta"),
        )
        assert profile.require == (Rule("keep_mana", 2), Rule("keep_minions", 2), Rule("keep_cards", 1))
        assert pickle.loads(pickle.dumps(profile)) == profile

    @pytest.mark.parametrize("keyword", KEYWORDS)
    def test_every_keyword(self, keyword: str) -> None:
        assert Rule("attack_with", word=keyword).word == keyword

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("forbid: [{atack_with: taunt}]",
             "forbid: 'atack_with' is not a rule; did you mean 'attack_with'?"),
            ("forbid: [own_hero_deth]",
             "forbid: 'own_hero_deth' is not a rule; did you mean 'own_hero_death'?"),
            ("forbid: [{attack_with: tount}]",
             "forbid: attack_with: unknown field 'tount'; did you mean 'taunt'?"),
            ("forbid: [{attack_with: yes}]", "forbid: attack_with: must be a word, got true"),
            ("forbid: [{attack_with: }]", "forbid: attack_with: must be a word, got null"),
            ("forbid: [{attack_on: x}]", "forbid: attack_on: unknown field 'x'; one of hero, minions"),
            ("forbid: [{trade_below: much}]", "forbid: trade_below: must be a number, got 'much'"),
            ("forbid: [{trade_below: 0}]", "forbid: trade_below: must be above 0, got 0"),
            (f"forbid: [{{trade_below: 1{'0' * 400}}}]",
             "forbid: trade_below: must be between -1000000 and 1000000, got an integer of 1329 bits"),
            ("forbid: [{trade_below: 5.0e-324}]",
             "forbid: trade_below: 5e-324 needs a scale factor above 1000000; round it to six decimals"),
            ("forbid: [{trade_below: .inf}]", "forbid: trade_below: must be a finite number, got Infinity"),
            ("forbid: [trade_below]", "forbid: trade_below: needs a number after a colon"),
            ("forbid: [attack_with]", "forbid: attack_with: needs a word after a colon"),
            ("forbid: [{own_hero_death: 1}]", "forbid: own_hero_death: does not take a value, got 1"),
            ("forbid: [{play: 3}]", "forbid: play: must be a card name, got 3"),
            ("forbid: [{play: ''}]", "forbid: play: must be a card name, got ''"),
            ("forbid: [{keep_mana: 2}]", "forbid: keep_mana belongs under require"),
            ("require: [own_hero_death]", "require: own_hero_death belongs under forbid"),
            ("require: [{keep_mana: -1}]", "require: keep_mana: must be an integer, at least 0, got -1"),
            ("require: [{keep_cards: 1.5}]", "require: keep_cards: must be an integer, at least 0, got 1.5"),
            ("require: [{keep_minions: yes}]", "require: keep_minions: must be a number, got true"),
            ("require: [{keep_minions: 1, keep_cards: 1}]",
             "require: must be one rule, such as own_hero_death or keep_mana: 2, got {'keep_cards': 1, 'keep_minions': 1}"),
            ("require: [3]", "require: must be one rule, such as own_hero_death or keep_mana: 2, got 3"),
            ("require: {keep_mana: 2}", "require: must be a list of rules, got {'keep_mana': 2}"),
            ("forbid:", "forbid: must be a list of rules, got null"),
        ],
    )  # fmt: skip
    def test_refused_with_file_and_line(self, tmp_path: Path, text: str, message: str) -> None:
        assert file_refusal(tmp_path, EIGHT + text) == f"x.yaml:10: {message}"

    def test_the_error_has_the_line_of_the_rule(self, tmp_path: Path) -> None:
        text = EIGHT + "forbid:\n  - own_hero_death\n  - attack_on: heros\n"
        assert file_refusal(tmp_path, text) == (
            "x.yaml:12: forbid: attack_on: unknown field 'heros'; did you mean 'hero'?"
        )

    def test_rules_created_in_python_are_checked_too(self) -> None:
        bad: list[Any] = [("nonsense",), ("keep_mana", 0, "x"), ("play", 3, "Wisp"), ("attack_on", 0, "sky")]
        for arguments in bad:
            with pytest.raises(PlannerError):
                Rule(*arguments)
        with pytest.raises(PlannerError, match=r"^forbid: keep_mana belongs under require$"):
            Weights(forbid=(Rule("keep_mana", 1),))
        with pytest.raises(PlannerError, match=r"^require: must be a Rule, got 'keep_mana'$"):
            Weights(require=("keep_mana",))  # type: ignore[arg-type]
