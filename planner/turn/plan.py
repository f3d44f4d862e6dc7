"""One state in, one certified plan out."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from planner.files import PlannerError, nearest, show
from planner.rules.actions import Action, Play
from planner.rules.codec import action_to_dict, state_from_dict
from planner.rules.legal import is_over
from planner.rules.state import GameState
from planner.solvers import DEFAULT, Solver, get, names
from planner.solvers.model import LinearModel
from planner.turn import exact, thesis
from planner.turn.beginner import quick_plan
from planner.turn.fighters import Blow, Unit
from planner.turn.hardrules import end_allowed
from planner.turn.laps import Laps
from planner.turn.lexicographic import Best, Clock, Ranked, easy_bound, solve_ranked
from planner.turn.objective import Earned, replay
from planner.turn.schedule import OutOfTimeError, schedule
from planner.turn.subsets import Split, splits
from planner.turn.texts import with_targets, without_targets, without_texts
from planner.turn.thesis_sets import best_choice
from planner.turn.weights import Number, Weights

if TYPE_CHECKING:
    from planner.turn.explain import Explanation

QUICK_SHARE: Final = 0.25  # of a limited time goes to a plan that looks one action ahead
FORMULATIONS: Final = ("exact", "thesis")
AUTO: Final = "auto"

StateLike = GameState | Mapping[str, Any]
WeightsLike = Weights | str | PathLike[str] | Mapping[str, Number]


@dataclass(frozen=True)
class Plan:
    """A turn: legal, in order, replayed by the referee. `objective` and `terms` are what the replay earned."""

    # optimal: proved. feasible: a limit ended the search first, or texts were ignored (then objective, terms and bound
    # are those of the game without them), or the thesis's model claimed more than it earned (its bound is its claim).
    status: str
    objective: float
    bound: float
    terms: Mapping[str, float]
    actions: tuple[Action, ...]
    lethal: bool
    solver: str
    formulation: str
    seconds: float
    claimed: float  # what the formulation promised; more than the objective only for the thesis's
    ignored: tuple[str, ...]  # what the formulation does not know yet: planned as if it were not there
    state: GameState = field(repr=False)
    end: GameState = field(repr=False)
    weights: Weights = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The plan in the JSON form."""
        return {
            "status": self.status,
            "objective": self.objective,
            "bound": self.bound,
            "terms": dict(self.terms),
            "actions": [action_to_dict(action) for action in self.actions],
            "lethal": self.lethal,
            "solver": self.solver,
            "formulation": self.formulation,
            "seconds": round(self.seconds, 6),
            "claimed": self.claimed,
            "weights": self.weights.name,
            "ignored": list(self.ignored),
        }

    def explain(self, k: int = 3) -> Explanation:
        """Why this plan: in words, by term, against lethal, without each of its actions, and the next best."""
        from planner.turn.explain import explain  # noqa: PLC0415  (explaining means planning again)

        return explain(self, k)


def plan_turn(
    state: StateLike,
    weights: WeightsLike = "true_balanced",
    solver: str = "auto",
    formulation: str = "exact",
    time_limit: float | None = None,
) -> Plan:
    """The best turn from this state under these weights: certified, and proved unless the time ran out.

    `state` is a `GameState` or a mapping in the JSON form; `weights` a profile's name, a path, a mapping or a
    `Weights`; `solver` is `auto` or one of the names that `planner solvers` lists; `formulation` is `exact` or
    `thesis`; `time_limit` is in seconds.
    """
    return next(_plans(state, weights, solver, formulation, time_limit))


def plan_timed(state: StateLike, weights: WeightsLike, solver: str, formulation: str, laps: Laps) -> Plan:
    """The same as `plan_turn`, and `laps` says where the time went."""
    laps.enter("building")
    plan = next(_plans(state, weights, solver, formulation, None, laps=laps))
    laps.enter("")
    return plan


def plan_turns(
    state: StateLike,
    weights: WeightsLike = "true_balanced",
    solver: str = "auto",
    formulation: str = "exact",
    time_limit: float | None = None,
    k: int = 5,
) -> list[Plan]:
    """The best `k` different turns, best first: fewer where there are no more. The time limit is for each."""
    _check_formulation(formulation)
    if formulation != "exact":
        raise PlannerError(f"formulation: {formulation!r} knows no next best plans, 'exact' does")
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise PlannerError(f"k: {show(k)} is not a whole number of at least 1")
    plans: list[Plan] = []
    for plan in _plans(state, weights, solver, formulation, time_limit):
        plans.append(plan)
        if len(plans) == k or plan.status != "optimal":
            break
    return plans


