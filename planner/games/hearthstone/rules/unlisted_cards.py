"""Cards that are not in the catalogue: those of the real game, and those of which only the numbers are known."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.rules.state import printed_numbers

DEFAULT_NAMES: Final = {"minion": "Minion", "weapon": "Weapon", "spell": "Spell", "hero_power": "Hero Power"}
_NOT_LISTED: Final = "a card that is not in the catalogue"


@lru_cache(maxsize=4096, typed=True)  # equal arguments give the same card, so what is computed for it is computed once
def unlisted_card(
    name: str,
    card_type: str,
    cost: int,
    attack: int,
    health: int,
    keywords: int,
    value: int | float,
    tribes: tuple[str, ...] = (),
    spell_damage: int = 0,
) -> Card:
    """Return a card of which only the numbers are known. If it has a name, it may also have an unknown text."""
    unread = "" if name == DEFAULT_NAMES.get(card_type) else _NOT_LISTED
    return Card(
        name, card_type, cost, attack, health, keywords,
        value=value, tribes=tribes, spell_damage=spell_damage, unread=unread,
    )  # fmt: skip


def unlisted_minion_card(minion: Any, name: str, tribes: tuple[str, ...], spell_damage: int) -> Card:
    """Return the card that the reader gives to a minion whose name is not known."""
    return _unlisted_minion_card(name, *printed_numbers(minion), tribes, spell_damage)


@lru_cache(maxsize=4096)  # with fewer arguments, all of a fixed type, a third of the time of `unlisted_card`
def _unlisted_minion_card(
    name: str, attack: int, health: int, keywords: int, tribes: tuple[str, ...], spell_damage: int
) -> Card:
    return unlisted_card(name, "minion", 0, attack, health, keywords, 1, tribes, spell_damage)


@lru_cache(maxsize=4096)  # the lookup asks a database, and a match names the same cards in every state
def real_card(name: str) -> Card | None:
    """Return the card of the real game with this name, if the extra `cards` is installed."""
    from planner.games.hearthstone.cards.real_cards import find_real_card  # noqa: PLC0415  (only for unlisted names)

    return find_real_card(name)
