"""Plans of a battle's turn: the true optimum, certified, with chance, limits, hard rules and next best turns."""

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
from planner.games.spire.game import GAME, Spire
from planner.planning.plan import Plan, PlanOptions, Stopped
from tests.games.spire.battles import GOBLIN, battle
from tests.games.spire.naive_turn import best
from tests.games.spire.random_battles import ODD, random_state

PROFILES = BattleWeights.names()
SPIRE = Spire()


def plan(state: Battle, weights: Any, **options: Any) -> Plan[Battle, Action]:
    return next(SPIRE.plans(state, weights, PlanOptions(**options)))


def told(found: Plan[Battle, Action]) -> list[str]:
    state, said = found.state, []
    for action in found.actions:
        said.append(GAME.describe_action(state, action).removeprefix("You "))
        state = battle_rules.apply(state, action, Random(0))
    return said


def random_weights(rng: Random) -> BattleWeights:
    if rng.random() < 0.3:
        return BattleWeights.of(rng.choice(PROFILES))
    return BattleWeights.of({term: rng.choice((0, 0, 1, 2, 0.5, 7, -1)) for term in TERM_SIGNS})


def compare(seed: int) -> None:
    rng = Random(seed)
    state, weights = random_state(rng), random_weights(rng)
    if battle_rules.outcome(state) is not None:
        return
    found = plan(state, weights)
    exactly = {term: Fraction(str(weight)) for term, weight in weights.terms().items()}
    assert (found.status, found.proof) == ("optimal", "exhaustive")
    assert found.objective == float(best(state, exactly)), (seed, GAME.state_to_text(state), weights)
    assert sum(map(Fraction, found.terms.values())) == pytest.approx(found.objective)


