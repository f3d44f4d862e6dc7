"""The purely stochastic method of the document (section 3.3): Bayes over the known decks, and nothing beyond them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner.meta.decks import Metagame
from planner.meta.forecast import Forecast, Seen, normal, places


class Stochastic:
    """A deck without one of the cards seen is out for good; a card that no deck has leaves nothing at all."""

    def __init__(self, metagame: Metagame) -> None:
        self.metagame = metagame

    def predict(self, seen: Sequence[Seen], mana: float | None = None) -> Forecast:
        """Equations 3.9 and 3.10, card by card; what costs more than `mana` is taken out at the end."""
        known = self.metagame
        cards, copies = places(known, seen)
        left = known.counts.astype(np.float64)
        chance = known.games if len(cards) == len(seen) else np.zeros(len(known))
        sizes = left.sum(axis=1)
        for place, before in zip(cards, copies, strict=True):
            count = np.maximum(known.counts[:, place] - before, 0)
            chance = normal(chance * count / np.maximum(sizes, 1))
            left[:, place] = np.maximum(count - 1, 0)
            sizes = sizes - (count > 0)
        decks = normal(chance)
        share = left * known.playable(mana) / np.maximum(sizes, 1)[:, None]
        return Forecast(known, known.cards, normal(decks @ share), decks, decks > 0)
