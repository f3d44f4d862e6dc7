"""The request protocol: one JSON object in, one JSON object out, the same over the pipe, over HTTP and for the pages.

A request is data: it cannot name a file, a module or a command. Weights are the name of a profile that comes with the
package, or numbers; decks, agents and games are names. An invalid request raises a PlannerError of one line.
"""

from planner.protocol.lines import (
    MAX_ID_LENGTH,
    MAX_LINE_BYTES,
    REQUESTS,
    answer_line,
    answer_request,
    error_line,
    line_id,
)
from planner.protocol.plan_request import PlanRequest

__all__ = [
    "MAX_ID_LENGTH",
    "MAX_LINE_BYTES",
    "REQUESTS",
    "PlanRequest",
    "answer_line",
    "answer_request",
    "error_line",
    "line_id",
]
