"""Decks: a name, a class and a list of `count x card name`, read from YAML."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planner.files import Located, LocatedList, PlannerError, load_yaml, nearest, shipped, show
from planner.games.hearthstone.cards import catalogue, keywords
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import Catalogue

_LINE = re.compile(r"^([0-9]{1,4})\s*x\s+(\S.*)$")
_FIELDS = ("name", "class", "cards", "keep_keywords")
_Refuse = Callable[[str, str], PlannerError]


@dataclass(frozen=True)
class Deck:
    """The cards that a player brings."""

    name: str
    hero_class: str
    cards: tuple[Card, ...]
    power: Card | None = None


def deck_names() -> list[str]:
    """The decks that come with the project."""
    return sorted(path.stem for path in shipped("decks").glob("*.yaml"))


def load_deck(which: str | Path, cards: Catalogue | None = None, size: int = 30, copies: int = 2) -> Deck:
    """A deck of ours by name, or a YAML file by path; `size` and `copies` are the ruleset's."""
    known = catalogue.standard() if cards is None else cards
    if str(which) in deck_names():
        return _read(shipped("decks") / f"{which}.yaml", known, size, copies)
    if isinstance(which, Path) or which.endswith((".yaml", ".yml")):
        return _read(Path(which), known, size, copies)
    raise PlannerError(f"{which!r} is not a deck{nearest(which, deck_names())} (or give a YAML file)")


def _read(path: Path, known: Catalogue, size: int, copies: int) -> Deck:
    document = load_yaml(path)
    if not isinstance(document, Located):
        raise PlannerError(f"{path}:1: a deck is a mapping with name, class and cards")

    def refuse(key: str, why: str) -> PlannerError:
        return PlannerError(f"{path}:{document.lines.get(key, document.line)}: {why}")

    for key in document:
        if key not in _FIELDS:
            raise refuse(key, f"{key!r} is not a field of a deck{nearest(key, _FIELDS)}")
    for key in ("name", "class", "cards"):
        if key not in document:
            raise refuse(key, f"a deck needs {key!r}")
    hero_class = document["class"]
    if hero_class not in CLASSES:
        raise refuse("class", f"{show(hero_class)} is not a class{nearest(show(hero_class), CLASSES)}")
    if not isinstance(document["cards"], LocatedList):
        raise refuse("cards", "cards is a list of lines such as '2 x Wolfrider'")
    cards = _cards(path, document["cards"], known, hero_class, copies)
    if len(cards) != size:
        raise refuse("cards", f"{len(cards)} cards, a deck has {size}")
    if "keep_keywords" in document:
        cards = _plain(cards, document["keep_keywords"], refuse)
    return Deck(str(document["name"]), hero_class, tuple(cards), known.hero_powers.get(hero_class))


def _cards(path: Path, lines: LocatedList, known: Catalogue, hero_class: str, copies: int) -> list[Card]:
    cards: list[Card] = []
    for number, line in zip(lines.lines, lines, strict=True):
        found = _LINE.match(line) if isinstance(line, str) else None
        if found is None:
            raise PlannerError(f"{path}:{number}: {show(line)} is not of the form '2 x Wolfrider'")
        count, name = int(found[1]), found[2].strip()
        if name not in known:
            raise PlannerError(f"{path}:{number}: {name!r} is not a card{nearest(name, known)}")
        card = known[name]
        if card.token or card.type == "hero_power":
            raise PlannerError(f"{path}:{number}: {name} is made by other cards and cannot be in a deck")
        if card.card_class not in ("neutral", hero_class):
            raise PlannerError(f"{path}:{number}: {name} is a {card.card_class} card, this is a {hero_class} deck")
        total = count and count + cards.count(card)
        if not 1 <= total <= copies:
            raise PlannerError(f"{path}:{number}: {total} x {name}, a deck has 1 to {copies} of a card")
        cards.extend([card] * count)
    return cards


def _plain(cards: list[Card], kept: Any, refuse: _Refuse) -> list[Card]:
    """The bare bodies of the cards with only these keywords: no text, no other keywords."""
    if not isinstance(kept, list) or not all(word in keywords.NAMES for word in kept):
        raise refuse("keep_keywords", f"keep_keywords {show(kept)} is not a list of keywords")
    mask = keywords.bits(kept)
    return [
        replace(card, keywords=card.keywords & mask, effects=(), overload=0, spell_damage=0, text="")
        for card in cards
    ]
