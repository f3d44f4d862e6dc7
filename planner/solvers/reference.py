"""The program of Guo 2025 (section 6.3) as it was written: the baseline of the benchmark, used nowhere else.

It creates one gurobipy object for each variable, sum and row, indicator constraints for taunt, and a new model every
turn, and reads the solution into a dictionary. We wrote it from the formulas and the description. It differs from the
printed model (5.4.4) in one point: a divine shield counts as one more point of health. Where the text contradicts
itself (whether W5 counts the minions in hand), the program counts them.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from planner import solvers
from planner.errors import PlannerError


class TurnInputs(NamedTuple):
    """A turn as plain numbers, with the letters of Guo 2025: friendly minions on the board, then those in hand."""

    m: int  # friendly minions on the board
    n: int  # enemy minions
    h: int  # minions in hand
    mana: int
    hero_health: int
    A: Sequence[int]  # attack of m + h
    B: Sequence[int]  # health of m + h
    P: Sequence[int]  # attack of the n enemies
    Q: Sequence[int]  # health of the n enemies
    C: Sequence[int]  # cost of m + h; 0 on the board
    S: Sequence[float]  # value of m + h; only the hand counts
    charge: Sequence[bool]
    rush: Sequence[bool]
    windfury: Sequence[bool]
    shield: Sequence[bool]
    enemy_taunt: Sequence[bool]
    enemy_shield: Sequence[bool]
    weights: Sequence[float]  # W1 to W8


def problem() -> str | None:
    """Return why the program cannot run here, or None if it can."""
    record = solvers.info("gurobi")
    if record.name not in solvers.installed():
        return f"{record.title} is not installed: {record.install}"
    return solvers.get(record.name).usable()


@functools.cache
def _environment() -> Any:
    """Return the silent environment of this process, with one thread like the other contestants."""
    import gurobipy as gp  # noqa: PLC0415  (optional)

    return gp.Env(params={"OutputFlag": 0, "LogToConsole": 0, "Threads": 1})


def solve_as_written(turn: TurnInputs) -> dict[str, Any]:
    """Return the decisions of the turn by name."""
    import gurobipy as gp  # noqa: PLC0415

    grb = gp.GRB
    m, n, h = turn.m, turn.n, turn.h
    A, P, Q = turn.A, turn.P, turn.Q  # noqa: N806  (the letters of Guo 2025)
    friends, enemies, hand = range(m + h), range(n), range(m, m + h)
    model = gp.Model("turn", env=_environment())
    x_hero = model.addVars(m + h, vtype=grb.BINARY, name="x_hero")
    x = model.addVars(m + h, n, vtype=grb.BINARY, name="x")
    y = model.addVars(m + h, vtype=grb.BINARY, name="y")
    z = model.addVars(n, vtype=grb.BINARY, name="z")
    z_hero = model.addVar(vtype=grb.BINARY, name="z_hero")
    clear = model.addVar(vtype=grb.BINARY, name="c")
    u = model.addVars(hand, vtype=grb.BINARY, name="u")

    w1, w2, w3, w4, w5, w6, w7, w8 = turn.weights
    model.setObjective(
        w1 * (1 - z_hero)
        + w2 * clear
        + w3 * gp.quicksum(A[i] * x_hero[i] for i in friends)
        - w4 * gp.quicksum(P[j] * z[j] for j in enemies)
        + w5 * gp.quicksum(turn.B[i] * y[i] for i in friends)
        + w6 * gp.quicksum(A[i] * x[i, j] for i in friends for j in enemies)
        - w7 * gp.quicksum(P[j] * x[i, j] for i in friends for j in enemies)
        + w8 * gp.quicksum(turn.S[i] * u[i] for i in hand),
        grb.MAXIMIZE,
    )

    for i in range(m):  # (1)
        limit = 2 if turn.windfury[i] else 1
        model.addConstr(gp.quicksum(x[i, j] for j in enemies) + x_hero[i] <= limit)
    for j in enemies:  # (2), linear as in 4.4.2
        health = Q[j] + turn.enemy_shield[j]
        model.addConstr(z[j] >= 1 - gp.quicksum(A[i] / health * x[i, j] for i in friends))
    model.addConstr(z_hero >= 1 - gp.quicksum(A[i] / turn.hero_health * x_hero[i] for i in friends))  # (3)
    for j in enemies:  # (4)
        model.addConstr(clear <= 1 - z[j])
    for i in range(m):  # (5)
        health = turn.B[i] + turn.shield[i]
        risk = gp.quicksum(_ceil_of_risk(P[j], health) * x[i, j] for j in enemies)
        model.addConstr(y[i] <= 1 - risk)
    model.addConstr(gp.quicksum(y[i] for i in range(m)) + gp.quicksum(u[i] for i in hand) <= 7)  # (6)
    for i in hand:  # (7)
        model.addConstr(y[i] <= u[i])
    model.addConstr(gp.quicksum(turn.C[i] * u[i] for i in hand) <= turn.mana)  # (8)
    for i in hand:
        for j in enemies:  # (9)
            model.addConstr(x[i, j] <= (turn.charge[i] or turn.rush[i]) * u[i])
        model.addConstr(x_hero[i] <= turn.charge[i] * u[i])  # (10)
    taunts = [k for k in enemies if turn.enemy_taunt[k]]
    for i in friends:
        for k in taunts:  # (11)
            model.addConstr((z[k] == 1) >> (x_hero[i] == 0))
        for j in enemies:  # (12)
            if not turn.enemy_taunt[j]:
                for k in taunts:
                    model.addConstr((z[k] == 1) >> (x[i, j] == 0))

    try:
        model.optimize()
    except gp.GurobiError as error:
        raise PlannerError(f"the program of Guo 2025: {error}") from None
    if model.Status != grb.OPTIMAL:
        raise PlannerError(f"the program of Guo 2025: Gurobi ended with status {model.Status}")
    return {
        "objective": model.ObjVal,
        "x_hero": {i: round(x_hero[i].X) for i in friends},
        "x_minions": {(i, j): round(x[i, j].X) for i in friends for j in enemies},
        "y_survive": {i: round(y[i].X) for i in friends},
        "z_enemy": {j: round(z[j].X) for j in enemies},
        "z_hero": round(z_hero.X),
        "c_clear": round(clear.X),
        "cards_played": {i: round(u[i].X) for i in hand},
    }


def _ceil_of_risk(enemy_attack: int, own_health: int) -> int:
    """Return ceil((P - B + 1) / P), the coefficient in (5); 0 for an enemy without attack."""
    return 0 if enemy_attack <= 0 else -((own_health - 1 - enemy_attack) // enemy_attack)