def plan_without(plan: Plan, banned: Action) -> Plan:
    """The best plan that does not contain this action."""
    return next(_plans(plan.state, plan.weights, solver_of(plan), "exact", None, banned=(banned,)))


def solver_of(plan: Plan) -> str:
    """The solver to ask again: a plan that needed none came from `auto`."""
    return plan.solver if plan.solver in names() else AUTO


def linear_model(state: StateLike, weights: WeightsLike, formulation: str = "exact") -> LinearModel:
    """The program of this turn, for a look at it; its objective is in the weights' own units."""
    given, played = Weights.of(weights), without_texts(_state(state))[0]
    _check_formulation(formulation)
    problem = exact.build(played, given) if formulation == "exact" else thesis.build_thesis(played, given)
    scale = problem.scale
    problem.model.set_objective([(var, factor / scale) for var, factor in problem.objective], problem.constant / scale)
    return problem.model


def _plans(
    state: StateLike,
    weights: WeightsLike,
    solver: str,
    formulation: str,
    time_limit: float | None,
    banned: Sequence[Action] = (),
    laps: Laps | None = None,
) -> Iterator[Plan]:
    """The plans from best to worst, each proved unless its time ran out."""
    _check_limit(time_limit)
    if not isinstance(solver, str):
        raise PlannerError(f"solver: {show(solver)} is not a name")
    given = Weights.of(weights)
    backend = get(DEFAULT if solver == AUTO else solver)
    _check_formulation(formulation)
    whole = _state(state)
    played, ignored = without_texts(whole)
    excluded: list[tuple[list[Play], list[list[Blow]]]] = []
    seen: set[tuple[Action, ...]] = set()
    while True:
        clock = Clock(time_limit)
        turn = _Turn(played, given, backend, clock, laps)
        if formulation == "exact":
            shortcut = solver == AUTO and not banned and not excluded
            if time_limit is not None and not (banned or excluded):
                turn.look_one_ahead()
            if not (shortcut and turn.solve_by_subsets()):
                turn.solve_exact(banned, excluded)
        else:
            turn.solve_thesis(shortcut=solver == AUTO)
        if turn.best.values is None and excluded:
            return  # there is no other plan
        plan = turn.plan(whole, ignored, formulation)
        if plan.actions not in seen:  # two paths of one minion may come to the same actions
            yield plan
        seen.add(plan.actions)
        if turn.chosen is None:
            return
        excluded.append(turn.chosen)


