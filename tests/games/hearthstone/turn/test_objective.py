"""What a turn with texts earns, against numbers worked out by hand, and the judge against the replay."""

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
    """What these actions earn of these terms."""
    found = earned(state, *actions).amounts
    return {term: found[term] for term in terms.split()}


def damage(state: str, *actions: str) -> tuple[Amount, Amount]:
    """Damage to the enemy hero and to enemy minions."""
    found = earned(state, *actions).amounts
    return found["face_damage"], found["minion_damage"]


# -- damage by effects


@pytest.mark.parametrize("hero", ["30hp", "30hp armor=9", "2hp"])
def test_a_spell_on_the_hero_counts_whole_whatever_armor_takes_and_however_little_is_left(hero: str) -> None:
    assert damage(f"4 mana | me 30hp | hand: Fireball | enemy {hero}", f"{PLAY} -> {FACE}") == (6, 0)


@pytest.mark.parametrize("target", ["3/9", "3/1", "3/9 divine_shield", "3/1 reborn"])
def test_a_spell_on_a_minion_counts_whole_whatever_a_shield_takes(target: str) -> None:
    assert damage(f"4 mana | me 30hp | hand: Fireball | enemy 30hp: {target}", f"{PLAY} -> enemy.board.0") == (0, 6)


def test_spell_damage_is_part_of_it_and_an_area_counts_for_each() -> None:
    state = "10 mana | me 30hp: Kobold Geomancer | hand: Consecration | enemy 30hp: 1/1, 2/9"
    assert damage(state, PLAY) == (3, 6)


def test_damage_to_an_immune_minion_does_not_count() -> None:
    assert damage("4 mana | me 30hp | hand: Consecration | enemy 30hp immune: 1/1, 2/9 immune", PLAY) == (0, 2)


def test_harm_to_my_own_side_counts_nothing() -> None:
    assert damage("4 mana | me 30hp: 1/1, 2/9 | hand: Hellfire | enemy 30hp: 2/2", PLAY) == (3, 3)


def test_battlecries_and_hero_powers_count() -> None:
    state = "9 mana | me 30hp | power Fireblast | hand: Nightblade | enemy 30hp: 2/2"
    assert damage(state, PLAY, "power -> enemy.board.0") == (3, 1)


def test_my_deathrattle_counts_and_the_enemys_does_not() -> None:
    # The attack's 1, and my sheep's 2 on each of two.
    assert damage("0 mana | me 30hp: Explosive Sheep | enemy 30hp: 2/9, 2/9", HIT) == (0, 1 + 4)
    # The attack's 3; what the enemy's sheep does to its friend is not my work.
    assert damage("0 mana | me 30hp: 3/9 | enemy 30hp: Explosive Sheep, 2/9", HIT) == (0, 3)


def test_death_by_destruction_or_poison_is_no_damage() -> None:
    assert damage("8 mana | me 30hp: 1/1 | hand: Twisting Nether | enemy 30hp: 7/7", PLAY) == (0, 0)
    assert damage("0 mana | me 30hp: 1/1 poisonous | enemy 30hp: 7/7", HIT) == (0, 1)


def test_the_swing_of_the_hero_counts_its_weapon_and_what_it_has_for_this_turn() -> None:
    state = "1 mana | me 30hp | weapon Fiery War Axe | power Demon Claws | enemy 30hp: 2/1"
    assert damage(state, "power", "attack me.hero -> enemy.board.0") == (0, 4)


def test_effects_at_the_end_of_the_turn_count() -> None:
    assert damage("0 mana | me 30hp: Ragnaros the Firelord | enemy 9hp armor=2") == (8, 0)


def test_only_attacks_cause_damage_in_return() -> None:
    state = "4 mana | me 30hp: 2/2 | hand: Fireball | enemy 30hp: 3/6, 5/5"
    assert amounts(state, f"{PLAY} -> enemy.board.0", terms="damage_taken") == {"damage_taken": 0}
    assert amounts(state, "attack me.board.0 -> enemy.board.1", terms="damage_taken") == {"damage_taken": 5}


