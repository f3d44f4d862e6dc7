"""Boards whose best plan is worked out by hand, with the expected score as a sum of its terms."""

from __future__ import annotations

from typing import Any

import pytest

from planner import plan_turn
from tests.contract.naive_game import maximum, play_out

FACE, HERO = "enemy.hero", "me.hero"
A, B, C = "me.board.0", "me.board.1", "me.board.2"
X, Y, Z = "enemy.board.0", "enemy.board.1", "enemy.board.2"
CARD = "me.hand.0"


def minion(attack: int, health: int, *words: str, **more: Any) -> dict[str, Any]:
    return {"attack": attack, "health": health, "keywords": list(words), **more}


def board(
    mine: list[dict[str, Any]],
    theirs: list[dict[str, Any]],
    foe: int = 30,
    hand: list[dict[str, Any]] | None = None,
    mana: int = 10,
    armor: int = 0,
    **me: Any,
) -> dict[str, Any]:
    hero = {"health": me.pop("health", 30)}
    return {
        "mana": mana,
        "me": {"hero": hero, "board": mine, "hand": hand or [], **me},
        "enemy": {"hero": {"health": foe, "armor": armor}, "board": theirs},
    }


def hit(attacker: str, target: str) -> dict[str, Any]:
    return {"type": "attack", "attacker": attacker, "target": target}


def play(card: str = CARD) -> dict[str, Any]:
    return {"type": "play", "card": card, "target": None}


def solve(state: dict[str, Any], weights: Any, objective: float) -> list[dict[str, Any]]:
    """Return the actions of the plan, after checking its proof, its score and its legality by the naive rules."""
    plan = plan_turn(state, weights).to_dict()
    assert plan["objective"] == objective, plan
    assert (plan["status"], plan["bound"]) == ("optimal", objective)
    play_out(state, plan["actions"])
    if not isinstance(weights, str):
        assert maximum(state, weights) == pytest.approx(objective)
    return plan["actions"]


# -- boards with a known best plan


def test_lethal_through_a_taunt() -> None:
    state = board([minion(5, 5), minion(3, 1)], [minion(2, 3, "taunt")], foe=5)
    # lethal 20, clear 2, face 18 * 5, survival 5, minion damage 3 * 3, taken 2
    actions = solve(state, "aggro_face", 20 + 2 + 90 + 5 + 9 - 2)
    assert actions == [hit(B, X), hit(A, FACE)]


def test_windfury_finishing_two_minions() -> None:
    state = board([minion(3, 7, "windfury")], [minion(2, 3), minion(2, 2)])
    # clear 20, survival 5 * 7, minion damage 15 * 6, taken 10 * 4
    actions = solve(state, "board_clear", 20 + 35 + 90 - 40)
    assert sorted(action["target"] for action in actions) == [X, Y]
    assert {action["attacker"] for action in actions} == {A}


def test_a_trade_frees_a_board_slot_for_a_minion_with_charge() -> None:
    bystanders = [minion(0, 1) for _ in range(6)]
    state = board([minion(2, 1), *bystanders], [minion(2, 2)], foe=3, hand=[minion(3, 1, "charge", cost=3)], mana=3)
    # lethal 20, clear 2, face 18 * 3, survival 6 + 1, minion damage 3 * 2, taken 2, card 10
    actions = solve(state, "aggro_face", 20 + 2 + 54 + 7 + 6 - 2 + 10)
    assert actions == [hit(A, X), play(), hit(CARD, FACE)]


def test_a_shield_broken_by_the_smallest_attacker_first() -> None:
    state = board([minion(5, 5), minion(1, 1)], [minion(1, 5, "taunt", "divine_shield")])
    # clear 20, survival 5 * 5 (the small one dies), minion damage 15 * 6, taken 10 * 2
    actions = solve(state, "board_clear", 20 + 25 + 90 - 20)
    assert actions == [hit(B, X), hit(A, X)]


def test_poison_spent_on_the_largest_minion() -> None:
    state = board([minion(1, 1, "poisonous")], [minion(1, 1), minion(8, 8), minion(3, 3)])
    actions = solve(state, {"enemy_threat": 10}, -10 * (1 + 3))
    assert actions == [hit(A, Y)]


def test_no_attack_is_spent_on_a_dead_target() -> None:
    state = board([minion(5, 5), minion(5, 5)], [minion(1, 3)])
    # only one hit is possible on the minion; the other has to go face
    actions = solve(state, {"minion_damage": 10, "face_damage": 1}, 50 + 5)
    assert sorted(action["target"] for action in actions) == [X, FACE]


def test_overkill_on_the_hero() -> None:
    state = board([minion(7, 7)], [], foe=4)
    assert solve(state, {"face_damage": 1, "lethal": 100}, 100 + 7) == [hit(A, FACE)]


