"""Who plays battles besides the planner: the first card that can be played, and looking a few actions ahead."""

from __future__ import annotations

from random import Random
from typing import Final

from planner.games.spire.rules import applied, finish_turn, is_over, legal_actions, picker
from planner.games.spire.state import END, Action, Battle
from planner.games.spire.table import Table

DEPTHS: Final = (1, 2, 3)
_DEATH: Final = -1000


class FirstAgent:
    """The first legal action: it measures the rules, and plays its hand from left to right."""

    name = "first"

    def __init__(self, rng: Random) -> None:
        """Chance has no part in it."""

    def decide(self, state: Battle) -> Action:
        """The first."""
        return legal_actions(state)[0]


class LookAheadAgent:
    """Tries every way to take the next few actions and then end the turn; chance on the way is its own.

    A state is worth the player's health less the enemies', after the enemies have done what they have shown.
    """

    def __init__(self, rng: Random, depth: int = 1) -> None:
        self.name = "lookahead" if depth == 1 else f"lookahead{depth}"
        self._pick = picker(rng)
        self._depth = depth

    def decide(self, state: Battle) -> Action:
        """The first action of the best way."""
        best, choice = None, END
        for action in legal_actions(state):
            worth = self._after(state, action, self._depth)
            if best is None or worth > best:
                best, choice = worth, action
        return choice

    def _after(self, state: Battle, action: Action, depth: int) -> int:
        if action is END or action.type == "end":
            return self._ended(state)
        after = applied(state, action, self._pick).state()
        while depth == 1 and after.pending is not None and not is_over(after):  # no depth left to weigh the answers
            after = applied(after, legal_actions(after)[0], self._pick).state()
        if depth == 1 or is_over(after):
            return self._ended(after)
        return max(self._after(after, further, depth - 1) for further in legal_actions(after))

    def _ended(self, state: Battle) -> int:
        table = Table(state, self._pick)
        if not table.over():
            finish_turn(table)
        if table.player.health <= 0:
            return _DEATH
        return table.player.health - sum(enemy.health for enemy in table.enemies)
