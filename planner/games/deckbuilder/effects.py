"""The vocabulary of effects: the steps that cards are made of, and the words with which a definition writes them.

A list of steps is a block. Blocks refer to each other by index, so that a pending decision can be stored in a state as
a few numbers. `effect_reader` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Final, NamedTuple, Self, TypeAlias

from planner.errors import PlannerError, quote
from planner.formats.documents import YamlMapping
from planner.formats.json_schema import TEXT, Schema, any_of, enum_schema, list_schema
from planner.formats.values import Fields, boolean, integer, one_of, text
from planner.games.deckbuilder.amounts import MAX_NUMBER, ONE, ZERO, Amount, Condition
from planner.games.deckbuilder.definition_fields import (
    AMOUNT,
    BLOCK,
    CARD,
    CARDS,
    CONDITION,
    EFFECT,
    FACTIONS,
    FUNCTION,
    INLINE,
    NUMBER,
    STAT,
    TYPES,
    Key,
    Kind,
    Names,
    Record,
    described,
    mapping,
    mapping_of,
    plain,
    read_record,
    record,
    record_schema,
    several,
    value,
)

NO_BLOCK: Final = -1
# The zones of a player and of the table. The order is fixed: states store the index.
ZONES: Final = (
    "hand", "deck", "discard", "played", "in_play", "looked", "revealed", "aside", "supply", "trash",
)  # fmt: skip
PLAYER_ZONES: Final = ZONES[:8]
DESTINATIONS: Final[Mapping[str, str]] = {
    "trash": "out of the game, to the trash",
    "discard": "to the discard pile",
    "hand": "to the hand",
    "top": "onto the deck, so that it is drawn next",
    "deck": "into the deck, which is shuffled",
    "aside": "set aside",
    "looked": "where only the player sees it",
    "revealed": "where all see it",
    "in_play": "into play",
    "play": "played at once",
    "take": "to the discard pile of the player who plays the card",
    "nothing": "nowhere: only chosen",
}
EVENTS: Final[Mapping[str, str]] = {
    "played": "a card is played",
    "gained": "a card is bought, gained or acquired",
    "defeated": "a card that is not kept is bought",
    "attacked": "the player is attacked",
    "drawn": "a card is drawn by an effect",
    "discarded": "a card is discarded by an effect",
    "trashed": "a card is trashed",
    "shuffled": "the discard pile is shuffled into the deck",
    "turn_begins": "a turn begins",
    "turn_ends": "a turn ends, before the hand is discarded",
}
GAIN_SOURCES: Final = ("supply", "row", "piles")
_GAIN_PLACES: Final = ("discard", "hand", "top", "in_play")
_MOVE_PLACES: Final = ("trash", "discard", "hand", "top", "deck", "aside", "looked", "revealed", "in_play")
_ALL: Final = "all"


# -- what fields of effects can hold


def _bounds(names: Names, written: Any) -> tuple[Amount, Amount | None]:
    """Read how many cards: a number, `all`, or the least and the most."""
    if isinstance(written, list):
        if len(written) != 2:
            raise PlannerError(f"must be a number or [least, most], got {quote(written)}")
        low, high = names.amount(written[0]), _most(names, written[1])
        if high is not None and not low.terms and not high.terms and low.constant > high.constant:
            raise PlannerError(f"must be [least, most], got {quote(written)}")
        return low, high
    if written == _ALL:
        return Amount(MAX_NUMBER), None
    amount = names.amount(written)
    return amount, amount


def _most(names: Names, written: Any) -> Amount | None:
    return None if written == _ALL else names.amount(written)


def _zone(_names: Names, word: Any) -> int:
    return ZONES.index(one_of(word, ZONES))


def _zone_of_player(_names: Names, word: Any) -> int:
    return ZONES.index(one_of(word, PLAYER_ZONES))


def _source(names: Names, word: Any) -> str:
    source = one_of(word, GAIN_SOURCES)
    if source == "row" and not names.has_row:
        raise PlannerError("the game has no row; `centre` defines one")
    return source


def choice(words: Collection[str]) -> Kind:
    """Return the kind of one of these words."""
    return plain(partial(one_of, choices=words))


Flag: TypeAlias = Annotated[bool, plain(boolean)]
_MESSAGE: Final = plain(text)
_BOUNDS: Final = value(any_of(NUMBER, TEXT, list_schema(AMOUNT.schema, 2)), _bounds)
ZONE_LIST: Final = several(enum_schema(ZONES), _zone)
_PLACE: Final = choice(_MOVE_PLACES)


@dataclass(frozen=True, kw_only=True)
class Filter(Record):
    """Which cards a step concerns; empty parts do not restrict."""

    types: Annotated[tuple[str, ...], TYPES, Key("type"), "a type, or a list of types"] = ()
    factions: Annotated[tuple[str, ...], FACTIONS, Key("faction"), "a faction, or a list"] = ()
    cards: Annotated[tuple[int, ...], CARDS, Key("card"), "a card, or a list of cards"] = ()
    excluded: Annotated[tuple[int, ...], CARDS, Key("not"), "a card, or a list of cards, that does not count"] = ()
    currency: Annotated[int | None, STAT, "the stat that pays for it"] = None
    up_to: Annotated[Amount | None, AMOUNT, "the highest cost"] = None
    cost: Annotated[Amount | None, AMOUNT, "the exact cost"] = None

    @property
    def amounts(self) -> tuple[Amount, ...]:
        """The amounts with which the cost of a card is compared."""
        return tuple(amount for amount in (self.up_to, self.cost) if amount is not None)


ANY_CARD: Final = Filter()


@dataclass(frozen=True, kw_only=True)
class Trigger(Record):
    """What happens on an event while a card is in play, or until the end of the turn."""

    event: Annotated[str, choice(EVENTS)]
    block: Annotated[int, BLOCK, Key("do")]
    once: Flag = False
    anyone: Annotated[Flag, "also events of other players"] = False
    filter: Annotated[Filter, INLINE] = ANY_CARD


# -- steps


@dataclass(frozen=True)
class _NumberStep:
    amount: Amount


class Draw(_NumberStep):
    """Draw cards."""


class AddPoints(_NumberStep):
    """Give points to the player, from the reserve where the game has one."""


class AddHealth(_NumberStep):
    """Change the player's health."""


