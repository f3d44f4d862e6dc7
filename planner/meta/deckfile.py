"""Metagames from JSON: our own form, and the form in which public sites give decks with numbers instead of names."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.formats.documents import parse_json, read_text
from planner.formats.values import (
    as_list,
    as_mapping,
    first_unknown_key,
    integer,
    name,
    number,
    read_field,
    unknown_field,
)
from planner.meta.decks import KnownDeck, Metagame

_FIELDS: Final = ("name", "class", "archetype", "games", "win_rate", "cards")
_MOST_COPIES: Final = 100
_MOST_DECKS: Final = 20_000

# The name and the cost of the card with this number or name; None where nobody knows it.
Lookup = Callable[[int | str], tuple[str, int] | None]


def read_metagame(path: Path, lookup: Lookup) -> Metagame:
    """The decks of a JSON file, sorted by their archetypes, so that tied merges do not depend on the file's order."""
    data = parse_json(read_text(path), str(path))
    entry = mapping_at(data, str(path))
    try:
        return _public(path, entry, lookup) if "series" in entry else _ours(entry, lookup)
    except PlannerError as error:
        raise PlannerError(f"{path}: {error}") from None


def mapping_at(data: Any, place: str) -> Mapping[str, Any]:
    """The object at this place."""
    try:
        return as_mapping(data)
    except PlannerError as error:
        raise PlannerError(f"{place}: {error}") from None


def _ours(entry: Mapping[str, Any], lookup: Lookup) -> Metagame:
    if (wrong := first_unknown_key(entry, ("decks",))) is not None:
        raise PlannerError(unknown_field(wrong, ("decks",)))
    entries = read_field(entry, "decks", as_list)
    if not 1 <= len(entries) <= _MOST_DECKS:
        raise PlannerError(f"decks: {len(entries)} decks; there are 1 to {_MOST_DECKS}")
    costs: dict[str, int] = {}
    decks = []
    for place, one in enumerate(entries):
        where = f"decks[{place}]"
        deck = mapping_at(one, where)
        if (wrong := first_unknown_key(deck, _FIELDS)) is not None:
            raise PlannerError(f"{where}: {unknown_field(wrong, _FIELDS)}")
        label = str(deck.get("archetype", ""))
        win_rate = (
            read_field(deck, "win_rate", partial(number, minimum=0, maximum=1), where) if "win_rate" in deck else None
        )
        games = read_field(deck, "games", partial(number, minimum=0), where) if "games" in deck else 1
        cards = _cards(read_field(deck, "cards", as_mapping, where).items(), lookup, costs, f"{where}.cards")
        own = read_field(deck, "class", name, where).lower()
        decks.append(KnownDeck(cards, own, label, float(games), win_rate, str(deck.get("name", ""))))
    return Metagame(sorted(decks, key=lambda deck: deck.archetype), costs)


def _public(path: Path, entry: Mapping[str, Any], lookup: Lookup) -> Metagame:
    """`series.data` has a list of decks for each class; the names of the archetypes stand in a file beside it."""
    series = read_field(entry, "series", as_mapping)
    data = read_field(series, "data", as_mapping, "series")
    labels = _archetypes(path.parent / "Archetypes.json")
    costs: dict[str, int] = {}
    found: list[tuple[int, KnownDeck]] = []
    for own in data:
        for place, one in enumerate(read_field(data, own, as_list, "series.data")):
            where = f"series.data.{own}[{place}]"
            deck = mapping_at(one, where)
            pairs = parse_json(read_field(deck, "deck_list", name, where), f"{where}.deck_list")
            number_ = read_field(deck, "archetype_id", integer, where)
            win_rate = read_field(deck, "win_rate", partial(number, minimum=0, maximum=100), where) / 100
            games = float(read_field(deck, "total_games", partial(number, minimum=0), where))
            cards = _cards(_pairs(pairs, where), lookup, costs, f"{where}.deck_list")
            label = labels.get(number_, f"other {own.lower()}" if number_ < 0 else str(number_))
            deck_name = str(deck.get("deck_id", ""))
            found.append((number_, KnownDeck(cards, own.lower(), label, games, win_rate, deck_name)))
    found.sort(key=lambda pair: pair[0])
    return Metagame((deck for _, deck in found), costs)


def _pairs(value: Any, where: str) -> list[tuple[int, Any]]:
    pairs = read_field({"deck_list": value}, "deck_list", as_list, where)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise PlannerError(f"{where}.deck_list: {quote(pairs)} is not a list of [number, copies]")
    return [(pair[0], pair[1]) for pair in pairs]


def _archetypes(path: Path) -> dict[int, str]:
    if not path.exists():
        return {}
    entries = read_field({path.name: parse_json(read_text(path), str(path))}, path.name, as_list)
    named = [one for one in (mapping_at(entry, path.name) for entry in entries) if one.get("name")]
    return {read_field(one, "id", integer, path.name): read_field(one, "name", name, path.name) for one in named}


def _cards(pairs: Any, lookup: Lookup, costs: dict[str, int], where: str) -> tuple[tuple[str, int], ...]:
    found: Counter[str] = Counter()
    for which, copies in pairs:
        known = lookup(which)
        if known is None:
            raise PlannerError(f"{where}: {quote(which)} is not a card")
        found[known[0]] += read_field(
            {str(which): copies}, str(which), partial(integer, minimum=1, maximum=_MOST_COPIES), where
        )
        costs[known[0]] = known[1]
    if not found:
        raise PlannerError(f"{where}: no cards")
    return tuple(sorted(found.items()))


def metagame_to_json(metagame: Metagame) -> str:
    """The text of a file that `read_metagame` reads."""
    decks = [
        {
            "name": deck.name,
            "class": deck.player_class,
            "archetype": deck.archetype,
            "games": deck.games,
            **({} if deck.win_rate is None else {"win_rate": deck.win_rate}),
            "cards": dict(deck.cards),
        }
        for deck in metagame.decks
    ]
    return json.dumps({"decks": decks}, indent=1, ensure_ascii=False) + "\n"
