"""The games of an experiment, in the order in which they count.

Round by round: every pairing has its game number 0 before any has its number 1, and the two games of a pair stand
side by side. So a tournament that is stopped anywhere has treated everybody alike. Where there is one seat, every
agent plays every setup with the same luck.
"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from planner.arena.experiment import Experiment
from planner.arena.seeds import derive_seed
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


def schedule(experiment: Experiment) -> list[Fixture]:
    """All games; what each is depends on its coordinates and the experiment's seed alone."""
    if experiment.seats == 1:
        return _alone(experiment)
    games: list[Fixture] = []
    ids = count()
    pairings = _pairings(len(experiment.agents), experiment.pairs)
    for number in range(experiment.games):
        for a, b in pairings:
            if a == b:
                _mirror(experiment, games, ids, a, number)
            elif experiment.pairs == "first":
                _add(experiment, games, (a, b), number, _setup(experiment, number), UNPAIRED)
            else:
                _both_seats(experiment, games, ids, (a, b), number)
    return games


def _pairings(agents: int, pairs: str) -> list[tuple[int, int]]:
    """Who meets: two different ones in both seats, unless only the first agent is to have the first seat."""
    if pairs != "all":
        return [(0, other) for other in range(1, agents)]
    return [(a, b) for a in range(agents) for b in range(a, agents)]


def _alone(experiment: Experiment) -> list[Fixture]:
    """Paired by luck: the same seed for all agents."""
    found = load_game(experiment.game, experiment.folders)
    names = ["/".join(found.setup_columns(setup).values()) for setup in experiment.setups]
    games: list[Fixture] = []
    for number in range(experiment.games):
        for setup, name in enumerate(names):
            pair = number * len(names) + setup
            seed = derive_seed(experiment.seed, "game", name, number)
            for agent in range(len(experiment.agents)):
                games.append(Fixture(len(games), (agent,), number, setup, seed, pair))
    return games


def _setup(experiment: Experiment, number: int) -> int:
    return number % len(experiment.setups)


def _swapped(experiment: Experiment, setup: int) -> int:
    return experiment.setups.index(load_game(experiment.game, experiment.folders).swapped(experiment.setups[setup]))


def _both_seats(
    experiment: Experiment, games: list[Fixture], ids: count[int], agents: tuple[int, int], number: int
) -> None:
    setup = _setup(experiment, number)
    if experiment.swap == "none":
        _add(experiment, games, agents, number, setup, UNPAIRED)
        _add(experiment, games, agents[::-1], number, setup, UNPAIRED)
        return
    pair = next(ids)
    # With their decks swapped as well, both keep the deck that they hold: what the decks owe the seats cancels too.
    other = _swapped(experiment, setup) if experiment.swap == "seats_and_decks" else setup
    _add(experiment, games, agents, number, setup, pair)
    _add(experiment, games, agents[::-1], number, other, pair)


def _mirror(experiment: Experiment, games: list[Fixture], ids: count[int], a: int, number: int) -> None:
    """An agent against itself: a game with the seats swapped would be the very same game, unless the decks differ."""
    if experiment.swap != "seats_and_decks" or experiment.games % 2:
        _add(experiment, games, (a, a), number, _setup(experiment, number), UNPAIRED)
        return
    setup = _setup(experiment, number // 2)
    other = _swapped(experiment, setup)
    if setup == other:
        _add(experiment, games, (a, a), number, setup, UNPAIRED)
    elif number % 2 == 0:
        _add(experiment, games, (a, a), number, setup, next(ids))
    else:
        begun = next(fixture for fixture in reversed(games) if fixture.agents == (a, a))
        _add(experiment, games, (a, a), number, other, begun.pair, begun.seed)


def _add(
    experiment: Experiment,
    games: list[Fixture],
    agents: tuple[int, int],
    number: int,
    setup: int,
    pair: int,
    seed: int | None = None,
) -> None:
    if seed is None:
        names = [experiment.agents[agent].name for agent in agents]
        # By name, so that a game stays the same whoever else takes part; sorted, so that both games of a pair share it.
        names = names if pair == UNPAIRED else sorted(names)
        seed = derive_seed(experiment.seed, "game", *names, number)
    games.append(Fixture(len(games), agents, number, setup, seed, pair))
