"""Decks: a name, a class and a list of `count x card name`, read from YAML."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planner.files import LocatedList, PlannerError, nearest, shipped, show
from planner.games.hearthstone.cards import catalogue, keywords
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.reading import Fields, like

_LINE = re.compile(r"^([0-9]{1,4})\s*x\s+(\S.*)$")
_FIELDS = ("name", "class", "cards", "keep_keywords")


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
    file = Fields.of_file(path, "a deck", "with name, class and cards")
    file.check(_FIELDS, ("name", "class", "cards"))
    hero_class = file.entry["class"]
    if hero_class not in CLASSES:
        raise file.refuse(f"class: {show(hero_class)} is not a class{like(hero_class, CLASSES)}", "class")
    lines = file.entry["cards"]
    if not isinstance(lines, LocatedList):
        raise file.refuse("cards: is a list of lines such as '2 x Wolfrider'", "cards")
    cards = _cards(path, lines, known, hero_class, copies)
    if len(cards) != size:
        raise file.refuse(f"{len(cards)} cards, a deck has {size}", "cards")
    if "keep_keywords" in file:
        cards = _bodies(cards, file.at("keep_keywords", _keywords))
    return Deck(str(file.entry["name"]), hero_class, tuple(cards), known.hero_powers.get(hero_class))


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


def _keywords(given: Any) -> int:
    if not isinstance(given, list) or not all(word in keywords.NAMES for word in given):
        raise PlannerError(f"{show(given)} is not a list of keywords")
    return keywords.bits(given)


def _bodies(cards: list[Card], mask: int) -> list[Card]:
    """The bare bodies of the cards with only these keywords: no text, no other keywords."""
    return [
        replace(card, keywords=card.keywords & mask, effects=(), overload=0, spell_damage=0, text="")
        for card in cards
    ]
