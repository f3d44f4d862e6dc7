"""All that chance can do, with probabilities: what planning counts with where playing rolls dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb
from typing import Final

from planner.games.spire.library import Card
from planner.games.spire.state import Battle
from planner.games.spire.table import Table

MOST_OUTCOMES: Final = 5000  # of one action


class TooManyOutcomesError(Exception):
    """More can come of it than anybody wants to go through."""


class Told:
    """Chance that is told what to choose, takes the first where it is told nothing, and keeps what it was asked."""

    def __init__(self, told: tuple[int, ...]) -> None:
        self._told = told
        self.asked: list[Sequence[int]] = []  # the weight of each possibility

    def __call__(self, count: int) -> int:
        """One of so many, each as likely as the others."""
        return self.weighted((1,) * count)

    def weighted(self, weights: Sequence[int]) -> int:
        """One of these, as likely as its weight says."""
        self.asked.append(weights)
        return self._told[len(self.asked) - 1] if len(self.asked) <= len(self._told) else 0


class ListingTable(Table):
    """A table that asks which cards are drawn together, not one after the other: far fewer cases, all different."""

    __slots__ = ()

    def draw_cards(self, count: int) -> None:
        """Draw all that is wanted from one pile at once."""
        while count and (self.draw or self.discard):
            if not self.draw:
                self.draw, self.discard = self.discard, []
            drawn = self._drawn(self.draw, min(count, len(self.draw)))
            count -= len(drawn)
            for card in drawn:
                self.draw.remove(card)
            self.hand += drawn

    def _drawn(self, pile: list[Card], count: int) -> list[Card]:
        """So many cards of a pile: how many of each kind, kind by kind (hypergeometric)."""
        told = self.pick
        assert isinstance(told, Told)
        found: list[Card] = []
        rest, wanted = len(pile), count
        for card, copies in Counter(pile).items():
            rest -= copies
            least, most = max(0, wanted - rest), min(copies, wanted)
            number = least
            if most > least:
                ways = [comb(copies, taken) * comb(rest, wanted - taken) for taken in range(least, most + 1)]
                number += told.weighted(ways)
            found += [card] * number
            wanted -= number
        return found


def outcomes(happening: Callable[[Told], Table]) -> list[tuple[Fraction | int, Battle]]:
    """All that can come of something, with probabilities; what comes out the same is one."""
    found: dict[Battle, Fraction | int] = {}
    waiting: list[tuple[tuple[int, ...], Fraction | int]] = [((), 1)]
    runs = 0
    while waiting:
        runs += 1
        if runs > MOST_OUTCOMES:
            raise TooManyOutcomesError
        told, probability = waiting.pop()
        chance = Told(told)
        state = happening(chance).state()
        # Of each choice beyond what was told the first was taken: the others are looked at later.
        for place in range(len(told), len(chance.asked)):
            weights = chance.asked[place]
            before = told + (0,) * (place - len(told))
            share = Fraction(probability) / sum(weights)
            waiting += [((*before, other), share * weights[other]) for other in range(1, len(weights))]
            probability = share * weights[0]
        found[state] = found.get(state, 0) + probability
    return [(probability, state) for state, probability in found.items()]
