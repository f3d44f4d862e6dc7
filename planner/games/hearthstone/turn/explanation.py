"""Why a plan was chosen: its actions in words, its terms, lethal, its alternatives, and the ranges of the weights.

The score of a turn is a straight line in any one weight, and the best score over all turns is the upper envelope of
these lines. To find the end of a range, take the turn that rises most as the weight moves. Where its line crosses the
plan's, plan the turn under that very weight. If no turn is better there, the crossing is the end of the range;
otherwise the better turn's line crosses earlier. Each step is a plan with a proof, and all numbers are fractions.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.match_flow import observe
from planner.games.hearthstone.rules.narration import describe_turn
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.rules.state_json import action_to_dict
from planner.games.hearthstone.turn import native
from planner.games.hearthstone.turn.exhaustive_search import SearchableTurn
from planner.games.hearthstone.turn.hearthstone_weights import TERM_SIGNS, Weights
from planner.games.hearthstone.turn.scoring import certain_transition, ends, replay, transitions
from planner.games.hearthstone.turn.turn_effects import unknown_effects
from planner.games.hearthstone.turn.turn_plan import TurnPlan, plan_without, plans
from planner.games.hearthstone.turn.turn_steps import equal_actions, turn_key
from planner.planning.plan import AUTO, Clock, PlanOptions, Status, Stopped
from planner.planning.profiles import LIMIT, exact
from planner.planning.search import Branch, Ending, Score, Search

UP: Final = 1
DOWN: Final = -1
_MORE_PLANS: Final = 8  # times as many plans are searched where some of them are the same turn with equal cards


@dataclass(frozen=True)
class TurnExplanation:
    """The parts of an explanation; `str` formats them as text."""

    plan: TurnPlan
    words: tuple[str, ...]  # one line for each action
    missed_by: int | None  # the least health that any turn leaves the enemy hero; 0: lethal exists; None: unknown
    # For each action: how much less the best plan without it and its equals scores; None where no such plan is proved.
    losses: tuple[float | None, ...]
    others: tuple[TurnPlan, ...]  # the best other plans; of those that differ only in equal cards, the first

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as data."""
        return {
            "words": list(self.words),
            "lethal_exists": None if self.missed_by is None else self.missed_by == 0,
            "lethal_missed_by": self.missed_by,
            "loss_without": [
                {
                    "action": action_to_dict(action),
                    "loss": loss,
                    "equal": [action_to_dict(other) for other in equal_actions(self.plan.state, action)[1:]],
                }
                for action, loss in zip(self.plan.actions, self.losses, strict=True)
            ],
            "next_best": [other.to_dict() for other in self.others],
        }

    def __str__(self) -> str:
        plan = self.plan
        lines = [f"{plan.status} plan for {plan.weights.name}: {_number(plan.objective)}"]
        if plan.status != Status.OPTIMAL:
            lines[0] += f" (at most {_number(plan.bound)})" if math.isfinite(plan.bound) and not plan.ignored else ""
        if plan.claimed != plan.objective:
            lines.append(f"  the {plan.formulation} formulation claimed {_number(plan.claimed)}")
        if not self.words:
            lines.append("  end the turn at once")
        width = max(map(len, self.words), default=0)
        for number, (words, loss) in enumerate(zip(self.words, self.losses, strict=True), start=1):
            lines.append(f"  {number}. {words.ljust(width)}   {_comparison(loss)}")
        earned = {term: amount for term, amount in plan.terms.items() if amount}
        lines.append("terms: " + (", ".join(f"{term} {_number(amount)}" for term, amount in earned.items()) or "none"))
        lines.append(f"lethal: {self._lethal()}")
        if self.others:
            lines.append("next best:" if plan.status == Status.OPTIMAL else "the best turns:")
            for other in self.others:
                words = "; ".join(describe_turn(other.state, other.actions)) or "end the turn at once"
                lines.append(f"  {_number(other.objective)} ({_number(other.objective - plan.objective)}): {words}")
        if plan.ignored:
            lines.append(f"planned without the effects of: {', '.join(plan.ignored)}")
        return "\n".join(lines)

    def _lethal(self) -> str:
        if self.plan.lethal:
            return "yes, this plan kills the enemy hero"
        if self.missed_by == 0:
            preferred = self.plan.status == Status.OPTIMAL
            return f"possible, but {'these weights prefer this plan' if preferred else 'this plan misses it'}"
        if self.missed_by is None:
            return "unknown (an endless turn, too many random outcomes, or a card with unknown effects)"
        return f"no turn kills the enemy hero; the closest one leaves {self.missed_by} health and armor"