@pytest.mark.parametrize("block", range(4))
def test_plans_equal_an_exhaustive_search_written_separately(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        compare(seed)


def compare_with_chance(seed: int) -> bool:
    """Few cards and enemies: a die of twelve sides is thrown for each card that is drawn."""
    rng = Random(seed)
    state, weights = random_state(rng, hand=2, odd=True), random_weights(rng)
    dicey = state.library.card(rng.choice(("Gamble", "Insight", "Purge", "Forget")))
    hand = sorted((dicey, *state.hand), key=lambda card: card.order)
    state = state._replace(hand=tuple(hand), draw=state.draw[:2], discard=())
    endless = any(card.name == "Recall" for card in (*hand, *state.draw))  # it can recall itself for nothing
    if endless or battle_rules.outcome(state) is not None:
        return False
    found = plan(state, weights)
    exactly = {term: Fraction(str(weight)) for term, weight in weights.terms().items()}
    assert found.status == "optimal"
    assert found.objective == pytest.approx(float(best(state, exactly))), (seed, GAME.state_to_text(state), weights)
    return found.reveals is not None


def test_plans_with_chance_equal_a_separate_average_over_dice() -> None:
    assert sum(compare_with_chance(seed) for seed in range(60)) > 5


@pytest.mark.long
@pytest.mark.parametrize("block", range(5))
def test_plans_with_chance_equal_a_separate_average_over_dice_on_more_states(block: int) -> None:
    for seed in range(1000 + block * 60, 1060 + block * 60):
        compare_with_chance(seed)


def test_what_chance_can_do_in_too_many_ways_is_left_out_and_not_called_optimal() -> None:
    titles = [name + plus for name in ("Strike", "Defend", "Bash", "Anger", "Cleave", "Suffer") for plus in ("", "+")]
    titles += [f"Searing Blow+{level}" for level in range(1, 12)]
    flood = {"cards": {"Flood": {"cost": 0, "type": "skill", "does": [{"do": "draw", "amount": 10}]}}}
    found = plan(battle("Flood", "Strike", energy=1, draw=titles, library=flood), {"damage_dealt": 1})
    assert (found.status, found.stopped, told(found)) == ("feasible", Stopped.EFFORT_LIMIT, ["play Strike"])
    # Ten of ten, or ten of the same, is no chance at all.
    for pile in (titles[:10], ["Strike"] * 20):
        assert plan(battle("Flood", energy=0, draw=pile, library=flood), {"cards_played": 1}).status == "optimal"


@pytest.mark.long
@pytest.mark.parametrize("block", range(10))
def test_plans_equal_an_exhaustive_search_on_a_thousand_states(block: int) -> None:
    for seed in range(1000 + block * 100, 1100 + block * 100):
        compare(seed)


def test_the_order_of_plays_matters_and_is_found() -> None:
    state = battle("Strike", "Bash", energy=3, enemies=({**GOBLIN, "health": 30},))
    found = plan(state, {"damage_dealt": 1})
    assert (told(found), found.objective) == (["play Bash", "play Strike"], 8 + 9)
    kill = plan(battle("Batter", "Stimulate", "Stimulate", energy=3), {"victory": 1})
    assert told(kill) == ["play Stimulate", "play Stimulate", "play Batter"]
    assert (kill.lethal, kill.outcome, kill.end.enemies[0].health) == (True, "win", 0)


def test_the_shown_intents_decide_between_block_and_blow() -> None:
    weights = {"damage_dealt": 1, "health_lost": 2}
    hurts = battle("Strike", "Defend", energy=1)
    idle = battle("Strike", "Defend", energy=1, enemies=({"name": "Jaw Worm", "move": "Bellow"},))
    assert told(plan(hurts, weights)) == ["play Defend"]
    assert told(plan(idle, weights)) == ["play Strike"]
    # A kill is the best block: nobody is left to strike.
    weak = battle("Strike", "Defend", energy=1, enemies=({**GOBLIN, "health": 6},))
    assert told(plan(weak, weights)) == ["play Strike"]


def test_questions_are_part_of_the_plan() -> None:
    state = battle("Strike", "Defend", energy=1, enemies=({**GOBLIN, "health": 7}, {**GOBLIN, "health": 6}))
    found = plan(state, {"enemies_killed": 1})
    assert told(found) == ["play Strike", "choose Goblin"]
    assert found.actions[1] == Action("fighter", 1)
    better = battle("Armaments", "Strike", "Defend", energy=2)
    assert told(plan(better, {"damage_dealt": 1})) == ["play Armaments", "choose Strike", "play Strike+"]


def test_what_chance_decides_is_averaged_and_planned_again() -> None:
    enemies = ({**GOBLIN, "health": 9}, {**GOBLIN, "health": 40})
    state = battle("Gamble", "Strike", energy=0, enemies=enemies, library=ODD)
    found = plan(state, {"enemies_killed": 1})
    assert (found.objective, told(found)[:1], found.reveals) == (0.5, ["play Gamble"], 0)
    # After the dice the rest of the energy still counts: whoever was hit, the best is done then. The list ends before.
    later = plan(state._replace(energy=2), {"damage_dealt": 1})
    assert (later.objective, later.reveals, len(later.actions)) == (9.5 + 6, 0, 1)


def test_a_draw_is_worth_what_can_be_done_with_it() -> None:
    state = battle("Insight", "Defend", energy=2, draw=["Strike", "Bomb", "Bomb"], library=ODD)
    found = plan(state, {"damage_dealt": 3, "block_kept": 0, "health_lost": 1})
    # Two of three cards: the Strike is among them in two cases of three. Otherwise the rest of the energy is for block.
    assert found.reveals == 0
    assert found.objective == pytest.approx((2 * (18 - 11) + (5 - 11)) / 3)


def test_outcomes_have_probabilities_that_add_up() -> None:
    state = battle("Insight", draw=["Strike", "Strike", "Bomb", "Defend"], library=ODD)
    found = action_outcomes(state, Action("play", 0))
    assert sum(probability for probability, _ in found) == 1
    hands = {tuple(card.title for card in after.hand): probability for probability, after in found}
    assert hands == {
        ("Strike", "Strike"): Fraction(1, 6), ("Strike", "Bomb"): Fraction(1, 3),
        ("Strike", "Defend"): Fraction(1, 3), ("Defend", "Bomb"): Fraction(1, 6),
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_plans_with_chance_are_certified_too(seed: int) -> None:
    rng = Random(seed)
    state = random_state(rng, hand=4, odd=True)
    found = plan(state, random_weights(rng), effort=2000)  # the replay refuses what it does not earn
    assert found.reveals is None or found.reveals == len(found.actions) - 1
    assert (found.status == "optimal") == (found.stopped == "finished")


def test_hard_rules() -> None:
    state = battle("Strike", "Bash", energy=2)
    gentle = BattleWeights(damage_dealt=1, forbid=(BattleRule("play", word="Bash"),))
    assert told(plan(state, gentle)) == ["play Strike"]


def test_limits_are_never_called_proofs() -> None:
    state = battle("Strike", "Defend", "Bash", "Cleave", energy=9)
    found = plan(state, "spire_balanced", effort=3)
    assert (found.status, found.proof, found.stopped) == ("feasible", None, Stopped.EFFORT_LIMIT)
    assert found.to_dict()["bound"] is None


def test_a_turn_without_end_is_not_called_optimal() -> None:
    endless = {"cards": {"Echo": {"cost": 0, "type": "skill", "does": [
        {"do": "block", "amount": 1, "to": "self"}, {"do": "copy", "into": "hand", "to": "this card"}]}}}  # fmt: skip
    found = plan(battle("Echo", library=endless), {"block_kept": 1})
    assert (found.status, found.stopped) == ("feasible", Stopped.ACTION_LIMIT)


def test_actions_of_a_plan_name_their_cards_whatever_the_order_of_the_callers_piles() -> None:
    def planned(*hand: str) -> list[Any]:
        state = SPIRE.state_from_json({"game": "spire", "hand": hand, "enemies": [{"name": "Goblin", "health": 90}]})
        found = plan(state, {**BattleWeights.of("spire_balanced").terms(), "upgrades": 50})
        written = found.to_dict()["actions"]
        assert [SPIRE.action_from_json(action) for action in written] == list(found.actions)
        return [action.get("name") for action in written]

    assert planned("Armaments", "Bash", "Defend") == planned("Defend", "Bash", "Armaments")
    assert planned("Armaments", "Bash", "Defend") == ["Armaments", "Bash", "Bash+"]


def test_next_best_turns_differ_in_what_is_done() -> None:
    state = battle("Strike", "Defend", energy=1)
    found = list(SPIRE.plans(state, {"damage_dealt": 2, "health_lost": 1}, PlanOptions(k=5)))
    assert [told(one) for one in found] == [["play Strike"], ["play Defend"], []]
    assert [one.objective for one in found] == [12 - 11, -6, -11]


def test_options_without_a_meaning_are_refused() -> None:
    state = battle("Strike")
    with pytest.raises(PlannerError, match=r"^solver: 'highs' is not supported for spire; use auto or search$"):
        plan(state, "spire_balanced", solver="highs")
    with pytest.raises(PlannerError, match=r"^formulation: 'thesis' is not supported for spire; use exact$"):
        plan(state, "spire_balanced", formulation="thesis")
    with pytest.raises(PlannerError, match=r"^weights: 'aggro_face' is not a profile"):
        plan(state, "aggro_face")
    with pytest.raises(PlannerError, match="the battle is over"):
        plan(state._replace(health=0), "spire_balanced")


def test_profiles_are_listed_by_game() -> None:
    assert PROFILES == ("spire_aggressive", "spire_balanced", "spire_careful")
    assert all(BattleWeights.of(name).description for name in PROFILES)
