"""`planner engine`: a pipe that answers one line after the other, whatever they contain."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import pytest

from planner.protocol import MAX_LINE_BYTES

STATE = {"mana": 3, "me": {"hero": {"health": 30}, "hand": ["Wolfrider"]}, "enemy": {"hero": {"health": 3}}}
ENGINE = [sys.executable, "-c", "import sys; from planner.cli import main; sys.exit(main(['engine']))"]


@contextmanager
def engine() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(ENGINE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        try:
            yield process
        finally:
            process.kill()


def ask(process: subprocess.Popen[bytes], line: bytes) -> Any:
    """Send one line and return its answer, which must come before anything else is sent."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def stream(found: IO[bytes] | None) -> IO[bytes]:
    assert found is not None
    return found


def test_each_line_is_answered_at_once_and_in_order() -> None:
    good = json.dumps({"id": "good", "state": STATE}).encode()
    with engine() as process:
        assert ask(process, good)["plan"]["lethal"]
        assert ask(process, b"")["error"] == "line:1:1: invalid JSON: Expecting value"
        assert ask(process, b"\x00\xff")["error"] == "line: is not UTF-8 text"
        assert "exceeds the size limit" in ask(process, b"x" * (3 * MAX_LINE_BYTES))["error"]
        assert "exceeds the size limit" in ask(process, b" " * (MAX_LINE_BYTES + 1))["error"]
        assert ask(process, good.ljust(MAX_LINE_BYTES))["plan"]["lethal"]
        assert ask(process, good + b"\r")["plan"]["lethal"]
        assert "unknown field" in ask(process, b'{"id": 1, "comand": "ls"}')["error"]
        assert ask(process, json.dumps({"id": 3, "state": STATE, "k": 2}).encode())["plans"][1]["lethal"] is False
        stream(process.stdin).write(b"\n".join(json.dumps({"id": n, "state": STATE}).encode() for n in range(50)))
        stream(process.stdin).close()  # the last line has no line break
        answers = [json.loads(line) for line in stream(process.stdout)]
        assert [answer["id"] for answer in answers] == list(range(50))
        assert process.wait(10) == 0
        assert stream(process.stderr).read() == b""


def test_the_output_has_only_answers_whatever_a_solver_prints() -> None:
    """Compiled libraries write to the descriptor itself; such a line would come between two answers."""
    noisy = (
        "import os, sys; from planner.cli import main, serve_commands\n"
        "answer = serve_commands.answer_line\n"
        "serve_commands.answer_line = lambda line: (os.write(1, b'noise'), print('noise'), answer(line))[-1]\n"
        "sys.exit(main(['engine']))"
    )
    line = json.dumps({"id": 1, "state": STATE}).encode()
    done = subprocess.run([sys.executable, "-c", noisy], input=line, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 1)
    assert json.loads(done.stdout)["id"] == 1
    assert b"noise" in done.stderr


def test_a_closed_pipe_ends_the_command_quietly() -> None:
    with engine() as process:
        stream(process.stdout).close()
        line = json.dumps({"id": 1, "state": STATE}).encode() + b"\n"
        try:
            stream(process.stdin).write(line * 20)
            stream(process.stdin).close()
        except BrokenPipeError:
            pass
        assert process.wait(20) == 0
        assert stream(process.stderr).read() == b""


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs signals")
def test_an_interrupt_shows_no_traceback() -> None:
    with engine() as process:
        assert "error" in ask(process, b"1")
        process.send_signal(2)
        assert process.wait(20) == 130
        assert stream(process.stderr).read() == b""
