"""The catalogue: all cards, read from YAML files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping, load_yaml
from planner.formats.values import ErrorCollector
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.card_format import parse_card

FOLDER: Final = Path(__file__).parent / "data"
# The types of the cards that an effect may create.
CREATED_TYPES: Final = {
    "summon": ("minion",),
    "transform": ("minion",),
    "equip": ("weapon",),
    "mana": ("spell",),
    "add": ("minion", "spell", "weapon"),
}


class Catalogue(Mapping[str, Card]):
    """Cards by name, and the hero power of each class."""

    def __init__(self, cards: Iterable[Card]) -> None:
        self._cards = {card.name: card for card in cards}
        self.by_word = _by_word(self._cards)  # by name, id and dbf number
        self.hero_powers = {card.card_class: card for card in self._cards.values() if card.type == "hero_power"}

    def __getitem__(self, name: str) -> Card:
        try:
            return self._cards[name]
        except KeyError:
            raise PlannerError(f"unknown card {quote(name)}{did_you_mean(name, self._cards)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._cards

    def __iter__(self) -> Any:
        return iter(self._cards)

    def __len__(self) -> int:
        return len(self._cards)

    def find(self, word: str | int) -> Card | None:
        """Return the card with this name, id or dbf number (`CS2_182`, 1370 or `1370`), or None."""
        return self.by_word.get(str(word))

    def extended(self, *paths: Path) -> Catalogue:
        """Return this catalogue with the cards of these files; a card with a known name replaces the known one."""
        return Catalogue([*self._cards.values(), *_read(paths, self._cards)])


def _by_word(cards: Mapping[str, Card]) -> dict[str, Card]:
    words: dict[str, Card] = {}
    for card in cards.values():  # later cards replace earlier ones, and names go before ids
        words.update({word: card for word in (card.id, str(card.dbf)) if word not in ("", "0")})
    return {**words, **cards}


@cache
def standard() -> Catalogue:
    """Return the cards that come with the project."""
    return Catalogue(_read(sorted(FOLDER.glob("*.yaml")), {}))


def find_card(name: str, known: Catalogue | None = None) -> Card | None:
    """Return the card with this name: a known one, or one of the real game if the extra `cards` is installed."""
    cards = standard() if known is None else known
    if name in cards:
        return cards[name]
    from planner.games.hearthstone.cards.real_cards import find_real_card  # noqa: PLC0415  (only for unknown names)

    return find_real_card(name)


def _read(paths: Iterable[Path], known: Mapping[str, Card]) -> list[Card]:
    places: dict[str, str] = {}
    cards: list[Card] = []
    collector = ErrorCollector()
    for path in paths:
        document = load_yaml(path)
        if not isinstance(document, YamlList):
            raise PlannerError(f"{path}:1: a card file is a list of cards")
        for line, entry in zip(document.lines, document, strict=True):
            with collector:
                place = f"{path}:{line}"
                card = _card(path, place, entry)
                if card.name in places:
                    raise PlannerError(f"{place}: duplicate card {card.name!r}, also at {places[card.name]}")
                places[card.name] = place
                cards.append(card)
    collector.raise_if_any()
    all_cards = {**known, **{card.name: card for card in cards}}
    for card in cards:
        with collector:
            link_effects(card, all_cards, f"{places[card.name]}: {card.name}")
    collector.raise_if_any()
    return cards


def link_effects(card: Card, cards: Mapping[str, Card], place: str) -> None:
    """Look up the cards that its effects create. All cards must exist by then, since a card may create itself."""
    for effect in card.effects:
        for name in effect.card:
            if name not in cards:
                raise PlannerError(f"{place}: unknown card {quote(name)}{did_you_mean(name, cards)}")
            if cards[name].type not in CREATED_TYPES[effect.do]:
                expected = " or ".join(CREATED_TYPES[effect.do])
                raise PlannerError(f"{place}: {name} is a {cards[name].type}, but {effect.do} needs a {expected}")
        object.__setattr__(effect, "made", tuple(cards[name] for name in effect.card))


def _card(path: Path, place: str, entry: Any) -> Card:
    if not isinstance(entry, YamlMapping) or "name" not in entry:
        raise PlannerError(f"{place}: must be a card with at least a name, got {quote(entry)}")

    def error(key: str, problem: str, item: int | None = None) -> PlannerError:
        name, line = quote(entry["name"]).strip("'\""), entry.lines.get(key, entry.line)
        if item is not None and isinstance(entry[key], YamlList):
            line = entry[key].lines[item]
        return PlannerError(f"{path}:{line}: {name}: {problem}")

    return parse_card(entry, error)
