"""One state in, certified plans out.

With `solver="auto"` the compiled engine plans the turn. Where the engine is not available, or a card calls a function
that it does not know, the default solver plans vanilla turns, and the search in Python plans all others. A named
solver solves the exact program: for a vanilla turn directly, otherwise after every line of card effects. Among equal
turns all of them choose the same one; docs/explanation/formulation.md describes the order, and why a plan is optimal.
"""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from planner.errors import PlannerError, quote
from planner.games.hearthstone.rules.actions import Action, Batch
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.resolve import IllegalActionError
from planner.games.hearthstone.rules.state import GameState, is_over
from planner.games.hearthstone.rules.state_json import state_from_dict
from planner.games.hearthstone.turn import native
from planner.games.hearthstone.turn.exhaustive_search import SearchableTurn
from planner.games.hearthstone.turn.hearthstone_weights import Rule, Weights
from planner.games.hearthstone.turn.scoring import Created, Earned, Evaluator, replay, replay_legal
from planner.games.hearthstone.turn.turn_effects import (
    program_applies,
    unknown_effects,
    with_targets,
    without_effects,
    without_targets,
)
from planner.planning.plan import (
    AUTO,
    Clock,
    NoTurnError,
    Plan,
    PlanOptions,
    Proof,
    Status,
    Stopped,
)
from planner.planning.profiles import LIMIT, Number
from planner.planning.search import Search
from planner.solvers import DEFAULT, get

if TYPE_CHECKING:
    from planner.games.hearthstone.turn.explanation import TurnExplanation, WeightRange
    from planner.solvers.backend import Solver
    from planner.solvers.linear_model import LinearModel

ENGINE: Final = "engine"
SEARCH: Final = "search"
_OWN_DEATH: Final = Rule("own_hero_death")
# Python looks up a member of an enumeration slowly.
_OPTIMAL, _FEASIBLE = Status.OPTIMAL, Status.FEASIBLE
_BOUND, _EXHAUSTIVE = Proof.BOUND, Proof.EXHAUSTIVE
_QUICK_SECONDS: Final = 0.02  # for a greedy turn where the solver had no time

StateLike = GameState | Mapping[str, Any]
WeightsLike = Weights | str | PathLike[str] | Mapping[str, Number]


class TurnPlan(Plan[GameState, Action]):
    """A turn of this game."""

    # Without `terms`, a plan has these: the terms times the scale, and the scale.
    _scaled_terms: tuple[Mapping[str, Fraction | int], int]

    @cached_property
    def terms(self) -> Mapping[str, float]:  # computed when it is read
        """The part of each term in the objective."""
        scaled, scale = self._scaled_terms
        return {term: float(amount / scale) for term, amount in scaled.items()}

    def explain(self, k: int = 3, time_limit: float | None = None, solver: str = AUTO) -> TurnExplanation:
        """Explain the plan: in words, by term, against lethal, without each of its actions, and the next best `k`."""
        from planner.games.hearthstone.turn.explanation import explain  # noqa: PLC0415  (it plans again)

        return explain(self, k, time_limit, solver=solver)

    def ranges(self, time_limit: float | None = None, solver: str = AUTO) -> list[WeightRange]:
        """Return for each weight of the profile the interval in which this plan stays the best turn."""
        from planner.games.hearthstone.turn.explanation import weight_ranges  # noqa: PLC0415  (it plans again)

        return weight_ranges(self, time_limit, solver)


def read_state(state: StateLike) -> GameState:
    """Return the state; a mapping is read, and a finished match raises a `PlannerError`."""
    known = state if isinstance(state, GameState) else state_from_dict(state)
    if is_over(known):
        raise PlannerError("the match is over: there is no turn to plan")
    return known


