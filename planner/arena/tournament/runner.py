"""Run an experiment: games go out in chunks to an executor, results come back in any order and are stored at once.

Nothing here affects a result. The number of workers, the order in which they finish and interruptions only change how
long the run takes.
"""

from __future__ import annotations

import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from planner.agents.language_model import names_language_model
from planner.agents.user_agents import AgentLostError
from planner.arena.sandbox.remote_agent import AgentHost
from planner.arena.tournament import game_worker
from planner.arena.tournament.early_stopping import Stopping, sprt_tests
from planner.arena.tournament.experiment import Experiment
from planner.arena.tournament.game_result import Result, score
from planner.arena.tournament.run_store import Store
from planner.arena.tournament.schedule import Fixture, schedule
from planner.errors import PlannerError
from planner.games import load_game
from planner.match_options import Adjudication, is_adjudicated
from planner.processes import available_cores

MAX_CHUNK: Final = 2000
_MAX_LOSSES: Final = 3  # how often a cluster may lose a chunk before the run fails
_TICK_SECONDS: Final = 0.25


# -- executors: processes on this machine, or the workers of a Dask cluster


@dataclass(frozen=True)
class WorkerPool:
    """An executor, the number of chunks it runs at a time, and the event that stops running chunks."""

    executor: Executor
    size: int
    stop: threading.Event = field(default_factory=threading.Event)


@contextmanager
def open_pool(workers: int | None = None, dask: str | None = None) -> Iterator[WorkerPool]:
    """Open a pool of worker processes on this machine (by default one per core), or of the Dask cluster at `dask`."""
    if dask is not None:
        with _cluster(dask) as pool:
            yield pool
        return
    count, stop = workers or available_cores(), threading.Event()
    # Each thread only waits for its own process.
    executor = ThreadPoolExecutor(count, "guard", initializer=game_worker.set_stop_event, initargs=(stop,))
    try:
        yield WorkerPool(executor, count, stop)
    finally:
        stop.set()
        executor.shutdown(cancel_futures=True)
        game_worker.close_unused_guards()


@contextmanager
def _cluster(address: str) -> Iterator[WorkerPool]:
    try:
        from distributed import Client  # noqa: PLC0415  (an optional extra)
    except ModuleNotFoundError:
        command = "pip install 'turn-planner[dask]'"
        raise PlannerError(f"--dask needs the package distributed; install it with: {command}") from None
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
            yield WorkerPool(executor, count)
        finally:
            executor.shutdown(wait=False)


# -- runs


@dataclass
class Progress:
    """The progress of a run, for a progress bar."""

    total: int
    done: int = 0
    before: int = 0  # of these, played in earlier runs
    repaired: int = 0  # incomplete lines that were removed from the journal
    seconds: float = 0.0  # of this run
    points: list[float] = field(default_factory=list)  # by agent, against other agents
    games: list[int] = field(default_factory=list)
    sprt: list[dict[str, Any]] = field(default_factory=list)  # the state of each sequential test

    @property
    def left(self) -> int:
        """Games that remain, unless a test stops the run."""
        return self.total - self.done

    @property
    def games_per_second(self) -> float:
        """The speed of this run."""
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
    """Play the experiment, write its tables to `out`/NAME and return that folder.

    `workers` is the number of processes on this machine, by default one per core. `dask` is the address of a Dask
    scheduler whose workers play instead. An interrupted run keeps its finished games; `resume` continues it.
    """
    check_user_agents(experiment)
    with Store(Path(out) / experiment.name, experiment, resume) as store:
        games = schedule(experiment)
        stopping = Stopping(store.results, games)
        with open_pool(workers, dask) as pool:
            _Run(experiment, store, games, stopping, watch).play(pool)
        from planner.arena.tournament.result_tables import write_tables  # noqa: PLC0415  (imports for a second)

        stopping.update()
        counted = stopping.positions()
        write_tables(store.folder, experiment, store.results, counted)
        if not store.finished:
            adjudicated = _adjudicated(experiment, store.results, counted)
            store.finish(pool.size, len(counted), **stopping.summary(), **adjudicated)
        return store.folder


