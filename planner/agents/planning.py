"""The planner as an agent: it plans its turn, carries the plan out, and plans again where the state surprises it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner.agents.base import BaseAgent
from planner.rules.actions import Action, EndTurn, Play
from planner.rules.legal import legal_actions, verify
from planner.rules.state import GameState
from planner.turn.plan import WeightsLike, plan_turn
from planner.turn.weights import Weights

_KEPT_COST: Final = 3  # dearer cards go back in the mulligan


class PlannerAgent(BaseAgent):
    """Plays the certified best turn under a weight profile."""

    def __init__(
        self,
        profile: WeightsLike,
        solver: str = "auto",
        formulation: str = "exact",
        time_limit: float | None = None,
    ) -> None:
        self.weights = Weights.of(profile)
        self.name = self.weights.name
        self.solver, self.formulation, self.time_limit = solver, formulation, time_limit
        self._turn: tuple[int, int] | None = None
        self._waiting: list[Action] = []

    def decide(self, state: GameState) -> Action:
        """The next action of the plan for this turn."""
        if self._turn != (state.turn, state.seat):
            self._turn = (state.turn, state.seat)
            self._waiting = self._plan(state)
        if not self._waiting:
            return EndTurn()
        action = self._legal(state, self._waiting[0])
        if action is None:
            # A card's text, which the plan did not know, has changed the table.
            self._waiting = self._plan(state)
            action = self._legal(state, self._waiting[0]) if self._waiting else None
            if action is None:
                self._waiting = []
                return EndTurn()
        self._waiting.pop(0)
        return action

    def mulligan(self, state: GameState) -> Sequence[str]:
        """Keep what can be played early."""
        return [held.id for held in state.me.hand if held.cost > _KEPT_COST]

    def _plan(self, state: GameState) -> list[Action]:
        plan = plan_turn(state, self.weights, self.solver, self.formulation, self.time_limit)
        return list(plan.actions)

    def _legal(self, state: GameState, action: Action) -> Action | None:
        """The action, with the first possible target where the card's text wants one that the plan did not know."""
        if verify(state, action) is None:
            return action
        if isinstance(action, Play):
            legal = (other for other in legal_actions(state) if isinstance(other, Play))
            return next((other for other in legal if other.card == action.card), None)
        return None
