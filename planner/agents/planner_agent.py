"""The planner as an agent: it plans a turn, plays the plan, and plans again when the state differs from the plan."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from planner.game import AnyGame, HasPrompts, require
from planner.games import DEFAULT, load_game
from planner.planning.capabilities import LooksAhead, PlansTurns
from planner.planning.plan import NoTurnError, PlanOptions
from planner.planning.profiles import Profile


class PlannerAgent:
    """Plays the certified best turn under a weight profile; with `ahead`, the best turn given the opponent's reply.

    Only looking ahead uses the seed and `hidden_pool`: the opponent's decklist, or a prediction of it.
    """

    def __init__(
        self,
        profile: Any,
        game: AnyGame | str = DEFAULT,
        seed: int = 0,
        hidden_pool: Any = None,
        **options: Any,
    ) -> None:
        planning: Any = require(load_game(game) if isinstance(game, str) else game, PlansTurns, "planning")
        self._game = planning
        self._has_prompts = isinstance(planning, HasPrompts)
        self.weights: Profile = planning.profiles.of(profile)
        self.name = self.weights.name
        self.options = PlanOptions(**options)
        self._seed, self._chance, self._hidden_pool = seed, Random(seed), None
        if (ahead := self.options.ahead) is not None:
            self._hidden_pool = require(planning, LooksAhead, "ahead: looking ahead").hidden_pool(
                hidden_pool, ahead.opponent
            )
            if ahead.reply is not None:
                self.options = replace(self.options, ahead=replace(ahead, reply=planning.profiles.of(ahead.reply)))
        self._turn: tuple[int, int] | None = None
        self._next_actions: list[Any] = []
        self._hint: list[Any] = []  # the actions after the one that reveals something: a start for the next plan
        self._plan_again = False
        self.planned = False  # whether the last decision needed a new plan; otherwise it was a step of a plan

    def decide(self, state: Any) -> Any:
        """Return the next action of the plan for this turn."""
        self.planned = False
        turn = (self._game.turn(state), self._game.to_move(state))
        if self._turn != turn:
            if self._turn is not None and turn < self._turn:  # a new match: start its random numbers from the seed
                self._turn, self._chance = None, Random(self._seed)
            action = self._game.decide_prompt(state, self.weights) if self._has_prompts else None
            if action is not None:
                return action
            self._turn, self._hint = turn, []
            self._next_actions = self._plan(state)
        elif self._next_is_illegal(state) or (self._plan_again and not self._next_actions):
            self._next_actions = self._plan(state)
        return self._next_actions.pop(0) if self._next_actions else self._game.default_action(state)

    def _next_is_illegal(self, state: Any) -> bool:
        return bool(self._next_actions) and self._game.illegal_reason(state, self._next_actions[0]) is not None

    def _plan(self, state: Any) -> list[Any]:
        """Return the actions until something is revealed or the turn ends."""
        self.planned = True
        options = replace(self.options, hint=tuple(self._hint))
        try:
            plan = self._best(state, self.weights, options)
        except NoTurnError:
            plan = self._best_with_relaxed_rules(state, options)
        certain = len(plan.actions) if plan.reveals is None else plan.reveals + 1
        self._hint = list(plan.actions[certain:])
        # After a draw, a chance event or a card effect that the plan ignored, the rest of the turn needs a new plan.
        self._plan_again = bool(plan.actions) and (plan.reveals is not None or bool(plan.ignored))
        return list(plan.actions[:certain])

    def _best_with_relaxed_rules(self, state: Any, options: PlanOptions) -> Any:
        """Return the best turn that obeys as many hard rules as possible, in their order: the agent has to move."""
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
        return self._game.plan_ahead(state, weights, options, self._chance, self._hidden_pool)
