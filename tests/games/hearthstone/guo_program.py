"""Guo's program (sections 6.3 to 6.5 of the thesis), written from the document alone.

This module does not import anything from planner and shares no code with it, so that an error in the project's own
transcription shows as a difference. The fragments that the thesis prints are followed line by line. Where it prints only a
description, this module follows the description:

- 6.3 does not print the survival rows. Its text says "total damage vs. adjusted health", so a minion may count as
  dead only if the attack values that are aimed at it reach its adjusted health.
- 6.5 does not print `get_friendly_attacker`, `ActiveMinion` or the removal of a played card from the hand. A minion that was
  not played has no attacker; a minion played this turn can attack if it has Charge or Rush; 7.2.2 says that a
  played card leaves the hand.
"""

# ruff: noqa: N806  (the letters of Guo 2025)
from __future__ import annotations

from dataclasses import dataclass, field

import gurobipy as gp
from gurobipy import GRB

MAX_BOARD_SIZE = 7


@dataclass
class Minion:
    """A card of the hand or a minion on the board."""

    attack: int
    health: int
    mana_cost: int = 0
    keywords: tuple[str, ...] = ()
    value: int = 1
    can_attack: bool = True
    attacks_this_turn: int = 0

    def has_keyword(self, keyword: str) -> bool:
        return keyword in self.keywords

    def take_damage(self, damage: int) -> None:
        self.health -= damage

    def is_dead(self) -> bool:
        return self.health <= 0


@dataclass
class Player:
    """One side of the game."""

    health: int
    mana: int = 0
    board: list[Minion] = field(default_factory=list)
    hand: list[Minion] = field(default_factory=list)


@dataclass(frozen=True)
class Solution:
    """The variables that 6.5 reads, and the objective of the program."""

    objective: float
    x_hero: dict[int, int]
    x_minions: dict[tuple[int, int], int]
    cards_played: dict[int, int]
    unique: bool


def run_single_turn(active: Player, opponent: Player, weights: list[float], *, uniqueness: bool = True) -> Solution:
    """Build and solve the program of 6.3; `uniqueness` asks whether no other choice of actions is as good."""
    friendly = active.board + active.hand
    m, n, h, total_mana = len(active.board), len(opponent.board), len(active.hand), active.mana
    A = [minion.attack for minion in friendly]
    B = [minion.health for minion in friendly]
    C = [minion.mana_cost for minion in friendly]
    S = [minion.value for minion in friendly]
    P = [minion.attack for minion in opponent.board]
    Q = [minion.health for minion in opponent.board]
    has_taunt = [minion.has_keyword("Taunt") for minion in opponent.board]
    W1, W2, W3, W4, W5, W6, W7, W8 = weights

    with gp.Env(params={"OutputFlag": 0}) as environment, gp.Model("turn", env=environment) as model:
        model.setParam("MIPGap", 0)
        model.setParam("Threads", 1)
        x_hero = model.addVars(m + h, vtype=GRB.BINARY)
        x = model.addVars(m + h, n, vtype=GRB.BINARY)
        y = model.addVars(m + h, vtype=GRB.BINARY)
        z = model.addVars(n, vtype=GRB.BINARY)
        z_hero = model.addVar(vtype=GRB.BINARY)
        c_ = model.addVar(vtype=GRB.BINARY)
        u = model.addVars(range(m, m + h), vtype=GRB.BINARY)

        B_prime = [B[i] + (1 if friendly[i].has_keyword("Divine Shield") else 0) for i in range(m + h)]
        Q_prime = [Q[j] + (1 if opponent.board[j].has_keyword("Divine Shield") else 0) for j in range(n)]

        model.setObjective(
            W1 * (1 - z_hero)
            + W2 * c_
            + W3 * gp.quicksum(A[i] * x_hero[i] for i in range(m + h))
            - W4 * gp.quicksum(P[j] * z[j] for j in range(n))
            + W5 * gp.quicksum(B[i] * y[i] for i in range(m + h))
            + W6 * gp.quicksum(A[i] * x[i, j] for i in range(m + h) for j in range(n))
            - W7 * gp.quicksum(P[j] * x[i, j] for i in range(m + h) for j in range(n))
            + W8 * gp.quicksum(S[i] * u[i] for i in range(m, m + h)),
            GRB.MAXIMIZE,
        )

        # Each minion may attack once (or twice with Windfury): the fragment prints range(m).
        for i in range(m):
            w_i = 1 if friendly[i].has_keyword("Windfury") else 0
            model.addConstr(gp.quicksum(x[i, j] for j in range(n)) + x_hero[i] <= 2 * w_i + (1 - w_i))
        # Rows (2) and (3) without the ceiling, which would let any damage kill.
        for j in range(n):
            model.addConstr(gp.quicksum(A[i] * x[i, j] for i in range(m + h)) >= Q_prime[j] * (1 - z[j]))
        model.addConstr(gp.quicksum(A[i] * x_hero[i] for i in range(m + h)) >= opponent.health * (1 - z_hero))
        # Row (4).
        for j in range(n):
            model.addConstr(c_ <= 1 - z[j])
        # Row (5), for the minions on the board: total damage against adjusted health.
        for i in range(m):
            damage = gp.quicksum(P[j] * x[i, j] for j in range(n))
            model.addConstr(damage <= B_prime[i] - 1 + sum(P) * (1 - y[i]))
        # Rows (6), (7) and (8).
        model.addConstr(gp.quicksum(y[i] for i in range(m)) + gp.quicksum(u[i] for i in range(m, m + h)) <= 7)
        for i in range(m, m + h):
            model.addConstr(y[i] <= u[i])
        model.addConstr(gp.quicksum(C[i] * u[i] for i in range(m, m + h)) <= total_mana)
        # Rows (9) and (10): a minion played this turn attacks with Charge, or minions with Rush.
        for i in range(m, m + h):
            charge, rush = friendly[i].has_keyword("Charge"), friendly[i].has_keyword("Rush")
            for j in range(n):
                model.addConstr(x[i, j] <= min(1, charge + rush) * u[i])
            model.addConstr(x_hero[i] <= int(charge) * u[i])
        if any(has_taunt[k] for k in range(n)):
            for i in range(m + h):
                for k in range(n):
                    if has_taunt[k]:
                        model.addConstr((z[k] == 1) >> (x_hero[i] == 0))
                for j in range(n):
                    if not has_taunt[j]:
                        for k in range(n):
                            if has_taunt[k]:
                                model.addConstr((z[k] == 1) >> (x[i, j] == 0))

        model.optimize()
        assert model.Status == GRB.OPTIMAL
        objective = model.ObjVal
        actions = [*x_hero.values(), *x.values(), *u.values()]
        chosen = [variable.X > 0.5 for variable in actions]
        solution = (
            {i: round(x_hero[i].X) for i in x_hero},
            {pair: round(x[pair].X) for pair in x},
            {i: round(u[i].X) for i in u},
        )
        unique = False
        if uniqueness:
            if not actions:
                unique = True
            else:
                same = gp.quicksum(
                    variable if one else 1 - variable for variable, one in zip(actions, chosen, strict=True)
                )
                model.addConstr(same <= len(actions) - 1)
                model.optimize()
                unique = model.Status == GRB.INFEASIBLE or model.ObjVal < objective - 1e-6
        return Solution(objective, *solution, unique)


