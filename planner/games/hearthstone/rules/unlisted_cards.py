"""Cards that are not in the catalogue: those of the real game, and those of which only the numbers are known."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.keywords import STATUSES

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


# The fields of a minion from which its printed numbers are computed.
CHANGED_NUMBERS: Final = (
    "attack",
    "max_health",
    "keywords",
    "silenced",
    "attack_this_turn",
    "keywords_this_turn",
    "aura_attack",
    "aura_health",
)
_changed_numbers: Final = attrgetter(*CHANGED_NUMBERS)


@lru_cache(maxsize=4096)  # with arguments of fixed types, in less time than `unlisted_card`
def unlisted_minion_card(
    name: str,
    attack: int,
    max_health: int,
    keywords: int,
    silenced: bool,
    attack_this_turn: int,
    keywords_this_turn: int,
    aura_attack: int,
    aura_health: int,
    tribes: tuple[str, ...],
    spell_damage: int,
) -> Card:
    """Return the card of a minion whose name is not known.

    Its numbers are those of the minion without statuses, without what lasts only this turn and without what auras add.
    A silenced minion gained all its keywords after the silence.
    """
    attack = max(0, attack - attack_this_turn - aura_attack)
    keywords = 0 if silenced else keywords & ~(STATUSES | keywords_this_turn)
    return unlisted_card(name, "minion", 0, attack, max(1, max_health - aura_health), keywords, 1, tribes, spell_damage)


def unlisted_card_of(minion: Any, name: str, tribes: tuple[str, ...], spell_damage: int) -> Card:
    """Return the card that the reader gives to this minion if its name is not known."""
    return unlisted_minion_card(name, *_changed_numbers(minion), tribes, spell_damage)


@lru_cache(maxsize=4096)  # the lookup asks a database, and a match names the same cards in every state
def real_card(name: str) -> Card | None:
    """Return the card of the real game with this name, if the extra `cards` is installed."""
    from planner.games.hearthstone.cards.real_cards import find_real_card  # noqa: PLC0415  (only for unlisted names)

    return find_real_card(name)
