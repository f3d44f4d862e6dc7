"""Boards on which the bound must count one effect in full, worked out by hand."""

from __future__ import annotations

from typing import Any, Final

import pytest

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import Effect
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.state import GameState, Minion
from tests.build import card, effect, minion, spell, state, weapon

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from tests.games.hearthstone.engine.test_bound_boards import Board, check_board

TWIN: Final = card(3, 3, "charge")
COSTLY: Final = card(1, 1, cost=20)  # that cannot be played


def free(*effects: Effect, name: str = "Spell") -> Card:
    """Return a spell that costs nothing."""
    return spell(*effects, cost=0, name=name)


def idle(attack: int, health: int, words: str = "", *effects: Effect, **fields: Any) -> Minion:
    """Return a minion that has no attack left."""
    return minion(attack, health, words, *effects, **{"attacks_left": 0} | fields)


def armed(attack: int, *hand: Card) -> GameState:
    """Return a state with a weapon and these cards."""
    return state(0, hand=hand, weapon=weapon(attack, 2))


FACE: Final = {"face_damage": 1}
WEAPON: Final = {
    "a discarded card costs nothing": Board(
        state(0, hand=[free(effect("discard", count=2)), COSTLY, COSTLY]), {"cards_in_hand": -3}, 0
    ),
    "attack of the weapon": Board(armed(1, free(effect("hone", attack=3, health=0))), FACE, 4),
    "durability of the weapon": Board(
        armed(1, free(effect("hone", attack=0, health=2))), {"weapon_durability": 1, "face_damage": 0}, 4
    ),
    "windfury of the weapon": Board(armed(2, free(effect("hone", attack=0, health=0, keywords="windfury"))), FACE, 4),
    "poison of the weapon": Board(
        state(
            0, enemy=[minion(6, 9)], hand=[free(effect("hone", attack=0, health=0, keywords="poisonous"))],
            weapon=weapon(1, 1),
        ),
        {"enemy_threat": 1}, 0,
    ),
    "a lost weapon": Board(
        state(0, enemy=[minion(4, 1)], hand=[free(effect("disarm", side="friendly"))], weapon=weapon(5, 3)),
        {"weapon_durability": -2}, 0,
    ),
}  # fmt: skip
NUMBERS: Final = {
    "a set attack of an own minion": Board(
        state(0, [idle(0, 3)], hand=[free(effect("set_attack", "chosen friendly minion", amount=5))]),
        {"own_attack": 2}, 10,
    ),
    "an attack with the set attack": Board(
        state(0, [minion(0, 3)], hand=[free(effect("set_attack", "chosen friendly minion", amount=4))]), FACE, 4
    ),
    "set attacks of all own minions": Board(
        state(0, [idle(0, 3), idle(0, 3)], hand=[free(effect("set_attack", "all friendly minions", amount=5))]),
        {"own_attack": 1}, 10,
    ),
    "a set attack of an enemy minion, rewarded": Board(
        state(0, enemy=[minion(0, 3)], hand=[free(effect("set_attack", "chosen enemy minion", amount=5))]),
        {"enemy_threat": -2}, 10,
    ),
    "a set attack of an enemy minion, as good as its removal": Board(
        state(0, enemy=[minion(6, 9)], hand=[free(effect("set_attack", "chosen enemy minion", amount=0))]),
        {"enemy_threat": 1}, 0,
    ),
    "set attacks of all enemy minions": Board(
        state(0, enemy=[minion(6, 9)] * 2, hand=[free(effect("set_attack", "all enemy minions", amount=0))]),
        {"enemy_threat": 1}, 0,
    ),
    "an attacker hurt less by a target whose attack was set": Board(
        state(
            0, [minion(2, 4)], [minion(3, 9, "taunt")],
            hand=[free(effect("set_attack", "chosen enemy minion", amount=0))],
        ),
        {"minion_damage": 1, "own_remaining_health": 1}, 6,
    ),
    "an aura beside the set attack": Board(
        state(
            0,
            [
                idle(0, 1, "", effect("buff", "all other friendly minions", attack=4, on="aura")),
                idle(0, 3, of=card(1, 3), aura_attack=4),
            ],
            hand=[free(effect("set_attack", "chosen friendly minion", amount=2))],
        ),
        {"own_attack": 1}, 6,
    ),
    "a set health of an own minion": Board(
        state(0, [idle(0, 1)], hand=[free(effect("set_health", "chosen friendly minion", amount=6))]),
        {"own_remaining_health": 1}, 6,
    ),
    "a minion that survives with the set health": Board(
        state(
            0, [minion(3, 1)], [minion(5, 9, "taunt")],
            hand=[free(effect("set_health", "chosen friendly minion", amount=6))],
        ),
        {"minion_damage": 1, "own_survival": 5}, 8,
    ),
    "the health that is set after an attack": Board(
        state(
            0, [minion(9, 9)], [minion(8, 10, "taunt")],
            hand=[free(effect("set_health", "chosen friendly minion", amount=9))],
        ),
        {"minion_damage": 1, "own_remaining_health": 1}, 18,
    ),
    "a set health of an enemy minion, rewarded": Board(
        state(0, enemy=[minion(0, 1)], hand=[free(effect("set_health", "chosen enemy minion", amount=5))]),
        {"enemy_remaining_health": -1}, 5,
    ),
    "a set health of an enemy minion, as good as its removal": Board(
        state(0, enemy=[minion(0, 9)], hand=[free(effect("set_health", "chosen enemy minion", amount=1))]),
        {"enemy_remaining_health": 1}, -1,
    ),
    "a kill after the health was set": Board(
        state(
            0, [minion(1, 1)], [minion(6, 9)], hand=[free(effect("set_health", "all enemy minions", amount=1))]
        ),
        {"enemy_threat": 1}, 0,
    ),
    "silence gives back health after it was set": Board(
        state(
            0, [idle(0, 9, hurt=8)],
            hand=[
                free(effect("set_health", "chosen friendly minion", amount=1)),
                free(effect("silence", "chosen friendly minion")),
            ],
        ),
        {"own_remaining_health": 1}, 9,
    ),
    "the same for an enemy minion": Board(
        state(
            0, enemy=[minion(0, 9, hurt=8)],
            hand=[
                free(effect("set_health", "chosen enemy minion", amount=1)),
                free(effect("silence", "chosen enemy minion")),
            ],
        ),
        {"enemy_remaining_health": -1}, 9,
    ),
    "and after an attack": Board(
        state(
            0, [minion(9, 9, "", effect("set_health", "self", amount=1, on="turn_end"),
                       effect("silence", "self", on="turn_end"))],
            [minion(8, 10, "taunt")],
        ),
        {"minion_damage": 1, "own_remaining_health": 1}, 18,
    ),
    "an aura beside the set health": Board(
        state(
            0,
            [
                idle(0, 1, "", effect("buff", "all other friendly minions", health=4, on="aura")),
                idle(0, 9, of=card(0, 5), hurt=8, aura_health=4),
            ],
            hand=[free(effect("set_health", "chosen friendly minion", amount=3))],
        ),
        {"own_remaining_health": 1}, 8,
    ),
}  # fmt: skip


