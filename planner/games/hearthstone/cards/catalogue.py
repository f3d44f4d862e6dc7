"""The catalogue: every card that exists, read from YAML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from planner.files import Located, LocatedList, PlannerError, load_yaml, nearest, show
from planner.games.hearthstone.cards import keywords
from planner.games.hearthstone.cards.card import CLASSES, TYPES, Card
from planner.games.hearthstone.cards.effects import EFFECTS, HOOKS, TRIBES, TRIGGERS, Effect, Target

FOLDER: Final = Path(__file__).parent / "data"
NUMBERS: Final = ("cost", "attack", "health", "overload", "spell_damage")
WORDS: Final = ("name", "type", "class", "tribes", "keywords", "effects", "value", "id", "text", "token")
CARD_FIELDS: Final = (*WORDS, *NUMBERS)
LARGEST: Final = 10**6  # of any number on a card or in a state
MADE: Final = {"summon": "minion", "equip": "weapon", "mana": "spell"}
Refuse = Callable[[str, str], PlannerError]  # the key and what is wrong with it


class Catalogue(Mapping[str, Card]):
    """Cards by name, and the hero power of each class."""

    def __init__(self, cards: Iterable[Card]) -> None:
        self._cards = {card.name: card for card in cards}
        self.hero_powers = {card.card_class: card for card in self._cards.values() if card.type == "hero_power"}

    def __getitem__(self, name: str) -> Card:
        try:
            return self._cards[name]
        except KeyError:
            raise PlannerError(f"{name!r} is not a card in the catalogue{nearest(name, self._cards)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._cards

    def __iter__(self) -> Any:
        return iter(self._cards)

    def __len__(self) -> int:
        return len(self._cards)

    def extended(self, *paths: Path) -> Catalogue:
        """This catalogue with a designer's own card files; a card of the same name replaces ours."""
        return Catalogue([*self._cards.values(), *_read(paths, self._cards)])


@cache
def standard() -> Catalogue:
    """The cards that come with the project."""
    return Catalogue(_read(sorted(FOLDER.glob("*.yaml")), {}))


def _read(paths: Iterable[Path], known: Mapping[str, Card]) -> list[Card]:
    places: dict[str, str] = {}
    cards: list[Card] = []
    for path in paths:
        document = load_yaml(path)
        if not isinstance(document, LocatedList):
            raise PlannerError(f"{path}:1: a card file is a list of cards")
        for line, entry in zip(document.lines, document, strict=True):
            place = f"{path}:{line}"
            card = _card(path, place, entry)
            if card.name in places:
                raise PlannerError(f"{place}: {card.name!r} is also at {places[card.name]}")
            places[card.name] = place
            cards.append(card)
    found = {**known, **{card.name: card for card in cards}}
    for card in cards:
        link(card, found, f"{places[card.name]}: {card.name}")
    return cards


def link(card: Card, found: Mapping[str, Card], place: str) -> None:
    """Look up the cards that its effects make. Only once all cards exist: a card may even make itself."""
    for effect in card.effects:
        for name in effect.card:
            if name not in found:
                raise PlannerError(f"{place}: no card {show(name)}{nearest(name, found)}")
            if found[name].type != MADE[effect.do]:
                raise PlannerError(f"{place}: {name} is a {found[name].type}, {effect.do} needs a {MADE[effect.do]}")
        object.__setattr__(effect, "made", tuple(found[name] for name in effect.card))


def _card(path: Path, place: str, entry: Any) -> Card:
    if not isinstance(entry, Located) or "name" not in entry:
        raise PlannerError(f"{place}: {show(entry)} is not a card: a card has at least a name")
    name = show(entry["name"]).strip("'\"")

    def refuse(key: str, why: str) -> PlannerError:
        return PlannerError(f"{path}:{entry.lines.get(key, entry.line)}: {name}: {why}")

    return parse_card(entry, refuse)


