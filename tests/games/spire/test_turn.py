"""Plans of turns: optimality, random effects, limits, hard rules and next best turns."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from planner.errors import PlannerError
from planner.games.spire import battle_rules
from planner.games.spire.battle_planner import TERM_SIGNS, BattleRule, BattleWeights
from planner.games.spire.battle_rules import action_outcomes
from planner.games.spire.battle_state import Action, Battle
from planner.games.spire.spire_game import GAME, Spire
from planner.planning.plan import Plan, PlanOptions, Stopped
from tests.games.spire.battles import GOBLIN, battle
from tests.games.spire.naive_turn import best
from tests.games.spire.random_battles import ODD, random_state

PROFILES = BattleWeights.names()
SPIRE = Spire()


def best_plan(state: Battle, weights: Any, **options: Any) -> Plan[Battle, Action]:
    return next(SPIRE.plans(state, weights, PlanOptions(**options)))


def describe(plan: Plan[Battle, Action]) -> list[str]:
    state, lines = plan.state, []
    for action in plan.actions:
        lines.append(GAME.describe_action(state, action).removeprefix("You "))
        state = battle_rules.apply(state, action, Random(0))
    return lines


def random_weights(rng: Random) -> BattleWeights:
    if rng.random() < 0.3:
        return BattleWeights.of(rng.choice(PROFILES))
    return BattleWeights.of({term: rng.choice((0, 0, 1, 2, 0.5, 7, -1)) for term in TERM_SIGNS})


def compare(seed: int) -> None:
    rng = Random(seed)
    state, weights = random_state(rng), random_weights(rng)
    if battle_rules.outcome(state) is not None:
        return
    plan = best_plan(state, weights)
    exact_weights = {term: Fraction(str(weight)) for term, weight in weights.terms().items()}
    assert (plan.status, plan.proof) == ("optimal", "exhaustive")
    assert plan.objective == float(best(state, exact_weights)), (seed, GAME.state_to_text(state), weights)
    assert sum(map(Fraction, plan.terms.values())) == pytest.approx(plan.objective)


@pytest.mark.parametrize("block", range(4))
def test_plans_equal_the_independent_planner(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        compare(seed)


def compare_with_chance(seed: int) -> bool:
    """Compare a turn with few cards and enemies: the independent planner rolls a 12-sided die for each drawn card."""
    rng = Random(seed)
    state, weights = random_state(rng, hand=2, odd=True), random_weights(rng)
    random_card = state.library.card(rng.choice(("Gamble", "Insight", "Purge", "Forget")))
    hand = sorted((random_card, *state.hand), key=lambda card: card.order)
    state = state._replace(hand=tuple(hand), draw=state.draw[:2], discard=())
    endless = any(card.name == "Recall" for card in (*hand, *state.draw))  # it can copy itself for free
    if endless or battle_rules.outcome(state) is not None:
        return False
    plan = best_plan(state, weights)
    exact_weights = {term: Fraction(str(weight)) for term, weight in weights.terms().items()}
    assert plan.status == "optimal"
    assert plan.objective == pytest.approx(float(best(state, exact_weights))), (
        seed,
        GAME.state_to_text(state),
        weights,
    )
    return plan.reveals is not None


def test_plans_with_random_effects_equal_the_independent_planner() -> None:
    assert sum(compare_with_chance(seed) for seed in range(60)) > 5


@pytest.mark.long
@pytest.mark.parametrize("block", range(5))
def test_plans_with_random_effects_equal_the_independent_planner_on_more_states(block: int) -> None:
    for seed in range(1000 + block * 60, 1060 + block * 60):
        compare_with_chance(seed)


def test_action_with_too_many_outcomes_is_skipped_and_the_plan_is_not_optimal() -> None:
    titles = [name + plus for name in ("Strike", "Defend", "Bash", "Anger", "Cleave", "Suffer") for plus in ("", "+")]
    titles += [f"Searing Blow+{level}" for level in range(1, 12)]
    flood = {"cards": {"Flood": {"cost": 0, "type": "skill", "does": [{"do": "draw", "amount": 10}]}}}
    plan = best_plan(battle("Flood", "Strike", energy=1, draw=titles, library=flood), {"damage_dealt": 1})
    assert (plan.status, plan.stopped, describe(plan)) == ("feasible", Stopped.EFFORT_LIMIT, ["play Strike"])
    # To draw ten of ten cards, or ten equal cards, is not random.
    for pile in (titles[:10], ["Strike"] * 20):
        assert best_plan(battle("Flood", energy=0, draw=pile, library=flood), {"cards_played": 1}).status == "optimal"


@pytest.mark.long
@pytest.mark.parametrize("block", range(10))
def test_plans_equal_the_independent_planner_on_1000_states(block: int) -> None:
    for seed in range(1000 + block * 100, 1100 + block * 100):
        compare(seed)


def test_plan_finds_the_best_order_of_plays() -> None:
    state = battle("Strike", "Bash", energy=3, enemies=({**GOBLIN, "health": 30},))
    plan = best_plan(state, {"damage_dealt": 1})
    assert (describe(plan), plan.objective) == (["play Bash", "play Strike"], 8 + 9)
    lethal = best_plan(battle("Batter", "Stimulate", "Stimulate", energy=3), {"victory": 1})
    assert describe(lethal) == ["play Stimulate", "play Stimulate", "play Batter"]
    assert (lethal.lethal, lethal.outcome, lethal.end.enemies[0].health) == (True, "win", 0)


def test_enemy_intents_decide_between_block_and_attack() -> None:
    weights = {"damage_dealt": 1, "health_lost": 2}
    attacking = battle("Strike", "Defend", energy=1)
    not_attacking = battle("Strike", "Defend", energy=1, enemies=({"name": "Jaw Worm", "move": "Bellow"},))
    assert describe(best_plan(attacking, weights)) == ["play Defend"]
    assert describe(best_plan(not_attacking, weights)) == ["play Strike"]
    # A dead enemy does not attack.
    weak = battle("Strike", "Defend", energy=1, enemies=({**GOBLIN, "health": 6},))
    assert describe(best_plan(weak, weights)) == ["play Strike"]


def test_battle_is_lost_at_the_end_of_its_last_turn() -> None:
    weights = {"death": 50, "health_lost": 1}
    fields = {"energy": 1, "turn": battle_rules.MAX_TURNS}
    lost = best_plan(battle("Strike", "Defend", **fields), weights)
    assert (describe(lost), lost.terms["death"]) == (["play Defend"], -50)
    assert not battle_rules.is_over(lost.end)
    weak = {**GOBLIN, "health": 6}
    won = best_plan(battle("Strike", "Bash", enemies=(weak,), **fields), {"death": 50, "damage_dealt": -1})
    assert (describe(won), won.objective) == (["play Strike"], -6)


def test_choices_are_part_of_the_plan() -> None:
    state = battle("Strike", "Defend", energy=1, enemies=({**GOBLIN, "health": 7}, {**GOBLIN, "health": 6}))
    plan = best_plan(state, {"enemies_killed": 1})
    assert describe(plan) == ["play Strike", "choose Goblin"]
    assert plan.actions[1] == Action("fighter", 1)
    better = battle("Armaments", "Strike", "Defend", energy=2)
    assert describe(best_plan(better, {"damage_dealt": 1})) == ["play Armaments", "choose Strike", "play Strike+"]


def test_random_effects_count_by_expectation() -> None:
    enemies = ({**GOBLIN, "health": 9}, {**GOBLIN, "health": 40})
    state = battle("Gamble", "Strike", energy=0, enemies=enemies, library=ODD)
    plan = best_plan(state, {"enemies_killed": 1})
    assert (plan.objective, describe(plan)[:1], plan.reveals) == (0.5, ["play Gamble"], 0)
    # The score includes the best use of the remaining energy after the random hits; the list of actions ends before.
    later = best_plan(state._replace(energy=2), {"damage_dealt": 1})
    assert (later.objective, later.reveals, len(later.actions)) == (9.5 + 6, 0, 1)


def test_draw_scores_the_expected_use_of_the_cards() -> None:
    state = battle("Insight", "Defend", energy=2, draw=["Strike", "Bomb", "Bomb"], library=ODD)
    plan = best_plan(state, {"damage_dealt": 3, "block_kept": 0, "health_lost": 1})
    # Two of three cards are drawn: with Strike in two of three cases. Otherwise the remaining energy is for block.
    assert plan.reveals == 0
    assert plan.objective == pytest.approx((2 * (18 - 11) + (5 - 11)) / 3)


def test_probabilities_of_outcomes_add_up_to_1() -> None:
    state = battle("Insight", draw=["Strike", "Strike", "Bomb", "Defend"], library=ODD)
    outcomes = action_outcomes(state, Action("play", 0))
    assert sum(probability for probability, _ in outcomes) == 1
    hands = {tuple(card.title for card in after.hand): probability for probability, after in outcomes}
    assert hands == {
        ("Strike", "Strike"): Fraction(1, 6), ("Strike", "Bomb"): Fraction(1, 3),
        ("Strike", "Defend"): Fraction(1, 3), ("Defend", "Bomb"): Fraction(1, 6),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_plans_with_random_effects_are_certified(seed: int) -> None:
    rng = Random(seed)
    state = random_state(rng, hand=4, odd=True)
    plan = best_plan(state, random_weights(rng), effort=2000)  # fails if the replay earns something else
    assert plan.reveals is None or plan.reveals == len(plan.actions) - 1
    assert (plan.status == "optimal") == (plan.stopped == "finished")


def test_hard_rules() -> None:
    state = battle("Strike", "Bash", energy=2)
    no_bash = BattleWeights(damage_dealt=1, forbid=(BattleRule("play", word="Bash"),))
    assert describe(best_plan(state, no_bash)) == ["play Strike"]


def test_interrupted_search_is_not_optimal() -> None:
    state = battle("Strike", "Defend", "Bash", "Cleave", energy=9)
    plan = best_plan(state, "spire_balanced", effort=3)
    assert (plan.status, plan.proof, plan.stopped) == ("feasible", None, Stopped.EFFORT_LIMIT)
    assert plan.to_dict()["bound"] is None


def test_endless_turn_is_not_optimal() -> None:
    endless = {"cards": {"Echo": {"cost": 0, "type": "skill", "does": [
        {"do": "block", "amount": 1, "to": "self"}, {"do": "copy", "into": "hand", "to": "this card"}]}}}  # fmt: skip
    plan = best_plan(battle("Echo", library=endless), {"block_kept": 1})
    assert (plan.status, plan.stopped) == ("feasible", Stopped.ACTION_LIMIT)


@pytest.mark.parametrize("seed", range(60))
def test_plan_is_for_the_hand_in_the_order_of_the_caller(seed: int) -> None:
    rng = Random(seed)
    state = random_state(rng, odd=seed % 2 == 0)
    if battle_rules.outcome(state) is not None:
        return
    weights = random_weights(rng)
    plan = best_plan(state, weights, effort=5000)
    shuffled = state._replace(hand=tuple(rng.sample(state.hand, len(state.hand))))
    other = best_plan(shuffled, weights, effort=5000)
    if "optimal" in (plan.status, other.status):
        assert other.objective == plan.objective
    for made in (plan, other):
        for luck in range(3):  # whatever chance decides
            now = made.state
            for action in made.actions:
                assert battle_rules.illegal_reason(now, action) is None
                now = battle_rules.apply(now, action, Random(luck))
            if made.reveals is None:
                assert now.with_sorted_hand() == made.end.with_sorted_hand()


def test_plan_ends_where_the_order_of_drawn_cards_decides_the_index() -> None:
    state = battle("Insight", energy=4, draw=["Strike", "Bash"], library=ODD)
    plan = best_plan(state, {"damage_dealt": 1})
    assert (plan.objective, describe(plan), plan.reveals) == (8 + 9, ["play Insight"], 0)
    same = best_plan(battle("Insight", energy=3, draw=["Strike", "Strike"], library=ODD), {"damage_dealt": 1})
    assert (describe(same), same.reveals) == (["play Insight", "play Strike", "play Strike"], None)


def test_actions_name_their_cards_for_any_order_of_the_piles() -> None:
    def planned(*hand: str) -> list[Any]:
        state = SPIRE.state_from_json({"game": "spire", "hand": hand, "enemies": [{"name": "Goblin", "health": 90}]})
        plan = best_plan(state, {**BattleWeights.of("spire_balanced").terms(), "upgrades": 50})
        written = plan.to_dict()["actions"]
        assert [SPIRE.action_from_json(action) for action in written] == list(plan.actions)
        return [action.get("name") for action in written]

    assert planned("Armaments", "Bash", "Defend") == planned("Defend", "Bash", "Armaments")
    assert planned("Armaments", "Bash", "Defend") == ["Armaments", "Bash", "Bash+"]


def test_next_best_turns_differ_in_their_effects() -> None:
    state = battle("Strike", "Defend", energy=1)
    plans = list(SPIRE.plans(state, {"damage_dealt": 2, "health_lost": 1}, PlanOptions(k=5)))
    assert [describe(plan) for plan in plans] == [["play Strike"], ["play Defend"], []]
    assert [plan.objective for plan in plans] == [12 - 11, -6, -11]


def test_unsupported_options_are_rejected() -> None:
    state = battle("Strike")
    with pytest.raises(PlannerError, match=r"^solver: 'highs' is not supported for spire; use auto or search$"):
        best_plan(state, "spire_balanced", solver="highs")
    with pytest.raises(PlannerError, match=r"^formulation: 'thesis' is not supported for spire; use exact$"):
        best_plan(state, "spire_balanced", formulation="thesis")
    with pytest.raises(PlannerError, match=r"^weights: 'aggro_face' is not a profile"):
        best_plan(state, "aggro_face")
    with pytest.raises(PlannerError, match="the battle is over"):
        best_plan(state._replace(health=0), "spire_balanced")


def test_profiles_are_listed_by_game() -> None:
    assert PROFILES == ("spire_aggressive", "spire_balanced", "spire_careful")
    assert all(BattleWeights.of(name).description for name in PROFILES)
