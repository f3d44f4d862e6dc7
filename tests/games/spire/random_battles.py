"""Random battles for tests, with shipped and unusual cards."""

from __future__ import annotations

from random import Random
from typing import Any

from planner.games.spire.battle_codec import setup_from_json, state_from_json
from planner.games.spire.battle_state import Battle, Setup
from planner.games.spire.card_library import Library, library_with

# Effects that no shipped card has: randomness, draws, all piles, everyone, several choices in a row.
ODD_CARDS: dict[str, Any] = {
    "Gamble": [{"do": "attack", "amount": "5 (7)", "hits": 2, "to": "random enemy"}],
    "Insight": [{"do": "draw", "amount": 2}],
    "Purge": [{"do": "exhaust", "to": "2 chosen cards in hand"}, {"do": "draw", "amount": 1}],
    "Recall": [{"do": "copy", "into": "hand", "to": "chosen card in discard"}],
    "Forget": [{"do": "discard", "to": "random card in hand"}, {"do": "energy", "amount": 1}],
    "Quake": [{"do": "damage", "amount": 4, "to": "everyone"}],
    "Learn": [{"do": "upgrade", "to": "all cards in hand"}, {"do": "exhaust", "to": "this card"}],
    "Mercy": [{"and": [{"do": "heal", "amount": 3}, {"do": "apply", "status": "weak", "amount": 1}],
               "to": "chosen of everyone"}],
}  # fmt: skip
ODD = {
    "cards": {
        name: {"cost": number % 3, "type": "skill", "does": does}
        for number, (name, does) in enumerate(ODD_CARDS.items())
    }
}


def odd_library() -> Library:
    """Return the shipped cards and the odd ones."""
    return library_with(ODD)


def random_setup(rng: Random, odd: bool = True) -> Setup:
    """Return a deck of 5 to 15 cards against 1 to 4 enemies."""
    library = odd_library() if odd else library_with()
    deck = [rng.choice(library.card_names) for _ in range(rng.randint(5, 15))]
    enemies = [rng.choice(list(library.enemies)) for _ in range(rng.randint(1, 4))]
    health = rng.randint(5, 80)
    return setup_from_json({"deck": deck, "enemies": enemies, "health": health, "library": ODD if odd else {}})


def random_state(rng: Random, hand: int = 5, odd: bool = False) -> Battle:
    """Return a turn in the middle of a battle."""
    library = odd_library() if odd else library_with()
    names = list(library.card_names)

    def title() -> str:
        name = rng.choice(names)
        return name + "+" if rng.random() < 0.2 and library.upgraded(library.card(name)) else name

    def statuses() -> list[dict[str, Any]]:
        names = rng.sample(list(library.statuses), rng.choice((0, 0, 1, 2)))
        return [
            {"status": name, "amount": rng.randint(1, 4), "turns": rng.randint(1, 2) if name == "bomb" else 0}
            for name in names
        ]

    enemies = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        kind = library.enemies[rng.choice(list(library.enemies))]
        enemies.append({
            "name": kind.name, "health": rng.randint(1, 30), "block": rng.choice((0, 0, 5)), "statuses": statuses(),
            "move": rng.choice(kind.moves).name,
        })  # fmt: skip
    return state_from_json({
        "health": rng.randint(1, 60), "block": rng.choice((0, 3)), "statuses": statuses(),
        "energy": rng.randint(0, 4), "hand": [title() for _ in range(rng.randint(0, hand))],
        "draw": [title() for _ in range(rng.randint(0, 3))], "discard": [title() for _ in range(rng.randint(0, 3))],
        "enemies": enemies, "library": ODD if odd else {},
    })  # fmt: skip
