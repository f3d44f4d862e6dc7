"""Random boards in the JSON form, and the thesis profiles, for the contract tests."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.contract.naive_game import TERMS

COMMON = ("taunt", "charge", "rush", "windfury", "divine_shield", "poisonous", "lifesteal", "stealth", "reborn")
PROFILES: dict[str, dict[str, Any]] = {  # the weights of the thesis in the order W1..W8
    name: dict(zip(TERMS, numbers, strict=True))
    for name, numbers in {
        "keep_alive": (2, 4, 1, 6, 20, 8, 5, 6),
        "board_clear": (1, 20, 1, 15, 5, 15, 10, 8),
        "aggro_face": (20, 2, 18, 3, 1, 3, 1, 10),
        "value_trade": (3, 8, 2, 18, 10, 16, 16, 12),
        "aggro_tempo": (15, 8, 6, 8, 1, 10, 1, 3),
        "true_balanced": (5, 5, 5, 5, 5, 5, 5, 5),
        "author_favorite": (24, 20, 10, 20, 4, 24, 4, 8),
    }.items()
}


# Each flavour makes a situation common that is rare on a random board.
FLAVOURS: dict[str, dict[str, Any]] = {
    "mixed": {},
    "duel": {"weapon": 1.0, "hero": (1, 2, 3, 4), "rates": {"taunt": 0.4, "lifesteal": 0.2}},
    "crowd": {"crowded": 1.0, "rates": {"charge": 0.5, "rush": 0.3, "reborn": 0.2}},
    "undead": {"rates": {"reborn": 0.5, "windfury": 0.35, "charge": 0.3, "divine_shield": 0.25}},
    "drain": {"rates": {"lifesteal": 0.5, "taunt": 0.25, "poisonous": 0.2}, "foe": (1, 2, 3, 4, 5), "weapon": 0.5},
    "walls": {"rates": {"taunt": 0.5, "divine_shield": 0.3, "stealth": 0.25, "reborn": 0.2, "rush": 0.3}},
}


def random_state(
    rng: Random, mine: int = 3, theirs: int = 3, hand: int = 3, flavour: str = "mixed", crowded: float = 0.1
) -> dict[str, Any]:
    """Return a board with up to this many minions and cards. Sometimes minions that cannot attack fill my board."""
    kind = FLAVOURS[flavour]
    rates = {**dict.fromkeys(COMMON, 0.14), **kind.get("rates", {})}

    def minion(*rare_keywords: str) -> dict[str, Any]:
        stats = {"attack": rng.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 7)), "health": rng.choice((1, 1, 2, 2, 3, 4, 5, 8))}
        keywords = [word for word, rate in rates.items() if rng.random() < rate]
        keywords += [word for word in rare_keywords if rng.random() < 0.05]
        return {**stats, "keywords": keywords} if keywords or rng.random() < 0.2 else stats

    board = [minion("frozen", "immune") for _ in range(rng.randint(0, mine))]
    for friendly in board:
        if rng.random() < 0.1:
            friendly["attacks_left"] = rng.randint(0, 2)
        if rng.random() < 0.05:
            friendly["summoned_this_turn"] = True
    if rng.random() < kind.get("crowded", crowded):
        while len(board) < 7:
            board.insert(rng.randint(0, len(board)), {"attack": 1, "health": 1, "attacks_left": 0})
    cards = []
    for _ in range(rng.randint(0, hand)):
        card = {**minion(), "cost": rng.randint(0, 5)}
        if rng.random() < 0.3:
            card["value"] = rng.choice((0, 2, 3, 0.5, -1, 1.25))
        cards.append(card)
    hero: dict[str, Any] = {"health": rng.choice(kind.get("hero", (1, 3, 6, 12, 29, 30)))}
    foe: dict[str, Any] = {"health": rng.choice(kind.get("foe", (1, 2, 4, 6, 9, 12, 20, 30)))}
    for entry in (hero, foe):
        if rng.random() < 0.25:
            entry["armor"] = rng.randint(0, 4)
        if rng.random() < 0.1:
            entry["max_health"] = entry["health"] + rng.randint(0, 3)
    me: dict[str, Any] = {"hero": hero, "board": board, "hand": cards}
    if rng.random() < kind.get("weapon", 0.25):
        me["weapon"] = {"attack": rng.randint(0, 4), "durability": rng.randint(1, 2)}
    foes = [minion("immune") for _ in range(rng.randint(0, theirs))]
    return {"mana": rng.randint(0, 8), "me": me, "enemy": {"hero": foe, "board": foes}}


def crowded_state(rng: Random) -> dict[str, Any]:
    """Return a state with seven minions on each side and ten cards in hand."""

    def minion() -> dict[str, Any]:
        keywords = [word for word in COMMON if rng.random() < 0.12]
        return {"attack": rng.randint(1, 8), "health": rng.randint(1, 9), "keywords": keywords}

    return {
        "mana": 10,
        "me": {
            "hero": {"health": 20},
            "board": [minion() for _ in range(7)],
            "hand": [{**minion(), "cost": rng.randint(0, 6), "value": rng.randint(1, 5)} for _ in range(10)],
            "weapon": {"attack": 3, "durability": 2},
        },
        "enemy": {"hero": {"health": 30, "armor": 2}, "board": [minion() for _ in range(7)]},
    }


def random_weights(rng: Random) -> dict[str, Any]:
    """Return random weights: integer, decimal, negative, zero or very different in size."""
    kind = rng.random()
    if kind < 0.5:
        return {term: rng.randint(0, 20) for term in TERMS}
    if kind < 0.7:
        return {term: rng.choice((0, 0.5, 1.25, 3, 0.1, 100)) for term in TERMS}
    if kind < 0.85:
        return {term: rng.randint(-10, 10) for term in TERMS}
    if kind < 0.95:
        return {term: rng.choice((0, 0, 1)) for term in TERMS}
    return {"lethal": 100000, "face_damage": 1, "own_survival": 0.001}


def profile_or_weights(rng: Random) -> tuple[Any, dict[str, Any]]:
    """Return a `weights` argument for `plan_turn`, and the weight of each term."""
    if rng.random() < 0.5:
        name = rng.choice(sorted(PROFILES))
        return name, PROFILES[name]
    numbers = random_weights(rng)
    return numbers, numbers
