"""What every method of prediction takes and gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from planner.meta.decks import Metagame, Numbers


class Seen(NamedTuple):
    """A card of the opponent's deck that was seen. `mana`: what there was to pay for it; None where it was not
    chosen and paid for, but shown by chance: drawn in the open, discarded, revealed by a power."""

    card: str
    mana: float | None = None


class Forecast(NamedTuple):
    """What is likely, given what was seen."""

    metagame: Metagame
    names: tuple[str, ...]  # the cards that are looked at
    cards: Numbers  # the chance of each of them to be the next; with `other` they sum to 1, or all are 0
    decks: Numbers  # of each deck; sums to 1, or all are 0
    considered: npt.NDArray[np.bool_]  # the decks that are still looked at
    least: float = 0.0  # a card with no larger chance does not count as considered
    other: float = 0.0  # the chance of a card that neither a known deck nor what was seen names

    @property
    def win_rate(self) -> float:
        """The opponent's chance to win, from the games of the likely decks; one half where none is left."""
        total = float(self.decks.sum())
        return float(self.decks @ self.metagame.win_rates) / total if total > 0 else 0.5

    def top(self, count: int = 10) -> list[tuple[str, float]]:
        """The likeliest next cards with their chances, best first; cards without a chance are left out."""
        return [(self.names[card], float(self.cards[card])) for card in best(self.cards, count)]

    @property
    def considered_cards(self) -> int:
        """How many cards have a chance worth counting."""
        return int((self.cards > self.least).sum())

    def chance(self, card: str) -> float:
        """The chance that this card is the next."""
        return float(self.cards[self.names.index(card)]) if card in self.names else 0.0

    def top_decks(self, count: int = 5) -> list[tuple[int, float]]:
        """The likeliest decks by their place in the metagame, best first."""
        return [(int(deck), float(self.decks[deck])) for deck in best(self.decks, count)]


class Predictor(Protocol):
    """A method of prediction over a metagame."""

    metagame: Metagame

    def predict(self, seen: Sequence[Seen], mana: float | None = None) -> Forecast:
        """What comes next after these cards, with this much mana to pay for it."""


def best(chances: Numbers, count: int) -> npt.NDArray[np.int64]:
    """The places of the largest chances above 0, best first; equal ones in their order."""
    order = np.argsort(-chances, kind="stable")[:count]
    return order[chances[order] > 0].astype(np.int64)


def places(metagame: Metagame, seen: Sequence[Seen]) -> tuple[list[int], list[int]]:
    """For each card seen that the metagame knows, in order: its place, and how often it was seen before."""
    before: dict[int, int] = {}
    cards, copies = [], []
    for one in seen:
        place = metagame.place.get(one.card)
        if place is not None:
            cards.append(place)
            copies.append(before.get(place, 0))
            before[place] = copies[-1] + 1
    return cards, copies


def normal(values: Numbers) -> Numbers:
    """The values over their sum; zeros stay zeros."""
    total = values.sum()
    return values / total if total > 0 else values
