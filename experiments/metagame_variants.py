"""Write the decks of the study of predictions in play: a new variant of each class deck, unknown to the metagame.

    python experiments/metagame_variants.py

The shipped metagame (`planner meta cluster`) holds each class deck and twelve other variants of it.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

from planner.games.hearthstone.cards.decks import load_deck
from planner.games.hearthstone.metagame import variant_of

CLASSES = ("druid", "hunter", "mage", "paladin", "priest", "rogue", "shaman", "warlock", "warrior")
FOLDER = Path(__file__).parent / "decks" / "metagame"


def main() -> None:
    """Write one deck file for each class."""
    rng = Random(2026)
    for name in CLASSES:
        deck = load_deck(name)
        variant = variant_of(deck, f"{deck.name} played", rng)
        counts = Counter(card.name for card in variant.cards)
        lines = [f"  - {count} x {card}" for card, count in counts.items()]
        text = "\n".join([f"name: {variant.name}", f"class: {name}", "cards:", *lines, ""])
        (FOLDER / f"{name}.yaml").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
