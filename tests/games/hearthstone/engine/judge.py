"""The judge of turns: every sequence of actions with the referee, merging nothing but states that are equal in all.

Slow and simple on purpose. What the search with the referee and the engine merge or leave out rests on arguments; here
there is none but that a turn goes on from equal states in the same way. The clock alone is left out: it names whoever
comes later, and no rule looks at names.
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
    """More states than the judge has the patience for, or a turn without an end."""


class Score(NamedTuple):
    """How good a turn is; the greater is the better one."""

    worth: Number
    lives: int
    fewer: int  # the number of actions, below 0


def bag(actions: Sequence[Action]) -> Bag:
    """What is done, in whatever order."""
    return frozenset(Counter(actions).items())


class Truth:
    """The best of one turn, by all that can be done in it."""

    def __init__(self, state: GameState, weights: Weights, most_states: int, banned: Sequence[Action] = ()) -> None:
        self.state, self.weights, self.banned = state, weights, banned
        self.states = 0
        self._most = most_states
        self._judge = Evaluator(state, weights)
        self._known: dict[GameState, Score | None] = {}

    def best(self) -> Score | None:
        """The best turn, in the weights' own units; None where no turn keeps every hard rule."""
        found = self._best(self.state, 0)
        return None if found is None else found._replace(worth=Fraction(found.worth) / self.weights.integer_scale())

    def ranked(self) -> list[Score]:
        """The best turn of every set of actions, from the best to the worst."""
        bags: dict[Bag, Score] = {}
        self._collect(self.state, 0, (), bags, set())
        scale = self.weights.integer_scale()
        return [one._replace(worth=Fraction(one.worth) / scale) for one in sorted(bags.values(), reverse=True)]

    def least_health(self) -> int:
        """The least health and armor of the enemy hero that a turn leaves for certain."""
        return self._least(self.state, {}, 0)

    def _count(self, depth: int) -> None:
        self.states += 1
        if self.states > self._most or depth > MAX_ACTIONS:
            raise TooManyError

    def _end(self, state: GameState) -> Score | None:
        ended = self._judge.ending(state)
        return None if ended is None else Score(ended.score, ended.preference, 0)

    def _chance(self, state: GameState, action: Action) -> Score | None:
        ended = self._judge.expected(state, action)
        return None if ended is None else Score(ended.score, ended.preference, -1)

    def _best(self, state: GameState, depth: int) -> Score | None:
        key = state if self.banned else state._replace(clock=0)  # who comes next may be banned by name
        if key in self._known:
            return self._known[key]
        self._count(depth)
        best = self._end(state)
        for action in allowed_actions(state, self.weights, self.banned):
            found = self._judge.certain(state, action)
            if found is None:
                score = self._chance(state, action)
            else:
                earned, after = found
                rest = self._best(after, depth + 1)
                score = rest and Score(earned + rest.worth, rest.lives, rest.fewer - 1)
            if score is not None and (best is None or score > best):
                best = score
        self._known[key] = best
        return best

    def _collect(
        self, state: GameState, earned: Number, done: tuple[Action, ...], bags: dict[Bag, Score],
        seen: set[tuple[GameState, Number, Bag]],
    ) -> None:  # fmt: skip
        here = (state, earned, bag(done))
        if here in seen:
            return
        seen.add(here)
        self._count(len(done))

        def keep(actions: tuple[Action, ...], end: Score | None) -> None:
            if end is not None:
                total = Score(earned + end.worth, end.lives, -len(actions))
                bags[bag(actions)] = max(total, bags.get(bag(actions), total))

        keep(done, self._end(state))
        for action in allowed_actions(state, self.weights, self.banned):
            found = self._judge.certain(state, action)
            if found is None:
                keep((*done, action), self._chance(state, action))
            else:
                self._collect(found[1], earned + found[0], (*done, action), bags, seen)

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
