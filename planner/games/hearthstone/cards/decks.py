"""Decks in YAML: a name, a class and a list of `count x card name`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from planner.errors import PlannerError, did_you_mean, quote, suggest
from planner.formats.documents import YamlList, is_file_name, shipped_folder
from planner.formats.values import ErrorCollector, Fields, one_of, text
from planner.games.hearthstone.cards import catalogue
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.field_kinds import KEYWORDS

LINE = re.compile(r"^([0-9]{1,4})\s*x\s+(\S.*)$")
FIELDS = ("name", "class", "cards", "keep_keywords", "sideboard", "format")
FORMATS = {"wild": 1, "standard": 2, "classic": 3, "twist": 4}  # with their numbers in deck codes
_TOURIST = re.compile(r"([A-Z][a-z]+(?: [A-Z][a-z]+)?) Tourist")
_ENLARGES_DECK = "Prince Renathal"  # a deck with this card has ten more cards


@dataclass(frozen=True)
class Deck:
    """The deck of a player."""

    name: str
    hero_class: str
    cards: tuple[Card, ...]
    power: Card | None = None
    sideboard: tuple[tuple[Card, Card], ...] = ()  # cards outside the deck, each with the card that uses it
    format: str = ""  # one of FORMATS, if it is known; only deck codes use it


def deck_names() -> list[str]:
    """Return the names of the decks that come with the project."""
    return sorted(path.stem for path in shipped_folder("decks").glob("*.yaml"))


def load_deck(source: str | Path, cards: Catalogue | None = None, size: int = 30, copies: int = 2) -> Deck:
    """Load a deck by name, from a YAML file or from a deck code; `size` and `copies` are those of the ruleset."""
    known = catalogue.standard() if cards is None else cards
    if str(source) in deck_names():
        return _read(shipped_folder("decks") / f"{source}.yaml", known, size, copies)
    if isinstance(source, Path) or is_file_name(source):
        return _read(Path(source), known, size, copies)
    if source.lstrip().startswith(("AAE", "###")):
        from planner.games.hearthstone.cards.deck_codes import deck_from_code  # noqa: PLC0415  (an extra)

        deck = deck_from_code(source)
        if (problem := _size_problem(deck.cards, size)) is not None:
            raise PlannerError(f"{quote(source)}: {problem}")
        return deck
    raise PlannerError(
        f"unknown deck {quote(source)}{did_you_mean(source, deck_names())} (or give a YAML file, or a deck code)"
    )


def _read(path: Path, known: Catalogue, size: int, copies: int) -> Deck:
    file = Fields.of_file(path, "a deck", "with name, class and cards")
    collector = ErrorCollector()
    with collector:
        file.check_keys(FIELDS, ("name", "class", "cards"))
    hero_class, lines = file.entry.get("class"), file.entry.get("cards", YamlList())
    cards: list[Card] = []
    title = collector.attempt(lambda: file.read("name", text), "")
    with collector:
        if "class" in file and hero_class not in CLASSES:
            raise file.error(f"class: unknown class {quote(hero_class)}{suggest(hero_class, CLASSES)}", "class")
    with collector:
        if not isinstance(lines, YamlList):
            raise file.error("cards: must be a list of lines such as '2 x Wolfrider'", "cards")
        cards = _cards(path, lines, known, hero_class, copies) if "cards" in file else []
        if "cards" in file and (problem := _size_problem(cards, size)) is not None:
            raise file.error(problem, "cards")
    mask = collector.attempt(lambda: file.read("keep_keywords", KEYWORDS.read), None)
    side: tuple[tuple[Card, Card], ...] = ()
    if "sideboard" in file:
        side = collector.attempt(lambda: _sideboard(path, file.entry["sideboard"], known), ())
    deck_format = collector.attempt(lambda: file.read("format", partial(one_of, choices=FORMATS), ""), "")
    collector.raise_if_any()
    cards = cards if mask is None else _without_text(cards, mask)
    return Deck(title, str(hero_class), tuple(cards), known.hero_powers.get(str(hero_class)), side, deck_format)


def _size_problem(cards: Sequence[Card], size: int) -> str | None:
    expected = size + 10 if any(card.name == _ENLARGES_DECK for card in cards) else size
    return None if len(cards) == expected else f"{len(cards)} cards; a deck has {expected}"


def _card(place: str, name: str, known: Catalogue) -> Card:
    card = catalogue.find_card(name, known)
    if card is None:
        raise PlannerError(f"{place}: unknown card {quote(name)}{did_you_mean(name, known)}")
    return card


def _sideboard(path: Path, lines: Any, known: Catalogue) -> tuple[tuple[Card, Card], ...]:
    side: list[tuple[Card, Card]] = []
    for line in lines if isinstance(lines, list) else [lines]:
        match = LINE.match(line) if isinstance(line, str) else None
        name, _, owner = match[2].partition(" for ") if match else ("", "", "")
        if match is None or not owner:
            raise PlannerError(f"{path}: sideboard: {quote(line)} must have the form '1 x Wolfrider for E.T.C.'")
        place = f"{path}: sideboard"
        side += [(_card(place, name.strip(), known), _card(place, owner.strip(), known))] * int(match[1])
    return tuple(side)


def _cards(path: Path, lines: YamlList, known: Catalogue, hero_class: Any, copies: int) -> list[Card]:
    cards: list[Card] = []
    classes = {"neutral", *([hero_class] if hero_class in CLASSES else ())}
    foreign: list[tuple[int, Card]] = []
    collector = ErrorCollector()
    for number, line in zip(lines.lines, lines, strict=True):
        with collector:
            match = LINE.match(line) if isinstance(line, str) else None
            if match is None:
                raise PlannerError(f"{path}:{number}: {quote(line)} must have the form '2 x Wolfrider'")
            count, name = int(match[1]), match[2].strip()
            card = _card(f"{path}:{number}", name, known)
            if card.token or card.type == "hero_power":
                raise PlannerError(f"{path}:{number}: {name} is created by other cards and cannot be in a deck")
            if (guest := _TOURIST.search(card.text)) is not None:  # a tourist allows cards of another class
                classes.add(guest[1].replace(" ", "").lower())
            if classes.isdisjoint(card.card_class.split("/")):
                foreign.append((number, card))
            total = count and count + cards.count(card)
            if not 1 <= total <= copies:
                raise PlannerError(f"{path}:{number}: {total} x {name}; a deck has 1 to {copies} copies of a card")
            cards.extend([card] * count)
    for number, card in foreign:
        with collector:
            if hero_class in CLASSES and classes.isdisjoint(card.card_class.split("/")):
                problem = f"{card.name} is a {card.card_class} card, but this is a {hero_class} deck"
                raise PlannerError(f"{path}:{number}: {problem}")
    collector.raise_if_any()
    return cards


def _without_text(cards: list[Card], mask: int) -> list[Card]:
    """Return the cards as vanilla minions that keep only these keywords."""
    return [
        replace(card, keywords=card.keywords & mask, effects=(), overload=0, spell_damage=0, text="") for card in cards
    ]