def _adjudicated(experiment: Experiment, results: Mapping[int, Result], positions: Sequence[int]) -> dict[str, Any]:
    """Return for the manifest how many games were adjudicated, by reason, where the experiment may adjudicate."""
    if experiment.adjudication == Adjudication():
        return {}
    reasons = Counter(results[position].reason for position in positions)
    return {"adjudicated": {reason: count for reason, count in sorted(reasons.items()) if is_adjudicated(reason)}}


class MemoryStore:
    """Keeps results in memory, for short runs."""

    repaired = 0

    def __init__(self) -> None:
        self.results: dict[int, Result] = {}

    def append(self, results: Sequence[Result], seconds: float) -> None:  # noqa: ARG002  (as a Store)
        """Keep these results."""
        self.results |= {result.position: result for result in results}


def play_all(
    experiment: Experiment,
    store: Store | MemoryStore,
    games: Sequence[Fixture],
    pool: WorkerPool,
    watch: Watcher = lambda _: None,
) -> None:
    """Play the games that the store does not contain yet. The pool can be used again afterwards."""
    _Run(experiment, store, games, Stopping(store.results), watch).play(pool)


def check_user_agents(experiment: Experiment) -> None:
    """Create each user agent and language model once, so that one that cannot play is refused before the run."""
    for entry in experiment.agents:
        if names_language_model(entry.spec.agent):
            entry.spec.make(load_game(experiment.game, experiment.folders), 0)
        if entry.spec.is_user_code:
            agent = entry.spec.agent
            host = AgentHost(agent, experiment.game, experiment.folders, experiment.limits, experiment.memory)
            try:
                host.begin(0)
            except AgentLostError as lost:
                problem = str(lost).removeprefix("crash: ").removeprefix(f"agent {agent!r}: ")
                raise PlannerError(f"agent {agent!r}: {problem}") from None
            finally:
                host.close()


class _Queue:
    """The games that are waiting to be played. Fixtures are made when they are needed."""

    def __init__(
        self,
        games: Sequence[Fixture],
        results: Mapping[int, Result],
        needs: Callable[[int], bool] = lambda _position: True,
    ) -> None:
        self._left = len(games) - len(results)
        self._needs = needs  # whether a game still has to be played
        self._fresh = (games[index] for index in range(len(games)) if index not in results)
        self._ready: deque[Fixture] = deque()  # handed out before fresh games

    def __len__(self) -> int:
        """Return how many games are waiting, at most: some of them may not be needed."""
        return self._left

    def __bool__(self) -> bool:
        while True:
            while self._ready:
                if self._needs(self._ready[0].position):
                    return True
                self._ready.popleft()
                self._left -= 1
            if (fresh := next(self._fresh, None)) is None:
                return False
            self._ready.append(fresh)

    def peek(self) -> Fixture:
        """Return the next game without removing it."""
        if not self:
            raise IndexError("no game is waiting")
        return self._ready[0]

    def pop(self) -> Fixture:
        """Remove and return the next game."""
        self.peek()
        self._left -= 1
        return self._ready.popleft()

    def put_back(self, games: Sequence[Fixture]) -> None:
        """Return games that were not played; they come first."""
        self._left += len(games)
        self._ready.extendleft(reversed(games))


