"""Requests of all kinds by name, and lines of requests, as the pipe and batches have them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final

from planner.errors import PlannerError, quote
from planner.formats.documents import parse_json
from planner.formats.values import number, one_of, read_field
from planner.protocol.fields import as_request
from planner.user_code import short_error

MAX_LINE_BYTES: Final = 1_000_000  # a state with everything that it may contain takes some ten thousand
MAX_ID_LENGTH: Final = 200
_MAX_ERROR_LENGTH: Final = 300
# The kinds of requests, each with the module whose function of the same name answers it; imported when needed.
REQUESTS: Final = {
    "plan": "plan_request",
    "turn": "hearthstone_requests",
    "decide": "match_requests",
    "judge": "match_requests",
    "replay": "match_requests",
    "weights": "listings",
    "vocabulary": "listings",
    "decks": "listings",
    "cards": "listings",
    "solvers": "listings",
    "deck_code": "hearthstone_requests",
    "review": "hearthstone_requests",
}


def answer_request(data: Mapping[str, Any], max_seconds: float | None = None) -> dict[str, Any]:
    """Answer a request of any kind; its field `request` names the kind, `plan` where it is absent."""
    fields = dict(data)
    kind = fields.pop("request", None)
    if kind is None:
        kind = "plan"
    read_field({"request": kind}, "request", partial(one_of, choices=REQUESTS))
    answer: dict[str, Any] = getattr(import_module(f"planner.protocol.{REQUESTS[kind]}"), kind)(fields, max_seconds)
    return answer


def answer_line(line: str | bytes, max_seconds: float | None = None) -> dict[str, Any]:
    """Answer one line: `{"id": ..., "plan": ...}`, or what else the kind of request returns, or an `error`.

    This never raises an exception, whatever the line contains: the next line must be answered too.
    """
    name: str | int | float | None = None
    try:
        data = dict(as_request(_parse(line)))
        name = _read_id(data.pop("id", None))
        answer = answer_request(data, max_seconds)
        is_plan = data.get("request") in (None, "plan") and "plans" not in answer
        return {"id": name, **({"plan": answer} if is_plan else answer)}
    except PlannerError as error:
        return {"id": name, "error": error_line(error)}
    except Exception as error:  # a bug costs the client this answer, not the connection
        return {"id": name, "error": f"the planner failed: {short_error(error)}"}


def line_id(line: bytes) -> str | int | float | None:
    """Return the id of a line, or None where it cannot be read."""
    try:
        return _read_id(as_request(_parse(line)).get("id"))
    except PlannerError:
        return None


def error_line(error: PlannerError) -> str:
    """Return the message as answers carry it: one line of limited length."""
    line = " ".join(str(error).split())
    return line if len(line) <= _MAX_ERROR_LENGTH else f"{line[: _MAX_ERROR_LENGTH - 3]}..."


def _parse(line: str | bytes) -> Any:
    if len(line) > MAX_LINE_BYTES:
        raise PlannerError(f"the line exceeds the size limit of {MAX_LINE_BYTES:,} bytes")
    return parse_json(line, "line")


def _read_id(value: Any) -> str | int | float | None:
    """Return the id that the client gave its request: a text or a number."""
    if value is None:
        return None
    if isinstance(value, str):
        if len(value) > MAX_ID_LENGTH:
            raise PlannerError(f"id: is {len(value):,} characters long; the limit is {MAX_ID_LENGTH}")
        return value
    try:
        return number(value)
    except PlannerError:
        raise PlannerError(f"id: must be a text or a number of at most 2^63 - 1 in size, got {quote(value)}") from None
