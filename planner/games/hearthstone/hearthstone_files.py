"""The kinds of files that users write for this game: cards, decks and rules, with their readers and schemas."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from pathlib import Path

from planner.formats.json_schema import TEXT, FileKind, Schema, any_of, enum_schema, list_schema, object_schema
from planner.games.hearthstone.cards.card import CLASSES
from planner.games.hearthstone.cards.card_format import card_schema
from planner.games.hearthstone.cards.catalogue import Catalogue
from planner.games.hearthstone.cards.decks import FIELDS as DECK_FIELDS
from planner.games.hearthstone.cards.decks import FORMATS, LINE, load_deck
from planner.games.hearthstone.cards.keywords import NAMES
from planner.games.hearthstone.rules.ruleset import STANDARD, Ruleset, rules_schema


def file_kinds(game: str, known: Catalogue) -> list[FileKind]:
    """Return the file kinds; decks may use the known cards."""

    def read_cards(path: Path, _rules: str) -> list[str]:
        more = known.extended(path)
        new = [card for card in more.values() if card.name not in known or known[card.name] is not card]
        count = Counter(card.type.replace("_", " ") for card in new)
        lines = [", ".join(f"{number} {kind}{'s' * (number > 1)}" for kind, number in count.items()) or "no cards"]
        replaced = [card.name for card in new if card.name in known]
        return [*lines, *([f"replaces cards of the project: {', '.join(replaced)}"] if replaced else [])]

    def read_deck(path: Path, rules: str) -> list[str]:
        ruleset = Ruleset.of(rules or STANDARD)
        deck = load_deck(path, known, ruleset.deck_size, ruleset.copies)
        mean = sum(card.cost for card in deck.cards) / len(deck.cards)
        different = len({card.name for card in deck.cards})
        size = f"{len(deck.cards)} cards, {different} different"
        return [f"{deck.name}: {size}, for a {deck.hero_class}; mean cost {mean:.1f}"]

    def read_rules(path: Path, _rules: str) -> list[str]:
        rules, standard = Ruleset.of(path), Ruleset.of(STANDARD)
        changed = [
            f"{rule.name} {_format(getattr(rules, rule.name))} (standard: {_format(getattr(standard, rule.name))})"
            for rule in fields(Ruleset)
            if rule.name != "name" and getattr(rules, rule.name) != getattr(standard, rule.name)
        ]
        return changed or ["the standard rules"]

    return [
        FileKind("cards", game, lambda: list_schema(card_schema()), read_cards),
        FileKind("deck", game, deck_schema, read_deck),
        FileKind("rules", game, rules_schema, read_rules),
    ]


def _format(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()


def deck_schema() -> Schema:
    """Return the schema of a deck; the reader also checks the numbers of cards."""
    sideboard: Schema = {"type": "string", "pattern": r"^[0-9]{1,4}\s*x\s+\S.* for .+$"}
    kinds: dict[str, Schema] = {
        "name": TEXT,
        "class": enum_schema(CLASSES),
        "cards": list_schema({"type": "string", "pattern": LINE.pattern}),
        "sideboard": any_of(sideboard, list_schema(sideboard)),
        "keep_keywords": list_schema(enum_schema(NAMES)),
        "format": enum_schema(FORMATS),
    }
    return object_schema({key: kinds[key] for key in DECK_FIELDS}, ("name", "class", "cards"))


def setup_schema() -> dict[str, Schema]:
    """Return the schemas of the fields that an experiment has for this game."""
    pair = object_schema({"first": TEXT, "second": TEXT}, ("first", "second"))
    pool = object_schema({"pool": any_of(TEXT, list_schema(TEXT, 1)), "mirror": {"type": "boolean"}}, ("pool",))
    return {"decks": any_of(TEXT, list_schema(TEXT, 1), pair, pool), "rules": any_of(TEXT, rules_schema())}
