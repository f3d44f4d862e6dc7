"""The form of a card in card files and in states: the fields of cards and effects, each described once.

The reader, the writer and the JSON schema of cards derive from the tables here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.json_schema import Schema, any_of, enum_schema, list_schema, object_schema
from planner.formats.values import MAX_INTEGER, ErrorCollector, as_list, integer, unknown_field
from planner.games.hearthstone.cards.card import CLASSES, TYPES, Card
from planner.games.hearthstone.cards.effect_vocabulary import (
    EFFECTS,
    HOOKS,
    MAX_COUNT,
    MULTIPLIED,
    QUANTITIES,
    SIMPLE_CONDITIONS,
    TARGET_WORD,
    TRIGGERS,
    Effect,
    Target,
    parse_condition,
    parse_quantity,
)
from planner.games.hearthstone.cards.field_kinds import (
    CARD_VALUE,
    COUNT,
    FLAG,
    HEALTH,
    KEYWORDS,
    NAME,
    SIGNED,
    TEXT,
    TRIBE_LIST,
    Kind,
    choice_kind,
    integer_kind,
    named,
)

MAX_EFFECTS: Final = 50  # of one card
_TYPES_WITH_HEALTH: Final = ("minion", "weapon")
# What other card files call the triggers; here a trigger belongs to an effect.
_TRIGGER_FIELDS: Final = {
    **{trigger: trigger for trigger in TRIGGERS},
    "battlecry": "play", "deathrattle": "death", "end_of_turn": "turn_end", "start_of_turn": "turn_start",
}  # fmt: skip


class MakeError(Protocol):
    """Make an error of a card's key, or of one item of its list, that says what is wrong with it."""

    def __call__(self, key: str, problem: str, item: int | None = None) -> PlannerError:
        """Return the error."""


# -- effects

_QUANTITY: Final = rf"attack|(enemy )?({'|'.join(QUANTITIES)})|all(\s+({TARGET_WORD}))+"


def _words_kind(what: str, words: tuple[str, ...]) -> Kind:
    return Kind(lambda value: named(what, value, words), enum_schema(words))


def _phrase_kind(parse: Callable[[str], Any], pattern: str, keeps_text: bool = False) -> Kind:
    """Return the kind of the texts that `parse` accepts; with `keeps_text`, the value is the text itself."""

    def read(value: Any) -> Any:
        phrase = value if isinstance(value, str) else quote(value)
        parsed = parse(phrase)
        return phrase if keeps_text else parsed

    return Kind(read, {"type": "string", "pattern": pattern}, str)


def _read_names(value: Any) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [value]
    if not names or not all(isinstance(name, str) for name in names):
        raise PlannerError(f"must be a name or a list of names, got {quote(value)}")
    return tuple(names)


# In the order in which they are written.
EFFECT_FIELDS: Final[Mapping[str, Kind]] = {
    "do": Kind(str, {}),
    "on": _words_kind("trigger", TRIGGERS),
    "amount": SIGNED,
    "to": _phrase_kind(Target.parse, rf"^\s*(({TARGET_WORD})(\s+|$))+$"),
    "name": Kind(str, TEXT.schema),
    "card": Kind(
        _read_names,
        any_of(TEXT.schema, list_schema(TEXT.schema, 1)),
        lambda names: names[0] if len(names) == 1 else list(names),
    ),
    "count": integer_kind(0, MAX_COUNT),
    "side": _words_kind("side", ("friendly", "enemy")),
    "attack": SIGNED,
    "health": SIGNED,
    "keywords": KEYWORDS,
    **dict.fromkeys(("this_turn", "split", "crystals", "empty", "combo"), FLAG),
    "given": _phrase_kind(
        parse_condition, f"^(not )?({'|'.join(SIMPLE_CONDITIONS)}|({_QUANTITY})[<>]=[0-9]{{1,6}})$", keeps_text=True
    ),
    "times": _phrase_kind(parse_quantity, f"^({_QUANTITY})$", keeps_text=True),
}


_BLANK_EFFECT: Final = Effect("")
_SHARED_FIELDS: Final = ("do", "on", "combo", "given")  # of all effects


def _fields_of(do: str) -> tuple[str, ...]:
    """Return the other fields of this effect."""
    required, optional = EFFECTS[do]
    return (*required, *optional, *(("times",) if do in MULTIPLIED else ()))