def parse_card(entry: Mapping[str, Any], refuse: Refuse) -> Card:
    """The card that a mapping describes, in the words of a card file. What its effects make is not linked yet."""
    for key in entry:
        if key not in CARD_FIELDS:
            raise refuse(key, f"{key!r} is not a field of a card{nearest(key, CARD_FIELDS)}")
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise refuse("name", f"name {show(name)} is not text")
    for key in NUMBERS:
        number = entry.get(key, 0)
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= LARGEST:
            raise refuse(key, f"{key} {show(number)} is not a whole number of at least 0 and at most {LARGEST}")
    card_type = entry.get("type", "minion")
    if card_type not in TYPES:
        raise refuse("type", f"type {show(card_type)} is not one of {', '.join(TYPES)}")
    if card_type in ("minion", "weapon") and entry.get("health", 0) < 1:
        raise refuse("health", f"health {entry.get('health', 0)}: a {card_type} starts with at least 1")
    card_class = entry.get("class", "neutral")
    if card_class not in (*CLASSES, "neutral"):
        raise refuse("class", f"class {show(card_class)} is not a class{nearest(show(card_class), CLASSES)}")
    value = entry.get("value", 1)
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) <= LARGEST:
        raise refuse("value", f"value {show(value)} is not a number of at most {LARGEST}")
    token = entry.get("token", False)
    if not isinstance(token, bool):
        raise refuse("token", f"token {show(token)} is not true or false")
    parsed: dict[str, Any] = {}
    for key, parse in (("tribes", _tribes), ("keywords", _keywords), ("effects", _effects)):
        try:
            parsed[key] = parse(entry.get(key, []))
        except (ValueError, TypeError) as error:
            raise refuse(key, str(error)) from None
    card = Card(
        name=name,
        type=card_type,
        card_class=card_class,
        value=value,
        id=str(entry.get("id", "")),
        text=str(entry.get("text", "")),
        token=token,
        **parsed,
        **{key: entry.get(key, 0) for key in NUMBERS},
    )
    choices = {effect.to for effect in card.effects if effect.chosen}
    if len(choices) > 1:
        raise refuse("effects", f"{len(choices)} different chosen targets; a player chooses one")
    for effect in card.effects:
        if effect.on != "play" and card_type != "minion":
            raise refuse("effects", f"effect {effect.do} on {effect.on}: only a minion waits for that")
    return card


def _known(kind: str, word: Any, words: Iterable[str]) -> str:
    if word not in words:
        raise ValueError(f"{kind} {show(word)} is unknown{nearest(show(word), words)}")
    return str(word)


def _list(kind: str, entries: Any) -> list[Any]:
    if not isinstance(entries, list):
        raise ValueError(f"{kind} {show(entries)} is not a list")
    return entries


def _tribes(entries: Any) -> tuple[str, ...]:
    return tuple(_known("tribe", tribe, TRIBES) for tribe in _list("tribes", entries))


def _effects(entries: Any) -> tuple[Effect, ...]:
    return tuple(_effect(effect) for effect in _list("effects", entries))


def _keywords(entries: Any) -> int:
    return keywords.bits(_known("keyword", word, keywords.NAMES) for word in _list("keywords", entries))


def _effect(entry: Any) -> Effect:
    if not isinstance(entry, dict) or "do" not in entry:
        raise ValueError(f"effect {show(entry)} has no 'do'")
    do = _known("effect", entry["do"], EFFECTS)
    needs, may = EFFECTS[do]
    fields: dict[str, Any] = {}
    for key in needs:
        if key not in entry:
            raise ValueError(f"effect {do} needs {key!r}")
    for key, value in entry.items():
        if key not in ("do", "on", "combo", *needs, *may):
            raise ValueError(f"effect {do} takes no {key!r}{nearest(key, (*needs, *may))}")
        fields[key] = _effect_value(key, value)
    effect = Effect(**fields)
    if do == "hook":
        _known("hook", effect.name, HOOKS)
    if effect.empty and not effect.crystals:
        raise ValueError("effect mana: only crystals can be empty")
    if do == "mana" and effect.card and not effect.crystals:
        raise ValueError("effect mana: only where crystals find no place does a card come instead")
    if do == "buff" and not (effect.attack or effect.health or effect.keywords):
        raise ValueError("effect buff gives nothing: say attack, health or keywords")
    if effect.health and effect.this_turn:
        raise ValueError("effect buff: health is for good, only attack and keywords are for this turn")
    if effect.count < 0 or (effect.amount < 0 and do != "mana"):
        raise ValueError(f"effect {do} takes nothing below 0: only mana can be taken away")
    if effect.on == "aura" and (do != "buff" or effect.keywords or effect.this_turn):
        raise ValueError("an aura is a buff of attack or health")
    if effect.on != "play" and (effect.chosen or effect.combo is not None):
        raise ValueError(f"only a card being played has a {'chosen target' if effect.chosen else 'combo'}")
    return effect


def _effect_value(key: str, value: Any) -> Any:
    if key in ("amount", "count", "attack", "health"):
        if not isinstance(value, int) or isinstance(value, bool) or not abs(value) <= LARGEST:
            raise ValueError(f"{key} {show(value)} is not a whole number of at most {LARGEST}")
        return value
    if key in ("split", "this_turn", "crystals", "empty", "combo"):
        if not isinstance(value, bool):
            raise ValueError(f"{key} {show(value)} is not true or false")
        return value
    if key == "to":
        return Target.parse(value if isinstance(value, str) else show(value))
    if key == "keywords":
        return _keywords(value)
    if key == "card":
        names = value if isinstance(value, list) else [value]
        if not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"card {show(value)} is not a card's name, nor a list of names")
        return tuple(names)
    if key == "on":
        return _known("trigger", value, TRIGGERS)
    if key == "side":
        return _known("side", value, ("friendly", "enemy"))
    return str(value)
