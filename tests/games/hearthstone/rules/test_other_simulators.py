"""States as other simulators write them: ids of the real game, integers as ids, words in any case, unknown cards."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from planner import GameState, plan_turn
from planner.games.hearthstone import Attack, is_over, standard
from planner.games.hearthstone.rules import state_json
from planner.games.hearthstone.rules.state import Minion
from planner.games.hearthstone.rules.state_json import action_from_dict, state_to_dict
from planner.games.hearthstone.rules.state_text import state_from_text, state_to_text
from planner.games.hearthstone.turn import native

HERO = {"hero": {"health": 30}}


def mapping(mana: int = 5, enemy: Any = None, **me: Any) -> dict[str, Any]:
    return {"mana": mana, "me": {**HERO, **me}, "enemy": enemy or HERO}


def read(given: dict[str, Any]) -> GameState:
    """By both readers, which agree; what is written is read again."""
    found = state_json.state_from_dict(given)
    assert state_json.state_from_dict(state_to_dict(found)) == found
    return found


def minion(**fields: Any) -> Minion:
    return read(mapping(board=[fields])).me.board[0]


# -- cards by name, id and number


@pytest.mark.parametrize("word", ["Chillwind Yeti", "CS2_182", 90, "90"])
def test_a_card_by_name_id_or_number(word: Any) -> None:
    state = read(mapping(board=[word, {"name": word, "health": 3}], hand=[word], deck=[word]))
    cards = [one.card for one in (*state.me.board, *state.me.hand, *state.me.deck)]
    assert cards == [standard()["Chillwind Yeti"]] * 4
    assert state.me.board[1].health == 3


def test_coin_powers_weapons_tokens_and_earlier_versions() -> None:
    board = ["CS2_101t", "Murloc Warleader"]
    state = read(mapping(hand=["GAME_005"], hero_power="HERO_08bp", weapon="CS2_082", board=board))
    assert (state.me.hand[0].card.name, state.me.power and state.me.power.name) == ("The Coin", "Fireblast")
    assert state.me.weapon is not None
    assert state.me.weapon.card.name == "Wicked Knife"
    assert [one.card.name for one in state.me.board] == ["Silver Hand Recruit", "Murloc Warleader"]
    assert standard().find("Murloc Warleader") is standard().find("EX1_507")
    assert standard().find("VAN_CS2_032") is standard()["Flamestrike (Vanilla)"]


def test_every_card_has_the_id_and_number_of_the_real_game() -> None:
    """Each its own, and the game's, as far as the package that has them is installed; but for three of the thesis's
    cards that do less than the real ones."""
    cards = [card for card in standard().values() if card.id]
    assert {card.name for card in standard().values() if not card.id} == {"Warbot", "Town Crier", "Armorsmith"}
    assert len({card.id for card in cards}) == len({card.dbf for card in cards}) == len(cards)
    package = pytest.importorskip("hearthstone_data")
    text = (Path(package.__file__).parent / "CardDefs.xml").read_text(encoding="utf-8")
    known = dict(re.findall(r'<Entity CardID="(\w+)" ID="(\d+)"', text))
    assert [card.name for card in cards if known.get(card.id) != str(card.dbf)] == []


# -- unknown cards


@pytest.mark.parametrize(
    ("me", "ignored"),
    [
        ({"board": [{"name": "Zorch", "attack": 2, "health": 2}]}, ["Zorch"]),
        ({"hand": [{"name": "Zorch", "cost": 1, "attack": 2, "health": 2}]}, ["Zorch"]),
        ({"hand": [{"name": "Zap", "cost": 1}, {"name": "Zip", "cost": 9, "type": "spell"}]}, ["Zap", "Zip"]),
        ({"hand": [{"name": "Axe", "cost": 1, "attack": 3, "health": 2, "type": "weapon"}]}, ["Axe"]),
        ({"weapon": {"name": "Axe", "attack": 3, "durability": 2}}, ["Axe"]),
        ({"hero_power": {"name": "Zorch", "cost": 2}}, ["Zorch"]),
        ({"hand": 2}, ["?"]),
        ({"hand": ["Wolfrider", "?"]}, ["?"]),
        ({"board": [{"attack": 2, "health": 2}], "hand": [{"cost": 1, "attack": 2, "health": 2}], "deck": 2}, []),
        ({"board": [{"name": "Minion", "attack": 2, "health": 2}], "weapon": {"attack": 3, "durability": 2}}, []),
        ({"board": [{"name": "Zorch", "attack": 2, "health": 2, "silenced": True}]}, []),
    ],
)
def test_unknown_cards_are_vanilla_and_prevent_a_proof(me: dict[str, Any], ignored: list[str]) -> None:
    state = read(mapping(**me))
    for solver in ("auto", "highs"):
        answer = plan_turn(state, "aggro_face", solver=solver).to_dict()
        assert answer["ignored"] == ignored
        assert (answer["status"], answer["bound"] is None) == (("feasible", True) if ignored else ("optimal", False))


@pytest.mark.parametrize("do", ["summon", "add", "equip"])
@pytest.mark.parametrize("on", ["play", "death"])
def test_a_known_card_may_create_an_unknown_one(do: str, on: str) -> None:
    made = {"name": "Thing", "attack": 1, "health": 1, "unread": "all of it"}
    made["type"] = "weapon" if do == "equip" else "minion"
    maker = {"name": "Maker", "attack": 1, "health": 1, "effects": [{"do": do, "card": "Thing", "on": on}]}
    maker_of_makers = {"name": "Grand", "cost": 1, "type": "spell", "effects": [{"do": "summon", "card": "Maker"}]}
    for where in ({"hand": ["Grand"]}, {"board": ["Maker"]}):
        plan = plan_turn({**mapping(**where), "cards": [made, maker, maker_of_makers]})
        assert (plan.status, plan.ignored) == ("feasible", ("Thing",))


def test_a_silenced_unknown_card_matters_if_it_may_return() -> None:
    ghost = {"name": "Ghost", "attack": 1, "health": 1, "unread": "all of it"}
    effects = [{"do": "buff", "to": "chosen friendly minion", "keywords": ["reborn"]}]
    breath = {"name": "Breath", "cost": 1, "type": "spell", "effects": effects}
    step = {"name": "Step", "cost": 0, "type": "spell", "effects": [{"do": "return", "to": "chosen minion"}]}
    board = [{"name": "Ghost", "silenced": True}]
    for hand, status, ignored in (
        ([], "optimal", ()),
        (["Breath"], "feasible", ("Ghost",)),
        (["Step"], "feasible", ("Ghost",)),
    ):
        plan = plan_turn({**mapping(board=board, hand=hand), "cards": [ghost, breath, step]})
        assert (plan.status, plan.ignored) == (status, ignored)
        assert plan.explain().missed_by == (29 if status == "optimal" else None)
    theirs = {**mapping(enemy={**HERO, "board": board}, hand=["Step"]), "cards": [ghost, step]}
    assert plan_turn(theirs).status == "optimal"  # the enemy plays nothing in our turn


def test_thousands_of_cards_that_create_each_other() -> None:
    chain = [
        {"name": f"C{n}", "attack": 1, "health": 1, "effects": [{"do": "summon", "card": f"C{(n + 1) % 3000}"}]}
        for n in range(3000)
    ]
    chain[-1]["unread"] = "all of it"
    card = state_json.state_from_dict({**mapping(hand=["C0"]), "cards": chain}).me.hand[0].card
    began = time.process_time()
    assert card.unread_cards == ("C2999",)
    assert time.process_time() - began < 1


def test_lethal_is_not_known_with_an_unknown_spell() -> None:
    for hand, missed_by in ([], 30), ([{"name": "Zap", "cost": 1}], None):
        explanation = plan_turn(mapping(hand=hand)).explain()
        assert explanation.missed_by == missed_by
        assert ("lethal: unknown" in str(explanation)) == (missed_by is None)
    kills = mapping(enemy={"hero": {"health": 2}}, board=[{"name": "Zorch", "attack": 2, "health": 2}])
    assert plan_turn(kills).explain().missed_by == 0


def test_a_card_that_the_state_defines_is_known() -> None:
    cards = [{"name": "Zorch", "attack": 2, "health": 2}]
    plan = plan_turn({**mapping(board=["Zorch"]), "cards": cards})
    assert (plan.status, plan.ignored) == ("optimal", ())
    assert read(state_to_dict(plan.state)) == plan.state


def test_unknown_cards_are_never_played() -> None:
    me = {"hand": [{"name": "Zap", "cost": 0}, {"name": "Zorch", "cost": 0, "attack": 1, "health": 1}]}
    plan = plan_turn(mapping(**me, hero_power={"name": "Zing", "cost": 0}), {"card_value": 1})
    assert [action["card"] for action in plan.to_dict()["actions"]] == ["me.hand.1"]


def test_an_unknown_weapon_is_used() -> None:
    me = {"hand": [{"name": "Axe", "cost": 1, "attack": 3, "health": 2, "type": "weapon"}]}
    assert plan_turn(mapping(**me, enemy={"hero": {"health": 3}})).outcome == "win"


def test_unknown_cards_round_trip() -> None:
    """Also where the name is that of a real card of another type, and where the minion is damaged."""
    hurt = {"attack": 5, "health": 1, "max_health": 5}
    board = [hurt, {**hurt, "name": "Zorch"}, {**hurt, "name": "Zorch", "attack_this_turn": 2}]
    state = read(mapping(board=board, hero_power={"name": " Chillwind Yeti", "cost": 2}))
    assert [one.max_health for one in state.me.board] == [5, 5, 5]
    assert state_from_text(state_to_text(state)) == state


# -- numbers, words and fields


def test_integers_are_ids() -> None:
    enemy = {**HERO, "board": [{"id": 2**40, "name": 90}]}
    state = read(mapping(board=[{"id": 7, "attack": 1, "health": 1}], enemy=enemy))
    assert (state.me.board[0].id, state.enemy.board[0].id) == ("7", str(2**40))
    assert action_from_dict({"type": "attack", "attacker": 7, "target": 2**40}) == Attack("7", str(2**40))
    assert plan_turn(state).to_dict()["actions"][0]["attacker"] == "7"


@pytest.mark.parametrize("word", ["MAGE", "Mage", "mage"])
def test_classes_in_any_case(word: str) -> None:
    assert read(mapping(hero={"health": 30, "class": word})).me.hero.hero_class == "mage"
    assert read(mapping(hero={"health": 30, "class": "Death Knight"})).me.hero.hero_class == "deathknight"


def test_keywords_come_from_the_card_unless_it_is_silenced() -> None:
    assert minion(name="Sen'jin Shieldmasta", attack=3, health=5).keyword_names == ("taunt",)
    assert minion(name="Sen'jin Shieldmasta", keywords=[]).keyword_names == ()
    assert minion(name="Sen'jin Shieldmasta", silenced=True).keyword_names == ()
    assert standard()["Sen'jin Shieldmasta"].keyword_names == ("taunt",)


def test_tribes_spell_damage_and_attack_of_this_turn_on_any_minion() -> None:
    mech = minion(attack=4, health=2, tribes=["mech"], spell_damage=2, attack_this_turn=3)
    assert (mech.card.tribes, mech.card.spell_damage, mech.card.attack) == (("mech",), 2, 1)
    assert minion(name="Wisp", spell_damage=1).card.spell_damage == 1
    wise = {"attack": 0, "health": 2, "spell_damage": 2}
    assert plan_turn(mapping(1, {"hero": {"health": 4}}, board=[wise], hand=["Arcane Shot"])).outcome == "win"


def test_a_state_has_the_fields_of_its_json_and_every_entry_a_name() -> None:
    odd = {"name": "Odd", "attack": 1, "health": 1, "overload": 1}
    state = read(mapping(board=[{"attack": 1, "health": 1}, {"card": odd}]))
    assert (state.mana, state.finished, is_over(state)) == (5, False, False)
    assert [one["name"] for one in state_to_dict(state)["me"]["board"]] == ["Minion", "Odd"]
    over = read({**mapping(enemy={"hero": {"health": 0}}), "finished": True})
    assert over.finished
    assert is_over(over)


# -- outcomes


@pytest.mark.parametrize("engine", [True, False])
def test_of_equal_turns_the_one_in_which_the_own_hero_survives(engine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both turns kill; one of them kills its owner too."""
    if not engine:
        monkeypatch.setattr(native, "best_turns", lambda *_, **__: None)
    state = mapping(
        4, {"hero": {"health": 2}}, hero={"health": 2}, board=[{"attack": 2, "health": 2}], hand=["Hellfire"],
    )  # fmt: skip
    plan = plan_turn(state, {"lethal": 1})
    assert (plan.lethal, plan.outcome) == (True, "win")
    draw = plan_turn({**state, "me": {**state["me"], "board": []}}, {"lethal": 1})
    assert (draw.lethal, draw.outcome) == (True, "draw")


@pytest.mark.parametrize(
    ("text", "lethal", "outcome"),
    [
        (
            "2 mana | me 30hp: 3/3 | hand: Novice Engineer | deck: 9 | enemy 3hp",
            True,
            "win",
        ),  # independent of the drawn cards
        ("2 mana | me 4hp fatigue=4 | hand: Novice Engineer | enemy 3hp", False, "loss"),
        ("0 mana | me 30hp: Ragnaros the Firelord | enemy 8hp", True, "win"),  # at the end of the turn
        ("0 mana | me 1hp: Baron Geddon attacks_left=0 | enemy 2hp", True, "draw"),
        ("0 mana | me 5hp: Baron Geddon attacks_left=0 | enemy 3hp", False, None),
        ("0 mana | me 1hp: Ragnaros the Firelord | enemy 8hp: 1/1", False, None),  # depends on chance
    ],
)
def test_how_a_plan_ends_the_match(text: str, lethal: bool, outcome: str | None) -> None:
    plan = plan_turn(state_from_text(text), {"card_value": 10, "lethal": 5})
    assert (plan.lethal, plan.outcome) == (lethal, outcome)