def _parse_effect(entry: Any) -> Effect:
    if not isinstance(entry, dict) or "do" not in entry:
        raise PlannerError(f"effect {quote(entry)} has no 'do'")
    do = entry["do"]
    collector = ErrorCollector()
    try:
        required, _ = EFFECTS[named("effect", do, EFFECTS)]
    except PlannerError as error:
        raise PlannerError(f"effects: {error}") from None
    for key in required:
        if key not in entry:
            collector.add(PlannerError(f"effect {do} needs {key!r}"))
    known = _fields_of(do)
    values: dict[str, Any] = {}
    for key, value in entry.items():
        if key not in (*_SHARED_FIELDS, *known):
            collector.add(PlannerError(f"effect {do} has no field {key!r}{did_you_mean(key, known)}"))
            continue
        try:
            values[key] = EFFECT_FIELDS[key].read(value)
        except PlannerError as error:
            collector.add(PlannerError(f"effects: {key}: {error}"))
        except ValueError as error:  # an unknown word of a target, a condition or a quantity
            collector.add(PlannerError(str(error)))
    collector.raise_if_any()
    effect = Effect(**values)
    _check_effect(effect)
    return effect


def _check_effect(effect: Effect) -> None:
    """Raise an error for fields that contradict each other."""
    do = effect.do
    if do == "hook":
        named("hook", effect.name, HOOKS)
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
    if do == "equip" and len(effect.card) != 1:
        raise PlannerError(f"effect equip: must be one card, got {len(effect.card)}")
    condition = effect.condition
    if effect.on == "aura":
        _check_aura(effect)
    if effect.on != "play" and condition is not None and condition.kind == "target":
        raise PlannerError("only a card that is played has a target; a condition on it needs on: play")
    if effect.on != "play" and (effect.chosen or effect.combo is not None):
        raise PlannerError(f"only a card that is played has a {'chosen target' if effect.chosen else 'combo'}")


def _check_aura(effect: Effect) -> None:
    if effect.do != "buff" or effect.keywords or effect.this_turn or effect.times:
        raise PlannerError("an aura must be a buff of attack or health")
    if effect.to is not None and effect.to.select == "random":
        raise PlannerError(f"an aura reaches all minions of a kind, not {str(effect.to)!r}")
    quantity = effect.condition.quantity if effect.condition else None
    targets = (effect.to, quantity.of if quantity else None)
    limits = [limit for target in targets if target for limit in (target.min_attack, target.max_attack)]
    if any(limit is not None for limit in limits) or (quantity is not None and quantity.what == "attack"):
        raise PlannerError("an aura cannot depend on attack, which it may change")


def _effect_to_dict(effect: Effect) -> dict[str, Any]:
    required, optional = EFFECTS[effect.do]
    out: dict[str, Any] = {"do": effect.do}
    for key in ("on", *required, *optional, "combo", "given", "times"):
        value, kind = getattr(effect, key), EFFECT_FIELDS[key]
        if key in required or value != getattr(_BLANK_EFFECT, key):
            out[key] = value if kind.write is None else kind.write(value)
    return out


def _effect_schema(do: str) -> Schema:
    schemas = {key: EFFECT_FIELDS[key].schema for key in sorted((*_SHARED_FIELDS, *_fields_of(do)))}
    return object_schema(schemas | {"do": {"const": do}}, sorted(("do", *EFFECTS[do][0])))


# -- cards


def _read_class(value: Any) -> str:
    """Read a class, or several with slashes: mage/rogue."""
    words = value.split("/") if isinstance(value, str) else [value]
    return "/".join(named("class", word, ("neutral", *CLASSES)) for word in words)


def _read_printed(value: Any) -> str:
    """Read a text, which may be empty; YAML reads a text such as 5 as a number."""
    if value == "":
        return ""
    return str(TEXT.read(value) if isinstance(value, str) else integer(value))


def _read_effects(value: Any) -> list[Any]:
    entries = as_list(value)
    if len(entries) > MAX_EFFECTS:
        raise PlannerError(f"{len(entries)} effects; the limit is {MAX_EFFECTS}")
    return entries


