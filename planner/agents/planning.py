"""The planner as an agent: it plans its turn, carries the plan out, and plans again where the state surprises it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner.agents.base import BaseAgent
from planner.games.hearthstone.rules.actions import Action, EndTurn
from planner.games.hearthstone.rules.legal import verify
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.plan import WeightsLike, plan_turn
from planner.games.hearthstone.turn.weights import Weights

_KEPT_COST: Final = 3  # dearer cards go back in the mulligan


class PlannerAgent(BaseAgent):
    """Plays the certified best turn under a weight profile."""

    def __init__(
        self,
        profile: WeightsLike,
        solver: str = "auto",
        formulation: str = "exact",
        time_limit: float | None = None,
        effort: int | None = None,
    ) -> None:
        self.weights = Weights.of(profile)
        self.name = self.weights.name
        self.solver, self.formulation, self.time_limit, self.effort = solver, formulation, time_limit, effort
        self._turn: tuple[int, int] | None = None
        self._waiting: list[Action] = []
        self._later: list[Action] = []  # the rest of a plan that reveals something: a start for the next plan
        self._again = False

    def decide(self, state: GameState) -> Action:
        """The next action of the plan for this turn."""
        turn = (state.turn, state.seat)
        surprised = bool(self._waiting) and verify(state, self._waiting[0]) is not None
        if self._turn != turn:
            self._turn, self._later = turn, []
            self._waiting = self._plan(state)
        elif surprised or (self._again and not self._waiting):
            self._waiting = self._plan(state)
        return self._waiting.pop(0) if self._waiting else EndTurn()

    def _plan(self, state: GameState) -> list[Action]:
        """What to do until something is revealed or the turn ends."""
        plan = plan_turn(
            state, self.weights, self.solver, self.formulation, self.time_limit, self._later, self.effort
        )
        certain = len(plan.actions) if plan.reveals is None else plan.reveals + 1
        self._later = list(plan.actions[certain:])
        # A draw, chance, and texts that a plan ignored leave a table that asks for another plan.
        self._again = bool(plan.actions) and (plan.reveals is not None or bool(plan.ignored))
        return list(plan.actions[:certain])

    def mulligan(self, state: GameState) -> Sequence[str]:
        """Keep what can be played early."""
        return [held.id for held in state.me.hand if held.cost > _KEPT_COST]
