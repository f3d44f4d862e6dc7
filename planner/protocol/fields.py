"""What the readers of all requests share: known fields, absent fields, profiles by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from planner.errors import PlannerError, quote
from planner.formats.values import first_unknown_key, read_field, seconds, unknown_field
from planner.game import require
from planner.games import game as game_named
from planner.planning.capabilities import PlansTurns

_Value = TypeVar("_Value")


def request_fields(data: Any, known: Collection[str]) -> dict[str, Any]:
    """Return the fields of a request; `null` counts as absent, an unknown field is an error."""
    if not isinstance(data, Mapping):
        raise PlannerError(f'a request must be an object such as {{"state": ...}}, got {quote(data)}')
    unknown = first_unknown_key(data, known)
    if unknown is not None:
        raise PlannerError(unknown_field(unknown, known))
    return {key: value for key, value in data.items() if value is not None}


def optional(fields: Mapping[str, Any], key: str, read: Callable[[Any], _Value], default: _Value) -> _Value:
    """Return an optional field of a request, validated by `read`."""
    return read_field(fields, key, read) if key in fields else default


def time_limit(fields: Mapping[str, Any], max_seconds: float | None) -> float | None:
    """Return the time limit of a request, at most `max_seconds`."""
    limit = optional(fields, "time_limit", seconds, max_seconds)
    return limit if limit is None or max_seconds is None else min(limit, max_seconds)


def profile_for(game: str, weights: Any) -> Any:
    """Return the profile of a request: the name of one that comes with the package, or numbers, never a path."""
    profiles = require(game_named(game), PlansTurns, "planning").profiles
    if weights is None:
        return profiles.named(profiles.default)
    if isinstance(weights, str):
        return profiles.named(weights)
    if not isinstance(weights, Mapping):
        raise PlannerError(f"weights: must be a profile's name or an object of terms and numbers, got {quote(weights)}")
    return profiles.of(weights)