class Damage(_NumberStep):
    """Reduce the health of every opponent."""


@dataclass(frozen=True)
class AddStat(_NumberStep):
    """Add to a stat of the player whose turn it is."""

    stat: int


@dataclass(frozen=True, kw_only=True)
class Choose(Record):
    """Choose cards of some zones and do something with them."""

    zones: Annotated[tuple[int, ...], ZONE_LIST, Key("from")] = (ZONES.index("hand"),)
    low: Annotated[Amount, AMOUNT, Key("at_least")] = ZERO
    high: Annotated[Amount | None, value(AMOUNT.schema, _most), Key("at_most")] = ONE  # None: as many as there are
    count: Annotated[tuple[Amount, Amount | None] | None, _BOUNDS] = None  # instead of both
    do: Annotated[str, choice(DESTINATIONS)] = "nothing"
    by: Annotated[str, choice(("player", "owner"))] = "player"  # owner: the player who played the card chooses
    among: Annotated[str, choice(("chosen",))] = ""  # chosen: only among the cards that the step before chose
    ordered: Flag = False  # one after the other
    shown: Flag = False  # all players see the chosen cards
    times: Annotated[int, plain(partial(integer, minimum=1, maximum=10))] = 1  # how often a card is played
    message: Annotated[str, _MESSAGE] = ""
    filter: Annotated[Filter, INLINE] = ANY_CARD
    then: int = NO_BLOCK
    otherwise: int = NO_BLOCK

    def checked(self, _names: Names, entry: Fields) -> Self:
        """Replace `count` by the least and the most number."""
        if ZONES.index("supply") in self.zones and self.do != "nothing":
            raise entry.error("from: cards of the supply are gained; use 'gain'", "from")
        if self.count is None:
            return self
        if "at_least" in entry or "at_most" in entry:
            raise entry.error("count: use either count, or at_least and at_most", "count")
        return replace(self, low=self.count[0], high=self.count[1])


