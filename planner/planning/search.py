"""The best turn of any game, by a search of every state that the turn can lead to, equal states once.

Scores are exact numbers, so the result is the true maximum; where a limit ends the search first, it is the best turn
found, and `stopped` says why. Where chance decides about an action, the search continues from every outcome: the
score of the turn is an average, and its list of actions ends there, because the rest is planned after chance has
decided.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from planner.planning.plan import Stopped

State = TypeVar("State")
Action = TypeVar("Action")
Score: TypeAlias = int | Fraction

# A longer turn is taken for an endless one. Turns of cards that get used up are far shorter.
MAX_ACTIONS: Final = 100


class Ending(NamedTuple):
    """What ending a turn counts for."""

    score: Score
    preference: int = 0  # among turns of equal score the one with the higher preference is chosen
    actions: int = 0  # the number of actions that this end stands for


class Branch(NamedTuple, Generic[State]):
    """One outcome of an action: what the action earned, and the next state."""

    score: Score
    state: State | None  # None: the turn is over, and `score` is all that it earns
    probability: Fraction | int = 1
    preference: int = 0  # of that end


class Turn(Protocol[State, Action]):
    """One turn of a game, and its scores under a profile."""

    def actions(self, state: State) -> Iterable[Action]:
        """Return the legal actions that no hard rule forbids, without ending the turn, always in the same order."""

    def taking(self, state: State, action: Action) -> Sequence[Branch[State]] | None:
        """Return the outcomes of an action: one, or several where chance decides. None: a hard rule forbids it."""

    def ending(self, state: State) -> Ending | None:
        """Return what ending the turn here earns. None: it may not end here, by the rules or by a hard rule."""

    def key(self, state: State) -> Hashable:
        """Return the same key for states from which the rest of the turn is the same."""


@dataclass(frozen=True)
class Found(Generic[Action]):
    """A turn, and how far the search for a better one went."""

    score: Score
    actions: tuple[Action, ...]
    reveals: int | None  # the index of the action about which chance decides: the last one
    stopped: Stopped
    states: int  # searched


class _Best(NamedTuple, Generic[Action]):
    score: Score
    preference: int
    actions: int  # among equals the fewest are taken, then the first in legal order
    choice: Action | None  # None: end the turn


class Search(Generic[State, Action]):
    """The search through one turn. It keeps what it has learned about states for later calls about the same turn."""

    def __init__(self, turn: Turn[State, Action], time_limit: float | None = None, effort: int | None = None) -> None:
        self.stopped = Stopped.FINISHED
        self._turn = turn
        self._deadline = None if time_limit is None else time.monotonic() + time_limit
        self._effort = effort
        self._known: dict[Hashable, _Best[Action] | None] = {}
        self._open: set[Hashable] = set()

    def best(self, state: State) -> Found[Action] | None:
        """Return the best turn from here; None where none keeps every hard rule."""
        best = self._best(state, 0)
        if best is None:
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
        return Found(best.score, tuple(actions), reveals, self.stopped, len(self._known))

    def greedy(self, state: State) -> tuple[Action, ...]:
        """Return a turn at once, for when there is no time.

        Takes the action after which ending the turn would score most, while that improves the score.
        """
        actions: list[Action] = []
        earned: Score = 0
        ending = self._turn.ending(state)
        best = None if ending is None else ending.score
        now: State | None = state
        while now is not None and not self._limit_reached(len(actions)):
            choice: tuple[Action, State | None, Score] | None = None
            for action in self._turn.actions(now):
                branches = self._turn.taking(now, action)
                if branches is None or len(branches) > 1:
                    continue
                score, after = branches[0].score, branches[0].state
                ending = Ending(0) if after is None else self._turn.ending(after)
                if ending is not None and (best is None or earned + score + ending.score > best):
                    best, choice = earned + score + ending.score, (action, after, earned + score)
            if choice is None:
                break
            action, now, earned = choice
            actions.append(action)
        return tuple(actions)

    def ranked(
        self, state: State, identity: Callable[[State, Action], Hashable] = lambda _, action: action
    ) -> Iterator[Found[Action]]:
        """Yield turns from best to worst that differ in the `identity` of their actions, whatever the order.

        Every set of actions is tried, so this is slow.
        """
        best: dict[Hashable, Found[Action]] = {}
        known: set[Hashable] = set()
        stack: list[tuple[State, Score, tuple[Action, ...], Counter[Hashable]]] = [(state, 0, (), Counter())]

        def keep(actions: Hashable, found: Found[Action]) -> None:
            if actions not in best or found.score > best[actions].score:
                best[actions] = found

        while stack:
            now, earned, actions, so_far = stack.pop()
            ending = self._turn.ending(now)
            if ending is not None:
                keep(frozenset(so_far.items()), Found(earned + ending.score, actions, None, self.stopped, 0))
            if self._limit_reached(len(actions)):
                continue
            for action in self._turn.actions(now):
                branches = self._turn.taking(now, action)
                if branches is None:
                    continue
                longer, then = (*actions, action), so_far + Counter([identity(now, action)])
                action_set = frozenset(then.items())
                if len(branches) == 1 and (after := branches[0].state) is not None:
                    total = earned + branches[0].score
                    if (key := (self._turn.key(after), action_set, total)) not in known:
                        known.add(key)
                        stack.append((after, total, longer, then))
                elif (value := self._value(now, action, len(actions))) is not None:
                    reveals = len(actions) if len(branches) > 1 else None
                    keep(action_set, Found(earned + value[0], longer, reveals, self.stopped, 0))
        for found in sorted(best.values(), key=lambda turn: (-turn.score, len(turn.actions))):
            yield replace(found, stopped=self.stopped, states=len(known))

    def choice(self, state: State) -> Action | None:
        """Return the best action of a state that `best` has searched, or None where it is best to end the turn."""
        best = self._known[self._turn.key(state)]
        assert best is not None
        return best.choice

    def equally_good(self, state: State) -> Iterator[tuple[Action, State | None]]:
        """Yield every action that starts a best turn from here, in legal order; none where it is best to end the turn.

        Turns are equally good if score, preference and number of actions are equal. With each action comes its next
        state, or None where the turn ends or chance decides.
        """
        best = self._best(state, 0)
        if best is None or best.choice is None:
            return
        for action in self._turn.actions(state):
            branches = self._turn.taking(state, action)
            if branches is not None and self._value(state, action, 0) == best[:3]:
                yield action, branches[0].state if len(branches) == 1 else None

    def _best(self, state: State, depth: int) -> _Best[Action] | None:
        key = self._turn.key(state)
        if key in self._known:
            return self._known[key]
        if key in self._open:  # the turn came back to an earlier state: it may be endless
            self._stop(Stopped.ACTION_LIMIT)
            return None
        best: _Best[Action] | None = None
        ending = self._turn.ending(state)
        if ending is not None:
            best = _Best(*ending, None)
        exhausted = self._limit_reached(depth)
        if not (exhausted and best is not None):
            self._open.add(key)
            for action in self._turn.actions(state):
                value = self._value(state, action, depth)
                if value is not None and (best is None or _is_better(value, best)):
                    best = _Best(*value, action)
                if exhausted and best is not None:
                    break
            self._open.discard(key)
        self._known[key] = best
        return best

    def _value(self, state: State, action: Action, depth: int) -> tuple[Score, int, int] | None:
        """Return score, preference and number of actions of the best turn that begins with this action."""
        branches = self._turn.taking(state, action)
        if branches is None:
            return None
        total: Score = 0
        preferences: list[int] = []
        actions = 1
        for score, after, probability, preference in branches:
            later: Score = 0
            if after is None:
                preferences.append(preference)
            else:
                best = self._best(after, depth + 1)
                if best is None:
                    return None
                later = best.score
                preferences.append(best.preference)
                if len(branches) == 1:
                    actions += best.actions
            total += score + later if probability == 1 else probability * (score + later)
        return total, min(preferences), actions

    def _limit_reached(self, depth: int) -> bool:
        if depth >= MAX_ACTIONS:
            self._stop(Stopped.ACTION_LIMIT)
            return True
        if self._effort is not None and len(self._known) + len(self._open) >= self._effort:
            self._stop(Stopped.EFFORT_LIMIT)
            return True
        if self._deadline is not None and time.monotonic() > self._deadline:
            self._stop(Stopped.TIME_LIMIT)
            return True
        return False

    def _stop(self, reason: Stopped) -> None:
        if self.stopped == Stopped.FINISHED:
            self.stopped = reason


def _is_better(value: tuple[Score, int, int], other: _Best[Action]) -> bool:
    score, preference, actions = value
    return (score, preference, -actions) > (other.score, other.preference, -other.actions)
