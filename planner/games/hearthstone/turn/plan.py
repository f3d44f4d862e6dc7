"""One state in, certified plans out: who looks for the turn, and what the referee says of it.

`auto` asks the compiled engine. Where there is none, or where a card calls a function that it does not know, turns of
bodies go to the program and everything else to the search with the referee. A solver that is asked for by name solves
the program, behind every line of texts where there are texts. docs/explanation/formulation.md says why
the result is optimal.
"""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any, Final

from planner.errors import PlannerError, quote
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.codec import state_from_dict
from planner.games.hearthstone.rules.match import observe
from planner.games.hearthstone.rules.resolve import IllegalActionError
from planner.games.hearthstone.rules.state import GameState, is_over
from planner.games.hearthstone.turn import native
from planner.games.hearthstone.turn.clock import Clock
from planner.games.hearthstone.turn.exhaustive import TurnOfState
from planner.games.hearthstone.turn.ignored import unread, with_targets, without_targets, without_texts
from planner.games.hearthstone.turn.judge import Judge
from planner.games.hearthstone.turn.objective import Earned, Made, replay, replay_legal
from planner.games.hearthstone.turn.texts import in_the_program
from planner.games.hearthstone.turn.weights import Number, Rule, Weights
from planner.planning.plan import (
    AUTO,
    BOUND,
    CHANCE_LIMIT,
    EXHAUSTIVE,
    FINISHED,
    PROGRAM,
    TIME_LIMIT,
    NoTurnError,
    Plan,
    PlanOptions,
)
from planner.planning.search import Search
from planner.planning.weights import LIMIT
from planner.solvers import DEFAULT, get

if TYPE_CHECKING:
    from planner.games.hearthstone.turn.explain import Explanation
    from planner.games.hearthstone.turn.ranges import WeightRange
    from planner.solvers import LinearModel, Solver

ENGINE: Final = "engine"
SEARCH: Final = "search"
_OWN_DEATH: Final = Rule("own_hero_death")
_QUICK_SECONDS: Final = 0.02  # for a turn that looks one action ahead, where the program had no time

StateLike = GameState | Mapping[str, Any]
WeightsLike = Weights | str | PathLike[str] | Mapping[str, Number]


class TurnPlan(Plan[GameState, Action]):
    """A turn of this game."""

    def explain(self, k: int = 3) -> Explanation:
        """Why this plan: in words, by term, against lethal, without each of its actions, and the next best."""
        from planner.games.hearthstone.turn.explain import explain  # noqa: PLC0415  (explaining means planning again)

        return explain(self, k)

    def ranges(self, time_limit: float | None = None) -> list[WeightRange]:
        """For each weight of the profile the range in which this plan stays the best turn, and what is best beyond."""
        from planner.games.hearthstone.turn.ranges import weight_ranges  # noqa: PLC0415  (it plans again, too)

        return weight_ranges(self, time_limit)


def read_state(state: StateLike) -> GameState:
    """The state that is meant, in which there is a turn to plan."""
    found = state if isinstance(state, GameState) else state_from_dict(state)
    if is_over(found):
        raise PlannerError("the match is over: there is no turn to plan")
    return found


def plans(
    state: StateLike, weights: WeightsLike, options: PlanOptions, banned: Sequence[Action] = ()
) -> Iterator[TurnPlan]:
    """The best plans, `options.k` of them where there are so many, each proved unless a limit ended the search."""
    if not all(isinstance(action, Action) for action in options.hint):
        raise PlannerError(f"hint: {quote(options.hint)} is not a list of actions, such as plan.actions")
    given = Weights.of(weights)
    solver = None if options.solver == AUTO else get(options.solver)
    task = _Task(read_state(state), given, options, solver, tuple(banned), Clock(options.time_limit))
    if options.formulation == "thesis":
        if options.k > 1:
            raise PlannerError("formulation: 'thesis' knows no next best plans, 'exact' does")
        yield _thesis_plan(task)
        return
    seen = observe(task.state, task.state.seat)  # no card that the player does not know is planned with
    if not given.take_lethal:
        yield from _exact_plans(task, seen)
        return
    win, stopped = _certain_win(task, seen)
    if win is not None:
        yield from _winning_plans(task, seen, win)
        return
    for plan in _exact_plans(task, seen):
        # Where a limit ended the search for a win, the best by the weights may not be what this profile takes.
        known = stopped == FINISHED or plan.outcome == "win"
        yield plan if known else replace(plan, status="feasible", proof=None, stopped=stopped)