@dataclass(frozen=True, kw_only=True)
class TakeTop(Record):
    """Take the top cards of the deck."""

    amount: Annotated[Amount, AMOUNT, Key("count")] = ONE
    to: Annotated[str, _PLACE] = "revealed"
    then: int = NO_BLOCK
    otherwise: int = NO_BLOCK


@dataclass(frozen=True, kw_only=True)
class Gain(Record):
    """Gain a card from the supply."""

    source: Annotated[str, value(enum_schema(GAIN_SOURCES), _source), Key("from")] = "supply"
    to: Annotated[str, choice(_GAIN_PLACES)] = "discard"
    optional: Flag = False
    message: Annotated[str, _MESSAGE] = ""
    filter: Annotated[Filter, INLINE] = ANY_CARD
    then: int = NO_BLOCK
    otherwise: int = NO_BLOCK


@dataclass(frozen=True, kw_only=True)
class MoveAll(Record):
    """Move all matching cards of a zone."""

    zone: Annotated[int, value(enum_schema(PLAYER_ZONES), _zone_of_player), Key("from")]
    to: Annotated[str, _PLACE]
    filter: Annotated[Filter, INLINE] = ANY_CARD


@dataclass(frozen=True)
class MoveThis:
    """Move the card that is being resolved, if it is still where it was played."""

    to: str


@dataclass(frozen=True)
class If:
    """Go on with one block or another."""

    condition: Condition
    then: int = NO_BLOCK
    otherwise: int = NO_BLOCK


@dataclass(frozen=True)
class May:
    """Ask yes or no."""

    message: str
    then: int = NO_BLOCK
    otherwise: int = NO_BLOCK


@dataclass(frozen=True)
class ChooseOne:
    """Choose one of several blocks by its text."""

    blocks: Mapping[str, int]


@dataclass(frozen=True)
class Each:
    """Carry a block out for every opponent, or every player, in turn order."""

    block: int
    attack: bool = False
    everyone: bool = False


@dataclass(frozen=True)
class Repeat:
    """Repeat a block until the condition holds, or it takes no card from the deck any more."""

    block: int
    until: Condition = ()


@dataclass(frozen=True)
class When:
    """React to an event until the end of the turn."""

    trigger: Trigger


@dataclass(frozen=True)
class Call:
    """Call a function of the function file."""

    function: int


@dataclass(frozen=True)
class Run:
    """Carry out a named effect."""

    block: int


@dataclass(frozen=True)
class Seize:
    """Put one card into play, wherever in the supply or in play it is."""

    card: int


Step = (
    AddStat | Draw | AddPoints | AddHealth | Damage | Choose | TakeTop | Gain | MoveAll | MoveThis | If | May
    | ChooseOne | Each | Repeat | When | Call | Run | Seize
)  # fmt: skip


# -- words


class Word(NamedTuple):
    """A word that begins a step."""

    meaning: str
    kind: Kind  # of what follows it
    make: Callable[..., Step]  # from what follows it, and from the modifiers
    modifiers: Mapping[str, tuple[str, Kind]] = {}  # fields beside the word: the attribute, and what they can hold


def _from_hand(
    bounds: tuple[Amount, Amount | None], *, do: str, then: int = NO_BLOCK, otherwise: int = NO_BLOCK
) -> Choose:
    return Choose(low=bounds[0], high=bounds[1], do=do, then=then, otherwise=otherwise)


