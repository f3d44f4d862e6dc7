"""The independent judge of turns: it tries every sequence of actions with the Python rules.

It is slow and simple on purpose. It merges only states that are equal in every field, because a turn continues from
equal states in the same way. The only field that it ignores is the clock: it numbers the ids of later minions. It counts
where an action is banned by its id, or where a minion has such an id already.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exhaustive_search import allowed_actions
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.games.hearthstone.turn.scoring import Evaluator, certain_transition, ends, transitions
from planner.planning.search import MAX_ACTIONS
from planner.planning.search import Score as Number

Bag = frozenset[tuple[Action, int]]


class TooManyError(Exception):
    """The turn has more states than the judge visits, or no end."""


class Score(NamedTuple):
    """How good a turn is; a better turn compares greater."""

    score: Number
    hero_lives: int
    actions: int  # the number of actions, negated: fewer are better


def bag(actions: Sequence[Action]) -> Bag:
    """Return the actions without their order."""
    return frozenset(Counter(actions).items())


class Truth:
    """The truth about one turn, by trying everything."""

    def __init__(self, state: GameState, weights: Weights, max_states: int, banned: Sequence[Action] = ()) -> None:
        self.state, self.weights, self.banned = state, weights, banned
        self.states = 0
        self._max_states = max_states
        self._evaluator = Evaluator(state, weights)
        self._known: dict[GameState, Score | None] = {}
        minions = (*state.me.board, *state.enemy.board)
        self._clock_counts = bool(banned) or any(minion.id.startswith("new.") for minion in minions)

    def best(self) -> Score | None:
        """Return the best turn in the units of the weights, or None if no turn satisfies the hard rules."""
        best = self._best(self.state, 0)
        return None if best is None else best._replace(score=Fraction(best.score) / self.weights.integer_scale())

    def ranked(self) -> list[Score]:
        """Return the score of every set of actions in its best order, from the best to the worst."""
        bags: dict[Bag, Score] = {}
        self._collect(self.state, 0, (), bags, set())
        scale = self.weights.integer_scale()
        return [turn._replace(score=Fraction(turn.score) / scale) for turn in sorted(bags.values(), reverse=True)]

    def least_health(self) -> int:
        """Return the lowest health and armor that a turn leaves the enemy hero for certain."""
        return self._least(self.state, {}, 0)

    def _count(self, depth: int) -> None:
        self.states += 1
        if self.states > self._max_states or depth > MAX_ACTIONS:
            raise TooManyError

    def _end(self, state: GameState) -> Score | None:
        ended = self._evaluator.ending(state)
        return None if ended is None else Score(ended.score, ended.preference, 0)

    def _chance(self, state: GameState, action: Action) -> Score | None:
        ended = self._evaluator.expected(state, action)
        return None if ended is None else Score(ended.score, ended.preference, -1)

    def _best(self, state: GameState, depth: int) -> Score | None:
        key = state if self._clock_counts else state._replace(clock=0)
        if key in self._known:
            return self._known[key]
        self._count(depth)
        best = self._end(state)
        for action in allowed_actions(state, self.weights, self.banned):
            certain = self._evaluator.certain(state, action)
            if certain is None:
                score = self._chance(state, action)
            else:
                earned, after = certain
                rest = self._best(after, depth + 1)
                score = rest and Score(earned + rest.score, rest.hero_lives, rest.actions - 1)
            if score is not None and (best is None or score > best):
                best = score
        self._known[key] = best
        return best

    def _collect(
        self, state: GameState, earned: Number, done: tuple[Action, ...], bags: dict[Bag, Score],
        visited: set[tuple[GameState, Number, Bag]],
    ) -> None:  # fmt: skip
        here = (state, earned, bag(done))
        if here in visited:
            return
        visited.add(here)
        self._count(len(done))

        def keep(actions: tuple[Action, ...], end: Score | None) -> None:
            if end is not None:
                total = Score(earned + end.score, end.hero_lives, -len(actions))
                bags[bag(actions)] = max(total, bags.get(bag(actions), total))

        keep(done, self._end(state))
        for action in allowed_actions(state, self.weights, self.banned):
            certain = self._evaluator.certain(state, action)
            if certain is None:
                keep((*done, action), self._chance(state, action))
            else:
                self._collect(certain[1], earned + certain[0], (*done, action), bags, visited)

    def _least(self, state: GameState, known: dict[GameState, int], depth: int) -> int:
        key = state._replace(clock=0)
        if key not in known:
            self._count(depth)
            least = _health_left(state)
            for action in allowed_actions(state, Weights()):
                one = certain_transition(state, action)
                if one is None:
                    left = max(_health_left(other.state) for other in transitions(state, action))
                else:
                    left = self._least(one.state, known, depth + 1)
                least = min(least, left)
            known[key] = least
        return known[key]


def _health_left(state: GameState) -> int:
    heroes = [one.state.enemy.hero for one in ends(state)]
    return max(hero.health + hero.armor if hero.health > 0 else 0 for hero in heroes)
