"""The request and the answer of every game's planner: options, a certified plan, and the regret of a played turn."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from html import escape
from typing import Any, Final, Generic, Protocol, TypeVar, runtime_checkable

from planner.errors import PlannerError, quote
from planner.formats import values
from planner.game import OMIT_DEFAULT_FROM_DIGEST, BaseGame

State = TypeVar("State")
Action = TypeVar("Action")

AUTO: Final = "auto"
FORMULATIONS: Final = ("exact", "thesis", "thesis_every_minion", "thesis_keywords")
MAX_PLANS: Final = 1000
MAX_SAMPLES: Final = 1000


class Status(StrEnum):
    """What is known about a plan."""

    OPTIMAL = "optimal"  # proved: no turn is better
    FEASIBLE = "feasible"  # legal, but not proved; `Plan.bound` limits what a better turn can earn


class Proof(StrEnum):
    """The basis of the status `optimal`."""

    EXHAUSTIVE = "exhaustive"  # every state that the turn can lead to was searched
    BOUND = "bound"  # some states were pruned because a bound shows that they cannot be better
    PROGRAM = "program"  # the proof of an ILP solver


class Stopped(StrEnum):
    """Why a search stopped."""

    FINISHED = "finished"
    TIME_LIMIT = "time limit"
    EFFORT_LIMIT = "effort limit"
    CHANCE_LIMIT = "chance limit"  # a random effect has too many outcomes: only its certain part counts
    ACTION_LIMIT = "action limit"  # the turn may be endless: states after so many actions were not searched


class NoTurnError(PlannerError):
    """No turn keeps every hard rule of the profile."""


class OutOfTimeError(Exception):
    """The time ran out before anything was known."""


class Clock:
    """Measures the time since it was made, against a limit in seconds or none."""

    def __init__(self, limit: float | None) -> None:
        self._start = time.perf_counter()
        self._limit = limit

    def elapsed(self) -> float:
        return time.perf_counter() - self._start

    def left(self) -> float | None:
        """Return the seconds that are left, or None without a limit."""
        return None if self._limit is None else self._limit - self.elapsed()

    def out(self) -> bool:
        left = self.left()
        return left is not None and left <= 0


OPTION_READERS: Final[dict[str, tuple[object, Callable[[Any], object]]]] = {
    "solver": (AUTO, values.name),
    "formulation": (FORMULATIONS[0], partial(values.one_of, choices=FORMULATIONS)),
    "time_limit": (None, values.seconds),
    "effort": (None, partial(values.integer, minimum=1)),
    "k": (1, partial(values.integer, minimum=1, maximum=MAX_PLANS)),
}


UNKNOWN_CARDS: Final = "unknown"
AHEAD_COUNTS: Final = {
    "k": partial(values.integer, minimum=1, maximum=MAX_PLANS),
    "samples": partial(values.integer, minimum=1, maximum=MAX_SAMPLES),
}


@dataclass(frozen=True)
class AheadOptions:
    """How a plan looks past its own turn: at the opponent's best reply to each of the best turns."""

    k: int = 8  # turns to compare
    samples: int = 4  # of the opponent's hidden cards, for each turn
    reply: Any = None  # the profile that the opponent is assumed to play by; None: the planner's own
    # What the opponent's hidden cards are sampled from: UNKNOWN_CARDS (any card of its class) or a metagame, from which
    # they are predicted; None: its decklist if that is open, otherwise the game's default.
    opponent: str | None = field(default=None, metadata=OMIT_DEFAULT_FROM_DIGEST)

    def __post_init__(self) -> None:
        for key, read in AHEAD_COUNTS.items():
            values.read_field(vars(self), key, read)


@dataclass(frozen=True)
class PlanOptions:
    """How to search for a plan. Invalid values raise a `PlannerError`."""

    solver: str = AUTO  # or one of the names that `planner solvers` lists, which then solves the ILP
    formulation: str = "exact"
    time_limit: float | None = None  # seconds
    effort: int | None = None  # the number of states to search: a limit that gives the same plan every time
    hint: Sequence[Any] = ()  # actions to start from, such as the rest of an earlier plan; no proof depends on them
    k: int = 1  # the number of plans
    # How an agent considers the opponent's reply; None: it does not.
    ahead: AheadOptions | None = field(default=None, metadata=OMIT_DEFAULT_FROM_DIGEST)

    def __post_init__(self) -> None:
        given = vars(self)
        for key, (default, read) in OPTION_READERS.items():
            if given[key] is not default:  # most turns are planned with the defaults
                values.read_field(given, key, read)
        if self.ahead is not None and not isinstance(self.ahead, AheadOptions):
            raise PlannerError(f"ahead: {quote(self.ahead)} is not AheadOptions, such as AheadOptions(k=8, samples=4)")
        if type(self.hint) is not tuple and not isinstance(self.hint, list | tuple):  # the first check is much faster
            raise PlannerError(f"hint: {quote(self.hint)} is not a list of actions, such as plan.actions")


