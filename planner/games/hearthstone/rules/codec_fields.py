"""The fields of a state's JSON form: their names, and reading one value of each kind with the refusal it deserves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from planner.files import PlannerError, show
from planner.games.hearthstone.cards.card import CLASSES
from planner.games.hearthstone.cards.catalogue import LARGEST
from planner.games.hearthstone.cards.keywords import BIT, STATUSES
from planner.games.hearthstone.rules.state import Minion
from planner.reading import at, field, like, listed, mapping, stranger, truth, unknown, whole
from planner.reading import number as any_number
from planner.reading import text as any_text

Entry = Mapping[str, Any]

MOST_HIDDEN: Final = 1000  # cards given as a number: beyond that a list is asked for, so that a typo costs no memory
UNNAMED: Final = {"minion": "Minion", "weapon": "Weapon"}  # names for what a caller gave only as numbers

STATE_FIELDS: Final = frozenset(
    ("mana", "me", "enemy", "turn", "seat", "clock", "cause", "finished", "ruleset", "cards")
)
HERO_FIELDS: Final = frozenset(
    ("health", "armor", "max_health", "keywords", "attack_this_turn", "keywords_this_turn", "attacks_left", "class")
)
MY_FIELDS: Final = frozenset(
    (
        *("hero", "board", "hand", "deck", "weapon", "hero_power", "hero_power_used"),
        *("crystals", "overload", "locked", "fatigue", "cards_played"),
    )
)
ENEMY_FIELDS: Final = MY_FIELDS | {"mana"}  # mine stands at the top
MINION_FIELDS: Final = frozenset(
    (
        *("id", "name", "card", "attack", "health", "max_health", "keywords", "attacks_left", "summoned_this_turn"),
        *("entered", "silenced", "attack_this_turn", "keywords_this_turn", "aura_attack", "aura_health"),
    )
)
HELD_FIELDS: Final = frozenset(("id", "name", "card", "cost", "attack", "health", "keywords", "value", "echo"))
WEAPON_FIELDS: Final = frozenset(("name", "card", "attack", "durability", "keywords"))
POWER_FIELDS: Final = frozenset(("name", "card", "cost"))


def check_object(entry: object, place: str) -> Entry:
    """The entry, if it is a JSON object."""
    if type(entry) is dict:  # much faster than asking for any mapping
        return entry
    return field({place: entry}, place, mapping)


def check_fields(entry: Entry, fields: frozenset[str], place: str) -> None:
    """Refuse a field that does not exist."""
    if not fields.issuperset(entry):
        raise PlannerError(f"{place or 'state'}: {unknown(stranger(entry, fields), sorted(fields))}")


def check_list(entry: Entry, key: str, place: str) -> list[Any] | tuple[Any, ...]:
    """A list; absent: empty."""
    value = entry.get(key, ())
    return value if type(value) is list or value == () else field(entry, key, listed, place)


def number(
    entry: Entry, key: str, default: int | None, place: str, least: int = 0, most: int = LARGEST
) -> int:
    """A whole number; without a default it must be there."""
    value = entry.get(key, default)
    if type(value) is int and least <= value <= most:  # not bool, which is an int too
        return value
    return field(entry, key, lambda given: whole(given, least, most), place)


def signed(entry: Entry, key: str, place: str) -> int:
    """A whole number that may be below 0; absent: 0."""
    return number(entry, key, 0, place, -LARGEST) if key in entry else 0


def alive(entry: Entry, key: str, default: int | None, place: str) -> int:
    """Health, or a weapon's durability."""
    value = entry.get(key, default)
    if type(value) is int and value <= 0:
        raise PlannerError(f"{at(place, key)}: {show(value)} is not alive")
    return number(entry, key, default, place)


def worth(entry: Entry, default: int | float, place: str) -> int | float:
    """A card's value: the one number that need not be whole."""
    if "value" not in entry:
        return default
    return field(entry, "value", lambda given: any_number(given, -LARGEST, LARGEST), place)


def flag(entry: Entry, key: str, place: str) -> bool:
    """True or false; absent: false."""
    return field(entry, key, truth, place) if key in entry else False


def text(entry: Entry, key: str, default: str, place: str) -> str:
    """Text of at least one character."""
    return field(entry, key, any_text, place) if key in entry else default


def keyword_bits(entry: Entry, key: str, default: int, place: str) -> int:
    """A list of keywords, as bits."""
    if key not in entry:
        return default
    bits = 0
    for word in check_list(entry, key, place):
        bit = BIT.get(word) if type(word) is str else None
        if bit is None:
            raise PlannerError(f"{at(place, key)}: {show(word)} is not a keyword{like(str(word), BIT)}")
        bits |= bit
    return bits


def hero_class(entry: Entry, place: str) -> str:
    """A hero's class; absent: neutral."""
    value = entry.get("class", "neutral")
    if value != "neutral" and value not in CLASSES:
        raise PlannerError(f"{at(place, 'class')}: {show(value)} is not a class{like(str(value), CLASSES)}")
    return str(value)


def printed_on(minion: Minion) -> tuple[int, int, int]:
    """Attack, health and keywords on the card of a minion without a known one: what it shows, but for what has happened
    to it and what others' auras add.

    What a silenced minion shows it was given after the silence.
    """
    attack = max(0, minion.attack - minion.attack_this_turn - minion.aura_attack)
    kept = 0 if minion.silenced else minion.keywords & ~(STATUSES | minion.keywords_this_turn)
    return attack, max(1, minion.max_health - minion.aura_health), kept


def without_card(minion: Minion) -> Minion:
    """The minion with the card that is made up for it."""
    attack, health, kept = printed_on(minion)
    card = minion.card
    if (attack, health, kept) == (card.attack, card.health, card.keywords):
        return minion
    return minion._replace(card=replace(card, attack=attack, health=health, keywords=kept))
