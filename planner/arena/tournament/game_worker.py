"""Worker processes that play the games of a tournament, and the guard that supervises each of them.

`play_chunk` is the only function that an executor runs. On this machine it runs in a thread that mostly waits; on a
Dask cluster it runs in a thread of a Dask worker. A worker that hangs is killed; a worker that dies is replaced.
"""

from __future__ import annotations

import gc
import mmap
import pickle
import struct
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import replace
from time import monotonic, perf_counter
from typing import Any, Final

from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import NOBODY, agent_seed, no_decision, play_match
from planner.arena.sandbox.remote_agent import HANG_SECONDS, Host, RemoteAgent, start_seconds
from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result, forfeited, result_of
from planner.arena.tournament.schedule import Fixture
from planner.errors import PlannerError
from planner.game import Agent
from planner.games import load_game
from planner.planning.capabilities import LooksAhead
from planner.processes import Child, ChildDiedError, attach

# Two numbers that the guard reads: whose decision is awaited, below a count that changes with every decision, and
# the turn.
BEAT_BYTES: Final = 16
SEATS: Final = 16  # more than any game has


def serve(connection: int, lifeline: int, beat: int) -> None:
    """Play what comes until the guard is gone."""
    pipe = attach(connection, lifeline)
    shared = memoryview(mmap.mmap(beat, BEAT_BYTES)).cast("Q")
    player: FixturePlayer | None = None
    while True:
        try:
            request: Any = pickle.loads(pipe.recv_bytes())
        except EOFError:
            return
        if isinstance(request, Experiment):
            player = FixturePlayer(request, shared)
            gc.freeze()  # what is loaded now stays: no need to look through it again and again
        else:
            assert player is not None
            pipe.send_bytes(pickle.dumps(player.play(request)))


class FixturePlayer:
    """Plays the games of one experiment."""

    def __init__(self, experiment: Experiment, shared: memoryview | None = None) -> None:
        self.experiment = experiment
        self.game = load_game(experiment.game, experiment.folders)
        self._shared = shared
        self._count = 0
        self._hosts: dict[tuple[int, int], Host] = {}  # by agent and seat

    def play(self, fixture: Fixture) -> Result:
        """The result; the same for the same game, whatever was played before."""
        begin = perf_counter()
        record, died = self._match(fixture)
        if died:
            # Its agent ends its own process, or the machine killed it, which would be no fault of the agent's: a
            # second death settles that.
            record, _ = self._match(fixture)
        return result_of(fixture.place, record, perf_counter() - begin)

    def memory(self) -> int:
        """MiB that a user's agent has used at most, where its games came to their ends."""
        return max((host.used for host in self._hosts.values()), default=0)

    def close(self) -> None:
        """End the processes of users' agents."""
        for host in self._hosts.values():
            host.close()

    def match(self, fixture: Fixture, digests: bool = False) -> MatchRecord:
        """The whole match; with the digests that a log needs, where that is wanted."""
        return self._match(fixture, digests)[0]

    def _match(self, fixture: Fixture, digests: bool = False) -> tuple[MatchRecord, bool]:
        experiment = self.experiment
        agents = [self._agent(fixture, seat) for seat in range(len(fixture.agents))]
        setup = experiment.setups[fixture.setup]
        record = play_match(agents, setup, fixture.seed, self.game, digests, experiment.limits, self._beat)
        self._beat(NOBODY, 0)
        said = tuple(agent.end() if isinstance(agent, RemoteAgent) else "" for agent in agents)
        died = any(isinstance(agent, RemoteAgent) and agent.died for agent in agents)
        return replace(record, said=said) if any(said) else record, died

    def _agent(self, fixture: Fixture, seat: int) -> Agent:
        """In its own process where it is a user's; one for each seat, since two copies of an agent may meet."""
        which = fixture.agents[seat]
        entry = self.experiment.agents[which]
        seed = agent_seed(fixture.seed, seat)
        if not entry.spec.own:
            unseen = None
            if self.experiment.open_decks and isinstance(self.game, LooksAhead):
                unseen = self.game.decklist(self.experiment.setups[fixture.setup], 1 - seat)
            return entry.spec.make(self.game, seed, unseen=unseen)
        host = self._hosts.get((which, seat))
        if host is None:
            experiment = self.experiment
            host = self._hosts[which, seat] = Host(
                entry.spec.agent, experiment.game, experiment.folders, experiment.limits, experiment.memory
            )
        return RemoteAgent(host, self.game, entry.name, seed, self.experiment.limits.move_time)

    def _beat(self, seat: int, turn: int) -> None:
        if self._shared is not None:
            self._count += SEATS
            self._shared[1] = turn
            self._shared[0] = self._count + seat + 1


