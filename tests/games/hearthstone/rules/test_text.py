"""The text form of states and actions: readable, parsed both ways, errors with the column."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.keywords import TAUNT
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import action_from_dict, state_from_dict
from planner.games.hearthstone.rules.state_text import (
    action_from_text,
    action_to_text,
    state_from_text,
    state_to_text,
)
from tests.matches import CARDS, played
from tests.strategies import states, words

YETI = Card("Chillwind Yeti", cost=4, attack=4, health=5)
SMALL = Catalogue(
    [
        YETI,
        Card("Guard", cost=3, attack=2, health=4, keywords=TAUNT),
        Card("Axe", "weapon", 2, 3, 2),
        Card("Power Word: Shield", "spell", 1),
        Card("Zap", "hero_power", 2),
    ]
)
SECTIONS = "me, enemy, weapon, power, hand, deck, cards"
PLAIN = "6 mana | me 30hp | enemy 12hp"


def test_an_ordinary_state_is_readable() -> None:
    entry = {
        "mana": 6,
        "me": {
            "hero": {"health": 30},
            "board": [{"name": "Chillwind Yeti", "keywords": ["taunt"]}, {"name": "Guard", "id": "g", "health": 1}],
            "hand": ["Guard", {"name": "Wolf", "cost": 3, "attack": 3, "health": 1}, "Power Word: Shield"],
            "deck": ["Guard", "Chillwind Yeti"],
        },
        "enemy": {
            "hero": {"health": 12, "armor": 3, "keywords": ["frozen"], "class": "mage"},
            "board": [{"name": "Guard", "keywords": [], "silenced": True}],
            "weapon": "Axe",
            "hero_power": "Zap",
            "hand": 4,
        },
        "turn": 5,
    }
    state = state_from_dict(entry, SMALL)
    text = (
        "6 mana turn=5"
        " | me 30hp: Chillwind Yeti 4/5 taunt, Guard 2/1 taunt #g"
        ' | hand: Guard (3) 2/4 taunt, Wolf (3) 3/1, "Power Word: Shield" (1)'
        " | deck: Guard, Chillwind Yeti"
        " | enemy 12hp frozen armor=3 class=mage: Guard 2/4 silenced=true"
        " | weapon Axe 3/2 | power Zap | hand: 4"
    )
    assert state_to_text(state, SMALL) == text
    assert state_from_text(text, SMALL) == state


def test_the_examples_of_the_documentation() -> None:
    page = (Path(__file__).parents[4] / "docs" / "reference" / "state.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```(\w*)\n(.*?)```", page, re.DOTALL)
    loaded = [json.loads(block) for kind, block in blocks if kind == "json"]
    read = [
        state_from_dict(entry) for entry in loaded if isinstance(entry, dict) and "status" not in entry
    ]  # not a plan
    assert len(read) == 2
    line = next(block for kind, block in blocks if not kind)
    assert state_from_text(line) == read[0]
    assert str(read[0]) == line.strip()
    actions = [action_from_dict(entry) for entry in next(entry for entry in loaded if isinstance(entry, list))]
    assert [action_to_text(action) for action in actions][2:] == ["power", "trade me.hand.1", "end"]


def test_str_of_a_state_is_its_text_form() -> None:
    state = state_from_text(PLAIN)
    assert str(state) == PLAIN


def test_spaces_and_line_ends_do_not_matter() -> None:
    state = state_from_text("\n 6  mana|me 30hp:Guard 2/4 taunt\n|enemy   12hp|hand:2 \n", SMALL)
    assert state_to_text(state, SMALL) == "6 mana | me 30hp: Guard 2/4 taunt | enemy 12hp | hand: 2"


def test_numbers_without_keywords_mean_no_keywords() -> None:
    text = "6 mana | me 30hp: Guard 2/4 | hand: Guard (3) 2/4 | deck: Guard | enemy 12hp"
    state = state_from_text(text, SMALL)
    assert state.me.board[0].keywords == 0
    assert state.me.hand[0].card.keywords == 0
    assert state.me.deck[0].card.keywords == TAUNT


def test_a_power_with_its_own_cost() -> None:
    state = state_from_text("6 mana | me 30hp | power Zap (1) | enemy 12hp", SMALL)
    assert state.me.power == Card("Zap", "hero_power", 1)


def test_empty_zones() -> None:
    assert state_from_text("6 mana | me 30hp: | hand: | deck: | enemy 12hp") == state_from_text(PLAIN)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "column 1: expected a number of mana, such as '6 mana'; got the end"),
        ("six mana", "column 1: expected a number of mana, such as '6 mana'; got 'six mana'"),
        ("6 man | me 30hp", "column 3: expected 'mana'; got 'man | me 30hp'"),
        ("6 mana & me 30hp", "column 8: expected '|'; got '& me 30hp'"),
        ("6 mana | dec", f"column 10: expected a section: {SECTIONS}; did you mean 'deck'?; got 'dec'"),
        ("6 mana | me 30", "column 13: expected health, such as '30hp'; got '30'"),
        ("6 mana | hand: 3", "column 10: hand must come after 'me' or 'enemy'; got 'hand: 3'"),
        ("6 mana | me 30hp | hand 3 | enemy 1hp", "column 25: expected ':'; got '3 | enemy 1hp'"),
        ("6 mana | me 30hp | me 30hp", "column 20: duplicate key 'me'; got 'me 30hp'"),
        ("6 mana turn=1 turn=2 | me 30hp", "column 15: duplicate key 'turn'; got 'turn=2 | me 30hp'"),
        ("6 mana turn= | me 30hp", "column 14: expected a value: a word, a number or JSON; got '| me 30hp'"),
        ("6 mana | me 30hp: Guard 2/4,", "column 29: expected a card; got the end"),
        ('6 mana | me 30hp: "Guard 2/4', "column 19: Unterminated string starting at; got '\"Guard 2/4'"),
        ("6 mana | me 30hp: Guard 2/4 #", "column 30: expected an id; got the end"),
        ("9" * 30 + " mana", "column 31: the number before has too many digits; got ' mana'"),
        ("6 mana x=" + "[" * 100_000, "column 10: too long or nested too deeply; got '[[[[[[[[[[[[[[[[[[[['"),
        ("6 mana x=" + "9" * 5000, "column 10: too long or nested too deeply; got '99999999999999999999'"),
        ("6 mana | me 30hp", "enemy: is missing"),
        ("6 mana | me 30hp: Guard 2/0 | enemy 1hp", "me.board[0].health: must be at least 1, got 0"),
        ("6 mana | me 30hp: Guard 2/4 tuant | enemy 1hp",
         "me.board[0].keywords: unknown keyword 'tuant'; did you mean 'taunt'?"),
        ("6 mana | me 30hp: Gard | enemy 1hp",
         "me.board[0].name: unknown card 'Gard'; did you mean 'Guard'? (or give its attack and health)"),
        ("6 mana | me 30hp amror=3 | enemy 1hp", "me: unknown field 'amror'"),
    ],
)  # fmt: skip
def test_refused(text: str, message: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        state_from_text(text, SMALL)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (Play("me.hand.0"), "play me.hand.0"),
        (Play("x", "enemy.hero"), "play x -> enemy.hero"),
        (Attack("me.board.0", "enemy.board.1"), "attack me.board.0 -> enemy.board.1"),
        (HeroPower(), "power"),
        (HeroPower("me.hero"), "power -> me.hero"),
        (Trade("me.hand.3"), "trade me.hand.3"),
        (Mulligan(("p1.2", "p1.4")), "mulligan p1.2 p1.4"),
        (Mulligan(), "mulligan"),
        (EndTurn(), "end"),
        (Play("a b", "x->y"), 'play "a b" -> "x->y"'),
        (Attack("0b9c-11-ee", "-"), 'attack 0b9c-11-ee -> "-"'),
    ],
)
def test_actions(action: Action, text: str) -> None:
    assert action_to_text(action) == text
    assert action_from_text(text) == action
    assert action_from_text(f"  {text.replace(' ', '  ')}\n".replace('"a  b"', '"a b"')) == action


ACTIONS = "play, attack, power, trade, end, mulligan, batch"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"column 1: expected an action: {ACTIONS}; got the end"),
        ("plya", f"column 1: expected an action: {ACTIONS}; did you mean 'play'?; got 'plya'"),
        ("play", "column 5: expected an id; got the end"),
        ("play a b", "column 8: expected '->' and a target; got 'b'"),
        ("play a ->", "column 10: expected an id; got the end"),
        ("attack a", "column 9: expected '->' and a target; got the end"),
        ("attack a -> b c", "column 15: expected the end; got 'c'"),
        ("trade a -> b", "column 9: expected the end; got '-> b'"),
        ("end now", "column 5: expected the end; got 'now'"),
        ("play a | b", "column 8: expected the end; got '| b'"),
        ("mulligan a | b", "column 12: expected the end; got '| b'"),
        ("batch play a | b", "column 14: expected the end; got '| b'"),
    ],
)
def test_actions_refused(text: str, message: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        action_from_text(text)
    assert str(refusal.value) == message


@given(words, st.none() | words)
def test_any_ids_round_trip(first: str, second: str | None) -> None:
    actions: list[Action] = [Attack(first, second or "t"), Mulligan((first, second or "t"))]
    actions += [Play(first, second), HeroPower(second), Trade(first)]
    for action in actions:
        text = action_to_text(action)
        assert len(text.splitlines()) == 1
        assert action_from_text(text) == action


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(states())
def test_any_state_round_trips(state: GameState) -> None:
    text = state_to_text(state)
    assert len(text.splitlines()) == 1
    assert state_from_text(text) == state


@pytest.mark.parametrize("seed", range(6, 8))
def test_every_state_of_a_match_round_trips(seed: int) -> None:
    for state, action in played(seed):
        for seen in (state, observe(state, 0)):
            assert state_from_text(state_to_text(seen)) == seen
            assert state_from_text(state_to_text(seen, CARDS), CARDS) == seen
        if action is not None:
            assert action_from_text(action_to_text(action)) == action


def check_refused_or_read(text: str) -> None:
    try:
        state = state_from_text(text)
    except PlannerError as error:
        message = str(error)
    else:
        assert state_from_text(state_to_text(state)) == state
        return
    assert len(message.splitlines()) == 1


@given(st.text())
def test_noise_never_crashes(text: str) -> None:
    check_refused_or_read(text)
    with contextlib.suppress(PlannerError):
        action_from_text(text)


LINE = (
    '6 mana turn=5 clock=3 ruleset={"coin": false}'
    ' | me 30hp frozen armor=3: Yeti 4/5 taunt #"a b", Imp 1/1 attacks_left=0'
    ' | weapon Axe 3/2 | power Fireblast | hand: "A, b" (3) 2/4 taunt value=2.5, The Coin (0), ? #x | deck: 12'
    " | enemy 12hp mana=3: Ooze 3/2 silenced=true | hand: 4 | cards: " + json.dumps({"name": "Q", "health": 1})
)
PIECES = st.sampled_from([*'|,:#=/()"{}[]?- \n', "hp", "mana", "me", "cards:", "7", "-1", "x=", "true", "card={}"])


def test_the_line_that_is_mutated_below_is_valid() -> None:
    check_refused_or_read(LINE)
    assert state_from_text(LINE).me.hand[2].id == "x"


@settings(max_examples=300)
@given(st.integers(0, len(LINE)), st.integers(0, 12), PIECES | st.text(max_size=4))
def test_a_mutated_line_never_crashes(start: int, length: int, piece: str) -> None:
    check_refused_or_read(LINE[:start] + piece + LINE[start + length :])
    check_refused_or_read(LINE[:start])