def apply_solver_results(solution: Solution, active: Player, opponent: Player) -> None:
    """Carry a solution out as 6.5 prints it: every chosen attack, then the removal of the dead."""
    initial_friendly_board = list(active.board)
    initial_enemy_board = list(opponent.board)
    initial_hand = list(active.hand)
    m, h, n = len(initial_friendly_board), len(initial_hand), len(initial_enemy_board)
    played: dict[int, Minion] = {}

    for i_solver in range(m, m + h):
        if solution.cards_played.get(i_solver, 0) > 0.5:
            minion_to_play = initial_hand[i_solver - m]
            if len(active.board) < MAX_BOARD_SIZE and active.mana >= minion_to_play.mana_cost:
                active.mana -= minion_to_play.mana_cost
                minion_to_play.can_attack = minion_to_play.has_keyword("Charge") or minion_to_play.has_keyword("Rush")
                minion_to_play.attacks_this_turn = 0
                active.board.append(minion_to_play)
                active.hand = [card for card in active.hand if card is not minion_to_play]
                played[i_solver] = minion_to_play

    for i_solver in range(m + h):
        attacker = initial_friendly_board[i_solver] if i_solver < m else played.get(i_solver)
        if attacker is None:
            continue
        limit = 2 if attacker.has_keyword("Windfury") else 1
        for j_solver in range(n):
            if solution.x_minions.get((i_solver, j_solver), 0) > 0.5:
                target = initial_enemy_board[j_solver]
                if attacker.can_attack and attacker.attacks_this_turn < limit:
                    target.take_damage(attacker.attack)
                    attacker.take_damage(target.attack)
                    attacker.attacks_this_turn += 1
        if solution.x_hero.get(i_solver, 0) > 0.5 and attacker.can_attack and attacker.attacks_this_turn < limit:
            opponent.health -= attacker.attack
            attacker.attacks_this_turn += 1

    active.board = [minion for minion in active.board if not minion.is_dead()]
    opponent.board = [minion for minion in opponent.board if not minion.is_dead()]
