"""Requests about Hearthstone's own formats: deck codes, and logs of the client."""

from __future__ import annotations

import io
import time
from typing import Any, Final

from planner.errors import PlannerError
from planner.formats.values import one_of, read_field, text
from planner.games.hearthstone.cards.decks import deck_names, load_deck
from planner.games.hearthstone.hearthstone_game import GAME
from planner.protocol.fields import profile_for, request_fields

MAX_LOG_CHARACTERS: Final = 20_000_000


def deck_code(data: Any, max_seconds: float | None = None) -> dict[str, Any]:  # noqa: ARG001  (as all requests)
    """Decode the deck of a `code`, or encode the deck with this `name`."""
    from planner.games.hearthstone.cards.deck_codes import deck_from_code, deck_to_code  # noqa: PLC0415  (an extra)

    fields = request_fields(data, ("code", "name"))
    if ("code" in fields) == ("name" in fields):
        raise PlannerError("deck_code: takes a code or the name of a deck")
    if "code" in fields:
        code = read_field(fields, "code", lambda value: text(value, 2000))
        deck = deck_from_code(code)
    else:
        deck = load_deck(read_field(fields, "name", lambda value: one_of(value, deck_names())))
        code = deck_to_code(deck)
    return {"name": deck.name, "class": deck.hero_class, "cards": [card.name for card in deck.cards], "code": code}


def review(data: Any, max_seconds: float | None = None) -> dict[str, Any]:
    """Review the matches of a client log, given as text; matches for which no time is left are counted only."""
    from planner.games.hearthstone.logs.match_review import review_match  # noqa: PLC0415  (an extra, and slow)
    from planner.games.hearthstone.logs.power_log import check_installed, parse_lines  # noqa: PLC0415

    fields = request_fields(data, ("log", "weights"))
    log = read_field(fields, "log", lambda value: text(value, MAX_LOG_CHARACTERS))
    weights = profile_for(GAME, fields.get("weights"))
    check_installed()
    matches = parse_lines(io.StringIO(log))
    if not matches:
        raise PlannerError("log: contains no match; a Power.log has lines such as 'GameState.DebugPrintPower() - ...'")
    end = time.monotonic() + (max_seconds or float("inf"))
    reviews: list[dict[str, Any]] = []
    for match in matches:
        if reviews and time.monotonic() > end:
            break
        reviews.append(review_match(match, weights).to_dict())
    return {"matches": reviews, "not_reviewed": len(matches) - len(reviews)}
