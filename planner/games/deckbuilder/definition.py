"""What a game is, as values: its cards, piles, phases and ends. `definition_reader` makes it from a YAML file.

docs/reference/deckbuilder.md has an example of each field.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Final, Self

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlMapping
from planner.formats.json_schema import TEXT, Schema, any_of, list_schema
from planner.formats.values import ErrorCollector, Fields, integer, text
from planner.games.deckbuilder.amounts import ZERO, Amount, Condition
from planner.games.deckbuilder.definition_fields import (
    AMOUNT,
    BLOCK,
    BY_PLAYERS,
    CARD,
    CONDITION,
    INLINE,
    MAX_COUNT,
    NUMBER,
    PILE_NAMES,
    STAT,
    STATS,
    TYPES,
    WORDS,
    Key,
    Kind,
    Names,
    Record,
    mapping,
    mapping_of,
    plain,
    read_record,
    record,
    record_schema,
    records,
    several,
    value,
)
from planner.games.deckbuilder.effects import (
    ANY_CARD,
    EVENTS,
    NO_BLOCK,
    ZONE_LIST,
    ZONES,
    Filter,
    Flag,
    Step,
    Trigger,
    choice,
    step_schema,
)
from planner.games.deckbuilder.function_file import GAME_OVER, FunctionFile

# Phases with a meaning. In a phase with any other name, cards of all types can be played and bought.
ACTION_PHASE, BUY_PHASE, CLEAR_PHASE = "action", "buy", "clear"
ACTION_TYPE: Final = "action"  # cards of this type cost an action where the game has the stat `actions`
ACTIONS, BUYS = "actions", "buys"  # stats with a meaning
POINTS, HEALTH = "points", "health"  # kinds of victory
SHARED, FEWER_TURNS, LATER_SEAT = "shared", "fewer_turns", "later_seat"  # what decides a tie
MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 8
_DEFAULT_COUNT: Final = 10  # cards of a pile


# -- what fields can hold


def _text(maximum: int) -> Kind:
    return plain(partial(text, maximum=maximum), TEXT)


def _number(minimum: int, maximum: int = MAX_COUNT) -> Kind:
    return plain(partial(integer, minimum=minimum, maximum=maximum))


def _players(_names: Names, written: Any) -> range:
    if isinstance(written, list) and len(written) == 2:
        least, most = (integer(item, MIN_PLAYERS, MAX_PLAYERS) for item in written)
        if least <= most:
            return range(least, most + 1)
    if type(written) is int and MIN_PLAYERS <= written <= MAX_PLAYERS:
        return range(written, written + 1)
    raise PlannerError(f"must be [least, most] between {MIN_PLAYERS} and {MAX_PLAYERS}, got {quote(written)}")


def _hand_size(names: Names, written: Any) -> Amount:
    size = names.amount(written)
    if not size.terms and size.constant < 1:
        raise PlannerError(f"must be at least 1, got {quote(written)}")
    return size


def _cost(names: Names, written: Any) -> Amount:
    cost = names.amount(written)
    if not cost.terms and cost.constant < 0:
        raise PlannerError(f"must be at least 0, got {quote(written)}")
    return cost


def _phases(_names: Names, written: Any) -> tuple[str, ...]:
    words = tuple(text(word, 30) for word in written) if isinstance(written, list) else ()
    if len(words) < 2 or words[-1] != CLEAR_PHASE or CLEAR_PHASE in words[:-1] or len(set(words)) < len(words):
        raise PlannerError(f"must be a list of different phases that ends with 'clear', got {quote(written)}")
    return words[:-1]


def _colour(_names: Names, written: Any) -> tuple[int, int, int]:
    if not isinstance(written, list) or len(written) != 3:
        raise PlannerError(f"must be [red, green, blue], got {quote(written)}")
    red, green, blue = (integer(part, 0, 255) for part in written)
    return red, green, blue


def _cards(names: Names, entry: Fields, key: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Read cards with their numbers by number of players, or one card, whose number is in another field."""
    if not isinstance(entry.entry[key], YamlMapping):
        return ((CARD.read(names, entry, key), ()),)
    part = mapping(entry, key)
    return tuple((names.id(part, name), BY_PLAYERS.read(names, part, name)) for name in part.entry)


