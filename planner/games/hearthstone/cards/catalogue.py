"""The catalogue: every card that exists, read from YAML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, TypeVar

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping, load_yaml
from planner.formats.values import (
    MAX_INTEGER,
    ErrorCollector,
    as_list,
    boolean,
    card_value,
    first_unknown_key,
    integer,
    one_of,
    read_field,
    text,
    unknown_field,
)
from planner.games.hearthstone.cards import keywords
from planner.games.hearthstone.cards.card import CLASSES, TYPES, Card
from planner.games.hearthstone.cards.effect_vocabulary import (
    EFFECTS,
    HOOKS,
    MAX_COUNT,
    MULTIPLIED,
    TRIBES,
    TRIGGERS,
    Effect,
    Target,
    parse_condition,
    parse_quantity,
)

FOLDER: Final = Path(__file__).parent / "data"
NUMBERS: Final = ("cost", "attack", "health", "overload", "spell_damage")
WORDS: Final = (
    "name", "type", "class", "tribes", "keywords", "effects", "value", "id", "dbf", "text", "token", "unread",
)  # fmt: skip
CARD_FIELDS: Final = (*WORDS, *NUMBERS)
TYPES_WITH_HEALTH: Final = ("minion", "weapon")  # they start with some health
MAX_NUMBER: Final = 10**6  # of any number on a card or in a state
MAX_TEXT_LENGTH: Final = 1000  # signs of any text on a card or in a state: ids and names, too
MAX_EFFECTS: Final = 50  # of one card
_OLD: Final = " (Vanilla)"  # how our names tell a card from what it became later
MADE: Final = {
    "summon": ("minion",),
    "transform": ("minion",),
    "equip": ("weapon",),
    "mana": ("spell",),
    "add": ("minion", "spell", "weapon"),
}
Refuse = Callable[[str, str], PlannerError]  # the key and what is wrong with it
_Value = TypeVar("_Value")


class Catalogue(Mapping[str, Card]):
    """Cards by name, and the hero power of each class."""

    def __init__(self, cards: Iterable[Card]) -> None:
        self._cards = {card.name: card for card in cards}
        self.by_word = _by_word(self._cards)  # by whatever the game calls them
        self.hero_powers = {card.card_class: card for card in self._cards.values() if card.type == "hero_power"}

    def __getitem__(self, name: str) -> Card:
        try:
            return self._cards[name]
        except KeyError:
            raise PlannerError(f"{name!r} is not a card in the catalogue{did_you_mean(name, self._cards)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._cards

    def __iter__(self) -> Any:
        return iter(self._cards)

    def __len__(self) -> int:
        return len(self._cards)

    def find(self, word: str | int) -> Card | None:
        """The card with this name, or with this id or number of the game's own: `CS2_182`, 1370 or `1370`."""
        return self.by_word.get(str(word))

    def extended(self, *paths: Path) -> Catalogue:
        """This catalogue with a designer's own card files; a card of the same name replaces ours."""
        return Catalogue([*self._cards.values(), *_read(paths, self._cards)])


def _by_word(cards: Mapping[str, Card]) -> dict[str, Card]:
    words: dict[str, Card] = {}
    for card in cards.values():  # what comes later goes before, and a name before all else
        words[card.name.removesuffix(_OLD)] = card
        words.update({word: card for word in (card.id, str(card.dbf)) if word not in ("", "0")})
    return {**words, **cards}


@cache
def standard() -> Catalogue:
    """The cards that come with the project."""
    return Catalogue(_read(sorted(FOLDER.glob("*.yaml")), {}))


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
                    raise PlannerError(f"{place}: {card.name!r} is also at {places[card.name]}")
                places[card.name] = place
                cards.append(card)
    collector.raise_if_any()
    found = {**known, **{card.name: card for card in cards}}
    for card in cards:
        with collector:
            link_effects(card, found, f"{places[card.name]}: {card.name}")
    collector.raise_if_any()
    return cards


def link_effects(card: Card, found: Mapping[str, Card], place: str) -> None:
    """Look up the cards that its effects make. Only once all cards exist: a card may even make itself."""
    for effect in card.effects:
        for name in effect.card:
            if name not in found:
                raise PlannerError(f"{place}: no card {quote(name)}{did_you_mean(name, found)}")
            if found[name].type not in MADE[effect.do]:
                needed = " or ".join(MADE[effect.do])
                raise PlannerError(f"{place}: {name} is a {found[name].type}, {effect.do} needs a {needed}")
        object.__setattr__(effect, "made", tuple(found[name] for name in effect.card))


