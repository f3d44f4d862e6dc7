"""How often a method is right: the document's success of the top x for each turn, log loss, and calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from planner.formats.values import one_of
from planner.meta.clusters import LINKAGES, cluster
from planner.meta.decks import Metagame, Numbers
from planner.meta.forecast import Forecast, Predictor, best
from planner.meta.mixture import Mixture
from planner.meta.sequences import TURNS, PlayedSequence, from_deck, generate, mana_of
from planner.meta.stochastic import Stochastic
from planner.meta.tree import THRESHOLDS, ClusterTree

RANKS: Final = 10
HELD_OUT: Final = ("nothing", "decks", "archetypes")
UNIVERSE: Final = 1000  # cards that a player may choose from; only the log loss of a card that nobody named needs it
_DOUBT: Final = 0.02  # of every prediction is spread over all of them, so that no loss is infinite
EDGES: Final = np.array([0.0, 0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 1.0])

Make = Callable[[Metagame, str], Predictor]  # from the known decks and the opponent's class


class Fold(NamedTuple):
    """Sequences of one class, and the decks that the methods may know."""

    name: str
    player_class: str
    known: Metagame
    sequences: list[PlayedSequence]


class Answers(NamedTuple):
    """All predictions of one method, one row for each turn in which a card was played."""

    method: str
    fold: npt.NDArray[np.int64]
    turn: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]  # of the best-placed card that was played, from 0; RANKS where none was named
    decks: npt.NDArray[np.int64]  # considered
    cards: npt.NDArray[np.int64]
    loss: Numbers  # minus the log of the chance that the first card of the turn had
    bins: Numbers  # reliability: for each bin of EDGES the predictions, their sum, and how many came true

    def success(self, top: int) -> float:
        """The share of turns in which one of the `top` cards was played."""
        return float((self.rank < top).mean()) if len(self.rank) else float("nan")

    def by_turn(self, values: npt.NDArray[np.generic]) -> Numbers:
        """The mean of these values in each turn from 1; not a number where nothing was played."""
        counts = np.bincount(self.turn, minlength=TURNS + 1)[1:]
        sums = np.bincount(self.turn, weights=values.astype(np.float64), minlength=TURNS + 1)[1:]
        found: Numbers = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
        return found


def methods(linkages: Iterable[str] = LINKAGES, thresholds: Iterable[float] = THRESHOLDS) -> dict[str, Make]:
    """Ours, the stochastic one, and a tree for each linkage and threshold."""
    found: dict[str, Make] = {"mixture": Mixture, "stochastic": lambda known, own: Stochastic(known.of_class(own))}
    for linkage in linkages:
        for threshold in thresholds:
            found[f"tree {linkage} {threshold:g}"] = _tree(linkage, threshold)
    return found


def _tree(linkage: str, threshold: float) -> Make:
    return lambda known, own: ClusterTree.of(known.of_class(own), linkage=linkage, threshold=threshold)


def folds(metagame: Metagame, held_out: str, count: int, chance: Random) -> Iterator[Fold]:
    """`count` sequences of each class, from decks that the methods know, or from decks that were held out.

    `nothing`: from clusters of known decks, as the document has it. `decks`: from a fifth of each class's decks, which
    the methods do not know. `archetypes`: from each archetype in turn, no deck of which they know.
    """
    one_of(held_out, HELD_OUT)
    for own in metagame.classes:
        decks = [number for number, deck in enumerate(metagame.decks) if deck.player_class == own]
        if held_out == "nothing":
            yield Fold(own, own, metagame, generate(cluster(metagame.of_class(own)), count, chance))
            continue
        if held_out == "decks":
            parts = {own: sorted(chance.sample(decks, max(1, len(decks) // 5)))}
        else:
            labels = dict.fromkeys(metagame.archetypes[deck] for deck in decks)
            parts = {label: [deck for deck in decks if metagame.archetypes[deck] == label] for label in labels}
        for name, part in parts.items():
            if len(part) == len(decks):  # nothing of the class would be known
                continue
            left = metagame.where(number not in set(part) for number in range(len(metagame)))
            chosen = chance.choices(part, [metagame.games[deck] for deck in part], k=max(1, count // len(parts)))
            yield Fold(f"{own}: {name}", own, left, [from_deck(metagame, deck, chance) for deck in chosen])


def evaluate(make: Make, method: str, cases: Iterable[Fold], done: Callable[[], None] = lambda: None) -> Answers:
    """Ask for each turn of each sequence what comes; `done` is called after each fold."""
    rows: list[tuple[int, int, int, int, int, float]] = []
    bins = np.zeros((3, len(EDGES) - 1))
    for number, case in enumerate(cases):
        predictor = make(case.known, case.player_class)
        for sequence in case.sequences:
            for turn, seen, played in sequence.before():
                if not played:
                    continue
                forecast = predictor.predict(seen, mana_of(turn))
                names = [forecast.names[card] for card in best(forecast.cards, RANKS)]
                rank = min((names.index(card) for card in played if card in names), default=RANKS)
                first = forecast.names.index(played[0]) if played[0] in forecast.names else None
                _count(bins, forecast.cards, first)
                seen_decks, seen_cards = int(forecast.considered.sum()), forecast.considered_cards
                rows.append((number, min(turn, TURNS), rank, seen_decks, seen_cards, _loss(forecast, first)))
        done()
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    whole = table.astype(np.int64)
    return Answers(method, whole[:, 0], whole[:, 1], whole[:, 2], whole[:, 3], whole[:, 4], table[:, 5], bins)


def _loss(forecast: Forecast, card: int | None) -> float:
    given = forecast.cards[card] if card is not None else forecast.other / (UNIVERSE - len(forecast.names))
    return -float(np.log((1 - _DOUBT) * given + _DOUBT / UNIVERSE))


def _count(bins: Numbers, chances: Numbers, first: int | None) -> None:
    """Every card is a prediction of its own: it comes as the first of the turn, or it does not."""
    known = chances[chances > 0]
    place = np.clip(np.searchsorted(EDGES, known, side="right") - 1, 0, bins.shape[1] - 1)
    bins[0] += np.bincount(place, minlength=bins.shape[1])
    bins[1] += np.bincount(place, weights=known, minlength=bins.shape[1])
    if first is not None and chances[first] > 0:
        bins[2, min(int(np.searchsorted(EDGES, chances[first], side="right")) - 1, bins.shape[1] - 1)] += 1


class Spread(NamedTuple):
    """A mean, and where it would lie if other archetypes had been drawn (percentile bootstrap, 95 %)."""

    mean: float
    low: float
    high: float


def bootstrap(values: npt.NDArray[Any], fold: npt.NDArray[np.int64], seed: int = 1, draws: int = 2000) -> Spread:
    """The mean of the folds' means. Whole folds are drawn: turns of one archetype are no independent witnesses."""
    counts = np.bincount(fold)
    means = (np.bincount(fold, weights=values) / np.maximum(counts, 1))[counts > 0]
    rng = np.random.default_rng(seed)
    drawn = means[rng.integers(0, len(means), (draws, len(means)))].mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Spread(float(means.mean()), float(low), float(high))
