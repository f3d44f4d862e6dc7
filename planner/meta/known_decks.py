"""The metagame: known decks as multisets of cards with their popularity, and its JSON files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from planner.errors import PlannerError, did_you_mean, quote
from planner.formats.documents import parse_json, read_text
from planner.formats.values import (
    as_list,
    as_mapping,
    at,
    first_unknown_key,
    integer,
    name,
    number,
    optional,
    read_field,
    read_list,
    unknown_field,
)

Numbers = npt.NDArray[np.float64]

_FIELDS: Final = ("name", "class", "archetype", "games", "win_rate", "cards")
_MAX_COPIES: Final = 100
_MAX_DECKS: Final = 20_000

# Returns the name and the cost of the card with this number or name, or None if there is no such card.
CardLookup = Callable[[int | str], tuple[str, int] | None]


class KnownDeck(NamedTuple):
    """A deck that players use: its cards with their copies, and statistics of its games."""

    cards: tuple[tuple[str, int], ...]
    player_class: str
    archetype: str = ""
    games: float = 1.0
    win_rate: float | None = None  # from 0 to 1
    name: str = ""

    @property
    def multiset(self) -> Counter[str]:
        """Return the cards as a Counter, whose operators are those of multisets."""
        return Counter(dict(self.cards))


class CreatedCards(NamedTuple):
    """What the effects of cards add to their owner's hand or deck."""

    by_card: Mapping[str, tuple[str, ...]] = {}  # what playing this card adds: a name per copy, or one of several names
    forms: Mapping[str, tuple[str, ...]] = {}  # the cards that this card may turn into before it is played
    generators: frozenset[str] = frozenset()  # cards that add a card which chance or the player chooses
    outside: frozenset[str] = frozenset()  # further cards that no deck can have, such as hero powers

    @property
    def all_names(self) -> frozenset[str]:
        """Return every card that an effect adds by name, every form, and every card that no deck can have."""
        added = (name for names in (*self.by_card.values(), *self.forms.values()) for name in names)
        return self.outside.union(added)


class Metagame:
    """Known decks in a fixed order, as a matrix `counts`: one row per deck, one column per card, copies in the cells.

    `costs` maps cards to their costs; a card without a cost can be played in any turn. `created` describes the cards
    that effects add.
    """

    def __init__(
        self,
        decks: Iterable[KnownDeck],
        costs: Mapping[str, int] | None = None,
        created: CreatedCards | None = None,
    ) -> None:
        self.decks = tuple(decks)
        if not self.decks:
            raise PlannerError("a metagame must have at least one deck")
        self.cards = tuple(sorted({card for deck in self.decks for card, _ in deck.cards}))
        self.columns = {card: column for column, card in enumerate(self.cards)}
        self.costs = dict(costs or {})
        self.created = created or CreatedCards()
        self.counts = np.zeros((len(self.decks), len(self.cards)), dtype=np.int64)
        for row, deck in enumerate(self.decks):
            for card, count in deck.cards:
                self.counts[row, self.columns[card]] = count
        self.games: Numbers = np.array([deck.games for deck in self.decks], dtype=np.float64)
        self.cost: Numbers = np.array([self.costs.get(card, 0) for card in self.cards], dtype=np.float64)

    def __len__(self) -> int:
        return len(self.decks)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """Return the classes of the decks, sorted."""
        return tuple(sorted({deck.player_class for deck in self.decks}))

    @cached_property
    def archetypes(self) -> tuple[str, ...]:
        """Return the archetype of each deck."""
        return tuple(deck.archetype for deck in self.decks)

    @cached_property
    def win_rates(self) -> Numbers:
        """Return the win rate of each deck; one half where it is not known."""
        return np.array([0.5 if deck.win_rate is None else deck.win_rate for deck in self.decks], dtype=np.float64)

    @cached_property
    def max_copies(self) -> int:
        """Return the largest number of copies of one card in any deck."""
        return int(self.counts.max())

    def of_class(self, player_class: str) -> Metagame:
        """Return the decks of this class."""
        if player_class not in self.classes:
            hint = did_you_mean(player_class, self.classes)
            raise PlannerError(f"no deck of class {player_class!r}{hint} (known classes: {', '.join(self.classes)})")
        return self.select([deck.player_class == player_class for deck in self.decks])

    def select(self, mask: Iterable[bool]) -> Metagame:
        """Return the decks for which the mask is true."""
        kept = [deck for deck, keep in zip(self.decks, mask, strict=True) if keep]
        return Metagame(kept, self.costs, self.created)

    def affordable(self, mana: float | None) -> npt.NDArray[np.bool_]:
        """Return for each card whether this much mana pays for it; None means unlimited mana."""
        return self.cost <= mana if mana is not None else np.ones(len(self.cards), dtype=np.bool_)


