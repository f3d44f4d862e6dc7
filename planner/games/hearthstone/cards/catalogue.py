"""The catalogue: all cards, read from YAML files."""

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
NUMBER_FIELDS: Final = ("cost", "attack", "health", "overload", "spell_damage")
_OTHER_FIELDS: Final = (
    "name", "type", "class", "tribes", "keywords", "effects", "value", "id", "dbf", "text", "token", "unread",
)  # fmt: skip
CARD_FIELDS: Final = (*_OTHER_FIELDS, *NUMBER_FIELDS)
TYPES_WITH_HEALTH: Final = ("minion", "weapon")
MAX_NUMBER: Final = 10**6  # of any number on a card or in a state
MAX_TEXT_LENGTH: Final = 1000  # characters of any text on a card or in a state, also of ids and names
MAX_EFFECTS: Final = 50  # of one card
_OLD_SUFFIX: Final = " (Vanilla)"  # in the names of cards that the real game changed later
# The types of the cards that an effect may create.
CREATED_TYPES: Final = {
    "summon": ("minion",),
    "transform": ("minion",),
    "equip": ("weapon",),
    "mana": ("spell",),
    "add": ("minion", "spell", "weapon"),
}
MakeError = Callable[[str, str], PlannerError]  # from a key and what is wrong with it
_Value = TypeVar("_Value")


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
        words[card.name.removesuffix(_OLD_SUFFIX)] = card
        words.update({word: card for word in (card.id, str(card.dbf)) if word not in ("", "0")})
    return {**words, **cards}


@cache
def standard() -> Catalogue:
    """Return the cards that come with the project."""
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

    def error(key: str, problem: str) -> PlannerError:
        name = quote(entry["name"]).strip("'\"")
        return PlannerError(f"{path}:{entry.lines.get(key, entry.line)}: {name}: {problem}")

    return parse_card(entry, error)


def parse_card(entry: Mapping[str, Any], make_error: MakeError) -> Card:
    """Parse a card in the form of a card file. `link_effects` has to follow."""
    if (unknown := first_unknown_key(entry, CARD_FIELDS)) is not None:
        raise make_error(unknown, unknown_field(unknown, CARD_FIELDS))

    def read(key: str, validate: Callable[[Any], _Value], default: Any = None) -> _Value:
        try:
            return validate(entry.get(key, default))
        except PlannerError as error:
            raise make_error(key, f"{key}: {error}") from None

    name, card_type = read("name", _text), read("type", partial(one_of, choices=TYPES), "minion")
    numbers: dict[str, Any] = {
        key: read(key, partial(integer, minimum=0, maximum=MAX_COUNT if key == "spell_damage" else MAX_NUMBER), 0)
        for key in NUMBER_FIELDS
    }
    if card_type in TYPES_WITH_HEALTH and numbers["health"] < 1:
        raise make_error("health", f"health: a {card_type} starts with at least 1, got {numbers['health']}")
    parsed: dict[str, Any] = {}
    for key, parse in (("tribes", parse_tribes), ("keywords", _keywords), ("effects", _effects)):
        try:
            parsed[key] = parse(entry.get(key, []))
        except (ValueError, TypeError) as error:
            raise make_error(key, str(error)) from None
        except PlannerError as error:
            raise make_error(key, f"{key}: {error}") from None
    card = Card(
        name=name,
        type=card_type,
        card_class=read("class", _classes, "neutral"),
        value=read("value", partial(card_value, maximum=MAX_NUMBER), 1),
        id=read("id", _printed, ""),
        dbf=read("dbf", partial(integer, minimum=0, maximum=MAX_INTEGER), 0),
        text=read("text", _printed, ""),
        token=read("token", boolean, False),
        unread=read("unread", _text) if "unread" in entry else "",
        **parsed,
        **numbers,
    )
    choices = {effect.to for effect in card.effects if effect.chosen}
    if len(choices) > 1:
        raise make_error("effects", f"{len(choices)} different chosen targets; the limit is 1")
    for effect in card.effects:
        if effect.on != "play" and card_type != "minion":
            raise make_error("effects", f"effect {effect.do} on {effect.on}: only minions have this trigger")
    return card


_text = partial(text, maximum=MAX_TEXT_LENGTH)


def _printed(value: Any) -> str:
    """Return a string, which may be empty; YAML reads a text such as 5 as a number."""
    return value if value == "" else _text(value) if isinstance(value, str) else str(integer(value))


