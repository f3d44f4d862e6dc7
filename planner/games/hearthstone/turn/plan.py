"""One state in, one certified plan out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planner.files import PlannerError, nearest, show
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.codec import action_to_dict, state_from_dict
from planner.games.hearthstone.rules.legal import is_over
from planner.games.hearthstone.rules.match import observe
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn import exact, thesis
from planner.games.hearthstone.turn.beginner import quick_plan
from planner.games.hearthstone.turn.ignored import with_targets, without_targets, without_texts
from planner.games.hearthstone.turn.laps import Laps
from planner.games.hearthstone.turn.lexicographic import Clock, OutOfTimeError, Ranked
from planner.games.hearthstone.turn.lines import Bag, Lines, as_a_bag
from planner.games.hearthstone.turn.objective import Earned, replay, replay_legal
from planner.games.hearthstone.turn.plain import Chosen, PlainTurn, solved
from planner.games.hearthstone.turn.texts import bodies_only, ends_plainly, has_texts, sealed
from planner.games.hearthstone.turn.thesis_sets import best_choice
from planner.games.hearthstone.turn.weights import Number, Weights
from planner.solvers import DEFAULT, Solver, get, names
from planner.solvers.model import LinearModel

if TYPE_CHECKING:
    from planner.games.hearthstone.turn.explain import Explanation

QUICK_SHARE: Final = 0.25  # of a limited time goes to a plan that looks one action ahead
FORMULATIONS: Final = ("exact", "thesis")
AUTO: Final = "auto"

StateLike = GameState | Mapping[str, Any]
WeightsLike = Weights | str | PathLike[str] | Mapping[str, Number]


@dataclass(frozen=True)
class Plan:
    """A turn: legal, in order, replayed by the referee. `objective` and `terms` are what the replay earned."""

    # optimal: proved. feasible: a limit ended the search first; or the thesis's formulation claimed more than it earned
    # (its bound is its claim), or ignored texts (objective, terms and bound are then of the game without them).
    status: str
    objective: float
    bound: float
    terms: Mapping[str, float]
    actions: tuple[Action, ...]
    lethal: bool
    reveals: int | None  # the place of the first action that shows what was not known; then it is time to plan again
    solver: str
    formulation: str
    seconds: float
    claimed: float  # what the formulation promised; more than the objective only for the thesis's
    ignored: tuple[str, ...]  # what the thesis's formulation does not know: planned as if it were not there
    state: GameState = field(repr=False)
    end: GameState = field(repr=False)
    weights: Weights = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The plan in the JSON form."""
        return {
            "status": self.status,
            "objective": self.objective,
            "bound": self.bound if math.isfinite(self.bound) else None,
            "terms": dict(self.terms),
            "actions": [action_to_dict(action) for action in self.actions],
            "lethal": self.lethal,
            "reveals": self.reveals,
            "solver": self.solver,
            "formulation": self.formulation,
            "seconds": round(self.seconds, 6),
            "claimed": self.claimed,
            "weights": self.weights.name,
            "ignored": list(self.ignored),
        }

    def explain(self, k: int = 3) -> Explanation:
        """Why this plan: in words, by term, against lethal, without each of its actions, and the next best."""
        from planner.games.hearthstone.turn.explain import explain  # noqa: PLC0415  (explaining means planning again)

        return explain(self, k)


def plan_turn(
    state: StateLike,
    weights: WeightsLike = "true_balanced",
    solver: str = "auto",
    formulation: str = "exact",
    time_limit: float | None = None,
    hint: Sequence[Action] = (),
    effort: int | None = None,
) -> Plan:
    """The best turn from this state under these weights: certified, and proved unless a limit ended the search.

    `state` is a `GameState` or a mapping in the JSON form; `weights` a profile's name, a path, a mapping or a
    `Weights`; `solver` is `auto` or one of the names that `planner solvers` lists; `formulation` is `exact` or
    `thesis`; `time_limit` is in seconds. Where texts matter, `hint` are actions that are thought to be good, such as
    what is left of a plan that revealed something, and `effort` limits the states that are looked at: unlike a limit of
    time it gives the same plan every time.
    """
    return next(_plans(state, weights, solver, formulation, time_limit, hint=hint, effort=effort))


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
    """The program of this turn, for a look at it; its objective is in the weights' own units.

    Where texts matter, it is that of the plain turn: without them, and without deaths that set one off.
    """
    given, found = Weights.of(weights), _state(state)
    _check_formulation(formulation)
    if formulation == "thesis":
        of_thesis = thesis.build_thesis(without_texts(found)[0], given)
        return _in_own_units(of_thesis, of_thesis.scale)
    problem = exact.build(bodies_only(found), given, sealed(found))
    return _in_own_units(problem, problem.scale)


def _in_own_units(problem: Ranked, scale: int) -> LinearModel:
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
    hint: Sequence[Action] = (),
    effort: int | None = None,
) -> Iterator[Plan]:
    """The plans from best to worst, each proved unless a limit ended its search."""
    _check_limit(time_limit)
    if effort is not None and (not isinstance(effort, int) or isinstance(effort, bool) or effort < 1):
        raise PlannerError(f"effort: {show(effort)} is not a whole number of at least 1")
    if not isinstance(hint, list | tuple) or not all(isinstance(action, Action) for action in hint):
        raise PlannerError(f"hint: {show(hint)} is not a list of actions, such as plan.actions")
    if not isinstance(solver, str):
        raise PlannerError(f"solver: {show(solver)} is not a name")
    given = Weights.of(weights)
    backend = get(DEFAULT if solver == AUTO else solver)
    _check_formulation(formulation)
    task = _Task(_state(state), given, backend, solver == AUTO, time_limit, banned, laps, hint, effort)
    if formulation == "thesis":
        return _thesis_plans(task)
    seen = observe(task.state, task.state.seat)  # no card that the player does not know is planned with
    if has_texts(seen) or not ends_plainly(seen, given):
        return _line_plans(task, seen)
    return _plain_plans(task, seen)