class _Turn:
    """One search for a plan. Without one, the empty plan is legal and keeps every hard rule."""

    def __init__(
        self, state: GameState, weights: Weights, solver: Solver, clock: Clock, laps: Laps | None = None
    ) -> None:
        self.state, self.weights, self.solver, self.clock, self.laps = state, weights, solver, clock, laps
        self.actions: list[Action] = []
        self.earned: Earned | None = None
        self.chosen: tuple[list[Play], list[list[Blow]]] | None = None
        self.best = Best(None, -math.inf, math.inf, proved=False)
        self.scale = 1  # objectives here are whole numbers: the true ones times this
        self.claimed: int | None = None
        self.method = solver.info.name

    def _enter(self, part: str) -> None:
        if self.laps is not None:
            self.laps.enter(part)

    def plan(self, state: GameState, ignored: tuple[str, ...], formulation: str) -> Plan:
        """What was found, as the caller gets it."""
        self._enter("certifying")
        if ignored:
            self.actions = with_targets(state, self.actions)
            self.earned = replay(self.state, without_targets(self.actions))
        earned = replay(self.state, []) if self.earned is None else self.earned
        objective = self._scaled(earned)
        claimed = objective if self.claimed is None else self.claimed
        proved = self.best.proved and claimed == objective and not ignored
        return Plan(
            status="optimal" if proved else "feasible",
            objective=float(objective) / self.scale,
            bound=float(objective if proved else max(objective, self.best.bound)) / self.scale,
            terms=earned.contributions(self.weights),
            actions=tuple(self.actions),
            lethal=earned.end.enemy.hero.health <= 0,
            solver=self.method,
            formulation=formulation,
            seconds=self.clock.elapsed(),
            claimed=float(claimed) / self.scale,
            ignored=ignored,
            state=state,
            end=earned.end,
            weights=self.weights,
        )

    def _scaled(self, earned: Earned) -> Fraction | int:
        return earned.worth(self.weights) * (self.scale // self.weights.integer_scale())

    def _certify(self, units: list[Unit], plays: list[Play], struck: list[list[Blow]], claimed: int) -> bool:
        """Find a legal order that earns what was claimed, and keep it; False where there is none."""
        if self.earned is not None and self.claimed is None and self._scaled(self.earned) > claimed:
            return True  # the quick plan is better than what the solver had found when its time was up

        def accepts(earned: Earned) -> bool:
            return self._scaled(earned) == claimed and end_allowed(self.weights, self.state, earned.end)

        found = schedule(self.state, units, plays, struck, accepts, self.clock)
        if found is None:
            return False
        self.actions, self.earned = found
        self.chosen, self.claimed = (plays, struck), claimed
        return True

    def look_one_ahead(self) -> None:
        """A quick plan, which comes back where the time is too short for a better one."""
        self.actions = quick_plan(self.state, self.weights, self.clock.part(QUICK_SHARE))
        self.earned = replay(self.state, self.actions)

    def solve_by_subsets(self) -> bool:
        """The same optimum without a solver, for the turns that allow it; False for the others."""
        self._enter("solving")
        first: Split | None = None
        try:
            for split in splits(self.state, self.weights, pause=self._check_time):
                first = first or split
                self.scale = split.scale
                self._enter("certifying")
                if self._certify(split.units, split.plays, split.struck, split.objective):
                    self.best = Best([], split.objective, split.objective, proved=True)
                    self.method = "sets"
                    return True
                self._enter("solving")  # no legal order: the next best split may have one
        except OutOfTimeError:
            if first is not None:
                self.best = Best(None, -math.inf, first.objective, proved=False, message="the time limit was reached")
            return first is not None
        return False

    def _check_time(self) -> None:
        if self.clock.out():
            raise OutOfTimeError

    def solve_exact(self, banned: Sequence[Action], excluded: Sequence[tuple[list[Play], list[list[Blow]]]]) -> None:
        """The exact optimum, certified."""
        self._enter("building")
        problem = exact.build(self.state, self.weights)
        self.scale = problem.scale
        for action in banned:
            problem.ban(action)
        for plays, struck in excluded:
            problem.exclude(plays, struck)

        def certify(values: Sequence[float]) -> bool:
            self._enter("decoding")
            plays, struck = problem.chosen(values)
            claimed = problem.claimed(values)
            self._enter("certifying")
            certified = self._certify(problem.units, plays, struck, claimed)
            self._enter("solving")
            if not certified:
                problem.forbid(values)
            return certified

        self._solve(problem, certify)
        if self.best.values is None and self.clock.left() is None and not (banned or excluded):
            raise PlannerError(f"{self.solver.info.name}: {self.best.message}")

    def _solve(self, problem: Ranked, check: Callable[[Sequence[float]], bool]) -> None:
        self._enter("solving")
        try:
            self.best = solve_ranked(problem, self.solver, self.clock, check)
        except OutOfTimeError:
            self.best = Best(None, -math.inf, easy_bound(problem), proved=False, message="the time limit was reached")

    def solve_thesis(self, shortcut: bool) -> None:
        """The thesis's optimum, and what is legal of it."""
        choice = best_choice(self.state, self.weights) if shortcut else None
        if choice is not None:
            self.method, self.scale = "sets", choice.scale
            self.best = Best([], choice.objective, choice.objective, proved=True)
        else:
            problem = thesis.build_thesis(self.state, self.weights)
            self.scale = problem.scale
            self._solve(problem, lambda _: True)
            if self.best.values is not None:
                choice = problem.choice(self.best.values)
            elif self.clock.left() is None:
                raise PlannerError(f"{self.solver.info.name}: {self.best.message}")
        if choice is not None:
            self._enter("decoding")
            self.actions = thesis.decode(self.state, choice)
            self._enter("certifying")
            self.earned = replay(self.state, self.actions)
            self.claimed = choice.objective


def _state(state: StateLike) -> GameState:
    found = state if isinstance(state, GameState) else state_from_dict(state)
    if is_over(found):
        raise PlannerError("the match is over: there is no turn to plan")
    return found


def _check_limit(limit: float | None) -> None:
    valid = isinstance(limit, int | float) and not isinstance(limit, bool) and 0 < limit < 10**9
    if limit is not None and not valid:
        raise PlannerError(f"time_limit: {show(limit)} is not a positive number of seconds")


def _check_formulation(formulation: str) -> None:
    if not isinstance(formulation, str):
        raise PlannerError(f"formulation: {show(formulation)} is not a name")
    if formulation not in FORMULATIONS:
        hint = nearest(formulation, FORMULATIONS)
        raise PlannerError(f"formulation: {formulation!r} is not one of {', '.join(FORMULATIONS)}{hint}")
