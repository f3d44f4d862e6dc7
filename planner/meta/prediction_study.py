"""How well the methods predict: sequences of played cards, held-out decks, top-x success, log loss and calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from planner.formats.values import one_of
from planner.meta.deck_clusters import LINKAGES, THRESHOLDS, Clustering, ClusterTree, cluster_metagame
from planner.meta.known_decks import Metagame, Numbers
from planner.meta.prediction import Forecast, Mixture, Predictor, Seen, Stochastic, best_indices
from planner.stats.intervals import Interval

TURNS: Final = 15
MAX_MANA: Final = 10
FIRST_CARD: Final = 0.75  # the chance that a turn has a card at all
NEXT_CARD: Final = 0.5  # the chance of each further card
RANKS: Final = 10
HELD_OUT: Final = ("nothing", "decks", "archetypes")
_CARD_POOL: Final = 1000  # cards that a player may choose from, for the log loss of cards that no method names
_SMOOTHING: Final = 0.02  # the part of every prediction that is spread over the pool, so that no loss is infinite
BIN_EDGES: Final = np.array([0.0, 0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.25, 0.4, 0.6, 1.0])

MakePredictor = Callable[[Metagame, str], Predictor]  # from the known decks and the opponent's class


# -- sequences of played cards


class PlayedSequence(NamedTuple):
    """The cards that one player played, turn by turn."""

    turns: tuple[tuple[str, ...], ...]
    player_class: str = ""
    source: str = ""

    def before(self) -> Iterator[tuple[int, list[Seen], tuple[str, ...]]]:
        """Yield for each turn its number from 1, the cards seen before it, and the cards played in it."""
        seen: list[Seen] = []
        for turn, cards in enumerate(self.turns, 1):
            yield turn, list(seen), cards
            seen += [Seen(card, mana_in_turn(turn)) for card in cards]


def mana_in_turn(turn: int) -> int:
    """Return the mana of a player in this turn."""
    return min(turn, MAX_MANA)


def generate_sequences(clustering: Clustering, count: int, rng: Random) -> list[PlayedSequence]:
    """Generate sequences as Schwensfeier 2019 does (section 4.2.1), each from a random cluster.

    The clusters are those whose merge has at most the median distance of all merges.
    """
    known, size = clustering.metagame, len(clustering.metagame)
    heights = clustering.merges[:, 2]
    median = float(np.median(heights)) if len(heights) else 0.0
    members = [[deck] for deck in range(size)]
    clusters = list(range(size))
    for row, merge in enumerate(clustering.merges):
        members.append(members[int(merge[0])] + members[int(merge[1])])
        if heights[row] <= median:
            clusters.append(size + row)
    sequences = []
    for _ in range(count):
        decks = members[rng.choice(clusters)]
        copies = known.counts[decks].max(axis=0)  # "not played its maximum number yet"
        weights = known.games[decks] @ known.counts[decks]
        first = known.decks[decks[0]]
        sequences.append(_play(known, copies, weights, rng, first.player_class, first.archetype))
    return sequences


def sequence_from_deck(metagame: Metagame, deck: int, rng: Random) -> PlayedSequence:
    """Generate a sequence by the same steps from one deck."""
    copies, known = metagame.counts[deck], metagame.decks[deck]
    return _play(metagame, copies, copies.astype(np.float64), rng, known.player_class, known.archetype)


def _play(known: Metagame, copies: Numbers, weights: Numbers, rng: Random, *about: str) -> PlayedSequence:
    left, weight_per_copy = copies.copy(), weights / np.maximum(copies, 1)
    turns = []
    for turn in range(1, TURNS + 1):
        mana, cards, plays = float(mana_in_turn(turn)), list[str](), rng.random() < FIRST_CARD
        while plays:
            cumulated = np.cumsum(np.where(known.cost <= mana, weight_per_copy * left, 0.0))
            if cumulated[-1] <= 0:
                break
            card = int(np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right"))
            left[card] -= 1
            mana -= known.cost[card]
            cards.append(known.cards[card])
            plays = rng.random() < NEXT_CARD
        turns.append(tuple(cards))
    return PlayedSequence(tuple(turns), *about)


# -- folds


class Fold(NamedTuple):
    """Sequences of one class, and the decks that the methods may know."""

    name: str
    player_class: str
    known: Metagame
    sequences: list[PlayedSequence]


def folds(metagame: Metagame, held_out: str, count: int, rng: Random) -> Iterator[Fold]:
    """Yield `count` sequences of each class.

    With `held_out` "nothing" they come from clusters of known decks, as in Schwensfeier 2019; with "decks" from a
    fifth of each class's decks, which the methods do not know; with "archetypes" from each archetype in turn, of which
    they know no deck.
    """
    one_of(held_out, HELD_OUT)
    for own in metagame.classes:
        decks = [index for index, deck in enumerate(metagame.decks) if deck.player_class == own]
        if held_out == "nothing":
            yield Fold(own, own, metagame, generate_sequences(cluster_metagame(metagame.of_class(own)), count, rng))
            continue
        if held_out == "decks":
            parts = {own: sorted(rng.sample(decks, max(1, len(decks) // 5)))}
        else:
            labels = dict.fromkeys(metagame.archetypes[deck] for deck in decks)
            parts = {label: [deck for deck in decks if metagame.archetypes[deck] == label] for label in labels}
        for name, part in parts.items():
            if len(part) == len(decks):  # no deck of the class would be known
                continue
            known = metagame.select(index not in set(part) for index in range(len(metagame)))
            chosen = rng.choices(part, [metagame.games[deck] for deck in part], k=max(1, count // len(parts)))
            yield Fold(f"{own}: {name}", own, known, [sequence_from_deck(metagame, deck, rng) for deck in chosen])


# -- evaluation


class Evaluation(NamedTuple):
    """All predictions of one method: one row for each turn in which a card was played."""

    method: str
    fold: npt.NDArray[np.int64]
    turn: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]  # of the best-ranked card that was played, from 0; RANKS if none was ranked
    decks: npt.NDArray[np.int64]  # considered
    cards: npt.NDArray[np.int64]  # considered
    loss: Numbers  # minus the log of the chance of the first card of the turn
    bins: Numbers  # for each bin of BIN_EDGES: the number of predictions, their sum, and how many came true

    def success(self, top: int) -> float:
        """Return the share of turns in which one of the `top` cards was played."""
        return float((self.rank < top).mean()) if len(self.rank) else float("nan")

    def by_turn(self, values: npt.NDArray[np.generic]) -> Numbers:
        """Return the mean of these values in each turn; NaN where no card was played."""
        counts = np.bincount(self.turn, minlength=TURNS + 1)[1:]
        sums = np.bincount(self.turn, weights=values.astype(np.float64), minlength=TURNS + 1)[1:]
        means: Numbers = np.divide(sums, counts, out=np.full(len(counts), np.nan), where=counts > 0)
        return means


def methods(linkages: Iterable[str] = LINKAGES, thresholds: Iterable[float] = THRESHOLDS) -> dict[str, MakePredictor]:
    """Return the methods by name: the mixture, the stochastic method, and a tree per linkage and threshold."""
    result: dict[str, MakePredictor] = {
        "mixture": Mixture,
        "stochastic": lambda known, own: Stochastic(known.of_class(own)),
    }
    for linkage in linkages:
        for threshold in thresholds:
            result[f"tree {linkage} {threshold:g}"] = _make_tree(linkage, threshold)
    return result


def _make_tree(linkage: str, threshold: float) -> MakePredictor:
    return lambda known, own: ClusterTree.of(known.of_class(own), linkage=linkage, threshold=threshold)


def evaluate(
    make: MakePredictor, method: str, cases: Iterable[Fold], on_fold_done: Callable[[], None] = lambda: None
) -> Evaluation:
    """Predict each turn of each sequence."""
    rows: list[tuple[int, int, int, int, int, float]] = []
    bins = np.zeros((3, len(BIN_EDGES) - 1))
    predictors: dict[tuple[int, str], Predictor] = {}
    for number, case in enumerate(cases):
        key = id(case.known), case.player_class
        if key not in predictors:
            predictors = {} if any(known != key[0] for known, _ in predictors) else predictors
            predictors[key] = make(case.known, case.player_class)
        for sequence in case.sequences:
            for turn, forecast, played in _forecasts(predictors[key], sequence):
                names = [forecast.names[card] for card in best_indices(forecast.cards, RANKS)]
                rank = min((names.index(card) for card in played if card in names), default=RANKS)
                first = forecast.names.index(played[0]) if played[0] in forecast.names else None
                _add_to_bins(bins, forecast.cards, first)
                decks, cards = int(forecast.considered.sum()), forecast.considered_cards
                rows.append((number, min(turn, TURNS), rank, decks, cards, _log_loss(forecast, first)))
        on_fold_done()
    table = np.array(rows, dtype=np.float64).reshape(-1, 6)
    fold, turns, ranks, decks_considered, cards_considered = table[:, :5].astype(np.int64).T
    return Evaluation(method, fold, turns, ranks, decks_considered, cards_considered, table[:, 5], bins)


def _forecasts(predictor: Predictor, sequence: PlayedSequence) -> Iterator[tuple[int, Forecast, tuple[str, ...]]]:
    """Yield the turn, the forecast and the played cards of each turn in which a card was played."""
    belief = predictor.belief() if isinstance(predictor, Mixture) else None
    count = 0
    for turn, seen, played in sequence.before():
        if played and belief is not None:
            for card in seen[count:]:
                belief.see(card)
            count = len(seen)
            yield turn, belief.forecast(mana_in_turn(turn)), played
        elif played:
            yield turn, predictor.predict(seen, mana_in_turn(turn)), played


def _log_loss(forecast: Forecast, card: int | None) -> float:
    chance = forecast.cards[card] if card is not None else forecast.other / (_CARD_POOL - len(forecast.names))
    return -float(np.log((1 - _SMOOTHING) * chance + _SMOOTHING / _CARD_POOL))


def _add_to_bins(bins: Numbers, chances: Numbers, first: int | None) -> None:
    """Count every card as one prediction: that it is the first card of the turn."""
    positive = chances[chances > 0]
    index = np.clip(np.searchsorted(BIN_EDGES, positive, side="right") - 1, 0, bins.shape[1] - 1)
    bins[0] += np.bincount(index, minlength=bins.shape[1])
    bins[1] += np.bincount(index, weights=positive, minlength=bins.shape[1])
    if first is not None and chances[first] > 0:
        bins[2, min(int(np.searchsorted(BIN_EDGES, chances[first], side="right")) - 1, bins.shape[1] - 1)] += 1


def bootstrap(values: npt.NDArray[Any], fold: npt.NDArray[np.int64], draws: int = 2000) -> Interval:
    """Return the mean of the folds' means with its percentile interval.

    Folds are resampled as a whole, since the turns of one archetype are dependent.
    """
    counts = np.bincount(fold)
    means = (np.bincount(fold, weights=values) / np.maximum(counts, 1))[counts > 0]
    rng = np.random.default_rng(1)
    resampled = means[rng.integers(0, len(means), (draws, len(means)))].mean(axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return Interval(float(means.mean()), float(low), float(high))


def study_tables(evaluations: Sequence[Evaluation]) -> dict[str, str]:
    """Return `by_turn.csv` (every method in every turn) and `summary.csv` (means over the folds, 95 % intervals)."""
    tops = [f"top_{top}" for top in range(1, RANKS + 1)]
    by_turn: list[Sequence[object]] = []
    summary: list[Sequence[object]] = []
    for evaluation in evaluations:
        hits: dict[str, Any] = {name: evaluation.rank < top for top, name in enumerate(tops, 1)}
        measures = (evaluation.decks, evaluation.cards, evaluation.loss, *hits.values())
        columns = [evaluation.by_turn(values) for values in measures]
        for turn in range(1, TURNS + 1):
            if count := int((evaluation.turn == turn).sum()):
                by_turn.append((evaluation.method, turn, count, *(column[turn - 1] for column in columns)))
        for name, measured in {**hits, "log_loss": evaluation.loss}.items():
            summary.append((evaluation.method, name, *bootstrap(measured, evaluation.fold)))
    titles = ("method", "turn", "asked", "decks", "cards", "log_loss", *tops)
    return {
        "by_turn.csv": csv_text(titles, by_turn, "%.4f"),
        "summary.csv": csv_text(("method", "measure", "mean", "low", "high"), summary, "%.4f"),
    }


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]], numbers: str = "%.5f") -> str:
    """Return a table as CSV; unknown numbers are empty."""
    table = pd.DataFrame(rows, columns=list(columns))
    return table.to_csv(index=False, float_format=numbers, lineterminator="\n")