CHUNK_SECONDS: Final = 1.0
GRACE_SECONDS: Final = 5.0  # more than an agent's time: who comes late but comes, is judged by the referee
IDLE_SECONDS: Final = 300.0  # without anybody's decision: starting processes takes its time, beside the agents' own
_LOOK_SECONDS: Final = 0.2


_orders = threading.local()


def obey(stop: threading.Event) -> None:
    """Guards in this thread hand in what is finished and leave the rest, once the event is set."""
    _orders.stop = stop


def _stopped() -> bool:
    stop: threading.Event | None = getattr(_orders, "stop", None)
    return stop is not None and stop.is_set()


def play_chunk(experiment: Experiment, games: Sequence[Fixture]) -> list[Result]:
    """Play these games in turn for about a second; those at the end of the list may be left over."""
    begin = perf_counter()
    guard = _take()
    results: list[Result] = []
    try:
        for game in games:
            result = guard.play(experiment, game)
            if result is None:
                break
            results.append(result)
            if perf_counter() - begin >= CHUNK_SECONDS:
                break
    except BaseException:
        guard.close()
        raise
    _give_back(guard)
    return results


class Guard:
    """One worker process at a time."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the guard)
        self._file.truncate(BEAT_BYTES)
        self._beat = mmap.mmap(self._file.fileno(), BEAT_BYTES)
        self._child: Child | None = None
        self._told = ""  # the digest of the experiment that the worker knows

    def play(self, experiment: Experiment, game: Fixture) -> Result | None:
        """The result, or None if everything shall stop.

        A worker that dies gets a second chance: the machine may have killed it. If it dies again while the same
        agent decides, it is the agent's doing.
        """
        begin = perf_counter()
        how = ""
        for _ in range(2):
            try:
                return self._play(experiment, game, begin)
            except ChildDiedError as died:
                how = str(died)
                self.close()
        seat, turn = self._awaited()
        if seat < 0:
            raise PlannerError(f"a worker process cannot play game {game.place}: it ended twice ({how})")
        return forfeited(game, seat, turn, f"crash: the process ended ({how})", perf_counter() - begin)

    def close(self) -> None:
        """End the worker."""
        if self._child is not None:
            self._child.kill()
            self._child = None
        self._told = ""

    def _play(self, experiment: Experiment, game: Fixture, begin: float) -> Result | None:
        child = self._worker(experiment)
        child.send(pickle.dumps(game))
        move_time = experiment.limits.move_time
        allowed = (HANG_SECONDS if move_time is None else move_time) + GRACE_SECONDS
        idle = IDLE_SECONDS + 2 * experiment.seats * start_seconds(experiment.limits)
        seen, since = self._beat[:], monotonic()
        while (data := child.receive(_LOOK_SECONDS)) is None:
            if _stopped():
                self.close()
                return None
            number = self._beat[:]
            seat, turn = self._awaited()
            if number != seen:
                seen, since = number, monotonic()
            elif monotonic() - since > (allowed if seat >= 0 else idle):
                self.close()
                if seat < 0:
                    raise ChildDiedError(f"nothing happened for {idle:g} s")
                return forfeited(game, seat, turn, no_decision(allowed - GRACE_SECONDS), perf_counter() - begin)
        result: Result = pickle.loads(data)
        return result

    def _worker(self, experiment: Experiment) -> Child:
        if self._child is None:
            self._beat[:] = bytes(BEAT_BYTES)
            fd = self._file.fileno()
            self._child = Child("planner.arena.tournament.game_worker", fds=[fd], beat=fd)
        if self._told != experiment.digest:
            self._child.send(pickle.dumps(experiment))
            self._told = experiment.digest
        return self._child

    def _awaited(self) -> tuple[int, int]:
        """Whose decision was begun last and not made (-1: nobody's), and in which turn."""
        number, turn = struct.unpack("=QQ", self._beat[:])
        return number % SEATS - 1, turn


_lock = threading.Lock()
_idle: list[Guard] = []


def _take() -> Guard:
    with _lock:
        return _idle.pop() if _idle else Guard()


def _give_back(guard: Guard) -> None:
    with _lock:
        _idle.append(guard)


def close_all() -> None:
    """End the workers that nobody uses."""
    with _lock:
        while _idle:
            _idle.pop().close()
