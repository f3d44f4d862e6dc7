"""The time that a turn may take."""

from __future__ import annotations

import time


class Clock:
    """The time that is left."""

    def __init__(self, limit: float | None) -> None:
        self.began = time.perf_counter()
        self._limit = limit

    def elapsed(self) -> float:
        return time.perf_counter() - self.began

    def left(self) -> float | None:
        """Seconds, or None without a limit."""
        return None if self._limit is None else self._limit - self.elapsed()

    def out(self) -> bool:
        left = self.left()
        return left is not None and left <= 0


class OutOfTimeError(Exception):
    """A search did not end in time: nothing is known."""
