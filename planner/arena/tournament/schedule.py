"""The games of an experiment, in the order in which they count.

Games are scheduled round by round: every pairing plays its game number 0 before any pairing plays its game number 1,
and the games of a pair are neighbours. A tournament that stops at any point has therefore treated all agents alike.
In a game of one seat, every agent plays every setup with the same seed. In other games, agents that meet take the
seats in every order.

A fixture is computed from its position on demand, so a schedule of a billion games takes no time to create.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, combinations, permutations, product
from math import perm
from typing import NamedTuple, overload

from planner.arena.match.referee import derive_seed
from planner.arena.tournament.experiment import Experiment
from planner.errors import PlannerError
from planner.games import load_game
from planner.match_options import setup_columns

UNPAIRED = -1
MAX_SEATINGS = 1_000_000  # of agents at one table, all of them in memory


class Fixture(NamedTuple):
    """One game of a schedule. Agents and setups are indices into the experiment's lists."""

    position: int  # in the schedule
    agents: tuple[int, ...]  # by seat
    number: int  # among the games of this seating, or of this agent from this setup
    setup: int
    seed: int
    pair: int  # shared by the games of a pair (all seat orders of the same agents), or UNPAIRED


class Schedule(Sequence[Fixture]):
    """All games of an experiment. Each fixture depends only on its position and the experiment's seed."""

    def __init__(self, experiment: Experiment, games_per_round: int) -> None:
        self.experiment, self.games_per_round = experiment, games_per_round

    def __len__(self) -> int:
        return self.experiment.games * self.games_per_round

    @overload
    def __getitem__(self, index: int) -> Fixture: ...
    @overload
    def __getitem__(self, index: slice) -> list[Fixture]: ...
    def __getitem__(self, index: int | slice) -> Fixture | list[Fixture]:
        indices = range(len(self))[index]
        return self._fixture(indices) if isinstance(indices, int) else [self._fixture(each) for each in indices]

    @abstractmethod
    def _fixture(self, position: int) -> Fixture:
        """Return the game at this position, which is within the schedule."""


def schedule(experiment: Experiment) -> Schedule:
    """Return the games of this experiment."""
    return SoloSchedule(experiment) if experiment.seats == 1 else TableSchedule(experiment)


class SoloSchedule(Schedule):
    """Games of one seat. All agents play with the same seeds, and those games form a pair."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment, len(experiment.setups) * len(experiment.agents))
        game = load_game(experiment.game, experiment.folders)
        self.names = ["/".join(setup_columns(game, setup).values()) for setup in experiment.setups]

    def _fixture(self, position: int) -> Fixture:
        pair, agent = divmod(position, len(self.experiment.agents))
        number, setup = divmod(pair, len(self.names))
        seed = derive_seed(self.experiment.seed, "game", self.names[setup], number)
        return Fixture(position, (agent,), number, setup, seed, pair)


class TableSchedule(Schedule):
    """Games of two seats or more. The games of the same agents in all seat orders are neighbours and form a pair.

    Nothing is paired if the experiment swaps nothing.
    """

    def __init__(self, experiment: Experiment) -> None:
        groups = list(_groups(len(experiment.agents), experiment.seats, experiment.pairs))
        self.seatings = [(group, agents) for group, orders in enumerate(groups) for agents in orders]
        super().__init__(experiment, len(self.seatings))
        self.is_paired = [experiment.swap != "none" and len(orders) > 1 for orders in groups]
        # Two games of an agent against itself are a pair only if their decks differ; otherwise they are the same game.
        swaps_decks = experiment.swap == "seats_and_decks"
        self.pairs_mirrors = swaps_decks and experiment.pairs == "all" and experiment.games % 2 == 0
        self.paired_groups = list(accumulate(self.is_paired, initial=0))  # before each group, and at the end all

    def _fixture(self, position: int) -> Fixture:
        number, in_round = divmod(position, self.games_per_round)
        group, agents = self.seatings[in_round]
        names = [self.experiment.agents[agent].name for agent in agents]
        pair, drawn = UNPAIRED, number  # `drawn` is the number that decides the seed
        if self.is_paired[group]:
            setup, pair = self._setup(number), self._pair(number, group)
            # With decks swapped as well, each agent keeps its deck: the advantage of a deck in a seat cancels, too.
            if self.experiment.swap == "seats_and_decks" and agents[0] > agents[1]:
                setup = self._swapped_setups[setup]
        elif self.pairs_mirrors:  # two rounds in a row play the same setup; swapping seats would give the same game
            setup, begin = self._setup(number // 2), number - number % 2
            if self._begins_mirror_pairs(begin):
                pair, drawn = self._pair(begin, group), begin
                setup = setup if number == begin else self._swapped_setups[setup]
        else:
            setup = self._setup(number)
        # The seed depends on names, so that a game does not change when other agents are added. The names are sorted,
        # so that all games of a pair have the same seed.
        names = names if pair == UNPAIRED else sorted(names)
        return Fixture(position, agents, number, setup, derive_seed(self.experiment.seed, "game", *names, drawn), pair)

    def _setup(self, number: int) -> int:
        return number % len(self.experiment.setups)

    @cached_property
    def _swapped_setups(self) -> list[int]:
        """For each setup, the index of the setup with the decks swapped."""
        game, setups = load_game(self.experiment.game, self.experiment.folders), self.experiment.setups
        return [setups.index(game.swapped(setup)) for setup in setups]

    @cached_property
    def _asymmetric_before(self) -> list[int]:
        """For n = 0, 1, ...: how many of the first n setups change when their decks are swapped."""
        return list(accumulate((other != setup for setup, other in enumerate(self._swapped_setups)), initial=0))

    def _begins_mirror_pairs(self, number: int) -> bool:
        """Return whether this round has the first games of pairs of mirror matches."""
        setup = self._setup(number // 2)
        return self.pairs_mirrors and number % 2 == 0 and self._swapped_setups[setup] != setup

    def _pair(self, number: int, group: int) -> int:
        """Return the number of the pair of this group that begins in this round: pairs are numbered in order."""
        in_round = group if self._begins_mirror_pairs(number) else self.paired_groups[group]
        before = number * self.paired_groups[-1]
        if self.pairs_mirrors:
            cycles, remainder = divmod((number + 1) // 2, len(self.experiment.setups))
            asymmetric = cycles * self._asymmetric_before[-1] + self._asymmetric_before[remainder]
            before += (len(self.is_paired) - self.paired_groups[-1]) * asymmetric
        return before + in_round


def _groups(agents: int, seats: int, pairs: str) -> Iterator[list[tuple[int, ...]]]:
    """Yield the agents that meet at a table, in all their seat orders; docs/how-to/tournaments.md describes `pairs`."""
    count = {"all": agents**seats, "round_robin": perm(agents, seats)}.get(pairs, 0)
    if count > MAX_SEATINGS:
        raise PlannerError(
            f"pairs: {pairs} with {agents} agents and {seats} seats gives {count:,} seatings; the limit is "
            f"{MAX_SEATINGS:,}; use gauntlet"
        )
    if pairs in ("gauntlet", "first"):
        for other in range(1, agents):
            orders = [tuple(0 if seat == own else other for seat in range(seats)) for own in range(seats)]
            yield orders if pairs == "gauntlet" else orders[:1]
    elif pairs == "round_robin":
        yield from (list(permutations(group)) for group in combinations(range(agents), seats))
    else:
        orders_of: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for order in product(range(agents), repeat=seats):
            orders_of.setdefault(tuple(sorted(order)), []).append(order)
        yield from orders_of.values()