@dataclass(frozen=True)
class _Task:
    state: GameState
    weights: Weights
    options: PlanOptions
    solver: Solver | None  # None: whatever is fastest
    banned: tuple[Action, ...]
    clock: Clock

    def plan(
        self,
        actions: Sequence[Action],
        earned: Earned,
        *,
        method: str,
        proof: str | None,
        stopped: str = FINISHED,
        bound: Fraction | float | None = None,
        claimed: float | None = None,
        ignored: tuple[str, ...] = (),
    ) -> TurnPlan:
        """What was found, as the caller gets it; `bound` where nothing is proved."""
        from planner.games.hearthstone.game import GAME  # noqa: PLC0415  (the game plans, and plans know their game)

        if texts := unread(self.state):  # what they would do is not known, so nothing is proved
            proof, ignored = None, tuple(dict.fromkeys((*ignored, *texts)))
            bound = bound if self.options.formulation == "thesis" else None
        scale = self.weights.integer_scale()
        worths = earned.scaled(self.weights)
        objective = float(sum(worths.values())) / scale
        limit = float("inf") if bound is None else float(bound)
        return TurnPlan(
            status="optimal" if proof else "feasible",
            proof=proof,
            stopped=stopped,
            objective=objective,
            bound=objective if proof else max(objective, limit),
            terms={term: float(worth) / scale for term, worth in worths.items()},
            actions=tuple(actions),
            lethal=earned.amounts["lethal"] == 1,
            outcome=earned.outcome,
            reveals=earned.reveals,
            solver=method,
            formulation=self.options.formulation,
            seconds=self.clock.elapsed(),
            claimed=objective if claimed is None else claimed,
            ignored=ignored,
            creates=_creates(earned.made, len(actions)) if earned.made else ((),) * len(actions),
            game=GAME,
            state=self.state,
            end=earned.end,
            weights=self.weights,
        )

    def no_turn(self) -> NoTurnError:
        """The refusal where no turn keeps the profile's rules."""
        rules = ", ".join(rule.kind for rule in (*self.weights.forbid, *self.weights.require))
        return NoTurnError(f"weights: {self.weights.name}: no turn from this state keeps every hard rule ({rules})")


def _creates(made: Mapping[int, tuple[Made, ...]], count: int) -> list[list[dict[str, str]]]:
    return [[one._asdict() for one in made.get(place, ())] for place in range(count)]


# -- exact


def _exact_plans(task: _Task, seen: GameState) -> Iterator[TurnPlan]:
    if task.solver is None and (found := _by_engine(task, seen, task.options.k)) is not None:
        yield from found
        return
    first = _by_program(task, seen) if in_the_program(seen, task.weights) else next(_by_search(task, seen, 1))
    yield first
    wanted = task.options.k - 1
    if wanted:  # the next best are the engine's business, or the search's, whoever found the best
        others = _by_engine(task, seen, wanted + 1) or _by_search(replace(task, solver=None), seen, wanted + 1)
        done = Counter(first.actions)
        yield from itertools.islice((other for other in others if Counter(other.actions) != done), wanted)


def _by_engine(task: _Task, seen: GameState, k: int) -> list[TurnPlan] | None:
    """By the compiled engine; None where it does not know something of this turn."""
    options = task.options
    answer = native.best_turns(
        seen, task.weights, turns=k, banned=task.banned, hint=options.hint,
        time_limit=task.clock.left(), effort=options.effort,
    )  # fmt: skip
    if answer is None:
        return None
    if not answer.turns:
        if answer.proved:
            raise task.no_turn()
        return None  # a limit came before the first turn that keeps every rule
    proof = (BOUND if answer.left_out else EXHAUSTIVE) if answer.proved else None
    if proof and k == 1 and answer.states > 1 and in_the_program(seen, task.weights):
        # A turn of bodies that took the search over states: the program chooses among equals, as everywhere else.
        chosen = _by_program(task, seen)
        if chosen.status == "optimal" and Fraction(replay(seen, chosen.actions).worth(task.weights)) == (
            answer.turns[0].worth * task.weights.integer_scale()
        ):
            return [dataclasses.replace(chosen, solver=ENGINE, proof=proof)]
    found = []
    scale = task.weights.integer_scale()
    for turn in answer.turns:
        try:
            earned = replay(seen, turn.actions, further=bool(task.weights.extra))
        except IllegalActionError:
            earned = None
        if earned is None or Fraction(earned.worth(task.weights), scale) != turn.worth:
            # Two rulebooks that differ: the referee is right, and its own search takes over.
            warnings.warn(f"engine and referee disagree about this turn; please report it: {seen}", stacklevel=2)
            return None
        found.append(
            task.plan(turn.actions, earned, method=ENGINE, proof=proof, stopped=answer.stopped, bound=answer.bound)
        )
    return found


