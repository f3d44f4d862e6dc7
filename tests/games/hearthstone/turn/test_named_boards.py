"""Turns with card effects whose best line is known, with the expected score as a sum of its terms."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from planner import plan_turn
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_text import action_to_text, state_from_text
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.turn_plan import TurnPlan
from tests.games.hearthstone.exhaustive import best_by_search

A, B, X, Y = "me.board.0", "me.board.1", "enemy.board.0", "enemy.board.1"
FIRST, SECOND, THIRD = "play me.hand.0", "play me.hand.1", "play me.hand.2"
FACE = "enemy.hero"


def planned(state: GameState, weights: Weights, objective: float) -> TurnPlan:
    """Return the plan after checking that it is proved optimal and has the expected score."""
    assert float(best_by_search(state, weights)[0]) == pytest.approx(objective)
    plan = plan_turn(state, weights)
    assert plan.objective == pytest.approx(objective), plan.actions
    assert (plan.status, plan.bound, plan.ignored) == ("optimal", plan.objective, ())
    return plan


def line(state: str, objective: float, **weights: float) -> list[str]:
    """Return the actions of the best turn as text."""
    return action_texts(planned(state_from_text(state), Weights.of(weights), objective))


def action_texts(plan: TurnPlan) -> list[str]:
    return [action_to_text(action) for action in plan.actions]


def hit(attacker: str, target: str) -> str:
    return f"attack {attacker} -> {target}"


def in_order(actions: Sequence[str], *expected: str) -> bool:
    """Return whether the expected actions occur in this order, possibly with others between them."""
    remaining = iter(actions)
    return all(action in remaining for action in expected)


# -- spells that help an attack


def test_lethal_needs_the_buff_windfury_and_both_attacks() -> None:
    board = "3 mana | me 30hp: Bloodfen Raptor | hand: Windfury, Blessing of Might | enemy 12hp"
    actions = line(board, 100 + 12, lethal=100, face_damage=1)  # (3 + 3) twice
    assert len(actions) == 4
    assert in_order(actions, f"{SECOND} -> {A}", hit(A, FACE), hit(A, FACE))
    assert in_order(actions, f"{FIRST} -> {A}", hit(A, FACE))


def test_the_area_spell_comes_before_the_trades_to_remove_divine_shields() -> None:
    shields = "1/2 divine_shield, 1/2 divine_shield"
    actions = line(f"2 mana | me 30hp: 2/3, 2/3 | hand: Arcane Explosion | enemy 30hp: {shields}", 10, board_clear=10)
    assert actions[0] == FIRST
    assert len(actions) == 3


def test_the_area_spell_comes_after_the_trades_when_it_would_kill_the_attackers() -> None:
    actions = line("1 mana | me 30hp: 3/1, 3/1 | hand: Whirlwind | enemy 30hp: 0/4, 0/4", 10, board_clear=10)
    assert actions[2:] == [FIRST]
    assert {action.split(" -> ")[1] for action in actions[:2]} == {X, Y}


def test_a_minion_with_spell_damage_comes_before_the_spell() -> None:
    board = "3 mana | me 30hp | hand: Arcane Shot, Kobold Geomancer | enemy 30hp"
    assert line(board, 2 + 1, face_damage=1) == [SECOND, f"{FIRST} -> {FACE}"]


def test_an_aura_comes_before_the_attacks() -> None:
    actions = line("3 mana | me 30hp: 1/1, 1/1 | hand: Raid Leader | enemy 4hp", 10, lethal=10)
    assert actions[0] == FIRST
    assert sorted(actions[1:]) == [hit(A, FACE), hit(B, FACE)]


def test_a_temporary_buff_goes_to_a_minion_that_can_attack() -> None:
    # 1 + 2 for the minion that can attack, not for the larger one that cannot.
    board = "1 mana | me 30hp: 1/1, 6/6 attacks_left=0 | hand: Abusive Sergeant | enemy 30hp"
    assert line(board, 3, face_damage=1) == [f"{FIRST} -> {A}", hit(A, FACE)]


# -- taunts and shields


def test_a_spell_removes_the_taunt() -> None:
    board = "5 mana | me 30hp: Chillwind Yeti | hand: Assassinate | enemy 4hp: 2/9, Sen'jin Shieldmasta"
    assert line(board, 10 + 4, lethal=10, face_damage=1) == [f"{FIRST} -> {Y}", hit(A, FACE)]


def test_silence_removes_the_shield_before_the_attack() -> None:
    board = "0 mana | me 30hp: 2/3 | hand: Silence | enemy 30hp: Annoy-o-Tron"
    assert line(board, 10 + 2, board_clear=10, minion_damage=1) == [f"{FIRST} -> {X}", hit(A, X)]


def test_a_reborn_taunt_is_killed_twice() -> None:
    reborn = "2/2 taunt reborn"
    actions = line(f"1 mana | me 30hp: 3/3, 4/4 | hand: Arcane Shot | enemy 4hp: {reborn}", 10, lethal=10)
    # The shot and the smaller minion kill the taunt, in either order.
    assert sorted(actions) == sorted([f"{FIRST} -> {X}", hit(A, X), hit(B, FACE)])
    assert actions[2] == hit(B, FACE)


# -- deathrattles


def test_a_deathrattle_makes_the_obvious_kill_wrong() -> None:
    # Killing the sheep (2 damage, 1 threat) would kill all three, a loss of 6; they hit the hero instead.
    board = "0 mana | me 30hp: 2/2, 2/2, 2/2 | enemy 30hp: Explosive Sheep"
    actions = line(board, 0.5 * 6 - 1 + 6, face_damage=0.5, minion_damage=1, enemy_threat=1, own_survival=1)
    assert len(actions) == 3
    assert all(action.endswith(FACE) for action in actions)


def test_a_rule_forbids_triggering_an_enemy_deathrattle_that_kills_my_hero() -> None:
    state = state_from_text("0 mana | me 2hp: 4/9 | enemy 30hp: Abomination")
    # Without the rule the death of my hero costs nothing extra: clear 10, damage 4, taken 4.
    weights = Weights.of({"board_clear": 10, "minion_damage": 1, "damage_taken": 1})
    assert action_texts(planned(state, weights, 10 + 4 - 4)) == [hit(A, X)]
    careful = Weights(board_clear=10, minion_damage=1, damage_taken=1, forbid=(Rule("own_hero_death"),))
    assert action_texts(planned(state, careful, 0)) == []


def test_a_minion_summoned_by_an_enemy_deathrattle_is_killed_too() -> None:
    actions = line("0 mana | me 30hp: 2/2, 3/4 | enemy 30hp: Harvest Golem", 10 + 5, board_clear=10, minion_damage=1)
    assert actions[0] == hit(B, X)
    assert actions[1].startswith(f"attack {A} -> new.")
    assert len(actions) == 2


def test_my_deathrattle_hits_the_hero_behind_the_taunt() -> None:
    board = "0 mana | me 30hp: Leper Gnome | enemy 2hp: 2/5 taunt"
    # lethal, 2 on the face by the deathrattle, 2 on the minion by the attack
    assert line(board, 10 + 2 + 2, lethal=10, face_damage=1, minion_damage=1) == [hit(A, X)]


def test_a_spell_on_my_own_minion_triggers_its_deathrattle() -> None:
    board = "1 mana | me 30hp: Explosive Sheep attacks_left=0 | hand: Arcane Shot | enemy 30hp: 3/2, 3/2"
    # The sheep deals 2 to each; the shot at my own sheep scores nothing.
    assert line(board, 10 + 4, board_clear=10, minion_damage=1) == [f"{FIRST} -> {A}"]


def test_a_minion_that_a_deathrattle_would_kill_is_played_after_it() -> None:
    board = "3 mana | me 30hp | hand: Young Priestess, Crushing Hand | enemy 30hp: Abomination"
    assert line(board, 1 + 2, own_survival=1, card_value=1) == [f"{SECOND} -> {X}", FIRST]


# -- board slots and mana


def test_a_trade_frees_a_board_slot_for_a_token() -> None:
    crowd = ", ".join(["0/1"] * 6)
    board = f"3 mana | me 30hp: 2/1, {crowd} | hand: Feral Spirit | enemy 30hp: 2/2 taunt"
    assert line(board, 2 + 3, token_worth=1) == [hit(A, X), FIRST]  # one of the two wolves fits on the board


def test_the_coin_pays_for_the_second_card() -> None:
    actions = line("3 mana | me 30hp | hand: Darkbomb, The Coin, Darkbomb | enemy 6hp", 10, lethal=10)
    assert sorted(actions) == [f"{FIRST} -> {FACE}", SECOND, f"{THIRD} -> {FACE}"]
    assert actions[2] != SECOND


def test_the_coin_is_kept_when_it_enables_no_card() -> None:
    board = "1 mana | me 30hp | hand: Darkbomb cost=3, The Coin | enemy 30hp"
    assert line(board, 0, face_damage=1, card_value=-1) == []


def test_a_combo_needs_a_card_before_it() -> None:
    board = "3 mana | me 30hp | hand: Eviscerate, Iron Hide | enemy 4hp"
    assert line(board, 10 + 4, lethal=10, face_damage=1) == [SECOND, f"{FIRST} -> {FACE}"]


def test_overload_costs_nothing_this_turn() -> None:
    state = state_from_text("2 mana | me 30hp | hand: Lightning Bolt, Lightning Bolt | enemy 6hp")
    plan = planned(state, Weights.of({"lethal": 10}), 10)
    assert len(plan.actions) == 2
    assert plan.end.me.overload == 2


def test_the_larger_of_heal_and_armor_is_played() -> None:
    hand = "hand: Iron Hide cost=2, Holy Light"
    assert line(f"2 mana | me 20hp | {hand} | enemy 30hp", 28, own_health=1) == [
        SECOND
    ]  # heals 8 of the 10 missing health
    assert line(f"2 mana | me 27hp | {hand} | enemy 30hp", 32, own_health=1) == [FIRST]  # 5 armor, not 3 health


def test_an_echo_card_is_played_as_often_as_mana_allows() -> None:
    actions = line("7 mana | me 30hp | hand: Phantom Militia | enemy 30hp", 2 - 1, card_value=1, mana_unused=1)
    assert actions[0] == FIRST
    assert actions[1].startswith("play new.")
    assert len(actions) == 2


def test_two_deaths_free_the_board_slots_for_an_echo_card() -> None:
    board = '4 mana ruleset={"board_limit": 1} | me 30hp: 3/3 | hand: Hunting Mastiff | enemy 30hp: 5/9 poisonous'
    actions = line(board, 2, card_value=1)
    assert actions[:3] == [hit(A, X), FIRST, hit("me.hand.0", X)]
    assert actions[3].startswith("play new.")
    assert len(actions) == 4


# -- the hero


def test_the_hero_power_and_the_weapon_make_an_exact_lethal() -> None:
    board = "1 mana | me 30hp | weapon Fiery War Axe | power Demon Claws | enemy 4hp"
    assert line(board, 10 + 4, lethal=10, face_damage=1) == ["power", hit("me.hero", FACE)]


def test_the_weapon_is_equipped_before_the_attack() -> None:
    board = "3 mana | me 30hp | weapon Wicked Knife | hand: Fiery War Axe | enemy 30hp"
    assert line(board, 3, face_damage=1) == [FIRST, hit("me.hero", FACE)]


def test_the_old_weapon_attacks_first_when_the_new_one_has_windfury() -> None:
    # The knife's last durability, then the hammer's second attack: 1 + 2; the hammer alone deals 2 + 2.
    board = "5 mana | me 30hp | weapon Wicked Knife 1/1 | hand: Doomhammer | enemy 30hp"
    assert line(board, 4, face_damage=1) == [FIRST, hit("me.hero", FACE), hit("me.hero", FACE)]
    # A weapon with 6 attack attacks first, and the hammer adds one attack.
    board = board.replace("Wicked Knife 1/1", "6/1")
    assert line(board, 6 + 2, face_damage=1) == [hit("me.hero", FACE), FIRST, hit("me.hero", FACE)]


def test_the_action_that_ends_the_match_comes_last() -> None:
    board = "2 mana | me 30hp: 3/3 | power Steady Shot | enemy 2hp: 1/9"
    assert line(board, 10 + 3, lethal=10, minion_damage=1) == [hit(A, X), "power"]
    # The same holds for my own death: this profile values the card more than the match.
    board = "2 mana | me 3hp fatigue=2: 3/3 | hand: Novice Engineer | enemy 30hp: 1/9"
    assert line(board, 10 + 3, card_value=10, minion_damage=1) == [hit(A, X), FIRST]


# -- the enemy's next turn


def test_freeze_targets_the_minion_with_the_most_damage_next_turn() -> None:
    board = "2 mana | me 30hp | hand: Frostbolt | enemy 30hp: 5/5, 3/5 windfury"
    assert line(board, -5, damage_to_come=1) == [f"{FIRST} -> {Y}"]


def test_a_freezing_attack_stops_a_minion_that_it_cannot_kill() -> None:
    board = "0 mana | me 30hp: Water Elemental | enemy 30hp: 5/9, 4/3"
    # Killing the 4/3 leaves 5 to come, freezing the 5/9 leaves 4.
    assert line(board, -4, damage_to_come=1) == [hit(A, X)]


# -- the end of the turn


def test_an_end_of_turn_effect_is_lethal_when_the_hero_is_the_only_target() -> None:
    # With the enemy minion alive, Ragnaros hits the hero with probability 1/2; without it, always.
    state = state_from_text("0 mana | me 30hp: 1/1, Ragnaros the Firelord | enemy 8hp: 0/1")
    plan = planned(state, Weights.of({"lethal": 100}), 100)
    assert action_texts(plan) == [hit(A, X)]
    assert plan.lethal


def test_a_minion_that_dies_at_the_end_of_the_turn_attacks_first() -> None:
    board = "2 mana | me 30hp | power Ghoul Charge | enemy 30hp: 3/1"
    actions = line(board, 1 + 10, minion_damage=1, board_clear=10, token_worth=-100)
    assert actions[0] == "power"
    assert actions[1].startswith("attack new.")


# -- draws and random effects


def test_reveals_is_the_index_of_the_first_draw() -> None:
    state = state_from_text("2 mana | me 30hp | hand: Arcane Intellect, The Coin | deck: 5 | enemy 30hp")
    plan = planned(state, Weights.of({"cards_drawn": 1}), 2)
    assert action_texts(plan) == [SECOND, FIRST]
    assert plan.reveals == 1
    assert plan.to_dict()["reveals"] == 1


def test_reveals_counts_a_draw_by_a_deathrattle() -> None:
    state = state_from_text("0 mana | me 30hp: Loot Hoarder | deck: 5 | enemy 30hp: 1/3")
    plan = planned(state, Weights.of({"cards_drawn": 1}), 1)
    assert (action_texts(plan), plan.reveals) == ([hit(A, X)], 0)


def test_reveals_is_none_without_draws_and_random_effects() -> None:
    state = state_from_text("4 mana | me 30hp: 2/2 | hand: Fireball | deck: 5 | enemy 30hp")
    plan = planned(state, Weights.of({"face_damage": 1}), 8)
    assert plan.reveals is None
    assert plan.to_dict()["reveals"] is None


def test_random_effects_come_last() -> None:
    # While the 1/1 lives, each missile hits it with probability 1/2: it dies in 7 of 8 cases, and 3 - 7/8 hit the hero.
    state = state_from_text("1 mana | me 30hp: 2/2 | hand: Arcane Missiles | enemy 30hp: 1/1")
    plan = planned(state, Weights.of({"face_damage": 5, "board_clear": 8}), 5 * 2 + 5 * (3 - 7 / 8) + 8 * 7 / 8)
    assert action_texts(plan) == [hit(A, FACE), FIRST]
    assert plan.reveals == 1


def test_a_vanilla_minion_is_played_before_a_random_effect() -> None:
    board = "4 mana | me 30hp | hand: Kobold Apprentice, Frazzled Freshman | enemy 30hp: 4/4"
    assert line(board, 1 + 4, own_survival=1) == [SECOND, FIRST]


def test_the_attack_removes_a_target_before_random_damage() -> None:
    # Without the minion every missile hits the hero; with it, a missile could hit the minion.
    board = "1 mana | me 30hp: 2/2 | hand: Arcane Missiles | enemy 3hp: 1/2 taunt"
    assert line(board, 10, lethal=10) == [hit(A, X), FIRST]
