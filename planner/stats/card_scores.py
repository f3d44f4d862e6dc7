"""What a card does to a match: the score of those who have drawn it, and of those who have played it.

A sample is one seat in one game. In a match of a deck against itself a game in which both have drawn a card says
nothing about it, since one wins and the other loses: it does not count for the card's score when drawn, and likewise
when played. What is left of a pair of games shares its luck, so the intervals count it together (`clustered_wilson`).

This is what happened, not yet what the card causes: long games draw more cards, and a card that is played when all is
lost looks worse than it is. Compare cards of one deck with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from planner.stats.games_table import Floats, Ints
from planner.stats.intervals import Interval, wilson

STAGES: Final = ("drawn", "played")  # a card that was played was drawn before
COLUMNS: Final = (
    "card", "games", "score",
    *(f"{stage}{end}" for stage in STAGES for end in ("", "_score", "_low", "_high")),
)  # fmt: skip


class CardScores:
    """The samples of one deck, counted block by block: however many there are, only sums are kept."""

    def __init__(self, cards: Sequence[str]) -> None:
        self.cards = cards
        self.samples, self.points = 0, 0.0
        # By stage and card: samples, points, clusters; then of each cluster points², points x samples, samples².
        self.sums = np.zeros((6, len(STAGES), len(cards)))

    def add(self, used: NDArray[np.uint8], points: Floats, games: Ints, cluster: Ints) -> None:
        """Count these samples, a row of `used` each (a column per card: 0 not drawn, 1 drawn, 2 played).

        Those of one game stand side by side; those of one cluster, wherever they stand, are in one block.
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
            for place, found in enumerate((samples, scored, samples > 0, scored**2, scored * samples, samples**2)):
                self.sums[place, stage] += found.sum(axis=0)

    def table(self) -> pd.DataFrame:
        """One row per card: how often it was drawn and played, and what those scored, with intervals."""
        score = self.points / self.samples if self.samples else float("nan")
        rows: list[tuple[object, ...]] = []
        for place, card in enumerate(self.cards):
            found: list[object] = []
            for stage in range(len(STAGES)):
                samples, points, clusters, *squares = map(float, self.sums[:, stage, place])
                found += [int(samples), *_interval(samples, points, clusters, *squares)]
            rows.append((card, self.samples, score, *found))
        return pd.DataFrame(rows, columns=list(COLUMNS))


def _interval(n: float, points: float, clusters: float, squared: float, mixed: float, sizes: float) -> Interval:
    """As `clustered_wilson` has it, from sums over the clusters."""
    if not n:
        return wilson(0, 0)
    mean = points / n
    variance = (squared - 2 * mean * mixed + mean**2 * sizes) / n**2
    worth = mean * (1 - mean) / variance if variance > 1e-15 else clusters
    return wilson(mean * worth, worth)


def _starts(keys: Ints) -> Ints:
    """Where each run of equal keys begins."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
