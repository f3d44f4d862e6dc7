"""Invalid JSON states: the error names the place and the value, and noise never causes a crash."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import PlannerError
from planner.formats.documents import parse_json, read_text
from planner.games.hearthstone.cards.effect_vocabulary import TRIBES
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.rules.state import is_over
from planner.games.hearthstone.rules.state_json import action_from_dict, state_from_dict, state_to_dict
from tests.games.hearthstone.rules.entries import CONTRACT, SMALL, again, mine, minimal, theirs

BEAR = {"attack": 1, "health": 1}
BIG = 10**6 + 1
REFUSED: list[tuple[Any, str]] = [
    ([], "state: must be an object, got []"),
    ({}, "mana: is missing"),
    (minimal(mana=-1), "mana: must be between 0 and 10, got -1"),
    (minimal(mana=11), "mana: must be between 0 and 10, got 11"),
    (minimal(mana="6"), "mana: must be an integer, between 0 and 10, got '6'"),
    (minimal(mana=True), "mana: must be an integer, between 0 and 10, got true"),
    (minimal(mana=6.0), "mana: must be an integer, between 0 and 10, got 6.0"),
    (minimal(mana=float("nan")), "mana: must be an integer, between 0 and 10, got NaN"),
    (minimal(mana=None), "mana: must be an integer, between 0 and 10, got null"),
    (minimal(manna=1), "state: unknown field 'manna'; did you mean 'mana'?"),
    ({"mana": 1, "enemy": {"hero": {"health": 1}}}, "me: is missing"),
    (minimal(me=3), "me: must be an object, got 3"),
    (minimal(me={}), "me.hero: is missing"),
    (minimal(me={"hero": {}}), "me.hero.health: is missing"),
    (minimal(me={"hero": {"health": 0}}), "me.hero.health: must be at least 1, got 0"),
    (minimal(enemy={"hero": {"health": -3}}), "enemy.hero.health: must be at least 1, got -3"),
    (minimal(me={"hero": {"health": BIG}}), "me.hero.health: must be between -1000000 and 1000000, got 1000001"),
    (minimal(me={"hero": {"health": 1, "helth": 1}}), "me.hero: unknown field 'helth'; did you mean 'health'?"),
    (minimal(me={"hero": {"health": 30, "armor": -1}}), "me.hero.armor: must be between 0 and 1000000, got -1"),
    (minimal(me={"hero": {"health": 31, "max_health": 30}}), "me.hero.max_health: must be at least the health of 31, got 30"),
    (minimal(me={"hero": {"health": 3, "class": "mag"}}), "me.hero.class: unknown class 'mag'; did you mean 'mage'?"),
    (mine(mana=4), "me.mana: belongs at the top of the state, beside me and enemy"),
    (mine(board=[BEAR] * 8), "me.board: 8 minions; the limit is 7"),
    (mine(board="Guard"), "me.board: must be a list, got 'Guard'"),
    (mine(board=[3.5]), "me.board[0]: must be an object, got 3.5"),
    (theirs(board=[BEAR, BEAR, {"attack": 1, "health": 0}]), "enemy.board[2].health: must be at least 1, got 0"),
    (mine(board=[{"attack": -1, "health": 1}]), "me.board[0].attack: must be between 0 and 1000000, got -1"),
    *((mine(board=[{**bear, "spell_damage": 1001}]),
       "me.board[0].spell_damage: must be between 0 and 1000, got 1001") for bear in (BEAR, {"name": "Guard"})),
    (mine(board=[{"attack": 1}]), "me.board[0].health: is missing"),
    (mine(board=[{"name": "Bear", "health": 1}]), "me.board[0].attack: is missing"),
    (mine(board=[{}]), "me.board[0].attack: is missing"),
    (mine(board=[{"name": "Gard"}]),
     "me.board[0].name: unknown card 'Gard'; did you mean 'Guard'? (or give its attack and health)"),
    (mine(board=["Gard"]),
     "me.board[0].name: unknown card 'Gard'; did you mean 'Guard'? (or give its attack and health)"),
    (mine(board=[31]), "me.board[0].name: unknown card '31' (or give its attack and health)"),
    (mine(board=[{"name": ""}]), "me.board[0].name: must be a non-empty string, got ''"),
    (mine(board=["Bolt"]), "me.board[0]: 'Bolt' is a spell, not a minion"),
    (mine(board=["?"]), "me.board[0]: '?' is a hidden card, not a minion"),
    (mine(board=[BEAR | {"max_health": 0}]), "me.board[0].max_health: must be at least 1, got 0"),
    (mine(board=[BEAR | {"health": 2, "max_health": 1}]), "me.board[0].max_health: must be at least the health of 2, got 1"),
    (mine(board=[BEAR | {"cost": 1}]), "me.board[0]: unknown field 'cost'; it belongs into 'card'"),
    (mine(board=[BEAR | {"silenced": 1}]), "me.board[0].silenced: must be true or false, got 1"),
    (mine(board=[BEAR | {"keywords": "taunt"}]), "me.board[0].keywords: must be a list, got 'taunt'"),
    (mine(board=[BEAR | {"keywords": [["x"]]}]), f"me.board[0].keywords: unknown keyword ['x']; use one of {', '.join(NAMES)}"),
    (mine(board=[BEAR | {"id": 7.0}]), "me.board[0].id: must be a non-empty string, got 7.0"),
    (mine(board=[BEAR | {"id": True}]), "me.board[0].id: must be a non-empty string, got true"),
    (mine(board=[BEAR | {"id": 10**30}]), "me.board[0].id: must be at most 9223372036854775807, got 1000000000000000000000000000000"),
    (mine(board=[BEAR | {"id": 7}, BEAR | {"id": "7"}]), "me.board[1].id: duplicate id '7', also used by me.board[0]"),
    (mine(board=[BEAR | {"id": "new.1000001"}]),
     "me.board[0].id: ids of this form end at new.1000000, got 'new.1000001'"),
    (mine(board=[BEAR | {"id": "new." + "9" * 900}]),
     ("me.board[0].id: ids of this form end at new.1000000, got "
     "'new.99999999999999999999999...9999999999999999999999999999'")),
    (mine(board=[BEAR | {"tribes": ["cat"]}]), f"me.board[0].tribes: unknown tribe 'cat'; use one of {', '.join(TRIBES)}"),
    (mine(board=[BEAR | {"spell_damage": -1}]), "me.board[0].spell_damage: must be between 0 and 1000, got -1"),
    (mine(board=[BEAR | {"id": "a"}, BEAR | {"id": "a"}]), "me.board[1].id: duplicate id 'a', also used by me.board[0]"),
    (mine(board=[BEAR | {"id": "me.board.1"}, BEAR]), "me.board[1].id: duplicate id 'me.board.1', also used by me.board[0]"),
    (mine(board=[BEAR | {"id": "enemy.hero"}]), "me.board[0].id: duplicate id 'enemy.hero', also used by a hero"),
    (mine(board=[BEAR | {"id": "me.hero"}]), "me.board[0].id: duplicate id 'me.hero', also used by a hero"),
    (mine(hand=["Bolt", {"name": "Guard", "keywords": ["tuant"]}]),
     "me.hand[1].keywords: unknown keyword 'tuant'; did you mean 'taunt'?"),
    (mine(hand=[{"name": "Bear", "attack": 1, "health": 1}]), "me.hand[0].cost: is missing"),
    (mine(hand=["Gard"]),
     ("me.hand[0].name: unknown card 'Gard'; did you mean 'Guard'? (or give its cost, and for a minion "
     "attack and health)")),
    (mine(hand=[{"name": "Odd", "cost": 1, "attack": 1}]), "me.hand[0].health: is missing"),
    (mine(hand=[{"name": "Odd", "attack": 1, "health": 1}]), "me.hand[0].cost: is missing"),
    (mine(hand=[{"cost": 1}]), "me.hand[0].attack: is missing"),
    (mine(hand=[{"type": "spell"}]), "me.hand[0].cost: is missing"),
    (mine(hand=[{"type": "spell", "cost": 1, "attack": 2}]), "me.hand[0].attack: a spell has no attack, got 2"),
    (mine(hand=[{"type": "spell", "name": "Guard"}]), "me.hand[0].type: 'spell', but 'Guard' is a minion"),
    (mine(hand=[{"type": "hero", "cost": 1}]), "me.hand[0].type: must be one of minion, spell, weapon; got 'hero'"),
    (mine(hand=[{"type": "weapon", "name": "Odd"}]),
     "me.hand[0].name: unknown card 'Odd' (or give its cost and attack and health)"),
    (mine(hand=["Zap"]), "me.hand[0]: 'Zap' is a hero power, not a minion or spell or weapon"),
    (mine(hand=[{"name": "Bolt", "attack": 2}]), "me.hand[0].attack: a spell card has no attack"),
    (mine(hand=[{"name": "?", "keywords": ["taunt"]}]),
     "me.hand[0].keywords: a hidden card has no keywords"),
    (mine(hand=[{"name": "Guard", "value": "3"}]), "me.hand[0].value: must be a number, between -1000000 and 1000000, got '3'"),
    (mine(hand=[{"name": "Guard", "value": float("nan")}]),
     "me.hand[0].value: must be a number, between -1000000 and 1000000, got NaN"),
    (mine(hand=[{"name": "Guard", "cost": -1}]), "me.hand[0].cost: must be between 0 and 1000000, got -1"),
    (mine(hand=[{"name": "Guard", "health": 0}]), "me.hand[0].health: must be at least 1, got 0"),
    (mine(hand=["Bolt"] * 11), "me.hand: 11 cards; the limit is 10"),
    (mine(hand=11), "me.hand: must be between 0 and 10, got 11"),
    (mine(hand=-1), "me.hand: must be between 0 and 10, got -1"),
    (mine(hand=True), "me.hand: must be a list, got true"),
    (mine(deck=1001), "me.deck: must be between 0 and 1000, got 1001"),
    (mine(weapon="Guard"), "me.weapon: 'Guard' is a minion, not a weapon"),
    (mine(weapon={"name": "Axe", "durability": 0}), "me.weapon.durability: must be at least 1, got 0"),
    (mine(weapon={"attack": 2}), "me.weapon.durability: is missing"),
    (mine(weapon=[]), "me.weapon: must be an object, got []"),
    (mine(hero_power="Zip"), "me.hero_power.name: unknown card 'Zip'; did you mean 'Zap'? (or give its cost)"),
    (mine(hero_power={}), "me.hero_power.name: is missing"),
    (mine(hero_power="Bolt"), "me.hero_power: 'Bolt' is a spell, not a hero power"),
    (mine(hand=[{"card": {"name": "A", "cost": -1, "health": 1}}]),
     "me.hand[0].card: cost: must be between 0 and 1000000, got -1"),
    (mine(hand=[{"card": {"name": "?", "health": 1}}]),
     "me.hand[0].card: the name '?' is reserved for hidden cards"),
    (mine(hand=[{"card": {"name": "A", "health": 1}, "name": "B"}]), "me.hand[0].name: 'B' differs from its card 'A'"),
    (mine(hand=[{"card": {"name": "A", "health": 1, "effects": [{"do": "summon", "card": "Gard"}]}}]),
     "me.hand[0].card: unknown card 'Gard'; did you mean 'Guard'?"),
    (mine(hand=[{"card": {"name": "A", "health": 1, "effects": [{"do": "summon", "card": "Bolt"}]}}]),
     "me.hand[0].card: Bolt is a spell, but summon needs a minion"),
    (mine(hand=[{"card": {"name": "A", "health": 1, "effects": [{"do": "armor", "amount": -1}]}}]),
     "me.hand[0].card: effect armor: the amount must not be negative"),
    (mine(hand=[{"card": {"name": "A", "health": 1, "effects": [{"do": "draw", "count": 1001}]}}]),
     "me.hand[0].card: effects: count: must be between 0 and 1000, got 1001"),
    (mine(hand=[{"card": {3: 4}}]), "me.hand[0].card: {3: 4} has keys that are not strings"),
    (minimal(cards={}), "cards: must be a list, got {}"),
    (minimal(cards=["Guard"]), "cards[0]: must be an object, got 'Guard'"),
    (minimal(cards=[{"name": "A", "health": 1}] * 2), "cards[1]: duplicate card 'A'"),
    (minimal(turn=-1), "turn: must be between 0 and 1000000, got -1"),
    (minimal(turn=181), "turn: 181 is above the limit of 180, but finished is not true"),
    (minimal(seat=2), "seat: must be between 0 and 1, got 2"),
    (minimal(cause=3), "cause: must be a non-empty string, got 3"),
    (minimal(finished=1), "finished: must be true or false, got 1"),
    (minimal(finished=True), "finished: true, but both heroes are alive and the turn limit is not reached"),
    (minimal(ruleset="thesys"), "ruleset: unknown ruleset 'thesys'; did you mean 'thesis'?"),
    (minimal(ruleset=3), "ruleset: must be an object, got 3"),
    (minimal(ruleset={"board": 3}), "ruleset: unknown field 'board'; did you mean 'board_limit'?"),
    (minimal(ruleset={"board_limit": 0}), "ruleset.board_limit: must be at least 1, got 0"),
    (minimal(ruleset={"board_limit": BIG}), "ruleset.board_limit: must be between 1 and 100, got 1000001"),
    (minimal(ruleset={"coin": 1}), "ruleset.coin: must be true or false, got 1"),
    (minimal(ruleset={"name": ""}), "ruleset.name: must be a non-empty string, got ''"),
]  # fmt: skip


@pytest.mark.parametrize(("entry", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_refused(entry: Any, message: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        state_from_dict(entry, SMALL)
    assert str(refusal.value) == message


@pytest.mark.parametrize("health", [0, -4])
def test_a_dead_hero_only_in_a_finished_match(health: int) -> None:
    entry = minimal(enemy={"hero": {"health": health}}, finished=True)
    state = state_from_dict(entry)
    assert is_over(state)
    assert state_to_dict(state)["finished"] is True
    assert again(state) == state


def test_deep_nesting() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for entry in (deep, minimal(ruleset={"coin": deep}), mine(board=[{"card": {"name": "A", "tribes": [deep]}}])):
        with pytest.raises(PlannerError):
            state_from_dict(entry)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (3, "action: must be an object, got 3"),
        ({}, "action.type: is missing"),
        ({"type": "plya"}, "action.type: unknown type of action 'plya'; did you mean 'play'?"),
        ({"type": []}, "action.type: unknown type of action []"),
        ({"type": "play"}, "action.card: is missing"),
        ({"type": "play", "card": 1.0}, "action.card: must be a non-empty string, got 1.0"),
        ({"type": "play", "card": "a", "tarket": "b"}, "action: unknown field 'tarket'; did you mean 'target'?"),
        ({"type": "attack", "attacker": "a", "target": None}, "action.target: must be a non-empty string, got null"),
        ({"type": "end_turn", "target": None}, "action: unknown field 'target'"),
    ],
)
def test_actions_refused(entry: Any, message: str) -> None:
    with pytest.raises(PlannerError) as refusal:
        action_from_dict(entry)
    assert str(refusal.value) == message


# -- files


def load_state(path: Path) -> Any:
    return state_from_dict(parse_json(read_text(path), str(path)))


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    path.write_text(CONTRACT)
    assert load_state(path) == state_from_dict(json.loads(CONTRACT))


@pytest.mark.parametrize("length", [*range(0, len(CONTRACT) - 1, 13), len(CONTRACT) - 1])
def test_a_truncated_file(tmp_path: Path, length: int) -> None:
    path = tmp_path / "state.json"
    path.write_text(CONTRACT[:length])
    with pytest.raises(PlannerError, match=r"^\S+state\.json:\d+:\d+: [^\n]+$"):
        load_state(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"mana": 6,\n "me": }', "2:8: invalid JSON: Expecting value"),
        ('{"mana": 1, "mana": 2}', " duplicate key 'mana'"),
        ("[" * 100_000, " nested too deeply"),
        ('{"mana": ' + "9" * 5000 + "}", " contains a number with thousands of digits"),
    ],
)
def test_a_broken_file(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(content)
    with pytest.raises(PlannerError) as refusal:
        load_state(path)
    assert str(refusal.value).startswith(f"{path}:{message}")


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(PlannerError, match="no such file"):
        load_state(tmp_path / "none.json")


# -- noise

json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def check_refused_or_read(entry: Any) -> None:
    try:
        state = state_from_dict(entry)
    except PlannerError as error:
        message = str(error)
    else:
        assert again(state) == state
        return
    assert len(message.splitlines()) == 1
    assert len(message) < 600


@given(json_like)
def test_noise_never_crashes(entry: Any) -> None:
    check_refused_or_read(entry)


FULL = {
    **json.loads(CONTRACT),
    "turn": 3,
    "cards": [{"name": "A", "health": 1, "tribes": ["mech"], "effects": [{"do": "summon", "card": ["A"], "count": 2}]}],
    "ruleset": {"board_limit": 7},
}
FULL["me"] |= {"weapon": {"name": "B", "attack": 1, "durability": 1}, "hero_power": {"name": "Fireblast"}}
FULL["me"]["deck"] = ["A"]


def setters_of(value: Any, set_it: Callable[[Any], None]) -> list[Callable[[Any], None]]:
    """Return a function for every place in a JSON value that sets the value there."""
    found = [set_it]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += setters_of(inner, lambda new, key=key: value.__setitem__(key, new))  # type: ignore[misc]
    return found


@settings(max_examples=250)
@given(st.data())
def test_one_wrong_value_is_refused(data: st.DataObject) -> None:
    entry = copy.deepcopy(FULL)
    setters = setters_of(entry, lambda new: None)
    data.draw(st.sampled_from(setters))(data.draw(json_like | st.sampled_from(["Guard", "?", "me.hero", 0, -1, 10**9])))
    check_refused_or_read(entry)


@pytest.mark.parametrize("wrong", [True, 1.0, "1"])
def test_caches_do_not_accept_equal_values_of_other_types(wrong: object) -> None:
    def described(attack: object) -> dict[str, object]:
        card = {"name": "Read Twice", "attack": attack, "health": 1}
        return {"mana": 1, "me": {"hero": {"health": 1}}, "enemy": {"hero": {"health": 1}}, "cards": [card]}

    def nameless(attack: object) -> dict[str, object]:
        board = [{"attack": attack, "health": 1}]
        return {"mana": 1, "me": {"hero": {"health": 1}, "board": board}, "enemy": {"hero": {"health": 1}}}

    for state, place in ((described, r"cards\[0\]: attack"), (nameless, r"me.board\[0\].attack")):
        state_from_dict(state(1))
        with pytest.raises(PlannerError, match=place):
            state_from_dict(state(wrong))


def test_the_ids_of_hidden_cards_must_be_free() -> None:
    state = {"mana": 1, "me": {"hero": {"health": 1}, "hand": [{"id": "me.deck.1", "name": "Wisp"}], "deck": 3},
             "enemy": {"hero": {"health": 1}}}  # fmt: skip
    with pytest.raises(PlannerError, match=r"me.deck\[1\].id: duplicate id 'me.deck.1', also used by me.hand\[0\]"):
        state_from_dict(state)
