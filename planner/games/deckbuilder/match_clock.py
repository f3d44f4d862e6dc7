"""How many turns a match has left: an estimate from the piles that end it and from the decks of all players.

Players buy the cards of a pile that ends the match as often as their decks can pay for them, and a little more often
with every turn. Piles that end the match by their number empty at the rate at which all players gain cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf, sqrt
from typing import Final

from planner.games.deckbuilder.amounts import Amount, Condition
from planner.games.deckbuilder.deck_strength import (
    HUNDREDTHS,
    DeckSums,
    card_facts,
    deck_sums,
    expected_turn,
    strength,
    sums_of,
)
from planner.games.deckbuilder.definition import HEALTH
from planner.games.deckbuilder.table import owned_cards
from planner.games.deckbuilder.table_state import State

TYPICAL_TURNS: Final = 18  # of a whole match
_BOUGHT: Final = 0.6  # of the turns that can pay for a card that ends the match, so many buy it
_EMPTY_PILES: Final = Amount(0, ((1, "empty_piles"),))
_GROWTH: Final = 0.011  # half of what their share grows by in a turn


def turns_left(state: State) -> int:
    """Return how many turns each player can expect to take, this one included, in hundredths."""
    definition, match = state.match.definition, state.match
    rounds = (state.turn - 1) // len(state.players)
    limits: list[Fraction | float] = [TYPICAL_TURNS, definition.turn_limit - rounds]
    if definition.reserve:
        limits.append(Fraction(TYPICAL_TURNS * state.reserve, max(1, match.number(definition.reserve))))
    if definition.victory == HEALTH:
        least = min(player.health for player in state.players)
        limits.append(Fraction(TYPICAL_TURNS * least, max(1, definition.health)))
    parts = tuple(map(sums_of, card_facts(definition)))
    decks = [deck_sums(parts, (*owned_cards(player), *player.pool)) for player in state.players]
    hand_size = definition.hand_size.constant
    for rule, slots in match.ends:
        limits += [_until_bought(state, slot, decks, hand_size) for slot in slots]
        if (needed := empty_piles_needed(rule.condition)) > 1:
            limits.append(_until_empty(state, needed, decks, hand_size))
    return int(HUNDREDTHS * max(0, min(limits)))


def _until_bought(state: State, slot: int, decks: Sequence[DeckSums], hand_size: int) -> float:
    """Return the turns until all cards of a pile are bought, if every player buys one whenever it can be paid for."""
    left, top = state.left[slot], state.tops[slot]
    cost = state.match.definition.cards[top].cost if top >= 0 else None
    if not left or cost is None:
        return 0.0 if not left else inf
    chance = _BOUGHT * sum(expected_turn(deck, hand_size).chance(cost.constant) for deck in decks if deck.cards)
    growth = len(decks) * _GROWTH
    return (sqrt(chance * chance + 4 * growth * left) - chance) / (2 * growth)


def _until_empty(state: State, needed: int, decks: Sequence[DeckSums], hand_size: int) -> Fraction | float:
    """Return the turns until so many piles are empty, if the cards gained are divided among the piles as so far."""
    piles = sorted((left, size) for left, size in zip(state.left, state.match.sizes, strict=False) if size)
    gone = sum(size - left for left, size in piles)
    lowest = piles[:needed]
    taken = sum(size - left for left, size in lowest)
    if not taken:
        return inf
    gains = sum(HUNDREDTHS + strength(deck, hand_size).gained_cards for deck in decks)
    return Fraction(HUNDREDTHS * sum(left for left, _ in lowest) * gone, taken * gains)


def empty_piles_needed(condition: Condition) -> int:
    """Return n for the condition `empty_piles >= n`, and 0 for any other."""
    for relation in condition:
        if len(condition) == 1 and (relation.left, relation.operator) == (_EMPTY_PILES, ">="):
            return 0 if relation.right.terms else relation.right.constant
    return 0
