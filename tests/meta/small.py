"""Small metagames for tests, and the path of the decks of Schwensfeier 2019."""

from __future__ import annotations

from pathlib import Path
from random import Random

from planner.meta import KnownDeck, Metagame

STUDY = Path(__file__).resolve().parents[3] / "shared" / "data" / "meta_2019" / "Decks.json"


def deck(
    cards: dict[str, int], own: str = "mage", archetype: str = "", games: float = 1, won: float = 0.5
) -> KnownDeck:
    return KnownDeck(tuple(sorted(cards.items())), own, archetype, games, won)


def random_metagame(seed: int, decks: int = 40, cards: int = 30, size: int = 12, classes: int = 1) -> Metagame:
    """Return variants of a few base decks, with many ties in distance."""
    rng = Random(seed)
    names = [f"card {number}" for number in range(cards)]
    known = []
    for number in range(decks):
        own, archetype = f"class {number % classes}", number % 5
        base = Random(1000 * seed + archetype + 10 * (number % classes)).sample(names, size)
        for index in range(size):
            if rng.random() < 0.15:
                base[index] = rng.choice(names)
        counts: dict[str, int] = {}
        for name in base:
            counts[name] = min(counts.get(name, 0) + rng.choice([1, 1, 2]), 2)
        known.append(deck(counts, own, f"type {archetype}", rng.randint(1, 50)))
    costs = {name: number % 8 for number, name in enumerate(names)}
    return Metagame(sorted(known, key=lambda deck: deck.archetype), costs)
