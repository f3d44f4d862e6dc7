"""Helpers for the tests of real cards, which are skipped without the extra `cards`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import pytest

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.real_card_index import INSTALL, installed
from planner.games.hearthstone.cards.real_cards import PARTIAL, real_cards

needs_real_cards = pytest.mark.skipif(not installed(), reason=f"no real cards here: {INSTALL}")
SHARED: Final = Path(__file__).parents[5] / "shared" / "data"


def real(name: str) -> Card:
    """Return the real card with this name, dbf number or id, also if the catalogue has one."""
    return real_cards().card(real_cards().named(name))


def kind(name: str) -> str:
    """Return the class of a card: exact, vanilla or partial."""
    return real_cards().kind(real_cards().named(name))


@cache
def known() -> tuple[Card, ...]:
    """Return all exact and vanilla cards, each once."""
    cards = {real_cards().card(one): None for one in real_cards().collectible() if real_cards().kind(one) != PARTIAL}
    return tuple(cards)
