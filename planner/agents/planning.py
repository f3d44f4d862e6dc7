"""The planner as an agent: it plans its turn, carries the plan out, and plans again where the state surprises it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planner.files import PlannerError
from planner.game import AnyGame
from planner.games import DEFAULT, load_game
from planner.planning.plan import PlanOptions
from planner.planning.weights import Profile


class PlannerAgent:
    """Plays the certified best turn under a weight profile."""

    def __init__(self, profile: Any, of: AnyGame | str = DEFAULT, **options: Any) -> None:
        found = load_game(of) if isinstance(of, str) else of
        if found.profiles is None:
            raise PlannerError(f"{found.name} has no planner")
        self.weights: Profile = found.profiles.of(profile)
        self.name = self.weights.name
        self.options = PlanOptions(**options)
        self._game: Any = found
        self._turn: tuple[int, int] | None = None
        self._waiting: list[Any] = []
        self._later: list[Any] = []  # the rest of a plan that reveals something: a start for the next plan
        self._again = False

    def decide(self, state: Any) -> Any:
        """The next action of the plan for this turn."""
        turn = (self._game.turn(state), self._game.to_move(state))
        if self._turn != turn:
            question = self._game.answer(state)
            if question is not None:
                return question
            self._turn, self._later = turn, []
            self._waiting = self._plan(state)
        elif self._surprised(state) or (self._again and not self._waiting):
            self._waiting = self._plan(state)
        return self._waiting.pop(0) if self._waiting else self._game.default_action(state)

    def _surprised(self, state: Any) -> bool:
        return bool(self._waiting) and self._game.why_not(state, self._waiting[0]) is not None

    def _plan(self, state: Any) -> list[Any]:
        """What to do until something is revealed or the turn ends."""
        plan = next(self._game.plans(state, self.weights, replace(self.options, hint=tuple(self._later))))
        certain = len(plan.actions) if plan.reveals is None else plan.reveals + 1
        self._later = list(plan.actions[certain:])
        # A draw, chance, and texts that a plan ignored leave a table that asks for another plan.
        self._again = bool(plan.actions) and (plan.reveals is not None or bool(plan.ignored))
        return list(plan.actions[:certain])
