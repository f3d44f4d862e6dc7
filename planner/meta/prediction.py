"""Predict an opponent's next card and deck from the cards seen so far.

`Stochastic` is the method of Schwensfeier 2019, section 3.3: Bayes' rule over the known decks. `Mixture` is the method
of this project. It assumes that the opponent plays a variant of a known deck: most cards are those of the known deck;
the others come from similar decks, from the class as a whole, from cards that other classes play too, or from nowhere
known. Every seen card updates the chance of each known deck, and no chance ever falls to zero.
docs/explanation/prediction.md has the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from planner.errors import PlannerError
from planner.meta.known_decks import CreatedCards, Metagame, Numbers

_TINY: Final = 1e-9
_ANY: Final = float("inf")
_MIN_CONSIDERED: Final = 1e-3  # decks and cards with a smaller chance do not count as considered


class Seen(NamedTuple):
    """A card of the opponent's deck that was seen.

    `mana` is what the opponent could spend on it, or None if the card was not played but revealed: drawn openly,
    discarded, or shown by an effect.
    """

    card: str
    mana: float | None = None


class Forecast(NamedTuple):
    """A prediction after some cards were seen."""

    metagame: Metagame
    names: tuple[str, ...]  # of the cards in question
    cards: Numbers  # the chance of each card to be the next; with `other` they sum to 1, or all are 0
    decks: Numbers  # the chance of each deck; they sum to 1, or all are 0
    considered: npt.NDArray[np.bool_]  # the decks that are still possible
    min_chance: float = 0.0  # a card counts as considered above this chance
    other: float = 0.0  # the chance of a card that is neither in a known deck nor among the seen cards

    @property
    def win_rate(self) -> float:
        """Return the mean win rate of the likely decks, or one half if no deck is possible."""
        total = float(self.decks.sum())
        return float(self.decks @ self.metagame.win_rates) / total if total > 0 else 0.5

    def top(self, count: int = 10) -> list[tuple[str, float]]:
        """Return the most likely next cards with their chances, best first, without cards of chance 0."""
        return [(self.names[card], float(self.cards[card])) for card in best_indices(self.cards, count)]

    @property
    def considered_cards(self) -> int:
        """Return how many cards have a chance above `min_chance`."""
        return int((self.cards > self.min_chance).sum())

    def chance(self, card: str) -> float:
        """Return the chance that this card is the next one."""
        return float(self.cards[self.names.index(card)]) if card in self.names else 0.0

    def top_decks(self, count: int = 5) -> list[tuple[int, float]]:
        """Return the most likely decks as indices into the metagame, with their chances, best first."""
        return [(int(deck), float(self.decks[deck])) for deck in best_indices(self.decks, count)]


class Predictor(Protocol):
    """A method of prediction over a metagame."""

    metagame: Metagame

    def predict(self, seen: Sequence[Seen], mana: float | None = None) -> Forecast:
        """Predict the next card after these cards, if the opponent has this much mana."""


def best_indices(chances: Numbers, count: int) -> npt.NDArray[np.int64]:
    """Return the indices of the largest chances above 0, best first; equal chances keep their order."""
    order = np.argsort(-chances, kind="stable")[:count]
    return order[chances[order] > 0].astype(np.int64)


def seen_columns(metagame: Metagame, seen: Sequence[Seen]) -> tuple[list[int], list[int]]:
    """Return, for each seen card that the metagame has, its column and how often it was seen before."""
    counts: dict[int, int] = {}
    columns, earlier_copies = [], []
    for card, _ in seen:
        column = metagame.columns.get(card)
        if column is not None:
            columns.append(column)
            earlier_copies.append(counts.get(column, 0))
            counts[column] = earlier_copies[-1] + 1
    return columns, earlier_copies


def normalised(values: Numbers) -> Numbers:
    """Return the values divided by their sum; zeros stay zeros."""
    total = values.sum()
    return values / total if total > 0 else values


# -- the method of Schwensfeier 2019


class Stochastic:
    """Bayes' rule over the known decks.

    A deck that lacks a seen card becomes impossible; after a card that no deck has, nothing is possible.
    """

    def __init__(self, metagame: Metagame) -> None:
        self.metagame = metagame

    def predict(self, seen: Sequence[Seen], mana: float | None = None) -> Forecast:
        """Apply equations 3.9 and 3.10 card by card; cards that cost more than `mana` are removed at the end."""
        known = self.metagame
        columns, earlier_copies = seen_columns(known, seen)
        left = known.counts.astype(np.float64)
        chances = known.games if len(columns) == len(seen) else np.zeros(len(known))
        sizes = left.sum(axis=1)
        for column, earlier in zip(columns, earlier_copies, strict=True):
            count = np.maximum(known.counts[:, column] - earlier, 0)
            chances = normalised(chances * count / np.maximum(sizes, 1))
            left[:, column] = np.maximum(count - 1, 0)
            sizes = sizes - (count > 0)
        decks = normalised(chances)
        shares = left * known.affordable(mana) / np.maximum(sizes, 1)[:, None]
        return Forecast(known, known.cards, normalised(decks @ shares), decks, decks > 0)


# -- the method of this project


class MixtureSettings(NamedTuple):
    """The parameters of the mixture, chosen by log loss on archetypes and variants that were held out."""

    popularity: float = 0.15  # the prior of a deck is its games to this power
    swaps: float = 0.2  # the share of a known deck's cards that a variant replaces
    flattening: float = 0.3  # the posterior to this power says which decks are similar
    sources: tuple[float, float, float] = (0.45, 0.4, 0.15)  # prior: likely decks, similar decks, the whole class
    trust: float = 0.25  # how fast the weights of the sources follow their predictions
    kinds: tuple[float, float, float] = (0.9, 0.05, 0.05)  # prior: cards of the class, of other classes, of no deck
    kinds_strength: float = 5.0  # how many seen cards that prior counts for
    second_copy: float = 1.5  # how many further copies a card that no known deck has counts for
    in_hand: float = 5.0  # a card that an effect added counts as this many copies in the deck; 0: effects are ignored
    fading: float = 0.8  # how much of an added card is left after each further card: its effect may not have happened
    generated: float = 0.2  # the chance that a card comes from an effect that added a card of its choice


class Mixture:
    """Predicts the cards of an opponent of one class from all decks of a metagame at once.

    `predict` takes all seen cards at once; `belief()` returns an object that takes them one by one.
    """

    def __init__(self, metagame: Metagame, player_class: str = "", settings: MixtureSettings | None = None) -> None:
        if not player_class and len(metagame.classes) > 1:
            raise PlannerError(f"the opponent's class is required (one of {', '.join(metagame.classes)})")
        self.metagame, self.settings = metagame, settings or MixtureSettings()
        own_class = metagame.of_class(player_class or metagame.classes[0]).decks[0].player_class
        self.class_rows = np.array([deck.player_class == own_class for deck in metagame.decks])
        in_class = metagame.counts[self.class_rows].any(axis=0)
        elsewhere = self._copies_elsewhere(own_class, in_class)
        # Other cards are treated as if no deck had them: only another class plays them.
        columns = np.flatnonzero(in_class | (elsewhere > 0))
        self.names = [metagame.cards[column] for column in columns]
        self.cost = metagame.cost[columns]
        self.created = metagame.created if self.settings.in_hand > 0 else CreatedCards()
        self.created_names = self.created.all_names
        self.origin = {form: card for card, forms in self.created.forms.items() for form in forms}
        self.in_class, self.elsewhere = in_class[columns], elsewhere[columns]
        all_counts = metagame.counts[:, columns]
        self.counts = all_counts[self.class_rows].astype(np.float64)
        self.max_copies = all_counts.max(axis=0)
        weights = np.maximum(metagame.games, _TINY) ** self.settings.popularity
        self.log_prior = np.log(normalised(weights[self.class_rows]))
        self.mean: Numbers = normalised(weights[self.class_rows]) @ self.counts
        # The mean number of further copies in the decks that have at least this many copies.
        self.further_copies: list[Numbers] = [np.zeros(len(columns))]
        for copies in range(1, metagame.max_copies + 1):
            having = weights @ (all_counts >= copies)
            more = weights @ np.maximum(all_counts - copies, 0)
            self.further_copies.append(np.divide(more, having, out=np.zeros_like(more), where=having > 0))

    def _copies_elsewhere(self, own_class: str, in_class: npt.NDArray[np.bool_]) -> Numbers:
        """Return the mean copies of cards that at least two other classes play and this class does not."""
        known = self.metagame
        means = np.zeros((0, len(known.cards)))
        for other in known.classes:
            if other != own_class:
                rows = [deck.player_class == other for deck in known.decks]
                means = np.vstack([means, known.counts[rows].mean(axis=0)])
        shared = ((means > 0).sum(axis=0) >= 2) & ~in_class
        copies: Numbers = means.sum(axis=0) / max(len(means), 1) * shared
        return copies

    def belief(self) -> Belief:
        """Return the belief before the first card."""
        return Belief(self)

    def predict(self, seen: Sequence[Seen], mana: float | None = None) -> Forecast:
        """Predict the next card after these cards, if the opponent has this much mana."""
        belief = self.belief()
        for card in seen:
            belief.see(card)
        return belief.forecast(mana)


class Belief:
    """What a mixture believes after the cards seen so far."""

    def __init__(self, mixture: Mixture) -> None:
        settings = mixture.settings
        self._mixture = mixture
        self.names = list(mixture.names)
        self._columns = {name: column for column, name in enumerate(self.names)}
        self._cost = mixture.cost
        self._left = mixture.counts.copy()  # the expected copies left, by deck of the class and card
        self._class_left = mixture.mean.copy()
        self._elsewhere = mixture.elsewhere.copy()
        self._seen_copies = np.zeros(len(self.names), dtype=np.int64)
        self._log_decks = mixture.log_prior.copy()
        self._log_sources = np.log(np.array(settings.sources))
        self._kinds = settings.kinds_strength * np.array(settings.kinds)
        self._added: dict[str, float] = {}  # the expected copies of cards that effects have added, not played yet
        self._generated = 0  # the number of such cards whose names are not known

    def see(self, seen: Seen) -> None:
        """Update the belief by one more card.

        A card that an effect has added says nothing about the deck. Of a form, the card of the deck is seen.
        """
        created = self._mixture.created
        if self._added.get(seen.card, 0) > 0 and not self._is_known_card(seen.card):
            self._added[seen.card] = max(self._added[seen.card] - 1, 0)
        elif seen.card in self._mixture.origin:
            self._see_deck_card(seen._replace(card=self._mixture.origin[seen.card]))
        elif self._is_known_card(seen.card) or seen.card not in self._mixture.created_names:
            self._see_deck_card(seen)
        self._added = {name: count * self._mixture.settings.fading for name, count in self._added.items()}
        added = created.by_card.get(seen.card, ())
        for name in added:
            self._added[name] = self._added.get(name, 0) + 1 / len(set(added))
        self._generated += seen.card in created.generators

    def _is_known_card(self, card: str) -> bool:
        column = self._columns.get(card)
        return column is not None and column < len(self._mixture.names)

    def _see_deck_card(self, seen: Seen) -> None:
        mixture, settings = self._mixture, self._mixture.settings
        column = self._columns.get(seen.card)
        if column is None:
            column = self._add_column(seen)
        is_known = column < len(mixture.in_class)
        if self._seen_copies[column] or (is_known and mixture.in_class[column]):
            affordable = self._affordable(seen.mana)
            by_deck = self._left[:, column] / np.maximum(self._left @ affordable, 1.0)
            by_class = float(self._class_left[column] / max(self._class_left @ affordable, _TINY))
            likely, similar = self._deck_chances()
            by_source = np.array([likely @ by_deck, similar @ by_deck, by_class])
            self._log_sources += settings.trust * np.log(by_source + 1e-3)
            # A variant may have swapped the card in, or an effect may have added it.
            other = 1 - (1 - settings.swaps) * (1 - settings.generated) ** self._generated
            self._log_decks += np.log((1 - other) * by_deck + other * max(by_class, 1e-4))
            self._kinds[0] += 1
        elif self._generated:  # it is likelier that an effect added the card than that the deck has it
            self._generated -= 1
            return
        else:
            self._kinds[1 if is_known and mixture.elsewhere[column] > 0 else 2] += 1
        self._seen_copies[column] += 1
        count = int(self._seen_copies[column])
        if is_known:
            more = float(mixture.further_copies[count][column]) if count < len(mixture.further_copies) else 0.0
            in_deck = mixture.counts[:, column]
            self._left[:, column] = np.where(in_deck >= count, in_deck - count, more)  # a variant may have more copies
        else:
            more = settings.second_copy if count == 1 else 0.0
            self._left[:, column] = more
        self._class_left[column], self._elsewhere[column] = more, 0.0

    def _add_column(self, seen: Seen) -> int:
        """Add a column for a card that no deck has, and return its index."""
        self._columns[seen.card] = len(self.names)
        self.names.append(seen.card)
        self._cost = np.append(self._cost, self._mixture.metagame.costs.get(seen.card, 0))
        self._left = np.column_stack([self._left, np.zeros(len(self._left))])
        self._class_left, self._elsewhere = np.append(self._class_left, 0.0), np.append(self._elsewhere, 0.0)
        self._seen_copies = np.append(self._seen_copies, 0)
        return len(self.names) - 1

    def _affordable(self, mana: float | None) -> Numbers:
        """Return 1 for each card that this much mana pays for, and 0 for the others."""
        return (self._cost <= mana).astype(np.float64) if mana is not None else np.ones(len(self._cost))

    def _deck_chances(self) -> tuple[Numbers, Numbers]:
        """Return the chances of the decks, and flatter ones that give weight to similar decks."""
        logs = self._log_decks - self._log_decks.max()
        return normalised(np.exp(logs)), normalised(np.exp(self._mixture.settings.flattening * logs))

    def _source_weights(self) -> Numbers:
        return normalised(np.exp(self._log_sources - self._log_sources.max()))

    def forecast(self, mana: float | None = None) -> Forecast:
        """Return the chance of each card to be the next, and of each deck."""
        mixture = self._mixture
        affordable = self._affordable(mana)
        left = self._left * affordable
        shares = left / np.maximum(left.sum(axis=1), 1.0)[:, None]
        likely, similar = self._deck_chances()
        kinds = normalised(self._kinds)
        by_source = [
            normalised(likely @ shares),
            normalised(similar @ shares),
            normalised(self._class_left * affordable),
        ]
        cards = kinds[0] * (self._source_weights() @ np.stack(by_source))
        cards += kinds[1] * normalised(self._elsewhere * affordable)
        names, cards = self._with_created(cards, float(likely @ left.sum(axis=1)), mana)
        decks = np.zeros(len(mixture.metagame))
        decks[mixture.class_rows] = likely
        other = max(1 - float(cards.sum()), 0.0)
        considered = decks > _MIN_CONSIDERED
        return Forecast(mixture.metagame, names, cards, decks, considered, _MIN_CONSIDERED, other)

    def _with_created(self, cards: Numbers, copies: float, mana: float | None) -> tuple[tuple[str, ...], Numbers]:
        """Add the cards that effects have added, and share the chance of a card among its forms.

        `copies` is the expected number of affordable cards that are left of the deck.
        """
        mixture, columns = self._mixture, dict(self._columns)
        names, chances = list(self.names), list(cards)
        costs = mixture.metagame.costs

        def column_of(name: str) -> int:
            if name not in columns:
                columns[name] = len(names)
                names.append(name)
                chances.append(0.0)
            return columns[name]

        for card, forms in mixture.created.forms.items():
            payable = [form for form in forms if mana is None or costs.get(form, 0) <= mana]
            if payable and card in columns and chances[columns[card]] > 0:
                share = chances[columns[card]] / (1 + len(payable))
                for form in (card, *payable):
                    chances[column_of(form)] = share
        limit = _ANY if mana is None else mana
        added = {name: count for name, count in self._added.items() if count and costs.get(name, 0) <= limit}
        if added:
            weight = mixture.settings.in_hand * sum(added.values())
            part = weight / (weight + max(copies, 1.0))
            chances = [chance * (1 - part) for chance in chances]
            for name, count in added.items():
                chances[column_of(name)] += part * count / sum(added.values())
        return tuple(names), np.array(chances)

    def sample(self, size: int, rng: Random) -> list[str]:
        """Return unseen cards of the opponent in random order: one deck that fits the seen cards, shuffled.

        The list is shorter than `size` if no variant has that many cards left.
        """
        mixture = self._mixture
        likely, similar = self._deck_chances()
        source = rng.choices(range(3), list(self._source_weights()))[0]
        general = normalised(self._class_left) * 0.95 + normalised(self._elsewhere) * 0.05
        sample: list[int] = []
        if source < 2:
            row = rng.choices(range(len(self._left)), list((likely, similar)[source]))[0]
            for column in map(int, np.flatnonzero(self._left[row])):
                copies = float(self._left[row, column])
                sample += [column] * (int(copies) + (rng.random() < copies % 1))
            sample = [column for column in sample if rng.random() >= mixture.settings.swaps]
        rng.shuffle(sample)
        sample = sample[:size]
        copies_left = [
            max(int(limit) - int(seen), 0) for limit, seen in zip(mixture.max_copies, self._seen_copies, strict=False)
        ]
        for column in sample:
            if column < len(copies_left):
                copies_left[column] -= 1
        weights = [general[column] if left > 0 else 0.0 for column, left in enumerate(copies_left)]
        while len(sample) < size and any(weights):
            column = rng.choices(range(len(weights)), weights)[0]
            sample.append(column)
            copies_left[column] -= 1
            weights[column] *= copies_left[column] > 0
        rng.shuffle(sample)
        return [self.names[column] for column in sample]
