"""The weakest opponent that still plays by the rules; the fastest too, so it measures the referee."""

from __future__ import annotations

from random import Random

from planner.agents.base import BaseAgent
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.legal import legal_actions
from planner.games.hearthstone.rules.state import GameState


class RandomAgent(BaseAgent):
    """Any legal action, each as likely as the others."""

    name = "random"

    def __init__(self, rng: Random) -> None:
        self._random = rng.random

    def decide(self, state: GameState) -> Action:
        """One of the legal actions, end of turn included."""
        actions = legal_actions(state)
        # Three times as fast as rng.choice, and as fair: a turn has a few dozen actions, not 2 ** 53.
        return actions[int(self._random() * len(actions))]
