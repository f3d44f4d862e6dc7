"""A worker process of the service: it stays warm, answers one request after the other, and can be killed at any time.

Messages are bytes behind their length. The first byte of a request says what kind it is. An answer begins with the
three digits of its HTTP status and one byte that says whether more parts follow and whether the worker has grown too
large.
"""

from __future__ import annotations

import json
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable
from typing import Any, BinaryIO, Final

from planner.errors import PlannerError
from planner.formats.documents import parse_json
from planner.games import game, game_names
from planner.processes import limit_resource, resident_bytes, watch_lifeline
from planner.protocol import PlanRequest, answer_line, answer_request, error_line
from planner.user_code import short_error

_log = logging.getLogger("planner.service")
LENGTH_BYTES: Final = 4
HEADER_BYTES: Final = 4  # status and flag, in front of an answer's body
# Kinds of requests: the body of POST /plan, a line of a batch, a request of the server itself, a ping.
PLAN, LINE, REQUEST, PING = b"p", b"l", b"r", b"."
LAST, LAST_TOO_LARGE, MORE = b"+", b"-", b"~"
TOURNAMENT_GAME: Final = "tournament_game"  # a request that only the server makes
_HARD_MEMORY_FACTOR: Final = 4  # times the size at which a worker is replaced


def main() -> None:
    """Answer until the input ends. Arguments: the lifeline's descriptor, seconds per search, bytes of memory."""
    watch_lifeline(int(sys.argv[1]))
    max_seconds, max_memory = float(sys.argv[2]), int(sys.argv[3])
    # Beyond this an allocation fails: that costs one request instead of the machine.
    limit_resource(resource.RLIMIT_DATA, _HARD_MEMORY_FACTOR * max_memory)
    for number in (signal.SIGINT, signal.SIGTERM):  # they may be sent to all processes; the parent decides
        signal.signal(number, signal.SIG_IGN)
    # Solvers print now and then: their output must not get between the answers.
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _warm_up()
    _send(answers, 200, b"", LAST)
    while header := requests.read(LENGTH_BYTES):
        request = requests.read(int.from_bytes(header))
        status, body = _answer(
            request[:1], request[1:], max_seconds, lambda part: _send(answers, 200, _json(part), MORE)
        )
        _send(answers, status, body, LAST if resident_bytes() <= max_memory else LAST_TOO_LARGE)


def _send(answers: BinaryIO, status: int, body: bytes, flag: bytes) -> None:
    answers.write((len(body) + HEADER_BYTES).to_bytes(LENGTH_BYTES) + str(status).encode() + flag + body)
    answers.flush()


def _warm_up() -> None:
    """Load everything that planning needs, so that the first client does not wait for it."""
    for name in game_names():
        game(name)
    answer_line(b'{"state": {"mana": 1, "me": {"hero": {"health": 1}}, "enemy": {"hero": {"health": 1}}}}')


def _answer(kind: bytes, data: bytes, max_seconds: float, send_part: Callable[[Any], None]) -> tuple[int, bytes]:
    """Return status and body of the answer; a plan with further parts is sent at once, and the last part returned."""
    try:
        if kind == PING:
            return 200, b""
        if kind == LINE:
            return 200, _json(answer_line(data, max_seconds))
        if kind == REQUEST:
            return 200, _json(_answer_server(json.loads(data), max_seconds))
        request = PlanRequest.from_json(parse_json(data, "request"), max_seconds)
        parts = request.parts()
        for _ in range(request.explain + request.ranges):
            send_part(next(parts))
        return 200, _json(next(parts))
    except PlannerError as error:
        return 422, error_body(error_line(error))
    except MemoryError:
        return 503, error_body("this turn needs more memory than a worker has")
    except Exception as error:  # a bug: report it to this client and go on with the next
        _log.exception("the planner failed")
        return 500, error_body(f"the planner failed: {short_error(error)}")


def _answer_server(request: dict[str, Any], max_seconds: float) -> Any:
    """Answer a request of the server itself: one of the protocol, or for a game of one of its tournaments."""
    if request.get("request") == TOURNAMENT_GAME:
        from planner.service.standings import replay_game  # noqa: PLC0415  (pandas, for one page)

        return replay_game(request["results"], request["game"])
    return answer_request(request, max_seconds)


def _json(answer: Any) -> bytes:
    return json.dumps(answer).encode()


def error_body(line: str) -> bytes:
    """Return the JSON body that all errors have."""
    return _json({"error": line})


if __name__ == "__main__":
    main()