def _by_program(task: _Task, seen: GameState) -> TurnPlan:
    """A turn of bodies by the program."""
    from planner.games.hearthstone.turn.program import ProgramTurn  # noqa: PLC0415  (numpy, only where a program is solved)

    solver = get(DEFAULT) if task.solver is None else task.solver
    turn = ProgramTurn(seen, task.weights, solver, task.clock)
    turn.solve(task.banned)
    found, proved = turn.found, turn.best.proved
    if found is None and proved:
        raise task.no_turn()
    actions, earned = (found.actions, found.earned) if found else ([], replay(seen, []))
    if not proved:
        quick = Search(TurnOfState(seen, task.weights, task.banned), _QUICK_SECONDS).greedy(seen)
        if (looked_ahead := replay(seen, quick)).worth(task.weights) > earned.worth(task.weights):
            actions, earned = list(quick), looked_ahead
    return task.plan(
        actions, earned, method=solver.info.name, proof=PROGRAM if proved else None,
        stopped=FINISHED if proved else TIME_LIMIT, bound=float(turn.best.bound) / turn.scale,
    )  # fmt: skip


def _by_search(task: _Task, seen: GameState, k: int) -> Iterator[TurnPlan]:
    """By the search with the referee; a named solver plans the bodies behind every line of texts, and without one the
    default solver chooses among equals there."""
    from planner.games.hearthstone.turn.texts_by_solver import TextsBySolver  # noqa: PLC0415  (numpy, only where a program is solved)

    solver = get(DEFAULT) if task.solver is None else task.solver
    by_solver = TextsBySolver(seen, task.weights, solver, task.clock, task.banned)
    in_lines = task.solver is not None and not task.weights.extra and not task.weights.require and k == 1
    turn = by_solver if in_lines else TurnOfState(seen, task.weights, task.banned)
    search: Search[GameState, Action] = Search(turn, task.clock.left(), task.options.effort)
    found = [search.best(seen)] if k == 1 else search.ranked(seen)
    for number, one in enumerate(found):
        if number == k:
            return
        if one is None:
            raise task.no_turn()
        stopped = one.stopped
        if stopped == FINISHED and not turn.all_chances:
            stopped = CHANCE_LIMIT
        actions = one.actions
        if k == 1 and stopped == FINISHED and not task.weights.require:
            actions = by_solver.completed(seen, actions)
        if in_lines and not by_solver.proved:
            stopped = TIME_LIMIT
        proof = PROGRAM if in_lines else EXHAUSTIVE
        yield task.plan(
            actions, replay(seen, actions), method=solver.info.name if in_lines else SEARCH,
            proof=proof if stopped == FINISHED else None, stopped=stopped,
        )  # fmt: skip


# -- profiles that take every certain win


def _certain_win(task: _Task, seen: GameState) -> tuple[Sequence[Action] | None, str]:
    """A turn that kills for certain and leaves the own hero alive, and why the search for it stopped.

    Half of the time is for this question.
    """
    weights = task.weights
    kill = Weights(lethal=1, forbid=(*weights.forbid, _OWN_DEATH), require=weights.require)
    left = task.clock.left()
    limit = None if left is None else left / 2
    answer = native.best_turns(seen, kill, banned=task.banned, time_limit=limit, effort=task.options.effort)
    if answer is not None:
        turn, stopped = answer.turns[0].actions if answer.turns else None, answer.stopped
    else:
        by_referee = TurnOfState(seen, kill, task.banned)
        search: Search[GameState, Action] = Search(by_referee, limit, task.options.effort)
        found = search.best(seen)
        turn = None if found is None else found.actions
        stopped = search.stopped if by_referee.all_chances or search.stopped != FINISHED else CHANCE_LIMIT
    return (turn if turn is not None and _kills(seen, turn) else None), stopped


def _kills(seen: GameState, turn: Sequence[Action]) -> bool:
    return replay(seen, turn, further=False).amounts["lethal"] == 1


def _winning_plans(task: _Task, seen: GameState, win: Sequence[Action]) -> Iterator[TurnPlan]:
    """The best turns where some win for certain: one of these comes first, the best of them unless a limit is met."""
    found = list(_exact_plans(replace(task, weights=win_first(task.weights)), seen))
    # Weights as large as that of the kill can outvote it, and a limit can come before it is found.
    if not _kills(seen, found[0].actions):
        best = found[0]
        yield task.plan(win, replay(seen, win), method=best.solver, proof=None, stopped=best.stopped)
        found = [plan for plan in found if Counter(plan.actions) != Counter(win)][: task.options.k - 1]
    for plan in found:
        turn = plan.actions
        yield task.plan(turn, replay(seen, turn), method=plan.solver, proof=plan.proof, stopped=plan.stopped)


def win_first(weights: Weights) -> Weights:
    """By these a profile that takes every certain win compares turns where there is one; a draw is none."""
    return replace(weights, lethal=LIMIT, forbid=(*weights.forbid, _OWN_DEATH))