_CLASS: Final = "|".join(("neutral", *CLASSES))
_PRINTED: Final = Kind(_read_printed, {key: limit for key, limit in NAME.schema.items() if key != "minLength"})
# In the order in which they are written. A card without a field has the default of its attribute.
CARD_FIELDS: Final[Mapping[str, Kind]] = {
    "name": TEXT,
    "type": choice_kind(TYPES),
    "cost": COUNT,
    "attack": COUNT,
    "health": COUNT,
    "keywords": KEYWORDS,
    "effects": Kind(_read_effects, {}, lambda effects: [_effect_to_dict(effect) for effect in effects]),
    "class": Kind(_read_class, {"type": "string", "pattern": rf"^({_CLASS})(/({_CLASS}))*$"}),
    "tribes": TRIBE_LIST,
    "overload": COUNT,
    "spell_damage": integer_kind(0, MAX_COUNT),
    "value": CARD_VALUE,
    "id": _PRINTED,
    "dbf": integer_kind(0, MAX_INTEGER),
    "text": _PRINTED,
    "token": FLAG,
    "unread": TEXT,
}
_ATTRIBUTES: Final = {key: "card_class" if key == "class" else key for key in CARD_FIELDS}
_BLANK_CARD: Final = Card("")


def parse_card(entry: Mapping[str, Any], make_error: MakeError) -> Card:
    """Parse a card in the form of a card file, or raise an error with every problem. `link_effects` has to follow."""
    collector = ErrorCollector()
    for key in entry:
        if key not in CARD_FIELDS:
            collector.add(make_error(key, _unknown_card_field(key)))
    values: dict[str, Any] = {}
    for key, kind in CARD_FIELDS.items():
        if key in entry or key == "name":
            try:
                values[_ATTRIBUTES[key]] = kind.read(entry.get(key))
            except (PlannerError, ValueError, TypeError) as error:
                collector.add(make_error(key, f"{key}: {error}"))
    card_type = values.get("type", "minion")
    has_health = entry.get("type", "minion") in _TYPES_WITH_HEALTH
    if has_health and values.get("health", 0) == 0 and type(entry.get("health", 0)) is int:
        collector.add(make_error("health", f"health: a {card_type} starts with at least 1, got 0"))
    effects: list[Effect] = []
    for index, effect_entry in enumerate(values.pop("effects", ())):
        try:
            effects.append(_parse_effect(effect_entry))
        except PlannerError as error:
            for problem in error.problems:
                collector.add(make_error("effects", problem, index))
    choices = {effect.to for effect in effects if effect.chosen}
    if len(choices) > 1:
        collector.add(make_error("effects", f"{len(choices)} different chosen targets; the limit is 1"))
    for effect in effects:
        if effect.on != "play" and card_type != "minion":
            problem = f"effect {effect.do} on {effect.on}: only minions have this trigger"
            collector.add(make_error("effects", problem))
    collector.raise_if_any()
    return Card(**values, effects=tuple(effects))


def _unknown_card_field(key: str) -> str:
    if key in _TRIGGER_FIELDS:
        return f"unknown field {quote(key)}; use `on: {_TRIGGER_FIELDS[key]}` inside an effect"
    return unknown_field(key, CARD_FIELDS)


def card_to_dict(card: Card) -> dict[str, Any]:
    """Return the card in the form of a card file."""
    out: dict[str, Any] = {}
    for key, kind in CARD_FIELDS.items():
        value = getattr(card, _ATTRIBUTES[key])
        if key == "name" or (key != "dbf" and value != getattr(_BLANK_CARD, _ATTRIBUTES[key])):
            out[key] = value if kind.write is None else kind.write(value)
    return out


def card_schema() -> Schema:
    """Return the schema of a card as card files describe it."""
    schemas = {key: CARD_FIELDS[key].schema for key in sorted(CARD_FIELDS)}
    schemas["effects"] = list_schema(any_of(*map(_effect_schema, EFFECTS))) | {"maxItems": MAX_EFFECTS}
    without_health = {"properties": {"type": {"enum": [kind for kind in TYPES if kind not in _TYPES_WITH_HEALTH]}}}
    with_health = {"properties": {"health": HEALTH.schema}, "required": ["health"]}
    return object_schema(schemas, ("name",)) | {"if": {**without_health, "required": ["type"]}, "else": with_health}
