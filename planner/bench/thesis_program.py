"""The thesis's program as it was written, on our states: what the benchmark compares with.

It needs an optional package; `planner.solvers.reference.problem` says what is missing. The same model for
every solver is `plan_turn(..., formulation="thesis")`.
"""

from __future__ import annotations

from typing import Any

from planner.games.hearthstone.cards.keywords import CHARGE, DIVINE_SHIELD, RUSH, TAUNT, WINDFURY
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import TERMS, Weights
from planner.games.hearthstone.turn.scoring import replay_legal
from planner.games.hearthstone.turn.thesis_program import Choice, decode, minions_in_hand
from planner.solvers import reference


def solve_reference(state: GameState, weights: Weights) -> dict[str, Any]:
    """The decisions of the turn, from the state to the dictionary that the thesis reads them from."""
    return reference.solve_as_written(_inputs(state, weights))


def reference_actions(state: GameState, weights: Weights) -> list[Action]:
    """What is legal of those decisions, for whole matches."""
    solution = solve_reference(state, weights)
    played, hits, face = (
        [key for key, on in solution[part].items() if on] for part in ("cards_played", "x_minions", "x_hero")
    )
    return replay_legal(state, decode(state, Choice(0, 1, played, hits, face)))[0]


def _inputs(state: GameState, weights: Weights) -> reference.TurnInputs:
    me, hero, enemies, hand = state.me, state.enemy.hero, state.enemy.board, minions_in_hand(state)
    mine = me.board
    kept = [minion.keywords for minion in mine] + [held.card.keywords for held in hand]
    return reference.TurnInputs(
        m=len(mine),
        n=len(enemies),
        h=len(hand),
        mana=me.mana,
        hero_health=hero.health + hero.armor,
        A=[minion.attack for minion in mine] + [held.card.attack for held in hand],
        B=[minion.health for minion in mine] + [held.card.health for held in hand],
        P=[enemy.attack for enemy in enemies],
        Q=[enemy.health for enemy in enemies],
        C=[0] * len(mine) + [held.cost for held in hand],
        S=[0] * len(mine) + [held.value for held in hand],
        charge=[bool(bits & CHARGE) for bits in kept],
        rush=[bool(bits & RUSH) for bits in kept],
        windfury=[bool(bits & WINDFURY) for bits in kept],
        shield=[bool(bits & DIVINE_SHIELD) for bits in kept],
        enemy_taunt=[bool(enemy.keywords & TAUNT) for enemy in enemies],
        enemy_shield=[bool(enemy.keywords & DIVINE_SHIELD) for enemy in enemies],
        weights=[getattr(weights, term) for term in TERMS],
    )