def _read_gain(names: Names, entry: Fields, key: str) -> Gain:
    if isinstance(entry.entry[key], YamlMapping):
        return read_record(Gain, names, mapping(entry, key))
    return Gain(filter=Filter(up_to=AMOUNT.read(names, entry, key)))


def _read_options(names: Names, entry: Fields, key: str) -> Mapping[str, int]:
    if not isinstance(entry.entry[key], YamlMapping) or len(entry.entry[key]) < 2:
        raise entry.error(f"{key}: must be a mapping of at least two texts to effects", key)
    blocks: Mapping[str, int] = mapping_of(BLOCK).read(names, entry, key)
    return blocks


_BRANCHES: Final = {"then": ("then", BLOCK), "else": ("otherwise", BLOCK)}
_UNTIL: Final = {"until": ("until", CONDITION)}
# Words with a number; the stats of the game are such words as well.
NUMBER_WORDS: Final[Mapping[str, Word]] = {
    "cards": Word("draw this many cards", AMOUNT, Draw),
    "points": Word("gain points", AMOUNT, AddPoints),
    "health": Word("gain or lose health", AMOUNT, AddHealth),
    "damage": Word("every opponent loses this much health", AMOUNT, Damage),
}
STEP_WORDS: Final[Mapping[str, Word]] = {
    "trash": Word(
        "trash cards from the hand: a number, or [least, most]", _BOUNDS, partial(_from_hand, do="trash"), _BRANCHES
    ),
    "discard": Word(
        "discard cards from the hand: a number, or [least, most]", _BOUNDS, partial(_from_hand, do="discard"), _BRANCHES
    ),
    "gain": Word(
        "gain a card from the supply: the highest cost, or a mapping",
        Kind(any_of(AMOUNT.schema, record_schema(Gain)), _read_gain), replace, _BRANCHES,
    ),
    "choose": Word("choose cards of a zone and move or play them", record(Choose), replace, _BRANCHES),
    "top": Word("take the top cards of the deck", record(TakeTop), replace, _BRANCHES),
    "move": Word("move all cards of a zone", record(MoveAll), replace),
    "this": Word("move the card itself", _PLACE, MoveThis),
    "if": Word("a condition, for `then` and `else`", CONDITION, If, _BRANCHES),
    "may": Word("ask yes or no, for `then` and `else`", plain(partial(text, maximum=200), TEXT), May, _BRANCHES),
    "choose_one": Word(
        "choose one of several effects by its text", Kind(mapping_of(BLOCK, 2).schema, _read_options), ChooseOne
    ),
    "each_opponent": Word("an effect for every other player, in turn order", BLOCK, Each),
    "each_player": Word("an effect for every player, in turn order", BLOCK, partial(Each, everyone=True)),
    "attack": Word("like each_opponent, but reactions can stop it", BLOCK, partial(Each, attack=True)),
    "attack_all": Word(
        "like each_player, but reactions of the others can stop it", BLOCK, partial(Each, attack=True, everyone=True)
    ),
    "repeat": Word("repeat an effect, for `until`", BLOCK, Repeat, _UNTIL),
    "when": Word("react to an event until the end of the turn", record(Trigger), When),
    "call": Word("call a function of the function file", FUNCTION, Call),
    "run": Word("carry out an effect of the section `effects`", EFFECT, Run),
    "seize": Word("take control of a card in play or in the supply", CARD, Seize),
}  # fmt: skip


def step_schema() -> Schema:
    """Return the JSON schema of a step."""
    words = {**NUMBER_WORDS, **STEP_WORDS}
    properties = described((key, word.kind.schema, word.meaning) for key, word in words.items())
    for word in words.values():
        properties |= {key: kind.schema for key, (_, kind) in word.modifiers.items()}
    stats = AMOUNT.schema
    return {"type": "object", "properties": properties, "additionalProperties": stats, "minProperties": 1}
