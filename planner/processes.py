"""Start, limit and kill child processes. Needs a POSIX system.

Three kinds of children use this module: Python workers of the arena (`PythonChild`), programs that play as agents
(`Program`), and the workers of the service, which asyncio starts with `child_options` and a `Lifeline`.

Every child leads its own session: an interrupt from the keyboard does not reach it, and `kill_group` ends it together
with all processes it has started. A Python child also holds a lifeline: when its parent dies, for any reason, it exits.

`multiprocessing` does not fit: its daemon processes cannot have children (a Dask worker is one), and its processes
import the main module of their parent.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from io import BufferedReader, FileIO
from multiprocessing.connection import Connection, wait
from multiprocessing.connection import Pipe as _pipe  # noqa: N813  (a function in spite of its name)
from time import monotonic
from typing import Any, Final, cast

TAIL_BYTES: Final = 4096  # kept of what a process writes to stderr: a quarter from the beginning, the rest from the end
_BOOT: Final = (
    "import json, sys; boot = json.loads(sys.argv[1]); sys.path[:] = boot['path']; "
    "from importlib import import_module; import_module(boot['module']).serve(**boot['arguments'])"
)
# One core per worker: a library that starts a thread per core would slow down the other workers.
_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
# Agents that depend on the order of a set then play the same games everywhere. Never set this for a service: with known
# hashes a client can send colliding keys.
_FIXED_HASHES: Final = {"PYTHONHASHSEED": "0"}
_READ_BYTES: Final = 65_536


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resident_bytes(process: int | None = None) -> int:
    """Return the memory of a process (this one by default) that is in use; of this one its peak without `/proc`."""
    try:
        with open(f"/proc/{process or 'self'}/statm", "rb") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, IndexError):  # not on this system, or the process has ended
        return 0 if process else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


_MAX_LAST_READS: Final = 64  # a grandchild that escaped its group may write for ever


# -- parts that every kind of child shares


def child_options(fds: Sequence[int] = (), fixed_hashes: bool = False) -> dict[str, Any]:
    """Return options for `subprocess.Popen` and `asyncio.create_subprocess_exec`: own session, single-threaded."""
    environment = {**os.environ, **_ONE_THREAD, **(_FIXED_HASHES if fixed_hashes else {})}
    return {"env": environment, "pass_fds": tuple(fds), "start_new_session": True}


def kill_group(process_id: int) -> None:
    """Kill this session leader and every process in its group; do nothing if they have ended."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process_id, signal.SIGKILL)


def exit_text(code: int) -> str:
    """Describe how a process ended: "exit code 3" or "signal 9"."""
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def limit_resource(kind: int, maximum: int) -> None:
    """Limit a resource (`resource.RLIMIT_...`) of this process and of all processes it starts."""
    hard = resource.getrlimit(kind)[1]
    maximum = maximum if hard == resource.RLIM_INFINITY else min(maximum, hard)
    with contextlib.suppress(ValueError, OSError):  # the system does not support this limit
        resource.setrlimit(kind, (maximum, maximum))


class Lifeline:
    """A pipe that is closed when the parent dies. The child reads from `child_end` (see `watch_lifeline`)."""

    def __init__(self) -> None:
        self.child_end, self._parent_end = os.pipe()

    def close_child_end(self) -> None:
        """Close the child's end in the parent, once the child has inherited it."""
        os.close(self.child_end)

    def close(self) -> None:
        """Close the parent's end, which makes the child exit."""
        if self._parent_end >= 0:
            os.close(self._parent_end)
            self._parent_end = -1


def watch_lifeline(child_end: int, on_close: Callable[[], None] = lambda: os._exit(1)) -> None:
    """In a child: call `on_close` in a thread when the parent's end of the lifeline is closed."""

    def wait_for_end() -> None:
        with contextlib.suppress(OSError):
            os.read(child_end, 1)
        on_close()

    threading.Thread(target=wait_for_end, daemon=True, name="lifeline").start()


# -- Python workers


class ChildDiedError(Exception):
    """The child process has ended; the message says how."""


class StderrTail:
    """The beginning and the end of what a process has written to stderr; the middle is dropped."""

    def __init__(self) -> None:
        self._head, self._tail, self._dropped = b"", b"", 0

    def add(self, data: bytes) -> None:
        """Append more output."""
        room = TAIL_BYTES // 4 - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        cut = max(0, len(self._tail) - (TAIL_BYTES - TAIL_BYTES // 4))
        self._tail, self._dropped = self._tail[cut:], self._dropped + cut

    def take(self) -> str:
        """Return the output so far and forget it."""
        head, tail = (part.decode("utf-8", errors="replace") for part in (self._head, self._tail))
        between = f"\n... ({self._dropped} bytes left out)\n" if self._dropped else ""
        self._head, self._tail, self._dropped = b"", b"", 0
        return head + between + tail


