"""The cards to be played: a knapsack that is the best for each set of attackers it brings and places it needs."""

from __future__ import annotations

from typing import NamedTuple


class CardInHand(NamedTuple):
    """A minion that can be paid: its cost, what playing it is worth, and its bit among the attackers or 0."""

    cost: int
    worth: int
    fighter: int


class Hand(NamedTuple):
    """Cards to be played (as bits): their worth, who can then attack, and the own deaths that make places for them."""

    worth: int
    fighters: int
    places: int
    cards: int


def best_hands(cards: list[CardInHand], mana: int, room: int, most_deaths: int) -> list[Hand]:
    """The best set of cards for each set of attackers that it brings and each number of deaths that it needs."""
    scarce = len(cards) > room  # where every card finds a place nobody needs to count
    found: dict[tuple[int, int, int], tuple[int, int]] = {(0, 0, 0): (0, 0)}  # cost, count, fighters: worth, cards
    for place, card in enumerate(cards):
        if card.worth <= 0 and not card.fighter:
            continue
        for (cost, count, fighters), (earlier, chosen) in list(found.items()):
            if cost + card.cost <= mana and count - room < most_deaths:
                key = cost + card.cost, count + scarce, fighters | card.fighter
                known = found.get(key)
                if known is None or earlier + card.worth > known[0]:
                    found[key] = earlier + card.worth, chosen | 1 << place
    best: dict[tuple[int, int], Hand] = {}
    for (_, count, fighters), (worth, chosen) in found.items():
        places = max(0, count - room)
        known_hand = best.get((places, fighters))
        if known_hand is None or worth > known_hand.worth:
            best[places, fighters] = Hand(worth, fighters, places, chosen)
    return list(best.values())
