"""Decks: a name, a class and a list of `count x card name`, read from YAML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, shipped_folder
from planner.formats.values import ErrorCollector, Fields, text
from planner.games.hearthstone.cards import catalogue, keywords
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import Catalogue

LINE = re.compile(r"^([0-9]{1,4})\s*x\s+(\S.*)$")
FIELDS = ("name", "class", "cards", "keep_keywords", "sideboard")
_TOURIST = re.compile(r"([A-Z][a-z]+(?: [A-Z][a-z]+)?) Tourist")
_LARGER = "Prince Renathal"  # a deck with him has ten cards more


@dataclass(frozen=True)
class Deck:
    """The cards that a player brings."""

    name: str
    hero_class: str
    cards: tuple[Card, ...]
    power: Card | None = None
    sideboard: tuple[tuple[Card, Card], ...] = ()  # cards that lie beside the deck, each with the card it is for


def deck_names() -> list[str]:
    """The decks that come with the project."""
    return sorted(path.stem for path in shipped_folder("decks").glob("*.yaml"))


def load_deck(which: str | Path, cards: Catalogue | None = None, size: int = 30, copies: int = 2) -> Deck:
    """A deck of ours by name, a YAML file by path, or a deck code; `size` and `copies` are the ruleset's."""
    known = catalogue.standard() if cards is None else cards
    if str(which) in deck_names():
        return _read(shipped_folder("decks") / f"{which}.yaml", known, size, copies)
    if isinstance(which, Path) or which.endswith((".yaml", ".yml")):
        return _read(Path(which), known, size, copies)
    if which.lstrip().startswith(("AAE", "###")):
        from planner.games.hearthstone.cards.deck_codes import deck_from_code  # noqa: PLC0415  (an extra)

        deck = deck_from_code(which)
        if (problem := _size_problem(deck.cards, size)) is not None:
            raise PlannerError(f"{quote(which)}: {problem}")
        return deck
    raise PlannerError(
        f"{quote(which)} is not a deck{did_you_mean(which, deck_names())} (or give a YAML file, or a deck code)"
    )


def _read(path: Path, known: Catalogue, size: int, copies: int) -> Deck:
    file = Fields.of_file(path, "a deck", "with name, class and cards")
    file.check_keys(FIELDS, ("name", "class", "cards"))
    collector = ErrorCollector()
    title, hero_class, lines = "", file.entry["class"], file.entry["cards"]
    with collector:
        title = file.read("name", text)
    with collector:
        if hero_class not in CLASSES:
            raise file.error(f"class: {quote(hero_class)} is not a class{did_you_mean(hero_class, CLASSES)}", "class")
    with collector:
        if not isinstance(lines, YamlList):
            raise file.error("cards: is a list of lines such as '2 x Wolfrider'", "cards")
        cards = _cards(path, lines, known, hero_class, copies)
        if (problem := _size_problem(cards, size)) is not None:
            raise file.error(problem, "cards")
    with collector:
        mask = file.read("keep_keywords", _keywords)
    side: tuple[tuple[Card, Card], ...] = ()
    with collector:
        side = _sideboard(path, file.entry["sideboard"], known) if "sideboard" in file else ()
    collector.raise_if_any()
    cards = cards if mask is None else _bodies(cards, mask)
    return Deck(title, hero_class, tuple(cards), known.hero_powers.get(hero_class), side)


def _size_problem(cards: Sequence[Card], size: int) -> str | None:
    wanted = size + 10 if any(card.name == _LARGER for card in cards) else size
    return None if len(cards) == wanted else f"{len(cards)} cards, a deck has {wanted}"


def _card(place: str, name: str, known: Catalogue) -> Card:
    """The card of this name: one of ours, or a real one where the extra `cards` is installed."""
    if name in known:
        return known[name]
    from planner.games.hearthstone.cards.real_cards import find_real_card  # noqa: PLC0415  (only for a name that is not one of ours)

    card = find_real_card(name)
    if card is None:
        raise PlannerError(f"{place}: {quote(name)} is not a card{did_you_mean(name, known)}")
    return card


def _sideboard(path: Path, lines: Any, known: Catalogue) -> tuple[tuple[Card, Card], ...]:
    side: list[tuple[Card, Card]] = []
    for line in lines if isinstance(lines, list) else [lines]:
        found = LINE.match(line) if isinstance(line, str) else None
        name, _, owner = found[2].partition(" for ") if found else ("", "", "")
        if found is None or not owner:
            raise PlannerError(f"{path}: sideboard: {quote(line)} is not of the form '1 x Wolfrider for E.T.C.'")
        place = f"{path}: sideboard"
        side += [(_card(place, name.strip(), known), _card(place, owner.strip(), known))] * int(found[1])
    return tuple(side)


def _cards(path: Path, lines: YamlList, known: Catalogue, hero_class: str, copies: int) -> list[Card]:
    cards: list[Card] = []
    classes = {"neutral", *([hero_class] if hero_class in CLASSES else ())}
    foreign: list[tuple[int, Card]] = []
    collector = ErrorCollector()
    for number, line in zip(lines.lines, lines, strict=True):
        with collector:
            found = LINE.match(line) if isinstance(line, str) else None
            if found is None:
                raise PlannerError(f"{path}:{number}: {quote(line)} is not of the form '2 x Wolfrider'")
            count, name = int(found[1]), found[2].strip()
            card = _card(f"{path}:{number}", name, known)
            if card.token or card.type == "hero_power":
                raise PlannerError(f"{path}:{number}: {name} is made by other cards and cannot be in a deck")
            if (guest := _TOURIST.search(card.text)) is not None:  # a deck with a tourist has cards of another class
                classes.add(guest[1].replace(" ", "").lower())
            if classes.isdisjoint(card.card_class.split("/")):
                foreign.append((number, card))
            total = count and count + cards.count(card)
            if not 1 <= total <= copies:
                raise PlannerError(f"{path}:{number}: {total} x {name}, a deck has 1 to {copies} of a card")
            cards.extend([card] * count)
    for number, card in foreign:
        with collector:
            if hero_class in CLASSES and classes.isdisjoint(card.card_class.split("/")):
                why = f"{card.name} is a {card.card_class} card, this is a {hero_class} deck"
                raise PlannerError(f"{path}:{number}: {why}")
    collector.raise_if_any()
    return cards


def _keywords(given: Any) -> int:
    if not isinstance(given, list) or not all(word in keywords.NAMES for word in given):
        raise PlannerError(f"{quote(given)} is not a list of keywords")
    return keywords.bits(given)


def _bodies(cards: list[Card], mask: int) -> list[Card]:
    """The bare bodies of the cards with only these keywords: no text, no other keywords."""
    return [
        replace(card, keywords=card.keywords & mask, effects=(), overload=0, spell_damage=0, text="") for card in cards
    ]