def plans(
    state: StateLike, weights: WeightsLike, options: PlanOptions, banned: Sequence[Action] = ()
) -> Iterator[TurnPlan]:
    """Yield the best `options.k` plans, best first, each proved unless a limit ended the search."""
    if options.hint and not all(isinstance(action, Action) for action in options.hint):
        raise PlannerError(f"hint: {quote(options.hint)} is not a list of actions, such as plan.actions")
    profile = Weights.of(weights)
    solver = None if options.solver == AUTO else get(options.solver)
    task = _Task(read_state(state), profile, options, solver, tuple(banned), Clock(options.time_limit))
    if options.formulation != "exact":
        if options.k > 1:
            raise PlannerError(f"formulation: {options.formulation!r} does not support next best plans, 'exact' does")
        yield _thesis_plan(task)
        return
    visible = observe(task.state, task.state.seat)  # hidden cards are not planned with
    if not profile.take_lethal:
        yield from _exact_plans(task, visible)
        return
    win, stopped = _certain_win(task, visible)
    if win is not None:
        yield from _winning_plans(task, visible, win)
        return
    for plan in _exact_plans(task, visible):
        # Where a limit ended the search for a win, a turn that this profile prefers may have been missed.
        if stopped == Stopped.FINISHED or plan.outcome == "win":
            yield plan
        else:
            yield replace(plan, status=Status.FEASIBLE, proof=None, stopped=stopped)


class _Task(NamedTuple):
    state: GameState
    weights: Weights
    options: PlanOptions
    solver: Solver | None  # None: the fastest method
    banned: tuple[Action, ...]
    clock: Clock

    def plan(
        self,
        actions: Sequence[Action],
        earned: Earned,
        terms: Mapping[str, Fraction | int] | None = None,
        *,
        method: str,
        proof: Proof | None,
        stopped: Stopped = Stopped.FINISHED,
        bound: Fraction | float | None = None,
        claimed: float | None = None,
        ignored: tuple[str, ...] = (),
    ) -> TurnPlan:
        """Return the plan for a replayed turn; `bound` counts only where nothing is proved.

        `terms` are the scaled terms of `earned`, where they are known.
        """
        if unknown := unknown_effects(self.state):  # so nothing is proved
            proof, ignored = None, tuple(dict.fromkeys((*ignored, *unknown)))
            bound = None if self.options.formulation == "exact" else bound
        scale = self.weights.integer_scale()
        if terms is None:
            terms = earned.scaled_terms(self.weights)
        score = sum(terms.values())
        objective = float(score / scale)  # rounded once: an integer or a fraction, divided exactly
        fair = earned.complete and not ignored  # otherwise the score is not that of the turn as it will be played
        if not proof and fair and isinstance(bound, Fraction) and Fraction(score) / scale >= bound:
            proof = Proof.BOUND  # a limit stopped the search, but no turn can score more
        plan = object.__new__(TurnPlan)
        # The constructor of a frozen dataclass takes eight times as long.
        plan.__dict__.update(
            status=_OPTIMAL if proof else _FEASIBLE,
            proof=proof,
            stopped=stopped,
            objective=objective,
            bound=objective if proof else max(objective, float("inf") if bound is None else float(bound)),
            _scaled_terms=(terms, scale),
            actions=tuple(actions),
            lethal=earned.complete and earned.amounts["lethal"] == 1,
            outcome=earned.outcome,
            reveals=earned.reveals,
            solver=method,
            formulation=self.options.formulation,
            seconds=self.clock.elapsed(),
            claimed=objective if claimed is None else claimed,
            ignored=ignored,
            creates=_creates(earned.created, len(actions)) if earned.created else ((),) * len(actions),
            game=_game(),
            state=self.state,
            end=earned.end,
            weights=self.weights,
        )
        return plan

    def no_turn(self) -> NoTurnError:
        """Return the error for a state from which no turn keeps the profile's rules."""
        rules = ", ".join(rule.kind for rule in (*self.weights.forbid, *self.weights.require))
        return NoTurnError(f"weights: {self.weights.name}: no turn from this state keeps every hard rule ({rules})")


@cache
def _game() -> Any:
    from planner.games.hearthstone.hearthstone_game import GAME  # noqa: PLC0415  (the game plans, and plans know their game)

    return GAME


