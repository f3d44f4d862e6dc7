"""An agent on trial: some matches against others, in a process of its own as in a tournament, and what they showed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from time import perf_counter
from typing import Any

from planner.agents.agent_spec import AgentSpec, agent_spec
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import FORFEITS, TimeLimits, derive_seed
from planner.arena.tournament.experiment import MEMORY, Entry, Experiment
from planner.arena.tournament.game_worker import FixturePlayer
from planner.arena.tournament.runner import check_user_agents
from planner.arena.tournament.schedule import UNPAIRED, Fixture
from planner.game import AnyGame


@dataclass(frozen=True)
class Trial:
    """What the matches showed."""

    opponents: tuple[str, ...]
    matches: int
    won: int
    seconds: float  # that all matches took
    times: tuple[float, ...]  # of every decision that was carried out, sorted
    faults: Mapping[str, int]  # why it lost by its own doing, and how often
    unequal: str | None  # where the same match from the same seed went another way; None where it did not
    memory: int  # MiB at most, in the matches that it played to their ends; 0 where there was none
    said: str  # the last of what it wrote to stderr

    @property
    def good(self) -> bool:
        """Neither broke a rule nor broke down, and equal seeds gave equal matches."""
        return not self.faults and self.unequal is None


def try_agent(
    spec: AgentSpec,
    of: AnyGame,
    setups: Sequence[Any],
    seats: int,
    seconds: float,
    seed: int = 1,
    limits: TimeLimits = TimeLimits(move_time=60.0, game_time=600.0),  # noqa: B008  (frozen)
    memory: int = MEMORY,
    folders: Sequence[str] = (),
    watch: Callable[[int], None] = lambda _: None,
) -> Trial:
    """Play for about so many seconds, from both seats and every setup in turn; the first match is played twice.

    An agent that cannot be made at all is refused.
    """
    others = [*[name for name in of.baselines() if name != "random"][:1], "random"] if seats > 1 else []
    entries = (Entry("it", spec), *(Entry(name, agent_spec(name, of)) for name in others))
    experiment = Experiment("trial", entries, tuple(setups), 1, of.name, seats, seed, limits=limits,
                            folders=tuple(folders), memory=memory)  # fmt: skip
    check_user_agents(experiment)
    player = FixturePlayer(experiment)
    began = perf_counter()
    records: list[tuple[int, MatchRecord]] = []
    unequal = None
    try:
        for fixture in _fixtures(experiment):
            record = player.match(fixture)
            records.append((fixture.agents.index(0), record))
            if len(records) == 1:
                unequal = _difference(record, player.match(fixture))
            watch(len(records))
            if perf_counter() - began >= seconds:
                break
    finally:
        player.close()
    return Trial(
        opponents=tuple(others),
        matches=len(records),
        won=sum(record.outcome.winner == seat for seat, record in records),
        seconds=perf_counter() - began,
        times=tuple(sorted(
            move.seconds for seat, record in records for turn in record.turns if turn.seat == seat
            for move in turn.moves
        )),
        faults=Counter(
            record.outcome.reason for seat, record in records
            if record.outcome.winner != seat and record.outcome.reason.split(":")[0] in FORFEITS
        ),
        unequal=unequal,
        memory=player.max_memory(),
        said=next((text for _, record in reversed(records) for text in record.stderr if text), ""),
    )  # fmt: skip


def _fixtures(experiment: Experiment) -> Iterator[Fixture]:
    """Seat, opponent and setup change with every match, each at a pace of its own."""
    seats, others, setups = experiment.seats, len(experiment.agents) - 1, len(experiment.setups)
    for number in count():
        seat, rest = number % seats, number // seats
        agents = tuple(0 if place == seat else 1 + rest % others for place in range(seats))
        rest //= max(1, others)
        yield Fixture(number, agents, number, rest % setups, derive_seed(experiment.seed, "trial", number), UNPAIRED)


def _difference(one: MatchRecord, other: MatchRecord) -> str | None:
    """Where the second of two matches from the same seed left the way of the first."""
    told = [
        [(turn.number, turn.seat, move.action) for turn in each.turns for move in turn.moves] for each in (one, other)
    ]
    for place, (first, second) in enumerate(zip(*told, strict=False), 1):
        if first != second:
            text = one.game.action_to_text
            return f"decision {place}, in turn {first[0]}: {text(first[2])}, and then {text(second[2])}"
    if len(told[0]) != len(told[1]) or one.outcome != other.outcome:
        return f"{one.outcome} after {len(told[0])} decisions, and then {other.outcome} after {len(told[1])}"
    return None
