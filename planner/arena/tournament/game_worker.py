"""Worker processes that play the games of a tournament, and the guard that supervises each of them.

`play_chunk` is the only function that an executor runs. On this machine it runs in a thread that mostly waits; on a
Dask cluster it runs in a thread of a Dask worker. A worker that hangs is killed, and a worker that dies is replaced.
"""

from __future__ import annotations

import gc
import mmap
import pickle
import struct
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import monotonic, perf_counter
from typing import Any, Final

from planner.agents.language_model import LanguageModelAgent
from planner.arena.match.fast_matches import check_match, match_player
from planner.arena.match.record import MatchRecord
from planner.arena.match.referee import NO_SEAT, agent_seed, no_decision, play_match, seeds_of_match
from planner.arena.sandbox.remote_agent import HANG_SECONDS, AgentHost, RemoteAgent, start_seconds
from planner.arena.tournament.experiment import MAX_SEATS, Experiment
from planner.arena.tournament.game_result import Result, forfeited, result_of, result_of_played
from planner.arena.tournament.schedule import Fixture
from planner.errors import PlannerError
from planner.game import Agent
from planner.games import load_game
from planner.planning.capabilities import LooksAhead, MatchPlayer, PlayedMatch
from planner.processes import ChildDiedError, PythonChild, attach_to_parent

CHUNK_SECONDS: Final = 1.0
BATCH_SECONDS: Final = 0.2
MAX_BATCH: Final = 500
GRACE_SECONDS: Final = 5.0  # added to an agent's time limit: the referee judges answers that are only a little late
IDLE_SECONDS: Final = 300.0  # limit while no agent decides: processes take time to start, besides the agents' own time
_LOOK_SECONDS: Final = 0.2
_MAX_PLAYERS: Final = 1000  # of pairings, with about 20 kB each
# The heartbeat is shared memory with two numbers. The first is a counter that grows with every decision, times
# _SEAT_STEP, plus the seat that decides plus 1 (0: no seat). The second is the turn.
_HEARTBEAT_BYTES: Final = 16
_SEAT_STEP: Final = MAX_SEATS + 1


# -- in the worker process


def serve(connection: int, lifeline: int, heartbeat: int) -> None:
    """Play the games that the guard sends until the guard closes the pipe."""
    pipe = attach_to_parent(connection, lifeline)
    shared = memoryview(mmap.mmap(heartbeat, _HEARTBEAT_BYTES)).cast("Q")
    player: FixturePlayer | None = None
    while True:
        try:
            request: Any = pickle.loads(pipe.recv_bytes())
        except EOFError:
            return
        answer: list[Result] | PlannerError
        try:
            if isinstance(request, Experiment):
                player = FixturePlayer(request, shared)
                gc.freeze()  # everything loaded so far stays: the collector need not look at it again
                continue
            assert player is not None
            answer = player.play_batch(request)
        except PlannerError as error:
            answer = error
        pipe.send_bytes(pickle.dumps(answer))


