"""The outcomes of random effects and their probabilities: by hand, by an unmerged tree, and at the run limit."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb
from random import Random

import pytest

from planner import plan_turn
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.actions import Action, Play
from planner.games.hearthstone.rules.match_flow import end_of_turn_effects, observe
from planner.games.hearthstone.rules.random_choices import ChanceError, ScriptedChoices
from planner.games.hearthstone.rules.resolve import IllegalActionError, resolve_action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_text import action_from_text, state_from_text
from planner.games.hearthstone.turn import chance_outcomes, native
from planner.games.hearthstone.turn.chance_outcomes import Run, outcomes
from planner.games.hearthstone.turn.exhaustive_search import allowed_actions
from planner.games.hearthstone.turn.hearthstone_weights import TERM_SIGNS, Weights
from planner.games.hearthstone.turn.scoring import replay, transitions
from tests.build import card, effect, minion, player, spell
from tests.build import state as build_state
from tests.games.hearthstone.exhaustive import best_by_search
from tests.games.hearthstone.turn.random_effects import effect_case

PLAY = action_from_text("play me.hand.0")
POWER = action_from_text("power")
HALF = Fraction(1, 2)
BOMB = (
    'cards: {"name": "Bomb", "type": "spell", "cost": 1, "effects": [{"do": "damage", "amount": 2, "to": "enemy hero"},'
    ' {"do": "damage", "amount": 15, "split": true, "to": "all enemy characters"}, {"do": "armor", "amount": 3}]}'
)
CROWD = ", ".join(["1/15"] * 7)  # fifteen missiles over these and the hero have 170,544 outcomes


def run_of(state: GameState, action: Action) -> Run:
    return lambda rng: resolve_action(state, action, rng)


def health_outcomes(state: str, action: Action = PLAY) -> dict[tuple[int, ...], Fraction | int]:
    """Return the probability of each outcome, keyed by the health of the enemy hero and of the enemy minions."""
    initial = state_from_text(state)
    probabilities: dict[tuple[int, ...], Fraction | int] = {}
    for probability, table, _ in outcomes(run_of(initial, action)):
        enemy = table.to_state().enemy
        probabilities[enemy.hero.health, *(minion.health for minion in enemy.board)] = probability
    return probabilities


def tree(run: Run, choices: tuple[int, ...] = (), probability: Fraction = Fraction(1)) -> Counter[object]:
    """Return the same outcomes by following every choice separately: simple but slow."""
    try:
        return Counter({run(ScriptedChoices(choices)).snapshot(): probability})
    except ChanceError as stop:
        total: Counter[object] = Counter()
        for choice in range(stop.count):
            total.update(tree(run, (*choices, choice), probability / stop.count))
        return total


# -- deterministic effects


def test_a_deterministic_effect_has_one_outcome() -> None:
    assert health_outcomes("4 mana | me 30hp | hand: Consecration | enemy 30hp: 1/3") == {(28, 1): 1}
    assert health_outcomes("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp") == {(27,): 1}


def test_a_random_effect_without_consequences_has_one_outcome() -> None:
    assert health_outcomes("2 mana | me 30hp | hand: Minefield | enemy 30hp: 1/3 immune, 1/3 immune") == {(30, 3, 3): 1}


# -- by hand


def test_split_damage_never_hits_dead_minions() -> None:
    probabilities = health_outcomes("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp: 1/1")
    assert probabilities == {(28,): Fraction(7, 8), (27, 1): Fraction(1, 8)}


def test_missiles_on_two_targets_are_binomial() -> None:
    probabilities = health_outcomes("7 mana | me 30hp | hand: Mask of C'Thun | enemy 30hp: 1/20")
    assert probabilities == {(30 - hits, 10 + hits): Fraction(comb(10, hits), 2**10) for hits in range(11)}


def test_missiles_on_three_targets_are_multinomial() -> None:
    probabilities = health_outcomes("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp: 1/9, 1/9")
    assert len(probabilities) == 10  # ways to split three hits, from 27 runs
    assert probabilities[27, 9, 9] == Fraction(1, 27)
    assert probabilities[28, 8, 9] == Fraction(3, 27)
    assert probabilities[29, 8, 8] == Fraction(6, 27)


def test_spell_damage_adds_a_missile() -> None:
    probabilities = health_outcomes("1 mana | me 30hp: Kobold Geomancer | hand: Arcane Missiles | enemy 30hp: 1/9")
    assert probabilities == {(30 - hits, 5 + hits): Fraction(comb(4, hits), 2**4) for hits in range(5)}


def test_totemic_call_summons_a_missing_totem() -> None:
    for board, missing in (("", 4), (": Healing Totem", 3), (": Healing Totem, Searing Totem", 2)):
        state = state_from_text(f"2 mana | me 30hp{board} | power Totemic Call | enemy 30hp")
        results = outcomes(run_of(state, POWER))
        assert [outcome.probability for outcome in results] == [Fraction(1, missing)] * missing
        assert len({outcome.table.to_state().me.board[-1].card.name for outcome in results}) == missing


def test_random_effect_at_the_end_of_the_turn() -> None:
    state = state_from_text("0 mana | me 30hp: Ragnaros the Firelord | enemy 8hp: 3/9")
    assert sorted(outcome.probability for outcome in outcomes(lambda rng: end_of_turn_effects(state, rng))) == [
        HALF,
        HALF,
    ]
    amounts = replay(state, []).amounts
    assert (amounts["lethal"], amounts["face_damage"], amounts["minion_damage"]) == (HALF, 4, 4)
    assert (amounts["board_clear"], amounts["enemy_threat"]) == (0, 3)


def test_amounts_are_expectations_over_outcomes_and_end_of_turn_effects() -> None:
    # In 7 of 8 cases the 1/1 dies, and Ragnaros can only hit the hero; otherwise he hits either one.
    state = state_from_text("1 mana | me 30hp: Ragnaros the Firelord | hand: Arcane Missiles | enemy 30hp: 1/1")
    amounts = replay(state, [PLAY]).amounts
    alone, both = Fraction(7, 8), Fraction(1, 8)
    assert amounts["face_damage"] == alone * (2 + 8) + both * (3 + 4)
    assert amounts["minion_damage"] == alone * 1 + both * 4
    assert amounts["board_clear"] == alone + both * HALF
    assert amounts["enemy_threat"] == both * HALF


def test_the_end_state_of_a_replay_excludes_random_effects() -> None:
    state = state_from_text("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp: 1/1")
    end = replay(state, [PLAY]).end
    assert (end.me.mana, len(end.me.hand), end.enemy) == (0, 0, state.enemy)


# -- compared with the unmerged tree


def test_merged_outcomes_equal_those_of_the_tree() -> None:
    compared = 0
    for seed in range(300):
        state, weights = effect_case(seed)
        for action in allowed_actions(state, weights):
            run = run_of(state, action)
            results = transitions(state, action)
            assert sum(result.probability for result in results) == 1
            if 1 < len(results) < 40:
                merged = {outcome.table.snapshot(): outcome.probability for outcome in outcomes(run)}
                assert merged == tree(run), f"seed {seed}: {action}"
                compared += 1
    assert compared > 20


def split_case(seed: int) -> GameState:
    """Return a turn with one card that splits damage, where keywords and filters decide who can be hit again."""
    rng = Random(seed)
    words = ("", "divine_shield", "immune", "reborn", "taunt divine_shield")
    boards = [
        [
            minion(rng.randint(0, 3), rng.randint(1, 3), rng.choice(words), attacks_left=0)
            for _ in range(rng.randint(0, 3))
        ]
        for _ in range(2)
    ]
    targets = ("all characters", "all enemy characters", "all minions", "all undamaged minions",
               "all other characters", "all damaged characters")  # fmt: skip
    hit = effect("damage", rng.choice(targets), amount=rng.randint(2, 4), split=True)
    keywords = rng.choice(["", "lifesteal", "poisonous", "freeze", "lifesteal poisonous"])
    effects = [hit, *[effect("damage", "random enemy character", amount=1)] * (rng.random() < 0.3)]
    played = card(1, 1, keywords, *effects) if rng.random() < 0.5 else spell(*effects, words=keywords)
    mine, enemy = (
        player(name, board=board, health=rng.randint(1, 5), armor=rng.randint(0, 1), first=first, hand=hand)
        for name, board, first, hand in (("me", boards[0], 1, [played]), ("enemy", boards[1], 8, []))
    )
    hero = mine.hero._replace(max_health=mine.hero.health + rng.randint(0, 1))  # healing ends at the maximum
    return build_state(board=[], mana=1)._replace(me=mine._replace(mana=1, hero=hero), enemy=enemy)


def test_split_damage_equals_the_tree_whatever_can_be_hit() -> None:
    compared = 0
    for seed in range(80):
        state = split_case(seed)
        run = run_of(state, Play("me.hand.0"))
        merged = {outcome.table.snapshot(): outcome.probability for outcome in outcomes(run)}
        assert merged == tree(run), f"seed {seed}: {state}"
        weights = Weights.of(
            {"face_damage": 3, "minion_damage": 2, "enemy_threat": 5, "own_survival": 1, "own_health": 7}
        )
        plan = plan_turn(state, weights)
        assert plan.status == "optimal"
        assert plan.objective == float(best_by_search(state, weights)[0]), f"seed {seed}: {state}"
        compared += len(merged) > 1
    assert compared > 25


def test_the_bound_on_split_damage_is_never_too_low() -> None:
    """Also for terms beyond the eight and for negative weights, where every hit can be a loss."""
    bounded = 0
    for seed in range(1500):
        rng = Random(seed)
        weights = Weights.of({term: rng.randint(-5, 20) for term in rng.sample(list(TERM_SIGNS), 6)})
        comparison = native.compare_bound(split_case(seed), weights, effort=100_000)
        assert comparison is not None
        assert comparison.excess <= 0, f"seed {seed}: {weights}"
        bounded += comparison.bounded
    assert bounded > 1500


# -- runs that go on differently


def mean_damage(state: GameState, action: Action) -> Fraction:
    """Return the expected damage to enemy minions over every sequence of choices, none of them merged."""
    total, scripts = Fraction(0), [((), Fraction(1))]
    while scripts:
        choices, probability = scripts.pop()
        try:
            total += probability * resolve_action(state, action, ScriptedChoices(choices)).dealt_to_minions
        except ChanceError as stop:
            scripts += [((*choices, choice), probability / stop.count) for choice in range(stop.count)]
    return total


def rattle(amount: int, name: str) -> Card:
    return card(1, 1, "", effect("damage", "random enemy minion", amount=amount, on="death"), name=name)


LOW, HIGH = rattle(1, "Low"), rattle(5, "High")
COUNTS_ATTACK = effect("damage", "random enemy minion", amount=1, times="attack", on="death")
MINIONS_THAT_LEAVE = {
    "one of two is summoned": ([], [effect("summon", makes=[LOW, HIGH]), effect("destroy", "all friendly minions")]),
    "one of two is silenced": ([LOW, HIGH], [effect("silence", "random friendly minion"), effect("destroy", "all friendly minions")]),
    "one of two is buffed": (
        [card(1, 1, "", COUNTS_ATTACK, name="Counts"), card(1, 1, name="Plain")],
        [effect("buff", "random friendly minion", attack=4), effect("destroy", "all friendly minions")],
    ),
    "one of two is transformed": ([LOW, LOW], [effect("transform", "random friendly minion", makes=[LOW, HIGH]), effect("destroy", "all friendly minions")]),
    "two of three are transformed": (
        [LOW, HIGH, LOW],
        [effect("transform", "random 2 friendly minions", makes=[card(1, 1, name="New"), HIGH]), effect("destroy", "all friendly minions")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MINIONS_THAT_LEAVE)
def test_minions_that_have_left_the_board_still_count(name: str) -> None:
    """At the next random choice the boards are equal, but other deathrattles are still to come."""
    mine, effects = MINIONS_THAT_LEAVE[name]
    state = build_state(
        board=[minion(1, 1, of=each, attacks_left=0) for each in mine],
        enemy=[minion(1, 9), minion(1, 9)],
        hand=[spell(*effects)],
    )
    mean = mean_damage(state, Play("me.hand.0"))
    assert replay(state, [Play("me.hand.0")]).amounts["minion_damage"] == mean
    plan = plan_turn(state, {"minion_damage": 1})
    assert (plan.status, plan.solver, plan.objective) == ("optimal", "engine", float(mean))


def test_spell_damage_of_a_minion_that_is_silenced_later_still_counts() -> None:
    silencer = effect("silence", "random friendly minion", on="cast")
    board = [minion(1, 1, "", silencer, spell_damage=1), minion(1, 1, spell_damage=3), minion(1, 1)]
    missiles = spell(effect("silence", "all friendly minions"), effect("damage", "random enemy minion", amount=1))
    state = build_state(
        board=[each._replace(attacks_left=0) for each in board], enemy=[minion(1, 9)] * 2, hand=[missiles]
    )
    mean = mean_damage(state, Play("me.hand.0"))
    assert replay(state, [Play("me.hand.0")]).amounts["minion_damage"] == mean
    assert plan_turn(state, {"minion_damage": 1}).objective == pytest.approx(float(mean))


def test_random_chains_of_random_effects_equal_the_unmerged_mean() -> None:
    rng = Random(8)
    changes = [
        effect("silence", "random friendly minion"), effect("destroy", "random friendly minion"),
        effect("summon", makes=[LOW, HIGH]), effect("damage", "random enemy minion", amount=1),
        effect("damage", "all enemy minions", amount=2, split=True), effect("buff", "random friendly minion", attack=2),
        effect("transform", "random friendly minion", makes=[HIGH, LOW]), effect("destroy", "all friendly minions"),
        effect("damage", "all friendly minions", amount=1),
    ]  # fmt: skip
    decided = 0
    for number in range(150):
        mine = [minion(1, 1, of=rng.choice([LOW, HIGH]), attacks_left=0) for _ in range(rng.randint(1, 3))]
        enemy = [minion(1, rng.randint(1, 3)) for _ in range(rng.randint(1, 2))]
        state = build_state(board=mine, enemy=enemy, hand=[spell(*rng.choices(changes, k=3))])
        mean = mean_damage(state, Play("me.hand.0"))
        assert replay(state, [Play("me.hand.0")]).amounts["minion_damage"] == mean, number
        score = native.best_turns(observe(state, 0), Weights.of({"minion_damage": 1, "card_value": 1000}))
        if score is not None:
            assert score.turns[0].score == 1000 + mean, number
            decided += mean.denominator > 1
    assert decided > 15


# -- the run limit


def test_beyond_the_limit_only_the_certain_part_counts() -> None:
    state = state_from_text(f"1 mana | me 30hp | hand: Bomb | enemy 30hp: {CROWD} | {BOMB}")
    (outcome,) = outcomes(run_of(state, PLAY))
    assert not outcome.complete
    after = outcome.table.to_state()
    assert outcome.probability == 1
    assert (after.enemy.hero.health, after.me.hero.armor, after.me.mana) == (28, 3, 0)
    assert [minion.health for minion in after.enemy.board] == [15] * 7
    amounts = replay(state, [PLAY]).amounts
    assert (amounts["face_damage"], amounts["minion_damage"], amounts["card_value"]) == (2, 0, 1)


def test_the_limit_counts_states_and_not_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    # One initial run; then one for each of the four ways to split three hits, which can come in eight orders.
    state = state_from_text("1 mana | me 30hp | hand: Arcane Missiles | enemy 30hp: 1/9")
    monkeypatch.setattr(chance_outcomes, "MAX_RUNS", 5)
    assert len(outcomes(run_of(state, PLAY))) == 4
    monkeypatch.setattr(chance_outcomes, "MAX_RUNS", 4)
    assert len(outcomes(run_of(state, PLAY))) == 1


def test_beyond_the_limit_the_bound_is_finite() -> None:
    state = state_from_text(f"1 mana | me 30hp | hand: Bomb | enemy 30hp: {CROWD} | {BOMB}")
    plan = plan_turn(state, "aggro_face")
    assert (plan.status, plan.stopped) == ("feasible", "chance limit")
    assert plan.objective < plan.bound < 2000


def test_probabilities_that_do_not_fit_count_as_beyond_the_limit() -> None:
    """Few enough outcomes to list, but with probabilities of more than 128 bits."""
    boards = "me 30hp: 0/1, 0/2, 0/2, 0/3 | hand: Volcano | enemy 30hp: 1/4, 1/6, 1/4, 1/2, 1/1"
    state = state_from_text(f"5 mana | {boards}")
    assert len(outcomes(run_of(state, PLAY))) > 100
    answer = native.best_turns(state, Weights.of({"minion_damage": 1, "board_clear": 1}))
    assert answer is not None
    assert not answer.all_outcomes
    plan = plan_turn(state, {"minion_damage": 1, "board_clear": 1}, effort=1000)
    assert (plan.solver, plan.status, plan.stopped) == ("engine", "feasible", "chance limit")
    assert plan.objective == float(replay(state, plan.actions).score(plan.weights)) <= plan.bound


def test_a_random_effect_ends_the_plan_also_beyond_the_limit() -> None:
    """Later actions would be planned on a board that will not exist."""
    state = state_from_text(f"1 mana | me 30hp: 2/2 | hand: Bomb | enemy 30hp: {CROWD} | {BOMB}")
    attack = action_from_text("attack me.board.0 -> enemy.board.0")
    with pytest.raises(IllegalActionError, match="chance decides"):
        replay(state, [PLAY, attack])
    _, line = best_by_search(state, Weights.of({"face_damage": 2, "minion_damage": 3}))
    assert line == [attack, PLAY]


def test_a_traded_card_may_be_anywhere_in_the_deck() -> None:
    """A draw after the trade may not return it: the best is two cards drawn, or one drawn and one played."""
    state = state_from_text("6 mana | me 10hp | power Life Tap | hand: Impatient Shopkeep | deck: 5 | enemy 30hp")
    assert best_by_search(state, Weights.of({"cards_drawn": 1, "card_value": 1}))[0] == 2


@pytest.mark.parametrize("solver", ["auto", "highs"])
def test_every_pair_of_random_targets_is_equally_likely(solver: str) -> None:
    """Two of three minions die: each of the three pairs with probability 1/3."""
    storm = spell(effect("destroy", "random 2 enemy minions"))
    before = build_state(hand=[storm], enemy=[minion(1, 1), minion(2, 2), minion(4, 4)])
    results = transitions(before, Play("me.hand.0"))
    assert sorted((result.state.enemy.board[0].attack, result.probability) for result in results) == [
        (1, Fraction(1, 3)),
        (2, Fraction(1, 3)),
        (4, Fraction(1, 3)),
    ]
    plan = plan_turn(before, {"enemy_threat": 3}, solver=solver)
    assert (plan.status, plan.objective) == ("optimal", -7.0)
