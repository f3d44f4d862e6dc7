"""The planner as an agent: it plans its turn, carries the plan out, and plans again where the state surprises it."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from planner.game import AnyGame, HasPrompts, require
from planner.games import DEFAULT, load_game
from planner.planning.capabilities import LooksAhead, PlansTurns
from planner.planning.plan import NoTurnError, PlanOptions
from planner.planning.weights import Profile


class PlannerAgent:
    """Plays the certified best turn under a weight profile, or with `ahead` the one with the best reply in view.

    Only the look ahead has a use for the seed, and for what is known of the cards that the opponent brought: their
    list, or a prediction.
    """

    def __init__(
        self,
        profile: Any,
        of: AnyGame | str = DEFAULT,
        seed: int = 0,
        unseen: Any = None,
        **options: Any,
    ) -> None:
        found: Any = require(load_game(of) if isinstance(of, str) else of, PlansTurns, "planning")
        self.weights: Profile = found.profiles.of(profile)
        self.name = self.weights.name
        self.options = PlanOptions(**options)
        self._game = found
        self._seed, self._chance, self._unseen = seed, Random(seed), None
        if (ahead := self.options.ahead) is not None:
            self._unseen = require(found, LooksAhead, "ahead: looking ahead").hidden_pool(unseen)
            if ahead.reply is not None:
                self.options = replace(self.options, ahead=replace(ahead, reply=found.profiles.of(ahead.reply)))
        self._turn: tuple[int, int] | None = None
        self._waiting: list[Any] = []
        self._later: list[Any] = []  # the rest of a plan that reveals something: a start for the next plan
        self._again = False
        self.planned = False  # whether the last decision took a plan of its own, or was the next step of one

    def decide(self, state: Any) -> Any:
        """The next action of the plan for this turn."""
        self.planned = False
        turn = (self._game.turn(state), self._game.to_move(state))
        if self._turn != turn:
            if self._turn is not None and turn < self._turn:  # another match: its luck is not that of what came before
                self._turn, self._chance = None, Random(self._seed)
            question = self._game.decide_prompt(state, self.weights) if isinstance(self._game, HasPrompts) else None
            if question is not None:
                return question
            self._turn, self._later = turn, []
            self._waiting = self._plan(state)
        elif self._surprised(state) or (self._again and not self._waiting):
            self._waiting = self._plan(state)
        return self._waiting.pop(0) if self._waiting else self._game.default_action(state)

    def _surprised(self, state: Any) -> bool:
        return bool(self._waiting) and self._game.illegal_reason(state, self._waiting[0]) is not None

    def _plan(self, state: Any) -> list[Any]:
        """What to do until something is revealed or the turn ends."""
        self.planned = True
        options = replace(self.options, hint=tuple(self._later))
        try:
            plan = self._best(state, self.weights, options)
        except NoTurnError:
            plan = self._bent(state, options)
        certain = len(plan.actions) if plan.reveals is None else plan.reveals + 1
        self._later = list(plan.actions[certain:])
        # A draw, chance, and texts that a plan ignored leave a table that asks for another plan.
        self._again = bool(plan.actions) and (plan.reveals is not None or bool(plan.ignored))
        return list(plan.actions[:certain])

    def _bent(self, state: Any, options: PlanOptions) -> Any:
        """The best turn that keeps what rules it can, the first ones first: who cannot keep all has to move as well."""
        weights: Any = replace(self.weights, forbid=(), require=())
        plan = self._best(state, weights, options)
        for kind in ("forbid", "require"):
            for rule in getattr(self.weights, kind):
                stricter = replace(weights, **{kind: (*getattr(weights, kind), rule)})
                try:
                    plan = self._best(state, stricter, options)
                except NoTurnError:
                    continue
                weights = stricter
        return plan

    def _best(self, state: Any, weights: Profile, options: PlanOptions) -> Any:
        if options.ahead is None:
            return next(self._game.plans(state, weights, options))
        return self._game.plan_ahead(state, weights, options, self._chance, self._unseen)