def explain(
    plan: TurnPlan,
    k: int = 3,
    time_limit: float | None = None,
    exclude: Sequence[Action] = (),
    ranked: Sequence[TurnPlan] | None = None,
    solver: str = AUTO,
) -> TurnExplanation:
    """Explain a plan by planning again: for lethal, without each action, and for the next best `k`.

    `time_limit` is in seconds for all searches together. `exclude` are the actions that the plan was not allowed to
    contain: its alternatives may not contain them either. `ranked` are the best `k + 1` plans, where they are known.
    An action is missing where none of the actions that are equal to it may be played: a second copy of a card does
    not replace the first.
    """
    share = None if time_limit is None else time_limit / 3
    each = None if share is None else share / max(1, len(plan.actions))
    losses = tuple(
        _loss_without(plan, [*exclude, *equal_actions(plan.state, action)], each, solver) for action in plan.actions
    )
    if ranked is None:
        options = PlanOptions(solver, k=k + 1, time_limit=share)
        ranked = list(plans(plan.state, plan.weights, options, exclude)) if k else []
        if k and len(ranked) > k and len(_different(plan, ranked)) < k:
            options = dataclasses.replace(options, k=_MORE_PLANS * (k + 1))
            ranked = list(plans(plan.state, plan.weights, options, exclude))
    others = tuple(_different(plan, ranked)[:k])
    words = tuple(describe_turn(plan.state, plan.actions))
    return TurnExplanation(plan, words, lethal_missed_by(plan.state, share), losses, others)


def _different(plan: TurnPlan, ranked: Iterable[TurnPlan]) -> list[TurnPlan]:
    """Return the plans that differ from `plan` and from each other in more than equal cards and the order."""
    known = {(plan.objective, turn_key(plan.state, plan.actions))}
    different: list[TurnPlan] = []
    for other in ranked:
        if (key := (other.objective, turn_key(other.state, other.actions))) not in known:
            known.add(key)
            different.append(other)
    return different


def _loss_without(plan: TurnPlan, banned: Sequence[Action], time_limit: float | None, solver: str) -> float | None:
    other = plan_without(plan, *banned, time_limit=time_limit, solver=solver)
    return plan.objective - other.objective if other.status == Status.OPTIMAL else None


def _comparison(loss: float | None) -> str:
    if loss is None:
        return "not known without it"
    if loss == 0:
        return "as good without it"
    return f"{_number(abs(loss))} {'worse' if loss > 0 else 'better'} without it"


def lethal_missed_by(state: GameState, time_limit: float | None = None) -> int | None:
    """Return the least health and armor that any legal turn leaves the enemy hero for certain: 0 if lethal exists.

    None where no searched turn kills, and some turns could not be searched or a card has unknown effects.
    """
    visible = observe(state, state.seat)
    for_lethal = Weights(enemy_health=1)
    answer = native.best_turns(visible, for_lethal, pessimistic=True, time_limit=time_limit)
    if answer is not None and answer.turns:
        left, proved, listed = int(-answer.turns[0].score), answer.proved, answer.all_outcomes
    else:
        turn = _LeastHealth(visible, for_lethal)
        found = Search(turn, time_limit).best(visible)
        assert found is not None  # no rule forbids ending the turn
        listed = turn.all_outcomes
        left, proved = int(-found.score), found.stopped == Stopped.FINISHED and listed
    kills = left == 0 and listed
    return left if kills or (proved and not unknown_effects(state)) else None


class _LeastHealth(SearchableTurn):
    """The turn scored by the health it leaves the enemy hero; chance counts for its worst outcome."""

    def taking(self, state: GameState, action: Action) -> list[Branch[GameState]] | None:
        """Return where the action leads."""
        transition = certain_transition(state, action)
        if transition is not None:
            return [Branch(0, transition.state)]
        possible = transitions(state, action)
        self._evaluator.all_outcomes &= possible[0].complete
        return [Branch(min(self._left(outcome.state) for outcome in possible), None)]

    def ending(self, state: GameState) -> Ending:
        """Return what ending the turn here leaves."""
        return Ending(self._left(state))

    def _left(self, state: GameState) -> Score:
        possible = ends(state)
        self._evaluator.all_outcomes &= possible[0].complete
        heroes = [outcome.state.enemy.hero for outcome in possible]
        return min(-(hero.health + hero.armor) if hero.health > 0 else 0 for hero in heroes)


def _number(value: float) -> str:
    return f"{value:g}"


# -- the ranges of the weights


class RangeEnd(NamedTuple):
    """The end of a range: up to and including `at` the plan stays best."""

    at: Fraction | float  # infinite: however far the weight moves
    turn: tuple[Action, ...] | None = None  # the best turn right beyond it; None where there is no end
    loss: float = 0.0  # how much less that turn scores under the weights as they are