def _starting_deck(names: Names, entry: Fields, key: str) -> tuple[int, ...]:
    deck = mapping(entry, key)
    cards = [names.id(deck, name) for name in deck.entry for _ in range(_number(1).read(names, deck, name))]
    if not cards:
        raise deck.error("starting_deck: must have at least one card")
    return tuple(sorted(cards))


_HAND_SIZE: Final = value(AMOUNT.schema, _hand_size)
_FIRST_HANDS: Final = several(NUMBER, lambda _names, number: integer(number, 0, MAX_COUNT))
_NAMED_EFFECTS: Final = Kind(mapping_of(BLOCK).schema, lambda names, entry, key: names.define(mapping(entry, key)))
_FUNCTIONS: Final = value(TEXT, lambda names, _path: names.function_file)
_PLAYERS: Final = value(any_of(NUMBER, list_schema(NUMBER, 2)), _players)
_COLOUR: Final[Schema] = {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}}
_COUNTED: Final = Kind({"type": "object", "additionalProperties": BY_PLAYERS.schema}, _cards)
_PILE_CARDS: Final = Kind(any_of(TEXT, _COUNTED.schema), _cards)


# -- the parts of a game


@dataclass(frozen=True, kw_only=True)
class Count(Record):
    """A named quantity: the cards of some zones, or the events of this turn, that match a filter."""

    zones: Annotated[tuple[int, ...], ZONE_LIST, Key("in")] = ()
    event: Annotated[str, choice(EVENTS)] = ""
    most: Annotated[int | None, _number(1), "larger numbers count as this one"] = None
    filter: Annotated[Filter, INLINE] = ANY_CARD

    def checked(self, _names: Names, entry: Fields) -> Self:
        """Refuse a count of nothing, or of two things."""
        if ("in" in entry) == ("event" in entry):
            raise entry.error("a count has either 'in', a zone, or 'event', what happened this turn")
        return self


@dataclass(frozen=True, kw_only=True)
class Ability(Record):
    """What the owner of a card can do once a turn while it is in play."""

    condition: Annotated[Condition, CONDITION, Key("if")] = ()
    block: Annotated[int, BLOCK, Key("do")]


@dataclass(frozen=True, kw_only=True)
class ExtraCurrency(Record):
    """Another stat that pays for a card while a condition holds."""

    currency: Annotated[int, STAT]
    condition: Annotated[Condition, CONDITION, Key("if")]


@dataclass(frozen=True, kw_only=True)
class Card(Record):
    """One kind of card. Blocks are indices of `Definition.blocks`."""

    name: str
    triggers: Annotated[
        tuple[Trigger, ...],
        records(Trigger, "reactions", is_list=False),
        Key("on"),
        "reactions to events while it is in play",
    ] = ()
    ability: Annotated[Ability | None, record(Ability), "what its owner can do once a turn while it is in play"] = None
    extra: Annotated[
        ExtraCurrency | None,
        record(ExtraCurrency),
        Key("also"),
        "another stat that pays for it as well, under a condition",
    ] = None
    types: Annotated[tuple[str, ...], WORDS, Key("type"), "a type, or a list of types"]
    faction: Annotated[str, plain(text), "the faction"] = ""
    cost: Annotated[
        Amount | None, value(AMOUNT.schema, _cost), "the cost, or an amount; without it, the card cannot be bought"
    ] = None
    currencies: Annotated[
        tuple[int, ...],
        STATS,
        Key("currency"),
        "the stat that pays for it, or a list, used in this order",
    ] = ()
    points: Annotated[Amount, AMOUNT, "points at the end of the match: a number or an amount"] = ZERO
    effects: Annotated[int, BLOCK, "what happens when it is played"] = NO_BLOCK
    on_gain: Annotated[int, BLOCK, "what happens when a player gets it"] = NO_BLOCK
    kept: Annotated[Flag, "false: its effects happen on purchase and it goes to the trash"] = True
    persistent: Annotated[
        Flag, "true: it stays in play, and its effects happen again at the start of each own turn"
    ] = False
    stops_attacks: Annotated[Flag, "true: its holder can show it to be unaffected by an attack"] = False
    text: Annotated[str, _text(500), "what is written on it"] = ""

    playable: bool = False

    def checked(self, _names: Names, _entry: Fields) -> Self:
        """Return the card with what follows from its fields."""
        return replace(self, playable=self.effects != NO_BLOCK or self.persistent)


