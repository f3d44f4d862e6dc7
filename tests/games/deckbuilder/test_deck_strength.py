"""The strength of a deck against hands that are dealt and played: no formula of the planner is used to check another.

docs/reference/deckbuilder_weights.md says what is estimated: the coins of a turn, the chance to have so many, and how
often an action is played. Here a deck is shuffled some thousand times and played from the numbers printed on its cards:
first all actions that give back their action, then one of the others.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import NamedTuple

import pytest

from planner.games import game
from planner.games.deckbuilder.deck_strength import card_facts, deck_sums, expected_turn, price_list, strength, sums_of

DEFINITION = game("dominion").definition  # type: ignore[attr-defined]
COINS = {"Copper": 1, "Silver": 2, "Gold": 3, "Estate": 0, "Province": 0, "Curse": 0}
ACTIONS = {  # cards, actions and coins
    "Village": (1, 2, 0), "Laboratory": (2, 1, 0), "Market": (1, 1, 1), "Festival": (0, 2, 2), "Smithy": (3, 0, 0),
    "Woodcutter": (0, 0, 2), "Moat": (2, 0, 0), "Witch": (2, 0, 0), "Council Room": (4, 0, 0), "Militia": (0, 0, 2),
}  # fmt: skip
START = ("Copper",) * 7 + ("Estate",) * 3
LATER = (*START, *("Silver",) * 4, *("Gold",) * 2)
TURNS = 4000


class Average(NamedTuple):
    """What the turns of a deck gave on average."""

    coins: float
    five: float  # the share of turns with at least 5 coins
    eight: float
    terminals: float  # played


@cache
def dealt(deck: tuple[str, ...]) -> Average:
    """Deal and play a deck many times."""
    rng, totals = Random(7), [0.0] * 4
    for _ in range(TURNS):
        coins, terminals = played(rng.sample(deck, len(deck)))
        for index, number in enumerate((coins, coins >= 5, coins >= 8, terminals)):
            totals[index] += number / TURNS
    return Average(*totals)


def played(deck: list[str]) -> tuple[int, int]:
    """Play a turn; return its coins and the number of actions that did not give back their action."""
    hand, deck, actions, coins, terminals = deck[:5], deck[5:], 1, 0, 0
    while actions and any(card in ACTIONS for card in hand):
        card = max((card for card in hand if card in ACTIONS), key=lambda card: (ACTIONS[card][1] > 0, ACTIONS[card]))
        hand.remove(card)
        cards, more, extra = ACTIONS[card]
        actions, coins, terminals = actions - 1 + more, coins + extra, terminals + (more == 0)
        hand, deck = hand + deck[:cards], deck[cards:]
    return coins + sum(COINS.get(card, 0) for card in hand), terminals


@pytest.mark.parametrize("base", [START, LATER])
@pytest.mark.parametrize("cards", [
    "", *ACTIONS, "Laboratory Laboratory", "Laboratory Laboratory Laboratory", "Market Market", "Village Village",
    "Festival Festival", "Smithy Smithy", "Witch Witch", "Council Room Council Room", "Laboratory Smithy",
    "Village Smithy", "Festival Militia", "Market Laboratory Witch",
])  # fmt: skip
def test_coins_and_plays_of_a_turn(base: tuple[str, ...], cards: str) -> None:
    deck = (*base, *cards.replace("Council Room", "Council_Room").split())
    deck = tuple(card.replace("_", " ") for card in deck)
    truth, turn = dealt(deck), expected_turn(deck_sums(parts(), [DEFINITION.ids[card] for card in deck]), 5)
    assert turn.mean == pytest.approx(truth.coins, abs=0.16)
    assert turn.chance(5) == pytest.approx(truth.five, abs=0.08)
    assert turn.chance(8) == pytest.approx(truth.eight, abs=0.06)
    terminals = [card for card in deck if card in ACTIONS and not ACTIONS[card][1]]
    if terminals:
        assert turn.rate * len(terminals) == pytest.approx(truth.terminals, abs=0.05)


def parts(prices: tuple[tuple[int, int], ...] = ()) -> tuple[object, ...]:
    return tuple(sums_of(facts, price_list(prices)) for facts in card_facts(DEFINITION))


def test_one_more_laboratory_adds_the_coins_of_dealt_hands() -> None:
    """A Laboratory that draws cards is not among them, so the first one adds less than a share of the whole deck."""
    ids = DEFINITION.ids
    for number in range(3):
        decks = [(*START, *("Laboratory",) * copies) for copies in (number, number + 1)]
        estimate = [strength(deck_sums(parts(), [ids[card] for card in deck]), 5).buying_power / 100 for deck in decks]
        assert estimate[1] - estimate[0] == pytest.approx(dealt(decks[1]).coins - dealt(decks[0]).coins, abs=0.06)


def test_cards_that_an_action_can_trash() -> None:
    """From the rule book: Sentry looks at two cards, Chapel trashes four, Remodel and Moneylender one."""
    facts = card_facts(DEFINITION)
    trashed = {"Sentry": 2, "Chapel": 4, "Remodel": 1, "Moneylender": 1, "Mine": 1, "Smithy": 0, "Bandit": 0}
    assert {card: facts[DEFINITION.ids[card]].trashes for card in trashed} == trashed


def test_strength_follows_the_numbers_of_a_turn() -> None:
    """Gold alone: five cards make 15 coins, and a turn can always buy what costs 8 for 6 points."""
    gold = deck_sums(parts(((8, 600), (2, 100))), [DEFINITION.ids["Gold"]] * 10)
    power = strength(gold, 5, price_list([(8, 600), (2, 100)]))
    assert (power.buying_power, power.scoring, power.collisions, power.cursing) == (1500, 600, 0, 0)
