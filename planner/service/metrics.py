"""Numbers about the server, as Prometheus reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from planner.service.pool import Pool

_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """Requests by path and status, how long they took, and what the workers do."""

    def __init__(self, pool: Pool, paths: Collection[str]) -> None:
        self._pool, self._paths = pool, paths
        self._registry = CollectorRegistry()
        labels = ("path", "status")
        self._requests = Counter("planner_requests", "Requests by path and status.", labels, registry=self._registry)
        self._seconds = Histogram(
            "planner_request_seconds", "From the headers to the answer.", ("path",),
            buckets=_SECONDS, registry=self._registry,
        )  # fmt: skip
        self._registry.register(self)

    def saw(self, path: str, status: int, seconds: float) -> None:
        """Count a request. Paths that anybody can make up are counted as one."""
        place = path if path in self._paths else "other"
        self._requests.labels(place, str(status)).inc()
        self._seconds.labels(place).observe(seconds)

    def collect(self) -> Iterator[Metric]:
        """What the pool knows already."""
        pool = self._pool
        yield GaugeMetricFamily("planner_workers", "Worker processes that are ready or busy.", value=len(pool.workers))
        yield GaugeMetricFamily("planner_workers_busy", "Worker processes that plan a turn.", value=pool.busy)
        yield GaugeMetricFamily("planner_waiting", "Requests that wait for a worker.", value=pool.waiting)
        replaced = CounterMetricFamily("planner_workers_replaced", "Workers that were replaced.", labels=("why",))
        for why, count in pool.replaced.items():
            replaced.add_metric((why,), count)
        yield replaced

    def text(self) -> bytes:
        """All of it."""
        return generate_latest(self._registry)
