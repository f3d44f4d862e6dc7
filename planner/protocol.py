"""A request for plans as strangers send it, one JSON object, and its answer: the same over the pipe and over HTTP.

A request is data and stays data. It names no file, module or command: weights are a profile that comes with the
package or numbers, and what is not known, too long or of the wrong kind is refused in one line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from planner.api import game_of, plans
from planner.errors import PlannerError, quote
from planner.formats import values
from planner.formats.documents import parse_json
from planner.formats.values import as_mapping, boolean, first_unknown_key, read_field, unknown_field
from planner.game import require
from planner.games import game
from planner.planning.capabilities import PlansTurns
from planner.planning.plan import PlanOptions
from planner.user_code import short_error

MAX_LINE_BYTES: Final = 1_000_000  # bytes of one request: a state with all that it may hold has some ten thousand
MAX_ID_LENGTH: Final = 200
_LONGEST_REFUSAL: Final = 300
_NEXT_BEST: Final = 3  # plans in an explanation
_OPTIONS: Final = ("solver", "formulation", "time_limit", "effort", "k")
REQUEST_FIELDS: Final = ("state", "weights", *_OPTIONS, "explain")


@dataclass(frozen=True)
class PlanRequest:
    """What somebody asks for, read and checked: all but the state, whose game checks it when the turn is planned."""

    state: Mapping[str, Any]
    weights: Any  # a profile of the state's game
    options: PlanOptions
    explain: bool = False

    @classmethod
    def of(cls, data: Any, most_seconds: float | None = None) -> PlanRequest:
        """From the JSON form; nobody gets more time for a search than `most_seconds`, whatever is asked for.

        `null` counts as a field that is left out. What is wrong is refused with a PlannerError of one line.
        """
        if not isinstance(data, Mapping):
            raise PlannerError(f'{quote(data)} is not an object such as {{"state": ...}}')
        wrong = first_unknown_key(data, REQUEST_FIELDS)
        if wrong is not None:
            raise PlannerError(unknown_field(wrong, REQUEST_FIELDS))
        given = {key: value for key, value in data.items() if value is not None}
        state = read_field(given, "state", as_mapping)
        options = {key: given[key] for key in _OPTIONS if key in given}
        if most_seconds is not None:
            asked = read_field(options, "time_limit", values.seconds) if "time_limit" in options else most_seconds
            options["time_limit"] = min(asked, most_seconds)
        explain = read_field(given, "explain", boolean) if "explain" in given else False
        return cls(state, _profile(state, given.get("weights")), PlanOptions(**options), explain)

    def answer(self) -> dict[str, Any]:
        """The plan in the JSON form, or `{"plans": [...]}` with the best first where more than one is wanted.

        An explanation, where it is wanted, stands in the (best) plan under `explanation`.
        """
        found = list(plans(self.state, self.weights, self.options))
        answers = [plan.to_dict() for plan in found]
        if self.explain:
            if not hasattr(found[0], "explain"):
                raise PlannerError(f"explain: is not for {found[0].game.name}")
            answers[0]["explanation"] = found[0].explain(_NEXT_BEST).to_dict()
        return answers[0] if self.options.k == 1 else {"plans": answers}


def answer_line(line: str | bytes, most_seconds: float | None = None) -> dict[str, Any]:
    """The answer to one line of many: `{"id": ..., "plan": ...}`, `{"id": ..., "plans": [...]}` or an `error`.

    Never raises, whatever stands in the line: the next one wants its answer too.
    """
    name: str | int | float | None = None
    try:
        data = dict(as_mapping(_parsed(line)))
        name = _name(data.pop("id", None))
        found = PlanRequest.of(data, most_seconds).answer()
        return {"id": name, **(found if "plans" in found else {"plan": found})}
    except PlannerError as error:
        return {"id": name, "error": error_line(error)}
    except Exception as error:  # a fault of ours costs its caller this answer, not the connection
        return {"id": name, "error": f"the planner failed: {short_error(error)}"}


def error_line(error: PlannerError) -> str:
    """The refusal as an answer carries it: one line of bounded length."""
    words = " ".join(str(error).split())
    return words if len(words) <= _LONGEST_REFUSAL else f"{words[: _LONGEST_REFUSAL - 3]}..."


def _parsed(line: str | bytes) -> Any:
    if len(line) > MAX_LINE_BYTES:
        raise PlannerError(f"the line has more than {MAX_LINE_BYTES} bytes")
    try:
        words = line if isinstance(line, str) else line.decode("utf-8")
    except UnicodeDecodeError:
        raise PlannerError("the line is not UTF-8 text") from None
    return parse_json(words, "line")


def _name(value: Any) -> str | int | float | None:
    """What the caller calls the request: text or a number."""
    if value is None:
        return None
    if isinstance(value, str):
        if len(value) > MAX_ID_LENGTH:
            raise PlannerError(f"id: {quote(value)} has more than {MAX_ID_LENGTH} signs")
        return value
    try:
        return values.number(value)
    except PlannerError:
        raise PlannerError(f"id: {quote(value)} is not text or a number") from None


def _profile(state: Mapping[str, Any], weights: Any) -> Any:
    """The profile for a state: by the name of one that comes with the package, or its numbers. Never a path."""
    kind = require(game(game_of(state)[0]), PlansTurns, "planning").profiles
    if weights is None:
        return kind.named(kind.default)
    if isinstance(weights, str):
        return kind.named(weights)
    if not isinstance(weights, Mapping):
        raise PlannerError(f"weights: {quote(weights)} is not a profile's name or an object of term and number")
    return kind.of(weights)
