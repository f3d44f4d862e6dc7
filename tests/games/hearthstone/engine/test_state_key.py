"""The key of a state drops nothing on which the rest of a turn depends.

In most of these turns, two orders of the same cards lead to states that differ in one field. If the key dropped the
field, the search would take them for the same state, and the plan would be wrong. `tests/games/hearthstone/engine/mutations.py`
removes the fields one by one.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Effect
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.state import GameState, HandCard
from planner.games.hearthstone.turn.hearthstone_weights import TERMS
from tests.build import FILLER, card, effect, minion, player, power_card, spell, state, weapon

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from tests.games.hearthstone.engine.test_truth_boards import best

PLAIN: Final = spell(effect("armor", amount=0), cost=0, name="Plain")
NOTHING: Final[dict[str, float]] = dict.fromkeys(TERMS, 0.0)


def combo(*effects: dict[str, Any]) -> Card:
    """Return a free spell whose effects happen only after another card."""
    return spell(*(effect(combo=True, **fields) for fields in effects), cost=0, name="Combo")


def turn(change: Card, *then: Card, **start: Any) -> GameState:
    """Return a turn in which `change` works only if PLAIN is played before it: the search tries the other order first."""
    return state(start.pop("mana", 0), hand=[change, PLAIN, *then], **start)


def spent(before: GameState) -> GameState:
    """Return the state with a hero that has made its attacks."""
    return before._replace(me=before.me._replace(hero=before.me.hero._replace(attacks_left=0)))


def free(*effects: Effect) -> Card:
    """Return a spell that costs nothing."""
    return spell(*effects, cost=0, name="Reader")


WINDFURY: Final = weapon(2, 5, "windfury")
DULL: Final = weapon(2, 5)
IMP: Final = minion(1, 3, attacks_left=0)
CHARGER: Final = card(2, 2, "charge", cost=0, name="Charger")
BLADE: Final = card(2, 2, "", effect("damage", "enemy hero", amount=4, on="death"), name="Blade")
GLOOM: Final = minion(0, 1, "", effect("buff", "all enemy minions", attack=-2, on="aura"), name="Gloom")
SICKLY: Final = effect("buff", "all damaged friendly minions", health=-1, on="aura")
MANA: Final = effect("mana", amount=1)  # a reader that needs it comes after the change
MINE, DRAW, HEAL = "all friendly minions", effect("draw"), effect("heal", "friendly hero", amount=5)
DESTROY: Final = effect("destroy", "all minions")
FACE: Final = effect("damage", "enemy hero", amount=3)

# The field, a turn in which only this field tells two states apart, the weights, and the best score.
FIELDS: Final[dict[str, tuple[GameState, dict[str, float], float]]] = {
    "hero health": (turn(combo({"do": "heal", "to": "friendly hero", "amount": 5}), health=20), {"own_health": 1}, 25),
    "hero max_health": (
        turn(
            combo(
                *(
                    {"do": "buff", "to": "friendly hero", "health": 5},
                    {"do": "damage", "to": "friendly hero", "amount": 5},
                )
            ),
            free(HEAL),
        ),
        {"own_health": 1},
        35,
    ),
    "armor": (turn(combo({"do": "armor", "amount": 5})), {"own_health": 1}, 35),
    "hero keywords": (
        turn(
            combo({"do": "buff", "to": "friendly hero", "keywords": "immune"}),
            free(effect("damage", "all characters", amount=3)),
        ),
        {"own_health": 1, "face_damage": 1},
        33,
    ),
    "hero attack_this_turn": (
        turn(combo({"do": "buff", "to": "friendly hero", "attack": 3})),
        {"face_damage": 1},
        3,
    ),
    "hero attacks_left": (
        spent(
            turn(combo({"do": "equip", "makes": DULL.card}, {"do": "equip", "makes": WINDFURY.card}), weapon=WINDFURY)
        ),
        {"face_damage": 1},
        2,
    ),
    "weapon attack": (turn(combo({"do": "hone", "attack": 1}), weapon=DULL), {"face_damage": 1}, 3),
    "weapon durability": (turn(combo({"do": "hone", "health": 1}), weapon=DULL), {"weapon_durability": 1}, 6),
    "weapon keywords": (
        turn(combo({"do": "hone", "keywords": "lifesteal"}), weapon=DULL, health=20),
        {"own_health": 1},
        22,
    ),
    # The last card of the deck is burned because the hand is full, so the reader finds none.
    "deck": (
        turn(
            spell(effect("draw", combo=True), MANA, cost=0),
            spell(DRAW, cost=1),
            *[FILLER] * 9,
            deck=1,
        ),
        {"own_health": -1},
        -29,
    ),
    "fatigue": (
        turn(combo({"do": "draw"}, {"do": "heal", "to": "friendly hero", "amount": 5}), free(DRAW), deck=0),
        {"own_health": -1},
        -28,
    ),
    "enemy fatigue": (
        turn(
            combo({"do": "draw", "side": "enemy"}, {"do": "heal", "to": "enemy hero", "amount": 5}),
            free(effect("draw", side="enemy")),
            enemy=player("enemy", deck=0),
        ),
        {"enemy_health": 1},
        -28,
    ),
    "mana": (turn(combo({"do": "mana", "amount": 1}), spell(FACE, cost=1)), {"face_damage": 1}, 3),
    "crystals": (
        turn(
            combo({"do": "mana", "amount": 1, "crystals": True, "empty": True}),
            free(effect("damage", "enemy hero", amount=1, times="crystals")),
            crystals=3,
        ),
        {"face_damage": 1},
        4,
    ),
    "minion card": (
        turn(combo({"do": "transform", "to": MINE, "makes": BLADE}), free(DESTROY), board=[minion(2, 2, fresh=True)]),
        {"enemy_health": 1},
        -26,
    ),
    "minion attack": (turn(combo({"do": "buff", "to": MINE, "attack": 2}), board=[IMP]), {"own_attack": 1}, 3),
    "minion health": (
        turn(combo({"do": "heal", "to": MINE, "amount": 2}), board=[minion(1, 3, hurt=2)]),
        {"own_remaining_health": 1},
        3,
    ),
    "minion max_health": (
        turn(
            combo({"do": "buff", "to": MINE, "health": 2}, {"do": "damage", "to": MINE, "amount": 2}),
            free(effect("heal", MINE, amount=2)),
            board=[IMP],
        ),
        {"own_remaining_health": 1},
        5,
    ),
    "minion keywords": (
        turn(combo({"do": "buff", "to": MINE, "keywords": "taunt"}), board=[IMP]),
        {"own_keywords": 1},
        1,
    ),
    "minion attacks_left": (
        turn(
            combo({"do": "transform", "to": MINE, "makes": CHARGER}),
            board=[minion(2, 2, of=CHARGER, words="charge", attacks_left=0, fresh=True)],
        ),
        {"face_damage": 1},
        2,
    ),
    "minion attack_this_turn": (
        turn(
            combo({"do": "buff", "to": MINE, "attack": 1, "this_turn": True}, {"do": "buff", "to": MINE, "attack": -1}),
            board=[IMP],
        ),
        {"own_attack": -1},
        0,
    ),
    "aura_attack": (
        turn(
            spell(effect("buff", MINE, attack=1, combo=True), MANA, cost=0),
            spell(effect("destroy", "all enemy minions"), cost=1),
            board=[minion(0, 3)],
            enemy=[GLOOM],
        ),
        {"face_damage": 1},
        1,
    ),
    # Damaged minions have 1 health less, and then they are not damaged any more, so the aura ends with the next action.
    "aura_health": (
        turn(
            spell(
                effect("damage", MINE, amount=1, combo=True), effect("buff", MINE, health=-1, combo=False), MANA, cost=0
            ),
            spell(effect("armor", amount=0), cost=1),
            board=[minion(1, 5, "", SICKLY, attacks_left=0), IMP],
        ),
        {"own_remaining_health": 1, "card_value": 1},
        11,
    ),
    "silenced": (
        turn(
            combo({"do": "silence", "to": MINE}),
            free(DESTROY),
            board=[minion(1, 3, "", effect("heal", "enemy hero", amount=9, on="death"), attacks_left=0)],
            enemy_health=9,
        ),
        {"enemy_health": 1, "own_attack": -1},
        -9,
    ),
}


@pytest.mark.parametrize("field", FIELDS)
def test_states_that_differ_in_one_field_are_not_merged(field: str) -> None:
    here, weights, score = FIELDS[field]
    assert best(here, NOTHING | weights) == score


def test_a_minion_that_has_just_entered_differs_from_one_that_has_been_there() -> None:
    """Both may attack the taunt minion. Only the older one may attack the hero after it."""
    twin = card(2, 2, "rush", cost=0, name="Twin")
    older = minion(2, 2, "rush", of=twin)
    here = state(0, [older], [minion(0, 2, "taunt")], [twin, free(effect("armor", amount=1))])
    assert best(here, NOTHING | {"face_damage": 1}) == 2


def test_a_hero_power_that_was_used_differs_from_an_unused_one() -> None:
    """The power undoes what it does, so nothing else changes."""
    power = power_card(effect("damage", "enemy hero", amount=2), effect("heal", "enemy hero", amount=2), cost=0)
    # The reaction, which never happens, leaves the turn without a bound, so the search has to end.
    reacting = minion(0, 1, "", effect("mana", amount=1, on="attack"))
    assert best(state(0, [reacting], power=power), NOTHING | {"face_damage": 1}) == 2


def test_a_state_before_the_first_card_differs_from_the_same_state_after_it() -> None:
    """The returner takes the place of its copy, which returns to the hand: only the combo tells the states apart."""
    returner = card(1, 1, "", effect("return", "chosen friendly minion", combo=False), cost=0, name="Returner")
    on_board = minion(1, 1, of=returner, fresh=True, attacks_left=1)
    strike = spell(effect("damage", "enemy hero", amount=5, combo=True), cost=1)
    before = state(1, [on_board], hand=[returner, strike])
    assert best(before, {"face_damage": 1, "own_survival": 0, "card_value": 0}) == 5


def test_copies_of_a_card_with_different_costs_differ() -> None:
    """Only the cheaper copy leaves the mana for the strike, which needs a card before it."""
    copy = card(1, 1, cost=4, name="Copy")
    strike = spell(effect("damage", "enemy hero", amount=5, combo=True), cost=4)
    before = state(5, hand=[HandCard("dear", copy, 4, 1), HandCard("cheap", copy, 1, 1), strike])
    assert best(before, {"face_damage": 1, "own_survival": 0, "card_value": 0}) == 5


def test_a_keyword_until_the_end_of_the_turn_differs_from_one_for_good() -> None:
    """One of two equal minions has to die: the one whose taunt ends anyway."""
    for_good = minion(2, 1, "taunt", name="Guard")
    this_turn = for_good._replace(keywords_this_turn=for_good.keywords)
    before = state(0, [for_good, this_turn], [minion(5, 2, "", effect("armor", amount=1, on="death"))])
    weights = {"enemy_threat": 1, "own_keywords": 2, "own_survival": 0, "damage_taken": 0, "minion_damage": 0}
    assert best(before, NOTHING | weights) == 2


def test_copies_of_a_card_with_different_values_differ() -> None:
    copy = spell(effect("armor", amount=0), cost=1, name="Copy")
    before = state(1, hand=[HandCard("plain", copy, 1, 1), HandCard("dear", copy, 1, 7), PLAIN])
    assert best(before, NOTHING | {"card_value": 1}) == 7 + PLAIN.value


def test_an_echo_copy_differs_from_the_card() -> None:
    """Only one can be played. A copy would be gone at the end of the turn, the card stays."""
    copy = spell(effect("armor", amount=0), cost=1, name="Copy")
    before = state(1, hand=[HandCard("card", copy, 1, 1), HandCard("echo", copy, 1, 1, echo=True), PLAIN])
    assert best(before, NOTHING | {"cards_in_hand": 1, "card_value": 5}) == 10 + 1


def test_a_minion_that_was_in_hand_differs_from_one_that_was_created() -> None:
    """Only one can be played, and own_survival counts only for the card that was there at the start."""
    copy = card(1, 3, "", effect("armor", amount=0), cost=1, name="Copy")
    before = state(1, hand=[copy, free(effect("add", makes=copy))])
    assert best(before, NOTHING | {"own_survival": -1, "card_value": 5}) == 10


def test_positions_differ_where_a_card_that_is_created_reads_them() -> None:
    """The hand has room for the two leftmost of three minions. Only the charger can be played and attack again."""
    vanish = free(effect("return", "all minions"))
    dull = card(1, 1, "", effect("add", makes=vanish), cost=1, name="Dull")
    before = state(1, [IMP], hand=[dull, CHARGER, *[FILLER] * 8])
    assert best(before, NOTHING | {"face_damage": 1}) == 2 + 2
