"""Deck codes, as players copy them from the real game: decode and encode decks."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from planner.errors import PlannerError, quote
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import CLASS_NUMBERS, CLASSES, Card
from planner.games.hearthstone.cards.decks import FORMATS, Deck
from planner.games.hearthstone.cards.real_card_index import INSTALL, Printed, installed
from planner.games.hearthstone.cards.real_cards import real_cards

_CODE: Final = re.compile(r"AAE[A-Za-z0-9+/]+={0,2}")
_MAX_LENGTH: Final = 2000
_MAX_CARDS: Final = 100


def _check_installed() -> None:
    if not installed():
        raise PlannerError(f"deck codes need an extra: {INSTALL}")


def find_code(text: str) -> str | None:
    """Return the code in a pasted text: the code alone, or with the lines that the game adds."""
    if len(text) > _MAX_LENGTH * 4:
        return None
    return next((line.strip() for line in text.splitlines() if _CODE.fullmatch(line.strip())), None)


def deck_from_code(text: str, name: str = "") -> Deck:
    """Decode a deck. Unknown cards and heroes raise a PlannerError with their numbers."""
    _check_installed()
    from hearthstone.deckstrings import parse_deckstring  # noqa: PLC0415  (an extra)

    code = find_code(text)
    if code is None or len(code) > _MAX_LENGTH:
        raise PlannerError(f"{quote(text)} is not a deck code: letters, digits, + and / that begin with AAE")
    try:
        counts, heroes, format_type, side = parse_deckstring(code)
    except (ValueError, TypeError, EOFError):  # the package raises several types
        raise PlannerError(f"{quote(code)} is not a complete deck code") from None
    if not counts:
        raise PlannerError(f"{quote(code)}: contains no cards")
    if len(heroes) != 1:
        raise PlannerError(f"{quote(code)}: a deck has one hero, this code has {len(heroes)}")
    real = real_cards()
    by_number = {number: real.by_dbf(number) for number, *_ in (*counts, *side, *((owner,) for *_, owner in side))}
    hero = real.by_dbf(heroes[0])
    unknown = sorted(number for number, printed in {**by_number, heroes[0]: hero}.items() if printed is None)
    if unknown:
        raise PlannerError(f"{quote(code)}: unknown dbf numbers {', '.join(map(str, unknown))}")
    if sum(count for _, count, *_ in (*counts, *side)) > _MAX_CARDS:
        raise PlannerError(f"{quote(code)}: more than {_MAX_CARDS} cards")
    hero_class = next((name for name in (hero.classes if hero else ()) if name in CLASSES), "")
    if not hero_class:
        raise PlannerError(f"{quote(code)}: unknown class of the hero {heroes[0]}")

    def card(number: int) -> Card:
        printed = by_number[number]
        assert isinstance(printed, Printed)  # unknown ones were reported
        return real.card(printed)

    title = re.search(r"^### (.+)$", text, re.MULTILINE)
    return Deck(
        name or (title[1].strip() if title else f"{hero_class} deck"),
        hero_class,
        tuple(card(number) for number, count in counts for _ in range(count)),
        catalogue.standard().hero_powers.get(hero_class),
        tuple((card(number), card(owner)) for number, count, owner in side for _ in range(count)),
        next((name for name, number in FORMATS.items() if number == int(format_type)), ""),
    )


def deck_to_code(deck: Deck) -> str:
    """Encode a deck. A card that the real game does not have raises a PlannerError."""
    _check_installed()
    from hearthstone.deckstrings import write_deckstring  # noqa: PLC0415  (an extra)
    from hearthstone.enums import FormatType  # noqa: PLC0415

    real = real_cards()

    def number(card: Card) -> int:
        printed = real.lookup(card.id) if card.id else None
        if printed is None or not printed.collectible:
            raise PlannerError(f"deck {deck.name}: {card.name} is not a card of the real game")
        return printed.dbf

    hero = real.lookup(f"HERO_{CLASS_NUMBERS[deck.hero_class]}")
    assert hero is not None  # each class has a hero
    counts = Counter(number(card) for card in deck.cards)
    side = Counter((number(card), number(owner)) for card, owner in deck.sideboard)
    sideboard = [(card, count, owner) for (card, owner), count in side.items()]
    deck_format = FormatType(FORMATS[deck.format or "wild"])
    return str(write_deckstring(list(counts.items()), [hero.dbf], deck_format, sideboard))
