"""What a game may offer to planners: plans, a look at the opponent's reply, a judgement of turns, whole matches.

Ask for a capability with `isinstance`, or with `planner.game.require`, which raises an error for the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from planner.match_options import Adjudication
from planner.planning.plan import Plan, PlanOptions, Regret
from planner.planning.profiles import Profile

if TYPE_CHECKING:  # it imports numpy
    from planner.solvers.linear_model import LinearModel


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

    def hidden_pool(self, decklist: Any = None, opponent: str | None = None) -> Any:
        """Return the cards that the opponent may hold: from a list, a prediction, or its class.

        `opponent` is that of `AheadOptions`, and goes before a list.
        """


@runtime_checkable
class WritesPrograms(PlansTurns, Protocol):
    """A game that can write a turn, or the part of it that is one, as a linear program."""

    def turn_program(self, state: Any, weights: Any, formulation: str = "exact") -> LinearModel:
        """Return the program; its objective is in the weights' own units."""


@runtime_checkable
class JudgesTurns(PlansTurns, Protocol):
    """A game that can say how many points a played turn lost against the best one."""

    def regret(
        self, state: Any, actions: Sequence[Any], rng: Random, weights: Any, time_limit: float | None = None
    ) -> Regret:
        """Compare the turn that began in this state with the best one; `rng` is the match's generator then."""


# -- whole matches


class AgentDescription(Protocol):
    """How to make an agent, as `planner.agents.agent_spec.AgentSpec` describes it."""

    @property
    def agent(self) -> str:
        """The name of a profile or baseline."""

    @property
    def weights(self) -> Profile | None:
        """The weights of a planner; None for any other agent."""

    @property
    def options(self) -> PlanOptions:
        """How a planner plans."""

    @property
    def is_user_code(self) -> bool:
        """Whether the agent runs a user's code."""


class PlayedTurn(NamedTuple):
    """The actions of one turn, each with whether it took a new plan. The mulligan has number 0."""

    number: int
    seat: int
    moves: list[tuple[Any, bool]]


class PlayedMatch(NamedTuple):
    """A match that the engine of a game has played."""

    winner: int  # the seat, or -1 for a draw
    reason: str
    rounds: int
    turns: int
    decisions: tuple[int, ...]  # by seat: actions from the first turn on
    times: tuple[tuple[float, float, str], ...]  # by seat: seconds, the slowest decision, and a histogram
    seconds: float
    cards: tuple[str, ...]  # as `HasCards.cards_used`
    moves: list[PlayedTurn] | None  # None: not asked for


class MatchPlayer(Protocol):
    """Plays matches of one setup between the same agents."""

    def play(
        self, seeds: Sequence[tuple[int, ...]], with_moves: bool = False, heartbeat: memoryview | None = None
    ) -> list[PlayedMatch | None]:
        """Play a match for each tuple of seeds: of the deal, of chance, and of each agent.

        A match is None where only the match runner can play it. `heartbeat` is shared memory in which the match shows
        which seat decides, as planner/arena/tournament/game_worker.py describes.
        """


@runtime_checkable
class PlaysMatches(Protocol):
    """A game that plays whole matches between its own agents: the same matches as the match runner, but faster."""

    def match_player(
        self,
        setup: Any,
        agents: Sequence[AgentDescription],
        move_time: float | None = None,
        game_time: float | None = None,
        adjudication: Adjudication = Adjudication(),  # noqa: B008  (frozen)
    ) -> MatchPlayer | None:
        """Return a player of such matches, or None where the match runner has to play them.

        `setup` may be a `StartPosition`. The limits are seconds for one decision, and for all decisions of an agent in
        a match.
        """
