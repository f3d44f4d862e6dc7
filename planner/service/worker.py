"""A worker process: it answers one request after the other, warm, and can be killed at any moment.

Messages are bytes behind their length. The first byte of a question says of what kind it is; an answer begins with
the three digits of its HTTP status, and a sign that says whether this worker goes on or has grown too large.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import sys
from typing import Any, BinaryIO, Final

from planner.errors import PlannerError
from planner.formats.documents import parse_json
from planner.games import game, game_names
from planner.planning.plan import PlanOptions
from planner.processes import limit_resource, watch_lifeline
from planner.protocol import PlanRequest, answer_line, error_line
from planner.user_code import short_error

_log = logging.getLogger("planner.service")
SIZE: Final = 4  # bytes of a length
HEAD: Final = 4  # bytes in front of an answer's body
PLAN, LINE, LIST, PAGE, PING = b"p", b"l", b"?", b"w", b"."
GOES_ON, IS_LARGE = b"+", b"-"
_FAR_TOO_MUCH: Final = 4  # times what makes a worker too large
_PAGE: Final = resource.getpagesize()


def main() -> None:
    """Answer until the input ends; the arguments are the lifeline, the most seconds for a plan and the most bytes."""
    watch_lifeline(int(sys.argv[1]))
    most_seconds, most_memory = float(sys.argv[2]), int(sys.argv[3])
    # Beyond that an allocation fails, which costs one request, and not the machine.
    limit_resource(resource.RLIMIT_DATA, _FAR_TOO_MUCH * most_memory)
    for number in (signal.SIGINT, signal.SIGTERM):  # they may be meant for all processes: the parent decides
        signal.signal(number, signal.SIG_IGN)
    # A solver that prints must not get between the answers.
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _warm_up()
    _send(answers, 200, b"", GOES_ON)
    while header := questions.read(SIZE):
        question = questions.read(int.from_bytes(header))
        status, body = _answer(question[:1], question[1:], most_seconds)
        _send(answers, status, body, GOES_ON if _memory() <= most_memory else IS_LARGE)


def _send(answers: BinaryIO, status: int, body: bytes, sign: bytes) -> None:
    answers.write((len(body) + HEAD).to_bytes(SIZE) + str(status).encode() + sign + body)
    answers.flush()


def _memory() -> int:
    """What this process holds, in bytes; the most that it ever did where nothing says how much it is now."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _warm_up() -> None:
    """Load what planning needs, so that the first caller does not wait for it."""
    for name in game_names():
        game(name)
    answer_line(b'{"state": {"mana": 1, "me": {"hero": {"health": 1}}, "enemy": {"hero": {"health": 1}}}}')
    PlanOptions()


def _answer(kind: bytes, data: bytes, most_seconds: float) -> tuple[int, bytes]:
    try:
        if kind == PING:
            return 200, b""
        if kind == LINE:
            return 200, _json(answer_line(data, most_seconds))
        if kind == LIST:
            from planner.service.lists import answer_list  # noqa: PLC0415  (most workers are never asked)

            return 200, _json(answer_list(**json.loads(data)))
        if kind == PAGE:
            from planner.service.pages.work import answer  # noqa: PLC0415  (a service without visitors never needs it)

            return 200, _json(answer(json.loads(data), most_seconds))
        return 200, _json(PlanRequest.of(_parsed(data), most_seconds).answer())
    except PlannerError as error:
        return 422, error_body(error_line(error))
    except MemoryError:
        return 503, error_body("this turn needs more memory than a worker has")
    except Exception as error:  # a fault of ours: its caller is told, and the next one gets an answer
        _log.exception("the planner failed")
        return 500, error_body(f"the planner failed: {short_error(error)}")


def _parsed(data: bytes) -> Any:
    try:
        return parse_json(data.decode("utf-8"), "request")
    except UnicodeDecodeError:
        raise PlannerError("the request is not UTF-8 text") from None


def _json(answer: Any) -> bytes:
    return json.dumps(answer).encode()


def error_body(line: str) -> bytes:
    """The form of every refusal."""
    return _json({"error": line})


if __name__ == "__main__":
    main()
