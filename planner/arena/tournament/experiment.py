"""An experiment: which agents play which games, and how often. A value that workers receive as a whole."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from typing import Any, Final

from planner.agents.agent_spec import AgentSpec
from planner.arena.match.referee import TimeLimits
from planner.errors import PlannerError, did_you_mean
from planner.game import OMIT_DEFAULT_FROM_DIGEST
from planner.games import DEFAULT
from planner.match_options import Adjudication, StartPosition
from planner.planning.profiles import Profile

PAIRS: Final = ("all", "round_robin", "gauntlet", "first")
MAX_GAMES: Final = 10**12  # per pairing: the indices of all games fit into 64 bits
MAX_SEATS: Final = 15
MEMORY: Final = 2048
SWAPS: Final = ("seats", "seats_and_decks", "none")
_NOT_IN_DIGEST: Final = ("folders", "text", "audit")  # they do not decide any game


class AuditDefault:
    """How many games an audit covers if an experiment does not say so: one in `every`."""

    every = 100  # tests audit every game


@dataclass(frozen=True)
class Entry:
    """An agent of an experiment, and its name in tables."""

    name: str
    spec: AgentSpec


@dataclass(frozen=True)
class SprtOptions:
    """When an A/B test may stop early; see `planner.stats.paired_tests.Sprt`."""

    elo0: float
    elo1: float
    alpha: float = 0.05  # divided by the number of candidates
    beta: float = 0.05
    # The agent that the others are tested against; None: the second of two agents.
    base: str | None = dataclasses.field(default=None, metadata=OMIT_DEFAULT_FROM_DIGEST)


@dataclass(frozen=True)
class Experiment:
    """Everything that decides the games. All files have been read: a worker needs only this value."""

    name: str
    agents: tuple[Entry, ...]
    setups: tuple[Any, ...]  # what games start from, in the order in which games use them
    games: int  # per seating of agents; with one seat, per agent and setup
    game: str = DEFAULT
    seats: int = 2
    seed: int = 1
    pairs: str = "all"
    swap: str = "seats"
    limits: TimeLimits = TimeLimits(move_time=60.0, game_time=600.0)  # noqa: RUF009  (frozen)
    sprt: SprtOptions | None = None
    adjudication: Adjudication = dataclasses.field(default=Adjudication(), metadata=OMIT_DEFAULT_FROM_DIGEST)
    # Whether agents that look ahead know the opponent's decklist.
    open_decks: bool = dataclasses.field(default=False, metadata=OMIT_DEFAULT_FROM_DIGEST)
    folders: tuple[str, ...] = ()  # where the modules of user agents are searched
    text: str = ""  # the file, for the manifest
    memory: int = dataclasses.field(
        default=MEMORY, metadata=OMIT_DEFAULT_FROM_DIGEST
    )  # MiB per process of a user agent
    # The match runner plays one in so many of the games again that a game's own engine has played; 0: none.
    audit: int = dataclasses.field(default_factory=lambda: AuditDefault.every)

    def __post_init__(self) -> None:
        if self.pairs not in PAIRS:
            raise PlannerError(f"pairs: must be one of {', '.join(PAIRS)}; got {self.pairs!r}")
        if self.seats > MAX_SEATS:
            raise PlannerError(f"a tournament needs a game of at most {MAX_SEATS} seats, this one has {self.seats}")
        if self.seats > 2 and self.swap == "seats_and_decks":
            raise PlannerError("swap: seats_and_decks needs a game of two seats; use seats or none")
        if self.seats > 2 and self.open_decks:
            raise PlannerError("open_decks: needs a game of two seats")
        if self.seats > 2 and self.pairs == "round_robin" and len(self.agents) < self.seats:
            raise PlannerError(
                f"pairs: round_robin needs as many agents as the {self.seats} seats, got {len(self.agents)}; "
                "use all or gauntlet"
            )
        if self.sprt is not None:
            self._check_sprt(self.sprt)
        if self.setups and isinstance(self.setups[0], StartPosition):
            self._check_positions()

    def _check_sprt(self, sprt: SprtOptions) -> None:
        if self.seats < 2:
            raise PlannerError("sprt: needs a game of at least two seats")
        if len(self.agents) < 2 or self.pairs == "all" or (len(self.agents) > 2 and self.pairs != "gauntlet"):
            raise PlannerError("sprt: needs two or more agents and 'pairs: gauntlet'")
        if sprt.base is not None and sprt.base not in self.names:
            raise PlannerError(
                f"sprt: base: {sprt.base!r} is not an agent of this experiment{did_you_mean(sprt.base, self.names)}"
            )
        if len(self.agents) > 2 and sprt.base != self.names[0]:
            raise PlannerError(
                "sprt: with more than two agents, the first agent is the base against which each other one is tested; "
                f"write 'base: {self.names[0]}'"
            )

    def _check_positions(self) -> None:
        if self.open_decks:
            raise PlannerError("open_decks: needs decks, but this experiment has positions")
        if self.seats > 1 and self.pairs == "first":
            raise PlannerError("pairs: with positions, agents play each of them from both seats; use gauntlet")
        if self.seats > 1 and self.swap != "seats":
            raise PlannerError("swap: with positions, agents play each of them from both seats; use seats")

    @cached_property
    def digest(self) -> str:
        """A fingerprint of everything that decides the games; file names and comments do not change it."""
        content = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in _NOT_IN_DIGEST and _is_in_digest(self, field)
        }
        content["planner"] = version("turn-planner")
        return hashlib.blake2b(json.dumps(_to_json(content), sort_keys=True).encode(), digest_size=16).hexdigest()

    @property
    def names(self) -> list[str]:
        """The agents' names, in the order of the file."""
        return [entry.name for entry in self.agents]

    def unequal_setups(self) -> str | None:
        """Return a notice where the games of a pairing do not use every setup equally often, else None."""
        setups = len(self.setups)
        if self.seats == 1 or self.games % setups == 0:
            return None
        fewer, more = self.games // setups, -(-self.games // setups)
        return f"{self.games} games per pairing over {setups} setups: each setup is played {fewer} or {more} times"

    def with_games(self, games: int) -> Experiment:
        """Return the same experiment with another number of games and another name."""
        if games == self.games:
            return self
        return dataclasses.replace(self, games=games, name=f"{self.name}-{games}")


def _is_in_digest(value: Any, field: dataclasses.Field[Any]) -> bool:
    """Return whether a field counts. New fields do not count at their default, so old digests stay valid."""
    return field.metadata != OMIT_DEFAULT_FROM_DIGEST or getattr(value, field.name) != field.default


def _to_json(value: Any) -> Any:
    """Return the value as JSON data, without anything that objects have computed and cached."""
    if isinstance(value, Profile):
        return _to_json(value.digest_content())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field for field in dataclasses.fields(value) if field.compare and _is_in_digest(value, field)]
        return {field.name: _to_json(getattr(value, field.name)) for field in fields}
    if isinstance(value, Mapping):
        return {str(key): _to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_to_json(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    return value if value is None or isinstance(value, str | int | float) else repr(value)
