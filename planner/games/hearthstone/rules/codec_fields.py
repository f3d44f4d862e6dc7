"""The fields of a state's JSON form: their names, and reading one value of each kind with the refusal it deserves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.values import (
    as_list,
    as_mapping,
    boolean,
    first_unknown_key,
    integer,
    join_path,
    read_field,
    unknown_field,
)
from planner.formats.values import card_value as any_worth
from planner.formats.values import text as any_text
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import LARGEST, LONGEST_TEXT
from planner.games.hearthstone.cards.keywords import BIT, STATUSES
from planner.games.hearthstone.rules.state import Minion

Entry = Mapping[str, Any]

MOST_HIDDEN: Final = 1000  # cards given as a number: beyond that a list is asked for, so that a typo costs no memory
# Names for what a caller gave only as numbers.
MOST_ATTACKS: Final = 100  # of one character in a turn: a million would be searched for ever
UNNAMED: Final = {"minion": "Minion", "weapon": "Weapon", "spell": "Spell", "hero_power": "Hero Power"}
_MADE_HERE: Final = re.compile(r"new\.([1-9][0-9]*)")  # what the rules call the things that effects make

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
        *("tribes", "spell_damage"),
    )
)
HELD_FIELDS: Final = frozenset(
    (
        *("id", "name", "card", "type", "cost", "attack", "health", "keywords", "value", "echo"),
        *("tribes", "spell_damage"),
    )
)
HELD: Final = ("minion", "spell", "weapon")  # the types of cards in a hand
WEAPON_FIELDS: Final = frozenset(("name", "card", "attack", "durability", "keywords"))
POWER_FIELDS: Final = frozenset(("name", "card", "cost"))


def check_object(entry: object, place: str) -> Entry:
    """The entry, if it is a JSON object."""
    if type(entry) is dict:  # much faster than asking for any mapping
        return entry
    return read_field({place: entry}, place, as_mapping)


def check_fields(entry: Entry, fields: frozenset[str], place: str) -> None:
    """Refuse a field that does not exist."""
    if not fields.issuperset(entry):
        raise PlannerError(f"{place or 'state'}: {unknown_field(first_unknown_key(entry, fields), sorted(fields))}")


def check_list(entry: Entry, key: str, place: str) -> list[Any] | tuple[Any, ...]:
    """A list; absent: empty."""
    value = entry.get(key, ())
    return value if type(value) is list or value == () else read_field(entry, key, as_list, place)


def number(entry: Entry, key: str, default: int | None, place: str, least: int = 0, most: int = LARGEST) -> int:
    """A whole number; without a default it must be there."""
    value = entry.get(key, default)
    if type(value) is int and least <= value <= most:  # not bool, which is an int too
        return value
    return read_field(entry, key, lambda given: integer(given, least, most), place)


def signed(entry: Entry, key: str, place: str) -> int:
    """A whole number that may be below 0; absent: 0."""
    return number(entry, key, 0, place, -LARGEST) if key in entry else 0


def alive(entry: Entry, key: str, default: int | None, place: str) -> int:
    """Health, or a weapon's durability."""
    value = entry.get(key, default)
    if type(value) is int and value <= 0:
        raise PlannerError(f"{join_path(place, key)}: {quote(value)} is not alive")
    return number(entry, key, default, place)


def worth(entry: Entry, default: int | float, place: str) -> int | float:
    """A card's value: the one number that need not be whole."""
    if "value" not in entry:
        return default
    return read_field(entry, "value", lambda given: any_worth(given, LARGEST), place)


def flag(entry: Entry, key: str, place: str) -> bool:
    """True or false; absent: false."""
    return read_field(entry, key, boolean, place) if key in entry else False


def text(entry: Entry, key: str, default: str, place: str) -> str:
    """Text of at least one character."""
    return read_field(entry, key, lambda given: any_text(given, LONGEST_TEXT), place) if key in entry else default


def any_id(entry: Entry, key: str, place: str) -> str:
    """What a caller calls something: any text, or a whole number."""
    return str(read_field(entry, key, integer, place)) if type(entry[key]) is int else text(entry, key, "", place)


def made_before(name: str, place: str) -> int:
    """The N of an id `new.N`, which nothing that is made later may have again; 0 for all others."""
    found = _MADE_HERE.fullmatch(name)
    if found is None:
        return 0
    if len(found[1]) > len(str(LARGEST)) or int(found[1]) > LARGEST:
        raise PlannerError(f"{place}.id: {quote(name)}: ids of this form go up to new.{LARGEST}")
    return int(found[1])


def keyword_bits(entry: Entry, key: str, default: int, place: str) -> int:
    """A list of keywords, as bits."""
    if key not in entry:
        return default
    bits = 0
    for word in check_list(entry, key, place):
        bit = BIT.get(word) if type(word) is str else None
        if bit is None:
            raise PlannerError(f"{join_path(place, key)}: {quote(word)} is not a keyword{did_you_mean(str(word), BIT)}")
        bits |= bit
    return bits


def hero_class(entry: Entry, place: str) -> str:
    """A hero's class; absent: neutral."""
    value = entry.get("class", "neutral")
    word = re.sub("[ _-]", "", value).lower() if isinstance(value, str) else value  # Death Knight, DEMON_HUNTER
    if word != "neutral" and word not in CLASSES:
        raise PlannerError(f"{join_path(place, 'class')}: {quote(value)} is not a class{did_you_mean(word, CLASSES)}")
    return str(word)


def real_card(name: str) -> Card | None:
    """The real game's card of this name, where the extra `cards` is installed."""
    from planner.games.hearthstone.cards.real import find  # noqa: PLC0415  (only for a name that is not one of ours)

    return find(name) if name.isprintable() else None  # half a sign, which no store can look up, is not printable


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