def test_overkill_on_the_hero_comes_last_since_the_game_is_over_then() -> None:
    state = board([minion(7, 7), minion(3, 3)], [], foe=4)
    assert solve(state, {"face_damage": 1, "lethal": 100}, 100 + 3 + 7) == [hit(B, FACE), hit(A, FACE)]


@pytest.mark.parametrize(("foe", "lethal"), [(5, 20), (6, 0)])
def test_lethal_with_exactly_enough(foe: int, lethal: int) -> None:
    state = board([minion(4, 4)], [], foe=foe, armor=2, hand=[minion(3, 1, "charge", cost=3)], mana=3)
    # clear 2, face 18 * 7, survival 4 + 1, card 10
    actions = solve(state, "aggro_face", lethal + 2 + 126 + 5 + 10)
    assert actions[0] == play() or actions[1] == play()
    assert hit(A, FACE) in actions
    assert hit(CARD, FACE) in actions


# -- one board for each rule of the contract


def test_rush_may_not_go_face() -> None:
    hand = [minion(4, 4, "rush", cost=1)]
    assert solve(board([], [], foe=4, hand=hand), {"lethal": 100, "face_damage": 1}, 0) == []
    # it may attack a minion
    actions = solve(board([], [minion(1, 4)], foe=4, hand=hand), {"enemy_threat": 1}, 0)
    assert actions == [play(), hit(CARD, X)]


def test_a_minion_without_charge_or_rush_waits_a_turn() -> None:
    state = board([], [minion(1, 1)], foe=1, hand=[minion(9, 9, cost=1)])
    assert solve(state, {"lethal": 100, "enemy_threat": 5, "card_value": 1}, 1 - 5) == [play()]


def test_stealth_cannot_be_attacked() -> None:
    state = board([minion(5, 5)], [minion(4, 1, "stealth")])
    assert solve(state, {"enemy_threat": 10, "face_damage": 1}, 5 - 40) == [hit(A, FACE)]


def test_frozen_cannot_attack() -> None:
    state = board([minion(9, 9, "frozen"), minion(1, 1)], [], foe=5)
    assert solve(state, {"lethal": 100, "face_damage": 1}, 1) == [hit(B, FACE)]


def test_a_taunt_in_stealth_has_no_effect() -> None:
    state = board([minion(3, 3)], [minion(2, 9, "taunt", "stealth")], foe=3)
    assert solve(state, {"lethal": 100, "enemy_threat": 1}, 100 - 2) == [hit(A, FACE)]


def test_windfury_attacks_face_first_and_then_trades() -> None:
    # its second attack costs its life, so the order of the two is forced
    state = board([minion(3, 2, "windfury")], [minion(2, 3)], foe=20)
    # face 3, minion damage 2 * 3, threat 0; the minion dies
    actions = solve(state, {"face_damage": 1, "minion_damage": 2, "enemy_threat": 5}, 3 + 6)
    assert actions == [hit(A, FACE), hit(A, X)]


def test_windfury_attacks_again_only_if_the_minion_survives() -> None:
    state = board([minion(3, 2, "windfury")], [minion(2, 3, "taunt")], foe=3)
    # the taunt must be attacked first, and the attacker dies
    assert solve(state, {"lethal": 100, "enemy_threat": 5, "face_damage": 1}, 0) == [hit(A, X)]


def test_zero_attack_cannot_attack() -> None:
    state = board([minion(0, 5)], [minion(1, 1, "divine_shield")], foe=1)
    assert solve(state, {"minion_damage": 5, "damage_taken": -5, "lethal": 10}, 0) == []


def test_no_attacks_left() -> None:
    state = board([minion(5, 5, attacks_left=0), minion(2, 2, "windfury", attacks_left=1)], [])
    assert solve(state, {"face_damage": 1}, 2) == [hit(B, FACE)]


def test_armor_counts_before_health() -> None:
    weights = {"lethal": 100, "face_damage": 1, "own_survival": 0}
    assert solve(board([minion(5, 5)], [], foe=2, armor=3), weights, 100 + 5) == [hit(A, FACE)]
    assert solve(board([minion(5, 5)], [], foe=2, armor=4), weights, 5) == [hit(A, FACE)]


def test_both_taunts_must_die_before_the_hero_can_be_attacked() -> None:
    state = board([minion(2, 2), minion(3, 3), minion(4, 4)], [minion(1, 2, "taunt"), minion(1, 3, "taunt")], foe=4)
    # lethal 100, the two others spend 2 + 3 on the taunts
    actions = solve(state, {"lethal": 100, "minion_damage": 1}, 100 + 5)
    assert actions == [hit(A, X), hit(B, Y), hit(C, FACE)]