class PythonChild:
    """A Python process that runs `module.serve(connection=, lifeline=, ...)` and exchanges messages over a pipe."""

    def __init__(
        self, module: str, fds: Sequence[int] = (), stderr: StderrTail | None = None, **arguments: Any
    ) -> None:
        """Start the process. `stderr` collects what it writes there; by default it shares the stderr of its parent."""
        self._connection, child_connection = _pipe()
        self._lifeline = Lifeline()
        self._tail, self._stderr, child_stderr = stderr, -1, None
        if stderr is not None:
            self._stderr, child_stderr = os.pipe()
            os.set_blocking(self._stderr, False)
        inherited = [child_connection.fileno(), self._lifeline.child_end]
        arguments |= {"connection": inherited[0], "lifeline": inherited[1]}
        boot = json.dumps({"path": sys.path, "module": module, "arguments": arguments})
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _BOOT, boot],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=child_stderr,
                **child_options([*inherited, *fds], fixed_hashes=True),
            )
        finally:
            child_connection.close()
            self._lifeline.close_child_end()
            if child_stderr is not None:
                os.close(child_stderr)

    def send(self, data: bytes) -> None:
        """Send one message."""
        try:
            self._connection.send_bytes(data)
        except OSError:
            raise ChildDiedError(self._wait_for_end()) from None

    def receive(self, seconds: float, max_bytes: int | None = None) -> bytes | None:
        """Return the next message, or None if none arrives in time. Collects stderr while it waits."""
        deadline = monotonic() + seconds
        try:
            while True:
                left = max(0.0, deadline - monotonic())
                ready = wait([self._connection, self._stderr] if self._stderr >= 0 else [self._connection], left)
                if self._connection in ready:
                    return self._connection.recv_bytes(max_bytes)
                if self._stderr in ready:
                    self._read_stderr_once()
                if left == 0:
                    return None
        except (OSError, EOFError):
            raise ChildDiedError(self._wait_for_end()) from None

    def read_stderr(self) -> None:
        """Collect everything that the process has written to stderr so far."""
        for _ in range(_MAX_LAST_READS):
            if self._stderr < 0 or not self._read_stderr_once():
                return

    def _read_stderr_once(self) -> bool:
        """Read one block from stderr; return False if there is nothing to read now."""
        try:
            data = os.read(self._stderr, _READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self._close_stderr()
        elif self._tail is not None:
            self._tail.add(data)
        return bool(data)

    def kill(self) -> None:
        """Kill the process and all processes it has started."""
        kill_group(self._process.pid)
        self._process.wait()
        self._connection.close()
        self._lifeline.close()
        self.read_stderr()
        self._close_stderr()

    def _close_stderr(self) -> None:
        if self._stderr >= 0:
            os.close(self._stderr)
            self._stderr = -1

    def _wait_for_end(self) -> str:
        """Describe how the process ended. One that has closed its pipe but does not exit is killed."""
        try:
            code = self._process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            code = -signal.SIGKILL
        self.kill()
        return exit_text(code)


def attach_to_parent(connection: int, lifeline: int) -> Connection:
    """In a `PythonChild`: return the pipe to the parent. From now on this process exits when its parent does."""
    watch_lifeline(lifeline)
    return Connection(connection)


# -- programs


class Program:
    """A program that reads from a pipe and writes to a pipe. Close it when it is no longer needed."""

    def __init__(self, words: Sequence[str], folder: str | None = None, own_session: bool = True) -> None:
        """Start the program in this folder. Raises OSError.

        Without `own_session` it stays in the group of this process, and the parent of this process kills that group.
        """
        self._own_session = own_session
        self._process = subprocess.Popen(
            words,
            bufsize=0,  # data that the program has not read is not written again when the pipe is closed
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=own_session,
        )
        self._input = cast(FileIO, self._process.stdin)
        self._output = BufferedReader(cast(FileIO, self._process.stdout))

    def write(self, data: bytes) -> None:
        """Write all of this to its input; a program that has stopped reading is not an error."""
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[self._input.write(data) :]

    def read_line(self, max_bytes: int) -> bytes:
        """Read up to a newline, at most this many bytes; empty or incomplete when the output has ended."""
        return self._output.readline(max_bytes)

    def end(self, seconds: float) -> str | None:
        """Describe how the program ended, or return None if it does not end within this time."""
        try:
            return exit_text(self._process.wait(seconds))
        except subprocess.TimeoutExpired:
            return None

    def close(self, grace_seconds: float) -> None:
        """Close its input and output, give it time to exit, then kill it and all processes it has started."""
        self._input.close()
        self._output.close()
        self.end(grace_seconds)
        if self._own_session:
            kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()
