"""Who does the work: processes on this machine, or the workers of a Dask cluster. Both are standard executors."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from planner.arena import guard
from planner.errors import PlannerError


@dataclass(frozen=True)
class Crew:
    """An executor, how many chunks it works on at a time, and what stops those that are under way."""

    executor: Executor
    size: int
    stop: threading.Event = field(default_factory=threading.Event)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def open_crew(workers: int | None = None, dask: str | None = None) -> Iterator[Crew]:
    """As many workers as this machine has cores, unless told otherwise; or those of the cluster at this address."""
    if dask is not None:
        with _cluster(dask) as crew:
            yield crew
        return
    count, stop = workers or cores(), threading.Event()
    # The threads only wait, each for a process of its own.
    executor = ThreadPoolExecutor(count, "guard", initializer=guard.obey, initargs=(stop,))
    try:
        yield Crew(executor, count, stop)
    finally:
        stop.set()
        executor.shutdown(cancel_futures=True)
        guard.close_all()


@contextmanager
def _cluster(address: str) -> Iterator[Crew]:
    try:
        from distributed import Client  # noqa: PLC0415  (an optional extra)
    except ModuleNotFoundError:
        how = "pip install 'turn-planner[dask]'"
        raise PlannerError(f"--dask needs the package distributed; install it with: {how}") from None
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise PlannerError(f"--dask {address}: {error}") from None
    with client:
        count = sum(client.nthreads().values())
        if not count:
            raise PlannerError(f"--dask {address}: the cluster has no workers")
        executor = client.get_executor(pure=False)
        try:
            yield Crew(executor, count)
        finally:
            executor.shutdown(wait=False)
