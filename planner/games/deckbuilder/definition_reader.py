"""Read the definition of a game: the YAML file in its folder. Every mistake names the file and the line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import YamlList, YamlMapping, load_yaml
from planner.formats.values import ErrorCollector, Fields, boolean, integer, one_of, text
from planner.games.deckbuilder.amounts import QUANTITIES, Amount, Condition, read_amount
from planner.games.deckbuilder.definition import (
    CLEAR_PHASE,
    EVENTS,
    FEWER_TURNS,
    HEALTH,
    LATER_SEAT,
    NO_BLOCK,
    POINTS,
    SHARED,
    Card,
    Count,
    Definition,
    EndRule,
    Pile,
)
from planner.games.deckbuilder.effect_reader import EffectReader, leads_to_itself
from planner.games.deckbuilder.effects import FILTER_FIELDS, NUMBER_WORDS, STEP_WORDS, ZONES
from planner.games.deckbuilder.function_file import FunctionFile

LIBRARY: Final = Path(__file__).parent / "library"  # the games of the project
# The fields of a game, with their meaning; docs/reference/deckbuilder.md has an example of each.
GAME_FIELDS: Final[Mapping[str, str]] = {
    "title": "the name of the game",
    "players": "[least, most] number of players",
    "hand_size": "cards drawn at the end of a turn: a number or an amount",
    "first_hands": "number of cards in the first hand, by seat",
    "victory": "points or health",
    "health": "health at the start",
    "ties": "what decides between equal players: shared, fewer_turns or later_seat",
    "turn_limit": "rounds after which the match ends",
    "plays_before_buys": "whether no card can be played after the first purchase of a turn",
    "stats": "the stats of a turn and their values at its start",
    "currency": "the stat that pays for cards",
    "phases": "the phases of a turn",
    "plays": "the types of cards that can be played in a phase",
    "starting_deck": "cards and their number",
    "piles": "the piles of every match",
    "kingdom": "the piles of which some are chosen for a match",
    "centre": "a shuffled deck that feeds a row of cards",
    "reserve": "points that can be given out before the match ends",
    "counts": "named quantities: cards of a zone that match a filter",
    "effects": "named effects, for `run`",
    "ends": "how a match ends",
    "functions": "the function file",
    "colours": "colours by faction or type",
    "cards": "the cards",
}
CARD_FIELDS: Final[Mapping[str, str]] = {
    "type": "a type, or a list of types",
    "cost": "the cost, or an amount",
    "currency": "the stat that pays for it, or a list",
    "also": "another stat that pays for it as well, under a condition",
    "faction": "the faction",
    "points": "points at the end of the match: a number or an amount",
    "effects": "what happens when it is played",
    "on_gain": "what happens when a player gets it",
    "ability": "what its owner can do once a turn while it is in play",
    "on": "reactions to events while it is in play",
    "kept": "false: its effects happen on purchase and it goes to the trash",
    "persistent": "true: it stays in play, and its effects happen again at the start of each own turn",
    "stops_attacks": "true: its holder can show it to be unaffected by an attack",
    "text": "what is written on it",
}
PILE_FIELDS: Final[Mapping[str, str]] = {
    "name": "the name of the pile; by default that of its card",
    "cards": "a card, or cards and their number",
    "count": "the number of cards, where the pile has one kind",
    "shuffled": "whether several kinds are in random order",
    "permanent": "whether buying leaves the card in the pile",
    "for_sale": "whether its cards can be bought",
}
KINGDOM_FIELDS: Final = ("count", "piles", "sets")
CENTRE_FIELDS: Final = ("cards", "row", "from_trash")
END_FIELDS: Final = ("empty", "if", "reason", "at")
ABILITY_FIELDS: Final = ("if", "do")
COUNT_FIELDS: Final = ("in", "event", "most", *FILTER_FIELDS)
EXTRA_FIELDS: Final = ("currency", "if")
REQUIRED_FIELDS: Final = ("title", "players", "hand_size", "phases", "stats", "starting_deck", "cards")
MIN_PLAYERS: Final = 2
MAX_PLAYERS: Final = 8
_MAX_COUNT: Final = 1000
_DEFAULT_TURN_LIMIT: Final = 100
_COSTS: Final = "costs of cards"


def definition_file(folder: Path) -> Path:
    """Return the YAML file of a game's folder: NAME.yaml in a folder NAME, the only YAML file, or the only game."""
    if folder.is_file():
        return folder
    if not folder.is_dir():
        raise PlannerError(f"{folder}: no such folder")
    named = folder / f"{folder.resolve().name}.yaml"
    if named.is_file():
        return named
    files = sorted((*folder.glob("*.yaml"), *folder.glob("*.yml")))
    if len(files) > 1:
        files = [file for file in files if _looks_like_game(file)]
    if len(files) != 1:
        found = f"{len(files)} of them" if files else "none"
        raise PlannerError(f"{folder}: must contain {named.name} or exactly one YAML file with a game, got {found}")
    return files[0]


