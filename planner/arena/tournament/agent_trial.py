"""Try an agent: play some matches against baselines, isolated as in a tournament, and report how it behaved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from time import perf_counter
from typing import Any, Final

from planner.agents.agent_spec import AgentSpec, agent_spec
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import TimeLimits, derive_seed, forfeit_of
from planner.arena.tournament.experiment import MEMORY, Entry, Experiment
from planner.arena.tournament.game_worker import FixturePlayer
from planner.arena.tournament.runner import check_user_agents
from planner.arena.tournament.schedule import UNPAIRED, Fixture
from planner.game import AnyGame
from planner.games import load_game

_ENOUGH_FAILURES: Final = 4  # an agent that forfeits each of its first matches is not tried further


@dataclass(frozen=True)
class Trial:
    """The results of a trial."""

    opponents: tuple[str, ...]
    matches: int
    won: int
    seconds: float  # of all matches
    times: tuple[float, ...]  # of every decision, sorted
    faults: Mapping[str, int]  # the reasons of forfeits, and how often each occurred
    unequal: str | None  # the first difference between two matches with the same seed; None if they were equal
    memory: int  # maximum MiB over matches that ended regularly; 0 if there were none
    stderr: str  # of the last match in which the agent wrote something there

    @property
    def passed(self) -> bool:
        """Whether the agent never forfeited and played equal matches with equal seeds."""
        return not self.faults and self.unequal is None


def try_agent(
    spec: AgentSpec,
    game: AnyGame,
    setups: Sequence[Any],
    seats: int,
    seconds: float,
    seed: int = 1,
    limits: TimeLimits = TimeLimits(move_time=60.0, game_time=600.0),  # noqa: B008  (frozen)
    memory: int = MEMORY,
    folders: Sequence[str] = (),
    watch: Callable[[int], None] = lambda _: None,
) -> Trial:
    """Play for about this many seconds, alternating seats and setups; the first match is played twice.

    Raises a PlannerError if the agent cannot be created.
    """
    others = [*[name for name in game.baselines() if name != "random"][:1], "random"] if seats > 1 else []
    entries = (Entry("it", spec), *(Entry(name, agent_spec(name, game)) for name in others))
    experiment = Experiment(
        "trial",
        entries,
        tuple(setups),
        games=1,
        game=game.name,
        seats=seats,
        seed=seed,
        limits=limits,
        folders=tuple(folders),
        memory=memory,
    )
    check_user_agents(experiment)
    begin = perf_counter()
    records: list[tuple[int, MatchRecord]] = []  # with the seat of the agent
    unequal = None
    with closing(FixturePlayer(experiment)) as player:
        for fixture in _fixtures(experiment):
            record = player.match(fixture)
            records.append((fixture.agents.index(0), record))
            if len(records) == 1:
                unequal = _difference(record, player.match(fixture))
            watch(len(records))
            failed = all(forfeit_of(record, seat) for seat, record in records)
            if perf_counter() - begin >= seconds or (failed and len(records) == _ENOUGH_FAILURES):
                break
    moves = [
        move for seat, record in records for turn in record.turns for move in turn.moves if turn.seat_of(move) == seat
    ]
    return Trial(
        opponents=tuple(others),
        matches=len(records),
        won=sum(record.outcome.winner == seat for seat, record in records),
        seconds=perf_counter() - begin,
        times=tuple(sorted(move.seconds for move in moves)),
        faults=Counter(filter(None, (forfeit_of(record, seat) for seat, record in records))),
        unequal=unequal,
        memory=player.max_memory(),
        stderr=next((text for _, record in reversed(records) for text in record.stderr if text), ""),
    )


def play_isolated(
    names: Sequence[str], setup: Any, seed: int, game_name: str, folders: Sequence[str], digests: bool
) -> MatchRecord:
    """Play one match whose user agents run in processes of their own, as in a tournament, without time limits."""
    game = load_game(game_name, folders)
    specs = [agent_spec(name, game) for name in names]
    entries = tuple(Entry(spec.short_name, spec) for spec in specs)
    experiment = Experiment(
        "match", entries, (setup,), 1, game_name, len(specs), limits=TimeLimits(), folders=tuple(folders)
    )
    check_user_agents(experiment)
    with closing(FixturePlayer(experiment)) as player:
        return player.match(Fixture(0, tuple(range(len(specs))), 0, 0, seed, UNPAIRED), digests)


def _fixtures(experiment: Experiment) -> Iterator[Fixture]:
    """Yield matches of agent 0; the seat changes with every match, then the opponent, then the setup."""
    seats, others, setups = experiment.seats, len(experiment.agents) - 1, len(experiment.setups)
    for number in count():
        cycle, seat = divmod(number, seats)
        agents = tuple(0 if other == seat else 1 + cycle % others for other in range(seats))
        setup = cycle // max(1, others) % setups
        yield Fixture(number, agents, number, setup, derive_seed(experiment.seed, "trial", number), UNPAIRED)


def _difference(one: MatchRecord, other: MatchRecord) -> str | None:
    """Return the first difference between two matches with the same seed."""
    actions = [
        [(turn.number, turn.seat, move.action) for turn in record.turns for move in turn.moves]
        for record in (one, other)
    ]
    for number, (first, second) in enumerate(zip(*actions, strict=False), 1):
        if first != second:
            text = one.game.action_to_text
            return f"decision {number}, in turn {first[0]}: first {text(first[2])}, then {text(second[2])}"
    if len(actions[0]) != len(actions[1]) or one.outcome != other.outcome:
        return (
            f"first {one.outcome} after {len(actions[0])} decisions, "
            f"then {other.outcome} after {len(actions[1])} decisions"
        )
    return None
