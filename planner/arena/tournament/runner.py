"""Run an experiment: games go out in chunks to an executor, results come back in any order and are stored at once.

Nothing here affects a result. The number of workers, the order in which they finish and interruptions only change how
long the run takes.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from planner.agents.user_agents import AgentLostError
from planner.arena.sandbox.remote_agent import Host
from planner.arena.tournament import game_worker
from planner.arena.tournament.early_stopping import Stopping, stopping_rule
from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result
from planner.arena.tournament.run_store import Store
from planner.arena.tournament.schedule import Fixture, Schedule, schedule
from planner.errors import PlannerError


@dataclass(frozen=True)
class Crew:
    """An executor, how many chunks it works on at a time, and what stops those that are under way."""

    executor: Executor
    size: int
    stop: threading.Event = field(default_factory=threading.Event)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def open_crew(workers: int | None = None, dask: str | None = None) -> Iterator[Crew]:
    """As many workers as this machine has cores, unless told otherwise; or those of the cluster at this address."""
    if dask is not None:
        with _cluster(dask) as crew:
            yield crew
        return
    count, stop = workers or cores(), threading.Event()
    # The threads only wait, each for a process of its own.
    executor = ThreadPoolExecutor(count, "guard", initializer=game_worker.obey, initargs=(stop,))
    try:
        yield Crew(executor, count, stop)
    finally:
        stop.set()
        executor.shutdown(cancel_futures=True)
        game_worker.close_all()


@contextmanager
def _cluster(address: str) -> Iterator[Crew]:
    try:
        from distributed import Client  # noqa: PLC0415  (an optional extra)
    except ModuleNotFoundError:
        how = "pip install 'turn-planner[dask]'"
        raise PlannerError(f"--dask needs the package distributed; install it with: {how}") from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise PlannerError(f"--dask {address}: {error}") from None
    with client:
        count = sum(client.nthreads().values())
        if not count:
            raise PlannerError(f"--dask {address}: the cluster has no workers")
        executor = client.get_executor(pure=False)
        try:
            yield Crew(executor, count)
        finally:
            executor.shutdown(wait=False)


LARGEST_CHUNK: Final = 200
_LOSSES: Final = 3  # how often a cluster may lose a chunk before that is an error
_TICK_SECONDS: Final = 0.25


@dataclass
class Progress:
    """How far a run is: what a progress bar shows."""

    total: int
    done: int = 0
    before: int = 0  # of these, played in earlier runs
    repaired: int = 0  # lines of the journal that were half written, and removed
    seconds: float = 0.0  # of this run
    points: list[float] = field(default_factory=list)  # by agent, without mirror matches
    games: list[int] = field(default_factory=list)
    sprt: dict[str, Any] | None = None  # how a sequential test stands

    @property
    def left(self) -> int:
        """Games that are still to be played, unless a test stops them."""
        return self.total - self.done

    @property
    def games_per_second(self) -> float:
        """In this run."""
        return (self.done - self.before) / self.seconds if self.seconds else 0.0


Watcher = Callable[[Progress], None]


def run_tournament(
    experiment: Experiment,
    out: str | os.PathLike[str] = "results",
    workers: int | None = None,
    resume: bool = False,
    dask: str | None = None,
    watch: Watcher = lambda _: None,
) -> Path:
    """Play the experiment and write its tables to `out`/NAME, which is returned.

    `workers`: processes on this machine, as many as there are cores unless given; `dask`: the address of a scheduler,
    whose workers play instead. An interrupt leaves the finished games in the folder; `resume` goes on from there.
    """
    check_own_agents(experiment)
    with Store(Path(out) / experiment.name, experiment, resume) as store:
        games = schedule(experiment)
        stopping = stopping_rule(experiment, games, store.results)
        with open_crew(workers, dask) as crew:
            _Run(experiment, store, games, stopping, watch).play(crew)
        from planner.arena.tournament.result_tables import write_tables  # noqa: PLC0415  (a second's worth of libraries)

        count = stopping.length()
        write_tables(store.folder, experiment, store.results, count)
        if not store.finished:
            store.finish(crew.size, count, **stopping.summary())
        return store.folder


def play_all(
    experiment: Experiment, store: Store, games: Schedule, crew: Crew, watch: Watcher = lambda _: None
) -> None:
    """Play the games of this schedule that the store does not hold yet; the crew can go on with others then."""
    _Run(experiment, store, games, Stopping(games, store.results), watch).play(crew)


def check_own_agents(experiment: Experiment) -> None:
    """Make each of the users' own agents once, in a process of its own: one that cannot play is refused at once."""
    for entry in experiment.agents:
        if entry.spec.own:
            host = Host(entry.spec.agent, experiment.game, experiment.folders, experiment.limits, experiment.memory)
            try:
                host.begin(0)
            except AgentLostError as lost:
                problem = str(lost).removeprefix("crash: ").removeprefix(f"agent {entry.spec.agent!r}: ")
                raise PlannerError(f"agent {entry.spec.agent!r}: {problem}") from None
            finally:
                host.close()