def test_two_taunts_and_one_attack_too_few() -> None:
    state = board([minion(9, 9), minion(9, 9)], [minion(1, 2, "taunt"), minion(1, 3, "taunt")], foe=4)
    assert len(solve(state, {"lethal": 100, "enemy_threat": 1}, 0)) == 2


def test_the_heros_weapon_kills_the_taunt_for_the_charger() -> None:
    state = board(
        [],
        [minion(2, 3, "taunt")],
        foe=4,
        hand=[minion(4, 2, "charge", cost=4)],
        mana=4,
        weapon={"attack": 3, "durability": 1},
    )
    # lethal 20, clear 2, face 18 * 4, survival 2, minion damage 3 * 3, taken 2, card 10
    actions = solve(state, "aggro_face", 20 + 2 + 72 + 2 + 9 - 2 + 10)
    assert actions.index(hit(HERO, X)) < actions.index(hit(CARD, FACE))
    assert len(actions) == 3


def test_the_hero_attacks_once() -> None:
    state = board([], [], foe=6, weapon={"attack": 3, "durability": 2})
    assert solve(state, {"lethal": 100, "face_damage": 1}, 3) == [hit(HERO, FACE)]


def test_a_reborn_taunt_must_be_killed_twice() -> None:
    theirs = [minion(1, 3, "taunt", "reborn")]
    weights = {"lethal": 100, "own_survival": 1}
    state = board([minion(3, 5), minion(1, 5), minion(4, 5)], theirs, foe=4)
    assert solve(state, weights, 100 + 15) == [hit(A, X), hit(B, X), hit(C, FACE)]
    # with one attack fewer, the hero is out of reach
    assert solve(board([minion(4, 5), minion(4, 5)], theirs, foe=4), weights, 10) == []


def test_poison_does_not_ignore_a_divine_shield() -> None:
    state = board([minion(1, 1, "poisonous"), minion(1, 1)], [minion(5, 9, "divine_shield")])
    assert solve(state, {"enemy_threat": 10}, 0) == [hit(B, X), hit(A, X)]


def test_poison_needs_damage() -> None:
    # my divine shield prevents the damage, so the poison has no effect
    state = board([minion(4, 6, "divine_shield")], [minion(3, 4, "poisonous")])
    assert solve(state, {"enemy_threat": 10, "own_survival": 1}, 6) == [hit(A, X)]


def test_an_attack_of_zero_does_not_break_my_shield() -> None:
    # against 0 attack the shield stays, and the second hit costs nothing
    state = board([minion(2, 1, "divine_shield", "windfury")], [minion(0, 2), minion(9, 2)])
    actions = solve(state, {"enemy_threat": 1, "board_clear": 5, "own_survival": 7}, 5 + 7)
    assert sorted(action["target"] for action in actions) == [X, Y]


def test_my_reborn_minion_counts_its_health_at_the_start() -> None:
    # it dies against the 5/2 and returns with 1 health; own_survival counts its health at the start: 4
    state = board([minion(2, 4, "reborn")], [minion(5, 2)])
    assert solve(state, {"own_survival": 1, "enemy_threat": 1}, 4) == [hit(A, X)]


def test_a_reborn_charger_attacks_again() -> None:
    state = board([minion(2, 1, "reborn", "charge")], [minion(5, 2, "taunt")], foe=2)
    assert solve(state, {"lethal": 100}, 100) == [hit(A, X), hit(A, FACE)]


def test_a_reborn_minion_without_charge_does_not_attack_again() -> None:
    state = board([minion(2, 1, "reborn")], [minion(5, 2, "taunt")], foe=2)
    assert solve(state, {"lethal": 100, "enemy_threat": 1}, 0) == [hit(A, X)]


def test_an_immune_attacker_is_not_hurt() -> None:
    state = board([minion(3, 1, "immune", "windfury")], [minion(9, 3), minion(9, 3, "poisonous")])
    # the attacks cost only damage_taken, which counts the target's attack
    assert len(solve(state, {"enemy_threat": 10, "own_survival": 1, "damage_taken": 1}, 1 - 18)) == 2


def test_my_lifesteal_saves_my_hero_for_its_own_attack() -> None:
    # the hero has 2 health and takes 4 back from the second taunt: he survives only if lifesteal heals 3 first
    state = board(
        [minion(3, 4, "lifesteal"), minion(4, 4)],
        [minion(3, 3, "taunt"), minion(4, 3, "taunt")],
        foe=4,
        health=2,
        weapon={"attack": 3, "durability": 1},
    )
    actions = solve(state, {"lethal": 100, "own_survival": 1}, 100 + 4 + 4)
    assert actions == [hit(A, X), hit(HERO, Y), hit(B, FACE)]
    state["me"]["board"][0]["keywords"] = []
    assert plan_turn(state, {"lethal": 100}).objective == 0


