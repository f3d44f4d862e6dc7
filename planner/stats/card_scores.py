"""Scores of cards: the mean points of players that have drawn a card, and of players that have played it.

A sample is one seat in one game. If a deck meets itself, a game in which both players have drawn a card does not count
for its score when drawn, since one of them wins and the other loses; likewise when played. The games of a pair share a
seed, so the intervals treat them as one sample (`clustered_wilson`).

These scores show correlation, not causation: long games draw more cards, and a card that is played in lost positions
looks worse than it is. Compare cards of one deck with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from planner.stats.games_table import Floats, Ints
from planner.stats.intervals import Interval, effective_size, wilson

STAGES: Final = ("drawn", "played")  # every card that was played was drawn
COLUMNS: Final = (
    "card", "games", "score",
    *(f"{stage}{end}" for stage in STAGES for end in ("", "_score", "_low", "_high")),
)  # fmt: skip
USE_COLUMNS: Final = ("card", "with", "games", "played", "share", "score", "low", "high", "score_without")


class CardScores:
    """The samples of one deck, added block by block; only sums are kept."""

    def __init__(self, cards: Sequence[str]) -> None:
        self.cards = cards
        self.samples, self.points = 0, 0.0
        # By stage and card: samples, points, clusters; then of each cluster points², points x samples, samples².
        self.sums = np.zeros((6, len(STAGES), len(cards)))

    def add(self, used: NDArray[np.uint8], points: Floats, games: Ints, cluster: Ints) -> None:
        """Add samples: a row of `used` each, with a column per card (0 not drawn, 1 drawn, 2 played).

        The samples of one game must be adjacent, and those of one cluster must be in the same block.
        """
        self.samples += len(points)
        self.points += float(points.sum())
        game = _starts(games)
        lengths = np.diff(np.append(game, len(games)))
        order = np.argsort(cluster, kind="stable")
        together = _starts(cluster[order])
        for stage in range(len(STAGES)):
            reached = used > stage
            in_game = np.add.reduceat(reached, game, axis=0, dtype=np.int64)
            counts = (reached & (np.repeat(in_game, lengths, axis=0) == 1))[order]
            samples = np.add.reduceat(counts, together, axis=0, dtype=np.float64)
            scored = np.add.reduceat(counts * points[order, None], together, axis=0)
            parts = (samples, scored, samples > 0, scored**2, scored * samples, samples**2)
            for index, part in enumerate(parts):
                self.sums[index, stage] += part.sum(axis=0)

    def table(self) -> pd.DataFrame:
        """Return one row per card: how often it was drawn and played, and the scores with intervals."""
        score = self.points / self.samples if self.samples else float("nan")
        rows: list[tuple[object, ...]] = []
        for index, card in enumerate(self.cards):
            cells: list[object] = []
            for stage in range(len(STAGES)):
                samples, points, clusters, *squares = map(float, self.sums[:, stage, index])
                cells += [int(samples), *_interval(samples, points, clusters, *squares)]
            rows.append((card, self.samples, score, *cells))
        return pd.DataFrame(rows, columns=list(COLUMNS))


def use_table(cards: Sequence[str], used: NDArray[np.uint8], points: Floats) -> pd.DataFrame:
    """Return how often each card, and each pair of cards, was played, and the score of the games with and without it.

    A row of `used` is a game, with a column per card (0 not drawn, 1 drawn, 2 played).
    """
    played = used == len(STAGES)
    rows = []
    pairs = [(card, card) for card in range(len(cards))] + list(combinations(range(len(cards)), 2))
    for first, second in pairs:
        both = played[:, first] & played[:, second]
        score, low, high = wilson(float(points[both].sum()), int(both.sum()))
        without = float(points[~both].mean()) if not both.all() else float("nan")
        other = cards[second] if second != first else ""
        rows.append((cards[first], other, len(points), int(both.sum()), float(both.mean()), score, low, high, without))
    return pd.DataFrame(rows, columns=list(USE_COLUMNS))


def _interval(n: float, points: float, clusters: float, squared: float, mixed: float, sizes: float) -> Interval:
    """Return the interval of `clustered_wilson` from sums over the clusters."""
    mean = points / n if n else 0.0
    variance = (squared - 2 * mean * mixed + mean**2 * sizes) / n**2 if n else 0.0
    size = effective_size(mean, variance, clusters)
    return wilson(mean * size, size)


def _starts(keys: Ints) -> Ints:
    """Return the index at which each run of equal keys begins."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
