"""What an agent is: someone who decides one action at a time, and sees only what a player sees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState


class Agent(Protocol):
    """Who decides. The state is always the player's own view: `me` is the agent, the enemy's hand is hidden."""

    @property
    def name(self) -> str:
        """How tables and logs call it."""

    def decide(self, state: GameState) -> Action:
        """The next action of this turn; `EndTurn()` ends it."""

    def mulligan(self, state: GameState) -> Sequence[str]:
        """The ids of the cards in the starting hand to be replaced."""


class BaseAgent:
    """An agent that keeps its starting hand."""

    name = "agent"

    def mulligan(self, state: GameState) -> Sequence[str]:  # noqa: ARG002  (others look at it)
        """Keep everything."""
        return ()