class _Task(NamedTuple):
    """What was asked for."""

    state: GameState
    weights: Weights
    solver: Solver
    auto: bool
    time_limit: float | None
    banned: Sequence[Action]
    laps: Laps | None
    hint: Sequence[Action]
    effort: int | None

    def quick(self, seen: GameState, clock: Clock) -> list[Action]:
        """A plan that looks one action ahead, for when the time is too short for a better one."""
        if (self.time_limit is None and self.effort is None) or self.banned:
            return []
        return quick_plan(seen, self.weights, clock.part(QUICK_SHARE))

    def plan(
        self,
        clock: Clock,
        actions: Sequence[Action],
        earned: Earned,
        *,
        proved: bool,
        bound: float,
        method: str,
        formulation: str = "exact",
        claimed: float | None = None,
        ignored: tuple[str, ...] = (),
    ) -> Plan:
        """What was found, as the caller gets it."""
        scale = self.weights.integer_scale()
        worths = earned.scaled(self.weights)
        objective = float(sum(worths.values())) / scale
        return Plan(
            status="optimal" if proved else "feasible",
            objective=objective,
            bound=objective if proved else max(objective, bound),
            terms={term: float(worth) / scale for term, worth in worths.items()},
            actions=tuple(actions),
            lethal=earned.amounts["lethal"] == 1,
            reveals=earned.reveals,
            solver=method,
            formulation=formulation,
            seconds=clock.elapsed(),
            claimed=objective if claimed is None else claimed,
            ignored=ignored,
            state=self.state,
            end=earned.end,
            weights=self.weights,
        )


def _plain_plans(task: _Task, seen: GameState) -> Iterator[Plan]:
    """Where no text matters: the plain formulation, and cuts that exclude what is known already."""
    excluded: list[Chosen] = []
    before: set[tuple[Action, ...]] = set()
    while True:
        clock = Clock(task.time_limit)
        quick = [] if excluded else task.quick(seen, clock)
        turn = PlainTurn(seen, task.weights, task.solver, clock, task.laps)
        turn.solve(task.auto, task.banned, excluded)
        turn.enter("certifying")
        found = turn.found
        if found is None and excluded:
            return  # there is no other plan
        actions, earned = (found.actions, found.earned) if found else ([], replay(seen, []))
        if quick:
            looked_ahead = replay(seen, quick)
            if looked_ahead.worth(task.weights) > earned.worth(task.weights):
                actions, earned = quick, looked_ahead
        bound = float(turn.best.bound) / turn.scale
        plan = task.plan(clock, actions, earned, proved=turn.best.proved, bound=bound, method=turn.method)
        if plan.actions not in before:  # two paths of one minion may come to the same actions
            yield plan
        before.add(plan.actions)
        if found is None:
            return
        excluded.append(found.chosen)


def _line_plans(task: _Task, seen: GameState) -> Iterator[Plan]:
    """Where texts matter: the best line of them, with the best plain turn behind it."""
    known: list[Bag] = []
    while True:
        clock = Clock(task.time_limit)
        lines = Lines(seen, task.weights, task.solver, clock, task.auto, task.banned, known, task.effort)
        if not known:
            lines.offer(task.hint)
            lines.offer(task.quick(seen, clock))
        if task.laps is not None:
            task.laps.enter("solving")
        try:
            lines.search()
            proved = True
        except OutOfTimeError:
            proved = False
        if lines.best is None and known:
            return  # there is no other plan
        actions = lines.best.actions if lines.best else ()
        if task.laps is not None:
            task.laps.enter("certifying")
        bound = lines.bound() / task.weights.integer_scale()
        method = "lines" if task.auto else task.solver.info.name
        yield task.plan(clock, actions, replay(seen, actions), proved=proved, bound=bound, method=method)
        known.append(as_a_bag(actions))


def _thesis_plans(task: _Task) -> Iterator[Plan]:
    """The thesis's optimum, and what is legal of it: one plan, which ignores texts."""
    clock = Clock(task.time_limit)
    played, ignored = without_texts(task.state)
    method, best = task.solver.info.name, None
    choice = best_choice(played, task.weights) if task.auto else None
    if choice is not None:
        method, scale, proved, bound = "sets", choice.scale, True, float(choice.objective)
    else:
        problem = thesis.build_thesis(played, task.weights)
        if task.laps is not None:
            task.laps.enter("solving")
        best = solved(problem, task.solver, clock, lambda _: True)
        scale, proved, bound = problem.scale, best.proved, best.bound
        if best.values is not None:
            choice = problem.choice(best.values)
        elif task.time_limit is None:
            raise PlannerError(f"{task.solver.info.name}: {best.message}")
    if task.laps is not None:
        task.laps.enter("decoding")
    chosen = thesis.decode(played, choice) if choice else []
    if task.laps is not None:
        task.laps.enter("certifying")
    actions, earned = replay_legal(played, chosen)
    if ignored:
        actions = with_targets(task.state, actions)
        earned = replay(played, without_targets(actions))
    claimed = None if choice is None else Fraction(choice.objective, scale)
    honest = claimed == Fraction(earned.worth(task.weights)) / task.weights.integer_scale()
    yield task.plan(
        clock, actions, earned, proved=proved and honest and not ignored, bound=bound / scale, method=method,
        formulation="thesis", claimed=None if claimed is None else float(claimed), ignored=ignored,
    )  # fmt: skip


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
