"""Turns on which reading the code showed a false proof, a crash or a wrong average; random turns had found none."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from planner import plan_turn, plan_turns
from planner.errors import PlannerError
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.effect_vocabulary import HOOKS, Effect
from planner.games.hearthstone.rules.actions import Play
from planner.games.hearthstone.rules.effect_resolution import refresh_auras, resolve_deaths
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.mutable_state import HERO, MutableState
from planner.games.hearthstone.rules.ruleset import Ruleset
from planner.games.hearthstone.rules.state import GameState, HandCard, Minion
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict
from planner.games.hearthstone.turn import explanation, native
from planner.games.hearthstone.turn.explanation import lethal_missed_by, weight_ranges
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.scoring import replay, replay_rolled
from planner.planning.plan import Status
from tests.build import card, effect, minion, player, power_card, spell, state, weapon
from tests.games.hearthstone.engine.judge import Truth


def with_auras(board: GameState) -> GameState:
    table = MutableState(board, None)
    refresh_auras(table)
    return observe(table.to_state(), board.seat)


def truth(board: GameState, weights: Weights) -> float:
    best = Truth(observe(board, board.seat), weights, 20_000).best()
    assert best is not None
    return float(best.score)


def optimum(board: GameState, weights: dict[str, float]) -> float:
    """Return the score of the plan, which must be proved and the truth."""
    profile = Weights.of(weights)
    plan = plan_turn(board, profile)
    assert plan.status == "optimal"
    assert plan.objective == pytest.approx(truth(board, profile), rel=1e-12)
    return plan.objective


def within_bound(board: GameState, weights: dict[str, float]) -> None:
    profile = Weights.of(weights)
    plan, best = plan_turn(board, profile), truth(board, profile)
    assert plan.objective <= best * (1 + 1e-12)
    assert best <= plan.bound * (1 + 1e-12)
    assert plan.objective > best / 2


# -- vanilla turns


def test_damage_to_our_hero_that_lifesteal_heals_for_free() -> None:
    board = state(0, [minion(8, 6, "lifesteal")], [minion(1, 4)], health=26, weapon=weapon(1, 2))
    assert optimum(board, {"own_health": 2, "minion_damage": 1}) == 69


def test_profiles_with_weapons_and_lifesteal() -> None:
    rng = Random(0)
    for _ in range(60):
        mine = [minion(rng.randint(1, 8), rng.randint(1, 8), "lifesteal"), minion(rng.randint(1, 4), rng.randint(1, 4))]
        theirs = [minion(rng.randint(0, 5), rng.randint(1, 6)) for _ in range(rng.randint(1, 2))]
        board = state(0, mine, theirs, health=rng.randint(24, 30), weapon=weapon(rng.randint(1, 4), 2))
        profile = Weights.of("champion")
        plan = plan_turn(board, profile)
        assert plan.objective == pytest.approx(truth(board, profile)), board


def test_more_health_and_healing_than_the_vanilla_solver_counts_with() -> None:
    weights = {"lethal": 1, "face_damage": 1}
    assert optimum(state(0, [minion(3500, 4)], enemy_health=3000), weights) == 3501
    board = state(0, [minion(3, 50000), minion(21, 5)], [minion(40000, 3, "lifesteal")], enemy_health=20)
    assert optimum(board, weights | {"enemy_threat": 1}) == 21


def test_no_turn_before_the_mulligan() -> None:
    board = state(0, hand=[card(1, 1, cost=0)], turn=0)
    assert plan_turn(board, "true_balanced").actions == ()


def test_a_board_above_the_limit_has_no_place_for_a_reborn_minion() -> None:
    enemy = [minion(5, 1, "reborn"), minion(1, 3), minion(1, 9)]
    board = state(0, [minion(3, 3)], enemy, rules=Ruleset(board_limit=2))
    assert optimum(board, {"enemy_threat": 10}) == -20


# -- large numbers


@pytest.mark.parametrize("attack", [200_000, 1_000_000])
def test_large_weights_and_attacks(attack: int) -> None:
    """The engine declines these numbers, and a solver may not prove the turn."""
    board = state(0, [minion(attack, 5)], [minion(1, 5)], enemy_health=900_000)
    within_bound(board, {"face_damage": 60000.000001, "minion_damage": 30000})


@pytest.mark.parametrize("other", [card(1, 1), spell(effect("armor", amount=1))])
def test_large_card_values(other: Card) -> None:
    low = card(1, 1, name="low")
    hand = [
        HandCard("a", card(1, 1, name="high"), 1, 10000),
        HandCard("b", low, 1, 0.000001),
        HandCard("c", other, 1, 5),
    ]
    within_bound(state(1, hand=hand), {"card_value": 60000.000001})


def test_large_multiplied_effects() -> None:
    burn = spell(effect("damage", "enemy hero", amount=500, times="enemy health"))
    optimum(state(1, [minion(1, 1)], hand=[burn], enemy_health=1_000_000), {"face_damage": 60000.000001})
    armor = spell(effect("armor", amount=1000, times="enemy health"), cost=0)
    board = state(1, [minion(1, 1)], hand=[armor] * 3, enemy_health=1_000_000)
    assert optimum(board, {"own_health": 1}) == 3_000_000_030


@pytest.mark.parametrize("rule", ["keep_mana", "keep_minions", "keep_cards"])
def test_requirements_beside_numbers_that_grow_too_large_at_the_end(rule: str) -> None:
    grows = minion(600_000, 5, "", effect("buff", "self", attack=600_000, on="turn_end"))
    profile = replace(Weights.of({"own_attack": 1}), require=(Rule(rule, 1),))
    plan = plan_turn(state(2, [grows], hand=[card(1, 1)]), profile)
    assert (plan.status, plan.objective) == ("optimal", 1_200_000 + (rule != "keep_cards"))


# -- keys


def test_a_new_minion_takes_an_id_that_another_has_left() -> None:
    beast = card(1, 5, name="beast")
    board = state(
        2, [minion(1, 5, of=beast, id="x"), minion(1, 5, of=beast, id="new.1001")], [minion(5, 1, "taunt")],
        power=power_card(effect("summon", makes=card(1, 1, name="token"))),
    )  # fmt: skip
    assert optimum(board, {"own_survival": 1, "enemy_threat": 10}) == 10


def test_a_function_may_count_the_cards_played(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(table: MutableState, side: int, *_: object) -> None:
        table.damage(1 - side, HERO, table.sides[side].cards_played, 0, side)

    monkeypatch.setitem(HOOKS, "count", count)
    hand = [
        spell(Effect("hook", name="count"), name="Count"),
        spell(effect("return", "all friendly minions"), name="Recall"),
        card(1, 1, cost=0, name="Free"),
    ]
    assert optimum(state(2, hand=hand), {"face_damage": 1}) == 4


# -- bounds


def test_silence_gives_back_attack_and_aura() -> None:
    banner = effect("buff", "all other friendly beasts", attack=4, on="aura")
    beast = card(5, 5, tribes=("beast",), name="Beast")
    armor = [spell(effect("armor", amount=2**i), cost=0, name=f"Armor {i}") for i in range(7)]
    board = with_auras(
        state(
            6,
            board=[minion(0, 3, "cannot_attack", banner, name="Banner"), minion(3, 5, of=beast, aura_attack=4)],
            enemy=player("enemy", board=[minion(0, 20, "taunt")], health=1, first=101),
            hand=[
                *armor,
                spell(effect("damage", "enemy hero", amount=8), cost=6, name="Blast"),
                spell(effect("destroy", "chosen enemy minion"), effect("mana", amount=5), cost=6, name="Kill"),
                spell(effect("silence", "chosen friendly minion"), cost=5, name="Silence"),
            ],
        )
    )
    profile = Weights.of({"face_damage": 100, "cards_in_hand": 10})
    assert plan_turn(board, profile).objective == 980
    comparison = native.compare_bound(board, profile, effort=500_000)
    assert comparison is not None
    assert comparison.excess == 0


def test_a_trade_above_the_hand_limit_burns_a_card() -> None:
    hand = [card(1, 1, "tradeable", cost=9, name=f"card {number}") for number in range(4)]
    board = state(2, hand=hand, rules=Ruleset(hand_limit=2), deck=3)
    for effort in (1, 2, 3):
        assert plan_turn(board, {"cards_in_hand": -1}, effort=effort).bound >= -2


# -- chance


def test_split_damage_of_no_points_is_certain() -> None:
    split = effect("damage", "all enemy characters", amount=1, times="armor", split=True)
    buff = effect("buff", "chosen friendly minion", attack=3)
    board = state(1, [minion(2, 3)], [minion(1, 9)], [spell(split, buff)])
    assert optimum(board, {"face_damage": 1}) == 5
    assert optimum(state(1, [minion(2, 3)], [minion(1, 9)], [spell(split)]), {"face_damage": 1}) == 2


def test_a_turn_whose_outcomes_are_not_listed_is_not_proved() -> None:
    """Split damage can only take minions away, and that part is not counted."""
    madness = spell(effect("damage", "all characters", amount=13, split=True), cost=3)
    mine = [minion(1, 1, attacks_left=0) for _ in range(7)]
    theirs = [minion(0, 9, "", effect("armor", amount=1, on="death")) for _ in range(7)]
    plan = plan_turn(state(3, mine, theirs, [madness]), {"own_survival": 1, "card_value": 1})
    assert (plan.status, plan.stopped, plan.proof) == ("feasible", "chance limit", None)


@pytest.mark.parametrize("rule", ["take_lethal", "forbid"])
def test_no_rule_rests_on_outcomes_that_are_not_listed(rule: str) -> None:
    bomb = effect("damage", "all friendly characters", amount=14, split=True)
    bomber = card(1, 1, "", bomb, effect("damage", "enemy hero", amount=10), cost=3)
    board = state(3, [minion(1, 9, attacks_left=0) for _ in range(6)], hand=[bomber], health=1, enemy_health=10)
    rolls = [replay_rolled(board, [Play("me.hand.0")], Random(seed)).end.me.hero.health for seed in range(50)]
    assert min(rolls) <= 0  # our hero may die
    lethal = Weights.of({"lethal": 1})
    profile = (
        replace(lethal, take_lethal=True)
        if rule == "take_lethal"
        else replace(lethal, forbid=(Rule("own_hero_death"),))
    )
    plan = plan_turn(board, profile)
    assert (plan.status, plan.lethal, plan.outcome) == ("feasible", False, None)
    if rule == "forbid":
        assert plan.actions == ()


def test_chance_at_the_end_of_the_turn_shares_the_runs_of_an_action() -> None:
    """Without that, listing the outcomes of this turn takes minutes."""
    lord = effect("damage", "random enemy character", amount=8, on="turn_end")
    wrath = spell(effect("damage", "all enemy characters", amount=8, split=True), cost=6)
    board = state(6, [minion(8, 8, "cannot_attack", lord)], [minion(1, 5) for _ in range(6)], [wrath])
    plan = plan_turn(board, "aggro_face")
    assert plan.stopped in ("chance limit", "finished")
    assert plan.objective == pytest.approx(float(replay(observe(board, 0), plan.actions).score(plan.weights)))


# -- the search for a win


def test_a_kill_is_the_best_that_a_search_for_one_can_find() -> None:
    """A spell that pays for itself has no bound, but a kill counts once."""
    board = state(1, [minion(5, 5)], hand=[spell(effect("mana", amount=1), words="echo")], enemy_health=3)
    answer = native.best_turns(board, Weights.of({"lethal": 1}), ties=False)
    assert answer is not None
    assert (answer.stopped, answer.turns[0].score) == ("finished", 1)


# -- the second review


def test_chance_at_the_end_keeps_its_score_during_a_search() -> None:
    """The end of this turn takes more than a thousand runs, and the spell too many."""
    end = effect("damage", "all enemy characters", amount=8, split=True, on="turn_end")
    bomb = spell(effect("damage", "all enemy characters", amount=30, split=True))
    board = state(1, [minion(0, 5, "", end, attacks_left=0)], [minion(1, 20) for _ in range(5)], [bomb])
    plan = plan_turn(board, {"minion_damage": 2, "face_damage": 1})
    assert (plan.solver, plan.stopped) == ("engine", "chance limit")


def test_a_minion_that_was_transformed_goes_on_with_its_own_effects() -> None:
    new = card(1, 5, name="New")

    def shifting(amount: int, name: str) -> Card:
        hit = effect("damage", "random enemy minion", amount=amount, on="turn_end")
        return card(1, 5, "", effect("transform", "self", makes=[new], on="turn_end"), hit, name=name)

    weak, strong = shifting(1, "Weak"), shifting(5, "Strong")
    shaper = effect("transform", "all other friendly minions", makes=[weak, strong], on="turn_end")
    other = spell(effect("return", "all friendly minions"), effect("damage", "random enemy minion", amount=2))
    mine = [minion(1, 5, "", shaper, attacks_left=0), minion(1, 5, of=weak, attacks_left=0)]
    assert optimum(state(1, mine, [minion(1, 9), minion(1, 9)], [other]), {"minion_damage": 1}) == 3


def test_a_function_may_remember_what_chance_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_or_nine(table: MutableState, _side: int, _source: object, spots: list[tuple[int, int]]) -> None:
        amount = (1, 9)[table.choose_at_random(2)]
        for spot in spots:
            table.destroy(*spot)
        resolve_deaths(table)
        table.damage(1, HERO, amount)

    monkeypatch.setitem(HOOKS, "one or nine", one_or_nine)
    rattle = effect("damage", "random enemy minion", amount=1, on="death")
    hook = spell(effect("hook", "all friendly minions", name="one or nine"))
    board = state(1, [minion(1, 1, "", rattle, attacks_left=0)], [minion(1, 9), minion(1, 9)], [hook])
    assert optimum(board, {"face_damage": 1}) == 5


def test_created_cards_have_large_values_too() -> None:
    gift = card(1, 1, cost=0, name="Gift", value=1_000_000)
    hand = [HandCard("a", spell(effect("add", makes=gift)), 1, 0), HandCard("b", card(1, 1), 9, 1e-9)]
    assert optimum(state(1, hand=hand), {"card_value": 10_000}) == pytest.approx(1e10)


def test_a_minion_that_comes_back_to_the_hand_has_a_value_that_is_no_integer() -> None:
    """The engine cannot count it, and the bound must not count it as another number."""
    back = spell(effect("return", "chosen friendly minion"), cost=0)
    first = spell(effect("add", makes=back, combo=False))
    burn = [spell(effect("damage", "enemy hero", amount=amount), cost=0) for amount in range(1, 8)]
    fire = spell(effect("damage", "enemy hero", amount=30))
    mine = minion(0, 1, of=card(0, 1, cost=0, value=100.5))
    board = state(1, [mine], hand=[*burn, fire, first], enemy_health=200)
    assert optimum(board, {"face_damage": 1, "card_value": 1}) == 137.5


def test_discarding_several_cards_is_listed_by_what_is_left() -> None:
    hand = [spell(effect("discard", count=5)), *(card(1, 1, cost=9, name=f"card {number}") for number in range(9))]
    plan = plan_turn(state(1, hand=hand), {"cards_in_hand": -1})
    assert (plan.status, plan.objective) == ("optimal", -4)


@pytest.mark.parametrize("solver", ["auto", "highs", "cpsat"])
def test_the_shield_of_a_weapon_does_nothing(solver: str) -> None:
    """The enemy hero is healed, so it survives four attacks."""
    board = state(
        0, [minion(2, 2), minion(2, 2)], [minion(5, 9, "lifesteal")], enemy_health=3,
        weapon=weapon(1, 2, "divine_shield"),
    )  # fmt: skip
    plan = plan_turn(board, {"lethal": -100, "face_damage": 5}, solver=solver)
    assert (plan.status, plan.objective) == ("optimal", 20)


@pytest.mark.parametrize("solver", ["auto", "highs", "cpsat"])
def test_numbers_that_an_aura_has_left_behind(solver: str) -> None:
    board = state(0, [minion(3, 9), minion(4, 5)], [minion(5, 9, aura_attack=4)])
    plan = plan_turn(board, dict.fromkeys(("minion_damage", "own_survival", "damage_taken"), 1), solver=solver)
    assert (plan.status, plan.objective) == ("optimal", 17)


@pytest.mark.parametrize("solver", ["auto", "highs", "cpsat"])
def test_lifesteal_that_comes_back_with_reborn(solver: str) -> None:
    back = card(4, 3, "charge lifesteal reborn", name="Back")
    board = state(
        0, [minion(4, 3, "reborn", of=back), minion(6, 3)], [minion(4, 11, "taunt")], health=2, enemy_health=6
    )
    board = board._replace(me=board.me._replace(hero=board.me.hero._replace(attack_this_turn=3)))
    plan = plan_turn(board, {"lethal": 100}, solver=solver)
    assert (plan.status, plan.objective) == ("optimal", 100)


def test_lethal_that_rests_on_outcomes_that_are_not_listed() -> None:
    heal = spell(effect("heal", "random 7 characters", amount=10), effect("damage", "enemy hero", amount=25))
    enemy = player("enemy", board=[minion(1, 3) for _ in range(7)], health=25, first=101)
    assert lethal_missed_by(state(1, [minion(1, 3, attacks_left=0) for _ in range(5)], enemy, [heal])) is None


def test_ranges_belong_to_the_best_turn() -> None:
    board = state(0, [minion(3, 3)], [minion(0, 4)])
    best, second, *_ = plan_turns(board, {"face_damage": 3, "minion_damage": 1}, k=3)
    assert best.ranges()
    with pytest.raises(PlannerError, match="not the best turn"):
        second.ranges()
    without = weight_ranges(second, exclude=best.actions)
    for entry in without:
        assert entry.low is not None
        assert entry.high is not None
        assert entry.low.at <= entry.weight <= entry.high.at


def test_losses_without_a_proof_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_turn(state(0, [minion(3, 3)], [minion(0, 4)]), {"face_damage": 3, "minion_damage": 1})
    assert plan.explain().losses == (6,)
    monkeypatch.setattr(explanation, "plan_without", lambda *_, **__: replace(plan, status=Status.FEASIBLE))
    text = plan.explain()
    assert text.losses == (None,)
    assert "not known without it" in str(text)


# -- numbers of a caller that contradict each other


@pytest.mark.parametrize(
    "board",
    [
        [minion(1, 1, "", effect("buff", "all other friendly minions", attack=4, on="aura")), minion(1, 3)],
        [minion(1, 3, aura_attack=-4)],
    ],
    ids=["without what an aura gives", "with what no aura takes"],
)
def test_the_first_action_brings_what_auras_give_up_to_date(board: list[Minion]) -> None:
    before = state(1, board, hand=[spell(effect("armor", amount=1))])
    for effort in (1, 2, 3):
        assert plan_turn(before, {"face_damage": 1}, effort=effort).bound >= truth(
            before, Weights.of({"face_damage": 1})
        )


def test_a_minion_that_enters_is_younger_than_those_on_the_board() -> None:
    """Otherwise states would differ by a clock that no key has."""
    board = state_to_dict(state(1, [minion(1, 1, entered=7)], [minion(1, 1, entered=9)])._replace(clock=0))
    assert state_from_dict(board).clock == 9
