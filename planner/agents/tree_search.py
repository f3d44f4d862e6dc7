"""`mcts`: Monte-Carlo tree search for any game, with a number of iterations or seconds for each decision.

An iteration samples the hidden cards, walks down a tree of actions, adds one action to it, and plays on at random.
Nodes of the tree are sequences of actions, not states: what chance and the sample decide differs between iterations,
and a node averages over it. An action is compared only with those that were legal at the same time (information set
Monte-Carlo tree search: Cowling, Powley and Whitehouse 2012). Each seat maximises its own points, so any number of
seats can play.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from time import monotonic
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.game import AnyGame, EstimatesPoints, SamplesHidden

MCTS: Final = "mcts"
DEFAULT_ITERATIONS: Final = 100
MAX_ITERATIONS: Final = 1_000_000
EXPLORATION: Final = 0.7  # the constant of UCB1 for points between 0 and 1
MAX_PLAYOUT_ACTIONS: Final = 2000  # a card that costs nothing and returns to the hand could be played for ever


def names_tree_search(name: str) -> bool:
    """Return whether this is `mcts` or `mcts:ITERATIONS`."""
    return name == MCTS or name.startswith(f"{MCTS}:")


def iterations_of(name: str) -> int:
    """Return the iterations that `mcts` or `mcts:ITERATIONS` names."""
    if name == MCTS:
        return DEFAULT_ITERATIONS
    digits = name.removeprefix(f"{MCTS}:")
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= len(str(MAX_ITERATIONS)) else 0
    if not 1 <= number <= MAX_ITERATIONS:
        raise PlannerError(f"{quote(name)} is not {MCTS}:N with N iterations from 1 to {MAX_ITERATIONS:,}")
    return number


class _Node:
    """The position after a sequence of actions."""

    __slots__ = ("available", "children", "points", "visits")

    def __init__(self) -> None:
        self.children: dict[Any, _Node] = {}
        self.visits = 0
        self.available = 0  # how often its action could have been chosen
        self.points = 0.0  # the sum over all visits, of the seat that chose its action

    def value(self) -> float:
        """Return the upper confidence bound of the points of the seat that chooses."""
        return self.points / self.visits + EXPLORATION * math.sqrt(math.log(self.available) / self.visits)


class TreeSearchAgent:
    """Chooses the action that most iterations of a Monte-Carlo tree search chose.

    It knows no more than the observation. A game with hidden cards samples them (`SamplesHidden`); otherwise the search
    plays on from the observation itself. A game that estimates points (`EstimatesPoints`) shortens the playouts.
    """

    def __init__(
        self,
        game: AnyGame,
        rng: Random,
        iterations: int = DEFAULT_ITERATIONS,
        time_limit: float | None = None,  # seconds, after which no further iteration begins
    ) -> None:
        self.name = MCTS if iterations == DEFAULT_ITERATIONS else f"{MCTS}:{iterations}"
        self._game, self._rng, self._iterations, self._time_limit = game, rng, iterations, time_limit
        self._sample = game.sample_hidden if isinstance(game, SamplesHidden) else None
        self._estimate = game.estimate_points if isinstance(game, EstimatesPoints) else None

    def decide(self, state: Any) -> Any:
        """Return the action with the most visits; the first of equals."""
        actions = self._game.legal_actions(state)
        if len(actions) == 1:
            return actions[0]
        root = _Node()
        end = math.inf if self._time_limit is None else monotonic() + self._time_limit
        for number in range(self._iterations):
            if number and monotonic() >= end:
                break
            self._iterate(root, state if self._sample is None else self._sample(state, self._rng))
        chosen = root.children
        return max(actions, key=lambda action: chosen[action].visits if action in chosen else 0)

    def _iterate(self, root: _Node, state: Any) -> None:
        """Walk down the tree, add one node to it, play on from there, and count the points on the way."""
        game, node, path = self._game, root, list[tuple[_Node, int]]()
        is_new = False
        while not is_new and game.outcome(state) is None and len(path) < MAX_PLAYOUT_ACTIONS:
            seat, actions = game.to_move(state), game.legal_actions(state)
            action, is_new = self._select(node, actions)
            node = node.children[action]
            path.append((node, seat))
            state = game.apply(state, action, self._rng)
        points = self._play_out(state)
        for visited, seat in path:
            visited.visits += 1
            visited.points += points[seat]

    def _select(self, node: _Node, actions: Sequence[Any]) -> tuple[Any, bool]:
        """Return the action to follow, and whether it is new to the tree."""
        children = node.children
        untried = [action for action in actions if action not in children]
        for action in actions:
            if action in children:
                children[action].available += 1
        if not untried:
            return max(actions, key=lambda action: children[action].value()), False
        action = untried[int(self._rng.random() * len(untried))]
        child = children[action] = _Node()
        child.available = 1
        return action, True

    def _play_out(self, state: Any) -> Sequence[float]:
        """Play at random to the end; where the game estimates points, only until each seat has had a turn."""
        game, random = self._game, self._rng.random
        last_turn = math.inf if self._estimate is None else game.turn(state) + game.seats(state)
        for _ in range(MAX_PLAYOUT_ACTIONS):
            outcome = game.outcome(state)
            if outcome is not None:
                return outcome.points
            if game.turn(state) >= last_turn:
                break
            actions = game.legal_actions(state)
            if self._estimate is not None:  # a turn that ends at random ends too early to show what it is worth
                passing = game.default_action(state)
                actions = [action for action in actions if action != passing] or actions
            state = game.apply(state, actions[int(random() * len(actions))], self._rng)
        if self._estimate is not None:
            return self._estimate(state)
        return (0.5,) * game.seats(state)
