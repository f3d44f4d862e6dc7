"""A mixture over the known decks, each of them uncertain: what this project predicts with.

The deck across the table is taken for a variant of a known one: most of its cards are those of the known deck, the rest
comes from similar decks, from the class as a whole, from what other classes play too, or from nowhere known. Every card
seen updates the chance of each known deck, and none ever falls to zero. The formulas:
docs/explanation/prediction.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from planner.errors import PlannerError
from planner.meta.decks import Metagame, Numbers
from planner.meta.forecast import Forecast, Seen, normal

_NOTHING: Final = 1e-9
_CONSIDERED: Final = 1e-3  # a deck or card less likely than this is not counted among those looked at


class Tuning(NamedTuple):
    """The numbers of the mixture, chosen by log loss on archetypes and variants that were left out."""

    popularity: float = 0.3  # a deck's prior is its games to this power
    swaps: float = 0.1  # the share of a known deck's cards that a variant has changed
    flat: float = 0.3  # the posterior to this power says which decks are similar
    sources: tuple[float, float, float] = (0.45, 0.4, 0.15)  # the likely decks, similar decks, the class as a whole
    trust: float = 0.5  # how fast the three sources are weighed by what they foresaw
    kinds: tuple[float, float, float] = (0.9, 0.05, 0.05)  # cards of the class's decks, of other classes', of nobody's
    firm: float = 5.0  # how many cards that prior is worth
    again: float = 0.9  # the expected further copies of a card that no known deck has


class Mixture:
    """Predicts the cards of an opponent of one class from all decks of a metagame at once.

    `belief()` starts before the first card; it is told card by card what was seen. `predict` does all at once.
    """

    def __init__(self, metagame: Metagame, player_class: str = "", settings: Tuning | None = None) -> None:
        if not player_class and len(metagame.classes) > 1:
            raise PlannerError(f"of which class is the opponent? (one of {', '.join(metagame.classes)})")
        self.metagame, self.settings = metagame, settings or Tuning()
        own = metagame.of_class(player_class or metagame.classes[0]).decks[0].player_class
        self.mine = np.array([deck.player_class == own for deck in metagame.decks])
        played = metagame.counts[self.mine].any(axis=0)
        elsewhere = self._elsewhere(own, played)
        # A card that only another class plays is a stranger here, as one that nobody plays.
        columns = np.flatnonzero(played | (elsewhere > 0))
        self.names = [metagame.cards[place] for place in columns]
        self.cost = metagame.cost[columns]
        self.of_class, self.elsewhere = played[columns], elsewhere[columns]
        everywhere = metagame.counts[:, columns]
        self.counts = everywhere[self.mine].astype(np.float64)
        self.limit = everywhere.max(axis=0)
        weights = np.maximum(metagame.games, _NOTHING) ** self.settings.popularity
        self.prior = np.log(normal(weights[self.mine]))
        self.mean: Numbers = normal(weights[self.mine]) @ self.counts
        # Of those decks that have so many copies, how many more there are on average.
        self.further: list[Numbers] = [np.zeros(len(columns))]
        for copies in range(1, metagame.most + 1):
            having = weights @ (everywhere >= copies)
            more = weights @ np.maximum(everywhere - copies, 0)
            self.further.append(np.divide(more, having, out=np.zeros_like(more), where=having > 0))

    def _elsewhere(self, own: str, played: npt.NDArray[np.bool_]) -> Numbers:
        """Mean copies in other classes, of cards that at least two of them play and this one is not known to."""
        known = self.metagame
        means = np.zeros((0, len(known.cards)))
        for other in known.classes:
            if other != own:
                rows = [deck.player_class == other for deck in known.decks]
                means = np.vstack([means, known.counts[rows].mean(axis=0)])
        shared = ((means > 0).sum(axis=0) >= 2) & ~played
        found: Numbers = means.sum(axis=0) / max(len(means), 1) * shared
        return found

    def belief(self) -> Belief:
        """What is believed before the first card."""
        return Belief(self)

    def predict(self, seen: Sequence[Seen], mana: float | None = None) -> Forecast:
        """What comes next after these cards, with this much mana to pay for it."""
        belief = self.belief()
        for one in seen:
            belief.see(one)
        return belief.forecast(mana)


class Belief:
    """What a mixture believes after the cards seen so far."""

    def __init__(self, mixture: Mixture) -> None:
        numbers = mixture.settings
        self._mixture = mixture
        self.names = list(mixture.names)
        self._place = {name: place for place, name in enumerate(self.names)}
        self._cost = mixture.cost
        self._left = mixture.counts.copy()  # expected copies left, in each deck of the class
        self._class = mixture.mean.copy()
        self._elsewhere = mixture.elsewhere.copy()
        self._copies = np.zeros(len(self.names), dtype=np.int64)
        self._logs = mixture.prior.copy()
        self._sources = np.log(np.array(numbers.sources))
        self._kinds = numbers.firm * np.array(numbers.kinds)

    def see(self, seen: Seen) -> None:
        """One more card of the opponent's deck."""
        mixture, numbers = self._mixture, self._mixture.settings
        place = self._place.get(seen.card)
        if place is None:
            place = self._add(seen)
        original = place < len(mixture.of_class)
        if self._copies[place] or (original and mixture.of_class[place]):
            open_ = self._open(seen.mana)
            foreseen = self._left[:, place] / np.maximum(self._left @ open_, 1.0)
            general = float(self._class[place] / max(self._class @ open_, _NOTHING))
            likely, similar = self._decks()
            by_source = np.array([likely @ foreseen, similar @ foreseen, general])
            self._sources += numbers.trust * np.log(by_source + 1e-3)
            self._logs += np.log((1 - numbers.swaps) * foreseen + numbers.swaps * max(general, 1e-4))
            self._kinds[0] += 1
        else:
            self._kinds[1 if original and mixture.elsewhere[place] > 0 else 2] += 1
        self._copies[place] += 1
        count = int(self._copies[place])
        if original:
            more = float(mixture.further[count][place]) if count < len(mixture.further) else 0.0
            in_deck = mixture.counts[:, place]
            self._left[:, place] = np.where(in_deck >= count, in_deck - count, more)  # a variant may hold more of it
        else:
            more = numbers.again if count == 1 else 0.0
            self._left[:, place] = more
        self._class[place], self._elsewhere[place] = more, 0.0

    def _add(self, seen: Seen) -> int:
        """A column for a card that no deck has; it costs at most what there was to pay for it."""
        self._place[seen.card] = len(self.names)
        self.names.append(seen.card)
        cost = self._mixture.metagame.costs.get(seen.card, 0)
        self._cost = np.append(self._cost, cost)
        self._left = np.column_stack([self._left, np.zeros(len(self._left))])
        self._class, self._elsewhere = np.append(self._class, 0.0), np.append(self._elsewhere, 0.0)
        self._copies = np.append(self._copies, 0)
        return len(self.names) - 1

    def _open(self, mana: float | None) -> Numbers:
        """1 for each card that this much mana can pay for."""
        return (self._cost <= mana).astype(np.float64) if mana is not None else np.ones(len(self._cost))

    def _decks(self) -> tuple[Numbers, Numbers]:
        """The chances of the decks, and the flatter ones by which decks are called similar."""
        logs = self._logs - self._logs.max()
        return normal(np.exp(logs)), normal(np.exp(self._mixture.settings.flat * logs))

    def forecast(self, mana: float | None = None) -> Forecast:
        """The chance of each card to be the next, and of each deck."""
        mixture = self._mixture
        open_ = self._open(mana)
        left = self._left * open_
        shares = left / np.maximum(left.sum(axis=1), 1.0)[:, None]
        likely, similar = self._decks()
        sources = normal(np.exp(self._sources - self._sources.max()))
        kinds = normal(self._kinds)
        known = np.stack([normal(likely @ shares), normal(similar @ shares), normal(self._class * open_)])
        cards = kinds[0] * (sources @ known) + kinds[1] * normal(self._elsewhere * open_)
        decks = np.zeros(len(mixture.metagame))
        decks[mixture.mine] = likely
        other = max(1 - float(cards.sum()), 0.0)
        return Forecast(mixture.metagame, tuple(self.names), cards, decks, decks > _CONSIDERED, _CONSIDERED, other)

    def sample(self, size: int, chance: Random) -> list[str]:
        """So many unseen cards of the opponent's in random order: one deck that fits what was seen, shuffled.

        Where even the strangest variant has too few cards left, the list is shorter.
        """
        mixture = self._mixture
        likely, similar = self._decks()
        source = chance.choices(range(3), list(normal(np.exp(self._sources - self._sources.max()))))[0]
        general = normal(self._class) * 0.95 + normal(self._elsewhere) * 0.05
        found: list[int] = []
        if source < 2:
            row = chance.choices(range(len(self._left)), list((likely, similar)[source]))[0]
            for held in np.flatnonzero(self._left[row]):
                copies = float(self._left[row, held])
                found += [int(held)] * (int(copies) + (chance.random() < copies % 1))
            found = [place for place in found if chance.random() >= mixture.settings.swaps]
        chance.shuffle(found)
        found = found[:size]
        room = [max(int(limit) - int(seen), 0) for limit, seen in zip(mixture.limit, self._copies, strict=False)]
        for place in found:
            if place < len(room):
                room[place] -= 1
        weights = [general[place] if room[place] > 0 else 0.0 for place in range(len(room))]
        while len(found) < size and any(weights):
            place = chance.choices(range(len(weights)), weights)[0]
            found.append(place)
            room[place] -= 1
            weights[place] *= room[place] > 0
        chance.shuffle(found)
        return [self.names[place] for place in found]
