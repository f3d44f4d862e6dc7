"""How far a weight can move before another turn is better, exactly.

What a turn is worth is a straight line in any one weight, and the best worth over all turns is the highest of these
lines. From the turn that rises most the walk goes back: where its line crosses the plan's, the best turn is looked for
under that very weight. If none is better there, the crossing is the end of the range; otherwise the better turn's line
crosses earlier. Each step is a solve with a proof, and all numbers are fractions.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError
from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.codec import action_to_dict
from planner.games.hearthstone.rules.match import observe
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.clock import Clock
from planner.games.hearthstone.turn.objective import replay
from planner.games.hearthstone.turn.plan import TurnPlan, plan_turn
from planner.games.hearthstone.turn.weights import SIGNS, Weights, exact
from planner.planning.weights import LIMIT

UP: Final = 1
DOWN: Final = -1


class RangeEnd(NamedTuple):
    """Where a range ends: up to and including `at` the plan stays best."""

    at: Fraction | float  # infinite: however far the weight moves
    turn: tuple[Action, ...] | None = None  # the best turn right beyond it; None where there is no end
    loss: float = 0.0  # what that turn earns less than the plan, under the weights as they are


@dataclass(frozen=True)
class WeightRange:
    """The range of one weight, all others as they are, in which the plan stays the best turn; a tie counts as best."""

    term: str
    weight: float
    low: RangeEnd | None  # None: not known, since a limit ended a search, or the numbers are too large to ask
    high: RangeEnd | None

    def to_dict(self) -> dict[str, Any]:
        """The range as data: numbers as near as JSON has them, and exactly as text (`10/3`, `-inf`)."""
        found: dict[str, Any] = {"weight": self.weight}
        for name, beyond, end in (("low", "below", self.low), ("high", "above", self.high)):
            finite = end is not None and math.isfinite(end.at)
            found[name] = float(end.at) if end is not None and finite else None
            found[f"{name}_exact"] = None if end is None else str(end.at)
            found[beyond] = (
                {"actions": [action_to_dict(action) for action in end.turn], "loss": end.loss}
                if end is not None and end.turn is not None
                else None
            )
        return found


class _Line(NamedTuple):
    """What a turn is worth as one weight moves: `rest + weight * slope`."""

    actions: tuple[Action, ...]
    rest: Fraction
    slope: Fraction

    def at(self, weight: Fraction) -> Fraction:
        return self.rest + weight * self.slope


def weight_ranges(plan: TurnPlan, time_limit: float | None = None) -> list[WeightRange]:
    """The ranges of all weights that the profile names, in its order. `time_limit` is in seconds, for all together."""
    if plan.status != "optimal" or plan.formulation != "exact":
        raise PlannerError("ranges: this plan is not proved to be the best turn, so no range is known in which it is")
    clock = Clock(time_limit)
    return [
        WeightRange(term, weight, _Walk(plan, term, DOWN, clock).end(), _Walk(plan, term, UP, clock).end())
        for term, weight in plan.weights.terms().items()
    ]


class _Walk:
    """From the turn that gains most by this direction back to where the plan stops being best."""

    def __init__(self, plan: TurnPlan, term: str, direction: int, clock: Clock) -> None:
        self._plan, self._term, self._direction, self._clock = plan, term, direction, clock
        self._seen: GameState = observe(plan.state, plan.state.seat)
        self._weights: dict[str, Fraction] = {name: exact(value) for name, value in plan.weights.terms().items()}
        self._mine = self._line(plan.actions)

    def end(self) -> RangeEnd | None:
        """Where the range ends; None where that is not known."""
        rival = self._best({self._term: Fraction(self._direction)})  # nothing counts but this term
        if rival is None:
            return None
        if self._gain(rival) <= 0:  # none gains more as the weight moves, so none ever catches up
            return RangeEnd(self._direction * math.inf)
        while True:
            crossing = (self._mine.rest - rival.rest) / (rival.slope - self._mine.slope)
            best = self._best(self._weights | {self._term: crossing})
            if best is None:
                return None
            if best.at(crossing) <= self._mine.at(crossing):
                now = self._weights[self._term]
                return RangeEnd(crossing, rival.actions, float(self._mine.at(now) - rival.at(now)))
            rival = best

    def _gain(self, rival: _Line) -> Fraction:
        return self._direction * (rival.slope - self._mine.slope)

    def _best(self, weights: dict[str, Fraction]) -> _Line | None:
        """The best turn under these weights; only their ratios matter, so whole numbers can say them."""
        scale = math.lcm(*(weight.denominator for weight in weights.values()))
        whole = {term: int(weight * scale) for term, weight in weights.items()}
        shared = math.gcd(*whole.values()) or 1
        whole = {term: weight // shared for term, weight in whole.items()}
        if max(map(abs, whole.values())) > LIMIT or self._clock.out():
            return None
        given = self._plan.weights
        asked = dataclasses.replace(
            Weights.of(whole), forbid=given.forbid, require=given.require, take_lethal=given.take_lethal
        )
        found = plan_turn(self._plan.state, asked, time_limit=self._clock.left())
        return self._line(found.actions) if found.status == "optimal" else None

    def _line(self, actions: tuple[Action, ...]) -> _Line:
        amounts = replay(self._seen, actions).amounts
        signed = {term: SIGNS[term] * Fraction(amounts.get(term, 0)) for term in self._weights}
        rest = sum((self._weights[term] * amount for term, amount in signed.items() if term != self._term), Fraction(0))
        return _Line(actions, rest, signed[self._term])
