"""What became of the cards of both decks in a match, for tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from planner.game import DRAWN, PLAYED, UNSEEN, CardList
from planner.games.hearthstone.rules.actions import Action, Play, Trade
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.setup import MatchSetup


def card_lists(setup: MatchSetup) -> tuple[CardList, ...]:
    """Both decks."""
    return tuple(CardList(deck.name, tuple(dict.fromkeys(card.name for card in deck.cards))) for deck in setup.decks)


@lru_cache(maxsize=64)
def _places(setup: MatchSetup) -> tuple[dict[str, int], int, int]:
    """Where each card's id stands in the two lists, one behind the other, and their lengths."""
    found: dict[str, int] = {}
    first, second = card_lists(setup)
    for seat, (deck, listed) in enumerate(zip(setup.decks, (first, second), strict=True)):
        place = {name: number for number, name in enumerate(listed.cards, seat * len(first.cards))}
        for number, card in enumerate(deck.cards, 1):  # as they are numbered when they are dealt
            found[f"p{seat + 1}.{number}"] = place[card.name]
    return found, len(first.cards), len(second.cards)


def cards_used(setup: MatchSetup, states: Sequence[GameState], actions: Sequence[Action]) -> list[str]:
    """A card is drawn where it has left the deck, also if it was burnt or traded later; one put back before the first
    turn is not.
    """
    places, first, second = _places(setup)
    signs, last = [UNSEEN] * (first + second), states[-1]
    waiting = {held.id for player in (last.me, last.enemy) for held in player.deck}
    for name, place in places.items():
        if name not in waiting:
            signs[place] = DRAWN
    for action in actions:
        kind = type(action)
        if kind is Play or kind is Trade:
            used = places.get(action.card)  # type: ignore[union-attr]  # both have one
            if used is not None and signs[used] != PLAYED:  # and not what was made on the way
                signs[used] = PLAYED if kind is Play else DRAWN
    both = "".join(signs)
    return [both[:first], both[first:]]
