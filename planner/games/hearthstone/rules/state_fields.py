"""The fields of a state, described once.

Everything that needs to know the fields derives from these tables: the reader and the writer of the JSON form, the JSON
schema, the one-line text form and the observations for learners. To add a field to a minion, add it to `Minion` in
state.py and to `MINION` here; docs/development.md has the whole recipe.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError, quote, suggest
from planner.formats.json_schema import Schema, any_of, integer_schema, list_schema
from planner.formats.values import as_list
from planner.games.hearthstone.cards.card import CLASSES
from planner.games.hearthstone.cards.card_format import card_schema
from planner.games.hearthstone.cards.effect_vocabulary import MAX_COUNT
from planner.games.hearthstone.cards.field_kinds import (
    CARD_VALUE,
    COUNT,
    FLAG,
    HEALTH,
    KEYWORDS,
    MAX_NUMBER,
    NAME,
    SIGNED,
    TEXT,
    TRIBE_LIST,
    Kind,
    choice_kind,
    integer_kind,
)
from planner.games.hearthstone.cards.keywords import attacks_per_turn
from planner.games.hearthstone.rules.entities import REQUIRED, Derived, Entity, Field, MadeFrom, Written
from planner.games.hearthstone.rules.ruleset import rules_schema, ruleset_names
from planner.games.hearthstone.rules.state import HandCard, Hero, Minion, Player, Weapon
from planner.games.hearthstone.rules.unlisted_cards import (
    CHANGED_NUMBERS,
    DEFAULT_NAMES,
    unlisted_card,
    unlisted_minion_card,
)

HAND_CARD_TYPES: Final = ("minion", "spell", "weapon")
_CLASSES: Final = frozenset(CLASSES)
MAX_ATTACKS_LEFT: Final = 100  # of one character: a search over a million attacks would not end
MAX_HIDDEN_CARDS: Final = 1000  # in a zone given as a number, so that a typo does not cost memory


# -- kinds of values


def _read_list(value: Any) -> list[Any]:
    return value if type(value) is list else as_list(value)


def _read_class(value: Any) -> str:
    if type(value) is str and value in _CLASSES:
        return value
    word = re.sub("[ _-]", "", value).lower() if isinstance(value, str) else value  # Death Knight, DEMON_HUNTER
    if word != "neutral" and word not in CLASSES:
        raise PlannerError(f"unknown class {quote(value)}{suggest(word, CLASSES)}")
    return str(word)


def _unchanged(value: Any) -> Any:
    return value


ATTACKS_LEFT: Final = integer_kind(0, MAX_ATTACKS_LEFT)
MANA: Final = Kind(_unchanged, COUNT.schema, plain=None)  # the limit depends on the ruleset, so the reader checks it
# The reader accepts a class in any case; the schema lists the words for editors that complete them.
HERO_CLASS: Final = Kind(_read_class, {"anyOf": [{"enum": ["neutral", *CLASSES]}, {"type": "string"}]})
CARD_TYPE: Final = choice_kind(HAND_CARD_TYPES)
# Objects and lists of objects: state_reader.py reads them, `state_schema` describes them.
OBJECT: Final = Kind(_unchanged, {}, plain=None)
OBJECTS: Final = Kind(_read_list, {})


# -- the objects of a state

_ID: Final = Field("id", NAME, written=Written.SEPARATELY)
# An entity is made from a card: by name, or described in place.
_CARD: Final = (
    Field("name", NAME, of_card=True),
    Field("card", OBJECT, written=Written.SEPARATELY, rare=True),
)
_PRINTED: Final = (
    Field("tribes", TRIBE_LIST, of_card=True, rare=True),
    Field("spell_damage", integer_kind(0, MAX_COUNT), of_card=True, rare=True),
)


MINION: Final = Entity(
    Minion,
    _ID,
    *_CARD,
    *_PRINTED,
    Field("attack", COUNT, Derived(lambda card: card.attack), Written.ALWAYS, observed=True),
    Field("health", HEALTH, Derived(lambda card: card.health), Written.ALWAYS, observed=True),
    Field(
        "max_health",
        HEALTH,
        Derived(lambda card, health: health if health > card.health else card.health),  # a call of `max` takes longer
        observed=True,
    ),
    Field("keywords", KEYWORDS, Derived(lambda card, silenced: 0 if silenced else card.keywords), Written.ALWAYS),
    Field(
        "attacks_left",
        ATTACKS_LEFT,
        Derived(lambda _card, keywords: attacks_per_turn(keywords)),
        Written.IN_FULL,
        observed=True,
    ),
    Field("summoned_this_turn", FLAG, False, name="fresh", observed=True),
    Field("entered", COUNT, 0),
    Field("silenced", FLAG, False, observed=True, rare=True),
    Field("attack_this_turn", SIGNED, 0, rare=True),
    Field("aura_attack", SIGNED, 0, Written.UNDER_AURAS, rare=True),
    Field("aura_health", SIGNED, 0, Written.UNDER_AURAS, rare=True),
    Field("keywords_this_turn", KEYWORDS, 0, rare=True),
    made_from=MadeFrom(
        ("minion",),
        unlisted_minion_card,
        ("name", *CHANGED_NUMBERS, "tribes", "spell_damage"),
        ("attack", "health"),
        DEFAULT_NAMES["minion"],
    ),
)

WEAPON: Final = Entity(
    Weapon,
    *_CARD,
    Field("attack", COUNT, Derived(lambda card: card.attack), Written.ALWAYS),
    Field("durability", HEALTH, Derived(lambda card: card.health), Written.ALWAYS),
    Field("keywords", KEYWORDS, Derived(lambda card: card.keywords), Written.ALWAYS),
    stats=("attack", "durability"),
)


class HeroSource(NamedTuple):
    """What the defaults of a hero come from."""

    max_health: int  # the ruleset's
    weapon: int  # its keywords


HERO: Final = Entity(
    Hero,
    Field("health", SIGNED, REQUIRED, Written.ALWAYS),  # 0 or less only in a finished match
    Field("armor", COUNT, 0, Written.IN_FULL),
    # Effects that lower a hero's health for good lower the maximum too, so it may be negative.
    Field(
        "max_health",
        SIGNED,
        Derived(lambda source, health: health if health > source.max_health else source.max_health),
    ),
    Field("keywords", KEYWORDS, 0, rare=True),
    Field("attack_this_turn", SIGNED, 0, rare=True),
    Field("keywords_this_turn", KEYWORDS, 0, rare=True),
    Field("attacks_left", ATTACKS_LEFT, Derived(lambda source, keywords: attacks_per_turn(keywords | source.weapon))),
    Field("class", HERO_CLASS, "neutral", name="hero_class"),
)

# Cards in a hand or a deck. Numbers that differ from the card's own make it another card.
HAND_CARD: Final = Entity(
    HandCard,
    _ID,
    *_CARD,
    Field("type", CARD_TYPE, of_card=True, rare=True),
    Field("cost", COUNT, Derived(lambda card: card.cost), Written.SEPARATELY),
    Field("attack", COUNT, of_card=True),
    Field("health", COUNT, of_card=True),
    Field("keywords", KEYWORDS, of_card=True),
    *_PRINTED,
    Field("value", CARD_VALUE, Derived(lambda card: card.value), Written.SEPARATELY),
    Field("echo", FLAG, False, rare=True),
    made_from=MadeFrom(
        (*HAND_CARD_TYPES, "hidden"),
        unlisted_card,
        ("name", "type", "cost", "attack", "health", "keywords", "value", "tribes", "spell_damage"),
        ("cost", "attack", "health"),
        DEFAULT_NAMES["minion"],
    ),
)

# A hero power is a card; its cost may differ from the printed one.
HERO_POWER: Final = Entity(None, *_CARD, Field("cost", COUNT, of_card=True))


class PlayerSource(NamedTuple):
    """What the defaults of a player come from."""

    mana: int
    crystals: int


PLAYER: Final = Entity(
    Player,
    Field("hero", OBJECT, REQUIRED, Written.SEPARATELY),
    # At the top of the state for `me`.
    Field("mana", MANA, Derived(lambda source: source.mana)),
    Field("weapon", OBJECT, None, Written.SEPARATELY),
    Field("hero_power", OBJECT, None, Written.SEPARATELY, name="power"),
    Field("hero_power_used", FLAG, False, name="power_used"),
    Field("board", OBJECTS, (), Written.SEPARATELY),
    Field("hand", OBJECT, (), Written.SEPARATELY),
    Field("deck", OBJECT, (), Written.SEPARATELY),
    Field("crystals", COUNT, Derived(lambda source: source.crystals)),
    Field("overload", COUNT, 0),
    Field("locked", COUNT, 0),
    Field("fatigue", COUNT, 0),
    Field("cards_played", COUNT, 0),
)

STATE: Final = Entity(
    None,
    Field("mana", MANA, REQUIRED, Written.SEPARATELY),
    Field("me", OBJECT, REQUIRED, Written.SEPARATELY),
    Field("enemy", OBJECT, REQUIRED, Written.SEPARATELY),
    Field("turn", COUNT, 1),
    Field("seat", integer_kind(0, 1), 0),
    Field("clock", COUNT, Derived(lambda last_entered: last_entered)),
    Field("cause", TEXT, ""),
    Field("finished", FLAG, False, Written.SEPARATELY),
    Field("ruleset", OBJECT, "standard", Written.SEPARATELY, name="rules"),
    Field("cards", OBJECTS, (), Written.SEPARATELY),
    derives_when_read=False,  # the clock depends on the boards
)


def state_schema() -> Schema:
    """Return the schema of a state, without references to other documents."""
    card = card_schema()

    def by_name(entity: Entity) -> list[Schema]:
        return [NAME.schema, entity.schema({"card": card})]

    zone = any_of(integer_schema(0, MAX_HIDDEN_CARDS), list_schema(any_of(*by_name(HAND_CARD))))
    objects = {
        "hero": HERO.schema(),
        "board": list_schema(any_of(*by_name(MINION))),
        "hand": zone,
        "deck": zone,
        "weapon": any_of(*by_name(WEAPON), {"type": "null"}),
        "hero_power": any_of(*by_name(HERO_POWER), {"type": "null"}),
    }
    return STATE.schema(
        {
            "me": PLAYER.schema(objects, omit="mana"),  # at the top of the state
            "enemy": PLAYER.schema(objects),
            "ruleset": any_of({"enum": ruleset_names()}, rules_schema(MAX_NUMBER)),
            "cards": list_schema(card),
        },
    )