def test_enemy_lifesteal_heals_the_enemy_hero() -> None:
    # killing the taunt heals the enemy hero by 2: five damage is one short then, six is enough
    theirs = [minion(2, 1, "taunt", "lifesteal")]
    mine = [minion(1, 9), minion(5, 5)]
    weights = {"lethal": 100, "own_survival": 0}
    assert solve(board(mine, theirs, foe=4), weights, 0) == []
    assert solve(board(mine, theirs, foe=3), weights, 100) == [hit(A, X), hit(B, FACE)]


def test_enemy_lifesteal_does_not_heal_above_the_maximum() -> None:
    theirs = [minion(2, 1, "taunt", "lifesteal")]
    state = board([minion(1, 9), minion(5, 5)], theirs, foe=4)
    state["enemy"]["hero"]["max_health"] = 5
    assert solve(state, {"lethal": 100}, 100) == [hit(A, X), hit(B, FACE)]


def test_an_attack_that_kills_my_own_hero_is_legal_and_ends_the_game() -> None:
    # the weapon kills the taunt and the hero dies; no later action is legal
    state = board([], [minion(4, 3, "taunt")], health=1, weapon={"attack": 3, "durability": 1})
    assert solve(state, {"enemy_threat": 10}, 0) == [hit(HERO, X)]


def test_an_attack_that_kills_my_own_hero_while_a_minion_could_still_attack() -> None:
    # by keep_alive: clear 4, survival 20 * 1, minion damage 8 * 3, taken 5 * 4; the minion does not attack
    state = board([minion(1, 1)], [minion(4, 1, "taunt")], foe=9, health=1, weapon={"attack": 3, "durability": 1})
    assert solve(state, "keep_alive", 4 + 20 + 24 - 20) == [hit(HERO, X)]


def test_mana_is_spent_on_the_best_set_of_cards() -> None:
    hand = [minion(1, 1, cost=5, value=5), minion(1, 1, cost=3, value=3), minion(1, 1, cost=4, value=4)]
    actions = solve(board([], [], hand=hand, mana=7), {"card_value": 1}, 7)
    assert sorted(action["card"] for action in actions) == ["me.hand.1", "me.hand.2"]


def test_a_full_board_with_nothing_to_trade_plays_no_card() -> None:
    state = board([minion(0, 1) for _ in range(7)], [], hand=[minion(1, 1, cost=0, value=9)])
    assert solve(state, {"card_value": 1}, 0) == []


def test_the_first_death_of_a_reborn_minion_frees_no_board_slot() -> None:
    bystanders = [minion(0, 1) for _ in range(6)]
    hand = [minion(1, 1, cost=0, value=9)]
    state = board([minion(1, 1, "reborn"), *bystanders], [minion(3, 3)], hand=hand)
    assert solve(state, {"card_value": 1}, 0) == []
    # with rush it dies twice
    state = board([minion(1, 1, "reborn", "rush"), *bystanders], [minion(3, 3)], hand=hand)
    assert solve(state, {"card_value": 1}, 9) == [hit(A, X), hit(A, X), play()]


def test_an_empty_enemy_board_counts_as_clear() -> None:
    assert solve(board([], []), {"board_clear": 7}, 7) == []


def test_cards_by_name_have_the_stats_of_the_catalogue() -> None:
    state = {
        "mana": 3,
        "me": {"hero": {"health": 30}, "hand": [{"name": "Wolfrider"}]},
        "enemy": {"hero": {"health": 3}, "board": []},
    }
    plan = plan_turn(state, "aggro_face").to_dict()
    # a 3/1 with charge for 3: lethal 20, clear 2, face 18 * 3, survival 1, card 10
    assert plan["objective"] == 20 + 2 + 54 + 1 + 10
    assert plan["actions"] == [play(), hit(CARD, FACE)]


def test_the_example_of_the_contract() -> None:
    state = {
        "mana": 6,
        "me": {
            "hero": {"health": 30, "armor": 0},
            "board": [
                {
                    "id": "me.board.0",
                    "name": "Chillwind Yeti",
                    "attack": 4,
                    "health": 5,
                    "keywords": ["taunt"],
                    "attacks_left": 1,
                }
            ],
            "hand": [
                {
                    "id": "me.hand.0",
                    "name": "Wolfrider",
                    "cost": 3,
                    "attack": 3,
                    "health": 1,
                    "keywords": ["charge"],
                    "value": 1,
                }
            ],
        },
        "enemy": {
            "hero": {"health": 12},
            "board": [{"name": "Sen'jin Shieldmasta", "attack": 3, "health": 5, "keywords": ["taunt"]}],
        },
    }
    # clear 2, survival 5 (the Wolfrider dies), minion damage 3 * 7, taken 3 + 3, card 10
    assert solve(state, "aggro_face", 2 + 5 + 21 - 6 + 10) == [play(), hit(CARD, X), hit(A, X)]
