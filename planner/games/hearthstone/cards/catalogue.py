"""The catalogue: all cards, read from YAML files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

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
# The types of the cards that an effect may create.
CREATED_TYPES: Final = {
    "summon": ("minion",),
    "transform": ("minion",),
    "equip": ("weapon",),
    "mana": ("spell",),
    "add": ("minion", "spell", "weapon"),
}
# What other card files call the triggers; here a trigger belongs to an effect.
_TRIGGER_FIELDS: Final = {
    **{trigger: trigger for trigger in TRIGGERS},
    "battlecry": "play", "deathrattle": "death", "end_of_turn": "turn_end", "start_of_turn": "turn_start",
}  # fmt: skip
_Value = TypeVar("_Value")


class MakeError(Protocol):
    """Make an error of a card's key, or of one item of its list, that says what is wrong with it."""

    def __call__(self, key: str, problem: str, item: int | None = None) -> PlannerError:
        """Return the error."""


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


def parse_card(entry: Mapping[str, Any], make_error: MakeError) -> Card:
    """Parse a card in the form of a card file, or raise an error with every problem. `link_effects` has to follow."""
    collector = ErrorCollector()
    if first_unknown_key(entry, CARD_FIELDS) is not None:
        for key in entry:
            with collector:
                if key not in CARD_FIELDS:
                    raise make_error(key, _unknown_card_field(key))

    def read(key: str, validate: Callable[[Any], _Value], default: Any = None) -> Any:
        try:
            return validate(entry.get(key, default))
        except (PlannerError, ValueError, TypeError) as error:
            collector.add(make_error(key, f"{key}: {error}"))
            return default

    name, card_type = read("name", _text), read("type", partial(one_of, choices=TYPES), "minion")
    numbers: dict[str, Any] = {
        key: read(key, partial(integer, minimum=0, maximum=MAX_COUNT if key == "spell_damage" else MAX_NUMBER), 0)
        for key in NUMBER_FIELDS
    }
    has_health = entry.get("type", "minion") in TYPES_WITH_HEALTH
    if has_health and type(entry.get("health", 0)) is int and numbers["health"] == 0:
        collector.add(make_error("health", f"health: a {card_type} starts with at least 1, got 0"))
    effects: list[Effect] = []
    for index, effect_entry in enumerate(read("effects", _effect_entries, ())):
        try:
            effects.append(_effect(effect_entry))
        except PlannerError as error:
            for problem in error.problems:
                collector.add(make_error("effects", problem, index))
    fields: dict[str, Any] = {
        "tribes": read("tribes", parse_tribes, ()),
        "keywords": read("keywords", _keywords, ()),
        "card_class": read("class", _classes, "neutral"),
        "value": read("value", partial(card_value, maximum=MAX_NUMBER), 1),
        "id": read("id", _printed, ""),
        "dbf": read("dbf", partial(integer, minimum=0, maximum=MAX_INTEGER), 0),
        "text": read("text", _printed, ""),
        "token": read("token", boolean, False),
        "unread": read("unread", _text) if "unread" in entry else "",
    }
    choices = {effect.to for effect in effects if effect.chosen}
    if len(choices) > 1:
        collector.add(make_error("effects", f"{len(choices)} different chosen targets; the limit is 1"))
    for effect in effects:
        if effect.on != "play" and card_type != "minion":
            problem = f"effect {effect.do} on {effect.on}: only minions have this trigger"
            collector.add(make_error("effects", problem))
    collector.raise_if_any()
    return Card(name=name, type=card_type, effects=tuple(effects), **fields, **numbers)


def _unknown_card_field(key: str) -> str:
    if key in _TRIGGER_FIELDS:
        return f"unknown field {quote(key)}; use `on: {_TRIGGER_FIELDS[key]}` inside an effect"
    return unknown_field(key, CARD_FIELDS)


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


def _effect_entries(value: Any) -> list[Any]:
    entries = as_list(value)
    if len(entries) > MAX_EFFECTS:
        raise PlannerError(f"{len(entries)} effects; the limit is {MAX_EFFECTS}")
    return entries


def _keywords(entries: Any) -> int:
    return keywords.bits(_one_of("keyword", word, keywords.NAMES) for word in as_list(entries))


def _effect(entry: Any) -> Effect:
    if not isinstance(entry, dict) or "do" not in entry:
        raise PlannerError(f"effect {quote(entry)} has no 'do'")
    if not isinstance(do := entry["do"], str) or do not in EFFECTS:
        raise PlannerError(f"effects: unknown effect {quote(do)}{did_you_mean(do, EFFECTS)}")
    required, optional = EFFECTS[do]
    fields: dict[str, Any] = {}
    collector = ErrorCollector()
    for key in required:
        if key not in entry:
            collector.add(PlannerError(f"effect {do} needs {key!r}"))
    for key, value in entry.items():
        known = (*required, *optional, *(["times"] if do in MULTIPLIED else []))
        if key not in ("do", "on", "combo", "given", *known):
            collector.add(PlannerError(f"effect {do} has no field {key!r}{did_you_mean(key, known)}"))
            continue
        try:
            fields[key] = _effect_value(key, value)
        except PlannerError as error:
            collector.add(PlannerError(f"effects: {error}"))
        except ValueError as error:
            collector.add(PlannerError(str(error)))
    collector.raise_if_any()
    effect = Effect(**fields)
    if do == "hook":
        _one_of("hook", effect.name, HOOKS)
    if effect.empty and not effect.crystals:
        raise PlannerError("effect mana: only crystals can be empty")
    if do == "mana" and effect.card and not effect.crystals:
        raise PlannerError("effect mana: only new crystals can be replaced by a card")
    if do in ("buff", "hone") and not (effect.attack or effect.health or effect.keywords):
        raise PlannerError(f"effect {do} needs attack, health or keywords")
    if do == "hone" and (effect.attack < 0 or effect.health < 0):
        raise PlannerError("effect hone: attack and health must not be negative")
    if effect.health and effect.this_turn:
        raise PlannerError("effect buff: only attack and keywords can last this turn, not health")
    if effect.amount < 0 and do != "mana":
        raise PlannerError(f"effect {do}: the amount must not be negative")
    if effect.split and effect.amount > MAX_COUNT:
        raise PlannerError(f"effect damage: at most {MAX_COUNT} points can be split, got {effect.amount}")
    if do == "set_health" and effect.amount < 1:
        raise PlannerError("effect set_health: the amount must be at least 1")
    if effect.on == "aura" and (do != "buff" or effect.keywords or effect.this_turn or effect.times):
        raise PlannerError("an aura must be a buff of attack or health")
    if effect.on == "aura" and effect.to is not None and effect.to.select == "random":
        raise PlannerError(f"an aura reaches all minions of a kind, not {str(effect.to)!r}")
    if do == "equip" and len(effect.card) != 1:
        raise PlannerError(f"effect equip: must be one card, got {len(effect.card)}")
    if effect.on == "aura" and _depends_on_attack(effect):
        raise PlannerError("an aura cannot depend on attack, which it may change")
    condition = effect.condition
    if condition is not None and condition.kind == "target" and effect.on != "play":
        raise PlannerError("only a card that is played has a target; a condition on it needs on: play")
    if effect.on != "play" and (effect.chosen or effect.combo is not None):
        raise PlannerError(f"only a card that is played has a {'chosen target' if effect.chosen else 'combo'}")
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
            raise PlannerError(f"card: must be a name or a list of names, got {quote(value)}")
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
