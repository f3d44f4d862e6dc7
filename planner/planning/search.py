"""The best turn of any game by looking at every state that the turn can lead to, equal states once.

Worths are exact numbers, so the result is the true maximum; where a limit ends the search first, it is the best turn
found, and `stopped` says why. Where chance decides about an action, what is worth most in each case is done after it:
the turn's worth is an average, and its list of actions ends there, for what comes next is planned when chance has
decided.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from planner.planning.plan import ACTION_LIMIT, EFFORT_LIMIT, FINISHED, TIME_LIMIT

State = TypeVar("State")
Action = TypeVar("Action")
Worth: TypeAlias = int | Fraction

# A turn of so many actions is taken for one that has no end. Far more than any turn of cards that get used up needs.
MOST_ACTIONS: Final = 100


class Ending(NamedTuple):
    """What ending a turn counts for."""

    worth: Worth
    preference: int = 0  # among turns of equal worth the one that ends with more is taken
    steps: int = 0  # actions that this end stands for


class Branch(NamedTuple, Generic[State]):
    """One thing that an action can lead to: what the action earned, and where it goes on."""

    worth: Worth
    state: State | None  # None: the turn is over, and `worth` is all that it earns
    probability: Fraction | int = 1
    preference: int = 0  # of that end


class Turn(Protocol[State, Action]):
    """One turn of a game, from some state on, with what it is worth under a profile."""

    def actions(self, state: State) -> Iterable[Action]:
        """What may be done now besides ending the turn, always in the same order; nothing that a hard rule forbids."""

    def taking(self, state: State, action: Action) -> Sequence[Branch[State]] | None:
        """Where the action leads: one branch, or where chance decides all of them. None: a hard rule forbids it."""

    def ending(self, state: State) -> Ending | None:
        """What ending the turn here earns. None: it may not end here, by the rules or by a hard rule."""

    def key(self, state: State) -> Hashable:
        """Equal for states from which the rest of the turn is the same."""


@dataclass(frozen=True)
class Found(Generic[Action]):
    """A turn, and how far the search for a better one went."""

    worth: Worth
    actions: tuple[Action, ...]
    reveals: int | None  # the place of the action about which chance decides: the last one
    stopped: str
    states: int  # how many were looked at


class _Best(NamedTuple, Generic[Action]):
    worth: Worth
    preference: int
    steps: int  # how many actions: among equals the fewest are taken, then the first in legal order
    choice: Action | None  # None: end the turn


class Search(Generic[State, Action]):
    """The search through one turn. What it has learned about a state stays for later questions about the same turn."""

    def __init__(self, turn: Turn[State, Action], time_limit: float | None = None, effort: int | None = None) -> None:
        self.stopped = FINISHED
        self._turn = turn
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self._effort = effort
        self._known: dict[Hashable, _Best[Action] | None] = {}
        self._open: set[Hashable] = set()

    def best(self, state: State) -> Found[Action] | None:
        """The best turn from here; None where none keeps every hard rule."""
        found = self._best(state, 0)
        if found is None:
            return None
        actions: list[Action] = []
        reveals: int | None = None
        now: State | None = state
        while now is not None and (action := self.choice(now)) is not None:
            branches = self._turn.taking(now, action)
            assert branches is not None  # it was taken before
            actions.append(action)
            now = branches[0].state
            if len(branches) > 1:
                reveals, now = len(actions) - 1, None
        return Found(found.worth, tuple(actions), reveals, self.stopped, len(self._known))

    def greedy(self, state: State) -> tuple[Action, ...]:
        """A turn at once, for when there is no time: always the action after which ending the turn would be worth most,
        while that improves."""
        actions: list[Action] = []
        earned: Worth = 0
        ending = self._turn.ending(state)
        best = None if ending is None else ending.worth
        now: State | None = state
        while now is not None and not self._limit_reached(len(actions)):
            choice: tuple[Action, State | None, Worth] | None = None
            for action in self._turn.actions(now):
                branches = self._turn.taking(now, action)
                if branches is None or len(branches) > 1:
                    continue
                worth, after = branches[0].worth, branches[0].state
                ending = Ending(0) if after is None else self._turn.ending(after)
                if ending is not None and (best is None or earned + worth + ending.worth > best):
                    best, choice = earned + worth + ending.worth, (action, after, earned + worth)
            if choice is None:
                break
            action, now, earned = choice
            actions.append(action)
        return tuple(actions)

    def ranked(
        self, state: State, done: Callable[[State, Action], Hashable] = lambda _, action: action
    ) -> Iterator[Found[Action]]:
        """Turns from best to worst that differ in what is `done`, whatever the order.

        Every set of actions is gone through: meant for explanations, not for speed.
        """
        best: dict[Hashable, Found[Action]] = {}
        seen: set[Hashable] = set()
        waiting: list[tuple[State, Worth, tuple[Action, ...], Counter[Hashable]]] = [(state, 0, (), Counter())]

        def keep(what: Hashable, found: Found[Action]) -> None:
            if what not in best or found.worth > best[what].worth:
                best[what] = found

        while waiting:
            now, earned, actions, so_far = waiting.pop()
            ending = self._turn.ending(now)
            if ending is not None:
                keep(frozenset(so_far.items()), Found(earned + ending.worth, actions, None, self.stopped, 0))
            if self._limit_reached(len(actions)):
                continue
            for action in self._turn.actions(now):
                branches = self._turn.taking(now, action)
                if branches is None:
                    continue
                longer, then = (*actions, action), so_far + Counter([done(now, action)])
                what = frozenset(then.items())
                if len(branches) == 1 and (after := branches[0].state) is not None:
                    total = earned + branches[0].worth
                    if (key := (self._turn.key(after), what, total)) not in seen:
                        seen.add(key)
                        waiting.append((after, total, longer, then))
                elif (worth := self._worth(now, action, len(actions))) is not None:
                    reveals = len(actions) if len(branches) > 1 else None
                    keep(what, Found(earned + worth[0], longer, reveals, self.stopped, 0))
        for found in sorted(best.values(), key=lambda one: (-one.worth, len(one.actions))):
            yield replace(found, stopped=self.stopped, states=len(seen))

    def choice(self, state: State) -> Action | None:
        """The best action of a state that `best` has met, or None where it is best to end the turn."""
        found = self._known[self._turn.key(state)]
        assert found is not None
        return found.choice

    def _best(self, state: State, depth: int) -> _Best[Action] | None:
        key = self._turn.key(state)
        if key in self._known:
            return self._known[key]
        if key in self._open:  # back where we were: going round in circles is no turn
            self._stop(ACTION_LIMIT)
            return None
        best: _Best[Action] | None = None
        ending = self._turn.ending(state)
        if ending is not None:
            best = _Best(*ending, None)
        exhausted = self._limit_reached(depth)
        if not (exhausted and best is not None):
            self._open.add(key)
            for action in self._turn.actions(state):
                worth = self._worth(state, action, depth)
                if worth is not None and (best is None or _is_better(worth, best)):
                    best = _Best(*worth, action)
                if exhausted and best is not None:
                    break
            self._open.discard(key)
        self._known[key] = best
        return best

    def _worth(self, state: State, action: Action, depth: int) -> tuple[Worth, int, int] | None:
        branches = self._turn.taking(state, action)
        if branches is None:
            return None
        total: Worth = 0
        preferences: list[int] = []
        steps = 1
        for worth, after, probability, preference in branches:
            later: Worth = 0
            if after is None:
                preferences.append(preference)
            else:
                found = self._best(after, depth + 1)
                if found is None:
                    return None
                later = found.worth
                preferences.append(found.preference)
                if len(branches) == 1:
                    steps += found.steps
            total += worth + later if probability == 1 else probability * (worth + later)
        return total, min(preferences), steps

    def _limit_reached(self, depth: int) -> bool:
        if depth >= MOST_ACTIONS:
            self._stop(ACTION_LIMIT)
            return True
        if self._effort is not None and len(self._known) + len(self._open) >= self._effort:
            self._stop(EFFORT_LIMIT)
            return True
        if self._deadline is not None and time.monotonic() > self._deadline:
            self._stop(TIME_LIMIT)
            return True
        return False

    def _stop(self, reason: str) -> None:
        if self.stopped == FINISHED:
            self.stopped = reason


def _is_better(one: tuple[Worth, int, int], other: _Best[Action]) -> bool:
    worth, preference, steps = one
    return (worth, preference, -steps) > (other.worth, other.preference, -other.steps)
