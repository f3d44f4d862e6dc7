"""What steps and ends of a turn are worth under a profile, for those who compare many: in exact numbers."""

from __future__ import annotations

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.hardrules import end_allowed
from planner.games.hearthstone.turn.objective import ActionTerms, certain, ends, in_the_end, starting_health, taken
from planner.games.hearthstone.turn.weights import SIGNS, Weights, exact
from planner.planning.search import Ending, Worth


class Judge:
    """The worth of what happens in one turn, times `weights.integer_scale()`.

    Among ends of equal worth those in which our own hero lives are preferred.
    """

    def __init__(self, start: GameState, weights: Weights) -> None:
        self._start, self._weights = start, weights
        self.health = starting_health(start)
        self.all_chances = True  # were all chances that were met listed to their end?
        self._signed = {term: SIGNS[term] * weight for term, weight in weights.scaled().items() if weight}
        self._by_step = [self._signed.get(term, 0) for term in ActionTerms._fields]

    def step(self, step: ActionTerms) -> Worth:
        """What an action has earned when it is taken."""
        return sum(
            weight * (exact(amount) if isinstance(amount, float) else amount)
            for weight, amount in zip(self._by_step, step, strict=True)
            if weight
        )

    def ending(self, now: GameState) -> Ending | None:
        """What ending the turn here earns; None where a hard rule forbids it."""
        total: Worth = 0
        lives = True
        for one in ends(now):
            self.all_chances &= one.complete
            if not end_allowed(self._weights, self._start, one.state):
                return None
            worth = self.step(one.step)
            for term, amount in in_the_end(one.state, self.health, bool(self._weights.extra)).items():
                if term in self._signed:
                    worth += self._signed[term] * (exact(amount) if isinstance(amount, float) else amount)
            total += worth if one.probability == 1 else one.probability * worth
            lives = lives and one.state.me.hero.health > 0
        return Ending(total, int(lives))

    def certain(self, now: GameState, action: Action) -> tuple[Worth, GameState] | None:
        """What the action earns, and the state after it; None where chance decides about it."""
        found = certain(now, action)
        return None if found is None else (self.step(found.step), found.state)

    def expected(self, now: GameState, action: Action) -> Ending | None:
        """What an action about which chance decides earns on average, if the turn ends with it.

        None where a hard rule forbids one of these ends.
        """
        total: Worth = 0
        lives = 1
        for one in taken(now, action):
            self.all_chances &= one.complete
            ended = self.ending(one.state)
            if ended is None:
                return None
            total += one.probability * (ended.worth + self.step(one.step))
            lives = min(lives, ended.preference)
        return Ending(total, lives)
