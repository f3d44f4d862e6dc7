"""The games of an experiment, in the order in which they count.

Round by round: every pairing has its game number 0 before any has its number 1, and the two games of a pair stand
side by side. So a tournament that is stopped anywhere has treated everybody alike. Where there is one seat, every
agent plays every setup with the same luck.

A game is worked out from its place when somebody asks for it: a schedule of a billion games is there at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple, overload

from planner.arena.match.referee import derive_seed
from planner.arena.tournament.experiment import Experiment
from planner.games import load_game

UNPAIRED = -1


class Fixture(NamedTuple):
    """One game's coordinates. Agents and setups are places in the experiment's lists."""

    place: int  # in the schedule
    agents: tuple[int, ...]  # by seat
    number: int  # among the games of this ordered pairing, or of this agent from this setup
    setup: int
    seed: int
    pair: int  # the games that belong together share it, or UNPAIRED

    @property
    def first(self) -> int:
        """The agent in the first seat."""
        return self.agents[0]

    @property
    def second(self) -> int:
        """The agent in the last seat; where there is one seat, the same."""
        return self.agents[-1]


class Schedule(Sequence[Fixture]):
    """All games; what each is depends on its coordinates and the experiment's seed alone."""

    def __init__(self, experiment: Experiment, in_round: int) -> None:
        self.experiment, self.in_round = experiment, in_round

    def __len__(self) -> int:
        return self.experiment.games * self.in_round

    @overload
    def __getitem__(self, place: int) -> Fixture: ...
    @overload
    def __getitem__(self, place: slice) -> list[Fixture]: ...
    def __getitem__(self, place: int | slice) -> Fixture | list[Fixture]:
        places = range(len(self))[place]
        return self._game(places) if isinstance(places, int) else [self._game(one) for one in places]

    @abstractmethod
    def _game(self, place: int) -> Fixture:
        """The game at this place, which is one of the schedule's."""


def schedule(experiment: Experiment) -> Schedule:
    """The games of this experiment."""
    return _Alone(experiment) if experiment.seats == 1 else _Matches(experiment)


class _Alone(Schedule):
    """Paired by luck: the same seed for all agents."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment, len(experiment.setups) * len(experiment.agents))
        game = load_game(experiment.game, experiment.folders)
        self.names = ["/".join(game.setup_columns(setup).values()) for setup in experiment.setups]

    def _game(self, place: int) -> Fixture:
        pair, agent = divmod(place, len(self.experiment.agents))
        number, setup = divmod(pair, len(self.names))
        seed = derive_seed(self.experiment.seed, "game", self.names[setup], number)
        return Fixture(place, (agent,), number, setup, seed, pair)


class _Meeting(NamedTuple):
    """A game as every round has it."""

    agents: tuple[int, int]
    turned: bool  # the second game of two with the seats swapped
    pairs: int  # how many meetings in both seats stand before it in the round
    mirrors: int  # how many of an agent with itself do


class _Matches(Schedule):
    """Two seats: meetings in both of them are pairs unless nothing is swapped."""

    def __init__(self, experiment: Experiment) -> None:
        self.meetings = _meetings(len(experiment.agents), experiment.pairs)
        super().__init__(experiment, len(self.meetings))
        mirrors = sum(meeting.agents[0] == meeting.agents[1] for meeting in self.meetings)
        self.pairs_in_round = sum(meeting.turned for meeting in self.meetings) if experiment.swap != "none" else 0
        # Two games of an agent against itself are a pair only where their decks differ; else they would be one game.
        self.mirrors_in_pairs = mirrors if experiment.swap == "seats_and_decks" and experiment.games % 2 == 0 else 0

    def _game(self, place: int) -> Fixture:
        number, at = divmod(place, self.in_round)
        meeting = self.meetings[at]
        first, second = meeting.agents
        if first == second:
            return self._mirror(place, number, meeting)
        setup, pair = self._setup(number), UNPAIRED
        if self.pairs_in_round:
            pair = self._pairs_before(number) + meeting.pairs
            if self._pairs_mirrors(number):
                pair += meeting.mirrors
            # With their decks swapped as well, both keep the deck that they hold: what decks owe the seats cancels too.
            if meeting.turned and self.experiment.swap == "seats_and_decks":
                setup = self._swapped[setup]
        return self._fixture(place, meeting.agents, number, setup, pair)

    def _mirror(self, place: int, number: int, meeting: _Meeting) -> Fixture:
        """An agent against itself: a game with the seats swapped would be the very same game, unless decks differ."""
        if not self.mirrors_in_pairs:
            return self._fixture(place, meeting.agents, number, self._setup(number), UNPAIRED)
        begun = number - number % 2
        setup = self._setup(number // 2)
        if not self._pairs_mirrors(begun):
            return self._fixture(place, meeting.agents, number, setup, UNPAIRED)
        pair = self._pairs_before(begun) + meeting.pairs + meeting.mirrors
        found = self._fixture(place, meeting.agents, begun, setup if number == begun else self._swapped[setup], pair)
        return found._replace(number=number)

    def _fixture(self, place: int, agents: tuple[int, int], number: int, setup: int, pair: int) -> Fixture:
        names = [self.experiment.agents[agent].name for agent in agents]
        # By name, so that a game stays the same whoever else takes part; sorted, so that both games of a pair share it.
        names = names if pair == UNPAIRED else sorted(names)
        return Fixture(place, agents, number, setup, derive_seed(self.experiment.seed, "game", *names, number), pair)

    def _setup(self, number: int) -> int:
        return number % len(self.experiment.setups)

    @cached_property
    def _swapped(self) -> list[int]:
        """For each setup the one with the decks swapped."""
        game, setups = load_game(self.experiment.game, self.experiment.folders), self.experiment.setups
        return [setups.index(game.swapped(setup)) for setup in setups]

    @cached_property
    def _differing(self) -> list[int]:
        """How many of the first setups change when their decks are swapped: of none, of one, of two, ..."""
        return list(accumulate((other != setup for setup, other in enumerate(self._swapped)), initial=0))

    def _pairs_mirrors(self, number: int) -> bool:
        """Whether in this round the first games of pairs of mirrors are played."""
        setup = self._setup(number // 2)
        return bool(self.mirrors_in_pairs) and number % 2 == 0 and self._swapped[setup] != setup

    def _pairs_before(self, number: int) -> int:
        """How many pairs begin in the rounds before this one."""
        found = number * self.pairs_in_round
        if self.mirrors_in_pairs:
            cycles, rest = divmod((number + 1) // 2, len(self.experiment.setups))
            found += self.mirrors_in_pairs * (cycles * self._differing[-1] + self._differing[rest])
        return found


def _meetings(agents: int, pairs: str) -> list[_Meeting]:
    """The games of one round. Whom `pairs` lets meet is said in docs/how-to/tournaments.md."""
    if pairs in ("gauntlet", "first"):
        met = [(0, other) for other in range(1, agents)]
    else:
        met = [(a, b) for a in range(agents) for b in range(a + (pairs == "round_robin"), agents)]
    found: list[_Meeting] = []
    swapped = mirrors = 0
    for a, b in met:
        found.append(_Meeting((a, b), False, swapped, mirrors))
        if a == b:
            mirrors += 1
        elif pairs != "first":
            found.append(_Meeting((b, a), True, swapped, mirrors))
            swapped += 1
    return found
