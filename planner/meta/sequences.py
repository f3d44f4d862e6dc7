"""Sequences of played cards, turn by turn: generated as section 4.2.1 of the document does it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

import numpy as np

from planner.meta.clusters import Clustering
from planner.meta.decks import Metagame, Numbers
from planner.meta.forecast import Seen

TURNS: Final = 15
MOST_MANA: Final = 10
FIRST_CARD: Final = 0.75  # the chance that a turn has a card at all
NEXT_CARD: Final = 0.5  # the chance of each further one


class PlayedSequence(NamedTuple):
    """What one player played: the cards of each turn."""

    turns: tuple[tuple[str, ...], ...]
    player_class: str = ""
    source: str = ""

    def before(self) -> Iterator[tuple[int, list[Seen], tuple[str, ...]]]:
        """For each turn its number from 1, what was seen before it, and what was played in it."""
        seen: list[Seen] = []
        for number, cards in enumerate(self.turns, 1):
            yield number, list(seen), cards
            seen += [Seen(card, mana_of(number)) for card in cards]


def mana_of(turn: int) -> int:
    """What a player can spend in the own turn of this number."""
    return min(turn, MOST_MANA)


def generate(clustering: Clustering, count: int, chance: Random, farthest: float | None = None) -> list[PlayedSequence]:
    """So many sequences, each from a cluster drawn from all whose merge was no farther than `farthest`.

    Without `farthest` it is the distance of the middle merge: half of the merges count.
    """
    known, size = clustering.metagame, len(clustering.metagame)
    heights = clustering.merges[:, 2]
    if farthest is None:
        farthest = float(np.median(heights)) if len(heights) else 0.0
    members = [[deck] for deck in range(size)]
    chosen = list(range(size))
    for row, merge in enumerate(clustering.merges):
        members.append(members[int(merge[0])] + members[int(merge[1])])
        if heights[row] <= farthest:
            chosen.append(size + row)
    found = []
    for _ in range(count):
        decks = members[chance.choice(chosen)]
        copies = known.counts[decks].max(axis=0)  # "not played its maximum number yet"
        weights = known.games[decks] @ known.counts[decks]
        first = known.decks[decks[0]]
        found.append(_play(known, copies, weights, chance, first.player_class, first.archetype))
    return found


def from_deck(metagame: Metagame, deck: int, chance: Random) -> PlayedSequence:
    """A sequence by the same steps from one deck alone."""
    copies, known = metagame.counts[deck], metagame.decks[deck]
    return _play(metagame, copies, copies.astype(np.float64), chance, known.player_class, known.archetype)


def _play(known: Metagame, copies: Numbers, weights: Numbers, chance: Random, *about: str) -> PlayedSequence:
    left, each = copies.copy(), weights / np.maximum(copies, 1)
    turns = []
    for turn in range(1, TURNS + 1):
        mana, cards, going = float(mana_of(turn)), list[str](), chance.random() < FIRST_CARD
        while going:
            open_weights = np.cumsum(np.where(known.cost <= mana, each * left, 0.0))
            if open_weights[-1] <= 0:
                break
            card = int(np.searchsorted(open_weights, chance.random() * open_weights[-1], side="right"))
            left[card] -= 1
            mana -= known.cost[card]
            cards.append(known.cards[card])
            going = chance.random() < NEXT_CARD
        turns.append(tuple(cards))
    return PlayedSequence(tuple(turns), *about)