def nested(levels: int) -> Card:
    """Return a minion whose death transforms all minions into such minions, this many times."""
    last = card(1, 1, name="Last")
    for level in range(levels):
        last = card(1, 1, "", effect("transform", "all minions", makes=last, on="death"), name=f"Level {level}")
    return last


LEAVING: Final = {
    "minions in minions, many times": Board(state(0, [minion(1, 1, of=nested(20))]), FACE, 1, bounded=False),
    "a transformed own minion": Board(
        state(0, [idle(0, 3)], hand=[free(effect("transform", "chosen friendly minion", makes=card(5, 1)))]),
        {"own_attack": 1}, 5,
    ),
    "a transformed own minion is no token": Board(
        state(0, [idle(0, 3)], hand=[free(effect("transform", "chosen friendly minion", makes=card(5, 1)))]),
        {"own_attack": 6, "token_worth": -6}, 30,
    ),
    "a transformed token is one": Board(
        state(
            0,
            hand=[
                free(effect("summon", makes=card(0, 1))),
                free(effect("transform", "chosen friendly minion", makes=card(5, 1))),
            ],
        ),
        {"token_worth": 1}, 6,
    ),
    "a transformed minion with charge": Board(
        state(0, [idle(0, 3)], hand=[free(effect("transform", "chosen friendly minion", makes=card(5, 1, "charge")))]),
        FACE, 5,
    ),
    "all own minions are transformed": Board(
        state(
            0, [idle(0, 3), idle(0, 3)],
            hand=[free(effect("transform", "all friendly minions", makes=card(4, 1, "charge")))],
        ),
        FACE, 8,
    ),
    "a transformed enemy minion": Board(
        state(0, enemy=[minion(6, 9)], hand=[free(effect("transform", "chosen enemy minion", makes=card(1, 1)))]),
        {"enemy_threat": 1}, -1,
    ),
    "a transformed enemy minion, rewarded": Board(
        state(0, enemy=[minion(0, 1)], hand=[free(effect("transform", "chosen enemy minion", makes=card(0, 7)))]),
        {"enemy_remaining_health": -1}, 7,
    ),
    "all enemy minions are transformed": Board(
        state(0, enemy=[minion(0, 1)] * 3, hand=[free(effect("transform", "all enemy minions", makes=card(0, 7)))]),
        {"enemy_remaining_health": -1}, 21,
    ),
    "an attack on a transformed minion does not hurt": Board(
        state(
            0, [minion(2, 4)], [minion(3, 9, "taunt")],
            hand=[free(effect("transform", "chosen enemy minion", makes=card(0, 9)))],
        ),
        {"minion_damage": 1, "own_remaining_health": 1}, 6,
    ),
    "a transformed minion that is reborn": Board(
        state(
            0, [idle(0, 3)],
            hand=[
                free(effect("transform", "chosen friendly minion", makes=card(0, 1, "reborn", effect("damage", "enemy hero", amount=3, on="death")))),
                free(effect("destroy", "chosen friendly minion")),
                free(effect("destroy", "chosen friendly minion")),
            ],
        ),
        FACE, 6,
    ),
    "a returned minion attacks again": Board(
        state(
            1, [minion(3, 3, of=card(3, 3, "charge"))], hand=[free(effect("return", "chosen friendly minion"))]
        ),
        FACE, 6,
    ),
    "as often as it returns": Board(
        state(
            9, [minion(3, 3, of=card(3, 3, "charge", cost=0))],
            hand=[free(effect("return", "chosen friendly minion")) for _ in range(2)],
        ),
        FACE, 9,
    ),
    "all own minions return": Board(
        state(2, [minion(3, 3, of=TWIN)] * 2, hand=[free(effect("return", "all friendly minions"))]), FACE, 12
    ),
    "and as the mana allows": Board(
        state(
            2, [minion(3, 3, of=card(3, 3, "charge"))],
            hand=[free(effect("return", "chosen friendly minion")) for _ in range(2)],
        ),
        FACE, 9,
    ),
    "a minion that was not in hand at the start returns as a token": Board(
        state(
            1, hand=[free(effect("summon", makes=card(3, 1))), free(effect("return", "chosen friendly minion"))]
        ),
        {"token_worth": 1, "cards_drawn": 0}, 4,
    ),
    "the value of a returned card": Board(
        state(
            1, [idle(0, 1)], hand=[spell(effect("return", "chosen friendly minion"), cost=0, value=0)]
        ),
        {"card_value": 5}, 5,
    ),
    "the mana for a returned card": Board(
        state(3, [idle(0, 1, of=card(0, 1, cost=3))], hand=[free(effect("return", "chosen friendly minion"))]),
        {"mana_unused": 2}, 0,
    ),
    "a returned card in hand": Board(
        state(0, [idle(0, 1)] * 2, hand=[free(effect("return", "all friendly minions"))]), {"cards_in_hand": 2}, 4
    ),
    "a returned enemy minion": Board(
        state(0, enemy=[minion(6, 9)], hand=[free(effect("return", "chosen enemy minion"))]), {"enemy_threat": 1}, 0
    ),
    "a summoned minion returns": Board(
        state(
            1, hand=[free(effect("summon", makes=card(3, 1, "charge"))), free(effect("return", "chosen friendly minion"))]
        ),
        FACE, 6,
    ),
    "a minion like one of the enemy returns": Board(
        state(
            2, enemy=[minion(0, 1, "stealth", of=TWIN)],
            hand=[TWIN, free(effect("return", "chosen friendly minion"))],
        ),
        FACE, 6,
    ),
    "a returned minion is no token": Board(
        state(
            1, [idle(0, 1, of=card(5, 1))], hand=[free(effect("return", "chosen friendly minion"))]
        ),
        {"own_attack": 6, "token_worth": -6}, 30,
    ),
    "a weakened token returns": Board(
        state(
            1,
            hand=[
                free(effect("summon", makes=card(5, 1))),
                free(effect("buff", "chosen friendly minion", attack=-5)),
                free(effect("return", "chosen friendly minion")),
            ],
        ),
        {"token_worth": 1}, 6,
    ),
    "a minion that returns with mana": Board(
        state(
            1, [minion(1, 1, of=card(1, 1, "charge", effect("mana", amount=1)))],
            hand=[free(effect("return", "chosen friendly minion")) for _ in range(2)],
        ),
        FACE, 3, bounded=False,
    ),
    "a minion that returns with echo": Board(
        state(
            3, [minion(1, 1, of=card(1, 1, "charge echo"))], hand=[free(effect("return", "chosen friendly minion"))]
        ),
        FACE, 4, bounded=False,
    ),
    "minions that return each other": Board(
        state(6, hand=[card(1, 1, "charge", effect("return", "chosen friendly minion"), name=one) for one in "AB"]),
        FACE, 6,
    ),
    "minions that return each other for nothing": Board(
        state(
            1,
            hand=[
                card(1, 1, "charge", effect("return", "chosen other friendly minion"), name="A", cost=0),
                card(1, 1, "charge", effect("return", "chosen other friendly minion"), name="B"),
            ],
        ),
        FACE, 3, bounded=False,
    ),
}  # fmt: skip
BOARDS: Final = {"weapon": WEAPON, "numbers": NUMBERS, "leaving": LEAVING}


@pytest.mark.parametrize(
    "board",
    [pytest.param(board, id=f"{group}: {name}") for group, boards in BOARDS.items() for name, board in boards.items()],
)
def test_the_bound_counts_the_effect_in_full(board: Board) -> None:
    check_board(board)