class _Run:
    """One run: the games that are waiting and the chunks that are being played."""

    def __init__(
        self,
        experiment: Experiment,
        store: Store | MemoryStore,
        games: Sequence[Fixture],
        stopping: Stopping,
        watch: Watcher,
    ) -> None:
        self.experiment, self.store, self.games, self.stopping, self.watch = experiment, store, games, stopping, watch
        self.waiting = _Queue(games, store.results, stopping.needs)
        self.running: dict[Future[list[Result]], list[Fixture]] = {}
        self.losses: dict[int, int] = {}
        self.game_seconds = game_worker.CHUNK_SECONDS  # a moving average
        self.begin = self.written = perf_counter()
        agents = len(experiment.agents)
        self.progress = Progress(len(games), repaired=store.repaired, points=[0.0] * agents, games=[0] * agents)
        for result in store.results.values():
            self._count(result)
        self.progress.before = self.progress.done

    def play(self, pool: WorkerPool) -> None:
        """Play all missing games. Results are stored before the next chunk goes out."""
        self.stopping.update()
        self._report()
        max_running = pool.size + max(1, pool.size // 4)  # a few more than workers, so that no worker waits
        try:
            while self.waiting or self.running:
                if self.stopping.stopped:
                    break
                while self.waiting and len(self.running) < max_running:
                    chunk = self._chunk(pool.size)
                    self.running[pool.executor.submit(game_worker.play_chunk, self.experiment, chunk)] = chunk
                done, _ = wait(self.running, timeout=_TICK_SECONDS, return_when=FIRST_COMPLETED)
                self._collect(done)
                self._report()
        finally:
            if self.running:
                self._stop(pool)

    def _chunk(self, workers: int) -> list[Fixture]:
        """Take games for about a second; fewer towards the end, so that all workers finish together."""
        per_second = int(game_worker.CHUNK_SECONDS / self.game_seconds) + 1
        size = min(MAX_CHUNK, per_second, -(-len(self.waiting) // (2 * workers)))
        chunk = [self.waiting.pop()]
        while self.waiting and len(chunk) < size:
            if self._has_user_agent(chunk[-1]) or self._has_user_agent(self.waiting.peek()):
                break  # such games may hang: alone in their chunk they do not delay finished games
            chunk.append(self.waiting.pop())
        return chunk

    def _has_user_agent(self, game: Fixture) -> bool:
        return any(self.experiment.agents[agent].spec.is_user_code for agent in game.agents)

    def _collect(self, done: set[Future[list[Result]]]) -> None:
        """Store finished games; put unplayed games back, and those that were lost with their machine."""
        results: list[Result] = []
        for future in done:
            chunk = self.running.pop(future)
            try:
                played = future.result()
            except PlannerError:
                raise
            except Exception as error:
                played = []
                self._count_loss(chunk, error)
            results.extend(played)
            finished = {result.position for result in played}
            self.waiting.put_back([game for game in chunk if game.position not in finished])
        if results:
            now = perf_counter()
            self.store.append(results, now - self.written)
            self.written = now
            mean = sum(result.seconds for result in results) / len(results)
            self.game_seconds += (max(mean, 1e-4) - self.game_seconds) / 3
            for result in results:
                self._count(result)
            self.stopping.update()

    def _count_loss(self, chunk: list[Fixture], error: Exception) -> None:
        position = chunk[0].position
        self.losses[position] = self.losses.get(position, 0) + 1
        if self.losses[position] >= _MAX_LOSSES:
            how = f"{type(error).__name__}: {error}"
            raise PlannerError(f"game {position} was lost {self.losses[position]} times: {how}") from error

    def _stop(self, pool: WorkerPool) -> None:
        """Collect what the guards have finished; chunks on other machines are dropped."""
        pool.stop.set()
        for future in self.running:
            future.cancel()
        done, _ = wait(self.running, timeout=2)
        self._collect({future for future in done if not future.cancelled() and future.exception() is None})

    def _count(self, result: Result) -> None:
        self.progress.done += 1
        agents = self.games[result.position].agents
        for seat, agent in enumerate(agents):
            others = [other for other, opponent in enumerate(agents) if opponent != agent]
            if others or len(agents) == 1:
                self.progress.points[agent] += score(result, seat, others)
                self.progress.games[agent] += 1

    def _report(self) -> None:
        self.progress.seconds = perf_counter() - self.begin
        self.progress.sprt = sprt_tests(self.stopping.summary(), self.experiment.names)
        self.watch(self.progress)
