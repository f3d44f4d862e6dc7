"""A `planner serve` process for the benchmarks of the service, which can be killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from planner.errors import PlannerError
from planner.processes import resident_bytes

_START_SECONDS: Final = 60  # for the workers of a new server
_STOP_SECONDS: Final = 30
_PROGRAM: Final = "import sys; from planner.cli import main; sys.exit(main())"


class LoadServer:
    """A server with a long queue, on one core if it is given, from `with` on; all its starts share port and journal."""

    def __init__(self, workers: int, core: int | None = None) -> None:
        if not Path("/proc/self/task").is_dir():
            raise PlannerError("a server is measured only on Linux")
        self.port = 0
        self._workers, self._core = workers, core
        self._folder = TemporaryDirectory(prefix="planner-bench-")
        self.journal = Path(self._folder.name) / "tables.db"
        self._processor_seconds = 0.0

    def __enter__(self) -> LoadServer:
        try:
            self.start()
        except PlannerError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.end(signal.SIGTERM)
        self._folder.cleanup()

    def start(self) -> None:
        """Start the server, and wait for its workers."""
        options = {"--port": self.port, "--workers": self._workers, "--journal": self.journal, "--queue": 10_000}
        words = [str(word) for option in options.items() for word in option]
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, "serve", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if self._core is not None:
            os.sched_setaffinity(self._process.pid, {self._core})  # the workers inherit it
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise PlannerError("the server did not start; try `planner serve`")
        self.port = int(line.rstrip("/\n").rpartition(":")[2])
        deadline = time.monotonic() + _START_SECONDS
        while len(self._worker_ids()) < self._workers:
            if time.monotonic() > deadline:
                raise PlannerError(f"the workers of the server did not start within {_START_SECONDS} s")
            time.sleep(0.05)
        self._processor_seconds -= self._used()  # starting does not count

    def end(self, sent: signal.Signals) -> None:
        """End the server with this signal, and kill it if that takes long."""
        if self._process.poll() is None:
            self._processor_seconds += self._used()
            self._process.send_signal(sent)
        with self._process:
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()

    def kill_worker(self, rng: Random) -> bool:
        """Kill a worker; return whether there was one."""
        with suppress(OSError):  # it may have ended at this moment
            if workers := self._worker_ids():
                os.kill(rng.choice(workers), signal.SIGKILL)
                return True
        return False

    @property
    def memory(self) -> int:
        """The memory of the server process without its workers, in bytes; 0 while it does not run."""
        return resident_bytes(self._process.pid)

    @property
    def processor_seconds(self) -> float:
        """The processor time of the server process since its starts, without its workers."""
        return self._processor_seconds + (self._used() if self._process.poll() is None else 0.0)

    def _used(self) -> float:
        words = Path(f"/proc/{self._process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def _worker_ids(self) -> list[int]:
        pid, workers = self._process.pid, []
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split():
            with suppress(OSError):  # it has ended in the meantime
                if b"planner.service.plan_worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                    workers.append(int(child))
        return workers
