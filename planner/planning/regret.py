"""What a turn that was played fell short of: what the best plan is worth, less what the actions earned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from planner.errors import PlannerError
from planner.planning.plan import Plan

LUCK: Final = "luck"  # the actions used what chance or a draw had shown: what was rolled counts, not the average
UNPROVED: Final = "unproved"  # a limit ended the search for the best turn
BARRED: Final = "barred"  # the profile's rules forbid the turn that was played: it was not compared with the best one


class UnjudgedError(PlannerError):
    """What this turn earned cannot be said; the message says why."""


@dataclass(frozen=True)
class Regret:
    """A turn as it was played, beside the best one that could be planned before its first action."""

    plan: Plan[Any, Any]
    earned: float
    estimate: str | None  # why `value` is no more than an estimate; None: it is exact, and not below 0
    missed_win: float = 0.0  # what a certain win counts beyond `lethal`, where the profile takes all and this was none

    @property
    def value(self) -> float:
        """What the difference was worth. An estimate can be below 0: luck beats plans."""
        return self.plan.objective - self.earned + self.missed_win
