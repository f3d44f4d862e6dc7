"""The tables of a designer: what cards do to matches, and decks against decks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import pandas as pd

from planner.arena.experiment import Experiment
from planner.arena.result import Result
from planner.arena.schedule import UNPAIRED, Fixture
from planner.game import CardList
from planner.games import load_game
from planner.stats.cards import CardScores
from planner.stats.frame import first_points, pair_ids
from planner.stats.intervals import clustered_wilson
from planner.stats.matrix import matchup_matrix

CARDS: Final = "cards.csv"
DECKS: Final = "decks.csv"
_BLOCK: Final = 20_000  # games that are in memory at a time
_SEATS: Final = ("p1_deck", "p2_deck")


class _Deck:
    """What one deck's cards did: a sample for each seat that held it in a game, kept until the next count."""

    def __init__(self, deck: CardList) -> None:
        self.deck, self.scores = deck, CardScores(deck.cards)
        self.used: list[str] = []
        self.rest: list[tuple[float, int, int]] = []  # points, game, cluster

    def count(self) -> None:
        """Count what was kept."""
        if self.used:
            signs = np.frombuffer("".join(self.used).encode(), np.uint8).reshape(len(self.used), -1) - ord("0")
            points, games, cluster = zip(*self.rest, strict=True)
            self.scores.add(signs, np.array(points), np.array(games, np.int64), np.array(cluster, np.int64))
            self.used.clear()
            self.rest.clear()


def card_table(experiment: Experiment, played: Iterable[tuple[Fixture, Result]]) -> pd.DataFrame | None:
    """One row per deck and card; None where the game has no cards, or nothing is known about them."""
    of = load_game(experiment.game, experiment.folders)
    lists = [of.cards_of(setup) for setup in experiment.setups]
    decks: dict[CardList, _Deck] = {}
    last = UNPAIRED
    for number, (fixture, result) in enumerate(played, 1):
        if number % _BLOCK == 0 and (fixture.pair == UNPAIRED or fixture.pair != last):  # a pair stays together
            for deck in decks.values():
                deck.count()
        last = fixture.pair
        # Pairs are numbered from 0, so an unpaired game gets a number that no pair has.
        cluster = fixture.pair if fixture.pair != UNPAIRED else -1 - fixture.place
        shared = result.winner < 0 and experiment.seats > 1
        for seat, (listed, used) in enumerate(zip(lists[fixture.setup], result.cards, strict=False)):
            own = decks.setdefault(listed, _Deck(listed))
            own.used.append(used)
            own.rest.append((1 / experiment.seats if shared else float(result.winner == seat), fixture.place, cluster))
    parts = []
    for deck in decks.values():
        deck.count()
        found = deck.scores.table()
        found.insert(0, "deck", deck.deck.name)
        parts.append(found)
    return pd.concat(parts, ignore_index=True) if parts else None


def deck_matrix(games: pd.DataFrame) -> pd.DataFrame | None:
    """One row per deck of the first seat and deck of the second; None where no two different decks met."""
    if not set(_SEATS) <= set(games) or (games[_SEATS[0]] == games[_SEATS[1]]).all():
        return None
    order = list(dict.fromkeys([*games[_SEATS[0]].unique(), *games[_SEATS[1]].unique()]))
    if len(order) == 2 and len(games[[*_SEATS]].drop_duplicates()) == 1:
        return None  # one deck for each seat: the scores of the seats say it all
    matrix = matchup_matrix(games.assign(p1=games[_SEATS[0]], p2=games[_SEATS[1]]), order)
    return matrix.rename(columns={"p1": "p1_deck", "p2": "p2_deck"})


def deck_scores(games: pd.DataFrame) -> pd.DataFrame:
    """Per deck what it scored against other decks, from either seat: deck, games, score, low, high; best first."""
    games = games[games[_SEATS[0]] != games[_SEATS[1]]]
    points, ids = first_points(games), pair_ids(games)
    keys = np.where(ids == UNPAIRED, -1 - np.arange(len(ids)), ids)
    rows = []
    for deck in dict.fromkeys([*games[_SEATS[0]].unique(), *games[_SEATS[1]].unique()]):
        first, second = (games[seat].to_numpy() == deck for seat in _SEATS)
        own = np.where(first, points, 1 - points)[first | second]
        rows.append((deck, len(own), *clustered_wilson(own, np.unique(keys[first | second], return_inverse=True)[1])))
    table = pd.DataFrame(rows, columns=["deck", "games", "score", "low", "high"])
    return table.sort_values(["score", "deck"], ascending=[False, True], ignore_index=True)
