"""Requests for lists: weight profiles, decks, cards and solvers, as the commands of the same names show them."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from planner import solvers as backends
from planner.errors import PlannerError, printable_line
from planner.formats.values import boolean, one_of, optional
from planner.game import require
from planner.games import DEFAULT, game, game_names
from planner.games.hearthstone.cards.card import CLASSES, Card
from planner.games.hearthstone.cards.catalogue import Catalogue, standard
from planner.games.hearthstone.cards.decks import Deck, deck_names, load_deck
from planner.games.hearthstone.cards.keywords import NAMES, STATUSES, names
from planner.games.hearthstone.rules.narration import format_keywords
from planner.planning.capabilities import PlansTurns
from planner.planning.profiles import HardRule, Profile
from planner.protocol.fields import request_fields

_MAX_QUERY: Final = 200


def weights(data: Any, max_seconds: float | None = None) -> dict[str, Any]:  # noqa: ARG001  (as all requests)
    """List the weight profiles of a game; each weight is as the profile's file has it."""
    _, profiles = _profiles(data)
    return {"weights": [profile_entry(profile) for profile in map(profiles.named, profiles.names())]}


def _profiles(data: Any) -> tuple[str, type[Profile]]:
    """Return the game of a request and its profiles."""
    fields = request_fields(data, ("game",))
    name = optional(fields, "game", partial(one_of, choices=game_names()), DEFAULT)
    return name, require(game(name), PlansTurns, "planning").profiles


def profile_entry(profile: Profile) -> dict[str, Any]:
    """Return a profile as JSON values."""
    return {
        "name": profile.name,
        "description": profile.description,
        "weights": profile.terms(),
        "forbid": [_rule(rule) for rule in profile.forbid],
        "require": [_rule(rule) for rule in profile.require],
        **{option: getattr(profile, option) for option in profile.options},
    }


def vocabulary(data: Any, max_seconds: float | None = None) -> dict[str, Any]:  # noqa: ARG001
    """List the words of a game's weights, and where its states have them, of cards and heroes: for editors."""
    name, profiles = _profiles(data)
    words: dict[str, Any] = {
        "game": name,
        "profile": profiles.default,
        "strongest": profiles.strongest or profiles.default,
        "terms": [
            {"name": term, "cost": sign < 0, "required": term in profiles.required}
            for term, sign in profiles.term_signs.items()
        ],
    }
    if name == DEFAULT:
        words |= {"keywords": list(NAMES), "statuses": names(STATUSES), "classes": ["neutral", *CLASSES]}
    return words


def _rule(rule: HardRule) -> Any:
    value = rule.word or rule.number
    return {rule.kind: value} if value else rule.kind


def decks(data: Any, max_seconds: float | None = None) -> dict[str, Any]:  # noqa: ARG001
    """List the decks that come with the package, with their cards."""
    request_fields(data, ())
    return {"decks": [deck_entry(name, load_deck(name)) for name in deck_names()]}


def deck_entry(name: str, deck: Deck) -> dict[str, Any]:
    """Return a deck as JSON values."""
    return {"name": name, "class": deck.hero_class, "cards": [card.name for card in deck.cards]}


def cards(data: Any, max_seconds: float | None = None) -> dict[str, Any]:  # noqa: ARG001
    """List the cards that contain all words of `q`, cheapest first; `tokens` adds those that only cards create."""
    fields = request_fields(data, ("q", "tokens"))
    matching = find_cards(standard(), optional(fields, "q", _query, ""), optional(fields, "tokens", boolean, False))
    return {"cards": [card_entry(card) for card in matching]}


def _query(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MAX_QUERY:
        raise PlannerError(f"must be a text of at most {_MAX_QUERY} characters")
    return value


def card_entry(card: Card) -> dict[str, Any]:
    """Return a card as JSON values."""
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
        "spell_damage": card.spell_damage,
        "overload": card.overload,
        "token": card.token,
    }


def find_cards(cards: Catalogue, text: str, tokens: bool = False) -> list[Card]:
    """Return the cards that contain all of these words, cheapest first; `tokens` adds those that cards create."""
    words = text.lower().split()
    matching = [card for card in cards.values() if _contains(card, words) and (tokens or not _is_created(card))]
    return sorted(matching, key=lambda card: (card.cost, card.name))


def _is_created(card: Card) -> bool:
    return card.token or card.type == "hero_power"


def _contains(card: Card, words: list[str]) -> bool:
    parts = (card.name, card.card_class, card.type, " ".join(format_keywords(card.keywords)), *card.tribes, card.text)
    text = " ".join(parts).lower()
    return all(word in text for word in words)


def solvers(data: Any, max_seconds: float | None = None) -> dict[str, Any]:  # noqa: ARG001
    """List the solvers with their state: `missing`, `broken` or `ready`; installed ones solve a tiny program."""
    request_fields(data, ())
    listed = []
    for info in backends.SOLVERS:
        version = backends.version(info.name)
        problem = f"to install it: {info.install}" if version is None else _solver_problem(info.name)
        listed.append(
            {
                "name": info.name,
                "title": info.title,
                "package": info.package,
                "version": version,
                "state": "missing" if version is None else "broken" if problem else "ready",
                "note": problem or info.note,
            }
        )
    return {"solvers": listed}


def _solver_problem(name: str) -> str | None:
    """Let an installed solver solve a tiny program; return what went wrong."""
    from planner.solvers.backend import SolveStatus  # noqa: PLC0415  (numpy)
    from planner.solvers.linear_model import LinearModel  # noqa: PLC0415

    try:
        solver = backends.get(name)
    except PlannerError as error:
        return printable_line(str(error))
    problem = solver.usable()
    if problem is None:
        model = LinearModel("try")
        model.add_row("enough", [(model.add_var("x", 0, 3, objective=1), 2)], upper=5)
        solution = solver.solve(model)
        if solution.status is not SolveStatus.OPTIMAL or solution.objective != 2:
            problem = f"does not work: {solution}"
    return printable_line(problem) if problem else None
