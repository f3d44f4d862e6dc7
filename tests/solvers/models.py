"""Models for the tests and the measurements."""

from __future__ import annotations

import itertools
import random

import pytest

from planner.solvers.backend import Solution, SolveStatus
from planner.solvers.linear_model import INF, LinearModel


def turn_like(seed: int, *, variables: int = 60, rows: int = 40, weight: int = 1000) -> LinearModel:
    """Return a model like one turn: attackers assigned to targets, kills by damage, and a hand as a knapsack."""
    rng = random.Random(seed)
    model = LinearModel(f"turn-like {seed}")
    cards = max(3, variables // 8)
    targets = max(2, round(((variables - cards) / 1.2) ** 0.5))
    attackers = max(2, (variables - cards - targets) // (targets + 1))
    attack = [rng.randint(1, 8) for _ in range(attackers)]
    health = [rng.randint(1, 9) for _ in range(targets)]
    damage = [
        [model.add_var(f"hit {a} {t}", objective=-rng.randint(0, weight // 5)) for t in range(targets)]
        for a in range(attackers)
    ]
    face = [model.add_var(f"face {a}", objective=rng.randint(1, weight // 3)) for a in range(attackers)]
    kill = [model.add_var(f"kill {t}", objective=rng.randint(weight // 4, weight)) for t in range(targets)]
    play = [model.add_var(f"play {c}", objective=rng.randint(1, weight)) for c in range(cards)]
    for a in range(attackers):
        model.add_row(f"once {a}", [(x, 1) for x in [*damage[a], face[a]]], upper=1)
    for t in range(targets):
        pairs = [(damage[a][t], attack[a]) for a in range(attackers)]
        model.add_row(f"dead {t}", [*pairs, (kill[t], -health[t])], lower=0)
        # At most three attackers per target, and none without a kill.
        model.add_row(f"few {t}", [*[(x, 1) for x, _ in pairs], (kill[t], -3)], upper=0)
    taunts = rng.sample(range(targets), min(2, targets))
    for a in range(attackers):
        for t in taunts:
            if model.num_rows < rows - 2:
                model.add_row(f"taunt {a} {t}", [(face[a], 1), (kill[t], -1)], upper=0)
    costs = [rng.randint(1, 7) for _ in range(cards)]
    model.add_row("mana", zip(play, costs, strict=True), upper=rng.randint(4, 10))
    model.add_row("board", [*[(x, 1) for x in play]], upper=rng.randint(1, 7))
    return model


def random_model(seed: int) -> LinearModel:
    """Return a small model with binary and integer variables and rows of every kind; some are infeasible."""
    rng = random.Random(seed)
    model = LinearModel(f"random {seed}")
    for i in range(rng.randint(1, 8)):
        if rng.random() < 0.7:
            model.add_var(f"b{i}", objective=rng.randint(-9, 9))
        else:
            low = rng.randint(-2, 1)
            model.add_var(f"g{i}", low, low + rng.randint(0, 3), objective=rng.randint(-9, 9))
    inside = [rng.randint(int(model.var_bounds(i)[0]), int(model.var_bounds(i)[1])) for i in range(model.num_vars)]
    for r in range(rng.randint(0, 7)):
        members = rng.sample(range(model.num_vars), rng.randint(0, model.num_vars))
        pairs = [(i, rng.choice([-5, -3, -2, -1, 1, 1, 2, 3, 7])) for i in members]
        activity = sum(c * inside[i] for i, c in pairs) + (rng.randint(-2, 2) if rng.random() < 0.2 else 0)
        kind = rng.randrange(5)
        lower = activity if kind == 0 else activity - rng.randint(0, 3) if kind in (1, 2) else -INF
        upper = activity if kind == 0 else activity + rng.randint(0, 3) if kind in (1, 3) else INF
        model.add_row(f"row {r}", pairs, lower, upper)
    return model


def market_split(seed: int, rows: int = 5) -> LinearModel:
    """Return a market split model (Cornuéjols and Dawande): small, but no solver here solves it in seconds."""
    rng = random.Random(seed)
    columns = 10 * (rows - 1)
    model = LinearModel(f"market split {seed}")
    market = [model.add_var(f"x{i}") for i in range(columns)]
    for r in range(rows):
        shares = [rng.randrange(100) for _ in range(columns)]
        over = model.add_var(f"over {r}", 0, 100 * columns, objective=-1)
        under = model.add_var(f"under {r}", 0, 100 * columns, objective=-1)
        pairs = [*zip(market, shares, strict=True), (over, 1), (under, -1)]
        model.add_row(f"market {r}", pairs, sum(shares) // 2, sum(shares) // 2)
    return model


def packages(seed: int, *, attackers: int = 6, targets: int = 5, weight: int = 1000) -> LinearModel:
    """Return a set packing model: each column is a set of attackers for one target. The relaxation is often integral."""
    rng = random.Random(seed)
    model = LinearModel(f"packages {seed}")
    used: list[list[int]] = [[] for _ in range(attackers)]
    attack = [rng.randint(1, 8) for _ in range(attackers)]
    for t in range(targets):
        health, value = rng.randint(1, 12), rng.randint(weight // 4, weight)
        columns = []
        for chosen in range(1, 2**attackers):
            members = [a for a in range(attackers) if chosen >> a & 1]
            power = sum(attack[a] for a in members)
            if len(members) <= 3 and health <= power < health + min(attack[a] for a in members):
                column = model.add_var(f"kill {t} with {members}", objective=value - rng.randint(0, weight // 4))
                columns.append(column)
                for a in members:
                    used[a].append(column)
        model.add_row(f"target {t}", [(c, 1) for c in columns], upper=1)
    for a in range(attackers):
        face = model.add_var(f"face {a}", objective=attack[a] * weight // 20)
        model.add_row(f"attacker {a}", [(c, 1) for c in [*used[a], face]], upper=1)
    cards = [model.add_var(f"play {c}", objective=rng.randint(1, weight)) for c in range(7)]
    model.add_row("mana", [(c, rng.randint(1, 7)) for c in cards], upper=rng.randint(4, 10))
    model.add_row("board", [(c, 1) for c in cards], upper=rng.randint(1, 7))
    return model


def best_by_enumeration(model: LinearModel) -> float | None:
    """Return the optimum of a small integer model by enumeration, or None if it is infeasible."""
    ranges = []
    for i in range(model.num_vars):
        low, high = model.var_bounds(i)
        ranges.append(range(int(low), int(high) + 1))
    rows = [(model.row(r), *model.row_bounds(r)) for r in range(model.num_rows)]
    best = None
    for values in itertools.product(*ranges):
        if all(low <= sum(c * values[i] for i, c in pairs) <= high for pairs, low, high in rows):
            objective = sum(c * values[i] for i, c in model.objective) + model.constant
            best = objective if best is None else max(best, objective)
    return best


def proved(solution: Solution, objective: float) -> None:
    """Assert that the solution has this objective and is proved optimal."""
    assert solution.status is SolveStatus.OPTIMAL, solution
    assert solution.objective == pytest.approx(objective, abs=1e-6)
    assert solution.bound == solution.objective
