"""What the readers of all requests share: known fields, absent fields, profiles by name."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from planner.api import split_game
from planner.errors import PlannerError, quote
from planner.formats.documents import parse_json
from planner.formats.values import as_mapping, first_unknown_key, optional, read_field, seconds, text, unknown_field
from planner.game import AnyGame, require
from planner.games import DEFAULT
from planner.games import game as game_named
from planner.planning.capabilities import PlansTurns


def as_request(data: Any) -> Mapping[str, Any]:
    """Return a request, which must be an object."""
    if not isinstance(data, Mapping):
        raise PlannerError(f'a request must be an object such as {{"state": ...}}, got {quote(data)}')
    return data


def request_fields(data: Any, known: Collection[str]) -> dict[str, Any]:
    """Return the fields of a request; `null` counts as absent, an unknown field is an error."""
    unknown = first_unknown_key(as_request(data), known)
    if unknown is not None:
        raise PlannerError(unknown_field(unknown, known))
    return {key: value for key, value in data.items() if value is not None}


def read_state(fields: Mapping[str, Any]) -> tuple[AnyGame, Any]:
    """Return the game and the state of a request: JSON, or one line of text in the form of the default game."""
    value = fields.get("state")
    if isinstance(value, str) and not value.lstrip().startswith("{"):
        default = game_named(DEFAULT)
        return default, read_field(fields, "state", lambda line: default.state_from_text(text(line)))
    data = parse_json(value, "state") if isinstance(value, str) else read_field(fields, "state", as_mapping)
    name, content = split_game(data)
    game = game_named(name)
    return game, game.state_from_json(content)


def time_limit(fields: Mapping[str, Any], max_seconds: float | None) -> float | None:
    """Return the time limit of a request, at most `max_seconds`."""
    limit = optional(fields, "time_limit", seconds, max_seconds)
    return limit if limit is None or max_seconds is None else min(limit, max_seconds)


def profile_for(game: AnyGame, weights: Any) -> Any:
    """Return the profile of a request: the name of one that comes with the package, or numbers, never a path."""
    profiles = require(game, PlansTurns, "planning").profiles
    if weights is None:
        return profiles.named(profiles.default)
    if isinstance(weights, str):
        return profiles.named(weights)
    if not isinstance(weights, Mapping):
        raise PlannerError(f"weights: must be a profile's name or an object of terms and numbers, got {quote(weights)}")
    return profiles.of(weights)
