"""What there is, as data: the lists that the commands of the same names print."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from planner import solvers
from planner.cli.library import find_cards
from planner.cli.planning import solver_problem
from planner.game import require
from planner.games import DEFAULT, game
from planner.games.hearthstone.cards.card import Card
from planner.games.hearthstone.cards.catalogue import standard
from planner.games.hearthstone.cards.decks import deck_names, load_deck
from planner.games.hearthstone.cards.keywords import names
from planner.planning.capabilities import PlansTurns
from planner.planning.weights import HardRule


def weights(of: str = DEFAULT) -> list[dict[str, Any]]:
    """The weight profiles of a game: magnitudes, as a request gives them."""
    kind = require(game(of), PlansTurns, "planning").profiles
    return [
        {
            "name": name,
            "description": profile.description,
            "weights": profile.terms(),
            "forbid": [_rule(rule) for rule in profile.forbid],
            "require": [_rule(rule) for rule in profile.require],
            **{habit: getattr(profile, habit) for habit in profile.habits},
        }
        for name in kind.names()
        for profile in [kind.of(name)]
    ]


def _rule(rule: HardRule) -> Any:
    value = rule.word or rule.number
    return {rule.kind: value} if value else rule.kind


def decks() -> list[dict[str, Any]]:
    """The decks with their cards."""
    return [
        {"name": name, "class": deck.hero_class, "cards": [card.name for card in deck.cards]}
        for name in deck_names()
        for deck in [load_deck(name)]
    ]


def cards(text: str = "", tokens: bool = False) -> list[dict[str, Any]]:
    """The cards that hold all of these words, cheapest first."""
    return [_card(card) for card in find_cards(standard(), text, tokens)]


def _card(card: Card) -> dict[str, Any]:
    return {
        "name": card.name,
        "type": card.type,
        "class": card.card_class,
        "cost": card.cost,
        "attack": card.attack,
        "health": card.health,
        "keywords": names(card.keywords),
        "tribes": list(card.tribes),
        "text": card.text,
        "token": card.token,
    }


def usable_solvers() -> list[dict[str, Any]]:
    """The solvers, and whether they work here: each that is installed solves a tiny program now."""
    found = []
    for info in solvers.SOLVERS:
        version = solvers.version(info.name)
        problem = solver_problem(info.name) if version is not None else f"to install it: {info.install}"
        state = "missing" if version is None else "broken" if problem else "ready"
        found.append({
            "name": info.name, "title": info.title, "package": info.package, "version": version, "state": state,
            "note": problem or info.note,
        })  # fmt: skip
    return found


_LISTS: Final[dict[str, Callable[..., list[dict[str, Any]]]]] = {
    "weights": weights, "decks": decks, "cards": cards, "solvers": usable_solvers,
}  # fmt: skip


def answer_list(name: str, **wanted: Any) -> dict[str, Any]:
    """One of the lists, under its name."""
    return {name: _LISTS[name](**wanted)}