@dataclass(frozen=True)
class Plan(Generic[State, Action]):
    """A legal turn, replayed by the referee: `objective` and `terms` are what the replay earned."""

    status: Status
    proof: Proof | None  # None where nothing is proved
    stopped: Stopped  # why the search stopped
    objective: float  # the score of the turn
    bound: float  # no turn scores more; infinite where no bound is known
    terms: Mapping[str, float]  # the part of each term in the objective
    actions: tuple[Action, ...]  # in the order in which they are carried out
    lethal: bool  # this plan kills the opponent
    outcome: str | None  # win, draw or loss where this plan ends the match
    reveals: int | None  # the index of the first action that reveals new information; plan again after it
    solver: str  # the method that found the plan: a solver's name, `engine` or `search`
    formulation: str
    seconds: float
    claimed: float  # the objective by the formulation; `thesis` can claim more than the replay earns
    ignored: tuple[str, ...]  # cards that were planned without their effects: such a plan is never optimal
    creates: Sequence[Sequence[Mapping[str, str]]]  # by action: the cards it creates, with `id`, `name` and `zone`
    game: BaseGame[State, Action, Any] = field(repr=False, compare=False)
    state: State = field(repr=False)  # before the turn
    end: State = field(repr=False)  # after the last action
    weights: Any = field(repr=False)  # the profile

    def to_dict(self) -> dict[str, Any]:
        """Return the plan in its JSON form."""
        return {
            "status": str(self.status),
            "proof": None if self.proof is None else str(self.proof),
            "stopped": str(self.stopped),
            "objective": self.objective,
            "bound": self.bound if math.isfinite(self.bound) else None,
            "terms": dict(self.terms),
            "actions": [self.game.action_to_json(action) for action in self.actions],
            "lethal": self.lethal,
            "outcome": self.outcome,
            "creates": [[dict(card) for card in cards] for cards in self.creates],
            "reveals": self.reveals,
            "solver": self.solver,
            "formulation": self.formulation,
            "seconds": round(self.seconds, 6),
            "claimed": self.claimed,
            "weights": self.weights.name,
            "ignored": list(self.ignored),
        }

    def _repr_html_(self) -> str:
        """Show the plan in a notebook: the state before it, if that can draw itself, the steps and the score."""
        draw = getattr(self.state, "_repr_html_", None)
        steps = [escape(words) for words in self.game.describe_turn(self.state, self.actions)] or ["end the turn"]
        parts = ", ".join(f"{term} {value:g}" for term, value in self.terms.items() if value)
        proof = f", {self.status}" + (f" ({self.proof})" if self.proof is not None else "")
        score = f"<b>Score {self.objective:g}</b> for {escape(self.weights.name)}{proof}: {parts or 'nothing'}"
        return f"{draw() if draw else ''}<ol>{''.join(f'<li>{step}</li>' for step in steps)}</ol><p>{score}</p>"


class Explanation(Protocol):
    """Why a plan was chosen; `str` formats it as text."""

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as data."""


@runtime_checkable
class CanBeExplained(Protocol):
    """A plan that can say why it was chosen."""

    def explain(self, k: int = 3, time_limit: float | None = None, solver: str = AUTO) -> Explanation:
        """Explain the plan, with the next best `k` plans; `time_limit` is for each search."""


# -- the regret of a played turn

LUCK: Final = "luck"  # the actions used information that the turn revealed, so the actual outcome counts
UNPROVED: Final = "unproved"  # a limit ended the search for the best turn
BARRED: Final = "barred"  # the profile's rules forbid the played turn, so it was not compared with the best one


class UnjudgedError(PlannerError):
    """The score of this turn is unknown; the message says why."""


@dataclass(frozen=True)
class Regret:
    """A played turn compared with the best one that could be planned before its first action."""

    plan: Plan[Any, Any]
    earned: float  # the score of the played turn
    estimate: str | None  # why `value` is only an estimate; None: it is exact, and not negative
    missed_win: float = 0.0  # the value of a certain win beyond `lethal`, where the profile takes every win

    @property
    def value(self) -> float:
        """The points lost. An estimate can be negative: luck can beat the plan."""
        return self.plan.objective - self.earned + self.missed_win
