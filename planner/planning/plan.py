"""One state in, certified plans out: what every game's planner is asked, and what it answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, TypeVar

from planner.errors import PlannerError, quote
from planner.formats import values
from planner.game import OMIT_DEFAULT_FROM_DIGEST, BaseGame

State = TypeVar("State")
Action = TypeVar("Action")

AUTO: Final = "auto"
FORMULATIONS: Final = ("exact", "thesis")
MOST_PLANS: Final = 1000
MOST_SAMPLES: Final = 1000

# Why a search stopped.
FINISHED: Final = "finished"
TIME_LIMIT: Final = "time limit"
EFFORT_LIMIT: Final = "effort limit"
CHANCE_LIMIT: Final = "chance limit"  # chance had too many ways to list them: it counts for what is certain of it
ACTION_LIMIT: Final = "action limit"  # the turn may have no end: what lies beyond so many actions was not looked at

# What a proof rests on.
EXHAUSTIVE: Final = "exhaustive"  # every state that the turn can lead to was looked at
BOUND: Final = "bound"  # some were left out because a bound says that they cannot be better
PROGRAM: Final = "program"  # an ILP solver's proof


class NoTurnError(PlannerError):
    """No turn keeps every hard rule of the profile."""


_READERS: Final[dict[str, tuple[object, Callable[[Any], object]]]] = {
    "solver": (AUTO, values.name),
    "formulation": (FORMULATIONS[0], partial(values.one_of, choices=FORMULATIONS)),
    "time_limit": (None, values.seconds),
    "effort": (None, partial(values.integer, minimum=1)),
    "k": (1, partial(values.integer, minimum=1, maximum=MOST_PLANS)),
}


AHEAD_COUNTS: Final = {
    "k": partial(values.integer, minimum=1, maximum=MOST_PLANS),
    "samples": partial(values.integer, minimum=1, maximum=MOST_SAMPLES),
}


@dataclass(frozen=True)
class AheadOptions:
    """How a plan looks past its own turn: at the opponent's best reply to each of the best turns."""

    k: int = 8  # turns that are compared
    samples: int = 4  # of what the opponent may hold and draw, for each of them
    reply: Any = None  # the profile by which the opponent is thought to answer; None: the planner's own

    def __post_init__(self) -> None:
        for key, read in AHEAD_COUNTS.items():
            values.read_field(vars(self), key, read)


@dataclass(frozen=True)
class PlanOptions:
    """How to look for a plan. What does not fit is refused here, whoever asks."""

    solver: str = AUTO  # or one of the names that `planner solvers` lists, which then solves the ILP
    formulation: str = "exact"
    time_limit: float | None = None  # seconds
    effort: int | None = None  # states to look at: a limit that gives the same plan every time
    hint: Sequence[Any] = ()  # actions to start from, such as the rest of an earlier plan; no proof rests on them
    k: int = 1  # how many plans are wanted
    # How an agent considers the opponent's reply; None: it does not.
    ahead: AheadOptions | None = field(default=None, metadata=OMIT_DEFAULT_FROM_DIGEST)

    def __post_init__(self) -> None:
        given = vars(self)
        for key, (default, read) in _READERS.items():
            if given[key] is not default:  # most turns are planned with what is the default
                values.read_field(given, key, read)
        if self.ahead is not None and not isinstance(self.ahead, AheadOptions):
            raise PlannerError(f"ahead: {quote(self.ahead)} is not AheadOptions, such as AheadOptions(k=8, samples=4)")
        if not isinstance(self.hint, list | tuple):
            raise PlannerError(f"hint: {quote(self.hint)} is not a list of actions, such as plan.actions")


@dataclass(frozen=True)
class Plan(Generic[State, Action]):
    """A turn: legal, in order, replayed by the referee. `objective` and `terms` are what the replay earned."""

    status: str  # optimal: proved. feasible: not proved; `bound` says how far off it can be
    proof: str | None  # what the word optimal rests on: exhaustive, bound, program; None where nothing is proved
    stopped: str  # why the search stopped: finished, or one of the limits above
    objective: float
    bound: float
    terms: Mapping[str, float]
    actions: tuple[Action, ...]
    lethal: bool  # does this plan beat the opponent?
    outcome: str | None  # win, draw or loss where this plan ends the match
    reveals: int | None  # the place of the first action that shows what was not known; then it is time to plan again
    solver: str
    formulation: str
    seconds: float
    claimed: float  # what the formulation promised; more than the objective only for the thesis's
    ignored: tuple[str, ...]  # what was planned as if it were not there: such a plan is never called optimal
    creates: Sequence[Sequence[Mapping[str, str]]]  # by action: what it makes, with `id`, `name` and `zone`
    game: BaseGame[State, Action, Any] = field(repr=False, compare=False)
    state: State = field(repr=False)
    end: State = field(repr=False)
    weights: Any = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The plan in the JSON form."""
        return {
            "status": self.status,
            "proof": self.proof,
            "stopped": self.stopped,
            "objective": self.objective,
            "bound": self.bound if math.isfinite(self.bound) else None,
            "terms": dict(self.terms),
            "actions": [self.game.action_to_json(action) for action in self.actions],
            "lethal": self.lethal,
            "outcome": self.outcome,
            "creates": [[dict(one) for one in made] for made in self.creates],
            "reveals": self.reveals,
            "solver": self.solver,
            "formulation": self.formulation,
            "seconds": round(self.seconds, 6),
            "claimed": self.claimed,
            "weights": self.weights.name,
            "ignored": list(self.ignored),
        }
