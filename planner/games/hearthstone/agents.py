"""Who plays this game: what agents share, and chance as an opponent."""

from __future__ import annotations

from random import Random
from typing import Final

from planner.games.hearthstone.rules.actions import Action, Mulligan
from planner.games.hearthstone.rules.legal import awaits_mulligan, legal_actions
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hearthstone_weights import Weights

_KEPT_COST: Final = Weights.mulligan_cost  # dearer cards go back in the mulligan


class BaseAgent:
    """To inherit from: it keeps its starting hand, and is asked only for the actions of its turns."""

    name = "agent"

    def decide(self, state: GameState) -> Action:
        """The answer to the mulligan, or the next action of this turn."""
        if state.turn < 1 and awaits_mulligan(state):
            return self.mulligan(state)
        return self.act(state)

    def mulligan(self, state: GameState) -> Mulligan:  # noqa: ARG002  (others look at it)
        """Which cards of the starting hand go back: none."""
        return Mulligan()

    def act(self, state: GameState) -> Action:
        """The next action of this turn; `EndTurn()` ends it."""
        raise NotImplementedError


class RandomPlayer(BaseAgent):
    """Any legal action, each as likely as the others; it keeps its starting hand."""

    name = "random"

    def __init__(self, rng: Random) -> None:
        self._random = rng.random

    def decide(self, state: GameState) -> Action:
        """One of the legal actions of a turn, its end included."""
        if not (actions := legal_actions(state)):
            return Mulligan()
        # Three times as fast as rng.choice, and as fair: a turn has a few dozen actions, not 2 ** 53.
        return actions[int(self._random() * len(actions))]


def cheap_hand(state: GameState, most: int = _KEPT_COST) -> Mulligan:
    """Put back what costs more: the first turns decide what is left to do in the later ones."""
    return Mulligan(tuple(held.id for held in state.me.hand if held.cost > most))
