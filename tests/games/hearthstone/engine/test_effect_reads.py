"""Turns that were called optimal because a state key or a bound overlooked something that an effect reads.

The boards of false_optima_2.jsonl: several minions return to a hand that fills up (position decides), a minion becomes
one with a deathrattle (order of arrival decides), a negative health buff bypasses a hero's armor (the bound), one event
has more than 255 outcomes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from planner import plan_turn, plan_turns
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.effect_reads import card_reads
from planner.games.hearthstone.engine import available
from planner.games.hearthstone.rules.state_json import state_from_dict
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.native import compare_bound
from tests.build import card as minion_card
from tests.build import spell
from tests.games.hearthstone.cards.test_effect_reads import ORDINARY, effects

if not available():
    pytest.skip("the engine is not compiled here", allow_module_level=True)

from planner.games.hearthstone import _engine

BOARDS: Final = [json.loads(line) for line in Path(__file__).with_name("false_optima_2.jsonl").read_text().splitlines()]
SCORED: Final = [(index, board) for index, board in enumerate(BOARDS) if isinstance(board["truth"], float)]
BOUNDED: Final = [(index, board) for index, board in enumerate(BOARDS) if board["truth"] is None]


def name(value: Any) -> str:
    return value["name"] if isinstance(value, dict) else str(value)


@pytest.mark.parametrize(("index", "board"), SCORED, ids=name)
def test_the_best_turn_is_found(index: int, board: dict[str, Any]) -> None:
    plan = plan_turn(board["state"], board["weights"])
    assert (plan.status, plan.solver) == ("optimal", "engine")
    assert plan.objective == pytest.approx(board["truth"])


@pytest.mark.parametrize(("index", "board"), SCORED, ids=name)
def test_the_best_turn_comes_first(index: int, board: dict[str, Any]) -> None:
    scores = [plan.objective for plan in plan_turns(board["state"], board["weights"], k=4)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == pytest.approx(board["truth"])


@pytest.mark.parametrize(("index", "board"), BOUNDED, ids=name)
def test_no_bound_is_below_the_truth(index: int, board: dict[str, Any]) -> None:
    assert plan_turn(board["state"], board["weights"]).status == "optimal"
    comparison = compare_bound(state_from_dict(board["state"]), Weights.of(board["weights"]), effort=20_000)
    assert comparison is not None
    assert comparison.states > 1
    assert comparison.excess == 0


def test_all_boards_are_checked() -> None:
    assert (len(BOARDS), len(SCORED), len(BOUNDED)) == (20, 14, 4)  # two more are about rules


def test_a_conditional_aura_ends_with_its_condition() -> None:
    """Cogmaster loses its bonus when the mech dies, so the claimed win does not exist; Proud Defender gains one."""
    cogmaster, defender = (board for board in BOARDS if board["name"].startswith("RULE"))
    assert not plan_turn(cogmaster["state"], cogmaster["weights"]).lethal
    assert plan_turn(defender["state"], defender["weights"]).lethal


@pytest.mark.parametrize("trigger", ["play", "death"])
@pytest.mark.parametrize("do", ORDINARY)
def test_engine_and_python_declare_the_same(do: str, trigger: str) -> None:
    for effect in effects(do, trigger):
        card = spell(effect) if trigger == "play" else minion_card(1, 1, "", effect)
        assert _engine.card_reads(card) == card_reads(card).value, effect


def test_they_declare_the_same_for_every_card() -> None:
    cards = [card for card in standard().by_word.values() if _engine.card_reads(card) is not None]
    assert len(cards) > 300
    for card in cards:
        assert _engine.card_reads(card) == card_reads(card).value, card.name
