"""The setup of a match: two decks and the rules, as a value, in JSON, on a command line and in experiment files."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.formats.documents import YamlMapping
from planner.formats.values import ErrorCollector, Fields, as_mapping, at, boolean, name, read_field, read_list
from planner.game import DRAWN, PLAYED, UNSEEN, CardList
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.decks import Deck, load_deck
from planner.games.hearthstone.rules.actions import Action, Batch, Play, Trade
from planner.games.hearthstone.rules.match_flow import undealt_player
from planner.games.hearthstone.rules.ruleset import STANDARD, Ruleset, ruleset_from_fields
from planner.games.hearthstone.rules.state import GameState, Player
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict

SETUP_FIELDS: Final = ("decks", "rules")


@dataclass(frozen=True)
class MatchSetup:
    """The decks of the first and the second player, and the rules."""

    decks: tuple[Deck, Deck]
    rules: Ruleset

    @classmethod
    def of(cls, first: str, second: str, rules: str | Ruleset = STANDARD, cards: Catalogue | None = None) -> MatchSetup:
        """Load decks and rules by name or from YAML files; `cards` defaults to the cards of the project."""
        ruleset = Ruleset.of(rules)
        decks = [load_deck(deck, cards, ruleset.deck_size, ruleset.copies) for deck in (first, second)]
        return cls((decks[0], decks[1]), ruleset)

    def to_json(self) -> dict[str, Any]:
        """Return the names of the decks, and the state before the deal, with all cards in their decks."""
        undealt = GameState(self._undealt(0), self._undealt(1), self.rules, turn=0)
        return {"decks": [deck.name for deck in self.decks], "undealt": state_to_dict(undealt)}

    def _undealt(self, seat: int) -> Player:
        deck = self.decks[seat]
        return undealt_player(deck, seat, self.rules)._replace(crystals=0, power=deck.power)  # the rules say the rest

    @classmethod
    def from_json(cls, data: Any) -> MatchSetup:
        """Read the form that `to_json` writes."""
        with at("setup"):
            entry = as_mapping(data)
            names = read_list(entry, "decks", name)
            undealt = read_field(entry, "undealt", lambda value: state_from_dict(as_mapping(value)))
        if len(names) != 2:
            raise PlannerError(f"setup.decks: must be two names, got {quote(names)}")

        def deck(title: str, player: Player) -> Deck:
            return Deck(title, player.hero.hero_class, tuple(card.card for card in player.deck), player.power)

        return cls((deck(names[0], undealt.me), deck(names[1], undealt.enemy)), undealt.rules)


# -- experiment files


def setups_from_file(file: Fields, cards: Catalogue | None = None) -> list[MatchSetup]:
    """Read the setups of an experiment file, in the order in which the games of a pairing use them."""
    if "decks" not in file:
        raise file.error("decks: is missing")
    rules = _read_rules(file)
    entry = file.entry["decks"]

    def load(names: Sequence[Any]) -> list[Deck]:
        decks, collector = [], ErrorCollector()
        for deck in names:
            with collector:
                try:
                    decks.append(load_deck(file.resolve(name(deck)), cards, rules.deck_size, rules.copies))
                except PlannerError as error:
                    problems = [str(file.error(f"decks: {problem}", "decks")) for problem in error.problems]
                    raise PlannerError(*problems) from None
        collector.raise_if_any()
        return decks

    mirror = False
    if isinstance(entry, YamlMapping):
        has_pool = "pool" in entry
        section = Fields(file.path, entry)
        section.check_keys(("pool", "mirror") if has_pool else ("first", "second", "pool", "mirror"))
        if not has_pool:
            if not {"first", "second"} <= set(entry) or "mirror" in entry:
                raise file.error("decks: needs 'first' and 'second', or a 'pool'", "decks")
            first, second = load([entry["first"], entry["second"]])
            return [MatchSetup((first, second), rules)]
        mirror = section.read("mirror", boolean, False)
        entry = entry["pool"]
    names = [entry] if isinstance(entry, str) else entry
    if not isinstance(names, list) or not names:
        raise file.error(
            f"decks: must be a deck, a list of decks, or 'first' and 'second', got {quote(entry)}", "decks"
        )
    decks = load(names)
    return [MatchSetup((a, b), rules) for m, a in enumerate(decks) for n, b in enumerate(decks) if m == n or not mirror]


def _read_rules(file: Fields) -> Ruleset:
    """Read rules given by name, by file, or as a mapping."""
    entry = file.entry.get("rules", STANDARD)
    if isinstance(entry, YamlMapping):
        return ruleset_from_fields(Fields(file.path, entry))
    return file.read("rules", lambda value: Ruleset.of(file.resolve(name(value))), Ruleset.of(STANDARD))


# -- what became of the cards in a match


def card_lists(setup: MatchSetup) -> tuple[CardList, ...]:
    """Return the different cards of each deck."""
    return tuple(CardList(deck.name, tuple(dict.fromkeys(card.name for card in deck.cards))) for deck in setup.decks)


@lru_cache(maxsize=64)
def _positions_by_id(setup: MatchSetup) -> tuple[dict[str, int], int, int]:
    """Return the position of each card id in the two card lists, one after the other, and their lengths."""
    positions: dict[str, int] = {}
    first, second = card_lists(setup)
    for seat, (deck, cards) in enumerate(zip(setup.decks, (first, second), strict=True)):
        by_name = {name: position for position, name in enumerate(cards.cards, seat * len(first.cards))}
        for held in undealt_player(deck, seat, setup.rules).deck:
            positions[held.id] = by_name[held.card.name]
    return positions, len(first.cards), len(second.cards)


def cards_used(setup: MatchSetup, states: Sequence[GameState], actions: Sequence[Action]) -> list[str]:
    """Return, by seat, what became of each card of `card_lists`.

    A card counts as drawn if it left the deck, also if it was burned or traded later; a card that the mulligan put back
    does not.
    """
    positions, first, second = _positions_by_id(setup)
    uses, last = [UNSEEN] * (first + second), states[-1]
    in_deck = {card.id for player in (last.me, last.enemy) for card in player.deck}
    for card_id, position in positions.items():
        if card_id not in in_deck:
            uses[position] = DRAWN
    for action in itertools.chain.from_iterable(
        action.actions if isinstance(action, Batch) else (action,) for action in actions
    ):
        kind = type(action)
        if kind is Play or kind is Trade:
            used = positions.get(action.card)  # type: ignore[union-attr]  # both have a card; None: created in the match
            if used is not None and uses[used] != PLAYED:
                uses[used] = PLAYED if kind is Play else DRAWN
    both = "".join(uses)
    return [both[:first], both[first:]]
