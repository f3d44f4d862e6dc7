"""The fields of a state, described once.

Everything that needs to know the fields derives from these tables: the reader and the writer of the JSON form, the JSON
schema, the one-line text form and the observations for learners. To add a field to a minion, add it to `Minion` in
state.py and to `MINION` here; docs/development.md has the whole recipe.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cached_property
from operator import itemgetter
from typing import Any, Final, NamedTuple

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.values import as_list
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.effect_vocabulary import MAX_COUNT
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
)
from planner.games.hearthstone.cards.keywords import attacks_per_turn
from planner.games.hearthstone.rules.plain_reader import PlainReader, generate_reader
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


class _Marker(Enum):
    REQUIRED = "required"
    ABSENT = "absent"


REQUIRED: Final = _Marker.REQUIRED
ABSENT: Final = _Marker.ABSENT  # the value of a field that was not given and has no constant default


class Written(Enum):
    """When the writer writes a field."""

    ALWAYS = "always"
    IN_FULL = "in full"  # always in JSON; in the text form only if it differs from the default
    IF_CHANGED = "if changed"
    UNDER_AURAS = "under auras"  # always while an aura is in play, since then the default is what the aura adds
    SEPARATELY = "separately"  # by code of its own


# -- kinds of values


def _read_list(value: Any) -> list[Any]:
    return value if type(value) is list else as_list(value)


def _read_class(value: Any) -> str:
    if type(value) is str and value in _CLASSES:
        return value
    word = re.sub("[ _-]", "", value).lower() if isinstance(value, str) else value  # Death Knight, DEMON_HUNTER
    if word != "neutral" and word not in CLASSES:
        raise PlannerError(f"unknown class {quote(value)}{did_you_mean(word, CLASSES)}")
    return str(word)


def _unchanged(value: Any) -> Any:
    return value


ATTACKS_LEFT: Final = integer_kind(0, MAX_ATTACKS_LEFT)
MANA: Final = Kind(_unchanged, COUNT.schema, plain=None)  # the limit depends on the ruleset, so the reader checks it
# The reader accepts a class in any case; the schema lists the words for editors that complete them.
HERO_CLASS: Final = Kind(_read_class, {"anyOf": [{"enum": ["neutral", *CLASSES]}, {"type": "string"}]})
CARD_TYPE: Final = choice_kind(HAND_CARD_TYPES)
# Objects and lists of objects: state_reader.py reads them, state_schema.py describes them.
OBJECT: Final = Kind(_unchanged, {}, plain=None)
OBJECTS: Final = Kind(_read_list, {})


# -- fields


class Derived:
    """A default that is computed.

    The first parameter of `compute` is what the entity is made from, such as its card. The others have the names of the
    fields from which the default is computed.
    """

    def __init__(self, compute: Callable[..., Any]) -> None:
        self.compute = compute
        self.needs = compute.__code__.co_varnames[1 : compute.__code__.co_argcount]

    def default(self, source: object, entity: object) -> Any:
        """Return the default for an entity that is made from this source."""
        return self.compute(source, *[getattr(entity, name) for name in self.needs])


class Field(NamedTuple):
    """One field of an entity."""

    key: str  # in the JSON form
    kind: Kind
    default: Any = ABSENT  # a constant, Derived, REQUIRED, or ABSENT where code of its own fills it in
    written: Written = Written.IF_CHANGED
    name: str = ""  # of the attribute in state.py, where it is not the key
    of_card: bool = False  # describes the entity's card; the entity itself has no such attribute
    observed: bool = False  # part of the observations for learners
    rare: bool = False  # few objects have it, and they are read field by field: see plain_reader.py


class MadeFrom(NamedTuple):
    """The cards from which an entity is made, and what it is made from where its card is not known."""

    types: tuple[str, ...] = ()
    unlisted: Callable[..., Card] = unlisted_card
    arguments: tuple[str, ...] = ()  # of `unlisted`: names of fields
    needs: tuple[str, ...] = ()  # the fields that must be given
    default_name: str = ""


_NO_CARDS: Final = MadeFrom()


class Entity:
    """The description of one kind of object in a state: a minion, a hero, ..."""

    absent = ABSENT

    def __init__(
        self,
        kind: type[Any] | None,
        *fields: Field,
        stats: tuple[str, str] = ("attack", "health"),
        made_from: MadeFrom = _NO_CARDS,
        derives_when_read: bool = True,
    ) -> None:
        self.kind = kind
        self.made_from = made_from
        self.derives_when_read = derives_when_read  # False: the reader fills in derived defaults later
        self.fields = tuple(field._replace(name=field.name or field.key) for field in fields)
        self.stats = stats  # the two keys that the text form writes as `4/5`
        # For the reader: what to do with each key, the values to start from, and what is computed afterwards.
        self.readers = {field.key: (field.name, field.kind.read) for field in self.fields}
        self.defaults = {
            field.name: ABSENT if isinstance(field.default, Derived | _Marker) else field.default
            for field in self.fields
        }
        self.derived = {field.name: field.default for field in self.fields if isinstance(field.default, Derived)}
        self.order: tuple[str, ...] = kind._fields if kind else tuple(field.name for field in self.fields)
        self.values: Callable[[Mapping[str, Any]], tuple[Any, ...]] = itemgetter(*self.order)
        # For the writer.
        self.writers = tuple(
            (field.name, field.key, field.default, field.written, field.kind.write)
            for field in self.fields
            if field.written is not Written.SEPARATELY and not field.of_card
        )
        self.observed = tuple(field.name for field in self.fields if field.observed)

    @cached_property
    def plain_reader(self) -> PlainReader:  # generated when the first object is read
        """The reader of plain objects; see plain_reader.py."""
        return generate_reader(self)

    def is_required(self, field: Field) -> bool:
        """Return whether the object must have the field."""
        return field.default is REQUIRED

    @property
    def keys(self) -> Iterable[str]:
        """The keys of the JSON form."""
        return self.readers.keys()


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
