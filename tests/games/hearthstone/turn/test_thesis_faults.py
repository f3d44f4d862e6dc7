"""The faults of the model printed in the thesis and of its keyword rows, with one small board for each fault.

The table of the faults is in docs/explanation/formulation.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from planner import plan_turn
from planner.games.hearthstone.turn.turn_plan import linear_model
from planner.solvers import DEFAULT, get
from planner.solvers.backend import SolveStatus
from planner.solvers.linear_model import INF


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
    formulation: str = "thesis"


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
    "a divine shield is one more point of health: a large attack seems to break through": Fault(
        {"enemy_threat": 5}, -15, 0, -15, mine=[minion(4, 4)], theirs=[minion(3, 3, "divine_shield")]
    ),
    "a divine shield is one more point of health: a small one seems to be enough": Fault(
        {"own_survival": 1, "minion_damage": 1}, 5, 3, 5,
        mine=[minion(3, 2, "divine_shield")], theirs=[minion(9, 9)],
    ),
    "frozen minions attack": Fault({"lethal": 5, "face_damage": 1}, 0, 8, 0, mine=[minion(3, 4, "frozen")], hero=3),
    "weapons are ignored": Fault({"face_damage": 18}, 54, 0, 0, hero=9, weapon={"attack": 3, "durability": 1}),
    # The rows of chapter 5.
    "a battlecry (5.2.4) is worth nothing: its variable is in no other row": Fault(
        {"lethal": 5, "face_damage": 1, "card_value": 1}, 7, 1, 1, hero=1, mana=1,
        hand=[{"name": "Elven Archer"}], formulation="thesis_keywords",
    ),
    "an own deathrattle (5.2.5) is worth nothing": Fault(
        {"minion_damage": 1, "face_damage": 1}, 5, 3, 3, theirs=[minion(9, 9, "taunt")],
        mine=[{"name": "Leper Gnome", "attack": 3}], formulation="thesis_keywords",
    ),
    "an enemy deathrattle (5.2.6) costs nothing": Fault(
        {"enemy_threat": 1, "board_clear": 1}, -2, 1, 1, mine=[minion(3, 5)],
        theirs=[{"name": "Harvest Golem"}], formulation="thesis_keywords",
    ),
    "an own divine shield (5.3.3) does not help: row (5) stays": Fault(
        {"own_survival": 1, "minion_damage": 1}, 5, 3, 5,
        mine=[minion(3, 2, "divine_shield")], theirs=[minion(9, 9)], formulation="thesis_keywords",
    ),
    "an enemy divine shield (5.3.3) does not protect: an attack with enough damage kills": Fault(
        {"enemy_threat": 5}, -15, 0, -15, mine=[minion(3, 4)], theirs=[minion(3, 3, "divine_shield")],
        formulation="thesis_keywords",
    ),
    "an enemy divine shield (5.3.3) cannot be broken by a smaller attack": Fault(
        {"minion_damage": 1}, 1, 0, 0, mine=[minion(1, 4)], theirs=[minion(3, 3, "divine_shield")],
        formulation="thesis_keywords",
    ),
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
        thesis = plan_turn(state, fault.weights, solver, fault.formulation)
        assert (thesis.claimed, thesis.objective) == (fault.claimed, fault.earned)
        assert thesis.status == ("optimal" if fault.claimed == fault.earned and not thesis.ignored else "feasible")


def test_the_row_of_an_enemy_deathrattle_as_printed_has_no_solution() -> None:
    # 5.2.6 prints e <= (1 - z) e with one symbol for the flag and the variable. With the flag, z has to be 0: a minion
    # with a deathrattle that is too strong to be killed makes the program infeasible.
    state = {
        "mana": 0,
        "me": {"hero": {"health": 30}, "board": [minion(1, 1)]},
        "enemy": {"hero": {"health": 30}, "board": [{"name": "Harvest Golem"}]},
    }
    model = linear_model(state, "true_balanced", "thesis_keywords")
    solver = get(DEFAULT)
    assert solver.solve(model).status is SolveStatus.OPTIMAL
    model.add_row("as printed", [(model.var_names.index("z[enemy.board.0]"), 1)], -INF, 0)
    assert solver.solve(model).status is SolveStatus.INFEASIBLE