class _Waiting:
    """The games that nobody plays yet, the next one first; made as they are needed."""

    def __init__(self, games: Schedule, results: Mapping[int, Result]) -> None:
        self._left = len(games) - len(results)
        self._fresh = (games[place] for place in range(len(games)) if place not in results)
        self._ready: deque[Fixture] = deque()  # to be given out before any fresh one

    def __len__(self) -> int:
        return self._left

    def next(self) -> Fixture:
        """The next one, which stays."""
        if not self._ready:
            self._ready.append(next(self._fresh))
        return self._ready[0]

    def pop(self) -> Fixture:
        """The next one."""
        self.next()
        self._left -= 1
        return self._ready.popleft()

    def put_back(self, games: Sequence[Fixture]) -> None:
        """These were not played after all: they come first."""
        self._left += len(games)
        self._ready.extendleft(reversed(games))


class _Run:
    """One run: what is still to be played, and what is being played."""

    def __init__(
        self, experiment: Experiment, store: Store, games: Schedule, stopping: Stopping, watch: Watcher
    ) -> None:
        self.experiment, self.store, self.games, self.stopping, self.watch = experiment, store, games, stopping, watch
        self.waiting = _Waiting(games, store.results)
        self.running: dict[Future[list[Result]], list[Fixture]] = {}
        self.lost: dict[int, int] = {}
        self.cost = game_worker.CHUNK_SECONDS  # seconds a game, as of late
        self.begin = self.written = perf_counter()
        agents = len(experiment.agents)
        self.progress = Progress(len(games), repaired=store.journal.repaired, points=[0.0] * agents, games=[0] * agents)
        for result in store.results.values():
            self._count(result)
        self.progress.before = self.progress.done

    def play(self, crew: Crew) -> None:
        """Play all that is missing; results are on the disk before the next chunk goes out."""
        self.stopping.length()
        self._tell()
        most = crew.size + max(1, crew.size // 4)  # a few more than can be worked on: nobody waits for us
        try:
            while self.waiting or self.running:
                if self.stopping.stopped:
                    break
                while self.waiting and len(self.running) < most:
                    chunk = self._chunk(crew.size)
                    self.running[crew.executor.submit(game_worker.play_chunk, self.experiment, chunk)] = chunk
                done, _ = wait(self.running, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
                self._take(done)
                self._tell()
        finally:
            if self.running:
                self._stop(crew)

    def _chunk(self, workers: int) -> list[Fixture]:
        """About a second's work; less towards the end, so that all finish together."""
        size = min(
            LARGEST_CHUNK, int(game_worker.CHUNK_SECONDS / self.cost) + 1, -(-len(self.waiting) // (2 * workers))
        )
        chunk = [self.waiting.pop()]
        while self.waiting and len(chunk) < size and not self._slow(chunk[-1]) and not self._slow(self.waiting.next()):
            chunk.append(self.waiting.pop())
        return chunk

    def _slow(self, game: Fixture) -> bool:
        """Users' own agents may hang: their games go out one by one, lest finished ones wait for them."""
        agents = self.experiment.agents
        return any(agents[agent].spec.own for agent in game.agents)

    def _take(self, done: set[Future[list[Result]]]) -> None:
        """Keep what has come; what is left over, or lost with a machine, goes out again."""
        results: list[Result] = []
        for future in done:
            chunk = self.running.pop(future)
            try:
                found = future.result()
            except PlannerError:
                raise
            except Exception as error:
                found = []
                self._lose(chunk, error)
            results.extend(found)
            finished = {result.place for result in found}
            self.waiting.put_back([game for game in chunk if game.place not in finished])
        if results:
            now = perf_counter()
            self.store.append(results, now - self.written)
            self.written = now
            mean = sum(result.seconds for result in results) / len(results)
            self.cost += (max(mean, 1e-4) - self.cost) / 3
            for result in results:
                self._count(result)
            self.stopping.length()

    def _lose(self, chunk: list[Fixture], error: Exception) -> None:
        lost = self.lost[chunk[0].place] = self.lost.get(chunk[0].place, 0) + 1
        if lost >= _LOSSES:
            how = f"{type(error).__name__}: {error}"
            raise PlannerError(f"game {chunk[0].place} was lost {lost} times: {how}") from error

    def _stop(self, crew: Crew) -> None:
        """Let the guards hand in what they have finished; chunks on other machines are given up."""
        crew.stop.set()
        for future in self.running:
            future.cancel()
        done, _ = wait(self.running, timeout=2)
        self._take({future for future in done if not future.cancelled() and future.exception() is None})

    def _count(self, result: Result) -> None:
        self.progress.done += 1
        agents = self.games[result.place].agents
        if len(agents) > 1 and len(set(agents)) == 1:
            return
        for seat, agent in enumerate(agents):
            shared = result.winner < 0 and len(agents) > 1
            self.progress.points[agent] += 1 / len(agents) if shared else float(result.winner == seat)
            self.progress.games[agent] += 1

    def _tell(self) -> None:
        self.progress.seconds = perf_counter() - self.begin
        self.progress.sprt = self.stopping.summary().get("sprt")
        self.watch(self.progress)