def _creates(created: Mapping[int, tuple[Created, ...]], count: int) -> list[list[dict[str, str]]]:
    return [[card._asdict() for card in created.get(index, ())] for index in range(count)]


# -- exact


def _exact_plans(task: _Task, visible: GameState) -> Iterator[TurnPlan]:
    if task.solver is None and (by_engine := _by_engine(task, visible, task.options.k)) is not None:
        yield from by_engine
        return
    by_program = program_applies(visible, task.weights)
    first = _by_program(task, visible) if by_program else next(_by_search(task, visible, 1))
    yield first
    wanted = task.options.k - 1
    if wanted:  # the engine or the search finds the next best plans, whichever method found the best one
        others = _by_engine(task, visible, wanted + 1) or _by_search(task._replace(solver=None), visible, wanted + 1)
        known = Counter(first.actions)
        yield from itertools.islice((other for other in others if Counter(other.actions) != known), wanted)


def _by_engine(task: _Task, visible: GameState, k: int) -> list[TurnPlan] | None:
    """Plan by the compiled engine; None where it does not support something in this turn."""
    options = task.options
    answer = native.best_turns(
        visible,
        task.weights,
        turns=k,
        banned=task.banned,
        hint=options.hint,
        time_limit=task.clock.left(),
        effort=options.effort,
    )
    if answer is None:
        return None
    if not answer.turns:
        if answer.proved:
            raise task.no_turn()
        return None  # a limit was reached before the first turn that keeps every rule
    proof = (_BOUND if answer.pruned else _EXHAUSTIVE) if answer.proved else None
    bound = None if proof else answer.bound
    certified = []
    for turn in answer.turns:
        try:
            earned = replay(visible, turn.actions, further=task.weights.has_further_terms)
        except IllegalActionError:
            break
        terms = earned.scaled_terms(task.weights)
        agreed = sum(terms.values()) * turn.denominator == task.weights.integer_scale() * turn.numerator
        if not agreed and answer.all_outcomes:  # else the referee may list outcomes that the engine left out
            break
        certified.append(
            task.plan(turn.actions, earned, terms, method=ENGINE, proof=proof, stopped=answer.stopped, bound=bound)
        )
    else:
        return certified
    # The two rulebooks differ: the referee is right, and its own search takes over.
    warnings.warn(f"engine and referee disagree about this turn; please report it: {visible}", stacklevel=2)
    return None


def _by_program(task: _Task, visible: GameState) -> TurnPlan:
    """Plan a vanilla turn by the exact program."""
    from planner.games.hearthstone.turn.program_turn import ProgramTurn  # noqa: PLC0415  (numpy)

    solver = get(DEFAULT) if task.solver is None else task.solver
    turn = ProgramTurn(visible, task.weights, solver, task.clock, task.banned)
    proved = turn.best.proved
    if turn.certified is None and proved:
        raise task.no_turn()
    actions, earned = turn.certified or ([], replay(visible, []))
    if not proved:
        quick = Search(SearchableTurn(visible, task.weights, task.banned), _QUICK_SECONDS).greedy(visible)
        if (by_greedy := replay(visible, quick)).scaled_score(task.weights) > earned.scaled_score(task.weights):
            actions, earned = list(quick), by_greedy
    return task.plan(
        actions,
        earned,
        method=solver.info.name,
        proof=Proof.PROGRAM if proved else None,
        stopped=Stopped.FINISHED if proved or task.options.time_limit is None else Stopped.TIME_LIMIT,
        bound=float(turn.best.bound) / turn.scale,
    )