# -- JSON files


def read_metagame(path: Path, lookup: CardLookup) -> Metagame:
    """Read decks from a JSON file: our own form, or the form of public sites, which number cards and archetypes.

    Decks are sorted by archetype, so that tied merges of clusters do not depend on the order of the file.
    """
    data = parse_json(read_text(path), str(path))
    try:
        return _read_public(path, data, lookup) if "series" in as_mapping(data) else _read_own(data, lookup)
    except PlannerError as error:
        raise PlannerError(f"{path}: {error}") from None


def _read_own(entry: Mapping[str, Any], lookup: CardLookup) -> Metagame:
    if (unknown := first_unknown_key(entry, ("decks",))) is not None:
        raise PlannerError(unknown_field(unknown, ("decks",)))
    entries = read_field(entry, "decks", as_list)
    if not 1 <= len(entries) <= _MAX_DECKS:
        raise PlannerError(f"decks: must have between 1 and {_MAX_DECKS:,} items, got {len(entries):,}")
    costs: dict[str, int] = {}

    def read_deck(data: Any) -> KnownDeck:
        deck = as_mapping(data)
        if (unknown := first_unknown_key(deck, _FIELDS)) is not None:
            raise PlannerError(unknown_field(unknown, _FIELDS))
        win_rate = optional(deck, "win_rate", partial(number, minimum=0, maximum=1), None)
        games = float(optional(deck, "games", partial(number, minimum=0), 1.0))
        copies = read_field(deck, "cards", as_mapping)
        with at("cards"):
            cards = _read_cards(copies.items(), lookup, costs)
        player_class, archetype = read_field(deck, "class", name).lower(), str(deck.get("archetype", ""))
        return KnownDeck(cards, player_class, archetype, games, win_rate, str(deck.get("name", "")))

    decks = read_list(entry, "decks", read_deck)
    return Metagame(sorted(decks, key=lambda deck: deck.archetype), costs)


def _read_public(path: Path, entry: Mapping[str, Any], lookup: CardLookup) -> Metagame:
    """Read `series.data`, a list of decks per class; a file in the same folder names the archetypes."""
    series = read_field(entry, "series", as_mapping)
    with at("series"):
        data = read_field(series, "data", as_mapping)
    names = _read_archetypes(path.parent / "Archetypes.json")
    costs: dict[str, int] = {}
    decks: list[tuple[int, KnownDeck]] = []

    def read_deck(player_class: str, item: Any) -> tuple[int, KnownDeck]:
        deck = as_mapping(item)
        pairs = read_field(deck, "deck_list", _read_pairs)
        archetype_id = read_field(deck, "archetype_id", integer)
        win_rate = read_field(deck, "win_rate", partial(number, minimum=0, maximum=100)) / 100
        games = float(read_field(deck, "total_games", partial(number, minimum=0)))
        with at("deck_list"):
            cards = _read_cards(pairs, lookup, costs)
        archetype = names.get(archetype_id, f"other {player_class}" if archetype_id < 0 else str(archetype_id))
        return archetype_id, KnownDeck(cards, player_class, archetype, games, win_rate, str(deck.get("deck_id", "")))

    with at("series", "data"):
        for player_class in data:
            decks += read_list(data, player_class, partial(read_deck, player_class.lower()))
    decks.sort(key=lambda pair: pair[0])
    return Metagame((deck for _, deck in decks), costs)


def _read_pairs(value: Any) -> list[Any]:
    pairs = as_list(parse_json(name(value), "JSON"))
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise PlannerError(f"must be a list of [number, copies], got {quote(pairs)}")
    return pairs


def _read_archetypes(path: Path) -> dict[int, str]:
    if not path.exists():
        return {}
    data = parse_json(read_text(path), str(path))
    with at(path.name):
        entries = [as_mapping(item) for item in as_list(data)]
        named = [entry for entry in entries if entry.get("name")]
        return {read_field(entry, "id", integer): read_field(entry, "name", name) for entry in named}


def _read_cards(
    pairs: Iterable[tuple[Any, Any]], lookup: CardLookup, costs: dict[str, int]
) -> tuple[tuple[str, int], ...]:
    """Return the cards of a deck with their copies, and add their costs to `costs`."""
    counts: Counter[str] = Counter()
    for key, copies in pairs:
        card = lookup(key)
        if card is None:
            raise PlannerError(f"{quote(key)} is not a card")
        with at(str(key)):
            counts[card[0]] += integer(copies, 1, _MAX_COPIES)
        costs[card[0]] = card[1]
    if not counts:
        raise PlannerError("must have at least one card")
    return tuple(sorted(counts.items()))