@dataclass(frozen=True, kw_only=True)
class Pile(Record):
    """A pile of the supply: its cards with their number by number of players."""

    name: Annotated[str, _text(60), "the name of the pile; by default that of its card"] = ""
    cards: Annotated[tuple[tuple[int, tuple[int, ...]], ...], _PILE_CARDS, "a card, or cards and their number"]
    count: Annotated[tuple[int, ...], BY_PLAYERS, "the number of cards, where the pile has one kind"] = ()
    shuffled: Annotated[Flag, "whether several kinds are in random order"] = False
    permanent: Annotated[Flag, "whether buying leaves the card in the pile"] = False
    for_sale: Annotated[Flag, "whether its cards can be bought"] = True

    def checked(self, names: Names, entry: Fields) -> Self:
        """Fill in the number of cards and the name."""
        pile = self
        if [counts for _, counts in self.cards] == [()]:
            counts = self.count or (_DEFAULT_COUNT,) * len(names.players)
            pile = replace(self, cards=((self.cards[0][0], counts),))
        totals = [sum(numbers) for numbers in zip(*(counts for _, counts in pile.cards), strict=False)]
        if not totals or not all(totals):
            raise entry.error("cards: a pile needs at least one card for every number of players", "cards")
        return replace(pile, name=self.name or list(names.cards)[pile.cards[0][0]])


def _pile_of_card(names: Names, card: str) -> Pile:
    """Return the pile that is written as the name of its card."""
    return Pile(name=card, cards=((names.card(card), (_DEFAULT_COUNT,) * len(names.players)),))


_PILES: Final = records(Pile, "piles", _pile_of_card)


@dataclass(frozen=True, kw_only=True)
class Kingdom(Record):
    """Piles of which some are chosen for a match."""

    count: Annotated[int, _number(1)]
    piles: Annotated[tuple[Pile, ...], _PILES]
    sets: Annotated[Mapping[str, tuple[str, ...]], mapping_of(WORDS), "recommended choices"] = field(
        default_factory=dict
    )

    def checked(self, _names: Names, entry: Fields) -> Self:
        """Refuse choices of piles that do not exist, and of too many."""
        if not self.piles:
            raise entry.error("piles: must have at least one pile", "piles")
        if self.count > len(self.piles):
            raise entry.error(f"count: must be between 1 and {len(self.piles)}, got {self.count}", "count")
        known = [pile.name for pile in self.piles]
        sets = mapping(entry, "sets") if self.sets else entry
        for name, piles in self.sets.items():
            if len(set(piles)) != self.count or len(piles) != self.count:
                message = f"must be a list of {self.count} different piles, got {quote(list(piles))}"
                raise sets.error(f"{name}: {message}", name)
            for pile in piles:
                if pile not in known:
                    raise sets.error(f"{name}: unknown pile {quote(pile)}{did_you_mean(pile, known)}", name)
        return self


@dataclass(frozen=True, kw_only=True)
class Centre(Record):
    """A shuffled deck that feeds a row of cards."""

    cards: Annotated[tuple[tuple[int, tuple[int, ...]], ...], _COUNTED]
    row: Annotated[int, _number(1, 20)]
    from_trash: Annotated[Flag, "an empty deck is made again from the trash"] = False

    def checked(self, _names: Names, entry: Fields) -> Self:
        """Refuse a deck that cannot fill the row."""
        if sum(min(counts) for _, counts in self.cards) < self.row:
            raise entry.error(f"cards: the deck must have at least {self.row} cards to fill the row", "cards")
        return self