# -- who lives, and what that counts


def test_survival_counts_the_health_at_the_start_whatever_happens_to_it() -> None:
    state = "9 mana | me 30hp: Chillwind Yeti 4/3, 2/2 reborn | hand: Power Infusion | enemy 30hp: 1/9, 2/9"
    hits = (HIT, "attack me.board.1 -> enemy.board.1")
    assert amounts(state, f"{PLAY} -> me.board.0", *hits, terms="own_survival") == {"own_survival": 3 + 2}


def test_survival_counts_what_is_printed_in_hand_and_nothing_for_tokens() -> None:
    state = "9 mana | me 30hp | hand: Murloc Tidehunter, Feral Spirit | enemy 30hp"
    assert amounts(state, PLAY, "play me.hand.1", terms="own_survival") == {"own_survival": 1}


def test_a_card_that_merges_is_no_minion_of_its_own() -> None:
    state = "1 mana | me 30hp: Annoy-o-Tron | hand: Skaterbot | enemy 30hp"
    assert amounts(state, f"{PLAY} -> me.board.0", terms="own_survival card_value") == {
        "own_survival": 2, "card_value": 1,
    }  # fmt: skip


def test_who_dies_at_the_end_of_the_turn_has_not_survived() -> None:
    assert amounts("0 mana | me 30hp: Imp Master 1/1, 1/1 | enemy 30hp", terms="own_survival") == {"own_survival": 1}


def test_the_last_enemy_may_fall_at_the_end_of_the_turn() -> None:
    state = (
        "0 mana | me 30hp: Drizzle | enemy 30hp: 4/1, 3/2 | "
        'cards: {"name": "Drizzle", "cost": 1, "attack": 1, "health": 9,'
        ' "effects": [{"do": "damage", "amount": 1, "to": "all enemy minions", "on": "turn_end"}]}'
    )
    after = {"board_clear": 0, "enemy_threat": 3, "minion_damage": 2}
    assert amounts(state, terms="board_clear enemy_threat minion_damage") == after
    after = {"board_clear": 1, "enemy_threat": 0, "minion_damage": 3}
    assert amounts(state, "attack me.board.0 -> enemy.board.1", terms="board_clear enemy_threat minion_damage") == after


def test_an_effect_that_waits_for_its_turn_comes_too_late_when_the_match_is_over() -> None:
    state = "4 mana | me 30hp: Ragnaros the Firelord | hand: Fireball | enemy 6hp"
    assert damage(state, f"{PLAY} -> {FACE}") == (6, 0)


def test_threat_is_what_will_be_there_in_the_enemys_turn() -> None:
    state = "9 mana | me 30hp | hand: Abusive Sergeant, Blessing of Might, Silence | enemy 30hp: 4/4, Harvest Golem"
    for_a_turn, for_good = f"{PLAY} -> enemy.board.0", "play me.hand.1 -> enemy.board.0"
    assert amounts(state, for_a_turn, terms="enemy_threat") == {"enemy_threat": 4 + 2}
    assert amounts(state, for_a_turn, for_good, terms="enemy_threat") == {"enemy_threat": 4 + 3 + 2}
    silenced = amounts(state, for_a_turn, for_good, "play me.hand.2 -> enemy.board.0", terms="enemy_threat")
    assert silenced == {"enemy_threat": 4 + 2}


def test_attack_that_was_taken_for_this_turn_comes_back() -> None:
    state = (
        "1 mana | me 30hp | hand: Shrink | enemy 30hp: 4/4, 1/1 | "
        'cards: {"name": "Shrink", "type": "spell", "cost": 1,'
        ' "effects": [{"do": "buff", "attack": -2, "this_turn": true, "to": "all enemy minions"}]}'
    )
    assert amounts(state, PLAY, terms="enemy_threat damage_to_come") == {"enemy_threat": 5, "damage_to_come": 5}


