"""Requests that only Hearthstone has: a turn of one's own, deck codes, and logs of the client."""

from __future__ import annotations

import io
import time
from typing import Any, Final

from planner.errors import PlannerError
from planner.formats.values import as_list, one_of, optional, read_field, text
from planner.games import DEFAULT
from planner.games.hearthstone.cards.decks import deck_names, load_deck
from planner.games.hearthstone.hearthstone_game import GAME
from planner.games.hearthstone.rules.actions import Action, EndTurn
from planner.games.hearthstone.rules.resolve import IllegalActionError
from planner.games.hearthstone.rules.state import GameState
from planner.games.hearthstone.turn.turn_steps import Steps, turn_steps
from planner.protocol.fields import profile_for, read_state, request_fields
from planner.table_view import legal_moves, table_view

MAX_ACTIONS: Final = 200
MAX_LOG_CHARACTERS: Final = 20_000_000


def turn(data: Any, max_seconds: float | None = None) -> dict[str, Any]:  # noqa: ARG001  (as all requests)
    """Return a state in all forms, and for a turn that is played from it what each action does and earns.

    `state` is the JSON form or one line of text; each of `actions` likewise. The answer has the views of the table
    before the turn and after each action, and the moves that are legal after the last one.
    """
    fields = request_fields(data, ("state", "actions", "weights"))
    game: Any
    game, state = read_state(fields)
    if game.name != DEFAULT:
        raise PlannerError(f"turn is not supported for {game.name}")
    weights = profile_for(game, fields.get("weights"))
    actions: tuple[Action, ...] = optional(fields, "actions", lambda value: _read_actions(game, value), ())
    try:
        result = turn_steps(state, actions, weights)
    except IllegalActionError as error:
        raise PlannerError(f"actions: {error}") from None
    seat, before = state.seat, state
    steps = []
    for step in result.steps:
        binding = game.bind_action(before, step.action, seat)
        steps.append(
            {
                "action": game.action_to_json(step.action),
                "text": game.action_to_text(step.action),
                "words": step.words,
                "earned": step.earned,
                "source": binding.source,
                "target": binding.target,
                "chance": step.chance,
                "view": table_view(game, step.state, seat),
            }
        )
        before = step.state
    return {
        "state": game.state_to_json(state),
        "text": game.state_to_text(state),
        "view": table_view(game, state, seat),
        "steps": steps,
        "ending": result.ending,
        "score": float(result.earned.score(weights)),
        "terms": result.earned.contributions(weights),
        "outcome": result.earned.outcome,
        "moves": _moves(game, before, result),
    }


def _read_actions(game: Any, value: Any) -> tuple[Action, ...]:
    entries = as_list(value)
    if len(entries) > MAX_ACTIONS:
        raise PlannerError(f"has {len(entries):,} actions; the limit is {MAX_ACTIONS}")
    actions = [
        game.action_from_text(entry) if isinstance(entry, str) else game.action_from_json(entry, f"[{index}]")
        for index, entry in enumerate(entries)
    ]
    return tuple(action for action in actions if not isinstance(action, EndTurn))


def _moves(game: Any, state: GameState, result: Steps) -> list[dict[str, Any]]:
    """Return the legal moves; none after an action whose result is not known, and the end of the turn is none."""
    if (result.steps and result.steps[-1].chance) or result.earned.outcome is not None:
        return []
    moves = [move for move in legal_moves(game, state) if "source" in move]
    return [{**move, "text": game.action_to_text(game.action_from_json(move["action"]))} for move in moves]


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
