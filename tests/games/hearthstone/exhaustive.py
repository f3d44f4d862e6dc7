"""The truth about a turn, by trying everything with the Python rules."""

from __future__ import annotations

from fractions import Fraction

from planner.games.hearthstone.rules.actions import Action
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.exhaustive_search import SearchableTurn
from planner.games.hearthstone.turn.hearthstone_weights import Weights
from planner.planning.search import Score, Search


def best_by_search(state: GameState, weights: Weights) -> tuple[Score, list[Action]]:
    """Return the objective's true maximum over all legal sequences, and the shortest sequence that earns it.

    A sequence ends with the first action about which chance decides; it counts for what it earns on average.
    """
    found = Search(SearchableTurn(state, weights)).best(state)
    assert found is not None  # for states in which ending the turn at once keeps every rule
    objective = Fraction(found.score) / weights.integer_scale()
    return int(objective) if objective.denominator == 1 else objective, list(found.actions)
