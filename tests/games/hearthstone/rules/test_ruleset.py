"""Rulesets: those of the project, files of users, and invalid files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from planner.errors import PlannerError
from planner.games.hearthstone.rules.actions import Attack, Play
from planner.games.hearthstone.rules.match_flow import outcome
from planner.games.hearthstone.rules.ruleset import Ruleset, ruleset_names
from tests.build import FACE, MINE, STANDARD, attack, card, illegal_reason, minion, pass_turns, play, player, state
from tests.games.hearthstone.rules.test_mulligan_and_coin import start


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(PlannerError) as caught:
        Ruleset.of(written(folder, text))
    return str(caught.value).removeprefix(f"{folder}/")


def test_shipped_rulesets() -> None:
    assert ruleset_names() == ["ha", "standard", "thesis", "thesis_printed"]
    standard, thesis = Ruleset.of("standard"), Ruleset.of("thesis")
    assert replace(thesis, name="thesis_printed", execution="printed") == Ruleset.of("thesis_printed")
    assert standard == Ruleset(name="standard")
    assert (thesis.starting_hand, thesis.coin, thesis.mulligan, thesis.hero_powers) == ((4, 4), False, False, False)
    assert (thesis.board_limit, thesis.hand_limit, thesis.mana_limit, thesis.hero_health) == (7, 10, 10, 30)


def test_a_file_changes_only_what_it_names(tmp_path: Path) -> None:
    rules = Ruleset.of(written(tmp_path, "board_limit: 5\nstarting_hand: [2, 3]\n"))
    assert rules == Ruleset(name="mine", board_limit=5, starting_hand=(2, 3))
    assert Ruleset.of(str(tmp_path / "mine.yaml")) is not None
    assert Ruleset.of(rules) is rules


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    assert Ruleset.of(written(tmp_path, "board_limit: 5")).board_limit == 5
    assert Ruleset.of(written(tmp_path, "board_limit: 6")).board_limit == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hero_health: 30\nbord_limit: 7", "mine.yaml:2: unknown field 'bord_limit'; did you mean 'board_limit'?"),
        ("board_limit: 0", "mine.yaml:1: board_limit: must be at least 1, got 0"),
        (
            "coin: true\nboard_limit: seven",
            "mine.yaml:2: board_limit: must be an integer, between 1 and 100, got 'seven'",
        ),
        ("mana_limit: -1", "mine.yaml:1: mana_limit: must be at least 0, got -1"),
        ("mana_limit: 2.5", "mine.yaml:1: mana_limit: must be an integer, at least 0, got 2.5"),
        ("mana_limit: true", "mine.yaml:1: mana_limit: must be an integer, at least 0, got true"),
        ("coin: 1", "mine.yaml:1: coin: must be true or false, got 1"),
        ("starting_hand: 3", "mine.yaml:1: starting_hand: must be two integers, got 3"),
        ("starting_hand: [3, 4, 5]", "mine.yaml:1: starting_hand: must be two integers, got [3, 4, 5]"),
        ("\nname: [a]", "mine.yaml:2: name: must be a non-empty string, got ['a']"),
        ("name: ''", "mine.yaml:1: name: must be a non-empty string, got ''"),
        (
            "starting_hand: [2, 6]\nhand_limit: 5",
            "mine.yaml:1: starting_hand: (2, 6) is more than the hand_limit of 5",
        ),
        ("mana_start: 5\nmana_limit: 4", "mine.yaml:1: mana_start: 5 is more than the mana_limit of 4"),
        ("- a list", "mine.yaml:1: a ruleset is a mapping such as 'board_limit: 7'"),
        ("a: 1\na: 2", "mine.yaml:2: duplicate key 'a'"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    assert refusal(tmp_path, text) == message


def test_a_small_hand_limit_may_come_before_the_starting_hand(tmp_path: Path) -> None:
    assert Ruleset.of(written(tmp_path, "hand_limit: 2\nstarting_hand: [1, 2]")).hand_limit == 2


def test_a_hand_limit_below_the_usual_starting_hand_is_refused(tmp_path: Path) -> None:
    message = refusal(tmp_path, "board_limit: 7\nhand_limit: 2")
    assert message == "mine.yaml:2: starting_hand: (3, 4) is more than the hand_limit of 2"


def test_contradictory_rules_are_refused_at_the_start_of_a_match() -> None:
    with pytest.raises(PlannerError, match=r"ruleset custom: starting_hand: .* is more than the hand_limit of 2"):
        start(Ruleset(hand_limit=2))  # allowed for a state in the middle of a match


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(PlannerError, match=r"unknown ruleset 'standart'; did you mean 'standard'?"):
        Ruleset.of("standart")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlannerError, match="no such file"):
        Ruleset.of(tmp_path / "none.yaml")


def test_wrong_values_in_code_are_refused() -> None:
    with pytest.raises(PlannerError, match="ruleset custom: hero_health: must be at least 1, got 0"):
        Ruleset(hero_health=0)


# -- the variants of Ha (2024)


def test_constant_fatigue_of_one() -> None:
    rules = Ruleset(fatigue_start=1, fatigue_growth=0)
    after = pass_turns(state(rules=rules, deck=[], enemy=player("enemy", deck=[])), 6)
    assert (after.me.hero.health, after.enemy.hero.health) == (27, 27)
    assert outcome(after) is None


@pytest.mark.parametrize("limit", [1, 3, 9])
def test_another_board_size(limit: int) -> None:
    rules = Ruleset(board_limit=limit)
    before = state(rules=rules, hand=[card(1, 1)] * 2, board=[minion(1, 1)] * (limit - 1))
    after = play(before)
    assert len(after.me.board) == limit
    assert illegal_reason(after, Play("me.hand.1")) == f"your board is full ({limit})"


@pytest.mark.parametrize("limit", [4, 12])
def test_another_hand_size(limit: int) -> None:
    after = pass_turns(state(rules=Ruleset(hand_limit=limit), enemy=player("enemy", hand=limit)))
    assert len(after.me.hand) == limit


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_decks_smaller_than_the_starting_hand(size: int) -> None:
    state = start(Ruleset(starting_hand=(4, 5), mulligan=False, coin=False), size=size)
    assert len(state.enemy.hand) == min(size, 5)
    assert len(state.me.hand) == min(size, 5)  # four cards, and the draw of the first turn if a card is left
    assert state.me.hero.health == (30 if size > 4 else 29)


HA = Ruleset.of("ha")


def test_without_summoning_sickness_a_minion_attacks_at_once() -> None:
    before = state(rules=HA, mana=1000, hand=[card(2, 1, cost=10)])
    assert attack(play(before), "me.hand.0", FACE).enemy.hero.health == 28
    sick = play(before._replace(rules=replace(HA, summoning_sickness=True)))
    assert "was summoned this turn" in illegal_reason(sick, Attack("me.hand.0", FACE))


def test_without_attack_required_a_minion_with_0_attack_fights() -> None:
    before = state(rules=HA, board=[minion(0, 5)], enemy=player("enemy", board=[minion(2, 3)]))
    after = attack(before)
    assert (after.me.board[0].health, after.enemy.board[0].health) == (3, 3)
    assert illegal_reason(after, Attack(MINE, FACE)) == f"{MINE} has no attacks left"
    strict = before._replace(rules=replace(HA, attack_required=True))
    assert illegal_reason(strict, Attack(MINE, FACE)) == f"{MINE} has no attack"


def test_a_frozen_minion_without_summoning_sickness_thaws_in_its_first_turn() -> None:
    for rules, thawed in ((HA, True), (STANDARD, False)):
        after = pass_turns(state(rules=rules, board=[minion(1, 1, "frozen", fresh=True)]))
        assert ("frozen" in after.enemy.board[0].keyword_names) is not thawed


def test_without_the_first_draw_only_the_first_turn_draws_nothing() -> None:
    first = start(HA, size=10)
    assert (len(first.me.hand), len(first.enemy.hand)) == (3, 4)
    assert len(pass_turns(first).me.hand) == 5
    assert len(pass_turns(first, 2).me.hand) == 4


def test_another_hero_health() -> None:
    state = start(Ruleset(hero_health=12), seed=4)
    assert state.me.hero.health == state.enemy.hero.max_health == 12
