"""Card effects that the thesis formulation ignores: the plan names them, is legal, and is not proved."""

from __future__ import annotations

from random import Random

from planner import plan_turn
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.rules.actions import Play
from planner.games.hearthstone.rules.legal import illegal_reason
from planner.games.hearthstone.rules.resolve import apply
from planner.games.hearthstone.rules.state_json import state_from_dict

ENEMY = {"hero": {"health": 30}, "board": [{"name": "Chillwind Yeti"}]}


def test_a_harmful_battlecry_targets_an_enemy_and_is_listed_as_ignored() -> None:
    state = {"mana": 3, "me": {"hero": {"health": 30}, "hand": [{"name": "Elven Archer"}]}, "enemy": ENEMY}
    plan = plan_turn(state, "true_balanced", formulation="thesis")
    assert plan.actions == (Play("me.hand.0", "enemy.hero"),)
    assert plan.ignored == ("Elven Archer",)
    assert plan.status == "feasible"


def test_a_helpful_battlecry_targets_a_friendly_minion() -> None:
    me = {"hero": {"health": 30}, "board": [{"attack": 1, "health": 1}], "hand": [{"name": "Shattered Sun Cleric"}]}
    plan = plan_turn({"mana": 3, "me": me, "enemy": ENEMY}, "keep_alive", formulation="thesis")
    assert Play("me.hand.0", "me.board.0") in plan.actions


def test_an_ignored_draw_still_counts_for_reveals() -> None:
    me = {"hero": {"health": 30}, "board": [{"attack": 1, "health": 1}], "hand": ["Novice Engineer"], "deck": 3}
    plan = plan_turn({"mana": 2, "me": me, "enemy": ENEMY}, "aggro_face", formulation="thesis")
    assert plan.actions[0] == Play("me.hand.0")
    assert plan.reveals == 0


def test_usable_spells_weapons_and_hero_powers_are_listed_as_ignored() -> None:
    me = {"hero": {"health": 30}, "hand": [{"name": "Fireball"}, {"name": "Fiery War Axe"}], "hero_power": "Fireblast"}
    named = {"Fireball", "Fiery War Axe", "Fireblast"}
    assert set(plan_turn({"mana": 4, "me": me, "enemy": ENEMY}, formulation="thesis").ignored) == named
    assert plan_turn({"mana": 1, "me": me, "enemy": ENEMY}, formulation="thesis").ignored == ()
    assert plan_turn({"mana": 4, "me": me, "enemy": ENEMY}).ignored == ()


def test_plans_are_legal_with_any_card_in_hand() -> None:
    rng = Random(3)
    names = [card.name for card in standard().values() if not card.token and card.type != "hero_power"]
    for _ in range(150):
        hand = [{"name": name} for name in rng.sample(names, 3)]
        board = [{"name": rng.choice(("Chillwind Yeti", "Annoy-o-Tron", "Loot Hoarder"))} for _ in range(2)]
        mapping = {"mana": 10, "me": {"hero": {"health": 20}, "board": board, "hand": hand}, "enemy": ENEMY}
        plan = plan_turn(mapping, "author_favorite", formulation="thesis")
        state = state_from_dict(mapping)
        for action in plan.actions:
            assert illegal_reason(state, action) is None, (hand, plan.actions)
            state = apply(state, action, rng)
