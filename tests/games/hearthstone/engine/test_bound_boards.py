"""Boards on which the bound was once below the true score, one for each reason."""

from __future__ import annotations

from typing import Final, NamedTuple

import pytest

from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.effect_resolution import refresh_auras
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.mutable_state import MutableState
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from tests.build import card, effect, minion, spell, state, weapon, weapon_card

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner.games.hearthstone.turn.native import best_turns, compare_bound

EFFORT: Final = 20_000


class Board(NamedTuple):
    """A turn, its few terms, and the score of its best turn."""

    state: GameState
    terms: dict[str, int]
    best: int
    bounded: bool = True  # whether there is a bound at the start


def _hero(before: GameState, attack: int, attacks: int, keywords: int = 0) -> GameState:
    hero = before.me.hero._replace(attack_this_turn=attack, attacks_left=attacks, keywords=keywords)
    return before._replace(me=before.me._replace(hero=hero))


WINDFURY: Final = weapon(1, 1, "windfury").keywords
BANNER: Final = effect("buff", "all other friendly minions", attack=4, on="aura")
COSTLY_DAMAGE: Final = {"minion_damage": -5, "enemy_threat": 10}
ATTACKERS: Final = [*(minion(2, 9) for _ in range(3)), minion(1, 9)]
BOLT: Final = spell(effect("damage", "chosen character", amount=5))
BOARDS: Final = {
    "of three reborn minions above the limit of two, one comes back where two die": Board(
        state(
            1,
            enemy=[minion(3, 1, "reborn") for _ in range(3)],
            hand=[spell(effect("damage", "all enemy minions", amount=4, split=True))],
            rules=Ruleset(name="few places", board_limit=2),
        ),
        {"enemy_threat": -3},
        27,
    ),
    "a trade puts a card back, so two trades draw two from a deck of one": Board(
        state(3, hand=[card(1, 1, "tradeable", cost=9), card(2, 1, "tradeable", cost=9)], deck=1), {"cards_drawn": 2}, 4
    ),
    "a trade before a draw from a deck of one": Board(
        state(3, hand=[card(1, 1, "tradeable", cost=9), spell(effect("draw", count=1))], deck=1), {"cards_drawn": 2}, 4
    ),
    "an attack costs less after the minion is weakened": Board(
        state(
            board=[minion(5, 3)],
            enemy=[minion(4, 1)],
            hand=[spell(effect("buff", "chosen friendly minion", attack=-4))],
        ),
        COSTLY_DAMAGE,
        -5,
    ),
    "an attack of the hero costs less after its weapon breaks": Board(
        _hero(state(enemy=[minion(4, 1), minion(4, 1)], weapon=weapon(5, 1)), 1, 2, WINDFURY),
        {"minion_damage": -5, "enemy_threat": 20},
        -35,
    ),
    "an attack costs less with a weaker weapon": Board(
        _hero(state(enemy=[minion(4, 1)], hand=[weapon_card(0, 2)], weapon=weapon(5, 3)), 1, 1), COSTLY_DAMAGE, -5
    ),
    "the weakest minion gets an attack, not the strongest": Board(
        state(
            board=[minion(8, 3, "cannot_attack"), minion(1, 3, fresh=True)],
            enemy=[minion(4, 1)],
            hand=[spell(effect("buff", "chosen friendly minion", keywords="rush"))],
        ),
        COSTLY_DAMAGE,
        -5,
    ),
    "a silenced minion has its aura on top of its printed attack": Board(
        state(
            board=[minion(1, 1, "", BANNER), minion(0, 3, of=card(1, 3), aura_attack=4)],
            hand=[spell(effect("silence", "chosen friendly minion"))],
        ),
        {"own_attack": 3},
        3 * (1 + 5),
    ),
    "a minion from the start is not a token after reborn": Board(
        state(
            board=[minion(0, 3, of=card(5, 3))],
            hand=[
                spell(effect("buff", "chosen friendly minion", keywords="reborn")),
                spell(effect("destroy", "chosen friendly minion")),
            ],
        ),
        {"own_attack": 6, "token_worth": -6},
        30,
    ),
    "several random minions are reborn, each as printed": Board(
        state(
            board=[minion(0, 3, of=card(5, 3, name=name), attacks_left=0) for name in ("A", "B")],
            hand=[
                spell(
                    effect("buff", "random 2 friendly minions", keywords="reborn"),
                    effect("destroy", "all friendly minions"),
                )
            ],
        ),
        {"own_attack": 1},
        10,
    ),
    "crystals above the limit are lost when one is gained": Board(
        state(10, crystals=14, hand=[spell(effect("mana", amount=1, crystals=True), cost=0)]),
        {"mana_unused": 3},
        -18,
        bounded=False,
    ),
    "an attack on a minion with lifesteal heals the hero, which is attacked again": Board(
        state(
            board=ATTACKERS, enemy=[minion(2, 9, "lifesteal")], hand=[spell(effect("armor", amount=1))], enemy_health=3
        ),
        {"face_damage": 1},
        6,
    ),
    "the same after a spell gives it lifesteal and attack": Board(
        state(
            board=ATTACKERS,
            enemy=[minion(1, 9)],
            hand=[spell(effect("buff", "chosen minion", attack=1, keywords="lifesteal"))],
            enemy_health=3,
        ),
        {"face_damage": 1},
        6,
    ),
    "the last damage to the hero is that of a spell": Board(
        state(board=[minion(1, 9)], hand=[BOLT], enemy_health=2), {"face_damage": 1}, 6
    ),
    "or that of a card that a deathrattle adds": Board(
        state(
            board=[minion(1, 1, "", effect("add", makes=BOLT, on="death")), minion(1, 9)],
            enemy=[minion(1, 9)],
            enemy_health=2,
        ),
        {"face_damage": 1},
        6,
    ),
    "a spell gives a minion much attack and lifesteal": Board(
        state(
            board=[minion(8, 9), minion(8, 9), minion(1, 9)],
            enemy=[minion(1, 9)],
            hand=[spell(effect("buff", "chosen enemy minion", attack=5, keywords="lifesteal"))],
            enemy_health=3,
        ),
        {"face_damage": 1},
        16,
    ),
    "a minion with charge attacks the minion with lifesteal": Board(
        state(enemy=[minion(6, 9, "lifesteal")], hand=[card(1, 9, "charge"), BOLT, BOLT], enemy_health=3),
        {"face_damage": 1},
        10,
    ),
    "a deathrattle with lifesteal heals the hero": Board(
        state(
            board=[minion(1, 9)],
            enemy=[minion(1, 1, "lifesteal", effect("damage", "enemy hero", amount=6, on="death"))],
            hand=[BOLT, BOLT],
            enemy_health=3,
        ),
        {"face_damage": 1},
        10,
    ),
    "an aura gives a minion with lifesteal more attack": Board(
        state(
            board=[minion(1, 9)],
            enemy=[minion(0, 9, "lifesteal")],
            hand=[card(1, 1, "", effect("buff", "all enemy minions", attack=6, on="aura")), BOLT, BOLT],
            enemy_health=3,
        ),
        {"face_damage": 1},
        10,
    ),
    "a poisonous minion can attack after a buff": Board(
        state(
            board=[minion(1, 9, "poisonous", fresh=True)],
            enemy=[minion(4, 9)],
            hand=[spell(effect("buff", "chosen friendly minion", keywords="rush"))],
        ),
        {"enemy_threat": 10},
        0,
    ),
    "damage to come that is rewarded grows with windfury": Board(
        state(enemy=[minion(4, 9)], hand=[spell(effect("buff", "chosen enemy minion", keywords="windfury"))]),
        {"enemy_threat": 10, "damage_to_come": -3},
        -40 + 2 * 12,
    ),
    "damage to come that costs ends with a freeze, and the rewarded attack stays": Board(
        state(enemy=[minion(4, 9)], hand=[spell(effect("freeze", "chosen enemy minion"))]),
        {"enemy_threat": -2, "damage_to_come": 3},
        8,
    ),
    "a minion from the hand with lifesteal attacks after a buff": Board(
        state(
            hand=[card(3, 3, "lifesteal"), spell(effect("buff", "chosen friendly minion", keywords="charge"))],
            health=10,
        ),
        {"own_health": 1},
        13,
    ),
}


def check_board(board: Board) -> None:
    """Check the best score, and that no bound is below the true score at any state."""
    table = MutableState(board.state, None)
    refresh_auras(table)
    visible = observe(table.to_state(), board.state.seat)
    weights = Weights.of(dict.fromkeys(TERMS, 0) | board.terms)
    best = best_turns(visible, weights)
    assert best is not None
    assert (best.proved, best.turns[0].score) == (True, board.best)
    compared = compare_bound(visible, weights, effort=EFFORT)
    assert compared is not None
    assert compared.excess == 0
    hurried = best_turns(visible, weights, effort=1)
    assert hurried is not None
    assert not hurried.proved
    assert (hurried.bound is not None) == board.bounded
    assert hurried.bound is None or hurried.bound >= board.best


@pytest.mark.parametrize("board", BOARDS.values(), ids=BOARDS)
def test_the_bound_is_not_below_the_true_score(board: Board) -> None:
    check_board(board)
