"""What steps and ends of a turn are worth under a profile, for those who compare many: in exact numbers."""

from __future__ import annotations

from fractions import Fraction

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hardrules import end_allowed
from planner.games.hearthstone.turn.objective import (
    Step,
    Taken,
    certain,
    ends,
    in_the_end,
    starting_health,
    taken,
)
from planner.games.hearthstone.turn.weights import SIGNS, Weights, exact

Worth = int | Fraction


class Judge:
    """The worth of what happens in one turn, times `weights.integer_scale()`."""

    def __init__(self, start: GameState, weights: Weights) -> None:
        self._start, self._weights = start, weights
        self.health = starting_health(start)
        self._signed = {term: SIGNS[term] * weight for term, weight in weights.scaled().items() if weight}
        self._by_step = [self._signed.get(term, 0) for term in Step._fields]

    def step(self, step: Step) -> Worth:
        """What an action has earned when it is taken."""
        face, minions, taken_back, value, drawn = step
        by_face, by_minions, by_taken, by_value, by_drawn = self._by_step
        exactly = value if isinstance(value, int) else exact(value)
        return (
            by_face * face + by_minions * minions + by_taken * taken_back + by_value * exactly + by_drawn * drawn
        )

    def ending(self, now: GameState) -> Worth | None:
        """What ending the turn here earns; None where a hard rule forbids it."""
        total: Worth = 0
        for one in ends(now):
            if not end_allowed(self._weights, self._start, one.state):
                return None
            worth = self.step(one.step)
            for term, amount in in_the_end(one.state, self.health, bool(self._weights.extra)).items():
                if term in self._signed:
                    worth += self._signed[term] * (exact(amount) if isinstance(amount, float) else amount)
            total += worth if one.probability == 1 else one.probability * worth
        return total

    def certain(self, now: GameState, action: Action) -> tuple[Worth, GameState] | None:
        """What the action earns, and the state after it; None where chance decides about it."""
        found = certain(now, action)
        return None if found is None else (self.step(found.step), found.state)

    def expected(self, now: GameState, action: Action) -> Worth | None:
        """What an action about which chance decides earns on average, if the turn ends with it.

        None where a hard rule forbids one of these ends.
        """
        total: Worth = 0
        for one in taken(now, action):
            worth = self._with_end(one)
            if worth is None:
                return None
            total += one.probability * worth
        return total

    def taking(self, now: GameState, action: Action) -> tuple[Worth, GameState | None] | None:
        """What the action earns and the state after it; where chance decides the turn ends there: then no state."""
        found = self.certain(now, action)
        if found is not None:
            return found
        worth = self.expected(now, action)
        return None if worth is None else (worth, None)

    def _with_end(self, one: Taken) -> Worth | None:
        later = self.ending(one.state)
        return None if later is None else later + self.step(one.step)