def _by_search(task: _Task, visible: GameState, k: int) -> Iterator[TurnPlan]:
    """Plan by the search with the referee; a named solver plans the vanilla rest of every line of effects."""
    turn, method, certificate = SearchableTurn(visible, task.weights, task.banned), SEARCH, Proof.EXHAUSTIVE
    if task.solver is not None and not task.weights.has_further_terms and not task.weights.require and k == 1:
        from planner.games.hearthstone.turn.program_turn import EffectsBySolver  # noqa: PLC0415  (numpy)

        turn = EffectsBySolver(visible, task.weights, task.solver, task.clock, task.banned)
        method, certificate = task.solver.info.name, Proof.PROGRAM
    search: Search[GameState, Action] = Search(turn, task.clock.left(), task.options.effort)
    ranked = search.ranked(visible) if k > 1 else iter([])
    best = next(ranked, None) or search.best(visible)
    if best is None:
        raise task.no_turn()
    if best.stopped == Stopped.FINISHED:  # of the turns of equal score, the first in the tie-break order comes first
        ranked = itertools.chain([best], ranked)
        best = replace(best, actions=turn.completed(search, visible))
    known = Counter(best.actions)
    others = (other for other in ranked if Counter(other.actions) != known)
    for found in (best, *itertools.islice(others, k - 1)):
        stopped = turn.reason(found.stopped)
        proof = certificate if stopped == Stopped.FINISHED else None
        yield task.plan(found.actions, replay(visible, found.actions), method=method, proof=proof, stopped=stopped)


# -- profiles that take every certain win


def _certain_win(task: _Task, visible: GameState) -> tuple[Sequence[Action] | None, Stopped]:
    """Return a turn that kills for certain and leaves the own hero alive, and why the search for it stopped.

    Half of the time is for this question.
    """
    weights = task.weights
    kill = Weights(lethal=1, forbid=(*weights.forbid, _OWN_DEATH), require=weights.require)
    left = task.clock.left()
    limit = None if left is None else left / 2
    effort = task.options.effort
    answer = native.best_turns(visible, kill, banned=task.banned, time_limit=limit, effort=effort, ties=False)
    if answer is not None:
        turn, stopped = answer.turns[0].actions if answer.turns else None, answer.stopped
    else:
        by_referee = SearchableTurn(visible, kill, task.banned)
        search: Search[GameState, Action] = Search(by_referee, limit, task.options.effort)
        found = search.best(visible)
        turn = None if found is None else found.actions
        stopped = by_referee.reason(search.stopped)
    return (turn if turn is not None and _kills(visible, turn) else None), stopped


def _kills(visible: GameState, turn: Sequence[Action]) -> bool:
    return replay(visible, turn, further=False).outcome == "win"


def _winning_plans(task: _Task, visible: GameState, win: Sequence[Action]) -> Iterator[TurnPlan]:
    """Yield the best turns where some win for certain: a win comes first, the best of them unless a limit ended it."""
    best = list(_exact_plans(task._replace(weights=win_first(task.weights)), visible))
    # Every certain win scores this much less by the profile's own weights.
    excess = LIMIT - task.weights.terms()["lethal"]
    # Weights as large as that of the kill can outweigh it, and a limit can end the search before it is found.
    if not _kills(visible, best[0].actions):
        first = best[0]
        yield task.plan(
            win,
            replay(visible, win),
            method=first.solver,
            proof=None,
            stopped=first.stopped,
            bound=first.bound - excess,
        )
        best = [plan for plan in best if Counter(plan.actions) != Counter(win)][: task.options.k - 1]
    for plan in best:
        earned = replay(visible, plan.actions)
        bound = plan.bound - excess if earned.outcome == "win" else None
        yield task.plan(plan.actions, earned, method=plan.solver, proof=plan.proof, stopped=plan.stopped, bound=bound)


def win_first(weights: Weights) -> Weights:
    """Return the weights by which a profile that takes every certain win compares turns; a draw is not a win."""
    return replace(weights.with_weights(lethal=LIMIT), forbid=(*weights.forbid, _OWN_DEATH))


def wins_for_certain(plan: TurnPlan) -> bool:
    """Return whether the plan wins, whatever is drawn and rolled.

    `plan.outcome` says so only where the plan reveals nothing.
    """
    if not plan.lethal or plan.reveals is None:
        return plan.outcome == "win"
    evaluator = Evaluator(plan.state, Weights(forbid=(_OWN_DEATH,)))
    state = observe(plan.state, plan.state.seat)
    for action in plan.actions:
        transition = evaluator.certain(state, action)
        if transition is None:  # chance decides, so it is the last
            return evaluator.expected(state, action) is not None
        state = transition[1]
    return evaluator.ending(state) is not None


