"""A baseline agent for battles that looks a few actions ahead."""

from __future__ import annotations

import math
from random import Random
from typing import Final

from planner.games.spire.battle_rules import apply_action, finish_turn, is_over, legal_actions, random_picker
from planner.games.spire.battle_state import END, Action, Battle, MutableBattle

LOOKAHEAD_DEPTHS: Final = (1, 2, 3)
_DEATH_SCORE: Final = -1000
_CLEAR_LEAD: Final = 40  # health: who leads by so much wins nearly always


def estimate_points(state: Battle) -> tuple[float]:
    """Return the points that the player can expect, by the health of both sides."""
    lead = state.health - sum(enemy.health for enemy in state.enemies)
    return (0.5 + 0.5 * math.tanh(lead / _CLEAR_LEAD),)


class LookAheadAgent:
    """Tries all sequences of the next few actions, followed by the end of the turn.

    A state scores the player's health minus the enemies' health, after the moves that the enemies have shown. Random
    events on the way use the agent's own generator.
    """

    def __init__(self, rng: Random, depth: int = 1) -> None:
        self.name = "lookahead" if depth == 1 else f"lookahead{depth}"
        self._pick = random_picker(rng)
        self._depth = depth

    def decide(self, state: Battle) -> Action:
        """Return the first action of the best sequence."""
        best_score, best_action = None, END
        for action in legal_actions(state):
            score = self._score_action(state, action, self._depth)
            if best_score is None or score > best_score:
                best_score, best_action = score, action
        return best_action

    def _score_action(self, state: Battle, action: Action, depth: int) -> int:
        if action is END or action.type == "end":
            return self._score_end(state)
        after = apply_action(state, action, self._pick).state()
        while depth == 1 and after.pending is not None and not is_over(after):  # no depth left to compare the choices
            after = apply_action(after, legal_actions(after)[0], self._pick).state()
        if depth == 1 or is_over(after):
            return self._score_end(after)
        return max(self._score_action(after, following, depth - 1) for following in legal_actions(after))

    def _score_end(self, state: Battle) -> int:
        battle = MutableBattle(state, self._pick)
        if not battle.is_over():
            finish_turn(battle)
        if battle.player.health <= 0:
            return _DEATH_SCORE
        return battle.player.health - sum(enemy.health for enemy in battle.enemies)