class FixturePlayer:
    """Plays the games of one experiment. Close it to end the processes of user agents."""

    def __init__(self, experiment: Experiment, heartbeat: memoryview | None = None) -> None:
        self.experiment = experiment
        self.game = load_game(experiment.game, experiment.folders)
        self._heartbeat = heartbeat
        self._hosts: dict[tuple[int, int], AgentHost] = {}  # by agent and seat
        self._players: dict[tuple[tuple[int, ...], int], MatchPlayer | None] = {}  # by agents and setup

    def play_batch(self, fixtures: Sequence[Fixture]) -> list[Result]:
        """Play these games, by the game itself where it can play them."""
        games: dict[tuple[tuple[int, ...], int], list[Fixture]] = {}
        for fixture in fixtures:
            games.setdefault((fixture.agents, fixture.setup), []).append(fixture)
        results: dict[int, Result] = {}
        for (agents, setup), pairing in games.items():
            for fixture, match in self._play_fast(agents, setup, pairing):
                if match is None:
                    results[fixture.position] = self.play(fixture)
                    continue
                if match.moves is not None:
                    check_match(match, self._match(fixture)[0])
                results[fixture.position] = result_of_played(fixture.position, match)
        return [results[fixture.position] for fixture in fixtures]

    def _play_fast(
        self, agents: tuple[int, ...], setup: int, fixtures: Sequence[Fixture]
    ) -> Iterator[tuple[Fixture, PlayedMatch | None]]:
        """Yield each game with its match, or with None if the game declines it. An audited match has its moves."""
        player = self._player(agents, setup)
        if player is None:
            yield from ((fixture, None) for fixture in fixtures)
            return
        every = self.experiment.audit
        for audited in (False, True):
            chosen = [fixture for fixture in fixtures if (every > 0 and fixture.seed % every == 0) == audited]
            seeds = [seeds_of_match(fixture.seed, len(agents)) for fixture in chosen]
            yield from zip(chosen, player.play(seeds, audited, self._heartbeat), strict=True)

    def _player(self, agents: tuple[int, ...], setup: int) -> MatchPlayer | None:
        key = agents, setup
        if key not in self._players:
            if len(self._players) >= _MAX_PLAYERS:
                self._players.clear()
            experiment = self.experiment
            specs = [experiment.agents[agent].spec for agent in agents]
            self._players[key] = match_player(
                self.game, experiment.setups[setup], specs, experiment.limits, experiment.adjudication
            )
        return self._players[key]

    def play(self, fixture: Fixture) -> Result:
        """Play a game. The result depends on the fixture alone, not on games that were played before."""
        begin = perf_counter()
        record, died = self._match(fixture)
        if died:
            # Either the agent ends its own process, or the system killed it, which is not the agent's fault. If the
            # process dies again, the agent loses.
            record, _ = self._match(fixture)
        return result_of(fixture.position, record, perf_counter() - begin)

    def match(self, fixture: Fixture, digests: bool = False) -> MatchRecord:
        """Play a game and return its record, with the digests that a log needs if asked for."""
        return self._match(fixture, digests)[0]

    def max_memory(self) -> int:
        """Return the maximum number of MiB that a user agent has used, over games that ended regularly."""
        return max((host.used_memory for host in self._hosts.values()), default=0)

    def close(self) -> None:
        """End the processes of user agents."""
        for host in self._hosts.values():
            host.close()

    def _match(self, fixture: Fixture, digests: bool = False) -> tuple[MatchRecord, bool]:
        """Play a game; also return whether the process of a user agent died."""
        experiment = self.experiment
        agents = [self._agent(fixture, seat) for seat in range(len(fixture.agents))]
        setup = experiment.setups[fixture.setup]
        limits, adjudication = experiment.limits, experiment.adjudication
        record = play_match(agents, setup, fixture.seed, self.game, digests, limits, self._beat, adjudication)
        self._beat(NO_SEAT, 0)
        stderr = tuple(agent.end() if isinstance(agent, RemoteAgent) else "" for agent in agents)
        died = any(isinstance(agent, RemoteAgent) and agent.died for agent in agents)
        fallbacks = [agent.fallbacks if isinstance(agent, LanguageModelAgent) else None for agent in agents]
        if any(count is not None for count in fallbacks):
            record = replace(record, fallbacks=tuple(count or 0 for count in fallbacks))
        return replace(record, stderr=stderr) if any(stderr) else record, died

    def _agent(self, fixture: Fixture, seat: int) -> Agent:
        """Create the agent of this seat; a user agent gets a process per seat, since two copies of it may meet."""
        experiment, agent = self.experiment, fixture.agents[seat]
        entry = experiment.agents[agent]
        seed = agent_seed(fixture.seed, seat)
        if not entry.spec.is_user_code:
            known = None
            if experiment.open_decks and isinstance(self.game, LooksAhead):
                known = self.game.decklist(experiment.setups[fixture.setup], 1 - seat)
            return entry.spec.make(self.game, seed, hidden_pool=known)
        host = self._hosts.get((agent, seat))
        if host is None:
            host = self._hosts[agent, seat] = AgentHost(
                entry.spec.agent, experiment.game, experiment.folders, experiment.limits, experiment.memory
            )
        return RemoteAgent(host, self.game, entry.name, seed, experiment.limits.move_time)

    def _beat(self, seat: int, turn: int) -> None:
        if self._heartbeat is not None:
            count = self._heartbeat[0] // _SEAT_STEP + 1
            self._heartbeat[1] = turn
            self._heartbeat[0] = count * _SEAT_STEP + seat + 1


# -- in the process that runs the tournament


_thread_state = threading.local()


def set_stop_event(stop: threading.Event) -> None:
    """Make the guards of this thread return their finished games and stop when the event is set."""
    _thread_state.stop = stop


def _is_stopped() -> bool:
    stop: threading.Event | None = getattr(_thread_state, "stop", None)
    return stop is not None and stop.is_set()


def play_chunk(experiment: Experiment, games: Sequence[Fixture]) -> list[Result]:
    """Play these games in order for about a second; games at the end of the list may remain unplayed."""
    begin = perf_counter()
    try:
        guard = _unused_guards.pop()
    except IndexError:
        guard = Guard()
    results: list[Result] = []
    try:
        while len(results) < len(games) and perf_counter() - begin < CHUNK_SECONDS:
            batch = games[len(results) : len(results) + guard.batch_size]
            played = guard.play(experiment, batch)
            results += played
            if len(played) < len(batch):
                break
    except BaseException:
        guard.close()
        raise
    _unused_guards.append(guard)
    return results


