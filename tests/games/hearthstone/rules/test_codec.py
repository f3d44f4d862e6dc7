"""The JSON form of states: the examples of the contract, defaults, and round trips."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from planner.errors import PlannerError
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import HIDDEN, Card
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.field_kinds import MAX_TEXT_LENGTH
from planner.games.hearthstone.cards.keywords import CHARGE, TAUNT, bits
from planner.games.hearthstone.rules.actions import Action, Attack, EndTurn, HeroPower, Mulligan, Play, Trade
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Hero, Minion, Player, Weapon
from planner.games.hearthstone.rules.state_json import (
    action_from_dict,
    action_to_dict,
    state_from_dict,
    state_to_dict,
)
from tests.games.hearthstone.rules.entries import ACTIONS, CONTRACT, GUARD, SMALL, again, mine, minimal, theirs
from tests.matches import CARDS, played
from tests.strategies import BROOD, UNKNOWN_CARD, states


def board(*entries: Any) -> tuple[Minion, ...]:
    return state_from_dict(mine(board=list(entries)), SMALL).me.board


def hand(*entries: Any) -> tuple[HandCard, ...]:
    return state_from_dict(mine(hand=list(entries)), SMALL).me.hand


# -- the contract


@pytest.mark.parametrize("cards", [None, SMALL, Catalogue([])], ids=["catalogue", "small", "empty"])
def test_the_contracts_state(cards: Catalogue | None) -> None:
    state = state_from_dict(json.loads(CONTRACT), cards)
    assert state.me.mana == 6
    assert (state.me.hero, state.enemy.hero) == (Hero(30, 30), Hero(12, 30))
    (yeti,) = state.me.board
    assert yeti[:1] + yeti[2:8] == ("me.board.0", 4, 5, 5, TAUNT, 1, False)
    (wolf,) = state.me.hand
    assert (wolf.id, wolf.card.name, wolf.cost, wolf.value) == ("me.hand.0", "Wolfrider", 3, 1)
    assert (wolf.card.attack, wolf.card.health, wolf.card.keywords) == (3, 1, CHARGE)
    assert state.enemy.board[0].id == "enemy.board.0"
    assert state.rules == Ruleset.of("standard")
    assert again(state, cards) == state


def test_the_contracts_state_is_written_unchanged() -> None:
    entry = json.loads(CONTRACT)
    written = state_to_dict(state_from_dict(entry))
    entry["enemy"]["hero"]["armor"] = 0  # defaults that the contract does not mention
    entry["enemy"]["board"][0] |= {"id": "enemy.board.0", "attacks_left": 1}
    assert written == entry


def test_the_contracts_actions() -> None:
    actions = [action_from_dict(entry) for entry in json.loads(ACTIONS)]
    assert actions == [
        Play("me.hand.0"),
        Attack("me.hand.0", "enemy.board.0"),
        Attack("me.board.0", "enemy.hero"),
        HeroPower(),
    ]
    assert [action_to_dict(action) for action in actions] == json.loads(ACTIONS)
    state = state_from_dict(json.loads(CONTRACT))
    assert actions[0] in legal_actions(state)


# -- defaults


def test_only_mana_and_health_are_required() -> None:
    state = state_from_dict(minimal())
    rules = Ruleset.of("standard")
    assert state == GameState(
        Player(Hero(30, 30), mana=6, crystals=6), Player(Hero(12, 30), crystals=6), rules, turn=1, seat=0
    )
    assert state_to_dict(state) == {
        "mana": 6,
        "me": {"hero": {"health": 30, "armor": 0}, "board": [], "hand": []},
        "enemy": {"hero": {"health": 12, "armor": 0}, "board": []},
    }


def test_a_known_minion_by_name_is_as_printed() -> None:
    assert board({"name": "Guard"}, "Guard") == (
        Minion("me.board.0", GUARD, 2, 4, 4, TAUNT),
        Minion("me.board.1", GUARD, 2, 4, 4, TAUNT),
    )


@pytest.mark.parametrize(("health", "most"), [(1, 4), (4, 4), (9, 9)], ids=["damaged", "whole", "buffed"])
def test_health_that_differs_from_the_card(health: int, most: int) -> None:
    (minion,) = board({"name": "Guard", "health": health})
    assert (minion.card, minion.health, minion.max_health) == (GUARD, health, most)


def test_a_list_of_keywords_replaces_the_printed_ones() -> None:
    assert board({"name": "Guard", "keywords": []})[0].keywords == 0


def test_an_unlisted_minion_has_the_given_numbers() -> None:
    known = Card("Thing", attack=1, health=5, keywords=TAUNT, unread=UNKNOWN_CARD)
    fields = {"name": "Thing", "attack": 1, "health": 3, "max_health": 5, "keywords": ["taunt"]}
    assert board(fields, {"attack": 2, "health": 3}) == (
        Minion("me.board.0", known, 1, 3, 5, TAUNT),
        Minion("me.board.1", Card("Minion", attack=2, health=3), 2, 3, 3, 0),
    )


@pytest.mark.parametrize(("words", "attacks"), [("", 1), ("windfury", 2), ("mega_windfury", 4), ("taunt", 1)])
def test_attacks_left(words: str, attacks: int) -> None:
    assert board({"attack": 1, "health": 1, "keywords": words.split()})[0].attacks_left == attacks


def test_a_windfury_weapon_gives_the_hero_two_attacks() -> None:
    state = state_from_dict(mine(weapon={"attack": 2, "durability": 3, "keywords": ["windfury"]}))
    assert state.me.hero.attacks_left == 2


def test_hand_cards() -> None:
    cheap, buffed, bolt, axe, odd = hand(
        {"name": "Guard", "cost": 1, "value": 2.5},
        {"name": "Guard", "attack": 5, "keywords": ["rush"]},
        "Bolt",
        "Axe",
        {"name": "Odd", "cost": 2, "attack": 1, "health": 1, "value": 3, "echo": True},
    )
    assert cheap == HandCard("me.hand.0", GUARD, 1, 2.5)
    assert buffed.card == Card("Guard", cost=3, attack=5, health=4, keywords=bits(["rush"]))
    assert (bolt.card.type, axe.card.type) == ("spell", "weapon")
    assert odd == HandCard(
        "me.hand.4", Card("Odd", cost=2, attack=1, health=1, value=3, unread=UNKNOWN_CARD), 2, 3, True
    )


def test_hidden_cards() -> None:
    state = state_from_dict(theirs(hand=2, deck=["?", "Guard"]), SMALL)
    assert state.enemy.hand == (HandCard("enemy.hand.0", HIDDEN, 0), HandCard("enemy.hand.1", HIDDEN, 0))
    assert [one.card for one in state.enemy.deck] == [HIDDEN, GUARD]
    assert state_to_dict(state, SMALL)["enemy"]["hand"] == 2


def test_all_the_other_fields() -> None:
    entry = {
        "mana": 3,
        "turn": 8,
        "seat": 1,
        "clock": 9,
        "cause": "fatigue",
        "ruleset": "thesis",
        "me": {
            "hero": {
                "health": 20,
                "armor": 0,
                "max_health": 25,
                "keywords": ["frozen"],
                "attacks_left": 0,
                "attack_this_turn": 2,
                "keywords_this_turn": ["immune"],
                "class": "mage",
            },
            "weapon": {"name": "Axe", "attack": 4, "durability": 1, "keywords": ["lifesteal"]},
            "hero_power": "Zap",
            "hero_power_used": True,
            "board": [
                {
                    "id": "x",
                    "name": "Guard",
                    "attack": 7,
                    "health": 1,
                    "max_health": 9,
                    "keywords": ["taunt", "rush"],
                    "attacks_left": 0,
                    "summoned_this_turn": True,
                    "entered": 4,
                    "silenced": True,
                    "attack_this_turn": 2,
                    "keywords_this_turn": ["rush"],
                    "aura_attack": 1,
                    "aura_health": -1,
                },
            ],
            "hand": [],
            "deck": ["Bolt", {"id": "z", "name": "Guard"}],
            "crystals": 7,
            "overload": 1,
            "locked": 2,
            "fatigue": 3,
            "cards_played": 4,
        },
        "enemy": {"hero": {"health": 5, "armor": 0}, "mana": 2, "board": [], "crystals": 1},
    }
    state = state_from_dict(entry, SMALL)
    assert state_to_dict(state, SMALL) == entry
    assert state.me.weapon == Weapon(SMALL["Axe"], 4, 1, bits(["lifesteal"]))


def test_rulesets() -> None:
    assert state_from_dict(minimal(ruleset="thesis")).rules == Ruleset.of("thesis")
    own = state_from_dict(minimal(ruleset={"board_limit": 3, "starting_hand": [1, 2]})).rules
    assert (own.name, own.board_limit, own.starting_hand, own.mulligan) == ("custom", 3, (1, 2), True)
    assert again(state_from_dict(minimal(ruleset={"name": "standard", "coin": False}))).rules.coin is False


def test_a_cheaper_hero_power() -> None:
    power = state_from_dict(mine(hero_power={"name": "Zap", "cost": 1}), SMALL).me.power
    assert power == Card("Zap", "hero_power", 1)


def test_null_means_no_weapon_and_no_hero_power() -> None:
    me = state_from_dict(mine(weapon=None, hero_power=None)).me
    assert me.weapon is None
    assert me.power is None


# -- the state's own cards


def test_own_cards_are_described_once_and_can_create_each_other() -> None:
    state = state_from_dict(minimal())
    held = tuple(HandCard(f"b{n}", BROOD, 0) for n in range(3))
    state = state._replace(me=state.me._replace(hand=held))
    written = state_to_dict(state)
    assert [entry["name"] for entry in written["cards"]] == ["Brood", "Imp, the 1/1 | #1", "Stick"]
    assert written["me"]["hand"][0] == {
        "id": "b0", "name": "Brood", "cost": 0, "attack": 1, "health": 2, "keywords": [], "value": 1
    }  # fmt: skip
    back = again(state)
    assert back == state
    brood = back.me.hand[0].card
    assert brood.effects[0].made[0] is brood


def test_a_card_described_in_place() -> None:
    entry = {"name": "Ball", "type": "spell", "cost": 1, "effects": [{"do": "heal", "amount": 2, "to": "chosen hero"}]}
    state = state_from_dict(mine(hand=[{"card": entry}, {"card": {"name": "Bear", "attack": 3, "health": 3}}]))
    ball, bear = state.me.hand
    assert ball.card.effects[0].amount == 2
    assert bear == HandCard("me.hand.1", Card("Bear", attack=3, health=3), 0)
    assert state_to_dict(state)["cards"] == [entry, {"name": "Bear", "attack": 3, "health": 3}]
    assert again(state) == state


def test_a_variant_of_a_card_together_with_the_card() -> None:
    plain = Card("Guard", cost=3, attack=2, health=4, id="g")
    state = state_from_dict(mine(hand=["Guard"]), SMALL)
    both = state._replace(me=state.me._replace(hand=(*state.me.hand, HandCard("v", plain, 3))))
    written = state_to_dict(both, SMALL)
    assert "cards" not in written  # the name means the card of the catalogue
    assert written["me"]["hand"][1]["card"] == {"name": "Guard", "cost": 3, "attack": 2, "health": 4, "id": "g"}
    assert again(both, SMALL) == both


def test_a_hidden_card_from_another_process_is_still_hidden() -> None:
    state = observe(state_from_dict(theirs(hand=["The Coin"], deck=2)), 0)
    assert again(pickle.loads(pickle.dumps(state))) == state


@pytest.mark.parametrize(
    "action",
    [
        *(Play("a"), Play("a", "b"), Attack("a", "b"), HeroPower(), HeroPower("b")),
        *(Trade("a"), EndTurn(), Mulligan(("a", "b")), Mulligan()),
    ],
    ids=str,
)
def test_actions_round_trip(action: Action) -> None:
    assert action_from_dict(json.loads(json.dumps(action_to_dict(action)))) == action


# -- round trips


def created_cards(state: GameState) -> list[Any]:
    """Return the cards that effects create, which `==` does not compare."""
    held = [one for player in (state.me, state.enemy) for one in (*player.board, *player.hand, *player.deck)]
    return [[each.made for each in one.card.effects] for one in held]


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(states())
def test_any_state_round_trips(state: GameState) -> None:
    back = again(state)
    assert back == state
    assert created_cards(back) == created_cards(state)
    assert state_to_dict(back) == state_to_dict(state)


@pytest.mark.parametrize("seed", range(4))
def test_every_state_of_a_match_round_trips(seed: int) -> None:
    for state, action in played(seed):
        assert again(state) == state
        assert again(state, CARDS) == state
        for seat in (0, 1):
            seen = observe(state, seat)
            assert again(seen) == seen
        if action is not None:
            assert action_from_dict(action_to_dict(action)) == action


def test_a_state_that_was_read_plays_on_the_same() -> None:
    rng, other = Random(3), Random(3)
    for state, action in played(3):
        if action is not None:
            assert apply(again(state), action, rng) == apply(state, action, other)


def test_all_cards_of_the_catalogue_round_trip() -> None:
    nothing = Catalogue([])
    for one in catalogue.standard().values():
        if one.type != "hero_power":
            state = state_from_dict(minimal())
            held = state._replace(me=state.me._replace(hand=(HandCard("a", one, one.cost, one.value),)))
            assert again(held, nothing) == held


def test_no_field_is_forgotten() -> None:
    """A new field must also be generated by the strategy `states`."""
    counts = {Minion: 14, Hero: 8, Weapon: 4, HandCard: 5, Player: 13, GameState: 7}
    assert {kind: len(kind._fields) for kind in counts} == counts
    assert len([one for one in fields(Card) if one.compare]) == 16


@pytest.mark.parametrize("key", ["id", "name"])
@pytest.mark.parametrize("character", ["x", "\U0001f409"])
def test_texts_are_limited_in_characters(key: str, character: str) -> None:
    minion = {"attack": 1, "health": 1, key: character * MAX_TEXT_LENGTH}
    card = {"cost": 1, "attack": 1, "health": 1, key: character * (MAX_TEXT_LENGTH + 1)}
    assert len(board(minion)) == 1
    with pytest.raises(PlannerError, match=rf"me\.hand\[0\]\.{key}"):
        hand(card)
    with pytest.raises(PlannerError, match=rf"me\.board\[0\]\.{key}"):
        board({**minion, key: character * (MAX_TEXT_LENGTH + 1)})