@dataclass(frozen=True, kw_only=True)
class EndRule(Record):
    """One way in which a match ends: any of these holds at the end of a turn, or of a round."""

    condition: Annotated[Condition, CONDITION, Key("if")] = ()
    piles: Annotated[tuple[str, ...], PILE_NAMES, Key("empty"), "all of these piles are empty"] = ()
    reason: Annotated[str, _text(40)] = "the end of the game"
    at: Annotated[str, choice(("turn", "round"))] = "turn"

    def checked(self, _names: Names, entry: Fields) -> Self:
        """Refuse a rule without a condition."""
        if "empty" not in entry and "if" not in entry:
            raise entry.error("a rule has 'empty' or 'if'")
        return self


def _read_cards(names: Names, entry: Fields, key: str) -> tuple[Card, ...]:
    part, cards, errors = mapping(entry, key), [], ErrorCollector()
    for name in part.entry:
        with errors:
            cards.append(read_record(Card, names, mapping(part, name), name=name))
    errors.raise_if_any()
    return tuple(cards)


@dataclass(frozen=True, kw_only=True, eq=False)  # so that what is computed from a definition can be cached
class Definition(Record):
    """A deck-building game."""

    path: Path
    blocks: list[tuple[Step, ...]]
    title: Annotated[str, _text(100), "the name of the game"]
    players: Annotated[range, _PLAYERS, "[least, most] number of players"]
    hand_size: Annotated[Amount, _HAND_SIZE, "cards drawn at the end of a turn: a number or an amount"]
    first_hands: Annotated[
        tuple[int, ...],
        _FIRST_HANDS,
        "number of cards in the first hand, by seat; the last one also for the seats after it",
    ] = ()
    victory: Annotated[str, choice((POINTS, HEALTH)), "points or health"] = POINTS
    health: Annotated[int, _number(1), "health at the start"] = 0
    ties: Annotated[
        str,
        choice((SHARED, FEWER_TURNS, LATER_SEAT)),
        "what decides between equal players: shared, fewer_turns or later_seat",
    ] = SHARED
    turn_limit: Annotated[int, _number(1), "rounds after which the match ends"] = 100
    plays_before_buys: Annotated[Flag, "whether no card can be played after the first purchase of a turn"] = False
    starts: Annotated[
        Mapping[str, int], mapping_of(_number(0)), Key("stats"), "the stats of a turn and their values at its start"
    ]
    currency: Annotated[int, STAT, "the stat that pays for cards; by default the last"] = -1
    phases: Annotated[tuple[str, ...], value(list_schema(TEXT, 2), _phases), "the phases of a turn"]
    played_types: Annotated[
        Mapping[str, tuple[str, ...]],
        mapping_of(TYPES),
        Key("plays"),
        "the types of cards that can be played in a phase",
    ] = field(default_factory=dict)
    starting_deck: Annotated[tuple[int, ...], Kind(_COUNTED.schema, _starting_deck), "cards and their number"]
    named_blocks: Annotated[
        Mapping[str, int],
        _NAMED_EFFECTS,
        Key("effects"),
        "named effects, for `run`",
    ] = field(default_factory=dict)
    counts: Annotated[
        Mapping[str, Count], mapping_of(record(Count)), "named quantities: cards of a zone that match a filter"
    ] = field(default_factory=dict)
    cards: Annotated[tuple[Card, ...], Kind(mapping_of(record(Card), 1).schema, _read_cards), "the cards"]
    piles: Annotated[tuple[Pile, ...], _PILES, "the piles of every match"] = ()
    kingdom: Annotated[Kingdom, record(Kingdom), "the piles of which some are chosen for a match"] = Kingdom(
        count=0, piles=()
    )
    centre: Annotated[Centre | None, record(Centre), "a shuffled deck that feeds a row of cards"] = None
    reserve: Annotated[tuple[int, ...], BY_PLAYERS, "points that can be given out before the match ends"] = ()
    ends: Annotated[tuple[EndRule, ...], records(EndRule, "rules"), "how a match ends"] = ()
    functions: Annotated[FunctionFile | None, _FUNCTIONS, "the function file"] = None
    colours: Annotated[
        Mapping[str, tuple[int, int, int]], mapping_of(value(_COLOUR, _colour)), "colours by faction or type"
    ] = field(default_factory=dict)

    def checked(self, _names: Names, entry: Fields) -> Self:
        """Refuse fields that do not fit each other, and give every card its currency."""
        if self.victory == HEALTH and not self.health:
            raise entry.error("health: is missing; with 'victory: health' players start with some", "victory")
        for phase in self.played_types:
            if phase not in self.phases:
                known = ", ".join(self.phases)
                raise mapping(entry, "plays").error(f"plays: must name phases ({known}), got {quote(phase)}", phase)
        names = [pile.name for pile in (*self.piles, *self.kingdom.piles)]
        for name in names:
            if names.count(name) > 1:
                raise entry.error(f"two piles have the name {quote(name)}; give one a `name`", "piles")
        currencies = (range(len(self.stats))[self.currency],)
        cards = (card if card.currencies else replace(card, currencies=currencies) for card in self.cards)
        return replace(self, cards=tuple(cards))

    @cached_property
    def stats(self) -> tuple[str, ...]:
        """The names of the stats."""
        return tuple(self.starts)

    @cached_property
    def stat_starts(self) -> tuple[int, ...]:
        """The values of the stats at the start of a turn."""
        return tuple(self.starts.values())

    @cached_property
    def plays(self) -> tuple[tuple[str, ...], ...]:
        """The types that can be played in each phase; empty for all."""
        return tuple(self.played_types.get(phase, ()) for phase in self.phases)

    @cached_property
    def function_names(self) -> tuple[str, ...]:
        """The functions of the function file."""
        return self.functions.names if self.functions is not None else ()

    @property
    def row(self) -> int:
        """The number of cards in the row."""
        return self.centre.row if self.centre is not None else 0

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """The index of each card by its name."""
        return {card.name: index for index, card in enumerate(self.cards)}

    @property
    def players_text(self) -> str:
        """The number of players in words."""
        least, most = self.players[0], self.players[-1]
        return f"{least} players" if least == most else f"{least} to {most} players"

    @cached_property
    def has_triggers(self) -> bool:
        """Whether cards in play can react to events."""
        return any(card.triggers for card in self.cards)

    @cached_property
    def event_counts(self) -> tuple[tuple[str, Count], ...]:
        """The counts of events."""
        return tuple((name, count) for name, count in self.counts.items() if count.event)

    @cached_property
    def listens(self) -> bool:
        """Whether an event can matter when no effect waits for it."""
        return self.has_triggers or bool(self.event_counts)

    @cached_property
    def has_variable_costs(self) -> bool:
        """Whether what a card costs, or which stat pays for it, depends on the table."""
        return any((card.cost is not None and card.cost.terms) or card.extra is not None for card in self.cards)

    @cached_property
    def ends_by_zones(self) -> bool:
        """Whether a match can end by what the players hold, which changes at the end of a turn."""
        known = {"empty_piles", "players", "turns", "seat", "points", "health", "owned", *self.stats}
        return GAME_OVER in self.function_names or not self._end_names <= known

    @cached_property
    def ends_by_chance(self) -> bool:
        """Whether a match can end by which cards the next hand has."""
        drawn = {ZONES.index("hand"), ZONES.index("deck"), ZONES.index("discard")}
        counts = (self.counts[name] for name in self._end_names if name in self.counts)
        return any(count.filter != ANY_CARD and drawn.intersection(count.zones) for count in counts)

    @cached_property
    def _end_names(self) -> set[str]:
        relations = [relation for rule in self.ends for relation in rule.condition]
        return {name for relation in relations for each in (relation.left, relation.right) for _, name in each.terms}

    @cached_property
    def actions_stat(self) -> int:
        """The index of the stat `actions`, or -1."""
        return self.stats.index(ACTIONS) if ACTIONS in self.stats else -1

    @cached_property
    def buys_stat(self) -> int:
        """The index of the stat `buys`, or -1."""
        return self.stats.index(BUYS) if BUYS in self.stats else -1

    @cached_property
    def is_action(self) -> tuple[bool, ...]:
        """Whether each card has the type `action`."""
        return tuple(ACTION_TYPE in card.types for card in self.cards)


def game_schema() -> Schema:
    """Return the JSON schema of a game. Steps refer to each other, so they are definitions of the schema."""
    step: Schema = {"$ref": "#/$defs/step"}
    return record_schema(Definition) | {"$defs": {"step": step_schema(), "steps": any_of(step, list_schema(step))}}
