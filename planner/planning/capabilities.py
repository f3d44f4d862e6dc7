"""What a game may offer to planners: plans of turns, a look at the opponent's reply, and a judgement of played turns.

Ask for a capability with `isinstance`, or with `planner.game.require`, which raises an error for the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Protocol, runtime_checkable

from planner.planning.plan import Plan, PlanOptions, Regret
from planner.planning.profiles import Profile


@runtime_checkable
class PlansTurns(Protocol):
    """A game whose turns can be planned."""

    name: str
    profiles: type[Profile]  # the class of its weight profiles

    def plans(self, state: Any, weights: Any, options: PlanOptions) -> Iterator[Plan[Any, Any]]:
        """Yield the best turns from this state, best first."""


@runtime_checkable
class LooksAhead(PlansTurns, Protocol):
    """A game whose planner can also consider the opponent's best reply."""

    def plan_ahead(
        self, state: Any, weights: Any, options: PlanOptions, rng: Random, hidden_pool: Any
    ) -> Plan[Any, Any]:
        """Return, among the best turns, the one with the best expected state after the opponent's reply."""

    def decklist(self, setup: Any, seat: int) -> Sequence[Any]:
        """Return the cards that this seat starts with, for agents that may know the opponent's list."""

    def hidden_pool(self, decklist: Any = None) -> Any:
        """Return the cards that the opponent may hold: from a list, a prediction, or by default its class."""


@runtime_checkable
class JudgesTurns(PlansTurns, Protocol):
    """A game that can say how many points a played turn lost against the best one."""

    def regret(
        self, state: Any, actions: Sequence[Any], rng: Random, weights: Any, time_limit: float | None = None
    ) -> Regret:
        """Compare the turn that began in this state with the best one; `rng` is the match's generator then."""
