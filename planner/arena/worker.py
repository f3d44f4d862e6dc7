"""The process that plays games: one after another, as its guard hands them out."""

from __future__ import annotations

import gc
import mmap
import pickle
from dataclasses import replace
from time import perf_counter
from typing import Any, Final

from planner.arena.child import attach
from planner.arena.experiment import Experiment
from planner.arena.match import NOBODY, agent_seed, play_match
from planner.arena.record import MatchRecord
from planner.arena.remote import Host, RemoteAgent
from planner.arena.result import Result, result_of
from planner.arena.schedule import Fixture
from planner.game import Agent
from planner.games import load_game

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
            if self.experiment.open_decks:
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