@dataclass(frozen=True)
class WeightRange:
    """The values of one weight, all others fixed, for which the plan stays the best turn; a tie counts as best."""

    term: str
    weight: float
    low: RangeEnd | None  # None: unknown, since a limit ended a search, or the numbers are too large
    high: RangeEnd | None

    def to_dict(self) -> dict[str, Any]:
        """Return the range as data: numbers as floats, and exactly as text (`10/3`, `-inf`)."""
        data: dict[str, Any] = {"weight": self.weight}
        for name, beyond, end in (("low", "below", self.low), ("high", "above", self.high)):
            finite = end is not None and math.isfinite(end.at)
            data[name] = float(end.at) if end is not None and finite else None
            data[f"{name}_exact"] = None if end is None else str(end.at)
            data[beyond] = (
                {"actions": [action_to_dict(action) for action in end.turn], "loss": end.loss}
                if end is not None and end.turn is not None
                else None
            )
        return data


class _Line(NamedTuple):
    """The score of a turn as one weight moves: `constant + weight * slope`."""

    actions: tuple[Action, ...]
    constant: Fraction
    slope: Fraction

    def at(self, weight: Fraction) -> Fraction:
        return self.constant + weight * self.slope


def weight_ranges(
    plan: TurnPlan, time_limit: float | None = None, solver: str = AUTO, exclude: Sequence[Action] = ()
) -> list[WeightRange]:
    """Return the ranges of all weights that the profile names, in its order.

    `time_limit` is in seconds, for all together. `exclude` are the actions that the plan was not allowed to contain.
    """
    if plan.status != Status.OPTIMAL or plan.formulation != "exact":
        raise PlannerError("ranges: this plan is not proved to be the best turn, so its ranges are unknown")
    clock = Clock(time_limit)
    best = next(plans(plan.state, plan.weights, PlanOptions(solver, time_limit=_left(clock)), exclude))
    if best.objective > plan.objective:
        raise PlannerError("ranges: this plan is not the best turn, so it has no ranges")
    ranges: list[WeightRange] = []
    for term, weight in plan.weights.terms().items():
        low, high = (_RangeSearch(plan, term, direction, clock, solver, exclude).end() for direction in (DOWN, UP))
        ranges.append(WeightRange(term, weight, low, high))
    return ranges


def _left(clock: Clock) -> float | None:
    """Return the seconds that are left, as a valid limit."""
    left = clock.left()
    return None if left is None else max(left, 1e-9)


class _RangeSearch:
    """The search for the end of a range in one direction."""

    def __init__(
        self, plan: TurnPlan, term: str, direction: int, clock: Clock, solver: str, exclude: Sequence[Action]
    ) -> None:
        self._plan, self._term, self._direction, self._clock = plan, term, direction, clock
        self._solver, self._exclude = solver, exclude
        self._visible: GameState = observe(plan.state, plan.state.seat)
        self._weights: dict[str, Fraction] = {name: exact(value) for name, value in plan.weights.terms().items()}
        self._own = self._line(plan.actions)

    def end(self) -> RangeEnd | None:
        """Return the end of the range; None where it is unknown."""
        rival = self._best({self._term: Fraction(self._direction)})  # only this term counts
        if rival is None:
            return None
        if self._direction * (rival.slope - self._own.slope) <= 0:  # no turn gains more as the weight moves
            return RangeEnd(self._direction * math.inf)
        while True:
            crossing = (self._own.constant - rival.constant) / (rival.slope - self._own.slope)
            best = self._best(self._weights | {self._term: crossing})
            if best is None:
                return None
            if best.at(crossing) <= self._own.at(crossing):
                now = self._weights[self._term]
                return RangeEnd(crossing, rival.actions, float(self._own.at(now) - rival.at(now)))
            rival = best

    def _best(self, weights: dict[str, Fraction]) -> _Line | None:
        """Return the best turn under these weights. Only their ratios matter, so they are scaled to integers."""
        scale = math.lcm(*(weight.denominator for weight in weights.values()))
        integers = {term: int(weight * scale) for term, weight in weights.items()}
        divisor = math.gcd(*integers.values()) or 1
        integers = {term: weight // divisor for term, weight in integers.items()}
        if max(map(abs, integers.values())) > LIMIT or self._clock.out():
            return None
        profile = self._plan.weights
        moved = dataclasses.replace(
            Weights.of(integers), forbid=profile.forbid, require=profile.require, take_lethal=profile.take_lethal
        )
        options = PlanOptions(self._solver, time_limit=_left(self._clock))
        plan = next(plans(self._plan.state, moved, options, self._exclude))
        return self._line(plan.actions) if plan.status == Status.OPTIMAL else None

    def _line(self, actions: tuple[Action, ...]) -> _Line:
        amounts = replay(self._visible, actions).amounts
        signed = {term: TERM_SIGNS[term] * Fraction(amounts.get(term, 0)) for term in self._weights}
        others = (self._weights[term] * amount for term, amount in signed.items() if term != self._term)
        return _Line(actions, sum(others, Fraction(0)), signed[self._term])
