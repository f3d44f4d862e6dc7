"""What a match starts from: two decks and the rules. As a value, in JSON, on a command line and in experiment files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.formats.documents import YamlMapping
from planner.formats.values import ErrorCollector, Fields, as_list, as_mapping, boolean, name, read_field, text
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.decks import Deck, load_deck
from planner.games.hearthstone.rules.ruleset import Ruleset, ruleset_from_fields
from planner.games.hearthstone.rules.state import GameState, Hero, Player, in_hand
from planner.games.hearthstone.rules.state_json import state_from_dict, state_to_dict

FIELDS: Final = ("decks", "rules")
_STANDARD: Final = "standard"


@dataclass(frozen=True)
class MatchSetup:
    """The decks of the first and the second player, and the rules."""

    decks: tuple[Deck, Deck]
    rules: Ruleset

    @classmethod
    def of(
        cls, first: str, second: str, rules: str | Ruleset = _STANDARD, cards: Catalogue | None = None
    ) -> MatchSetup:
        """Decks by name or YAML file, under rules by name or YAML file; `cards` are ours unless given."""
        ruleset = Ruleset.of(rules)
        one, two = (load_deck(deck, cards, ruleset.deck_size, ruleset.copies) for deck in (first, second))
        return cls((one, two), ruleset)

    def to_json(self) -> dict[str, Any]:
        """The names of the decks, and the state before the deal, in which all cards are in their decks."""
        me, enemy = (self._undealt(seat) for seat in (0, 1))
        undealt = GameState(me, enemy, self.rules, turn=0)
        return {"decks": [deck.name for deck in self.decks], "undealt": state_to_dict(undealt)}

    def _undealt(self, seat: int) -> Player:
        deck, health = self.decks[seat], self.rules.hero_health
        cards = tuple(in_hand(f"p{seat + 1}.{number + 1}", card) for number, card in enumerate(deck.cards))
        return Player(Hero(health, health, hero_class=deck.hero_class), deck=cards, power=deck.power)

    @classmethod
    def from_json(cls, data: Any) -> MatchSetup:
        """From that form; a refusal names the place."""
        entry = read_field({"setup": data}, "setup", as_mapping)
        names = read_field(entry, "decks", as_list, "setup")
        if len(names) != 2:
            raise PlannerError(f"setup.decks: {quote(names)} is not two names")
        try:
            undealt = state_from_dict(read_field(entry, "undealt", as_mapping, "setup"))
        except PlannerError as error:
            raise PlannerError(f"setup.undealt: {str(error).removeprefix('setup.undealt: ')}") from None
        one, two = (
            Deck(read_field({"name": deck}, "name", text, "setup.decks"), player.hero.hero_class,
                 tuple(held.card for held in player.deck), player.power)
            for deck, player in zip(names, (undealt.me, undealt.enemy), strict=True)
        )  # fmt: skip
        return cls((one, two), undealt.rules)


def setups_from_file(file: Fields, cards: Catalogue | None = None) -> list[MatchSetup]:
    """Which two decks meet under which rules, in the order in which the games of a pairing take them."""
    if "decks" not in file:
        raise file.error("decks: is missing")
    rules = _rules(file)
    given = file.entry["decks"]

    def load(names: Sequence[Any]) -> list[Deck]:
        found, collector = [], ErrorCollector()
        for one in names:
            with collector:
                try:
                    found.append(load_deck(file.resolve(name(one)), cards, rules.deck_size, rules.copies))
                except PlannerError as error:
                    why = [str(file.error(f"decks: {fault}", "decks")) for fault in error.problems]
                    raise PlannerError(*why) from None
        collector.raise_if_any()
        return found

    mirror = False
    if isinstance(given, YamlMapping):
        pool = "pool" in given
        section = Fields(file.path, given)
        section.check_keys(("pool", "mirror") if pool else ("first", "second", "pool", "mirror"))
        if not pool:
            if not {"first", "second"} <= set(given) or "mirror" in given:
                raise file.error("decks: needs 'first' and 'second', or a 'pool'", "decks")
            first, second = load([given["first"], given["second"]])
            return [MatchSetup((first, second), rules)]
        mirror = section.read("mirror", boolean, False)
        given = given["pool"]
    names = [given] if isinstance(given, str) else given
    if not isinstance(names, list) or not names:
        raise file.error(f"decks: {quote(given)} is not a deck, a list of decks, or 'first' and 'second'", "decks")
    decks = load(names)
    return [MatchSetup((a, b), rules) for m, a in enumerate(decks) for n, b in enumerate(decks) if m == n or not mirror]


def _rules(file: Fields) -> Ruleset:
    """By name, in a file of their own, or written down right here."""
    given = file.entry.get("rules", _STANDARD)
    if isinstance(given, YamlMapping):
        return ruleset_from_fields(Fields(file.path, given))
    return file.read("rules", lambda value: Ruleset.of(file.resolve(name(value))), Ruleset.of(_STANDARD))