def test_who_comes_out_of_a_deathrattle_threatens() -> None:
    state = "4 mana | me 30hp | hand: Fireball | enemy 30hp: Savannah Highmane 6/5"
    after = amounts(state, f"{PLAY} -> enemy.board.0", terms="board_clear enemy_threat")
    assert after == {"board_clear": 0, "enemy_threat": 4}


def test_every_card_played_counts_its_value_and_a_trade_is_none() -> None:
    hand = "Fireball value=0.5, Fiery War Axe value=3, The Coin, Guild Trader"
    state = f"9 mana | me 30hp | hand: {hand} | deck: 3 | enemy 30hp"
    actions = (f"{PLAY} -> {FACE}", "play me.hand.1", "play me.hand.2", "trade me.hand.3")
    assert amounts(state, *actions, terms="card_value") == {"card_value": 4.5}


# -- the replay


def test_the_replay_refuses_what_the_referee_refuses() -> None:
    with pytest.raises(IllegalActionError, match="Fireball costs 4, you have 3 mana"):
        earned("3 mana | me 30hp | hand: Fireball | enemy 30hp", f"{PLAY} -> {FACE}")
    with pytest.raises(IllegalActionError, match="the match is over"):
        earned("4 mana | me 30hp: 1/1 | hand: Fireball | enemy 6hp: 1/1", f"{PLAY} -> {FACE}", HIT)


def test_the_replay_refuses_what_comes_after_dice() -> None:
    with pytest.raises(IllegalActionError, match="chance decides"):
        earned("1 mana | me 30hp: 1/1 | hand: Arcane Missiles | enemy 30hp: 1/1", PLAY, HIT)


def test_weights_are_taken_as_written() -> None:
    found = earned("4 mana | me 30hp: 1/1 | hand: Fireball value=0.1 | enemy 30hp: 3/9", f"{PLAY} -> enemy.board.0")
    weights = Weights.of({"minion_damage": 0.1, "enemy_threat": 0.7, "card_value": 0.3, "own_survival": -1})
    assert (
        found.scaled_score(weights)
        == (Fraction("0.6") - Fraction("2.1") + Fraction("0.03") - 1) * weights.integer_scale()
    )
    terms = {"minion_damage": 0.6, "enemy_threat": -2.1, "card_value": 0.03, "own_survival": -1}
    assert found.contributions(weights) == pytest.approx(dict.fromkeys(TERMS, 0) | terms)


# -- the judge, who counts step by step


def test_the_judge_counts_what_the_replay_counts() -> None:
    """Random walks through random turns: the steps and the end together are what the replay earns."""
    dice = 0
    for seed in range(300):
        rng = Random(seed)
        state, weights = effect_case(seed)
        judge = Evaluator(state, weights)
        actions: list[Action] = []
        now = state
        total: Score = 0
        while rng.random() < 0.85 and (choice := list(allowed_actions(now, weights))):
            actions.append(rng.choice(choice))
            found = judge.certain(now, actions[-1])
            if found is None:
                ended = judge.expected(now, actions[-1])
                dice += 1
                break
            total, now = total + found[0], found[1]
        else:
            ended = judge.ending(now)
        assert ended is not None
        total += ended.score
        assert replay(state, actions).scaled_score(weights) == total, f"seed {seed}: {actions}"
    assert dice > 10


def test_a_rule_looks_at_the_end_after_the_last_effects() -> None:
    state = state_from_text(f"1 mana | me 1hp | hand: Burner | enemy 30hp | {BURNER}")
    judge = Evaluator(state, Weights(card_value=1, forbid=(Rule("own_hero_death"),)))
    found = judge.certain(state, action_from_text(PLAY))
    assert found is not None
    assert judge.ending(found[1]) is None
    assert judge.ending(state) == Ending(0, 1)