def _one_of(kind: str, word: Any, words: Iterable[str]) -> str:
    if word not in words:
        raise PlannerError(f"unknown {kind} {quote(word)}{did_you_mean(word, words)}")
    return str(word)


def _classes(value: Any) -> str:
    """Parse a class, or several with slashes: mage/rogue."""
    words = value.split("/") if isinstance(value, str) else [value]
    return "/".join(_one_of("class", word, (*CLASSES, "neutral")) for word in words)


def parse_tribes(entries: Any) -> tuple[str, ...]:
    """Parse a list of tribes."""
    return tuple(_one_of("tribe", tribe, TRIBES) for tribe in as_list(entries))


def _effects(entries: Any) -> tuple[Effect, ...]:
    effects = as_list(entries)
    if len(effects) > MAX_EFFECTS:
        raise ValueError(f"{len(effects)} effects; the limit is {MAX_EFFECTS}")
    return tuple(_effect(effect) for effect in effects)


def _keywords(entries: Any) -> int:
    return keywords.bits(_one_of("keyword", word, keywords.NAMES) for word in as_list(entries))


def _effect(entry: Any) -> Effect:
    if not isinstance(entry, dict) or "do" not in entry:
        raise ValueError(f"effect {quote(entry)} has no 'do'")
    do = _one_of("effect", entry["do"], EFFECTS)
    required, optional = EFFECTS[do]
    fields: dict[str, Any] = {}
    for key in required:
        if key not in entry:
            raise ValueError(f"effect {do} needs {key!r}")
    for key, value in entry.items():
        if key not in ("do", "on", "combo", "given", *required, *optional) and not (
            key == "times" and do in MULTIPLIED
        ):
            raise ValueError(f"effect {do} has no field {key!r}{did_you_mean(key, (*required, *optional))}")
        fields[key] = _effect_value(key, value)
    effect = Effect(**fields)
    if do == "hook":
        _one_of("hook", effect.name, HOOKS)
    if effect.empty and not effect.crystals:
        raise ValueError("effect mana: only crystals can be empty")
    if do == "mana" and effect.card and not effect.crystals:
        raise ValueError("effect mana: only new crystals can be replaced by a card")
    if do in ("buff", "hone") and not (effect.attack or effect.health or effect.keywords):
        raise ValueError(f"effect {do} needs attack, health or keywords")
    if do == "hone" and (effect.attack < 0 or effect.health < 0):
        raise ValueError("effect hone: attack and health must not be negative")
    if effect.health and effect.this_turn:
        raise ValueError("effect buff: only attack and keywords can last this turn, not health")
    if effect.amount < 0 and do != "mana":
        raise ValueError(f"effect {do}: the amount must not be negative")
    if effect.split and effect.amount > MAX_COUNT:
        raise ValueError(f"effect damage: at most {MAX_COUNT} points can be split, got {effect.amount}")
    if do == "set_health" and effect.amount < 1:
        raise ValueError("effect set_health: the amount must be at least 1")
    if effect.on == "aura" and (do != "buff" or effect.keywords or effect.this_turn or effect.times):
        raise ValueError("an aura must be a buff of attack or health")
    if effect.on == "aura" and _depends_on_attack(effect):
        raise ValueError("an aura cannot depend on attack, which it may change")
    condition = effect.condition
    if condition is not None and condition.kind == "target" and effect.on != "play":
        raise ValueError("only a card that is played has a target for a condition")
    if effect.on != "play" and (effect.chosen or effect.combo is not None):
        raise ValueError(f"only a card that is played has a {'chosen target' if effect.chosen else 'combo'}")
    return effect


def _depends_on_attack(effect: Effect) -> bool:
    condition = effect.condition
    quantity = None if condition is None else condition.quantity
    targets = (effect.to, None if quantity is None else quantity.of)
    limited = any(target is not None and (target.min_attack, target.max_attack) != (None, None) for target in targets)
    return limited or (quantity is not None and quantity.what == "attack")


def _effect_value(key: str, value: Any) -> Any:
    if key == "count":
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
            raise ValueError(f"card: must be a name or a list of names, got {quote(value)}")
        return tuple(names)
    if key == "on":
        return _one_of("trigger", value, TRIGGERS)
    if key == "given":
        parse_condition(value if isinstance(value, str) else quote(value))
        return value
    if key == "times":
        parse_quantity(value if isinstance(value, str) else quote(value))
        return value
    if key == "side":
        return _one_of("side", value, ("friendly", "enemy"))
    return str(value)
