"""What became of the cards of a deck in a battle, for tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from planner.game import DRAWN, PLAYED, UNSEEN, CardList
from planner.games.spire.rules import Setup
from planner.games.spire.state import Action, Battle


@lru_cache(maxsize=64)
def card_lists(setup: Setup) -> tuple[CardList, ...]:
    """The deck, under the name of the scenario; a card's upgrades are the same card."""
    library = setup.library
    return (CardList(setup.name, tuple(dict.fromkeys(library.card(title).name for title in setup.deck))),)


def cards_used(setup: Setup, states: Sequence[Battle], actions: Sequence[Action]) -> list[str]:
    """A card is drawn where it was in the hand."""
    played = {
        state.hand[action.place].name for state, action in zip(states, actions, strict=False) if action.type == "play"
    }
    seen = {card.name for state in states for card in state.hand} | played

    def sign(name: str) -> str:
        return PLAYED if name in played else DRAWN if name in seen else UNSEEN

    return ["".join(map(sign, card_lists(setup)[0].cards))]