class _NoDecisionError(Exception):
    """The agent in this seat does not decide; the message is the reason of its loss."""

    def __init__(self, seat: int, turn: int, limit: float) -> None:
        super().__init__(no_decision(limit))
        self.seat, self.turn = seat, turn


class Guard:
    """Supervises one worker process at a time."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the guard)
        self._file.truncate(_HEARTBEAT_BYTES)
        self._heartbeat = mmap.mmap(self._file.fileno(), _HEARTBEAT_BYTES)
        self._child: PythonChild | None = None
        self._sent: tuple[str, int] | None = None  # digest and audit of the experiment that the worker knows
        self.batch_size = 1  # games to play at a time, so that a batch takes about `BATCH_SECONDS`

    def play(self, experiment: Experiment, games: Sequence[Fixture]) -> list[Result]:
        """Play a batch of games; return fewer results if the run is stopped.

        If the worker dies or an agent does not decide, the games are played again one by one.
        """
        begin = perf_counter()
        try:
            results = self._ask(experiment, games)
        except (ChildDiedError, _NoDecisionError):
            self.close()
            self.batch_size = 1
            results = []
            for game in games:
                result = self._play_one(experiment, game)
                if result is None:
                    break
                results.append(result)
            return results
        seconds = perf_counter() - begin
        if seconds < BATCH_SECONDS / 2:
            self.batch_size = min(2 * self.batch_size, MAX_BATCH)
        elif seconds > 2 * BATCH_SECONDS:
            self.batch_size = max(1, self.batch_size // 2)
        return results

    def _play_one(self, experiment: Experiment, game: Fixture) -> Result | None:
        """Play a game alone; return None if the run is stopped.

        A worker that dies gets a second chance, because the system may have killed it. If the second one dies as well
        while an agent decides, that agent loses.
        """
        begin = perf_counter()
        how = ""
        for _ in range(2):
            try:
                results = self._ask(experiment, [game])
                return results[0] if results else None
            except _NoDecisionError as hung:
                return forfeited(game, hung.seat, hung.turn, str(hung), perf_counter() - begin)
            except ChildDiedError as died:
                how = str(died)
                self.close()
        seat, turn = self._deciding()
        if seat < 0:
            raise PlannerError(f"game {game.position} cannot be played: the worker process ended twice ({how})")
        return forfeited(game, seat, turn, f"crash: the process ended ({how})", perf_counter() - begin)

    def close(self) -> None:
        """Kill the worker."""
        if self._child is not None:
            self._child.kill()
            self._child = None
        self._sent = None

    def _ask(self, experiment: Experiment, games: Sequence[Fixture]) -> list[Result]:
        """Let the worker play these games; return nothing if the run is stopped."""
        child = self._worker(experiment)
        child.send(pickle.dumps(list(games)))
        move_time = experiment.limits.move_time
        limit = (HANG_SECONDS if move_time is None else move_time) + GRACE_SECONDS
        idle_limit = IDLE_SECONDS + 2 * experiment.seats * start_seconds(experiment.limits)
        last, since = self._heartbeat[:], monotonic()
        while (data := child.receive(_LOOK_SECONDS)) is None:
            if _is_stopped():
                self.close()
                return []
            heartbeat = self._heartbeat[:]
            seat, turn = self._deciding()
            if heartbeat != last:
                last, since = heartbeat, monotonic()
            elif monotonic() - since > (limit if seat >= 0 else idle_limit):
                self.close()
                if seat < 0:
                    raise ChildDiedError(f"nothing happened for {idle_limit:g} s")
                raise _NoDecisionError(seat, turn, limit - GRACE_SECONDS)
        answer: list[Result] | PlannerError = pickle.loads(data)
        if isinstance(answer, PlannerError):
            raise answer
        return answer

    def _worker(self, experiment: Experiment) -> PythonChild:
        if self._child is None:
            self._heartbeat[:] = bytes(_HEARTBEAT_BYTES)
            fd = self._file.fileno()
            self._child = PythonChild("planner.arena.tournament.game_worker", fds=[fd], heartbeat=fd)
        if self._sent != (experiment.digest, experiment.audit):
            self._child.send(pickle.dumps(experiment))
            self._sent = experiment.digest, experiment.audit
        return self._child

    def _deciding(self) -> tuple[int, int]:
        """Return the seat that is deciding (-1: none) and the turn."""
        number, turn = struct.unpack("=QQ", self._heartbeat[:])
        return number % _SEAT_STEP - 1, turn


_unused_guards: list[Guard] = []  # taken and returned by several threads: `pop` and `append` are atomic


def close_unused_guards() -> None:
    """Kill the workers that are not playing."""
    while _unused_guards:
        _unused_guards.pop().close()
