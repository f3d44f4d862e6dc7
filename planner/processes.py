"""A Python process of our own at the other end of a pipe: it can be killed at any moment, and dies with its parent.

Not `multiprocessing`: its processes may have no children where they are daemons themselves (on a Dask worker), and
they import the parent's main module. Needs a POSIX system.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.connection import Pipe as _pipe  # noqa: N813  (a function in spite of its name)
from time import monotonic
from typing import Any, Final

_BOOT: Final = (
    "import json, sys; boot = json.loads(sys.argv[1]); sys.path[:] = boot['path']; "
    "from importlib import import_module; import_module(boot['module']).serve(**boot['with'])"
)
# One core each: a library that starts a thread per core would slow down the other workers' games. And hashes that
# are the same in all of them, for agents that let the order of a set decide.
_ENVIRONMENT: Final = {
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0",
}  # fmt: skip


KEPT_BYTES: Final = 4096  # of what a process says: a quarter from the beginning, the rest from the end
_READ_BYTES: Final = 65_536
_LAST_READS: Final = 64  # a program that has slipped away may go on for ever


class ChildDiedError(Exception):
    """The process has ended; the message says how."""


class Said:
    """What somebody said: the beginning and the end, however much it was."""

    def __init__(self) -> None:
        self._head, self._tail, self._left_out = b"", b"", 0

    def add(self, data: bytes) -> None:
        """Something more."""
        room = KEPT_BYTES // 4 - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        cut = max(0, len(self._tail) - (KEPT_BYTES - KEPT_BYTES // 4))
        self._tail, self._left_out = self._tail[cut:], self._left_out + cut

    def take(self) -> str:
        """What it was, and from now on nothing."""
        head, tail = (part.decode("utf-8", errors="replace") for part in (self._head, self._tail))
        between = f"\n... ({self._left_out} bytes left out)\n" if self._left_out else ""
        self._head, self._tail, self._left_out = b"", b"", 0
        return head + between + tail


class Child:
    """Starts `module.serve(connection=, lifeline=, ...)` in a new process, in a session of its own.

    An interrupt from the keyboard does not reach it: the parent decides what that means.
    """

    def __init__(self, module: str, fds: Sequence[int] = (), said: Said | None = None, **arguments: Any) -> None:
        """`said` gets what the process writes to stderr; otherwise that goes where ours goes."""
        self._connection, theirs = _pipe()
        lifeline, self._lifeline = os.pipe()
        self._said, self._stderr, stderr = said, -1, None
        if said is not None:
            self._stderr, stderr = os.pipe()
            os.set_blocking(self._stderr, False)
        given = {"connection": theirs.fileno(), "lifeline": lifeline, **arguments}
        boot = json.dumps({"path": sys.path, "module": module, "with": given})
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, boot],
                env={**os.environ, **_ENVIRONMENT},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                pass_fds=[theirs.fileno(), lifeline, *fds],
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(lifeline)
            if stderr is not None:
                os.close(stderr)

    def send(self, data: bytes) -> None:
        """Send one message."""
        try:
            self._connection.send_bytes(data)
        except OSError:
            raise ChildDiedError(self._end()) from None

    def receive(self, seconds: float, longest: int | None = None) -> bytes | None:
        """The next message, or None if none comes in this time. Meanwhile we listen to what it says."""
        deadline = monotonic() + seconds
        try:
            while True:
                left = max(0.0, deadline - monotonic())
                ready = wait([self._connection, self._stderr] if self._stderr >= 0 else [self._connection], left)
                if self._connection in ready:
                    return self._connection.recv_bytes(longest)
                if self._stderr in ready:
                    self._listen()
                if left == 0:
                    return None
        except (OSError, EOFError):
            raise ChildDiedError(self._end()) from None

    def listen(self) -> None:
        """Take in what it has said by now."""
        for _ in range(_LAST_READS):
            if self._stderr < 0 or not self._listen():
                return

    def _listen(self) -> bool:
        """One piece of what it says; False where there is nothing now."""
        try:
            data = os.read(self._stderr, _READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            os.close(self._stderr)
            self._stderr = -1
        elif self._said is not None:
            self._said.add(data)
        return bool(data)

    def kill(self) -> None:
        """End it and whatever it has started, now."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._connection.close()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
        self.listen()
        if self._stderr >= 0:
            os.close(self._stderr)
            self._stderr = -1

    def _end(self) -> str:
        """How it ended; a process that has closed its pipe is as good as dead."""
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        self.kill()
        return f"signal {-code}" if code < 0 else f"exit code {code}"


def attach(connection: int, lifeline: int) -> Connection:
    """In the new process: the pipe to the parent. From now on this process ends when its parent does."""
    watch(lifeline)
    return Connection(connection)


def watch(lifeline: int, end: Callable[[], None] = lambda: os._exit(1)) -> None:
    """Hold on to the parent: the read ends when the parent's end of the pipe is closed, by whatever death."""

    def hold() -> None:
        with contextlib.suppress(OSError):
            os.read(lifeline, 1)
        end()

    threading.Thread(target=hold, daemon=True, name="lifeline").start()
