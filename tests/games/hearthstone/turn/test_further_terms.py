"""Six of the extra terms: what each counts, and the best plan for each term alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

from planner import plan_turn
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.state_text import action_from_text, action_to_text, state_from_text
from planner.games.hearthstone.turn.hearthstone_weights import EXTRA_TERMS, TERM_SIGNS, TERMS, Weights
from planner.games.hearthstone.turn.scoring import Amount, replay
from tests.build import THESIS_PROFILES
from tests.games.hearthstone.exhaustive import best_by_search

PLAY, HIT, HERO_ATTACK = "play me.hand.0", "attack me.board.0 -> enemy.board.0", "attack me.hero -> enemy.hero"


def amount(term: str, state: str, *actions: str) -> Amount:
    """Return the amount of the term after these actions, without weight and sign."""
    return replay(state_from_text(state), [action_from_text(action) for action in actions]).amounts[term]


# -- what each term counts


def test_own_health_is_health_and_armor_at_the_end() -> None:
    state = "9 mana | me 20hp armor=3 | weapon Fiery War Axe | hand: Iron Hide, Holy Light | enemy 30hp: 4/9"
    assert amount("own_health", state) == 23
    assert amount("own_health", state, PLAY) == 28
    assert amount("own_health", state, "play me.hand.1") == 31
    assert amount("own_health", state, "attack me.hero -> enemy.board.0", PLAY, "play me.hand.1") == 23 - 4 + 5 + 8


def test_own_health_of_a_dead_hero_is_zero() -> None:
    assert amount("own_health", "4 mana | me 1hp | hand: Hellfire | enemy 30hp", PLAY) == 0


def test_own_health_falls_with_fatigue() -> None:
    state = "3 mana | me 20hp fatigue=2 | hand: Arcane Intellect | enemy 30hp"
    assert amount("own_health", state, PLAY) == 20 - 3 - 4


def test_damage_to_come_is_the_damage_of_enemy_minions_in_a_turn() -> None:
    minions = "2/2, 3/3 windfury, 1/8 mega_windfury, 0/4 taunt"
    assert amount("damage_to_come", f"0 mana | me 30hp | enemy 30hp: {minions}") == 2 + 6 + 4


@pytest.mark.parametrize("keyword", ["frozen", "cannot_attack"])
def test_damage_to_come_excludes_minions_that_cannot_attack(keyword: str) -> None:
    assert amount("damage_to_come", f"0 mana | me 30hp | enemy 30hp: 5/5 {keyword}, 2/2") == 2


def test_damage_to_come_excludes_temporary_attack() -> None:
    state = "1 mana | me 30hp | hand: Abusive Sergeant | enemy 30hp: 3/3 windfury"
    assert amount("damage_to_come", state, f"{PLAY} -> enemy.board.0") == 6


@pytest.mark.parametrize("keyword", ["frozen", "cannot_attack", "windfury"])
def test_damage_to_come_ignores_keywords_of_this_turn(keyword: str) -> None:
    state = f'0 mana | me 30hp | enemy 30hp: 5/5 {keyword} keywords_this_turn=["{keyword}"]'
    assert amount("damage_to_come", state) == 5
    plan = plan_turn(state_from_text(state), weights={"damage_to_come": 1})
    assert (plan.solver, plan.claimed, plan.objective, plan.bound) == ("engine", -5, -5, -5)


def test_damage_to_come_includes_a_silenced_minion_that_could_not_attack() -> None:
    state = "0 mana | me 30hp | hand: Silence | enemy 30hp: Ancient Watcher"
    assert amount("damage_to_come", state) == 0
    assert amount("damage_to_come", state, f"{PLAY} -> enemy.board.0") == 4


def test_cards_drawn_counts_cards_that_reach_the_hand() -> None:
    hand = "Arcane Intellect, Novice Engineer"
    assert amount("cards_drawn", f"9 mana | me 30hp | hand: {hand} | deck: 9 | enemy 30hp", PLAY, "play me.hand.1") == 3
    assert amount("cards_drawn", f"9 mana | me 30hp | hand: {hand} | deck: 1 | enemy 30hp", PLAY) == 1  # then fatigue
    full = f"9 mana | me 30hp | hand: {hand}, {', '.join(['Wisp'] * 8)} | deck: 9 | enemy 30hp"
    assert amount("cards_drawn", full, PLAY) == 1  # the other card is burnt


def test_cards_drawn_counts_deathrattles_trades_and_end_of_turn_effects() -> None:
    state = "1 mana | me 30hp: Loot Hoarder, Mana Tide Totem | hand: Guild Trader | deck: 9 | enemy 30hp: 2/2"
    assert amount("cards_drawn", state) == 1
    assert amount("cards_drawn", state, HIT, "trade me.hand.0") == 3
    assert amount("cards_drawn", "0 mana | me 30hp: 3/3 | deck: 9 | enemy 30hp: Loot Hoarder | deck: 9", HIT) == 0


def test_cards_drawn_excludes_echo_copies() -> None:
    assert amount("cards_drawn", "3 mana | me 30hp | hand: Phantom Militia | deck: 9 | enemy 30hp", PLAY) == 0


def test_mana_unused_is_the_mana_at_the_end_of_the_turn() -> None:
    state = "5 mana | me 30hp | power Armor Up! | hand: The Coin, Wild Growth | enemy 30hp"
    assert amount("mana_unused", state) == 5
    assert amount("mana_unused", state, "power") == 3
    assert amount("mana_unused", state, "power", PLAY) == 4
    assert amount("mana_unused", state, "play me.hand.1") == 2  # the new crystal is empty


def test_weapon_durability_is_that_of_the_equipped_weapon_at_the_end() -> None:
    state = "5 mana | me 30hp | weapon Wicked Knife 1/1 | hand: Fiery War Axe | enemy 30hp"
    assert amount("weapon_durability", state) == 1
    assert amount("weapon_durability", state, HERO_ATTACK) == 0
    assert amount("weapon_durability", state, HERO_ATTACK, PLAY) == 2
    assert amount("weapon_durability", state, PLAY, HERO_ATTACK) == 1


def test_token_worth_is_attack_plus_health() -> None:
    state = "9 mana | me 30hp: 5/5 | power Reinforce | hand: Feral Spirit, Raid Leader | enemy 30hp"
    assert amount("token_worth", state) == 0
    assert amount("token_worth", state, "power", PLAY) == 2 + 5 + 5
    assert amount("token_worth", state, "power", "play me.hand.1") == 2 + 1  # under the leader's aura


def test_token_worth_includes_deathrattles_and_end_of_turn_effects() -> None:
    assert amount("token_worth", "0 mana | me 30hp: Harvest Golem | enemy 30hp: 3/9", HIT) == 2 + 1
    assert amount("token_worth", "0 mana | me 30hp: Imp Master | enemy 30hp") == 2
    assert amount("token_worth", "2 mana | me 30hp | power Ghoul Charge | enemy 30hp", "power") == 0


def test_token_worth_excludes_reborn_minions_and_hand_cards() -> None:
    assert amount("token_worth", "0 mana | me 30hp: 2/2 reborn | enemy 30hp: 3/9", HIT) == 0
    assert amount("token_worth", "2 mana | me 30hp | hand: Murloc Tidehunter | enemy 30hp", PLAY) == 2


def test_token_worth_includes_echo_copies_on_the_board() -> None:
    state = "6 mana | me 30hp | hand: Phantom Militia | enemy 30hp"
    after = replay(state_from_text(state), [action_from_text(PLAY)]).end
    (copy,) = after.me.hand
    assert amount("token_worth", state, PLAY, f"play {copy.id}") == 2 + 4


def test_amounts_of_random_effects_are_expectations() -> None:
    # One of four totems: 0/2, 1/1, 0/2 and 0/2.
    assert amount("token_worth", "2 mana | me 30hp | power Totemic Call | enemy 30hp", "power") == 2
    # Three missiles of my bomber on three targets: each hits my hero with probability 1/3.
    state = "2 mana | me 20hp armor=1 | hand: Mad Bomber | enemy 30hp: 1/9"
    assert amount("own_health", state, PLAY) == 21 - 1
    # Killing the windfury minion prevents two attacks of 2 damage.
    state = "1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp: 2/1 windfury"
    assert amount("damage_to_come", state, PLAY) == Fraction(4, 8)


# -- weights and costs


BEST_PLANS = {
    "own_health": ("2 mana | me 20hp | power Armor Up! | hand: Flame Imp | enemy 30hp", 22, ["power"]),
    "damage_to_come": ("3 mana | me 30hp | hand: Frost Nova | enemy 30hp: 3/3, 4/4", 0, [PLAY]),
    "cards_drawn": ("3 mana | me 30hp | hand: Arcane Intellect | deck: 9 | enemy 30hp", 2, [PLAY]),
    "mana_unused": ("4 mana | me 30hp | power Armor Up! | hand: Flame Imp, Darkbomb cost=3 | enemy 3hp", 0, None),
    "weapon_durability": ("3 mana | me 30hp | weapon Wicked Knife 1/1 | hand: Fiery War Axe | enemy 9hp", 2, [PLAY]),
    "token_worth": ("0 mana | me 30hp: Savannah Highmane | enemy 30hp: 6/9, 4/4", 8, [HIT]),
}


def test_thesis_profiles_have_no_extra_terms() -> None:
    state = state_from_text("5 mana | me 20hp | weapon Fiery War Axe | enemy 30hp: 3/3")
    for profile in THESIS_PROFILES:
        weights = Weights.of(profile)
        assert not set(weights.terms()) & set(EXTRA_TERMS)
        assert set(replay(state, []).contributions(weights)) == set(TERMS)


@pytest.mark.parametrize("term", BEST_PLANS)
def test_sign_of_each_term(term: str) -> None:
    state = state_from_text(
        "5 mana | me 20hp: Imp Master, Mana Tide Totem | weapon Fiery War Axe | deck: 3 | enemy 30hp: 3/3"
    )
    counted = {
        "own_health": 20, "damage_to_come": -3, "cards_drawn": 1,
        "mana_unused": -5, "weapon_durability": 2, "token_worth": 2,
    }  # fmt: skip
    weights = Weights.of({term: 0.5})
    assert replay(state, []).contributions(weights) == dict.fromkeys(TERMS, 0) | {term: counted[term] / 2}
    assert TERM_SIGNS[term] == (1 if counted[term] > 0 else -1)


# -- the best plan for each term


@pytest.mark.parametrize("term", BEST_PLANS)
def test_best_plan_for_a_single_term(term: str) -> None:
    state, objective, line = BEST_PLANS[term]
    plan = plan_turn(state_from_text(state), Weights.of({term: 1}))
    assert (plan.status, plan.objective, plan.bound) == ("optimal", objective, objective)
    assert plan.terms[term] == objective
    assert line is None or [action_to_text(action) for action in plan.actions] == line


def test_a_negative_weight_reverses_a_term() -> None:
    state = state_from_text("3 mana | me 30hp | power Life Tap | hand: Flame Imp | deck: 9 | enemy 30hp")
    plan = plan_turn(state, Weights.of({"own_health": -1}))
    assert plan.objective == -(30 - 2 - 3)
    assert len(plan.actions) == 2


def test_the_next_card_is_hidden_even_if_the_state_names_it() -> None:
    state = state_from_text("5 mana | me 30hp | hand: Novice Engineer (1) 1/1 | deck: Fireball | enemy 30hp")
    weights = Weights.of({"face_damage": 1, "cards_drawn": 0.5})
    plan = plan_turn(state, weights)
    assert float(best_by_search(observe(state, state.seat), weights)[0]) == plan.objective == 0.5
    assert [action_to_text(action) for action in plan.actions] == [PLAY]
