"""An experiment: who plays whom, with what, how often. The same value everywhere, whatever file it came from."""

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
from planner.errors import PlannerError
from planner.game import OMIT_DEFAULT_FROM_DIGEST
from planner.games import DEFAULT

PAIRS: Final = ("all", "round_robin", "gauntlet", "first")
MOST_GAMES: Final = 10**12  # of a pairing: the places of all games fit 64 bits
MEMORY: Final = 2048
SWAPS: Final = ("seats", "seats_and_decks", "none")


@dataclass(frozen=True)
class Entry:
    """One who takes part, and the name under which the tables list it."""

    name: str
    spec: AgentSpec


@dataclass(frozen=True)
class SprtOptions:
    """When an A/B test may stop early: see `planner.stats.paired_tests`."""

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05


@dataclass(frozen=True)
class Experiment:
    """All that decides the games. Files are read already: a worker needs nothing but this value."""

    name: str
    agents: tuple[Entry, ...]
    setups: tuple[Any, ...]  # what matches of the game start from, in the order in which games take them
    games: int  # of every ordered pairing; where there is one seat, of every agent from every setup
    game: str = DEFAULT
    seats: int = 2
    seed: int = 1
    pairs: str = "all"
    swap: str = "seats"
    limits: TimeLimits = TimeLimits(move_time=60.0, game_time=600.0)  # noqa: RUF009  (frozen)
    sprt: SprtOptions | None = None
    # may agents that look ahead know what the opponent brought?
    open_decks: bool = dataclasses.field(default=False, metadata=OMIT_DEFAULT_FROM_DIGEST)
    folders: tuple[str, ...] = ()  # where modules of users' own agents are looked for
    text: str = ""  # the file, for the manifest
    # MiB for each process of a user's own agent
    memory: int = dataclasses.field(default=MEMORY, metadata=OMIT_DEFAULT_FROM_DIGEST)

    def __post_init__(self) -> None:
        if self.pairs not in PAIRS:
            raise PlannerError(f"pairs: {self.pairs!r} is not one of {', '.join(PAIRS)}")
        if self.seats > 2:
            raise PlannerError(f"game: {self.game} has {self.seats} seats; tournaments are for one or two")
        if self.sprt is not None and self.seats != 2:
            raise PlannerError("sprt: is for games of two seats")
        if self.sprt is not None and (len(self.agents) != 2 or self.pairs == "all"):
            raise PlannerError("sprt: is for an A/B test: two agents, and 'pairs: gauntlet'")

    @cached_property
    def digest(self) -> str:
        """A fingerprint of all that decides the games: other names of files, or other comments, do not change it."""
        content = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in ("folders", "text") and _counts(self, field)
        }
        content["planner"] = version("turn-planner")
        return hashlib.blake2b(json.dumps(_plain(content), sort_keys=True).encode(), digest_size=16).hexdigest()

    @property
    def names(self) -> list[str]:
        """The agents' names, in the order of the file."""
        return [entry.name for entry in self.agents]

    def with_games(self, games: int) -> Experiment:
        """The same with another number of games: another experiment, with a name of its own."""
        if games == self.games:
            return self
        return dataclasses.replace(self, games=games, name=f"{self.name}-{games}")


def _counts(value: Any, field: dataclasses.Field[Any]) -> bool:
    """A field that came later counts where it is set: the digests of older runs stay what they are."""
    return field.metadata != OMIT_DEFAULT_FROM_DIGEST or getattr(value, field.name) != field.default


def _plain(value: Any) -> Any:
    """As JSON has it, without what objects have computed and remember."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field for field in dataclasses.fields(value) if field.compare and _counts(value, field)]
        return {field.name: _plain(getattr(value, field.name)) for field in fields}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    return value if value is None or isinstance(value, str | int | float) else repr(value)
