"""Who does the work: processes on this machine, or the workers of a Dask cluster. Both are standard executors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager

from planner.arena import guard
from planner.files import PlannerError


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def open_executor(workers: int | None, dask: str | None) -> Iterator[tuple[Executor, int]]:
    """The executor, and how many chunks it works on at a time: this machine's cores, or a cluster's threads."""
    if dask is not None:
        with _dask_executor(dask) as found:
            yield found
        return
    count = workers or cores()
    guard.Stop.pulled.clear()
    executor = ThreadPoolExecutor(count, thread_name_prefix="guard")  # each waits for a process of its own
    try:
        yield executor, count
    finally:
        guard.Stop.pulled.set()
        executor.shutdown(cancel_futures=True)
        guard.close_all()


@contextmanager
def _dask_executor(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        from distributed import Client  # noqa: PLC0415  (an optional extra)
    except ModuleNotFoundError:
        raise PlannerError("--dask needs the package distributed; install it with: pip install planner[dask]") from None
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise PlannerError(f"--dask {address}: {error}") from None
    with client:
        count = sum(client.nthreads().values())
        if not count:
            raise PlannerError(f"--dask {address}: the cluster has no workers")
        executor = client.get_executor(pure=False)
        try:
            yield executor, count
        finally:
            executor.shutdown(wait=False)