def _looks_like_game(path: Path) -> bool:
    """Return whether a file has most of the fields that a game needs; it may have mistakes."""
    try:
        document = load_yaml(path)
    except PlannerError:
        return False
    return isinstance(document, YamlMapping) and 2 * sum(key in document for key in REQUIRED_FIELDS) > len(
        REQUIRED_FIELDS
    )


@cache
def load_definition(path: Path) -> Definition:
    """Read the definition in this file, or return the one that was read before."""
    return read_definition(path)


def read_definition(path: Path) -> Definition:
    """Read the definition in this file."""
    document = load_yaml(path)
    if not isinstance(document, YamlMapping):
        raise PlannerError(f"{path}:1: a game is a mapping with {', '.join(REQUIRED_FIELDS)}")
    fields, errors = Fields(path, document), ErrorCollector()
    with errors:
        fields.check_keys(GAME_FIELDS, REQUIRED_FIELDS)
    if any(key not in fields for key in REQUIRED_FIELDS):
        errors.raise_if_any()
    return _DefinitionReader(fields, errors).read()


class _DefinitionReader:
    """Reads the parts of a definition in an order in which names are known before they are used."""

    def __init__(self, fields: Fields, errors: ErrorCollector) -> None:
        self._fields = fields
        self._path = fields.path
        self._errors = errors
        self._players, self._players_known = (MIN_PLAYERS, MAX_PLAYERS), False
        with errors:
            self._players, self._players_known = fields.read("players", _players), True
        entries = self._mapping(fields, "cards")
        self._card_entries = {name: self._entry(entries, name) for name in entries.entry}
        if not 1 <= len(self._card_entries) <= _MAX_COUNT:
            raise fields.error(f"cards: a game needs 1 to {_MAX_COUNT} cards, got {len(self._card_entries)}", "cards")
        for name in self._card_entries:
            if not name.isprintable():
                raise entries.error(f"{quote(name)} cannot be the name of a card: it must be one line", name)
        self._ids = {name: index for index, name in enumerate(self._card_entries)}
        stats = self._mapping(fields, "stats")
        self._stats = tuple(stats.entry)
        if not self._stats:
            raise fields.error("stats: a game needs at least one, such as {actions: 1, buys: 1, coins: 0}", "stats")
        self._stat_starts = tuple(
            stats.read(stat, partial(integer, minimum=0, maximum=_MAX_COUNT)) for stat in self._stats
        )
        for stat in self._stats:
            if stat in (*NUMBER_WORDS, *STEP_WORDS, *QUANTITIES) or not stat.isidentifier():
                raise stats.error(f"{quote(stat)} is a word of the format; choose another name for the stat", stat)
        types = {word for entry in self._card_entries.values() for word in _words(entry, "type")}
        factions = {word for entry in self._card_entries.values() for word in _words(entry, "faction")}
        counts = fields.entry.get("counts", {})
        names = {*QUANTITIES, *self._stats, *(counts if isinstance(counts, YamlMapping) else ())}
        self._functions = fields.read("functions", self._function_file)
        function_names = self._functions.names if self._functions is not None else ()
        self._effects = EffectReader(
            fields, self._ids, types, factions, self._stats, names, function_names, "centre" in fields
        )
        self._function_names = function_names
        self._names = names

    def read(self) -> Definition:
        fields, errors = self._fields, self._errors
        if "effects" in fields:
            self._named_effects(self._mapping(fields, "effects"))
        counts: dict[str, Count] = {}
        with errors:
            counts = self._counts()
        cards = []
        for name, entry in self._card_entries.items():
            with errors:
                cards.append(self._card(name, entry))
        with errors:
            self._check_circles(counts, cards)
        piles: tuple[Pile, ...] = ()
        choices: tuple[Pile, ...] = ()
        chosen = 0
        sets: Mapping[str, tuple[str, ...]] = {}
        before = len(errors)
        with errors:
            piles = self._piles(fields, "piles")
        with errors:
            choices, chosen, sets = self._kingdom()
        centre, row, from_trash = None, 0, False
        with errors:
            centre, row, from_trash = self._centre()
        ends: tuple[EndRule, ...] = ()
        names = [pile.name for pile in (*piles, *choices)]
        self._check_pile_names(names)
        if len(errors) > before:  # the names of some piles are not known: most piles are called like their card
            names += [name for name in self._ids if name not in names]
        with errors:
            ends = self._ends(names)
        simple: dict[str, Any] = {}
        with errors:
            simple = self._simple()
        errors.raise_if_any()
        return Definition(
            path=self._path,
            min_players=self._players[0],
            max_players=self._players[1],
            stats=self._stats,
            stat_starts=self._stat_starts,
            piles=piles,
            choices=choices,
            chosen_piles=chosen,
            sets=sets,
            centre=centre,
            row=row,
            centre_from_trash=from_trash,
            counts=counts,
            ends=ends,
            cards=tuple(cards),
            blocks=tuple(self._effects.blocks),
            named_blocks=self._effects.named,
            function_names=self._function_names,
            functions=self._functions,
            **simple,
        )

    def _named_effects(self, named: Fields) -> None:
        """Read the section `effects`, whose effects can name each other."""
        for name in named.entry:
            self._effects.reserve(name)
        for name in named.entry:
            with self._errors:
                self._effects.define(name, named.entry[name], named.entry.lines[name])
        for name in named.entry:
            if self._effects.runs_itself(name):
                self._errors.add(named.error(f"{name}: the effect runs itself without a condition", name))

    # -- single fields

    def _simple(self) -> dict[str, Any]:
        fields, number = self._fields, partial(integer, minimum=1, maximum=_MAX_COUNT)
        victory = fields.read("victory", partial(one_of, choices=(POINTS, HEALTH)), POINTS)
        if victory == HEALTH and "health" not in fields:
            raise fields.error("health: is missing; with 'victory: health' players start with some", "victory")
        return {
            "title": fields.read("title", partial(text, maximum=100)),
            "hand_size": fields.read("hand_size", self._hand_size),
            "first_hands": fields.read("first_hands", _numbers, ()),
            "victory": victory,
            "health": fields.read("health", number, 0),
            "ties": fields.read("ties", partial(one_of, choices=(SHARED, FEWER_TURNS, LATER_SEAT)), SHARED),
            "turn_limit": fields.read("turn_limit", number, _DEFAULT_TURN_LIMIT),
            "plays_before_buys": fields.read("plays_before_buys", boolean, False),
            "phases": (phases := fields.read("phases", _phases)),
            "plays": self._plays(phases),
            "starting_deck": self._starting_deck(),
            "reserve": fields.read("reserve", self._by_players, ()),
            "colours": self._colours(),
        }

    def _hand_size(self, value: Any) -> Amount:
        size = read_amount(value, names=self._names)
        if not size.terms and size.constant < 1:
            raise PlannerError(f"must be at least 1, got {quote(value)}")
        return size

    def _plays(self, phases: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        if "plays" not in self._fields:
            return ((),) * len(phases)
        plays = self._mapping(self._fields, "plays")
        for phase in plays.entry:
            if phase not in phases:
                raise plays.error(f"plays: must name phases ({', '.join(phases)}), got {quote(phase)}", phase)
        known = {word for entry in self._card_entries.values() for word in _words(entry, "type")}

        def read(value: Any) -> tuple[str, ...]:
            return tuple(one_of(word, sorted(known)) for word in _listed(value))

        return tuple(plays.read(phase, read, ()) for phase in phases)

    def _starting_deck(self) -> tuple[int, ...]:
        deck = self._mapping(self._fields, "starting_deck")
        cards: list[int] = []
        for name in deck.entry:
            count = deck.read(name, partial(integer, minimum=1, maximum=_MAX_COUNT))
            cards += [self._id(deck, name)] * count
        if not cards:
            raise deck.error("starting_deck: must have at least one card")
        return tuple(sorted(cards))

    def _colours(self) -> Mapping[str, tuple[int, int, int]]:
        def read(value: Any) -> tuple[int, int, int]:
            if not isinstance(value, list) or len(value) != 3:
                raise PlannerError(f"must be [red, green, blue], got {quote(value)}")
            red, green, blue = (integer(part, 0, 255) for part in value)
            return red, green, blue

        if "colours" not in self._fields:
            return {}
        colours = self._mapping(self._fields, "colours")
        return {name: colours.read(name, read) for name in colours.entry}

    def _function_file(self, value: Any) -> FunctionFile:
        if not isinstance(value, str) or not value.endswith(".py") or Path(value).name != value:
            raise PlannerError(f"must be the name of a .py file beside this one, got {quote(value)}")
        return FunctionFile(self._path.parent / value)

    def _counts(self) -> dict[str, Count]:
        if "counts" not in self._fields:
            return {}
        counts, result = self._mapping(self._fields, "counts"), {}
        for name in counts.entry:
            if name in QUANTITIES or name in self._stats or not name.isidentifier():
                raise counts.error(f"{quote(name)} cannot be the name of a count: it is a word of the format", name)
            part = self._entry(counts, name)
            part.check_keys(COUNT_FIELDS)
            if ("in" in part) == ("event" in part):
                raise part.error("a count has either 'in', a zone, or 'event', what happened this turn")
            result[name] = Count(
                zones=part.read("in", _zones, ()),
                event=part.read("event", partial(one_of, choices=EVENTS), ""),
                filter=self._effects.filter(part),
                most=part.read("most", partial(integer, minimum=1, maximum=_MAX_COUNT)),
            )
        return result

    def _check_circles(self, counts: Mapping[str, Count], cards: Sequence[Card]) -> None:
        """Refuse counts whose value depends on itself, also by way of the costs of cards."""
        uses = {name: set(_quantities(count.filter.amounts)) for name, count in counts.items() if count.zones}
        for name, used in uses.items():
            if counts[name].filter.amounts:
                used.add(_COSTS)
        uses[_COSTS] = set(_quantities(card.cost for card in cards if card.cost is not None))
        for name in counts:
            if leads_to_itself(name, lambda name: uses.get(name, set())):
                raise self._mapping(self._fields, "counts").error(f"{name}: the count depends on itself", name)

    # -- cards

    def _card(self, name: str, entry: Fields) -> Card:
        entry.check_keys(CARD_FIELDS, ("type",))
        effects = self._effects
        triggers = []
        if "on" in entry:
            value = entry.entry["on"]
            for item in value if isinstance(value, YamlList) else [value]:
                if not isinstance(item, YamlMapping):
                    raise entry.error(f"on: must be a mapping with event and do, got {quote(item)}", "on")
                triggers.append(effects.trigger(Fields(self._path, item)))
        ability = NO_BLOCK
        ability_condition: Condition = ()
        if "ability" in entry:
            part = self._entry(entry, "ability")
            part.check_keys(ABILITY_FIELDS, ("do",))
            ability = effects.block(part.entry["do"], part.entry.lines["do"])
            ability_condition = part.read("if", effects.condition, ())
        extra_currency: int | None = None
        extra_condition: Condition = ()
        if "also" in entry:
            part = self._entry(entry, "also")
            part.check_keys(EXTRA_FIELDS, EXTRA_FIELDS)
            extra_currency = part.read("currency", self._currencies)[0]
            extra_condition = part.read("if", effects.condition)
        persistent = entry.read("persistent", boolean, False)
        default = self._fields.read("currency", partial(one_of, choices=self._stats), self._stats[-1])
        currencies = entry.read("currency", self._currencies, (self._stats.index(default),))
        return Card(
            name=name,
            types=_words(entry, "type"),
            faction=entry.read("faction", text, ""),
            cost=entry.read("cost", self._cost),
            currencies=currencies,
            extra_currency=extra_currency,
            extra_condition=extra_condition,
            points=entry.read("points", effects.amount, Amount()),
            effects=self._block(entry, "effects"),
            on_gain=self._block(entry, "on_gain"),
            ability=ability,
            ability_condition=ability_condition,
            kept=entry.read("kept", boolean, True),
            persistent=persistent,
            playable="effects" in entry or persistent,
            stops_attacks=entry.read("stops_attacks", boolean, False),
            triggers=tuple(triggers),
            text=entry.read("text", partial(text, maximum=500), ""),
        )

    def _cost(self, value: Any) -> Amount:
        cost = self._effects.amount(value)
        if not cost.terms and cost.constant < 0:
            raise PlannerError(f"must be at least 0, got {quote(value)}")
        return cost

    def _currencies(self, value: Any) -> tuple[int, ...]:
        return tuple(self._stats.index(one_of(word, self._stats)) for word in _listed(value))

    def _block(self, entry: Fields, key: str) -> int:
        return self._effects.block(entry.entry[key], entry.entry.lines[key]) if key in entry else NO_BLOCK

    # -- piles

    def _piles(self, fields: Fields, key: str) -> tuple[Pile, ...]:
        if key not in fields:
            return ()
        value = fields.entry[key]
        if not isinstance(value, YamlList):
            raise fields.error(f"{key}: must be a list of piles, got {quote(value)}", key)
        piles, errors = [], ErrorCollector()
        for item, line in zip(value, value.lines, strict=True):
            with errors:
                piles.append(self._pile(item, line))
        errors.raise_if_any()
        return tuple(piles)

    def _pile(self, item: Any, line: int) -> Pile:
        if isinstance(item, str):  # ten of this card
            if item not in self._ids:
                raise PlannerError(f"{self._path}:{line}: unknown card {quote(item)}{did_you_mean(item, self._ids)}")
            return Pile(item, ((self._ids[item], self._same(10)),), False, False, True)
        if not isinstance(item, YamlMapping):
            raise PlannerError(
                f"{self._path}:{line}: a pile is a card or a mapping with {', '.join(PILE_FIELDS)}; got {quote(item)}"
            )
        part = Fields(self._path, item)
        part.check_keys(PILE_FIELDS, ("cards",))
        kinds: list[tuple[int, tuple[int, ...]]] = []
        if isinstance(item["cards"], YamlMapping):
            cards = self._mapping(part, "cards")
            kinds += [(self._id(cards, name), cards.read(name, self._by_players)) for name in cards.entry]
        else:
            card = part.read("cards", self._effects.card)
            kinds.append((card, part.read("count", self._by_players, self._same(10))))
        totals = [sum(numbers) for numbers in zip(*(counts for _, counts in kinds), strict=False)]
        if not totals or not all(totals):
            raise part.error("cards: a pile needs at least one card for every number of players", "cards")
        default = next(iter(self._card_entries), "") if not kinds else list(self._ids)[kinds[0][0]]
        return Pile(
            name=part.read("name", partial(text, maximum=60), default),
            cards=tuple(kinds),
            shuffled=part.read("shuffled", boolean, False),
            permanent=part.read("permanent", boolean, False),
            for_sale=part.read("for_sale", boolean, True),
        )

    def _kingdom(self) -> tuple[tuple[Pile, ...], int, dict[str, tuple[str, ...]]]:
        if "kingdom" not in self._fields:
            return (), 0, {}
        part = self._entry(self._fields, "kingdom")
        part.check_keys(KINGDOM_FIELDS, ("count", "piles"))
        piles = self._piles(part, "piles")
        if not piles:
            raise part.error("piles: must have at least one pile", "piles")
        count = part.read("count", partial(integer, minimum=1, maximum=len(piles)))
        sets: dict[str, tuple[str, ...]] = {}
        known = [pile.name for pile in piles]
        entries = self._mapping(part, "sets") if "sets" in part else None
        for name in entries.entry if entries is not None else ():

            def read(value: Any) -> tuple[str, ...]:
                if not isinstance(value, list) or len(set(map(str, value))) != count or len(value) != count:
                    raise PlannerError(f"must be a list of {count} different piles, got {quote(value)}")
                return tuple(_pile_name(word, known) for word in value)

            sets[name] = entries.read(name, read)  # type: ignore[union-attr]
        return piles, count, sets

    def _centre(self) -> tuple[Pile | None, int, bool]:
        if "centre" not in self._fields:
            return None, 0, False
        part = self._entry(self._fields, "centre")
        part.check_keys(CENTRE_FIELDS, ("cards", "row"))
        cards = self._mapping(part, "cards")
        kinds = tuple((self._id(cards, name), cards.read(name, self._by_players)) for name in cards.entry)
        row = part.read("row", partial(integer, minimum=1, maximum=20))
        if sum(min(counts) for _, counts in kinds) < row:
            raise part.error(f"cards: the deck must have at least {row} cards to fill the row", "cards")
        return Pile("centre", kinds, True, False, True), row, part.read("from_trash", boolean, False)

    def _check_pile_names(self, names: Sequence[str]) -> None:
        for name in names:
            if names.count(name) > 1:
                with self._errors:
                    raise self._fields.error(f"two piles have the name {quote(name)}; give one a `name`", "piles")
                return

    def _ends(self, known: Sequence[str]) -> tuple[EndRule, ...]:
        if "ends" not in self._fields:
            return ()
        value = self._fields.entry["ends"]
        if not isinstance(value, YamlList):
            raise self._fields.error(f"ends: must be a list of rules, got {quote(value)}", "ends")
        rules, errors = [], ErrorCollector()
        for item, line in zip(value, value.lines, strict=True):
            with errors:
                if not isinstance(item, YamlMapping) or not ("empty" in item or "if" in item):
                    raise PlannerError(f"{self._path}:{line}: a rule has 'empty' or 'if', got {quote(item)}")
                part = Fields(self._path, item)
                part.check_keys(END_FIELDS)
                names = part.read("empty", lambda words: tuple(_pile_name(word, known) for word in _listed(words)), ())
                rules.append(
                    EndRule(
                        condition=part.read("if", self._effects.condition, ()),
                        piles=tuple(known.index(name) for name in names),
                        reason=part.read("reason", partial(text, maximum=40), "the end of the game"),
                        whole_round=part.read("at", partial(one_of, choices=("turn", "round")), "turn") == "round",
                    )
                )
        errors.raise_if_any()
        return tuple(rules)

    # -- helpers

    def _mapping(self, fields: Fields, key: str) -> Fields:
        value = fields.entry[key]
        if not isinstance(value, YamlMapping):
            raise fields.error(f"{key}: must be a mapping, got {quote(value)}", key)
        return Fields(self._path, value)

    _entry = _mapping

    def _id(self, fields: Fields, name: str) -> int:
        if name not in self._ids:
            raise fields.error(f"unknown card {quote(name)}{did_you_mean(name, self._ids)}", name)
        return self._ids[name]

    def _same(self, count: int) -> tuple[int, ...]:
        return (count,) * (self._players[1] - self._players[0] + 1)

    def _by_players(self, value: Any) -> tuple[int, ...]:
        """Read a number, or a mapping from each number of players to a number."""
        least, most = self._players
        if not isinstance(value, YamlMapping):
            return self._same(integer(value, 0, _MAX_COUNT))
        expected = [str(players) for players in range(least, most + 1)]
        if not self._players_known:
            expected = list(value)  # the mistake is reported once
        if sorted(value) != sorted(expected):
            raise PlannerError(f"must have a number for {', '.join(expected)} players, got {quote(value)}")
        return tuple(integer(value[players], 0, _MAX_COUNT) for players in expected)


def _quantities(amounts: Iterable[Amount]) -> Iterator[str]:
    return (name for amount in amounts for _, name in amount.terms)


def _players(value: Any) -> tuple[int, int]:
    if isinstance(value, list) and len(value) == 2:
        least, most = (integer(item, MIN_PLAYERS, MAX_PLAYERS) for item in value)
        if least <= most:
            return least, most
    if type(value) is int and MIN_PLAYERS <= value <= MAX_PLAYERS:
        return value, value
    raise PlannerError(f"must be [least, most] between {MIN_PLAYERS} and {MAX_PLAYERS}, got {quote(value)}")


def _phases(value: Any) -> tuple[str, ...]:
    words = tuple(text(word, 30) for word in value) if isinstance(value, list) else ()
    if len(words) < 2 or words[-1] != CLEAR_PHASE or CLEAR_PHASE in words[:-1] or len(set(words)) < len(words):
        raise PlannerError(f"must be a list of different phases that ends with 'clear', got {quote(value)}")
    return words[:-1]


def _numbers(value: Any) -> tuple[int, ...]:
    return tuple(integer(item, 0, _MAX_COUNT) for item in _listed(value))


def _listed(value: Any) -> list[Any]:
    if value == []:
        raise PlannerError("must not be an empty list")
    return value if isinstance(value, list) else [value]


def _words(entry: Fields, key: str) -> tuple[str, ...]:
    """Return one word or a list of words."""
    return entry.read(key, lambda value: tuple(text(word, 60) for word in _listed(value)), ())


def _zones(value: Any) -> tuple[str, ...]:
    return tuple(one_of(word, ZONES) for word in _listed(value))


def _pile_name(value: Any, known: Collection[str]) -> str:
    if not isinstance(value, str) or value not in known:
        raise PlannerError(f"unknown pile {quote(value)}{did_you_mean(value, known)}")
    return value