def _card(path: Path, place: str, entry: Any) -> Card:
    if not isinstance(entry, YamlMapping) or "name" not in entry:
        raise PlannerError(f"{place}: {quote(entry)} is not a card: a card has at least a name")

    def error(key: str, why: str) -> PlannerError:
        name = quote(entry["name"]).strip("'\"")
        return PlannerError(f"{path}:{entry.lines.get(key, entry.line)}: {name}: {why}")

    return parse_card(entry, error)


def parse_card(entry: Mapping[str, Any], refuse: Refuse) -> Card:
    """The card that a mapping describes, in the words of a card file. What its effects make is not linked yet."""
    if (wrong := first_unknown_key(entry, CARD_FIELDS)) is not None:
        raise refuse(wrong, unknown_field(wrong, CARD_FIELDS))

    def at(key: str, read: Callable[[Any], _Value], default: Any = None) -> _Value:
        try:
            return read(entry.get(key, default))
        except PlannerError as error:
            raise refuse(key, f"{key}: {error}") from None

    name, card_type = at("name", _text), at("type", partial(one_of, choices=TYPES), "minion")
    numbers: dict[str, Any] = {
        key: at(key, partial(integer, minimum=0, maximum=MAX_COUNT if key == "spell_damage" else MAX_NUMBER), 0)
        for key in NUMBERS
    }
    if card_type in TYPES_WITH_HEALTH and numbers["health"] < 1:
        raise refuse("health", f"health: {numbers['health']}, but a {card_type} starts with at least 1")
    parsed: dict[str, Any] = {}
    for key, parse in (("tribes", parse_tribes), ("keywords", _keywords), ("effects", _effects)):
        try:
            parsed[key] = parse(entry.get(key, []))
        except (ValueError, TypeError) as error:
            raise refuse(key, str(error)) from None
        except PlannerError as error:
            raise refuse(key, f"{key}: {error}") from None
    card = Card(
        name=name,
        type=card_type,
        card_class=at("class", _classes, "neutral"),
        value=at("value", partial(card_value, maximum=MAX_NUMBER), 1),
        id=at("id", _printed, ""),
        dbf=at("dbf", partial(integer, minimum=0, maximum=MAX_INTEGER), 0),
        text=at("text", _printed, ""),
        token=at("token", boolean, False),
        unread=at("unread", _text) if "unread" in entry else "",
        **parsed,
        **numbers,
    )
    choices = {effect.to for effect in card.effects if effect.chosen}
    if len(choices) > 1:
        raise refuse("effects", f"{len(choices)} different chosen targets; a player chooses one")
    for effect in card.effects:
        if effect.on != "play" and card_type != "minion":
            raise refuse("effects", f"effect {effect.do} on {effect.on}: only a minion waits for that")
    return card


_text = partial(text, maximum=MAX_TEXT_LENGTH)


def _printed(value: Any) -> str:
    """Text, also none; YAML takes a text such as 5 for a number."""
    return value if value == "" else _text(value) if isinstance(value, str) else str(integer(value))


def _known(kind: str, word: Any, words: Iterable[str]) -> str:
    if word not in words:
        article = "an" if kind[0] in "aeiou" else "a"
        raise PlannerError(f"{quote(word)} is not {article} {kind}{did_you_mean(word, words)}")
    return str(word)


def _classes(given: Any) -> str:
    """A class, or several with a slash between them: mage/rogue."""
    words = given.split("/") if isinstance(given, str) else [given]
    return "/".join(_known("class", word, (*CLASSES, "neutral")) for word in words)


def parse_tribes(entries: Any) -> tuple[str, ...]:
    """The tribes in a list of words."""
    return tuple(_known("tribe", tribe, TRIBES) for tribe in as_list(entries))


def _effects(entries: Any) -> tuple[Effect, ...]:
    found = as_list(entries)
    if len(found) > MAX_EFFECTS:
        raise ValueError(f"{len(found)} effects are too many; at most {MAX_EFFECTS}")
    return tuple(_effect(effect) for effect in found)


