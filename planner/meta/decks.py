"""Decks as multisets of cards, and the metagame: the decks that are known, with how often each is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from planner.errors import PlannerError, did_you_mean

Numbers = npt.NDArray[np.float64]


class KnownDeck(NamedTuple):
    """A deck that somebody plays: how often each card is in it, and what is known about its games."""

    cards: tuple[tuple[str, int], ...]
    player_class: str
    archetype: str = ""
    games: float = 1.0
    win_rate: float | None = None  # from 0 to 1
    name: str = ""

    @property
    def multiset(self) -> Counter[str]:
        """Union, intersection, sum and difference of two of these are those of multisets."""
        return Counter(dict(self.cards))


class Metagame:
    """Known decks in a fixed order, as one matrix: decks down, cards across, the number of copies in the cells.

    `costs` says what a card costs; one that it does not name may be played in any turn.
    """

    def __init__(self, decks: Iterable[KnownDeck], costs: Mapping[str, int] | None = None) -> None:
        self.decks = tuple(decks)
        if not self.decks:
            raise PlannerError("a metagame without a deck")
        self.cards = tuple(sorted({card for deck in self.decks for card, _ in deck.cards}))
        self.place = {card: number for number, card in enumerate(self.cards)}
        self.costs = dict(costs or {})
        self.counts = np.zeros((len(self.decks), len(self.cards)), dtype=np.int64)
        for row, deck in enumerate(self.decks):
            for card, count in deck.cards:
                self.counts[row, self.place[card]] = count
        self.games: Numbers = np.array([deck.games for deck in self.decks], dtype=np.float64)
        self.cost: Numbers = np.array([self.costs.get(card, 0) for card in self.cards], dtype=np.float64)

    def __len__(self) -> int:
        return len(self.decks)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The classes that these decks are of."""
        return tuple(sorted({deck.player_class for deck in self.decks}))

    @cached_property
    def archetypes(self) -> tuple[str, ...]:
        """The label of each deck, in the order of the decks."""
        return tuple(deck.archetype for deck in self.decks)

    @cached_property
    def win_rates(self) -> Numbers:
        """The share of games that each deck wins; one half where nobody knows."""
        return np.array([0.5 if deck.win_rate is None else deck.win_rate for deck in self.decks], dtype=np.float64)

    @cached_property
    def most(self) -> int:
        """The largest number of copies of one card in any deck."""
        return int(self.counts.max())

    def of_class(self, player_class: str) -> Metagame:
        """The decks of this class alone."""
        if player_class not in self.classes:
            known = ", ".join(self.classes)
            raise PlannerError(
                f"no deck of class {player_class!r}{did_you_mean(player_class, self.classes)} (of {known})"
            )
        return self.where([deck.player_class == player_class for deck in self.decks])

    def where(self, wanted: Iterable[bool]) -> Metagame:
        """The decks for which this is true."""
        kept = [deck for deck, keep in zip(self.decks, wanted, strict=True) if keep]
        return Metagame(kept, self.costs)

    def playable(self, mana: float | None) -> npt.NDArray[np.bool_]:
        """Which cards this much mana can pay for; None: all."""
        return self.cost <= mana if mana is not None else np.ones(len(self.cards), dtype=np.bool_)
