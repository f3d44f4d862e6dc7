"""The terms of turns with card effects, worked out by hand, and the evaluator compared with the replay."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.resolve import IllegalActionError
from planner.games.hearthstone.rules.state_text import action_from_text, state_from_text
from planner.games.hearthstone.turn.exhaustive_search import allowed_actions
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Rule, Weights
from planner.games.hearthstone.turn.scoring import Amount, Earned, Evaluator, replay
from planner.planning.search import Ending, Score
from tests.games.hearthstone.turn.random_effects import effect_case

PLAY, HIT, FACE = "play me.hand.0", "attack me.board.0 -> enemy.board.0", "enemy.hero"
BURNER = (
    'cards: {"name": "Burner", "cost": 1, "attack": 1, "health": 1,'
    ' "effects": [{"do": "damage", "amount": 1, "to": "friendly hero", "on": "turn_end"}]}'
)


def earned(state: str, *actions: str) -> Earned:
    return replay(state_from_text(state), [action_from_text(action) for action in actions])


def amounts(state: str, *actions: str, terms: str) -> dict[str, Amount]:
    """Return the amounts of these terms after these actions."""
    all_amounts = earned(state, *actions).amounts
    return {term: all_amounts[term] for term in terms.split()}


def damage(state: str, *actions: str) -> tuple[Amount, Amount]:
    """Return the damage to the enemy hero and to enemy minions."""
    all_amounts = earned(state, *actions).amounts
    return all_amounts["face_damage"], all_amounts["minion_damage"]


# -- damage by effects


@pytest.mark.parametrize("hero", ["30hp", "30hp armor=9", "2hp"])
def test_a_spell_on_the_hero_counts_in_full_with_armor_and_with_overkill(hero: str) -> None:
    assert damage(f"4 mana | me 30hp | hand: Fireball | enemy {hero}", f"{PLAY} -> {FACE}") == (6, 0)


@pytest.mark.parametrize("target", ["3/9", "3/1", "3/9 divine_shield", "3/1 reborn"])
def test_a_spell_on_a_minion_counts_in_full_with_a_shield_and_with_overkill(target: str) -> None:
    assert damage(f"4 mana | me 30hp | hand: Fireball | enemy 30hp: {target}", f"{PLAY} -> enemy.board.0") == (0, 6)


def test_spell_damage_counts_and_area_damage_counts_per_target() -> None:
    state = "10 mana | me 30hp: Kobold Geomancer | hand: Consecration | enemy 30hp: 1/1, 2/9"
    assert damage(state, PLAY) == (3, 6)


def test_damage_to_an_immune_minion_does_not_count() -> None:
    assert damage("4 mana | me 30hp | hand: Consecration | enemy 30hp immune: 1/1, 2/9 immune", PLAY) == (0, 2)


def test_damage_to_my_own_side_does_not_count() -> None:
    assert damage("4 mana | me 30hp: 1/1, 2/9 | hand: Hellfire | enemy 30hp: 2/2", PLAY) == (3, 3)


def test_battlecries_and_hero_powers_count() -> None:
    state = "9 mana | me 30hp | power Fireblast | hand: Nightblade | enemy 30hp: 2/2"
    assert damage(state, PLAY, "power -> enemy.board.0") == (3, 1)


def test_my_deathrattle_counts_and_the_enemys_does_not() -> None:
    # The attack's 1, and my sheep's 2 to each of two minions.
    assert damage("0 mana | me 30hp: Explosive Sheep | enemy 30hp: 2/9, 2/9", HIT) == (0, 1 + 4)
    # The attack's 3; the damage of the enemy's sheep to the other enemy minion does not count.
    assert damage("0 mana | me 30hp: 3/9 | enemy 30hp: Explosive Sheep, 2/9", HIT) == (0, 3)


def test_destroy_and_poisonous_add_no_damage() -> None:
    assert damage("8 mana | me 30hp: 1/1 | hand: Twisting Nether | enemy 30hp: 7/7", PLAY) == (0, 0)
    assert damage("0 mana | me 30hp: 1/1 poisonous | enemy 30hp: 7/7", HIT) == (0, 1)


def test_a_hero_attack_counts_weapon_and_temporary_attack() -> None:
    state = "1 mana | me 30hp | weapon Fiery War Axe | power Demon Claws | enemy 30hp: 2/1"
    assert damage(state, "power", "attack me.hero -> enemy.board.0") == (0, 4)


def test_effects_at_the_end_of_the_turn_count() -> None:
    assert damage("0 mana | me 30hp: Ragnaros the Firelord | enemy 9hp armor=2") == (8, 0)


def test_only_attacks_count_as_damage_taken() -> None:
    state = "4 mana | me 30hp: 2/2 | hand: Fireball | enemy 30hp: 3/6, 5/5"
    assert amounts(state, f"{PLAY} -> enemy.board.0", terms="damage_taken") == {"damage_taken": 0}
    assert amounts(state, "attack me.board.0 -> enemy.board.1", terms="damage_taken") == {"damage_taken": 5}


# -- survival and threat


def test_survival_counts_the_health_at_the_start_of_the_turn() -> None:
    state = "9 mana | me 30hp: Chillwind Yeti 4/3, 2/2 reborn | hand: Power Infusion | enemy 30hp: 1/9, 2/9"
    hits = (HIT, "attack me.board.1 -> enemy.board.1")
    assert amounts(state, f"{PLAY} -> me.board.0", *hits, terms="own_survival") == {"own_survival": 3 + 2}


def test_survival_counts_printed_health_of_hand_cards_and_no_tokens() -> None:
    state = "9 mana | me 30hp | hand: Murloc Tidehunter, Feral Spirit | enemy 30hp"
    assert amounts(state, PLAY, "play me.hand.1", terms="own_survival") == {"own_survival": 1}


def test_a_magnetic_card_adds_no_survival() -> None:
    state = "1 mana | me 30hp: Annoy-o-Tron | hand: Skaterbot | enemy 30hp"
    assert amounts(state, f"{PLAY} -> me.board.0", terms="own_survival card_value") == {
        "own_survival": 2, "card_value": 1,
    }  # fmt: skip


def test_a_minion_that_dies_at_the_end_of_the_turn_does_not_survive() -> None:
    assert amounts("0 mana | me 30hp: Imp Master 1/1, 1/1 | enemy 30hp", terms="own_survival") == {"own_survival": 1}


def test_the_last_enemy_may_die_at_the_end_of_the_turn() -> None:
    state = (
        "0 mana | me 30hp: Drizzle | enemy 30hp: 4/1, 3/2 | "
        'cards: {"name": "Drizzle", "cost": 1, "attack": 1, "health": 9,'
        ' "effects": [{"do": "damage", "amount": 1, "to": "all enemy minions", "on": "turn_end"}]}'
    )
    after = {"board_clear": 0, "enemy_threat": 3, "minion_damage": 2}
    assert amounts(state, terms="board_clear enemy_threat minion_damage") == after
    after = {"board_clear": 1, "enemy_threat": 0, "minion_damage": 3}
    assert amounts(state, "attack me.board.0 -> enemy.board.1", terms="board_clear enemy_threat minion_damage") == after


def test_end_of_turn_effects_do_not_count_after_the_match_is_over() -> None:
    state = "4 mana | me 30hp: Ragnaros the Firelord | hand: Fireball | enemy 6hp"
    assert damage(state, f"{PLAY} -> {FACE}") == (6, 0)


def test_threat_is_the_attack_in_the_enemys_next_turn() -> None:
    state = "9 mana | me 30hp | hand: Abusive Sergeant, Blessing of Might, Silence | enemy 30hp: 4/4, Harvest Golem"
    temporary, permanent = f"{PLAY} -> enemy.board.0", "play me.hand.1 -> enemy.board.0"
    assert amounts(state, temporary, terms="enemy_threat") == {"enemy_threat": 4 + 2}
    assert amounts(state, temporary, permanent, terms="enemy_threat") == {"enemy_threat": 4 + 3 + 2}
    silenced = amounts(state, temporary, permanent, "play me.hand.2 -> enemy.board.0", terms="enemy_threat")
    assert silenced == {"enemy_threat": 4 + 2}


def test_a_temporary_attack_debuff_does_not_lower_the_threat() -> None:
    state = (
        "1 mana | me 30hp | hand: Shrink | enemy 30hp: 4/4, 1/1 | "
        'cards: {"name": "Shrink", "type": "spell", "cost": 1,'
        ' "effects": [{"do": "buff", "attack": -2, "this_turn": true, "to": "all enemy minions"}]}'
    )
    assert amounts(state, PLAY, terms="enemy_threat damage_to_come") == {"enemy_threat": 5, "damage_to_come": 5}


def test_minions_summoned_by_a_deathrattle_add_to_the_threat() -> None:
    state = "4 mana | me 30hp | hand: Fireball | enemy 30hp: Savannah Highmane 6/5"
    after = amounts(state, f"{PLAY} -> enemy.board.0", terms="board_clear enemy_threat")
    assert after == {"board_clear": 0, "enemy_threat": 4}


def test_every_played_card_counts_its_value_and_a_trade_does_not() -> None:
    hand = "Fireball value=0.5, Fiery War Axe value=3, The Coin, Guild Trader"
    state = f"9 mana | me 30hp | hand: {hand} | deck: 3 | enemy 30hp"
    actions = (f"{PLAY} -> {FACE}", "play me.hand.1", "play me.hand.2", "trade me.hand.3")
    assert amounts(state, *actions, terms="card_value") == {"card_value": 4.5}


# -- the replay


def test_the_replay_refuses_illegal_actions() -> None:
    with pytest.raises(IllegalActionError, match="Fireball costs 4, you have 3 mana"):
        earned("3 mana | me 30hp | hand: Fireball | enemy 30hp", f"{PLAY} -> {FACE}")
    with pytest.raises(IllegalActionError, match="the match is over"):
        earned("4 mana | me 30hp: 1/1 | hand: Fireball | enemy 6hp: 1/1", f"{PLAY} -> {FACE}", HIT)


def test_the_replay_refuses_actions_after_a_random_effect() -> None:
    with pytest.raises(IllegalActionError, match="chance decides"):
        earned("1 mana | me 30hp: 1/1 | hand: Arcane Missiles | enemy 30hp: 1/1", PLAY, HIT)


def test_decimal_weights_are_exact() -> None:
    result = earned("4 mana | me 30hp: 1/1 | hand: Fireball value=0.1 | enemy 30hp: 3/9", f"{PLAY} -> enemy.board.0")
    weights = Weights.of({"minion_damage": 0.1, "enemy_threat": 0.7, "card_value": 0.3, "own_survival": -1})
    assert (
        result.scaled_score(weights)
        == (Fraction("0.6") - Fraction("2.1") + Fraction("0.03") - 1) * weights.integer_scale()
    )
    terms = {"minion_damage": 0.6, "enemy_threat": -2.1, "card_value": 0.03, "own_survival": -1}
    assert result.contributions(weights) == pytest.approx(dict.fromkeys(TERMS, 0) | terms)


# -- the evaluator, which scores action by action


def test_the_evaluator_equals_the_replay() -> None:
    """On random walks, the scores of the actions and of the end add up to the score of the replay."""
    random_ends = 0
    for seed in range(300):
        rng = Random(seed)
        state, weights = effect_case(seed)
        evaluator = Evaluator(state, weights)
        actions: list[Action] = []
        current = state
        total: Score = 0
        while rng.random() < 0.85 and (choices := list(allowed_actions(current, weights))):
            actions.append(rng.choice(choices))
            transition = evaluator.certain(current, actions[-1])
            if transition is None:
                ending = evaluator.expected(current, actions[-1])
                random_ends += 1
                break
            total, current = total + transition[0], transition[1]
        else:
            ending = evaluator.ending(current)
        assert ending is not None
        total += ending.score
        assert replay(state, actions).scaled_score(weights) == total, f"seed {seed}: {actions}"
    assert random_ends > 10


def test_a_rule_applies_after_end_of_turn_effects() -> None:
    state = state_from_text(f"1 mana | me 1hp | hand: Burner | enemy 30hp | {BURNER}")
    evaluator = Evaluator(state, Weights(card_value=1, forbid=(Rule("own_hero_death"),)))
    transition = evaluator.certain(state, action_from_text(PLAY))
    assert transition is not None
    assert evaluator.ending(transition[1]) is None
    assert evaluator.ending(state) == Ending(0, 1)