def wins_for_certain(plan: TurnPlan) -> bool:
    """Whatever is drawn and rolled: `outcome` says so only where the plan shows nothing that was not known."""
    if not plan.lethal or plan.reveals is None:
        return plan.outcome == "win"
    judge = Judge(plan.state, Weights(forbid=(_OWN_DEATH,)))
    state = observe(plan.state, plan.state.seat)
    for action in plan.actions:
        found = judge.certain(state, action)
        if found is None:  # chance decides, so it is the last
            return judge.expected(state, action) is not None
        state = found[1]
    return judge.ending(state) is not None


# -- around a plan


def plan_turn(
    state: StateLike,
    weights: WeightsLike = "true_balanced",
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    hint: Sequence[Action] = (),
    effort: int | None = None,
) -> TurnPlan:
    """The best turn from this state under these weights: certified, and proved unless a limit ended the search.

    `state` is a `GameState` or a mapping in the JSON form; `weights` a profile's name, a path, a mapping or a
    `Weights`; the rest are `PlanOptions`.
    """
    return next(plans(state, weights, PlanOptions(solver, formulation, time_limit, effort, hint)))


def plan_turns(
    state: StateLike,
    weights: WeightsLike = "true_balanced",
    solver: str = AUTO,
    formulation: str = "exact",
    time_limit: float | None = None,
    k: int = 5,
    effort: int | None = None,
) -> list[TurnPlan]:
    """The best `k` turns that differ in what is done, best first: fewer where there are no more."""
    return list(plans(state, weights, PlanOptions(solver, formulation, time_limit, effort, k=k)))


def plan_without(plan: TurnPlan, *banned: Action, time_limit: float | None = None) -> TurnPlan:
    """The best plan that contains none of these actions, wherever in the turn they might stand.

    An action is who does what to whom: the second attack of a windfury minion on the same target is the same action,
    another target or a second copy of the card is not.
    """
    return next(plans(plan.state, plan.weights, PlanOptions(time_limit=time_limit), banned))


def linear_model(state: StateLike, weights: WeightsLike, formulation: str = "exact") -> LinearModel:
    """The program of this turn, for a look at it; its objective is in the weights' own units.

    Where texts matter, it is that of the bodies alone.
    """
    from planner.games.hearthstone.turn import exact, thesis  # noqa: PLC0415  (numpy, only where a program is solved)

    given, found = Weights.of(weights), read_state(state)
    PlanOptions(formulation=formulation)
    problem = (
        thesis.build_thesis(without_texts(found)[0], given)
        if formulation == "thesis"
        else exact.build(without_texts(found)[0], given)
    )
    scale = problem.scale
    problem.model.set_objective([(var, factor / scale) for var, factor in problem.objective], problem.constant / scale)
    return problem.model


# -- thesis


def _thesis_plan(task: _Task) -> TurnPlan:
    """The thesis's optimum, and what is legal of it: one plan, which ignores texts."""
    from planner.games.hearthstone.turn import thesis  # noqa: PLC0415  (numpy, only where a program is solved)
    from planner.games.hearthstone.turn.program import solved  # noqa: PLC0415

    played, ignored = without_texts(task.state)
    solver = get(DEFAULT) if task.solver is None else task.solver
    method = solver.info.name
    choice = native.thesis_choice(played, task.weights) if task.solver is None else None
    if choice is not None:
        method, scale, proved, bound = ENGINE, choice.scale, True, float(choice.objective)
    else:
        problem = thesis.build_thesis(played, task.weights)
        best = solved(problem, solver, task.clock, lambda _: True)
        scale, proved, bound = problem.scale, best.proved, best.bound
        if best.values is not None:
            choice = problem.choice(best.values)
        elif task.options.time_limit is None:
            raise PlannerError(f"{method}: {best.message}")
    actions, earned = replay_legal(played, thesis.decode(played, choice) if choice else [])
    if ignored:
        actions = with_targets(task.state, actions)
        earned = replay(played, without_targets(actions))
        # What is made or drawn is so by texts: those of the game in which the plan is carried out.
        carried_out = replay(task.state, actions, further=False)
        earned = earned._replace(made=carried_out.made, reveals=carried_out.reveals)
    claimed = None if choice is None else Fraction(choice.objective, scale)
    honest = claimed == Fraction(earned.worth(task.weights)) / task.weights.integer_scale()
    return task.plan(
        actions, earned, method=method, proof=PROGRAM if proved and honest and not ignored else None,
        stopped=FINISHED if proved else TIME_LIMIT, bound=bound / scale,
        claimed=None if claimed is None else float(claimed), ignored=ignored,
    )  # fmt: skip
