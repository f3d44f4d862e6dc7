"""The games of an experiment, in the order in which they count.

Round by round: every pairing has its game number 0 before any has its number 1, and the two games of a pair stand
side by side. So a tournament that is stopped anywhere has treated everybody alike.
"""

from __future__ import annotations

from itertools import count
from typing import NamedTuple

from planner.arena.experiment import Experiment
from planner.arena.seeds import derive_seed

UNPAIRED = -1


class Game(NamedTuple):
    """One game's coordinates. Agents and decks are places in the experiment's lists."""

    place: int  # in the schedule
    first: int  # the agent in the first seat
    second: int
    number: int  # among the games of this ordered pairing
    first_deck: int
    second_deck: int
    seed: int
    pair: int  # the two games of a pair share it, or UNPAIRED


def schedule(experiment: Experiment) -> list[Game]:
    """All games; what each is depends on its coordinates and the experiment's seed alone."""
    games: list[Game] = []
    ids = count()
    pairings = _pairings(len(experiment.agents), experiment.pairs)
    for number in range(experiment.games):
        for a, b in pairings:
            if a == b:
                _mirror(experiment, games, ids, a, number)
            elif experiment.pairs == "first":
                _add(experiment, games, a, b, number, _decks(experiment, number), UNPAIRED)
            else:
                _both_seats(experiment, games, ids, (a, b), number)
    return games


def _pairings(agents: int, pairs: str) -> list[tuple[int, int]]:
    """Who meets: two different ones in both seats, unless only the first agent is to have the first seat."""
    if pairs != "all":
        return [(0, other) for other in range(1, agents)]
    return [(a, b) for a in range(agents) for b in range(a, agents)]


def _decks(experiment: Experiment, number: int) -> tuple[int, int]:
    return experiment.deck_pairs[number % len(experiment.deck_pairs)]


def _both_seats(
    experiment: Experiment, games: list[Game], ids: count[int], agents: tuple[int, int], number: int
) -> None:
    a, b = agents
    decks = _decks(experiment, number)
    if experiment.swap == "none":
        _add(experiment, games, a, b, number, decks, UNPAIRED)
        _add(experiment, games, b, a, number, decks, UNPAIRED)
        return
    pair = next(ids)
    # With their decks swapped as well, both keep the deck that they hold: what the decks owe the seats cancels too.
    other = decks[::-1] if experiment.swap == "seats_and_decks" else decks
    _add(experiment, games, a, b, number, decks, pair)
    _add(experiment, games, b, a, number, other, pair)


def _mirror(experiment: Experiment, games: list[Game], ids: count[int], a: int, number: int) -> None:
    """An agent against itself: a game with the seats swapped would be the very same game, unless the decks differ."""
    decks = _decks(experiment, number)
    if experiment.swap != "seats_and_decks" or experiment.games % 2:
        _add(experiment, games, a, a, number, decks, UNPAIRED)
        return
    decks = experiment.deck_pairs[number // 2 % len(experiment.deck_pairs)]
    if decks[0] == decks[1]:
        _add(experiment, games, a, a, number, decks, UNPAIRED)
    elif number % 2 == 0:
        _add(experiment, games, a, a, number, decks, next(ids))
    else:
        begun = next(game for game in reversed(games) if game.first == game.second == a)
        _add(experiment, games, a, a, number, decks[::-1], begun.pair, begun.seed)


def _add(
    experiment: Experiment,
    games: list[Game],
    first: int,
    second: int,
    number: int,
    decks: tuple[int, int],
    pair: int,
    seed: int | None = None,
) -> None:
    if seed is None:
        names = [experiment.agents[first].name, experiment.agents[second].name]
        # By name, so that a game stays the same whoever else takes part; sorted, so that both games of a pair share it.
        names = names if pair == UNPAIRED else sorted(names)
        seed = derive_seed(experiment.seed, "game", *names, number)
    games.append(Game(len(games), first, second, number, *decks, seed, pair))
