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
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.connection import Pipe as _pipe  # noqa: N813  (a function in spite of its name)
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


class ChildDiedError(Exception):
    """The process has ended; the message says how."""


class Child:
    """Starts `module.serve(connection=, lifeline=, ...)` in a new process, in a session of its own.

    An interrupt from the keyboard does not reach it: the parent decides what that means.
    """

    def __init__(self, module: str, fds: Sequence[int] = (), silent: bool = False, **arguments: Any) -> None:
        self._connection, theirs = _pipe()
        lifeline, self._lifeline = os.pipe()
        given = {"connection": theirs.fileno(), "lifeline": lifeline, **arguments}
        boot = json.dumps({"path": sys.path, "module": module, "with": given})
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, boot],
                env={**os.environ, **_ENVIRONMENT},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL if silent else None,
                pass_fds=[theirs.fileno(), lifeline, *fds],
                start_new_session=True,
            )
        finally:
            theirs.close()
            os.close(lifeline)

    def send(self, data: bytes) -> None:
        """Send one message."""
        try:
            self._connection.send_bytes(data)
        except OSError:
            raise ChildDiedError(self._end()) from None

    def receive(self, seconds: float, longest: int | None = None) -> bytes | None:
        """The next message, or None if none comes in this time."""
        try:
            return self._connection.recv_bytes(longest) if self._connection.poll(seconds) else None
        except (OSError, EOFError):
            raise ChildDiedError(self._end()) from None

    def kill(self) -> None:
        """End it and whatever it has started, now."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._connection.close()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

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


def watch(lifeline: int) -> None:
    """Hold on to the parent: the read ends when the parent's end of the pipe is closed, by whatever death."""

    def wait() -> None:
        with contextlib.suppress(OSError):
            os.read(lifeline, 1)
        os._exit(1)

    threading.Thread(target=wait, daemon=True, name="lifeline").start()
