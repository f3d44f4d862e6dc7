"""Turns with texts whose best line is known, each with the sum that its objective is made of."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_text import action_to_text, state_from_text
from planner.games.hearthstone.turn.exhaustive_search import best_by_search
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.turn_plan import TurnPlan, plan_turn

A, B, X, Y = "me.board.0", "me.board.1", "enemy.board.0", "enemy.board.1"
FIRST, SECOND, THIRD = "play me.hand.0", "play me.hand.1", "play me.hand.2"
FACE = "enemy.hero"


def planned(state: GameState, weights: Weights, objective: float) -> TurnPlan:
    """Return the plan, which is proved and has the score worked out by hand."""
    assert float(best_by_search(state, weights)[0]) == pytest.approx(objective)
    plan = plan_turn(state, weights)
    assert plan.objective == pytest.approx(objective), plan.actions
    assert (plan.status, plan.bound, plan.ignored) == ("optimal", plan.objective, ())
    return plan


def line(state: str, objective: float, **weights: float) -> list[str]:
    """The actions of the best turn, as text."""
    return texts(planned(state_from_text(state), Weights.of(weights), objective))


def texts(plan: TurnPlan) -> list[str]:
    return [action_to_text(action) for action in plan.actions]


def hit(attacker: str, target: str) -> str:
    return f"attack {attacker} -> {target}"


def in_order(actions: Sequence[str], *some: str) -> bool:
    """Do these actions come in this order, whatever is between them?"""
    rest = iter(actions)
    return all(action in rest for action in some)


# -- spells that help an attack


def test_a_lethal_needs_the_buff_then_windfury_then_the_face() -> None:
    board = "3 mana | me 30hp: Bloodfen Raptor | hand: Windfury, Blessing of Might | enemy 12hp"
    actions = line(board, 100 + 12, lethal=100, face_damage=1)  # (3 + 3) twice
    assert len(actions) == 4
    assert in_order(actions, f"{SECOND} -> {A}", hit(A, FACE), hit(A, FACE))
    assert in_order(actions, f"{FIRST} -> {A}", hit(A, FACE))


def test_the_area_spell_comes_before_the_trades_where_shields_must_go() -> None:
    shields = "1/2 divine_shield, 1/2 divine_shield"
    actions = line(f"2 mana | me 30hp: 2/3, 2/3 | hand: Arcane Explosion | enemy 30hp: {shields}", 10, board_clear=10)
    assert actions[0] == FIRST
    assert len(actions) == 3


def test_the_area_spell_comes_after_the_trades_where_it_would_kill_the_attackers() -> None:
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


def test_an_attack_of_this_turn_is_spent_in_this_turn() -> None:
    # 1 + 2 for the one that can attack, not for the greater one that cannot.
    board = "1 mana | me 30hp: 1/1, 6/6 attacks_left=0 | hand: Abusive Sergeant | enemy 30hp"
    assert line(board, 3, face_damage=1) == [f"{FIRST} -> {A}", hit(A, FACE)]


# -- what stands in the way


def test_a_spell_removes_the_taunt() -> None:
    board = "5 mana | me 30hp: Chillwind Yeti | hand: Assassinate | enemy 4hp: 2/9, Sen'jin Shieldmasta"
    assert line(board, 10 + 4, lethal=10, face_damage=1) == [f"{FIRST} -> {Y}", hit(A, FACE)]


def test_silence_takes_the_shield_before_the_attack() -> None:
    board = "0 mana | me 30hp: 2/3 | hand: Silence | enemy 30hp: Annoy-o-Tron"
    assert line(board, 10 + 2, board_clear=10, minion_damage=1) == [f"{FIRST} -> {X}", hit(A, X)]


def test_a_taunt_that_must_fall_twice() -> None:
    reborn = "2/2 taunt reborn"
    actions = line(f"1 mana | me 30hp: 3/3, 4/4 | hand: Arcane Shot | enemy 4hp: {reborn}", 10, lethal=10)
    # The shot and the smaller one open the way, in either order.
    assert sorted(actions) == sorted([f"{FIRST} -> {X}", hit(A, X), hit(B, FACE)])
    assert actions[2] == hit(B, FACE)


# -- deathrattles


def test_a_deathrattle_makes_the_obvious_kill_wrong() -> None:
    # Killing the sheep (2 damage, 1 threat) would kill all three, a loss of 6; they hit the hero instead.
    board = "0 mana | me 30hp: 2/2, 2/2, 2/2 | enemy 30hp: Explosive Sheep"
    actions = line(board, 0.5 * 6 - 1 + 6, face_damage=0.5, minion_damage=1, enemy_threat=1, own_survival=1)
    assert len(actions) == 3
    assert all(action.endswith(FACE) for action in actions)


def test_an_enemy_deathrattle_that_would_kill_my_hero_is_left_alone_where_a_rule_says_so() -> None:
    state = state_from_text("0 mana | me 2hp: 4/9 | enemy 30hp: Abomination")
    # Deaths count like any others without the rule: clear 10, damage 4, taken 4.
    weights = Weights.of({"board_clear": 10, "minion_damage": 1, "damage_taken": 1})
    assert texts(planned(state, weights, 10 + 4 - 4)) == [hit(A, X)]
    careful = Weights(board_clear=10, minion_damage=1, damage_taken=1, forbid=(Rule("own_hero_death"),))
    assert texts(planned(state, careful, 0)) == []


def test_an_enemy_deathrattle_summons_and_the_newcomer_must_fall_too() -> None:
    actions = line("0 mana | me 30hp: 2/2, 3/4 | enemy 30hp: Harvest Golem", 10 + 5, board_clear=10, minion_damage=1)
    assert actions[0] == hit(B, X)
    assert actions[1].startswith(f"attack {A} -> new.")
    assert len(actions) == 2


def test_my_deathrattle_reaches_the_hero_behind_the_taunt() -> None:
    board = "0 mana | me 30hp: Leper Gnome | enemy 2hp: 2/5 taunt"
    # lethal, 2 on the face by the deathrattle, 2 on the minion by the attack
    assert line(board, 10 + 2 + 2, lethal=10, face_damage=1, minion_damage=1) == [hit(A, X)]


def test_a_spell_on_my_own_minion_sets_its_deathrattle_off() -> None:
    board = "1 mana | me 30hp: Explosive Sheep attacks_left=0 | hand: Arcane Shot | enemy 30hp: 3/2, 3/2"
    # The sheep deals 2 to each; the shot at my own sheep counts for nothing.
    assert line(board, 10 + 4, board_clear=10, minion_damage=1) == [f"{FIRST} -> {A}"]


def test_who_would_fall_by_a_deathrattle_comes_after_it() -> None:
    board = "3 mana | me 30hp | hand: Young Priestess, Crushing Hand | enemy 30hp: Abomination"
    assert line(board, 1 + 2, own_survival=1, card_value=1) == [f"{SECOND} -> {X}", FIRST]


# -- places and mana


def test_a_trade_frees_the_place_for_a_token() -> None:
    crowd = ", ".join(["0/1"] * 6)
    board = f"3 mana | me 30hp: 2/1, {crowd} | hand: Feral Spirit | enemy 30hp: 2/2 taunt"
    assert line(board, 2 + 3, token_worth=1) == [hit(A, X), FIRST]  # one wolf of two finds a place


def test_the_coin_allows_the_second_card() -> None:
    actions = line("3 mana | me 30hp | hand: Darkbomb, The Coin, Darkbomb | enemy 6hp", 10, lethal=10)
    assert sorted(actions) == [f"{FIRST} -> {FACE}", SECOND, f"{THIRD} -> {FACE}"]
    assert actions[2] != SECOND


def test_the_coin_is_kept_where_it_allows_nothing() -> None:
    board = "1 mana | me 30hp | hand: Darkbomb cost=3, The Coin | enemy 30hp"
    assert line(board, 0, face_damage=1, card_value=-1) == []


def test_a_combo_needs_a_card_before_it() -> None:
    board = "3 mana | me 30hp | hand: Eviscerate, Iron Hide | enemy 4hp"
    assert line(board, 10 + 4, lethal=10, face_damage=1) == [SECOND, f"{FIRST} -> {FACE}"]


def test_overload_is_no_price_in_this_turn() -> None:
    state = state_from_text("2 mana | me 30hp | hand: Lightning Bolt, Lightning Bolt | enemy 6hp")
    plan = planned(state, Weights.of({"lethal": 10}), 10)
    assert len(plan.actions) == 2
    assert plan.end.me.overload == 2


def test_the_cheap_heal_or_the_armor_whichever_is_more() -> None:
    hand = "hand: Iron Hide cost=2, Holy Light"
    assert line(f"2 mana | me 20hp | {hand} | enemy 30hp", 28, own_health=1) == [SECOND]  # 8 of the 10 that are missing
    assert line(f"2 mana | me 27hp | {hand} | enemy 30hp", 32, own_health=1) == [FIRST]  # 5 armor, not 3 health


def test_an_echo_is_played_as_often_as_it_can_be_paid() -> None:
    actions = line("7 mana | me 30hp | hand: Phantom Militia | enemy 30hp", 2 - 1, card_value=1, mana_unused=1)
    assert actions[0] == FIRST
    assert actions[1].startswith("play new.")
    assert len(actions) == 2


def test_an_echo_needs_a_place_that_two_deaths_make() -> None:
    board = '4 mana ruleset={"board_limit": 1} | me 30hp: 3/3 | hand: Hunting Mastiff | enemy 30hp: 5/9 poisonous'
    actions = line(board, 2, card_value=1)
    assert actions[:3] == [hit(A, X), FIRST, hit("me.hand.0", X)]
    assert actions[3].startswith("play new.")
    assert len(actions) == 4


# -- the hero


def test_the_hero_power_and_the_weapon_make_an_exact_lethal() -> None:
    board = "1 mana | me 30hp | weapon Fiery War Axe | power Demon Claws | enemy 4hp"
    assert line(board, 10 + 4, lethal=10, face_damage=1) == ["power", hit("me.hero", FACE)]


def test_the_weapon_is_equipped_before_the_swing() -> None:
    board = "3 mana | me 30hp | weapon Wicked Knife | hand: Fiery War Axe | enemy 30hp"
    assert line(board, 3, face_damage=1) == [FIRST, hit("me.hero", FACE)]


def test_the_old_weapon_is_spent_before_the_new_one_where_the_hero_swings_twice() -> None:
    # Knife 1 with its last point, then the hammer's second attack: 1 + 2; the hammer alone gives 2 + 2.
    board = "5 mana | me 30hp | weapon Wicked Knife 1/1 | hand: Doomhammer | enemy 30hp"
    assert line(board, 4, face_damage=1) == [FIRST, hit("me.hero", FACE), hit("me.hero", FACE)]
    # The blade of 6 attacks first, and the hammer gives one more attack.
    board = board.replace("Wicked Knife 1/1", "6/1")
    assert line(board, 6 + 2, face_damage=1) == [hit("me.hero", FACE), FIRST, hit("me.hero", FACE)]


def test_what_ends_the_match_comes_after_all_else_that_counts() -> None:
    board = "2 mana | me 30hp: 3/3 | power Steady Shot | enemy 2hp: 1/9"
    assert line(board, 10 + 3, lethal=10, minion_damage=1) == [hit(A, X), "power"]
    # So does my own death: to a profile that counts cards alone, the card is worth more than the match.
    board = "2 mana | me 3hp fatigue=2: 3/3 | hand: Novice Engineer | enemy 30hp: 1/9"
    assert line(board, 10 + 3, card_value=10, minion_damage=1) == [hit(A, X), FIRST]


# -- what the enemy will do


def test_frost_goes_where_most_damage_is_to_come_from() -> None:
    board = "2 mana | me 30hp | hand: Frostbolt | enemy 30hp: 5/5, 3/5 windfury"
    assert line(board, -5, damage_to_come=1) == [f"{FIRST} -> {Y}"]


def test_an_attack_that_freezes_stops_what_it_cannot_kill() -> None:
    board = "0 mana | me 30hp: Water Elemental | enemy 30hp: 5/9, 4/3"
    # Killing the 4/3 leaves 5 to come, freezing the 5/9 leaves 4.
    assert line(board, -4, damage_to_come=1) == [hit(A, X)]


# -- the end of the turn


def test_an_effect_at_the_end_of_the_turn_kills_where_nothing_else_is_left_to_hit() -> None:
    # With the minion there the firelord kills in half of the cases; without it he has only the hero.
    state = state_from_text("0 mana | me 30hp: 1/1, Ragnaros the Firelord | enemy 8hp: 0/1")
    plan = planned(state, Weights.of({"lethal": 100}), 100)
    assert texts(plan) == [hit(A, X)]
    assert plan.lethal


def test_who_dies_at_the_end_of_the_turn_attacks_before_it() -> None:
    board = "2 mana | me 30hp | power Ghoul Charge | enemy 30hp: 3/1"
    actions = line(board, 1 + 10, minion_damage=1, board_clear=10, token_worth=-100)
    assert actions[0] == "power"
    assert actions[1].startswith("attack new.")


# -- what is not known yet


def test_a_draw_is_the_first_thing_that_reveals_something() -> None:
    state = state_from_text("2 mana | me 30hp | hand: Arcane Intellect, The Coin | deck: 5 | enemy 30hp")
    plan = planned(state, Weights.of({"cards_drawn": 1}), 2)
    assert texts(plan) == [SECOND, FIRST]
    assert plan.reveals == 1
    assert plan.to_dict()["reveals"] == 1


def test_a_deathrattle_that_draws_reveals_something() -> None:
    state = state_from_text("0 mana | me 30hp: Loot Hoarder | deck: 5 | enemy 30hp: 1/3")
    plan = planned(state, Weights.of({"cards_drawn": 1}), 1)
    assert (texts(plan), plan.reveals) == ([hit(A, X)], 0)


def test_nothing_is_revealed_where_nothing_is_drawn_or_rolled() -> None:
    state = state_from_text("4 mana | me 30hp: 2/2 | hand: Fireball | deck: 5 | enemy 30hp")
    plan = planned(state, Weights.of({"face_damage": 1}), 8)
    assert plan.reveals is None
    assert plan.to_dict()["reveals"] is None


def test_dice_come_last() -> None:
    # Each missile hits the 1/1, while it stands, in half of the cases: it dies in 7 of 8, and 3 - 7/8 hit the hero.
    state = state_from_text("1 mana | me 30hp: 2/2 | hand: Arcane Missiles | enemy 30hp: 1/1")
    plan = planned(state, Weights.of({"face_damage": 5, "board_clear": 8}), 5 * 2 + 5 * (3 - 7 / 8) + 8 * 7 / 8)
    assert texts(plan) == [hit(A, FACE), FIRST]
    assert plan.reveals == 1


def test_a_body_is_played_before_the_dice_and_both_are_paid() -> None:
    board = "4 mana | me 30hp | hand: Kobold Apprentice, Frazzled Freshman | enemy 30hp: 4/4"
    assert line(board, 1 + 4, own_survival=1) == [SECOND, FIRST]


def test_dice_are_not_rolled_where_the_certain_is_better() -> None:
    # A hit in the face for each missile, once the minion is gone; before that one of them could be lost on it.
    board = "1 mana | me 30hp: 2/2 | hand: Arcane Missiles | enemy 3hp: 1/2 taunt"
    assert line(board, 10, lethal=10) == [hit(A, X), FIRST]