def _keywords(entries: Any) -> int:
    return keywords.bits(_known("keyword", word, keywords.NAMES) for word in as_list(entries))


def _effect(entry: Any) -> Effect:
    if not isinstance(entry, dict) or "do" not in entry:
        raise ValueError(f"effect {quote(entry)} has no 'do'")
    do = _known("effect", entry["do"], EFFECTS)
    needs, may = EFFECTS[do]
    fields: dict[str, Any] = {}
    for key in needs:
        if key not in entry:
            raise ValueError(f"effect {do} needs {key!r}")
    for key, value in entry.items():
        if key not in ("do", "on", "combo", "given", *needs, *may) and not (key == "times" and do in MULTIPLIED):
            raise ValueError(f"effect {do} takes no {key!r}{did_you_mean(key, (*needs, *may))}")
        fields[key] = _effect_value(key, value)
    effect = Effect(**fields)
    if do == "hook":
        _known("hook", effect.name, HOOKS)
    if effect.empty and not effect.crystals:
        raise ValueError("effect mana: only crystals can be empty")
    if do == "mana" and effect.card and not effect.crystals:
        raise ValueError("effect mana: only where crystals find no place does a card come instead")
    if do in ("buff", "hone") and not (effect.attack or effect.health or effect.keywords):
        raise ValueError(f"effect {do} gives nothing: say attack, health or keywords")
    if do == "hone" and (effect.attack < 0 or effect.health < 0):
        raise ValueError("effect hone takes nothing away")
    if effect.health and effect.this_turn:
        raise ValueError("effect buff: health is for good, only attack and keywords are for this turn")
    if effect.amount < 0 and do != "mana":
        raise ValueError(f"effect {do} takes nothing below 0: only mana can be taken away")
    if effect.split and effect.amount > MAX_COUNT:
        raise ValueError(f"effect damage: {effect.amount} is more than the {MAX_COUNT} points that can be split")
    if do == "set_health" and effect.amount < 1:
        raise ValueError("effect set_health: a minion has at least 1 health")
    if effect.on == "aura" and (do != "buff" or effect.keywords or effect.this_turn or effect.times):
        raise ValueError("an aura is a buff of attack or health")
    if effect.on == "aura" and _asks_for_attack(effect):
        raise ValueError("an aura does not ask for the attack that it may change")
    condition = effect.condition
    if condition is not None and condition.asked == "target" and effect.on != "play":
        raise ValueError("only a card being played has a target to ask about")
    if effect.on != "play" and (effect.chosen or effect.combo is not None):
        raise ValueError(f"only a card being played has a {'chosen target' if effect.chosen else 'combo'}")
    return effect


def _asks_for_attack(effect: Effect) -> bool:
    condition = effect.condition
    quantity = None if condition is None else condition.quantity
    whom = (effect.to, None if quantity is None else quantity.of)
    limits = any(one is not None and (one.least, one.most) != (None, None) for one in whom)
    return limits or (quantity is not None and quantity.what == "attack")


def _effect_value(key: str, value: Any) -> Any:
    if key == "count":  # of things: nobody has room for more
        return read_field({key: value}, key, partial(integer, minimum=0, maximum=MAX_COUNT))
    if key in ("amount", "attack", "health"):
        return read_field({key: value}, key, partial(integer, minimum=-MAX_NUMBER, maximum=MAX_NUMBER))
    if key in ("split", "this_turn", "crystals", "empty", "combo"):
        return read_field({key: value}, key, boolean)
    if key == "to":
        return Target.parse(value if isinstance(value, str) else quote(value))
    if key == "keywords":
        return _keywords(value)
    if key == "card":
        names = value if isinstance(value, list) else [value]
        if not names or not all(isinstance(name, str) for name in names):
            raise ValueError(f"card {quote(value)} is not a card's name, nor a list of names")
        return tuple(names)
    if key == "on":
        return _known("trigger", value, TRIGGERS)
    if key == "given":
        parse_condition(value if isinstance(value, str) else quote(value))
        return value
    if key == "times":
        parse_quantity(value if isinstance(value, str) else quote(value))
        return value
    if key == "side":
        return _known("side", value, ("friendly", "enemy"))
    return str(value)
