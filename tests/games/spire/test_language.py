"""The action language of cards: errors with file and line, and generated descriptions."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.games.spire.battle_text import describe_card
from planner.games.spire.built_in_words import BUILT_IN
from planner.games.spire.card_library import Library, library_with, load_library, shipped_library
from tests.games.spire.battles import GOBLIN, battle, end, play, titles

CARD = """cards:
  Zap:
    cost: 1
    type: attack
    does:
      - {do: attack, amount: 6, to: chosen enemy}
"""
STATUS = """statuses:
  odd:
    good: true
    stacking: add
    on:
      - {event: attack_dealt, add: stacks}
"""
ENEMY = """enemies:
  Rat:
    health: 5-7
    moves:
      Bite:
        - {do: attack, amount: 1, to: player}
      Rest:
        - {do: heal, amount: 1, to: self}
    pattern:
      first: Bite
      then: {Bite: 60, Rest: 40}
"""


@pytest.mark.parametrize(
    ("text", "before", "after", "message"),
    [
        (CARD, ", to: chosen enemy", "", "x.yaml:6: Zap: does: attack needs a target, such as to: chosen enemy"),
        (CARD, "chosen enemy", "chosen enmy",
         "x.yaml:6: Zap: does: to: 'chosen enmy' is not a target; did you mean 'chosen enemy'?"),
        (CARD, "chosen enemy", "chosen card in hand", "x.yaml:6: Zap: does: attack acts on fighters, not on cards"),
        (CARD, "chosen enemy", "chosen card in hat",
         "x.yaml:6: Zap: does: to: 'hat' is not a pile; must be one of hand, draw, discard, exhaust"),
        (CARD, "chosen enemy", "player", "x.yaml:6: Zap: does: to: 'player' is for enemies; write 'self' for a card"),
        (CARD, "attack, amount: 6", "atack, amount: 6",
         "x.yaml:6: Zap: does: do: 'atack' is not an action; did you mean 'attack'?"),
        (CARD, "amount: 6, ", "", "x.yaml:6: Zap: does: amount: is missing"),
        (CARD, "amount: 6", "amount: -6", "x.yaml:6: Zap: does: amount: must be between 0 and 9999, got -6"),
        (CARD, "amount: 6", "amount: 6 9",
         "x.yaml:6: Zap: does: amount: '6 9' is not a number such as 6, 6 (9) or 12 +4"),
        (CARD, "amount: 6", "amount: stacks",
         "x.yaml:6: Zap: does: amount: 'stacks' is not a number such as 6, 6 (9) or 12 +4"),
        (CARD, "amount: 6", "amount: 6, turns: 2", "x.yaml:6: Zap: does: unknown field 'turns'"),
        (CARD, "attack, amount: 6", "apply, amount: 6, status: vulnerible",
         "x.yaml:6: Zap: does: status: 'vulnerible' is not a status; did you mean 'vulnerable'?"),
        (CARD, "attack, amount: 6", "draw, amount: 6",
         "x.yaml:6: Zap: does: draw takes no target such as 'chosen enemy'"),
        (CARD, "attack, amount: 6", "copy, into: draw", "x.yaml:6: Zap: does: copy acts on cards, not on fighters"),
        (CARD, "attack, amount: 6, to: chosen enemy", "copy, into: bin, to: this card",
         "x.yaml:6: Zap: does: into: must be one of hand, draw, discard, exhaust; got 'bin'"),
        (CARD, "{do: attack, amount: 6, to: chosen enemy}",
         "{and: [{do: attack, amount: 6}, {do: block, amount: 1, to: self}, {do: heal, amount: 2}], to: chosen enemy}",
         "x.yaml:6: Zap: does: and: parts that share a target must be adjacent, so that it is chosen once"),
        (CARD, "cost: 1", "cost: -1", "x.yaml:3: Zap: cost: must be between 0 and 9999, got -1"),
        (CARD, "    cost: 1\n", "", "x.yaml:2: Zap: cost: is missing"),
        (CARD, "type: attack", "type: atack",
         "x.yaml:4: Zap: type: must be one of attack, skill, power; got 'atack'; did you mean 'attack'?"),
        (CARD, "cost: 1", "price: 1", "x.yaml:3: Zap: unknown field 'price'"),
        (CARD, "Zap", "Strike", "x.yaml:2: Strike: duplicate name: this card exists already"),
        (CARD, "Zap", "Zap+", "x.yaml:2: Zap+: a name must not be empty or contain + , ; : or |"),
        (CARD, "- {do: attack, amount: 6, to: chosen enemy}", "[]",
         "x.yaml:5: Zap: does: [] is not a list of actions, such as - {do: draw, amount: 1}"),
        (CARD, "{do: attack, amount: 6, to: chosen enemy}", "hit",
         "x.yaml:6: Zap: does: 'hit' is not an action: it must have either do or and"),
        (CARD, "cards:", "crads:", "x.yaml:1: unknown field 'crads'; did you mean 'cards'?"),
        (STATUS, "stacking: add", "stacking: pile", "x.yaml:4: odd: stacking: must be one of add, keep, apart; got 'pile'"),
        (STATUS, "attack_dealt", "attack_delt", "x.yaml:6: odd: on: event: must be one of "),
        (STATUS, "add: stacks", "times: 3/0", "x.yaml:6: odd: on: times: '3/0' is not a factor such as 2 or 3/4"),
        (STATUS, ", add: stacks", "", "x.yaml:6: odd: on: a value change must have exactly one of add, times and call"),
        (STATUS, "{event: attack_dealt, add: stacks}",
         "{event: turn_end, does: [{do: attack, amount: 1, to: chosen enemy}]}",
         "x.yaml:6: odd: on: does: to: 'chosen enemy' is only for cards: the player makes no choice here"),
        (STATUS, "good: true", "good: 1", "x.yaml:3: odd: good: must be true or false, got 1"),
        (ENEMY, "health: 5-7", "health: 7-5", "x.yaml:3: Rat: health: '7-5' is not a health such as 44 or 40-44"),
        (ENEMY, "Rest: 40", "Rest: 30", "x.yaml:11: Rat: pattern: then: the chances must add up to 100, got 90"),
        (ENEMY, "first: Bite", "first: Bit",
         "x.yaml:10: Rat: pattern: first: must be one of Bite, Rest; got 'Bit'; did you mean 'Bite'?"),
        (ENEMY, "heal, amount: 1, to: self", "draw, amount: 1",
         "x.yaml:8: Rat: moves: Rest: do: draw is for cards, not for an enemy"),
        (ENEMY, "amount: 1, to: player", "amount: 1 (2), to: player",
         "x.yaml:6: Rat: moves: Bite: amount: '1 (2)': only cards can be upgraded; write 1"),
    ],
)  # fmt: skip
def test_error_names_file_and_line(tmp_path: Path, text: str, before: str, after: str, message: str) -> None:
    path = tmp_path / "x.yaml"
    assert before in text
    path.write_text(text, encoding="utf-8")
    load_library(path)  # valid before the change
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(PlannerError) as caught:
        load_library(path)
    error = str(caught.value).removeprefix(f"{tmp_path}/")
    assert error.startswith(message) if message.endswith(" ") else error == message or error.startswith(message + ";")


def test_equal_definitions_give_the_same_library_object(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(CARD, encoding="utf-8")
    assert load_library(path).card("Zap") is load_library(path).card("Zap")
    assert load_library(path).card("Strike") is shipped_library("").card("Strike")


def test_libraries_that_no_battle_uses_are_forgotten() -> None:
    def zap(cost: int) -> Library:
        return library_with({"cards": {"Zap": {"cost": cost, "type": "skill", "does": [{"do": "draw", "amount": 1}]}}})

    kept, first = zap(5000), weakref.ref(zap(6000))
    for cost in range(200):
        zap(cost)
    gc.collect()
    assert first() is None
    assert zap(5000) is kept


def test_part_of_a_join_keeps_its_own_target(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(
        CARD.replace(
            "{do: attack, amount: 6, to: chosen enemy}",
            "{and: [{do: block, amount: 1, to: self}, {do: attack, amount: 6}, {do: draw, amount: 1}],"
            " to: chosen enemy}",
        ),
        encoding="utf-8",
    )
    text = describe_card(load_library(path).card("Zap"))
    assert text == "Gain 1 block. Deal 6 damage to a chosen enemy and draw 1 card."


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Strike", "Deal 6 damage to a chosen enemy."),
        ("Strike+", "Deal 9 damage to a chosen enemy."),
        ("Bash", "Deal 8 damage and apply 2 vulnerable to a chosen enemy."),
        ("Split Bash", "Deal 8 damage to a chosen enemy. Apply 2 vulnerable to a chosen enemy."),
        ("Anger", "Deal 6 damage to a chosen enemy. Add a copy of this card to the discard pile."),
        ("Armaments", "Gain 5 block. Upgrade a chosen card in hand."),
        ("Cleave", "Deal 8 damage to all enemies."),
        ("Impervious+", "Gain 40 block. Exhaust this card."),
        ("Searing Blow+3", "Deal 24 damage to a chosen enemy."),
        ("Concentrate", "Discard 3 chosen cards in hand. Gain 2 energy."),
        ("Batter", "Deal 0 damage 10 times to a chosen enemy."),
        ("Bomb", "Gain 40 bomb for 3 turns."),
    ],
)
def test_description_is_generated_from_the_actions(title: str, text: str) -> None:
    assert describe_card(shipped_library("").card(title)) == text


def test_card_can_have_its_own_text(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(CARD + "    text: Ouch.\n", encoding="utf-8")
    assert describe_card(load_library(path).card("Zap")) == "Ouch."


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("Strik", "'Strik' is not a card; did you mean 'Strike'?"),
        ("Strike+2", "'Strike+2': Strike+ cannot be upgraded"),
        ("Concentrate+", "'Concentrate+': Concentrate cannot be upgraded"),
    ],
)
def test_unknown_card_is_rejected(title: str, message: str) -> None:
    with pytest.raises(PlannerError) as caught:
        shipped_library("").card(title)
    assert str(caught.value) == message


def card(*does: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"cards": {"Test": {"cost": 0, "type": "skill", "does": list(does), **fields}}}


@pytest.mark.parametrize(
    ("condition", "fields", "holds", "text"),
    [
        ("health below 30", {"health": 29}, True, "If you have less than 30 health, gain 1 energy."),
        ("health below 30", {"health": 30}, False, ""),
        ("block at least 4", {"block": 4}, True, "If you have at least 4 block, gain 1 energy."),
        ("block at least 4", {"block": 3}, False, ""),
        ("has weak", {"statuses": [{"status": "weak", "amount": 1}]}, True, "If you have weak, gain 1 energy."),
        ("has weak", {"statuses": [{"status": "vigor", "amount": 1}]}, False, ""),
        ("enemy has vulnerable", {"enemies": ({**GOBLIN, "statuses": [{"status": "vulnerable", "amount": 1}]},)}, True,
         "If an enemy has vulnerable, gain 1 energy."),
        ("enemy has vulnerable", {"statuses": [{"status": "vulnerable", "amount": 1}]}, False, ""),
        ("hand is empty", {}, True, "If your hand is empty, gain 1 energy."),
        ("hand is empty", {"draw": ["Strike"]}, True, ""),
    ],
)  # fmt: skip
def test_conditions(condition: str, fields: dict[str, Any], holds: bool, text: str) -> None:
    state = battle("Test", library=card({"do": "energy", "amount": 1, "if": condition}), **fields)
    assert play(state, "Test").energy == 9 + holds
    assert describe_card(state.hand[0]) == text or not text


def test_every_condition_has_a_test() -> None:
    cases = [mark.args[1] for mark in test_conditions.pytestmark]
    tested = " ".join(case[0] for case in cases[0])
    assert all(name in tested for name in BUILT_IN.conditions)


def test_condition_of_a_join_and_of_an_enemy() -> None:
    join = {"and": [{"do": "attack", "amount": 3}, {"do": "apply", "status": "weak", "amount": 1}, {"do": "draw", "amount": 1}],
            "to": "chosen enemy", "if": "health below 10"}  # fmt: skip
    library = {**card(join), "enemies": {"Coward": {
        "health": 20, "pattern": {"in_turn": ["Flee"]},
        "moves": {"Flee": [{"do": "heal", "amount": 5, "to": "self", "if": "health below 9"}]},
    }}}  # fmt: skip
    coward = {"name": "Coward", "health": 11}
    state = battle("Test", health=9, draw=["Strike"], enemies=(coward, coward), library=library)
    after = play(state, "Test", 1)
    assert ([enemy.health for enemy in after.enemies], titles(after.hand)) == ([11, 8], ["Strike"])
    assert [enemy.health for enemy in end(after).enemies] == [11, 13]
    assert play(state._replace(health=10), "Test").enemies == state.enemies  # nothing is chosen


def test_action_without_a_target_can_join_actions_on_cards() -> None:
    join = {
        "and": [{"do": "exhaust"}, {"do": "energy", "amount": 2}, {"do": "draw", "amount": 1}],
        "to": "2 chosen cards in hand",
    }
    after = play(
        battle("Test", "Strike", "Bash", "Defend", draw=["Bomb"], library=card(join)), "Test", "Strike", "Defend"
    )
    assert (titles(after.hand), titles(after.exhaust), after.energy) == (["Bash", "Bomb"], ["Strike", "Defend"], 11)


def test_cards_that_stay_keep_their_place_in_hand() -> None:
    upgrade = card({"do": "upgrade", "to": "3 chosen cards in hand"})
    after = play(
        battle("Bash", "Test", "Strike", "Defend", "Suffer", library=upgrade), "Test", "Suffer", "Bash", "Strike"
    )
    assert titles(after.hand) == ["Bash+", "Strike+", "Defend", "Suffer+"]
