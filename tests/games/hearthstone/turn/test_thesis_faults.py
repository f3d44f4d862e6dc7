"""The faults of the model printed in the thesis, with one small board for each fault.

The table of the faults is in docs/explanation/formulation.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from planner import plan_turn


class Fault(NamedTuple):
    weights: dict[str, float]
    optimum: float
    claimed: float
    earned: float
    mine: Sequence[dict[str, Any]] = ()
    theirs: Sequence[dict[str, Any]] = ()
    hand: Sequence[dict[str, Any]] = ()
    hero: int = 30
    mana: int = 0
    weapon: dict[str, int] | None = None


def minion(attack: int, health: int, *keywords: str, **more: int) -> dict[str, Any]:
    return {"attack": attack, "health": health, "keywords": list(keywords), **more}


FAULTS = {
    "several attacks on a dead minion": Fault(
        {"minion_damage": 10, "face_damage": 1}, 33, 60, 30, mine=[minion(3, 4), minion(3, 4)], theirs=[minion(1, 1)]
    ),
    "several attacks on a dead hero": Fault({"face_damage": 1}, 3, 6, 3, mine=[minion(3, 4), minion(3, 4)], hero=3),
    "a charger from the hand attacks every enemy": Fault(
        {"minion_damage": 1, "face_damage": 1, "card_value": 1}, 4, 7, 4,
        theirs=[minion(1, 3)], hand=[minion(3, 3, "charge", cost=3)], mana=3,
    ),
    "a minion from the hand never dies": Fault(
        {"minion_damage": 1, "own_survival": 1, "card_value": 1}, 4, 5, 4,
        theirs=[minion(5, 3)], hand=[minion(3, 1, "rush", cost=3)], mana=3,
    ),
    "windfury attacks after death": Fault(
        {"minion_damage": 1, "face_damage": 1}, 3, 6, 3, mine=[minion(3, 2, "windfury")], theirs=[minion(4, 3, "taunt")]
    ),
    "a healthy minion counts as dead to free its board slot": Fault(
        {"face_damage": 1, "card_value": 1}, 12, 13, 7, mine=[minion(1, 1)] * 7, theirs=[minion(3, 9)],
        hand=[minion(5, 1, "charge", cost=1)], mana=1,
    ),
    "divine shield is ignored": Fault(
        {"enemy_threat": 5}, -15, 0, -15, mine=[minion(3, 4)], theirs=[minion(3, 3, "divine_shield")]
    ),
    "frozen minions attack": Fault({"lethal": 5, "face_damage": 1}, 0, 8, 0, mine=[minion(3, 4, "frozen")], hero=3),
    "weapons are ignored": Fault({"face_damage": 18}, 54, 0, 0, hero=9, weapon={"attack": 3, "durability": 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str) -> None:
    fault = FAULTS[name]
    me: dict[str, Any] = {"hero": {"health": 30}, "board": list(fault.mine), "hand": list(fault.hand)}
    if fault.weapon:
        me["weapon"] = fault.weapon
    state = {"mana": fault.mana, "me": me, "enemy": {"hero": {"health": fault.hero}, "board": list(fault.theirs)}}
    for solver in ("auto", "highs"):
        assert plan_turn(state, fault.weights, solver).objective == fault.optimum
        thesis = plan_turn(state, fault.weights, solver, "thesis")
        assert (thesis.claimed, thesis.objective) == (fault.claimed, fault.earned)
        assert thesis.status == ("optimal" if fault.claimed == fault.earned else "feasible")
