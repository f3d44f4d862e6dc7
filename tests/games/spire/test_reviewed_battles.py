"""Battles on which reading the code showed a false proof: hands whose order counts, and the limits of a battle."""

from __future__ import annotations

import pickle
from pathlib import Path
from random import Random

import pytest

from planner import plan_turn
from planner.games import load_game
from planner.games.spire.battle_codec import state_from_json, state_to_json
from planner.games.spire.battle_planner import BattleWeights, expected_amounts
from planner.games.spire.battle_rules import MAX_PLAYS, apply, legal_actions
from planner.games.spire.battle_state import Battle

EXTENSION = """
from planner.games.spire.extensions import Extension

extension = Extension()


@extension.verb("first is strike", text="gain 20 block if the first of two cards is a Strike")
def first(battle, source):
    if len(battle.hand) == 2 and battle.hand[0].name == "Strike" and battle.hand[1].name != "Strike":
        battle.gain_block(source, 20)


extension.define(cards={
    "Look": {"cost": 0, "type": "skill", "does": [{"do": "first is strike"}]},
    "Huge": {"cost": 4, "type": "skill", "does": [{"do": "block", "amount": 1, "to": "self"}]},
    "Cheap": {"cost": 1, "type": "skill", "does": [{"do": "heal", "amount": 0, "to": "self"}]},
})
"""
WEIGHTS = BattleWeights(name="both", block_kept=1, damage_dealt=1)


def score(start: Battle, end: Battle) -> float:
    amounts = expected_amounts(start, end)
    return float(amounts["block_kept"] + amounts["damage_dealt"])


def best(start: Battle, now: Battle) -> float:
    """Return the best score over every order of plays."""
    further = [best(start, apply(now, action, Random(0))) for action in legal_actions(now) if action.type != "end"]
    return max([score(start, now), *further])


@pytest.mark.parametrize("between", ["Huge", "Cheap"])
def test_the_order_of_the_hand_counts_where_a_verb_reads_it(between: str, tmp_path: Path) -> None:
    path = tmp_path / "first.py"
    path.write_text(EXTENSION, encoding="utf-8")
    game = load_game(str(path))
    state = {
        "game": str(path), "hand": ["Strike", between, "Strike", "Look"], "energy": 1,
        "enemies": [{"name": "Jaw Worm", "health": 40, "move": "Bellow"}],
    }  # fmt: skip
    start = game.state_from_json(state)
    plan = plan_turn(state, WEIGHTS)
    now = start
    for action in plan.actions:
        now = now if action.type == "end" else apply(now, action, Random(0))
    assert (plan.status, plan.objective) == ("optimal", best(start, start))
    assert score(start, now) == plan.objective  # the actions of the plan, and not those of an equal card


def test_a_battle_that_ends_at_its_limit_is_lost() -> None:
    state = {
        "game": "spire", "hand": ["Strike"], "energy": 3, "played": MAX_PLAYS - 1,
        "enemies": [{"name": "Jaw Worm", "health": 40, "move": "Bellow"}],
    }  # fmt: skip
    plan = plan_turn(state, {"damage_dealt": 1, "death": 100})
    assert (plan.actions, plan.objective) == ((), 0)


@pytest.mark.parametrize(
    "action",
    [
        {"do": "energy", "amount": 9000},
        {"do": "block", "amount": 9000, "to": "self"},
        {"do": "apply", "status": "strength", "amount": 9000, "to": "self"},
        {"do": "apply", "status": "swelling", "amount": 9000, "to": "self"},
        {"do": "upgrade", "to": "all cards in hand"},
    ],
)
def test_numbers_stay_so_small_that_a_battle_can_be_read_again(action: dict[str, object]) -> None:
    swelling = {"good": True, "stacking": "add", "each_turn": 9000}
    library = {
        "cards": {"Huge": {"cost": 0, "type": "skill", "does": [action], "retain": True}},
        "statuses": {"swelling": swelling},
    }
    battle = state_from_json({
        "game": "spire", "hand": ["Searing Blow+998", "Huge", "Huge", "Huge"], "library": library,
        "enemies": [{"name": "Jaw Worm", "move": "Bellow"}],
    })  # fmt: skip
    for action_type in ("play", "play", "play", "end"):
        choices = [choice for choice in legal_actions(battle) if choice.type == action_type]
        battle = apply(battle, choices[-1], Random(1))
        assert state_from_json(state_to_json(battle)) == battle


def test_the_order_of_the_sections_of_a_library_does_not_count() -> None:
    state = {"game": "spire", "enemies": [{"name": "Goblin"}]}
    cards = {
        "Nap": {"cost": 0, "type": "skill", "does": [{"do": "apply", "status": "tired", "amount": 1, "to": "self"}]}
    }
    statuses = {"tired": {"good": False, "stacking": "add"}}
    battle = state_from_json({**state, "library": {"cards": cards, "enemies": {}, "statuses": statuses}})
    assert battle == state_from_json({**state, "library": {"statuses": statuses, "cards": cards}})
    assert pickle.loads(pickle.dumps(battle)) == battle