# -- around a plan


def plan_without(plan: TurnPlan, *banned: Action, time_limit: float | None = None, solver: str = AUTO) -> TurnPlan:
    """Return the best plan that contains none of these actions, wherever in the turn they might come.

    An action is its actor and its target: the second attack of a windfury minion on the same target is the same
    action; an attack on another target, or by a second copy of the card, is not.
    """
    return next(plans(plan.state, plan.weights, PlanOptions(solver, time_limit=time_limit), banned))


def linear_model(state: StateLike, weights: WeightsLike, formulation: str = "exact") -> LinearModel:
    """Return the program of this turn; its objective is in the weights' own units.

    Card effects are left out.
    """
    from planner.games.hearthstone.turn.exact_builder import build_exact  # noqa: PLC0415  (numpy)
    from planner.games.hearthstone.turn.thesis_program import READINGS, build_thesis  # noqa: PLC0415

    PlanOptions(formulation=formulation)
    profile, known = Weights.of(weights), read_state(state)
    reading = READINGS.get(formulation)
    # The rows of chapter 5 depend on which cards have effects.
    known = known if reading is not None and reading.keyword_rows else without_effects(known)[0]
    problem = build_exact(known, profile) if reading is None else build_thesis(known, profile, reading)
    scale = problem.scale
    problem.model.set_objective([(var, factor / scale) for var, factor in problem.objective], problem.constant / scale)
    return problem.model


# -- thesis


def _thesis_plan(task: _Task) -> TurnPlan:
    """Return the optimum of Guo's model, without card effects: its legal part, or a batch where the rules allow one."""
    from planner.games.hearthstone.turn.lexicographic import solve_ranked  # noqa: PLC0415  (numpy)
    from planner.games.hearthstone.turn.thesis_program import (  # noqa: PLC0415
        READINGS,
        build_thesis,
        decode,
        printed_batch,
    )

    blank, ignored = without_effects(task.state)
    solver = get(DEFAULT) if task.solver is None else task.solver
    method = solver.info.name
    printed = task.state.rules.execution == "printed"
    reading = READINGS[task.options.formulation]._replace(most_actions=printed)
    choice = native.thesis_choice(blank, task.weights, reading) if task.solver is None else None
    if choice is not None:
        method, scale, proved, bound = ENGINE, choice.scale, True, float(choice.objective)
    else:
        # The rows of chapter 5 depend on which cards have effects.
        problem = build_thesis(task.state if reading.keyword_rows else blank, task.weights, reading)
        best = solve_ranked(problem, solver, task.clock, lambda _: True)
        scale, proved, bound = problem.scale, best.proved, best.bound
        if best.values is not None:
            choice = problem.choice(best.values)
        elif task.options.time_limit is None:
            raise PlannerError(f"{method}: {best.message}")
    if printed:
        batch = printed_batch(task.state, choice) if choice else Batch(())
        actions, earned = replay_legal(blank, [batch] if batch.actions else [])
    else:
        actions, earned = replay_legal(blank, decode(blank, choice) if choice else [])
    if ignored:
        actions = actions if printed else with_targets(task.state, actions)
        earned = replay(blank, without_targets(actions))
        # Cards are created and drawn by effects: those of the game in which the plan is carried out.
        with_effects = replay(task.state, actions, further=False)
        earned = earned._replace(created=with_effects.created, reveals=with_effects.reveals)
    claimed = None if choice is None else Fraction(choice.objective, scale)
    honest = claimed == earned.score(task.weights)
    return task.plan(
        actions,
        earned,
        method=method,
        proof=Proof.PROGRAM if proved and honest and not ignored else None,
        stopped=Stopped.FINISHED if proved else Stopped.TIME_LIMIT,
        bound=bound / scale,
        claimed=None if claimed is None else float(claimed),
        ignored=ignored,
    )
