"""Which cards the effects of other cards add to a hand or deck, for predictions of the opponent's cards."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.real_card_index import Index, Printed, index, installed
from planner.meta.known_decks import CreatedCards

_MARKUP: Final = re.compile(r"<[^>]*>|\[x\]|[_\s]+")
_ADDS: Final = re.compile(r"\b(add|shuffle|fill)\b.*\b(hand|deck)\b")
_TWICE: Final = re.compile(r"\b(add|shuffle) (two|2)\b")
_TURNS_INTO: Final = re.compile(r"\bto upgrade\b|\bbonus effect in your hand\b")
_CHOOSES: Final = re.compile(
    r"\bdiscover\b(?!.*\b(summon|cast|put) it\b)"
    r"|\b(random|cop(y|ies))\b.*\b(to|into) (your|each player's) (hand|deck)\b"
)
# The words of Schwensfeier 2019 (section 4.2.1): their cards probably change hands or decks.
_FILTER: Final = re.compile(r"\b(hand|add|shuffle|into|deck|discover)\b")


def plain_text(text: str) -> str:
    """Return a card's text in lower case, without markup."""
    return _MARKUP.sub(" ", text).strip().lower()


def may_change_cards(text: str) -> bool:
    """Return whether the text has a word of the filter of Schwensfeier 2019."""
    return _FILTER.search(plain_text(text)) is not None


def created_cards(names: Iterable[str]) -> tuple[CreatedCards, dict[str, int]]:
    """Return what the cards with these names create, and the costs of the created cards."""
    by_card: dict[str, tuple[str, ...]] = {}
    forms: dict[str, tuple[str, ...]] = {}
    generators = set()
    costs: dict[str, int] = {}
    for name in names:
        if name in standard():
            if added := tuple(_added_by_effects(name)):
                by_card[name] = added
                costs |= {card: standard()[card].cost for card in added}
        elif installed() and (printed := _collectible(index(), name)) is not None:
            text, related = plain_text(printed.text), _related(index(), printed)
            if _TURNS_INTO.search(text):
                forms[name] = tuple(card.name for card in related)
            elif _ADDS.search(text) and related:
                by_card[name] = tuple(card.name for card in related) * (2 if _TWICE.search(text) else 1)
            elif _CHOOSES.search(text):
                generators.add(name)
                continue
            else:
                continue
            costs |= {card.name: card.cost for card in related}
    return CreatedCards(by_card, forms, frozenset(generators)), costs


def _added_by_effects(name: str) -> Iterator[str]:
    for effect in standard()[name].effects:
        if effect.do == "add" and effect.side == "friendly" and len(effect.card) == 1:
            yield effect.card[0]


def _collectible(cards: Index, name: str) -> Printed | None:
    return next((card for card in cards.named(name) if card.collectible), None)


def _related(cards: Index, printed: Printed) -> list[Printed]:
    """Return the cards that belong to this one, each name once: by their ids, and the one that is shown beside it."""
    beside = cards.by_dbf(printed.related) if printed.related else None
    related = [*cards.made_by(printed.id), *([] if beside is None else [beside])]
    return list({card.name: card for card in related if card.name != printed.name}.values())
